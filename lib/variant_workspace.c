/* SPDX-License-Identifier: MIT
 *
 * What kernels need of the workspace that they share.
 */
#include "../kernels/abi.h"
#include "strategy.h"
#include "variant.h"

static size_t state_bytes(const struct srt_variant *variant, const struct srt_problem *problem, uint64_t max_count)
{
	uint64_t tile = srt_variant_tile(variant);
	uint64_t tiles = max_count / tile + (max_count % tile != 0);

	if (!srt_strategy_find(variant->strategy)->has_tile_words)
		return 0;
	/* Batches of 32 tiles have an entry each, too, and are whole ones. */
	if (variant->store == SRT_ACCESS_PLACE)
		tiles = (tiles / 32 + 1) * 33;
	return SCAN_CONTROL_BYTES + tiles * srt_variant_tile_words(variant, problem) * sizeof(uint64_t);
}

/* More elements never have fewer partials, except where chunks are dealt out: there it is the number of them. */
static size_t scratch_bytes(const struct srt_variant *variant, const struct srt_problem *problem, uint64_t max_count)
{
	struct srt_launch launches[SRT_MOST_LAUNCHES];
	struct srt_scratch scratch;
	size_t i;
	size_t count;

	if (max_count == 0)
		return 0;
	count = srt_strategy_find(variant->strategy)->launches(launches, variant, max_count, 1);
	for (i = 0; i < count; i++)
		if (variant->partials > 0 && launches[i].level > 0)
			launches[i].count = (uint64_t)variant->partials;
	srt_scratch_lay_out(&scratch, variant, problem, launches, count);
	return scratch.bytes;
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

void srt_workspace_need_add(struct srt_workspace_need *need, const struct srt_variant *variant,
	const struct srt_problem *problem, uint64_t max_count)
{
	if (max_count > srt_variant_max_count(variant))
		max_count = srt_variant_max_count(variant);
	need->state = larger(need->state, state_bytes(variant, problem, max_count));
	need->scratch = larger(need->scratch, scratch_bytes(variant, problem, max_count));
}

/* Scratch is put at the workspace's end, and no lower than the next multiple of its alignment after the state. */
size_t srt_workspace_need_bytes(const struct srt_workspace_need *need)
{
	size_t rest = need->state % SRT_SCRATCH_ALIGNMENT;

	if (need->scratch == 0)
		return need->state;
	return need->state + (rest ? SRT_SCRATCH_ALIGNMENT - rest : 0) + need->scratch;
}

size_t srt_variant_workspace(const struct srt_variant *variant, const struct srt_problem *problem, uint64_t max_count)
{
	struct srt_workspace_need need = { 0, 0 };

	srt_workspace_need_add(&need, variant, problem, max_count);
	return srt_workspace_need_bytes(&need);
}
