/* SPDX-License-Identifier: MIT
 *
 * The table of strategies: all that the host knows of one is its row in strategy.c.  Its kernels are the file of
 * kernels/ that the row names.
 */
#ifndef SRT_STRATEGY_H
#define SRT_STRATEGY_H

#include "variant.h"

struct srt_strategy_row {
	const char *name;             /* in the text form; NULL: there is no such strategy */
	const char *file;             /* of kernels/, with its code; NULL: its number is taken, and no more */
	struct srt_variant defaults;  /* of every knob; 0: the strategy has no such knob */
	unsigned role_warps;          /* warps of a block beside those that scan */
	bool has_tile_words;          /* its blocks exchange tile words by tickets (kernels/tile_state.cuh) */
	bool is_persistent;           /* no more blocks than run at once, each draws tiles until there are none */
	bool is_repeatable;           /* float results do not depend on timing */
	int least_capability;         /* of the device; 0: any */
	/* Tiles of one scan, at most. */
	uint64_t (*most_tiles)(const struct srt_variant *variant);
};

/* NULL for an unknown strategy, and for one that is not built. */
const struct srt_strategy_row *srt_strategy_find(int strategy);

/* Those that are built, for loops: index from 0, 0 at the end. */
int srt_strategy_at(int index);

/* "block, lookback, ..." for messages and manuals: all that are built. */
void srt_strategy_list(struct srt_strbuf *out);

#endif
