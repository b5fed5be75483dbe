/* SPDX-License-Identifier: MIT
 *
 * Counts of a tile or two a multiprocessor: each block takes one tile and reads the totals of all others at once.  The
 * smallest tile of which no multiprocessor gets more than one is the fastest, or two where two blocks are on it at a
 * time, so that there are a few steps.  Measured on an H200; the times are in bench/results/h200/NOTES.md.
 */
#include <assert.h>

#include "../kernels/abi.h"
#include "heuristic_parts.h"
#include "heuristic_wide.h"

/* The totals that are polled together are held in registers. */
#define MOST_TILE_WORDS 4

/* What a step may be for: by the size of an element, and by the registers that the operator takes. */
enum group {
	BYTE_SUMS = 1 << 0,
	BYTES = 1 << 1,          /* other operators on them, which have an instruction or more an element */
	BYTE_ORDER = 1 << 14,    /* minima and maxima, which are paired */
	HALF_SUMS = 1 << 2,      /* of 16-bit integers, and what else is not compared */
	FLOAT_HALVES = 1 << 3,   /* become words in registers: more than two vectors leave room for one block */
	PAIRED_HALVES = 1 << 4,  /* minima and maxima of halves as they are */
	ORDERED_HALVES = 1 << 5, /* and as floats */
	WORDS = 1 << 6,
	DEAR_WORDS = 1 << 7,     /* logarithms */
	DOUBLES = 1 << 8,
	OTHER_DOUBLES = 1 << 9,  /* pairs of floats, say, which leave no room for three blocks */
	DEAR_DOUBLES = 1 << 10,  /* what is compared, or a logarithm, leaves none for two larger ones */
	PAIRS = 1 << 11,         /* 16 bytes */
	LIGHT_PAIRS = 1 << 12,
	ROLLED = 1 << 13,        /* a dear operator on values that are narrow in memory only */

	ALL_DOUBLES = DOUBLES | OTHER_DOUBLES | DEAR_DOUBLES,
	ALL_PAIRS = PAIRS | LIGHT_PAIRS
};

struct step {
	int groups;
	int block;
	int vectors;   /* of a thread */
	int gather;
	int residency;
	int quarters;  /* of a tile a multiprocessor, up to which the step goes */
	bool rakes;    /* and stores from shared memory */
};

/* A group's steps are those that name it, in this order. */
static const struct step steps[] = {
	{ BYTE_SUMS, 512, 1, 1, 1, 8, false },
	{ BYTES, 256, 2, 1, 1, 8, false },
	{ BYTE_ORDER, 256, 2, 1, 1, 4, false },
	{ BYTE_SUMS | BYTES, 192, 5, 2, 1, 8, false },
	{ HALF_SUMS | FLOAT_HALVES | PAIRED_HALVES, 256, 2, 1, 1, 3, false },
	{ ORDERED_HALVES, 256, 2, 1, 1, 4, false },
	{ HALF_SUMS | PAIRED_HALVES, 512, 2, 1, 1, 4, false },
	{ FLOAT_HALVES, 512, 2, 1, 1, 7, false },
	{ HALF_SUMS, 512, 3, 1, 1, 8, false },
	{ FLOAT_HALVES | PAIRED_HALVES, 256, 5, 1, 1, 8, false },
	{ ORDERED_HALVES, 512, 4, 1, 1, 4, false },
	{ WORDS, 256, 2, 1, 1, 2, false },
	{ WORDS, 256, 4, 1, 1, 4, false },
	{ WORDS, 256, 5, 1, 1, 8, false },
	{ WORDS, 512, 4, 1, 2, 8, false },
	{ DEAR_WORDS, 384, 1, 2, 1, 8, false },
	{ DEAR_WORDS, 512, 2, 1, 1, 8, false },
	{ ALL_DOUBLES, 384, 1, 2, 1, 2, false },
	{ ALL_DOUBLES, 512, 2, 1, 1, 4, false },
	{ DOUBLES | OTHER_DOUBLES, 512, 4, 1, 1, 4, false },
	{ ALL_PAIRS, 512, 1, 1, 1, 4, false },
	{ ALL_PAIRS, 512, 2, 1, 1, 4, false },
	{ ALL_PAIRS, 512, 3, 1, 1, 4, false },
	{ LIGHT_PAIRS, 512, 4, 1, 1, 4, false },
	{ BYTE_SUMS | HALF_SUMS | FLOAT_HALVES | PAIRED_HALVES | DOUBLES, 256, 5, 2, 3, 12, true },
	{ BYTE_ORDER, 256, 5, 2, 4, 16, true },
	{ OTHER_DOUBLES, 384, 5, 2, 1, 8, true },
	{ DEAR_DOUBLES, 256, 5, 2, 3, 8, true },
	{ DEAR_DOUBLES | ALL_PAIRS, 256, 7, 2, 2, 8, true },
	{ DEAR_DOUBLES, 256, 7, 2, 3, 12, true },
	{ ROLLED, 256, 1, 1, 1, 4, true },
	{ ROLLED, 256, 3, 1, 1, 8, true },
};

