/* SPDX-License-Identifier: MIT
 *
 * A plan: the kernels of one problem, which of them serves which counts, and the workspace that they share.
 */
#ifndef SRT_PLAN_H
#define SRT_PLAN_H

#include "context.h"
#include "fetch.h"

#define SRT_PLAN_CLASSES 16

struct srt_plan_class {
	uint64_t low_count;
	uint64_t high_count;
	struct srt_fetched *fetched; /* one of the plan's; classes of one variant share it */
	int origin;                  /* enum scanrt_origin */
	int64_t choice;
	const char *file;            /* the context's catalog's path, or "" */
};

/* Constant after creation, but for the operator's state. */
struct scanrt_plan {
	struct scanrt_context *context;
	struct srt_problem problem;
	struct srt_fetched fetched[SRT_PLAN_CLASSES];
	size_t fetched_count;
	struct srt_plan_class classes[SRT_PLAN_CLASSES]; /* ordered, from min_count to max_count without gaps */
	size_t class_count;
	struct srt_workspace workspace;
	struct srt_workspace initial; /* a large initial value, if there is one */
	struct srt_account account;
};

/* SCANRT_ERROR_COUNT for a count that the plan was not made for; 0 is always legal. */
int srt_plan_check_count(const struct scanrt_plan *plan, uint64_t count);

/* plan_check.c: what SCANRT_CHECK_OPERATOR asks for; the context is current. */
int srt_plan_check_operator(struct scanrt_plan *plan, const struct scanrt_plan_options *options);

/* The count is one that srt_plan_check_count() passes. */
const struct srt_plan_class *srt_plan_class_of(const struct scanrt_plan *plan, uint64_t count);

#endif
