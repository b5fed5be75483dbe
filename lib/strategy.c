/* SPDX-License-Identifier: MIT */
#include "strategy.h"

#include <assert.h>

/* The tile number is a 32-bit half of the ticket, and tickets beyond the last tile are drawn; where there is one block
 * a tile, grid.x ends here too. */
#define MOST_TILES UINT64_C(0x7fffffff)

static uint64_t one_tile(const struct srt_variant *variant)
{
	(void)variant;
	return 1;
}

static uint64_t tiles_of_cluster(const struct srt_variant *variant)
{
	return (uint64_t)variant->cluster;
}

static uint64_t many_tiles(const struct srt_variant *variant)
{
	(void)variant;
	return MOST_TILES;
}

/* By srt_launch.phase: of the caller's elements and of partials, on the way up and on the way down. */
static const char *const fan_phases[] = { "scan", "scan_partials", "fan", "fan_partials", NULL };
static const char *const reduce_phases[] = { "reduce", "reduce_partials", "scan", "scan_partials", NULL };
static const char *const reduce_fixed_phases[] = { "reduce", "scan_partials", "scan", NULL };

/* The knobs that every strategy has, but for `residency`, whose default they do not share. */
#define COMMON_KNOBS .block = 256, .items = 16, .warp_scan = SRT_WARP_SHUFFLE, .load = SRT_ACCESS_STREAM, \
	.store = SRT_ACCESS_STREAM

/* Those of the strategies whose blocks scan by kernels/block_scan.cuh. */
#define CIRCUIT_KNOBS .circuit = SRT_CIRCUIT_WARPS, .fan = 8

/* By the numbers of enum srt_strategy. */
static const struct srt_strategy_row rows[] = {
	[SRT_BLOCK] = {
		.name = "block",
		.file = "block.cuh",
		.defaults = { .strategy = SRT_BLOCK, COMMON_KNOBS, CIRCUIT_KNOBS, .residency = 1 },
		.is_repeatable = true,
		.most_tiles = one_tile,
		.launches = srt_launches_of_tiles,
	},
	[SRT_LOOKBACK] = {
		.name = "lookback",
		.file = "lookback.cuh",
		.defaults = { .strategy = SRT_LOOKBACK, COMMON_KNOBS, CIRCUIT_KNOBS, .residency = 2 },
		.has_tile_words = true,
		.most_tiles = many_tiles,
		.launches = srt_launches_of_tiles,
	},
	[SRT_LOOKAHEAD] = {
		.name = "lookahead",
		.file = "lookahead.cuh",
		.defaults = { .strategy = SRT_LOOKAHEAD, COMMON_KNOBS, .residency = 1, .stages = 4, .ahead = 2,
			.gather = 4 },
		.role_warps = 3, /* one publishes, one gathers, one loads */
		.has_tile_words = true,
		.is_persistent = true,
		.is_repeatable = true,
		.most_tiles = many_tiles,
		.launches = srt_launches_of_tiles,
	},
	[SRT_CLUSTER] = {
		.name = "cluster",
		.file = "cluster.cuh",
		.defaults = { .strategy = SRT_CLUSTER, COMMON_KNOBS, .residency = 1, .cluster = 8,
			.exchange = SRT_EXCHANGE_WARP },
		.is_repeatable = true,
		.least_capability = 90,
		.most_tiles = tiles_of_cluster,
		.launches = srt_launches_of_cluster,
	},
	[SRT_LOOKBACK_SERIAL] = {
		.name = "lookback-serial",
		.file = "lookback_serial.cuh",
		.defaults = { .strategy = SRT_LOOKBACK_SERIAL, COMMON_KNOBS, CIRCUIT_KNOBS, .residency = 2 },
		.has_tile_words = true,
		.most_tiles = many_tiles,
		.launches = srt_launches_of_tiles,
	},
	[SRT_FAN] = {
		.name = "fan",
		.file = "fan.cuh",
		.defaults = { .strategy = SRT_FAN, COMMON_KNOBS, CIRCUIT_KNOBS, .residency = 2 },
		.phases = fan_phases,
		.is_repeatable = true,
		.keeps_elements = true,
		.most_tiles = many_tiles,
		.launches = srt_launches_of_fan,
	},
	[SRT_REDUCE] = {
		.name = "reduce",
		.file = "reduce.cuh",
		.defaults = { .strategy = SRT_REDUCE, COMMON_KNOBS, CIRCUIT_KNOBS, .residency = 2 },
		.phases = reduce_phases,
		.is_repeatable = true,
		.most_tiles = many_tiles,
		.launches = srt_launches_of_reduce,
	},
	[SRT_REDUCE_FIXED] = {
		.name = "reduce-fixed",
		.file = "reduce_fixed.cuh",
		.defaults = { .strategy = SRT_REDUCE_FIXED, COMMON_KNOBS, CIRCUIT_KNOBS, .residency = 2,
			.partials = 1024 },
		.phases = reduce_fixed_phases,
		.is_repeatable = true,
		.most_tiles = many_tiles,
		.launches = srt_launches_of_chunks,
	},
	[SRT_LARGE] = {
		.name = "large",
		.file = "large.cuh",
		.defaults = { .strategy = SRT_LARGE, .block = 128, .items = 2, .lanes = 1, .residency = 1 },
		.has_tile_words = true,
		.most_tiles = many_tiles,
		.launches = srt_launches_of_tiles,
	},
};

#define ROW_COUNT (int)(sizeof(rows) / sizeof(rows[0]))

const struct srt_strategy_row *srt_strategy_find(int strategy)
{
	if (strategy < 1 || strategy >= ROW_COUNT || !rows[strategy].file)
		return NULL;
	assert(rows[strategy].defaults.strategy == strategy);
	return &rows[strategy];
}

int srt_strategy_phases(int strategy)
{
	const char *const *phases = srt_strategy_find(strategy)->phases;
	int count = 0;

	while (phases && phases[count])
		count++;
	assert(count <= SRT_MOST_PHASES);
	return count > 0 ? count : 1;
}

int srt_strategy_at(int index)
{
	int strategy;

	for (strategy = 1; strategy < ROW_COUNT; strategy++)
		if (srt_strategy_find(strategy) && index-- == 0)
			return strategy;
	return 0;
}

const char *srt_strategy_name(int strategy)
{
	const struct srt_strategy_row *row = srt_strategy_find(strategy);

	return row ? row->name : NULL;
}

void srt_strategy_list(struct srt_strbuf *out)
{
	int i;

	for (i = 0; srt_strategy_at(i); i++)
		srt_strbuf_printf(out, "%s%s", i ? ", " : "", srt_strategy_name(srt_strategy_at(i)));
}
