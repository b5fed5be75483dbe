/* SPDX-License-Identifier: MIT
 *
 * From a count to launches, and to the scratch that they share.
 */
#include <assert.h>
#include <string.h>

#include "strategy.h"

static uint64_t divide_up(uint64_t count, uint64_t size)
{
	return (count - 1) / size + 1;
}

/* A block a tile; or blocks that stay and draw tiles, so that there are no more of them than run at once. */
size_t srt_launches_of_tiles(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident)
{
	bool is_persistent = srt_strategy_find(variant->strategy)->is_persistent;
	uint32_t tiles = (uint32_t)divide_up(count, srt_variant_tile(variant));

	launches[0] = (struct srt_launch){ 0, 0, count, is_persistent && tiles > resident ? resident : tiles,
		!is_persistent };
	return 1;
}

/* A block for each tile, rounded up to a power of two: other sizes of a cluster are not known to be laid out well. */
size_t srt_launches_of_cluster(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident)
{
	size_t used = srt_launches_of_tiles(launches, variant, count, resident);
	uint32_t blocks = 1;

	while (blocks < launches[0].grid)
		blocks *= 2;
	launches[0].grid = blocks;
	return used;
}

/* Up, as long as a level has more than one tile; a scan of the level that has one; and down again.  `last` is the
 * phase of that scan; `up` and `down` are the blocks of a level that a pass up or down does without. */
static size_t recurse(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count, int last,
	uint32_t up, uint32_t down)
{
	uint64_t tile = srt_variant_tile(variant);
	size_t used = 0;
	int level;

	for (level = 0; count > tile; level++) {
		uint32_t tiles = (uint32_t)divide_up(count, tile);

		launches[used++] = (struct srt_launch){ level > 0, level, count, tiles - up, 1 };
		count = tiles - 1;
	}
	launches[used++] = (struct srt_launch){ last + (level > 0), level, count, 1, 1 };
	while (level-- > 0) {
		launches[used] = launches[level];
		launches[used].phase = 2 + (level > 0);
		launches[used++].grid = launches[level].grid + up - down;
	}
	assert(used <= SRT_MOST_LAUNCHES);
	return used;
}

/* Nobody asks for the last tile's total, but it has to be scanned on the way up; on the way down the first tile is
 * done.  One tile takes the kernel of the way up. */
size_t srt_launches_of_fan(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident)
{
	(void)resident;
	return recurse(launches, variant, count, 0, 0, 1);
}

size_t srt_launches_of_reduce(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident)
{
	(void)resident;
	return recurse(launches, variant, count, 2, 1, 0);
}

/* The tiles are dealt out evenly, whole ones, so that rounding up may leave fewer chunks than there are partials. */
size_t srt_launches_of_chunks(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident)
{
	uint64_t tile = srt_variant_tile(variant);
	uint64_t tiles = divide_up(count, tile);
	uint32_t chunk = (uint32_t)divide_up(tiles, (uint64_t)variant->partials);
	uint32_t chunks = (uint32_t)divide_up(tiles, chunk);
	size_t used = 0;

	(void)resident;
	if (chunks > 1) {
		launches[used++] = (struct srt_launch){ 0, 0, count, chunks - 1, chunk };
		launches[used++] = (struct srt_launch){ 1, 1, chunks - 1, 1, (uint32_t)divide_up(chunks - 1, tile) };
	}
	launches[used++] = (struct srt_launch){ 2, 0, count, chunks, chunk };
	return used;
}

/* ---- Scratch ---- */

/* The next room of so many elements; vectors in it are aligned. */
static size_t take(struct srt_scratch *scratch, uint64_t elements, size_t size)
{
	size_t offset = scratch->bytes;

	scratch->bytes += (elements * size + SRT_SCRATCH_ALIGNMENT - 1) / SRT_SCRATCH_ALIGNMENT * SRT_SCRATCH_ALIGNMENT;
	return offset;
}

void srt_scratch_lay_out(struct srt_scratch *scratch, const struct srt_variant *variant,
	const struct srt_problem *problem, const struct srt_launch *launches, size_t count)
{
	size_t size = srt_problem_size(problem, SRT_ACCUMULATOR);
	int levels = 1;
	size_t i;

	memset(scratch, 0, sizeof(*scratch));
	if (srt_strategy_find(variant->strategy)->keeps_elements && count > 1 &&
		!srt_problem_keeps_in_output(problem))
		scratch->offset[0] = take(scratch, launches[0].count, size);
	for (i = 0; i < count; i++)
		if (launches[i].level == levels)
			scratch->offset[levels++] = take(scratch, launches[i].count, size);
}
