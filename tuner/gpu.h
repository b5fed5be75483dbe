/* SPDX-License-Identifier: MIT
 *
 * The state of the GPU's worker: context, memory, inputs, and the variants that are loaded.  Only the worker includes
 * this.  All functions return a status and leave the record of what failed.
 */
#ifndef TUNE_GPU_H
#define TUNE_GPU_H

#include "data.h"
#include "driver.h"
#include "kernel.h"
#include "messages.h"
#include "problem_file.h"

enum {
	TUNE_GUARD_BYTES = 1024,   /* before and after every output that is checked */
	TUNE_POISON = 0xa5,
	TUNE_RESIDENT_MAX = 8
};
#define TUNE_STAGING_BYTES ((size_t)32 << 20)
#define TUNE_SPARE_BYTES ((size_t)8 << 20)

/* Verification data on the host, and its input on the device. */
struct tune_resident {
	struct tune_data data;
	CUdeviceptr input;
	bool is_arena;             /* the input is the arena's beginning, not an allocation of its own */
};

struct tune_graph {
	CUgraphExec exec;          /* NULL: not made */
	uint64_t count;
	int scans;
	size_t wake_at;            /* what is copied from the input to the output before each sample */
	size_t wake_bytes;         /* 0: nothing */
};

struct tune_slot {
	bool is_loaded;
	struct srt_kernel kernel;
	char text[SRT_VARIANT_TEXT_SIZE];
	struct tune_graph graphs[TUNE_CLASS_MAX + 1]; /* the last is for counts between classes */
};

/* The kernels of reference.cu and their memory, for a piece of an array at a time. */
struct tune_reference {
	CUmodule module;
	CUfunction chunks;
	CUfunction carry;
	CUfunction finish;
	CUdeviceptr values;
	CUdeviceptr carries;
	CUdeviceptr expected;      /* outputs of the piece */
	uint64_t piece;            /* elements, at most */
};

struct tune_gpu {
	const struct srt_driver *driver;
	struct srt_device device;
	CUdevice handle;
	CUcontext context;
	CUstream stream;
	CUevent before;
	CUevent after;

	struct srt_problem problem;
	uint64_t seed;
	uint64_t base_count;
	CUdeviceptr input;         /* the arenas */
	CUdeviceptr output;
	size_t arena_bytes;        /* without the guards of the output */
	CUdeviceptr spare;         /* TUNE_SPARE_BYTES for inputs at odd addresses */
	struct srt_workspace workspace;
	unsigned char *staging;    /* TUNE_STAGING_BYTES of page-locked host memory */
	unsigned char *large;      /* what a scan of large_count elements of the arena gives */
	uint64_t large_count;
	struct tune_resident resident[TUNE_RESIDENT_MAX];
	size_t resident_count;

	struct tune_described *described; /* the file's problem, or NULL */
	struct tune_reference reference;
	struct srt_workspace state;       /* of its operator */
	struct srt_workspace initial;     /* its initial value */

	struct tune_slot slots[TUNE_SLOTS_MAX];
};

int tune_gpu_open(struct tune_gpu *gpu, const char *device);
void tune_gpu_close(struct tune_gpu *gpu);
/* tail: what the request says that follows it, or NULL. */
int tune_gpu_prepare(struct tune_gpu *gpu, const struct tune_problem_request *request, const void *tail);
/* The same for a problem of a file that this process has read itself, which it keeps. */
int tune_gpu_prepare_described(struct tune_gpu *gpu, const struct tune_problem_request *request,
	struct tune_described *described, const struct srt_image *image);

/* gpu_check.c: whether the operator of a file's problem is one.  Nothing stays of it. */
int tune_gpu_check(struct tune_check_reply *reply, struct srt_strbuf *text, struct tune_gpu *gpu,
	const struct tune_problem_request *request, const void *tail);
/* The file's problem and its kernels' code behind a request; both are the caller's to free. */
int tune_gpu_take_described(struct tune_described **described, struct srt_image *image, const struct tune_gpu *gpu,
	const struct tune_problem_request *request, const void *tail);

/* gpu_described.c: problems of a file.  The arena's first elements on the host, as many as there is base data. */
int tune_described_open_gpu(struct tune_gpu *gpu, const struct srt_image *image);
void tune_described_close_gpu(struct tune_gpu *gpu);
int tune_described_data(struct tune_data *data, const struct tune_gpu *gpu, uint64_t count);
/* What a scan of the base data has to give, made when first asked for. */
int tune_described_expect(const void **expected, struct tune_gpu *gpu, bool is_exclusive);
/* The next piece of a scan of `in`, which begins at element `at`; its results are in reference.expected then.  Pieces
 * follow each other from 0 on.  *length: how many elements are asked for, and how many were taken. */
int tune_reference_piece(uint64_t *length, struct tune_gpu *gpu, CUdeviceptr in, uint64_t at, bool is_exclusive);
/* *index: the first that is wrong, or TUNE_SAME.  Of results on the host, with a text for people; and of the whole
 * output on the device, after a scan of the arena. */
int tune_described_judge(uint64_t *index, char *text, size_t size, struct tune_gpu *gpu, const void *seen,
	uint64_t count, bool is_exclusive);
int tune_described_check(uint64_t *index, struct tune_gpu *gpu, uint64_t count, bool is_exclusive);


int tune_gpu_upload(const struct tune_gpu *gpu, CUdeviceptr to, const void *from, size_t size);

/* The data of an operator on a type, made when first asked for. */
int tune_gpu_resident(const struct tune_resident **resident, struct tune_gpu *gpu, int type, int op, bool is_exact);

/* An image behind a request, its bytes copied; PTX becomes machine code here, where the context is. */
int tune_gpu_take_image(struct srt_image *image, const struct tune_gpu *gpu, const struct srt_image *head,
	const void *bytes, size_t size);
int tune_gpu_load(struct tune_gpu *gpu, int slot, const struct tune_load_request *request,
	const struct srt_image *image);
void tune_gpu_drop(struct tune_gpu *gpu, int slot);

/* verify.c and verify_large.c: the verdict, and for people what was wrong. */
int tune_verify(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, int slot,
	uint64_t max_count);
int tune_verify_large(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, int slot,
	uint64_t count);

/* Whether the output holds the scan of the first count elements of the arena. */
int tune_check_output(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, uint64_t count,
	bool is_exclusive);

/* measure.c: as many samples as the timing has, or one where that tells enough; *taken is how many. */
int tune_measure(double *us, int *taken, struct tune_gpu *gpu, int slot, const struct tune_timing *timing);
int tune_measure_plan(double *us, struct tune_gpu *gpu, struct scanrt_plan *plan, const struct tune_timing *timing);
int tune_measure_copy(struct tune_copy_reply *reply, struct tune_gpu *gpu, const struct tune_timing *timing,
	const struct srt_image *image);
void tune_graph_free(struct tune_graph *graph, const struct srt_driver *driver);

/* fault.c: faults that tests plant with SCANTUNE_FAULT. */
bool tune_fault_is(const char *kind, const char *variant);
void tune_fault_kill(const char *kind, const char *variant); /* kills this process, where that is planted */
void tune_fault_strike(const char *variant); /* hangs or crashes, where that is planted */

#endif
