/* SPDX-License-Identifier: MIT
 *
 * bench/table: every target of the library on the device at hand, with other libraries and a copy in the same run.
 *
 * What is measured is rows: a problem, a count, where the arrays lie, and what is wanted of it.  A new type or case is
 * one line in cases.c.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../tuner/contest.h"
#include "../tuner/peers.h"
#include "../tuner/statistics.h"
#include "device.h"
#include "problem.h"
#include "scanrt.h"

enum bench_layout { BENCH_CONTIGUOUS, BENCH_MISALIGNED, BENCH_IN_PLACE };
enum bench_peer { BENCH_NO_PEER, BENCH_OTHERS, BENCH_ALIGNED, BENCH_TUNED }; /* what the ratio is of */

enum { BENCH_COUNTS_MAX = 8, BENCH_CONTENDERS_MAX = 8 };

struct bench_point {
	uint64_t count;    /* 0: no further one */
	double share;      /* least copy time / our time; 0: no target */
	double ratio;      /* least peer time / our time */
	double us;         /* the most */
	bool is_quick;     /* part of --quick */
};

/* A type of a caller's, the operator on it and conversions, or a built-in monoid (bench/user.c). */
struct bench_user {
	const char *row;         /* the type as families and results have it: "struct136" */
	const char *op;
	const char *type;        /* the name in the text */
	const char *type_text;
	const char *op_text;
	const char *load_text;
	const char *store_text;
	const char *data;        /* its inputs and checks: user_data.cu; NULL: sums of doubles, data.cu */
	size_t bytes;            /* of the accumulator */
	size_t alignment;
	int builtin_type;        /* of the arrays, where it is not the user's */
	int builtin_op;          /* in place of text */
	bool is_commutative;
};

/* Every type with every operator that takes it, in each mode, at each count. */
struct bench_family {
	const char *section;
	const char *types; /* "i32 f32", or three for one: "i8>i32>i32" */
	const char *ops;
	bool has_exclusive;
	enum bench_layout layout;
	enum bench_peer peer;
	uint32_t flags;    /* of the plan: SCANRT_REPRODUCIBLE */
	struct bench_point points[BENCH_COUNTS_MAX];
};
extern const struct bench_family bench_families[]; /* ends with a NULL section */

struct bench_row {
	const struct bench_family *family;
	const struct bench_point *point;
	struct srt_problem problem; /* what of it is a user's lives as long as the program */
	char type[40];     /* as the family has it */
	uint64_t count;    /* the point's, or as many as the device is good for */
	uint64_t least;    /* of the rows that follow each other with this problem: one plan serves them */
	uint64_t most;
};

struct bench_options {
	const char *device;
	const char *json;    /* NULL: none; "-": standard output, and no table */
	const char *results; /* a folder of results to add to; NULL: none */
	const char *commit;
	const char *only;    /* section names, separated by commas; NULL: all */
	const char *types;   /* likewise, of rows */
	double seconds;
	bool is_quick;
	bool is_judged;      /* also where times are modelled */
	bool is_spoiling;    /* a byte of each result is falsified before it is checked */
	bool is_list;
};

struct bench_module {
	int in;
	int out;
	const struct bench_user *user;
	CUmodule module;
	CUfunction fill;
	CUfunction check;
	CUfunction empty;
};

struct bench {
	struct bench_options options;
	const struct srt_driver *driver;
	struct srt_device device;
	CUdevice handle;
	CUcontext cuda_context;
	struct tune_contest contest;
	struct scanrt_context *context;
	const struct scanrt_peers *peers;
	const struct scanrt_peers *user_peers; /* of the section user */
	const char *no_peers;
	const char *toolchain;
	bool is_modelled;

	CUdeviceptr in;      /* two arenas of `capacity` bytes and a little more */
	CUdeviceptr out;
	CUdeviceptr wrong;   /* what the check counts */
	size_t capacity;
	uint64_t most_count; /* on an emulated device; UINT64_MAX on a GPU */
	struct bench_module modules[32];
	size_t module_count;
	CUmodule copy_module;
	CUfunction copy_kernel;
	struct bench_best_copy {
		size_t bytes;
		int method; /* 0 not known, 1 the kernel, 2 the driver */
	} best_copies[64];
	size_t best_copy_count;

	struct scanrt_plan *plan; /* of the latest row */
	const struct bench_family *plan_family;
	struct srt_problem plan_problem;

