/* SPDX-License-Identifier: MIT
 *
 * Defaults for values that are wider than a vector: heuristic.c's, and nobody else's.
 */
#ifndef SRT_HEURISTIC_WIDE_H
#define SRT_HEURISTIC_WIDE_H

#include "device.h"
#include "problem.h"
#include "variant.h"

/* Threads that have registers enough for `items` values each; a multiple of 32, 1024 where values are not wide. */
int srt_wide_threads(const struct srt_problem *problem, int items);

/* Whether values do not fit registers at all, so that only the strategy `large` takes them. */
bool srt_wide_is_large(const struct srt_problem *problem);
void srt_wide_make_large(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

/* The block of the fixed variant of SCANRT_REPRODUCIBLE: by the element sizes alone. */
int srt_wide_reproducible_block(const struct srt_problem *problem, int items);

#endif
