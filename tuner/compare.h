/* SPDX-License-Identifier: MIT
 *
 * The state of scantune compare: the strategies' scans, other libraries' and the copy at one count, and their times.
 */
#ifndef TUNE_COMPARE_H
#define TUNE_COMPARE_H

#include "classes.h"
#include "contest.h"
#include "db.h"
#include "gpu.h"
#include "options.h"
#include "peers.h"

enum { TUNE_ROWS_MAX = 64, TUNE_PLANS_MAX = 512 };

enum tune_row_kind {
	TUNE_ROW_COPY,
	TUNE_ROW_TAUGHT,  /* a strategy at its fewest items a thread, one where it can */
	TUNE_ROW_TUNED,   /* a strategy's best of the database */
	TUNE_ROW_TRIED,   /* its best of a short list, where the database has none */
	TUNE_ROW_VARIED,  /* one value of the knob that --vary names */
	TUNE_ROW_LIBRARY, /* what a program gets */
	TUNE_ROW_PEER
};

/* One line of the table. */
struct tune_compared {
	enum tune_row_kind kind;
	char name[40];     /* the strategy, the peer, or the copy's method */
	char variant[SRT_VARIANT_TEXT_SIZE]; /* "" for what is not ours */
	char origin[16];
	int items;         /* a thread; 0 for what is not ours */
	struct scanrt_plan *plan;
	struct scanrt_peer *peer;
	CUfunction copy;   /* NULL: the driver's copy */
	struct tune_compare *compare;
	struct tune_contender contender;
	struct tune_summary summary;
	double words;      /* read and written in global memory, an element's word each; 0: unknown */
};

/* A plan of one variant serves all counts. */
struct tune_compared_plan {
	char variant[SRT_VARIANT_TEXT_SIZE];
	struct scanrt_plan *plan; /* NULL: the device cannot run it */
};

struct tune_compare {
	const struct tune_options *options;
	struct tune_gpu *gpu;
	struct scanrt_context *context;
	struct srt_strbuf database; /* looked into now and then (record.h); "": none */
	char fingerprint[512];
	char problem_name[96];
	struct srt_problem problem;
	uint64_t largest;          /* count of all that are asked for */
	const struct scanrt_peers *peers;
	const char *no_peers;      /* why there are none */
	struct srt_image copy_image;
	CUmodule copy_module;
	CUfunction copy_kernel;    /* NULL: only the driver's copy */

	/* The count at hand. */
	struct tune_class klass;
	struct tune_contest contest;
	struct tune_compared rows[TUNE_ROWS_MAX];
	size_t row_count;
	char left_out[256];        /* strategies that do not take the count, and why */

	struct tune_compared_plan plans[TUNE_PLANS_MAX];
	size_t plan_count;
};

/* compare_rows.c: who takes part at the count at hand.  A status. */
int tune_compare_rows(struct tune_compare *compare);
/* A row of one variant; NULL where the device cannot run it, or not at this count. */
struct tune_compared *tune_compare_add(
	struct tune_compare *compare, enum tune_row_kind kind, const char *origin, const struct srt_variant *variant);
/* The fastest of a strategy in the database, at the count nearest to that at hand. */
bool tune_compare_best(struct srt_variant *variant, const struct tune_compare *compare, int strategy);
/* compare_vary.c: a row for each value of a knob, for each strategy that has it. */
int tune_compare_vary(struct tune_compare *compare);
/* The plan of a variant, or of the library's own choice for ""; NULL where it cannot be made, the reason recorded. */
struct scanrt_plan *tune_compare_plan(struct tune_compare *compare, const char *variant);
/* Captures the contender of a row. */
int tune_compare_prepare(struct tune_compare *compare, struct tune_compared *row);
bool tune_compare_is_modelled(const struct tune_compare *compare);

/* compare_print.c */
void tune_compare_print_head(const struct tune_compare *compare);
void tune_compare_print(const struct tune_compare *compare);

#endif
