/* SPDX-License-Identifier: MIT
 *
 * The same of values that are combined where they lie in shared memory: strategy large.
 */
#include <stddef.h>

#include "../../lib/problem.h"
#include "mutant.h"

static const struct mutant_trial large[] = {
	{ "large,block=96,items=5,lanes=8", SRT_OP_AFFINE, SCANRT_U64, 0 },
	{ "large,block=64,items=4,lanes=32", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };

const struct mutant mutants_wide[] = {
	{ "the barrier before a step's elements", "large.cuh", "__syncthreads();", "", 2, large, NULL },
	{ "the barrier after a leader's elements", "large.cuh", "__syncthreads();", "", 3, large, NULL },
	{ "the third set of elements", "large.cuh", "step % 3 == 2 ? third : slots::stages + step % 3",
		"slots::stages + step % 2", 0, large, NULL },
	{ "the wait for a step's elements", "large_move.cuh", "cp.async.wait_group 1;", "", 0, large, NULL },
	{ "the barrier of a step of the leaders' scan", "large_state.cuh", "__syncthreads();", "", 0, large, NULL },
	{ "the wait for another tile's value", "large.cuh", "others.wait(i);", "", 0, large, NULL },
	{ "the order of prefix and leaders", "large.cuh",
		"combine_in_memory<P>(start, prefix, tile.total(g - 1, steps));",
		"combine_in_memory<P>(start, tile.total(g - 1, steps), prefix);", 0, large, NULL },
	{ "the order of a leader's results", "large.cuh", "combine_in_memory<P>(next, tile.at(running(i), g), value);",
		"combine_in_memory<P>(next, value, tile.at(running(i), g));", 0, large, NULL },

	{ NULL, NULL, NULL, NULL, 0, NULL, NULL },
};