/* Three blocks a multiprocessor leave a thread 80 registers, and two of 16 warps 64. */
static bool is_crowded(const struct step *step)
{
	return step->block * step->residency > 512;
}

/* Compiled for a capability from this one on, exclusive scans of 8 bytes take more registers than for others. */
#define FEWER_REGISTERS_CAPABILITY 120

/* Sums and products of halves as floats are no more to hold than those of scalars as they are. */
static bool is_modest(const struct srt_problem *problem, const struct srt_device *device)
{
	if (srt_problem_vector(problem) == 2 && device->capability >= FEWER_REGISTERS_CAPABILITY)
		return false;
	return srt_default_is_light(problem) || (!problem->user && srt_problem_vector(problem) == 8 &&
		(problem->op == SCANRT_SUM || problem->op == SCANRT_PROD) &&
		problem->accumulator_type == SCANRT_F32);
}

static enum group group_of(const struct srt_problem *problem)
{
	int type = problem->accumulator_type;
	bool is_sum = problem->op == SCANRT_SUM;
	bool is_order = problem->op == SCANRT_MIN || problem->op == SCANRT_MAX;

	if (srt_default_is_rolled(problem))
		return ROLLED;
	switch (srt_problem_vector(problem)) {
	case 16:
		return is_sum ? BYTE_SUMS : is_order ? BYTE_ORDER : BYTES;
	case 8:
		if (is_order)
			return type == SCANRT_F32 ? ORDERED_HALVES : PAIRED_HALVES;
		return type == SCANRT_I16 || type == SCANRT_U16 ? HALF_SUMS : FLOAT_HALVES;
	case 4:
		return problem->op == SCANRT_LOGADDEXP ? DEAR_WORDS : WORDS;
	case 2:
		if (type == SCANRT_F64 && !is_sum && problem->op != SCANRT_PROD)
			return DEAR_DOUBLES;
		return srt_default_is_light(problem) ? DOUBLES : OTHER_DOUBLES;
	default:
		return is_sum && type == SCANRT_C128 ? LIGHT_PAIRS : PAIRS;
	}
}

static struct srt_variant variant_of(const struct step *step, const struct srt_problem *problem)
{
	int vector = srt_problem_vector(problem);
	int items = step->vectors * vector;
	struct srt_variant variant;

	/* An accumulator that is much wider than what is moved fills the registers sooner. */
	if (!step->rakes && srt_problem_size(problem, SRT_ACCUMULATOR) * (size_t)vector > 32)
		items = srt_default_items(problem, step->vectors);
	variant = srt_default_make(SRT_TOTALS, step->block, items);
	variant.gather = step->gather;
	variant.residency = step->residency;
	if (step->rakes)
		variant.store = SRT_ACCESS_BULK;
	return variant;
}

static bool is_wanted(const struct srt_problem *problem, const struct srt_device *device)
{
	/* Where launches overlap, the tickets' latency is hidden. */
	return device->capability >= SRT_DEFAULT_BULK_CAPABILITY && device->sm_count > 0 &&
		srt_problem_tile_words(problem) <= MOST_TILE_WORDS &&
		(!problem->user || srt_default_is_rolled(problem));
}

size_t srt_default_totals(struct srt_default_range totals[SRT_DEFAULT_TOTALS_MAX], const struct srt_problem *problem,
	const struct srt_device *device)
{
	enum group group = group_of(problem);
	size_t count = 0;
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]) && is_wanted(problem, device); i++) {
		struct srt_variant variant;

		if (!(steps[i].groups & (int)group) || (is_crowded(&steps[i]) && !is_modest(problem, device)))
			continue;
		variant = variant_of(&steps[i], problem);
		if (!srt_default_is_fit(&variant, problem, device))
			continue;
		assert(count < SRT_DEFAULT_TOTALS_MAX);
		totals[count].variant = variant;
		totals[count].high_count = (uint64_t)device->sm_count * srt_variant_tile(&variant) *
			(uint64_t)steps[i].quarters / 4;
		count++;
	}
	return count;
}
