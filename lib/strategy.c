/* SPDX-License-Identifier: MIT */
#include "strategy.h"

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

/* The knobs that every strategy has, but for `residency`, whose default they do not share. */
#define COMMON_KNOBS .block = 256, .items = 16, .warp_scan = SRT_WARP_SHUFFLE, .load = SRT_ACCESS_STREAM, \
	.store = SRT_ACCESS_STREAM

/* Those of the strategies whose blocks scan by kernels/block_scan.cuh. */
#define CIRCUIT_KNOBS .circuit = SRT_CIRCUIT_WARPS, .fan = 8

/* By the numbers of enum srt_strategy. */
static const struct srt_strategy_row rows[] = {
#define STRATEGY(constant, number, text, kernels, ...) [number] = { .name = text, .file = kernels, __VA_ARGS__ },
#include "strategy.def"
#undef STRATEGY
};

#define ROW_COUNT (int)(sizeof(rows) / sizeof(rows[0]))

const struct srt_strategy_row *srt_strategy_find(int strategy)
{
	return strategy >= 1 && strategy < ROW_COUNT && rows[strategy].name ? &rows[strategy] : NULL;
}

int srt_strategy_phases(int strategy)
{
	const struct srt_strategy_row *row = srt_strategy_find(strategy);
	int count = 0;

	while (count < SRT_MOST_PHASES && row->phases[count])
		count++;
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
