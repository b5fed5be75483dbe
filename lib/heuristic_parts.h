/* SPDX-License-Identifier: MIT
 *
 * What the defaults of all strategies are made of: for the files named heuristic, and nobody else.
 */
#ifndef SRT_HEURISTIC_PARTS_H
#define SRT_HEURISTIC_PARTS_H

#include "device.h"
#include "problem.h"
#include "variant.h"

/* Bulk copies, which make look-ahead the fastest, and launches that overlap came with this compute capability. */
#define SRT_DEFAULT_BULK_CAPABILITY 90

/* A variant of the strategy's own defaults but for these two. */
struct srt_variant srt_default_make(enum srt_strategy strategy, int block, int items);

/* Bytes of the widest of the three types. */
size_t srt_default_widest(const struct srt_problem *problem);

/* Elements a thread in so many 16-byte vectors of the widest type; at least one vector of what is moved. */
int srt_default_items(const struct srt_problem *problem, int vectors);

/* Fewer items, threads and blocks where a thread would lack registers, beside `role_threads` that hold few. */
void srt_default_limit_block(struct srt_variant *variant, const struct srt_problem *problem, int role_threads);

/* Whether the operator costs so much that few copies of it should be compiled. */
bool srt_default_is_heavy(const struct srt_problem *problem);

/* Whether the kernels' raked slices take a few elements at a time, as they do where such an operator's values are wider
 * than what they are made of. */
bool srt_default_is_rolled(const struct srt_problem *problem);

/* Whether types and operator are so simple that raked slices do with the registers that 16 warps leave a thread. */
bool srt_default_is_light(const struct srt_problem *problem);

/* srt_variant_check() as a claim; the refusal stays recorded. */
bool srt_default_is_fit(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

/* The ring of large counts; false where the device or the problem is better off with another strategy. */
bool srt_default_lookahead(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

#define SRT_DEFAULT_TOTALS_MAX 5

struct srt_default_range {
	uint64_t high_count;
	struct srt_variant variant;
};

/* Those of a tile or two a multiprocessor, from the lowest counts up; returns how many there are, which is none where
 * look-back does better. */
size_t srt_default_totals(struct srt_default_range totals[SRT_DEFAULT_TOTALS_MAX], const struct srt_problem *problem,
	const struct srt_device *device);

#endif
