/* SPDX-License-Identifier: MIT
 *
 * The table of strategies: all that the host knows of one is its row in strategy.def.  Its kernels are the file of
 * kernels/ that the row names.
 */
#ifndef SRT_STRATEGY_H
#define SRT_STRATEGY_H

#include "variant.h"

#define SRT_MOST_PHASES 4

struct srt_launch;

struct srt_strategy_row {
	const char *name;             /* in the text form; NULL: there is no such strategy */
	const char *file;             /* of kernels/, with its code */
	struct srt_variant defaults;  /* of every knob; 0: the strategy has no such knob */
	unsigned role_warps;          /* warps of a block beside those that scan */
	bool has_tile_words;          /* its blocks exchange tile words by tickets (kernels/tile_state.cuh) */
	bool is_persistent;           /* no more blocks than run at once, each draws tiles until there are none */
	bool is_repeatable;           /* float results do not depend on timing */
	int least_capability;         /* of the device; 0: any */
	bool keeps_elements;          /* scratch holds an accumulator an element, where the output type is another */
	/* Suffixes of its kernels' names; none: it has one kernel, whose name has no suffix. */
	const char *phases[SRT_MOST_PHASES];
	/* Tiles of one scan, at most. */
	uint64_t (*most_tiles)(const struct srt_variant *variant);
	/* The launches of a scan of count > 0 elements where `resident` blocks run at once; returns their number. */
	size_t (*launches)(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
		uint32_t resident);
};

/* One launch.  A level's partials, one a tile or chunk but for the last, are the elements of the level above. */
struct srt_launch {
	int phase;      /* which of the strategy's kernels */
	int level;      /* whose elements it works on: 0 the caller's, else partials */
	uint64_t count; /* elements of that level */
	uint32_t grid;  /* blocks */
	uint32_t chunk; /* tiles a block; 0 where blocks draw tiles */
};

#define SRT_MOST_LEVELS 8    /* 32 elements a tile, the fewest, and 2^31 tiles */
#define SRT_MOST_LAUNCHES 15 /* two a level, and one for the last */

/* The launches' shapes; strategy_launches.c. */
size_t srt_launches_of_tiles(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident);
size_t srt_launches_of_cluster(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident);
size_t srt_launches_of_fan(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident);
size_t srt_launches_of_reduce(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident);
size_t srt_launches_of_chunks(struct srt_launch *launches, const struct srt_variant *variant, uint64_t count,
	uint32_t resident);

/* Where the levels' elements are in the scratch, in bytes from its begin; [0] is where accumulators of the caller's
 * elements are kept, which only `keeps_elements` asks for. */
struct srt_scratch {
	size_t offset[SRT_MOST_LEVELS];
	size_t bytes; /* of all, a multiple of SRT_SCRATCH_ALIGNMENT */
};
#define SRT_SCRATCH_ALIGNMENT 256
void srt_scratch_lay_out(struct srt_scratch *scratch, const struct srt_variant *variant,
	const struct srt_problem *problem, const struct srt_launch *launches, size_t count);

/* NULL for an unknown strategy. */
const struct srt_strategy_row *srt_strategy_find(int strategy);

int srt_strategy_phases(int strategy); /* kernels in its image, at least 1 and at most SRT_MOST_PHASES */

/* All of them, for loops: index from 0, 0 at the end. */
int srt_strategy_at(int index);

/* "block, lookback, ..." for messages. */
void srt_strategy_list(struct srt_strbuf *out);

#endif
