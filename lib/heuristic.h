/* SPDX-License-Identifier: MIT
 *
 * The compiled-in answer to "which variant", by compute capability, element size and count.  It is what a machine
 * that was never tuned gets, and what the tuner has to beat.
 */
#ifndef SRT_HEURISTIC_H
#define SRT_HEURISTIC_H

#include "device.h"
#include "problem.h"
#include "variant.h"

struct srt_range {
	uint64_t low_count; /* the variant serves counts from low_count to high_count */
	uint64_t high_count;
	struct srt_variant variant;
};

#define SRT_HEURISTIC_MAX 10

/* Ranges that cover 1 to max_count without gaps, ordered.  Every variant passes srt_variant_check(); the number is 0,
 * with the reason recorded, only where no variant at all fits the device. */
size_t srt_heuristic_ranges(struct srt_range ranges[SRT_HEURISTIC_MAX], const struct srt_problem *problem,
	const struct srt_device *device);

/* The default for one count. */
int srt_heuristic_at(struct srt_variant *variant, const struct srt_problem *problem, const struct srt_device *device,
	uint64_t count);

/* The variant of SCANRT_REPRODUCIBLE: all that decides on the order of combination depends on the element sizes alone,
 * so that a problem has the same bits on every GPU. */
int srt_heuristic_reproducible(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

/* Whether the order of combination makes no difference to any bit: sums and products of floats round, and so may what
 * the caller's operators do; everything else is exact. */
bool srt_problem_is_exact(const struct srt_problem *problem);

/* Whether this variant gives the same bits in every run: always, but for look-back where the operator rounds. */
bool srt_variant_is_repeatable(const struct srt_variant *variant, const struct srt_problem *problem);

/* The same for counts up to its tile, where there is a faster one of the same order. */
bool srt_heuristic_reproducible_block(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);
/* And up to *most elements, a tile for each block, on devices where that is faster; *most is set in any case. */
bool srt_heuristic_reproducible_totals(struct srt_variant *variant, uint64_t *most, const struct srt_problem *problem,
	const struct srt_device *device);

/* Choices among the variants of that order are kept beside the others: this follows the names of the problem and of its
 * class of operators in databases. */
#define SRT_REPRODUCIBLE_SUFFIX " reproducible"

/* Whether both combine in the same order, of look-ahead's tiles: the knobs that are not compared, the ring's, change no
 * bit. */
bool srt_variant_is_same_order(const struct srt_variant *a, const struct srt_variant *b);

#endif
