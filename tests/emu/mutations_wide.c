/* SPDX-License-Identifier: MIT
 *
 * The same of values that are combined where they lie in shared memory: look-ahead with store=place, and large.
 */
#include <stddef.h>

#include "../../lib/problem.h"
#include "mutant.h"

static const struct mutant_trial place[] = {
	{ "lookahead,block=64,items=3,stages=3,ahead=2,store=place,gather=3", SRT_OP_AFFINE, SCANRT_U64, 0 },
	{ "lookahead,block=32,items=2,stages=4,ahead=1,store=place,gather=1", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ NULL, 0, 0, 0 } };
static const struct mutant_trial teams[] = {
	{ "lookahead,block=32,items=2,stages=5,ahead=2,store=place,gather=1,teams=2", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ "lookahead,block=64,items=1,stages=3,ahead=1,store=place,gather=2,teams=2", SRT_OP_AFFINE, SCANRT_U64, 0 },
	{ NULL, 0, 0, 0 } };
/* More tiles than two batches have, a warp each. */
static const struct mutant_trial batches[] = {
	{ "lookahead,block=32,items=1,stages=4,ahead=2,store=place,gather=2", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ NULL, 0, 0, 0 } };
static const struct mutant_trial large[] = {
	{ "large,block=96,items=5,lanes=8", SRT_OP_AFFINE, SCANRT_U64, 0 },
	{ "large,block=64,items=4,lanes=32", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };

const struct mutant mutants_wide[] = {
	/* ---- Look-ahead in place ---- */
	{ "the publisher's wait for the totals in place", "lookahead_wide.cuh", "shared.wait_for_totals(k);", "", 0,
		place, NULL },
	{ "the scan of the totals", "lookahead_wide.cuh", "totals[lane] = total[0];", "", 0, place, NULL },
	{ "the arrival of the scan of the totals", "lookahead_wide.cuh",
		"shared.has_scan[k % shared.barrier_slots].arrive_warp(lane);", "", 0, place, NULL },
	{ "the wait for the scan of the totals", "lookahead_wide.cuh", "shared.wait_for_scan(k);", "", 0, place, NULL },
	{ "the wait for what comes before a slice", "lookahead_wide.cuh", "shared.wait_for_prefix(k);", "", 0, place,
		NULL },
	{ "the arrival of a slice's total", "lookahead_wide.cuh",
		"shared.has_totals[k % shared.barrier_slots].arrive_warp(lane);", "", 0, place, NULL },
	{ "the warp barrier before totals are overwritten", "lookahead_wide.cuh",
		"__syncwarp(); /* all lanes have read */", "", 0, place, NULL },
	{ "the publication of a batch", "lookahead_wide.cuh",
		"words().publish(words().of_batch(first / warp_size), value[0]);", ";", 0, batches, NULL },
	{ "the wait for aggregates", "lookahead_wide.cuh",
		"} while (!__all_sync(full_warp, is_there));", "} while (false);", 1, batches, NULL },
	{ "the wait for batches", "lookahead_wide.cuh", "if (__all_sync(full_warp, is_there))", "", 0, batches, NULL },
	{ "the batches before the one before", "lookahead_wide.cuh",
		"fold(base, folded, has_recent ? batches - 1 : batches);",
		"", 0, batches, NULL },
	{ "the batch before", "lookahead_wide.cuh",
		"append(base, shuffle_value<shuffle::from>(value[rows - 1], warp_size - 1));", "", 0, batches, NULL },
	{ "the gather warps' turns", "lookahead_wide.cuh", "if (k % P::gather_warps != turn)", "if (false)", 0, batches,
		NULL },
	{ "the order of batches", "lookahead_wide.cuh", "P::op::apply(base.value, next)",
		"P::op::apply(next, base.value)", 0, batches, NULL },
	{ "the order of base and batch", "lookahead_wide.cuh", "combine<P>(base, part)", "combine<P>(part, base)", 0,
		batches, NULL },
	{ "the order of prefix and warps", "lookahead_wide.cuh", "P::op::apply(prefix.value, earlier)",
		"P::op::apply(earlier, prefix.value)", 0, place, NULL },
	{ "the tag of a word", "batch_words.cuh", "is_there = is_there && u32(seen[i] >> 32) == tag;", "", 0, batches,
		NULL },
	{ "the warp barrier before a neighbour's last place is read", "wide_slice.cuh",
		"__syncwarp(); /* a lane's neighbour reads it in scan() */", "", 0, place,
		"the barriers that all warps meet in between order the same" },
	{ "the warp barrier before it is overwritten", "wide_slice.cuh",
		"__syncwarp(); /* all lanes have read what is overwritten now */", "", 0, place, NULL },
	{ "the fence before a slice is copied", "lookahead_wide.cuh", "fence_before_copies();", "", 2, place, NULL },
	{ "the arrival of a slice's results", "lookahead_wide.cuh",
		"shared.has_results[k % P::stages].arrive_warp(lane);", "", 0, place, NULL },
	{ "the wait for a tile's results", "lookahead_wide.cuh", "shared.wait_for_results(k);", "", 0, place, NULL },
	{ "the wait for the copy's reads", "lookahead_wide.cuh", "wait_for_bulk_reads();", "", 0, place, NULL },
	{ "the order of a lane's elements", "wide_slice.cuh", "P::op::apply(running[0], next)",
		"P::op::apply(next, running[0])", 1, place, NULL },
	{ "the order of a lane's results", "wide_slice.cuh", "P::op::apply(running, value)",
		"P::op::apply(value, running)", 1, place, NULL },
	{ "the order of slice and lane", "wide_slice.cuh", "P::op::apply(*before, base)",
		"P::op::apply(base, *before)", 0, place, NULL },
	{ "the wait for results ahead of a draw", "lookahead.cuh", "shared.wait_for_results(k - P::stages);", ";", 0,
		place, "it decides only when a ticket is drawn" },
	{ "the room for barriers of two teams' tiles", "lookahead_shared.cuh",
		"P::teams > 1 && P::stages > P::ahead + 2 ? P::stages : P::ahead + 2", "P::ahead + 2", 0, teams, NULL },
	{ "the fence behind a team's reduction", "lookahead_wide.cuh", "fence_before_copies();", ";", 1, teams, NULL },
	{ "a barrier for each stage", "lookahead_shared.cuh",
		"P::teams > 1 && P::stages > P::ahead + 2 ? P::stages : P::ahead + 2", "2", 0, teams, NULL },

	/* ---- Large ---- */
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
