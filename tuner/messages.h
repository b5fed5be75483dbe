/* SPDX-License-Identifier: MIT
 *
 * What the parent asks of its workers, and what they answer.  One request, one reply.
 */
#ifndef TUNE_MESSAGES_H
#define TUNE_MESSAGES_H

#include "device.h"
#include "image.h"
#include "options.h"
#include "problem.h"
#include "variant.h"

enum { TUNE_NOTE_SIZE = 256, TUNE_SAMPLES_MAX = 64, TUNE_SLOTS_MAX = 2304 };

enum tune_message {
	TUNE_REPLY = 1,
	TUNE_COMPILE, /* to a compile worker */
	TUNE_HELLO,   /* the rest to the GPU's worker */
	TUNE_PROBLEM,
	TUNE_COPY,
	TUNE_LOAD,
	TUNE_VERIFY,
	TUNE_VERIFY_LARGE,
	TUNE_TIME,
	TUNE_DROP,
	TUNE_CHECK
};

/* ---- The compile worker: a problem's text follows the request, image bytes the reply ---- */

struct tune_compile_request {
	struct srt_problem problem;
	struct srt_variant variant;
	int capability;
	bool is_ptx;
	bool is_copy; /* the copy kernel, in place of a scan */
	char tool[24]; /* reference.cu or user_try.cu, in place of a scan */
	bool is_described; /* the problem is that of the file whose text follows, in the mode that is stated here */
};

struct tune_compile_reply {
	int status;
	char note[TUNE_NOTE_SIZE];
	char toolchain[64];
	struct srt_image image;
};

/* ---- The GPU's worker ---- */

/* What came of a variant.  The names are those of the database. */
enum tune_verdict {
	TUNE_RUNNING,
	TUNE_OK,
	TUNE_PRUNED,
	TUNE_COMPILE_FAILED,
	TUNE_LAUNCH_FAILED,
	TUNE_WRONG,
	TUNE_TIMEOUT,
	TUNE_CRASH,
	TUNE_NOISY,
	TUNE_IMPLAUSIBLE
};
const char *tune_verdict_name(enum tune_verdict verdict);

/* Whether the variant has been found at fault: a device that is lost, or a Ctrl-C, says nothing of it. */
bool tune_verdict_is_wrong(enum tune_verdict verdict);
enum tune_verdict tune_verdict_parse(const char *name);

struct tune_hello_request {
	char device[64];
};

enum { TUNE_BOARDS_MAX = 16 };

struct tune_hello_reply {
	int status;
	char note[TUNE_NOTE_SIZE];
	struct srt_device device;
	char boards[TUNE_BOARDS_MAX][33]; /* others of this machine with the same fingerprint, by UUID */
	int board_count;
};

/* Makes the inputs, what must come out, and the memory for all that follows on this type and operator.  Everything
 * loaded before is gone. */
struct tune_problem_request {
	struct srt_problem problem;
	uint64_t seed;
	uint64_t base_count;      /* elements of verification data; longer inputs repeat them */
	uint64_t arena_bytes;     /* of input, and as many of output */
	uint64_t workspace_bytes;
	/* Of a problem that a file describes: its text follows, elements of the caller's, and the reference's code. */
	bool is_described;
	size_t text_bytes;
	size_t element_bytes;
	size_t image_bytes;
	struct srt_image image;
};

/* How a class is timed: scans a graph, over so many pairs of buffers in turn. */
struct tune_timing {
	int klass;
	uint64_t count;
	int scans;
	int pairs;
	int samples;
	double limit_us; /* of a scan: what takes longer has one sample; 0: none */
};

struct tune_copy_request {
	struct tune_timing timing;
	struct srt_image image; /* of the copy kernel; bytes follow; none: the driver's copy alone */
};

struct tune_copy_reply {
	int status;
	char note[TUNE_NOTE_SIZE];
	double us;
	char method[32];
};

/* Slots number the variants that are loaded. */
struct tune_load_request {
	int slot;
	struct srt_problem problem;
	struct srt_variant variant;
	struct srt_image image; /* bytes follow: PTX or machine code, as image.codegen and an empty key tell */
};

struct tune_verify_request {
	int slot;
	uint64_t max_count; /* no single launch is larger */
};

struct tune_time_request {
	int slot;
	struct tune_timing timing;
};

/* TUNE_CHECK has the request of TUNE_PROBLEM, for a problem of a file, with user_try.cu for the image.  After the reply
 * comes what is wrong, if anything is. */
struct tune_check_reply {
	int status;
	char note[TUNE_NOTE_SIZE];
	bool is_good;
	double deviation;
	uint64_t triples;
};

struct tune_drop_request {
	int slot;
};

/* The reply to LOAD, VERIFY, VERIFY_LARGE, TIME and DROP; after LOAD of PTX, the linked image's bytes follow. */
struct tune_slot_reply {
	int verdict;      /* enum tune_verdict */
	int status;       /* enum scanrt_status of what failed */
	int cuda_result;
	bool is_lost;     /* the context is beyond use: the worker wants to be replaced */
	char note[TUNE_NOTE_SIZE];
	int registers;
	int local_bytes;
	int shared_bytes;
	int blocks_per_sm;
	double seconds;   /* of wall clock, for the watchdog */
	int sample_count;
	double us[TUNE_SAMPLES_MAX];
	struct srt_image image;
};

/* Bytes of an element in the arrays: the larger of input and output, for room; both, for rates; and half of both, which
 * is what a copy of the same traffic moves. */
size_t tune_element_bytes(const struct srt_problem *problem);
size_t tune_moved_bytes(const struct srt_problem *problem);
size_t tune_copied_bytes(const struct srt_problem *problem);

/* The copy kernel, in this process: machine code, or PTX that is still to be linked. */
int tune_compile_copy(struct srt_image *image, int capability, bool is_ptx);

int tune_compile_worker(void);
int tune_gpu_worker(void);

#endif
