/* SPDX-License-Identifier: MIT
 *
 * Defaults for values that are wider than a vector: for the files named heuristic, and nobody else.
 */
#ifndef SRT_HEURISTIC_WIDE_H
#define SRT_HEURISTIC_WIDE_H

#include "device.h"
#include "problem.h"
#include "variant.h"

/* Of so many items, those that a thread has registers for; whole vectors. */
int srt_wide_items(const struct srt_problem *problem, int items);

/* Threads that have registers enough for `items` values each; a multiple of 32, 1024 where values are not wide. */
int srt_wide_threads(const struct srt_problem *problem, int items);

/* Whether the look-ahead's threads, which hold the most, would not have registers enough. */
bool srt_wide_is_tight(const struct srt_problem *problem);
/* Whether values are better off in shared memory, or have to be there. */
bool srt_wide_is_large(const struct srt_problem *problem);
void srt_wide_make_large(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

/* Look-ahead that combines values where they lie (store=place); false where the problem or the device does not allow
 * it, or where parts of words would take the registers. */
bool srt_wide_make_in_place(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);
/* The same as the fixed order of SCANRT_REPRODUCIBLE, without its ring; by the problem alone. */
bool srt_wide_order_in_place(struct srt_variant *variant, const struct srt_problem *problem);

/* The block of the fixed variant of SCANRT_REPRODUCIBLE: by the element sizes alone. */
int srt_wide_reproducible_block(const struct srt_problem *problem, int items);

#endif
