/* SPDX-License-Identifier: MIT
 *
 * What all strategies' defaults are made of: how many elements a thread holds, and how many threads fit.
 */
#include "heuristic_parts.h"

#include "heuristic_wide.h"

/* Elements a thread where each takes the compiler long. */
#define HEAVY_ITEMS 4

/* The widest of the three types is what a thread holds its items in, at one time or another. */
size_t srt_default_widest(const struct srt_problem *problem)
{
	size_t size = srt_problem_size(problem, SRT_INPUT);

	if (srt_problem_size(problem, SRT_ACCUMULATOR) > size)
		size = srt_problem_size(problem, SRT_ACCUMULATOR);
	if (srt_problem_size(problem, SRT_OUTPUT) > size)
		size = srt_problem_size(problem, SRT_OUTPUT);
	return size;
}

struct srt_variant srt_default_make(enum srt_strategy strategy, int block, int items)
{
	struct srt_variant variant;

	srt_variant_init(&variant, strategy);
	variant.block = block;
	variant.items = items;
	return variant;
}

/* Composition is dearer than addition, as a rule, and does not commute.  Raked slices repeat the caller's operator for
 * every element of a thread: tables of 16 states took 300 KB of code and spilled; in place they are twice as fast. */
bool srt_default_is_heavy(const struct srt_problem *problem)
{
	return problem->op == SCANRT_OPERATOR_USER && !srt_problem_is_commutative(problem) &&
		srt_problem_size(problem, SRT_ACCUMULATOR) > 8;
}

bool srt_default_is_rolled(const struct srt_problem *problem)
{
	size_t size = srt_problem_size(problem, SRT_ACCUMULATOR);

	return srt_default_is_heavy(problem) && size <= 16 && size > srt_problem_size(problem, SRT_INPUT) &&
		srt_problem_size(problem, SRT_OUTPUT) <= srt_problem_size(problem, SRT_INPUT);
}

/* As many items as the widest type fits into so many vectors, which is what bounds the registers; whole vectors of what
 * is moved.  Few of what is narrow in memory only: each is a copy of the operator to compile, and tables of 16 states
 * by 16 elements a thread took seven seconds. */
int srt_default_items(const struct srt_problem *problem, int vectors)
{
	int vector = srt_problem_vector(problem);
	int items = vectors * 16 / (int)srt_default_widest(problem) / vector * vector;

	if (srt_default_is_heavy(problem) && vector > HEAVY_ITEMS)
		return HEAVY_ITEMS;
	return items > 0 ? items : vector;
}

/* Scalars as they are, whose raked slices do with the 96 registers that 14 warps and three leave a thread.  Products of
 * bytes do not. */
bool srt_default_is_light(const struct srt_problem *problem)
{
	int type = problem->accumulator_type;

	return !problem->user && type <= SCANRT_F64 && problem->input_type == type &&
		problem->output_type == type && (srt_type_size(type) > 1 || problem->op != SCANRT_PROD);
}

bool srt_default_is_fit(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	return srt_variant_check(variant, problem, device) == SCANRT_OK;
}

/* As many threads as there are registers for, beside `role_threads` that hold few. */
void srt_default_limit_block(struct srt_variant *variant, const struct srt_problem *problem, int role_threads)
{
	int most;

	variant->items = srt_wide_items(problem, variant->items);
	most = srt_wide_threads(problem, variant->items) - role_threads;

	/* The entries that are in flight together are held in registers, tags and all. */
	if (variant->gather > 1 && srt_problem_tile_words(problem) > 4)
		variant->gather = 1;
	if (variant->block > most)
		variant->block = most > 32 ? most : 32;
	if (variant->residency * variant->block > most)
		variant->residency = 1;
}
