/* SPDX-License-Identifier: MIT
 *
 * From a count to launches: where a tile ends, where a level begins, and that all tiles are somebody's, once.
 */
#include <inttypes.h>
#include <string.h>

#include "problem.h"
#include "strategy.h"
#include "tests/tap.h"

static struct srt_launch launches[SRT_MOST_LAUNCHES];
static struct srt_variant variant;

static size_t launch(const char *text, uint64_t count, uint32_t resident)
{
	if (srt_variant_parse(&variant, text))
		tap_bail_out("%s does not parse", text);
	return srt_strategy_find(variant.strategy)->launches(launches, &variant, count, resident);
}

static uint32_t grid(const char *text, uint64_t count, uint32_t resident)
{
	tap_is_uint(launch(text, count, resident), 1, "%" PRIu64 " elements are one launch of %s", count, text);
	return launches[0].grid;
}

static void test_tiles(void)
{
	const char *look = "lookback,block=64,items=4", *ring = "lookahead,block=64,items=4";

	tap_is_uint(grid(look, 1, 9), 1, "one element is one tile");
	tap_is_uint(grid(look, 256, 9), 1, "and so is a tile's worth");
	tap_is_uint(grid(look, 257, 9), 2, "one more are two");
	tap_is_uint(grid(look, 256 * 1000, 9), 1000, "blocks of a tile each are as many as tiles");
	tap_is_uint(launches[0].chunk, 1, "each with one");
	tap_is_uint(grid(ring, 256 * 9, 9), 9, "blocks that stay are as many as tiles");
	tap_is_uint(grid(ring, 256 * 9 + 1, 9), 9, "and no more than run at once");
	tap_is_uint(launches[0].chunk, 0, "and draw tiles");
}

static void test_cluster(void)
{
	static const uint32_t wanted[] = { 1, 2, 4, 4, 8, 8, 8, 8 };

	for (uint32_t tiles = 1; tiles <= 8; tiles++)
		tap_is_uint(grid("cluster,block=64,items=4", 256 * tiles, 9), wanted[tiles - 1],
			"%" PRIu32 " tiles take a power of two of blocks", tiles);
}

/* Of 256 elements a tile: one, two and three levels. */
static void test_levels(void)
{
	const char *fan = "fan,block=64,items=4", *reduce = "reduce,block=64,items=4";

	tap_is_uint(launch(fan, 256, 9), 1, "a tile is one launch");
	tap_is_uint(launch(fan, 257, 9), 3, "an element more are three");
	tap_is_uint(launches[1].count, 1, "of which the second has the first tile's total");
	tap_is_uint(launches[2].grid, 1, "and the last all tiles but the first");
	tap_is_uint(launch(fan, 256 * 257, 9), 3, "totals of 257 tiles, but for the last, are one tile");
	tap_is_uint(launch(fan, 256 * 257 + 1, 9), 5, "one more tile makes a level");
	tap_is_uint(launches[2].level, 2, "the middle launch is the highest level's");
	tap_is_uint(launch(reduce, 256 * 257, 9), 3, "reductions have as many launches");
	tap_is_uint(launches[0].grid, 256, "nobody reduces the last tile");
	tap_is_uint(launches[2].grid, 257, "and all are scanned");
	tap_ok(launch("fan,block=32,items=1", (UINT64_C(1) << 36) - 32, 9) <= SRT_MOST_LAUNCHES,
		"the smallest tiles have no more launches than there is room for");
}

static uint64_t tiles_of(const struct srt_launch *one)
{
	return (uint64_t)one->grid * one->chunk;
}

/* Chunks hold all tiles, and no chunk would be empty. */
static void test_chunks(void)
{
	uint64_t bad = 0;

	for (uint64_t tiles = 1; tiles < 200; tiles++) {
		size_t used = launch("reduce-fixed,block=64,items=4,partials=8", 256 * tiles, 9);
		const struct srt_launch *last = &launches[used - 1];

		bad += used != (tiles > 1 ? 3u : 1u) || last->grid > 8 || tiles_of(last) < tiles ||
			tiles_of(last) - last->chunk >= tiles;
	}
	tap_is_uint(bad, 0, "tiles are dealt out in at most 8 chunks, and each has one at least");
	launch("reduce-fixed,block=64,items=4,partials=8", 256 * 8 + 1, 9);
	tap_is_uint(launches[2].grid, 5, "nine tiles are five chunks");
	tap_is_uint(launches[2].chunk, 2, "of two");
}

static void test_scratch(void)
{
	struct srt_problem problem;
	struct srt_scratch scratch;
	size_t used = launch("fan,block=64,items=4", 256 * 257 + 1, 9);

	srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM);
	srt_scratch_lay_out(&scratch, &variant, &problem, launches, used);
	tap_is_uint(scratch.offset[1], 0, "the first level's totals come first");
	tap_is_uint(scratch.offset[2], 1280, "the next ones at a multiple of 256 bytes behind 257 of 4");
	tap_is_uint(scratch.bytes, 1280 + 256, "and all of it is a multiple");
	problem.output_type = SCANRT_I64;
	srt_scratch_lay_out(&scratch, &variant, &problem, launches, used);
	tap_is_uint(
		scratch.offset[0], 0, "all accumulators are kept where results are of another type");
	tap_is_uint(scratch.offset[1], 263424, "before the totals");
}

/* The state is kept between scans, and scratch is put at the end, as low as its alignment allows: never into it. */
static void test_need(void)
{
	tap_is_uint(srt_workspace_need_bytes(&(struct srt_workspace_need){ 300, 0 }), 300,
		"state alone is not rounded");
	tap_is_uint(srt_workspace_need_bytes(&(struct srt_workspace_need){ 0, 512 }), 512, "nor is scratch alone");
	tap_is_uint(srt_workspace_need_bytes(&(struct srt_workspace_need){ 512, 256 }), 768, "together they touch");
	tap_is_uint(srt_workspace_need_bytes(&(struct srt_workspace_need){ 513, 256 }), 1024,
		"a byte of state more moves scratch to its next multiple");
}

int main(void)
{
	tap_plan(0);
	test_tiles();
	test_cluster();
	test_levels();
	test_chunks();
	test_scratch();
	test_need();
	return tap_done();
}
