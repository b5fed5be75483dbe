/* SPDX-License-Identifier: MIT
 *
 * Counts of a tile or two a multiprocessor: each block takes one tile and reads the totals of all others at once.  The
 * smallest tile of which no multiprocessor gets more than one is the fastest, or two where two blocks are on it at a
 * time, so that there are a few steps.  Measured on an H200; the times are in bench/results/h200/NOTES.md.
 */
#include "../kernels/abi.h"
#include "heuristic_parts.h"
#include "heuristic_wide.h"

/* The totals that are polled together are held in registers. */
#define MOST_TILE_WORDS 4

struct step {
	int block;
	int vectors;   /* of a thread */
	int gather;
	int residency;
	int quarters;  /* of a tile a multiprocessor, up to which the step goes; 0: no step */
	bool rakes;    /* and stores from shared memory */
};

#define STEPS SRT_DEFAULT_TOTALS_MAX

/* Sums of bytes are a few instructions a vector, and what has one an element does better with less a thread. */
static const struct step bytes[STEPS] = { { 512, 1, 1, 1, 8, false }, { 192, 5, 2, 1, 8, false },
	{ 256, 5, 2, 3, 12, true } };
static const struct step other_bytes[STEPS] = { { 256, 2, 1, 1, 8, false }, { 192, 5, 2, 1, 8, false } };
/* Halves of floats become words in registers: more than two vectors leave room for one block. */
static const struct step halves[STEPS] = { { 256, 2, 1, 1, 4, false }, { 512, 2, 1, 1, 8, false },
	{ 512, 3, 1, 1, 8, false }, { 256, 5, 2, 3, 12, true } };
static const struct step float_halves[STEPS] = { { 256, 2, 1, 1, 4, false }, { 512, 2, 1, 1, 8, false },
	{ 256, 5, 2, 3, 12, true } };
static const struct step paired_halves[STEPS] = { { 256, 2, 1, 1, 4, false }, { 512, 2, 1, 1, 8, false } };
static const struct step ordered_halves[STEPS] = { { 256, 2, 1, 1, 4, false }, { 512, 4, 1, 1, 4, false } };
static const struct step words[STEPS] = { { 384, 1, 2, 1, 4, false }, { 512, 2, 1, 1, 8, false },
	{ 512, 4, 1, 2, 8, false } };
static const struct step dear_words[STEPS] = { { 384, 1, 2, 1, 8, false }, { 512, 2, 1, 1, 8, false } };
static const struct step doubles[STEPS] = { { 384, 1, 2, 1, 2, false }, { 512, 2, 1, 1, 4, false },
	{ 512, 4, 1, 1, 4, false }, { 256, 5, 2, 3, 12, true } };
/* Pairs of floats leave no room for three. */
static const struct step other_doubles[STEPS] = { { 384, 1, 2, 1, 2, false }, { 512, 2, 1, 1, 4, false },
	{ 512, 4, 1, 1, 4, false }, { 384, 5, 2, 1, 8, true } };
/* With what a comparison of doubles takes, or a logarithm, a multiprocessor has no registers for two larger blocks. */
static const struct step dear_doubles[STEPS] = { { 384, 1, 2, 1, 2, false }, { 512, 2, 1, 1, 4, false },
	{ 512, 4, 1, 1, 4, false }, { 256, 7, 2, 2, 8, true } };
static const struct step pairs[STEPS] = { { 512, 1, 1, 1, 4, false }, { 512, 2, 1, 1, 4, false },
	{ 512, 3, 1, 1, 4, false }, { 256, 7, 2, 2, 8, true } };
static const struct step light_pairs[STEPS] = { { 512, 1, 1, 1, 4, false }, { 512, 2, 1, 1, 4, false },
	{ 512, 3, 1, 1, 4, false }, { 512, 4, 1, 1, 4, false }, { 256, 7, 2, 2, 8, true } };
/* A dear operator on values that are narrow in memory only: what fills the multiprocessors counts. */
static const struct step rolled[STEPS] = { { 256, 1, 1, 1, 4, true }, { 256, 3, 1, 1, 8, true } };

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

static const struct step *steps_of(const struct srt_problem *problem)
{
	int type = problem->accumulator_type;
	bool is_sum = problem->op == SCANRT_SUM;
	bool is_order = problem->op == SCANRT_MIN || problem->op == SCANRT_MAX;

	switch (srt_problem_vector(problem)) {
	case 16:
		return is_sum ? bytes : other_bytes;
	case 8:
		if (is_order && type == SCANRT_F32)
			return ordered_halves;
		return is_order ? paired_halves : type == SCANRT_I16 || type == SCANRT_U16 ? halves : float_halves;
	case 4:
		return problem->op == SCANRT_LOGADDEXP ? dear_words : words;
	case 2:
		if (type == SCANRT_F64 && !is_sum && problem->op != SCANRT_PROD)
			return dear_doubles;
		return srt_default_is_light(problem) ? doubles : other_doubles;
	default:
		return is_sum && type == SCANRT_C128 ? light_pairs : pairs;
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

/* Minima and maxima of halves have no registers for raked tiles of totals, but a ring of smaller tiles. */
static bool make_small_ring(struct srt_default_range *range, const struct srt_problem *problem,
	const struct srt_device *device)
{
	struct srt_variant *variant = &range->variant;

	*variant = srt_default_make(SRT_LOOKAHEAD, 320, 7 * srt_problem_vector(problem));
	variant->stages = 6;
	variant->ahead = 4;
	variant->gather = 2;
	variant->store = SRT_ACCESS_BULK;
	range->high_count = 2 * (uint64_t)device->sm_count * srt_variant_tile(variant);
	return srt_default_is_fit(variant, problem, device);
}

size_t srt_default_totals(struct srt_default_range totals[SRT_DEFAULT_TOTALS_MAX], const struct srt_problem *problem,
	const struct srt_device *device)
{
	const struct step *step = srt_default_is_rolled(problem) ? rolled : steps_of(problem);
	size_t count = 0;
	size_t i;

	for (i = 0; i < STEPS && step[i].quarters > 0 && is_wanted(problem, device); i++) {
		struct srt_variant variant = variant_of(&step[i], problem);

		if (is_crowded(&step[i]) && !is_modest(problem, device))
			continue;
		if (!srt_default_is_fit(&variant, problem, device))
			continue;
		totals[count].variant = variant;
		totals[count].high_count = (uint64_t)device->sm_count * srt_variant_tile(&variant) *
			(uint64_t)step[i].quarters / 4;
		count++;
	}
	if (step == paired_halves && count > 0)
		count += make_small_ring(&totals[count], problem, device);
	return count;
}
