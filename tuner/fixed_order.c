/* SPDX-License-Identifier: MIT
 *
 * The search among the variants of SCANRT_REPRODUCIBLE: their order of combination is promised, and what is left to
 * find is the ring around it, and up to where one trip to all totals, or one block, is faster than a ring.  Libscanrt
 * looks for these choices under names of their own and refuses what has another order, so that no tuning changes a bit.
 */
#include <stdio.h>
#include <string.h>

#include "fixed_order.h"
#include "heuristic.h"
#include "status.h"
#include "strategy.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

void tune_problem_name(struct srt_strbuf *name, const struct srt_problem *problem, bool is_reproducible)
{
	srt_problem_format(name, problem, false);
	if (is_reproducible)
		srt_strbuf_append(name, SRT_REPRODUCIBLE_SUFFIX);
}

const char *tune_op_class(char text[TUNE_OP_CLASS_SIZE], const struct srt_problem *problem, bool is_reproducible)
{
	snprintf(text, TUNE_OP_CLASS_SIZE, "%s%s", srt_op_class(problem->op),
		is_reproducible ? SRT_REPRODUCIBLE_SUFFIX : "");
	return text;
}

int tune_default_at(struct srt_variant *variant, const struct srt_problem *problem, const struct srt_device *device,
	uint64_t count, bool is_reproducible)
{
	uint64_t most;

	if (!is_reproducible)
		return srt_heuristic_at(variant, problem, device, count);
	if (srt_heuristic_reproducible_block(variant, problem, device) && count <= srt_variant_max_count(variant))
		return SCANRT_OK;
	if (srt_heuristic_reproducible_totals(variant, &most, problem, device) && count <= most)
		return SCANRT_OK;
	return srt_heuristic_reproducible(variant, problem, device);
}

static size_t append(struct srt_variant *variants, size_t used, const struct srt_variant *variant,
	const struct srt_problem *problem, const struct srt_device *device)
{
	if (srt_variant_check(variant, problem, device) == SCANRT_OK)
		variants[used++] = *variant;
	return used;
}

static size_t append_rings(struct srt_variant *variants, size_t used, size_t wanted, const struct srt_variant *order,
	const struct srt_problem *problem, const struct srt_device *device)
{
	static const struct { int residency, stages, ahead; } rings[] = {
		{ 2, 3, 1 }, { 1, 7, 4 }, { 1, 5, 3 }, { 2, 4, 2 }, { 1, 4, 2 }, { 3, 2, 1 }, { 2, 3, 2 }, { 1, 3, 1 },
		{ 1, 6, 3 }, { 1, 8, 5 }, { 2, 2, 1 }, { 1, 6, 4 }, { 1, 2, 1 }, { 3, 3, 1 }, { 2, 4, 3 }, { 1, 7, 3 }
	};
	static const int gathers[] = { 4, 2, 8 };

	for (size_t k = 0; k < COUNT_OF(gathers); k++)
		for (size_t i = 0; i < COUNT_OF(rings) && used < wanted; i++) {
			struct srt_variant variant = *order;

			variant.residency = rings[i].residency;
			variant.stages = rings[i].stages;
			variant.ahead = rings[i].ahead;
			variant.gather = gathers[k];
			used = append(variants, used, &variant, problem, device);
		}
	return used;
}

static size_t append_totals(struct srt_variant *variants, size_t used, size_t wanted,
	const struct srt_problem *problem, const struct srt_device *device)
{
	static const struct { int residency, gather; } trips[] = { { 2, 0 }, { 1, 0 }, { 2, 2 }, { 1, 2 }, { 3, 0 },
		{ 2, 8 } };
	struct srt_variant variant;
	uint64_t most;

	for (size_t i = 0; i < COUNT_OF(trips) && used < wanted; i++)
		if (srt_heuristic_reproducible_totals(&variant, &most, problem, device)) {
			variant.residency = trips[i].residency;
			variant.gather = trips[i].gather ? trips[i].gather : variant.gather;
			used = append(variants, used, &variant, problem, device);
		}
	return used;
}

size_t tune_space_fixed(struct srt_variant *variants, size_t wanted, const struct srt_problem *problem,
	const struct srt_device *device)
{
	struct srt_variant order, block;
	size_t used = 0;

	if (srt_heuristic_reproducible(&order, problem, device) != SCANRT_OK)
		return 0;
	if (srt_heuristic_reproducible_block(&block, problem, device))
		used = append(variants, used, &block, problem, device);
	used = append_totals(variants, used, wanted, problem, device);
	used = append_rings(variants, used, wanted, &order, problem, device);
	srt_error_clear();
	return used;
}

bool tune_is_in_order(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	struct srt_variant order;

	return srt_heuristic_reproducible(&order, problem, device) == SCANRT_OK &&
	       srt_variant_is_same_order(variant, &order);
}
