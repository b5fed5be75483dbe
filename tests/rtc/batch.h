/* SPDX-License-Identifier: MIT
 *
 * Many compilations by a few threads, and what came of each.
 */
#ifndef TEST_BATCH_H
#define TEST_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "image.h"
#include "rtc.h"
#include "strbuf.h"

struct compilation {
	struct srt_problem problem;
	struct srt_variant variant;
	char arch[24];
	/* What came of it. */
	int status;
	char failure[1024];
	struct srt_strbuf log;
	void *bytes;
	size_t size;
};

/* A list that grows. */
struct batch {
	struct compilation *list;
	size_t count;
	size_t capacity;
};

/* Ends the program with a skip where there is no NVRTC, or an old one. */
const struct srt_rtc *batch_compiler(void);
void batch_add(struct batch *batch, const struct srt_problem *problem, const struct srt_variant *variant,
	const char *arch);
void batch_run(struct batch *batch, const struct srt_rtc *rtc);
/* One check a compilation: it succeeded, and the compiler said nothing. */
void batch_report(const struct batch *batch);
void batch_free(struct batch *batch);

/* A variant of the strategy that suits the problem, whose knobs differ with `turn`: together, a few turns have every
 * value of the knobs with names, and several of the others. */
void turned_variant(struct srt_variant *variant, const struct srt_problem *problem, int strategy, unsigned turn);

/* SCANRT_LONG=1: all combinations, as make check-long and .ci/run have them.  Otherwise a sample, in which each value
 * of each choice still meets some values of all others: a compilation takes a third of a second. */
bool batch_is_long(void);

#endif