	FILE *json;
	double ends;
	double weight_left;  /* of the rows to come, in units of a row */
	int judged;
	int missed;
	int unjudged;        /* ratios that are wanted where no other library was there */
	int wrong_count;
	int skipped;
	char misses[4096];   /* for the end */
};

/* ---- bench/open.c ---- */
struct srt_image;
struct srt_source;
int bench_open(struct bench *bench);
int bench_compile(struct srt_image *image, const struct bench *bench, const struct srt_source *sources,
	const char *entry, const char *const *options, size_t count);
void bench_close(struct bench *bench);

/* ---- bench/user.c ---- */
const struct bench_user *bench_user_find(const char *type, const char *op); /* or NULL */
void bench_user_publish(struct scanrt_problem *problem, const struct bench_user *user); /* types, operator, texts */
/* The one that a problem was made of; NULL for those of built-in scalars. */
const struct bench_user *bench_user_of(const struct srt_problem *problem);

/* ---- bench/arena.c: inputs, checks, where scans go ---- */
int bench_module_of(const struct bench_module **module, struct bench *bench, const struct srt_problem *problem);
/* Slots of a size of their own, so that a few of them exceed the L2 several times. */
struct tune_ring bench_ring(const struct bench *bench, const struct srt_problem *problem, uint64_t count,
	enum bench_layout layout);
/* is_raw: for timing, floats whose every bit is random; they fit no check. */
int bench_fill(struct bench *bench, const struct srt_problem *problem, const struct tune_ring *ring, uint64_t count,
	bool is_raw);
/* Runs the contender once into poisoned memory and looks at every element; SCANRT_ERROR_IMAGE where one is wrong. */
int bench_check(struct bench *bench, const struct srt_problem *problem, const struct tune_ring *ring,
	const struct tune_contender *contender, uint64_t count);
/* Whether the arenas hold it. */
bool bench_fits(const struct bench *bench, const struct srt_problem *problem, uint64_t count);

/* ---- bench/contenders.c: our plan, other libraries, copies ---- */
struct bench_scan {
	struct scanrt_plan *plan;
	const struct scanrt_peers *peers;
	struct scanrt_peer *peer;
	char name[40];
	uint64_t count;
};
int bench_enqueue_plan(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream);
int bench_enqueue_peer(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream);

struct bench_copy {
	const struct bench *bench;
	CUfunction kernel; /* NULL: the driver's */
	size_t bytes;
};
int bench_enqueue_copy(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream);

int bench_plan(struct scanrt_plan **plan, struct bench *bench, const struct srt_problem *problem, uint32_t flags,
	uint64_t least, uint64_t most);

/* The row's plan, which is the one before where it fits; owned by bench. */
int bench_plan_of(struct scanrt_plan **plan, struct bench *bench, const struct bench_row *row);

/* ---- bench/row.c ---- */
int bench_run_row(struct bench *bench, const struct bench_row *row);
/* Seconds that the next row may take beyond the least rounds. */
double bench_spare_seconds(struct bench *bench, double weight);
int bench_least_rounds(const struct bench *bench);
int bench_most_rounds(const struct bench *bench);

/* ---- bench/report.c ---- */
struct bench_result {
	const char *type;
	const char *op;
	bool is_exclusive;
	uint64_t count;
	const char *layout;
	const struct scanrt_plan_description *description;
	struct tune_summary ours;
	double copy_us;  /* 0: none */
	const char *peer; /* NULL: none */
	double peer_us;
	double bytes;    /* read and written */
	double want_share;
	double want_ratio;
	double want_us;
};
void bench_print_head(const struct bench *bench);
void bench_print_section(const struct bench *bench, const char *section);
void bench_report(struct bench *bench, const struct bench_result *result);
/* A finding that is no row of its own: "no count takes over 5 % longer ...".  Counts as a target. */
void bench_judge(struct bench *bench, bool is_met, const char *format, ...) __attribute__((format(printf, 3, 4)));
void bench_note(const struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
int bench_finish(struct bench *bench, int status); /* the exit status */
const char *bench_layout_name(enum bench_layout layout);

/* ---- bench/counts.c, bench/host.c: sections that are no rows ---- */
int bench_run_steps(struct bench *bench);  /* one plan, counts in steps of 1.2 */
int bench_run_flat(struct bench *bench);   /* time an element from 2^24 to 2^32 */
int bench_run_host(struct bench *bench);   /* the host's time for an execution */

#endif
