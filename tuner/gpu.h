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
};

struct tune_slot {
	bool is_loaded;
	struct srt_kernel kernel;
	char text[SRT_VARIANT_TEXT_SIZE];
	struct tune_graph graphs[TUNE_CLASS_MAX + 1]; /* the last is for counts between classes */
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

	struct tune_slot slots[TUNE_SLOTS_MAX];
};

int tune_gpu_open(struct tune_gpu *gpu, const char *device);
void tune_gpu_close(struct tune_gpu *gpu);
int tune_gpu_prepare(struct tune_gpu *gpu, const struct tune_problem_request *request);

int tune_gpu_upload(const struct tune_gpu *gpu, CUdeviceptr to, const void *from, size_t size);

/* The data of an operator on a type, made when first asked for. */
int tune_gpu_resident(const struct tune_resident **resident, struct tune_gpu *gpu, int type, int op, bool is_exact);

int tune_gpu_load(struct tune_gpu *gpu, int slot, const struct tune_load_request *request,
	const struct srt_image *image);
void tune_gpu_drop(struct tune_gpu *gpu, int slot);

/* verify.c: the verdict, and for people what was wrong. */
int tune_verify(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, int slot,
	uint64_t max_count);
int tune_verify_large(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, int slot,
	uint64_t count);

/* Whether the output holds the scan of the first count elements of the arena. */
int tune_check_output(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, uint64_t count,
	bool is_exclusive);

/* measure.c */
int tune_measure(double *us, struct tune_gpu *gpu, int slot, const struct tune_timing *timing);
int tune_measure_plan(double *us, struct tune_gpu *gpu, struct scanrt_plan *plan, const struct tune_timing *timing);
int tune_measure_copy(struct tune_copy_reply *reply, struct tune_gpu *gpu, const struct tune_timing *timing,
	const struct srt_image *image);
void tune_graph_free(struct tune_graph *graph, const struct srt_driver *driver);

/* fault.c: faults that tests plant with SCANTUNE_FAULT. */
bool tune_fault_is(const char *kind, const char *variant);
void tune_fault_kill(const char *kind, const char *variant); /* kills this process, where that is planted */
void tune_fault_strike(const char *variant); /* hangs or crashes, where that is planted */

#endif
