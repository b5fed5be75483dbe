/* SPDX-License-Identifier: MIT
 *
 * Every barrier, fence, memory order, ticket and epoch step and bounds test of the kernels, taken out one at a time.
 * Those of look-ahead are in mutations_lookahead.c.
 */
#include <stddef.h>
#include <stdlib.h>

#include "../../lib/problem.h"
#include "../tap.h"
#include "mutant.h"

static const struct mutant_trial block[] = {
	{ "block,block=128,items=8", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial block_spans[] = {
	{ "block,block=128,items=4", MUTANT_SPANS, 0, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial shared[] = {
	{ "block,block=128,items=8,warp=shared", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial kogge_stone[] = {
	{ "block,block=128,items=8,circuit=koggestone", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial in_place[] = {
	{ "block,block=128,items=8,circuit=brentkung-inplace", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial brent_kung[] = {
	{ "block,block=128,items=8,circuit=brentkung", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial raking[] = {
	{ "block,block=128,items=8,circuit=raking,fan=4", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial lookback[] = { { "lookback,block=64,items=4", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ "lookback,block=96,items=4,residency=4", SRT_OP_AFFINE, SCANRT_U64, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial leaving[] = { { "lookback,block=64,items=4", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ "lookahead,block=64,items=4,stages=3,ahead=2,gather=2", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial publisher[] = {
	{ "lookahead,block=64,items=4,stages=3,ahead=2,gather=2", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial cluster[] = { { "cluster,block=64,items=4", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ "cluster,block=64,items=4,cluster=4,exchange=block", SRT_OP_AFFINE, SCANRT_U64, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial serial[] = { { "lookback-serial,block=64,items=4", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ NULL, 0, 0, 0 } };
static const struct mutant_trial totals[] = { { "totals,block=32,items=4,gather=1", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ "totals,block=64,items=4,gather=2", SRT_OP_AFFINE, SCANRT_U64, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial raked[] = {
	{ "totals,block=64,items=12,gather=1,store=bulk", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial paired[] = {
	{ "totals,block=64,items=16,gather=1,store=bulk", SCANRT_MAX, SCANRT_U16, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial fan[] = { { "fan,block=64,items=4", SRT_OP_AFFINE, SCANRT_U32, 0 },
	{ NULL, 0, 0, 0 } };
static const struct mutant_trial reduce[] = {
	{ "reduce,block=64,items=4", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };
static const struct mutant_trial chunks[] = {
	{ "reduce-fixed,block=64,items=4,partials=8", SRT_OP_AFFINE, SCANRT_U32, 0 }, { NULL, 0, 0, 0 } };

static const struct mutant mutants[] = {
	/* ---- One block ---- */
	{ "the barrier before the warps' totals are read", "circuit_warps.cuh", "__syncthreads();", "", 0, block,
		NULL },
	{ "the barrier of the warp before a neighbour's slot is read", "warp_scan.cuh", "__syncwarp();", "", 1,
		shared, NULL },
	{ "the barrier of the warp before slots are overwritten", "warp_scan.cuh", "__syncwarp();", "", 2, shared,
		NULL },
	{ "one lane in the mask of shuffles", "warp_scan.cuh", "__shfl_up_sync(full_warp",
		"__shfl_up_sync(0x7fffffffu", 0, block, NULL },
	{ "the bound of a warp's slice", "circuit.cuh", "left > P::slice ? P::slice : left", "left", 0, block,
		NULL },
	{ "the bound of a lane's vector", "slice.cuh", "is_full || left > P::vector ? P::vector : left",
		"P::vector", 0, block, NULL },
	{ "the lane that has a part of a vector", "slice.cuh", "return is_here & (count > 0)", "return count > 0", 0,
		block, NULL },
	{ "the test that a slice with a part has elements", "slice.cuh", "is_here & (count > 0)", "is_here", 0, block,
		NULL },
	{ "the row that has a part of a vector, loading", "slice.cuh",
		"word[r][i] |= P::rows == 1 || u32(r) == where.part_row()", "word[r][i] |= true", 0, block, NULL },
	{ "the row that has a part of a vector, storing", "slice.cuh",
		"rest[i] = P::rows == 1 || u32(r) == where.part_row()", "rest[i] = true", 0, block, NULL },
	{ "the test that a vector is whole, loading", "slice.cuh",
		"in + extent::offset(r, where.lane), where.in_vector(r) == P::vector",
		"in + extent::offset(r, where.lane), where.in_vector(r) > 0", 0, block, NULL },
	{ "the test that a vector is whole, storing", "slice.cuh",
		"where.in_vector(r) == P::vector);\n#pragma", "where.in_vector(r) > 0);\n#pragma", 0, block, NULL },
	{ "the test that the input is aligned", "slice.cuh", "if (is_aligned<P>(in))", "if (true)", 0, block, NULL },
	{ "the test that the output is aligned", "slice.cuh", "if (is_aligned<P>(out))", "if (true)", 0, block, NULL },
	{ "the bound of elements loaded one by one", "slice.cuh", "if (i < given)\n\t\t\t\traw", "raw", 0, block,
		NULL },
	{ "the bound of elements stored one by one", "slice.cuh", "if (i < given)\n\t\t\t\tto", "to", 0, block,
		NULL },
	{ "the bound of lanes that take part in a scan", "warp_scan.cuh", "if (lane >= reach && lane < count[r])",
		"if (lane >= reach)", 1, block_spans, NULL },

	/* ---- Circuits ---- */
	{ "Kogge-Stone's barrier before values are read", "circuit_kogge_stone.cuh",
		"__syncthreads(); /* all values of the step", "/* all values of the step", 0, kogge_stone, NULL },
	{ "Kogge-Stone's barrier before values are overwritten", "circuit_kogge_stone.cuh",
		"__syncthreads(); /* all have read", "/* all have read", 0, kogge_stone, NULL },
	{ "Kogge-Stone's last barrier", "circuit_kogge_stone.cuh", "__syncthreads();\n\t\treturn", "return", 0,
		kogge_stone, NULL },
	{ "the bound of values that a step reads", "circuit_kogge_stone.cuh", "if (i >= reach && i < live)",
		"if (i >= reach)", 1, kogge_stone, NULL },
	{ "the barrier before a level, in place", "circuit_brent_kung_in_place.cuh",
		"__syncthreads(); /* the level before", "/* the level before", 0, in_place, NULL },
	{ "the last barrier, in place", "circuit_brent_kung_in_place.cuh", "__syncthreads();\n\t\treturn", "return",
		0, in_place, NULL },
	{ "the nodes on the way down, in place", "circuit_brent_kung_in_place.cuh", "(live / stride - 1) / 2",
		"live / stride / 2", 0, in_place, NULL },
	{ "the barrier on the way up, out of place", "circuit_brent_kung.cuh", "__syncthreads(); /* the level is",
		"/* the level is", 0, brent_kung, NULL },
	{ "the barrier on the way down, out of place", "circuit_brent_kung.cuh", "__syncthreads(); /* the level above",
		"/* the level above", 0, brent_kung, NULL },
	{ "the last barrier, out of place", "circuit_brent_kung.cuh", "__syncthreads();\n\t\treturn", "return", 0,
		brent_kung, NULL },
	{ "the last value of a level, out of place", "circuit_brent_kung.cuh", "if (2 * k + 2 < live)", "", 0,
		brent_kung, NULL },
	{ "raking's barrier on the way up", "circuit_raking.cuh", "__syncthreads(); /* the level is",
		"/* the level is", 0, raking, NULL },
	{ "raking's barrier on the way down", "circuit_raking.cuh", "__syncthreads(); /* the level above",
		"/* the level above", 0, raking, NULL },
	{ "raking's last barrier", "circuit_raking.cuh", "__syncthreads();\n\t\treturn", "return", 0, raking, NULL },
	{ "the bound of a node's values", "circuit_raking.cuh", "if (i < left)\n\t\t\t\ttotal", "total", 0, raking,
		NULL },
	{ "the order of what a node puts in front", "circuit_raking.cuh", "P::op::apply(before, of[i])",
		"P::op::apply(of[i], before)", 0, raking, NULL },
	{ "the bound of values that are put in their places", "circuit.cuh", "if (place(r, warp, lane) < live)", "", 0,
		kogge_stone, "slots beyond the end are there, and nobody reads them" },

	/* ---- Tickets, epochs, tile words ---- */
	{ "the block barrier after the ticket is drawn", "lookback.cuh", "__syncthreads();", "", 2, lookback,
		NULL },
	{ "the block barrier before the prefix is read", "lookback.cuh", "__syncthreads();", "", 1, lookback,
		NULL },
	{ "the atomicity of drawing a ticket", "tile_state.cuh",
		"return atomicAdd(arguments.control, u64(number));",
		"u64 w = *arguments.control; *arguments.control = w + number; return w;", 0, lookback, NULL },
	{ "the ticket: tiles by block index", "tile_state.cuh", "ticket first = {u32(word), u32(word >> 32)};",
		"ticket first = {blockIdx.x, u32(word >> 32)};", 0, lookback, NULL },
	{ "the next launch's ticket", "tile_state.cuh",
		"store_relaxed(arguments.control, u64(first.epoch + 1) << 32);", ";", 0, lookback, NULL },
	{ "the next launch's epoch", "tile_state.cuh", "u64(first.epoch + 1) << 32", "u64(first.epoch) << 32", 0,
		lookback, NULL },
	{ "the epoch in a tile word's tag", "tile_state.cuh", "tag((epoch + 1) << 2)", "tag(1 << 2)", 0, lookback,
		NULL },
	{ "the comparison of all words of a value", "tile_state.cuh", "i == 0 || mark == found.mark ? mark",
		"true ? mark", 0, lookback, NULL },
	{ "the memory order of a published word", "memory.cuh", "st.relaxed.gpu.global.u64", "st.global.u64", 0,
		lookback, NULL },
	{ "the memory order of a polled word", "memory.cuh", "ld.relaxed.gpu.global.u64 %0", "ld.global.u64 %0", 0,
		lookback, NULL },
	{ "the memory order of a polled pair of words", "memory.cuh", "ld.relaxed.gpu.global.v2.u64",
		"ld.global.v2.u64", 0, lookback, NULL },
	{ "the gpu scope of a published word", "memory.cuh", "st.relaxed.gpu", "st.relaxed.cta", 0, lookback,
		NULL },
	{ "the gpu scope of a polled word", "memory.cuh", "ld.relaxed.gpu.global.u64 %0",
		"ld.relaxed.cta.global.u64 %0", 0, lookback, NULL },
	{ "the wait for predecessors", "lookback.cuh", "lane < reach && seen.mark == mark_none", "false", 0,
		lookback, NULL },
	{ "the difference between aggregate and prefix", "lookback.cuh", "seen.mark == mark_prefix",
		"seen.mark != mark_none", 0, lookback, NULL },
	{ "the prefix that is published", "lookback.cuh",
		"combine<P>(prefix, {aggregate, true}).value, mark_prefix", "aggregate, mark_prefix", 0, lookback,
		NULL },
	{ "the publication of the prefix", "lookback.cuh",
		"words.publish(tile, combine<P>(prefix, {aggregate, true}).value, mark_prefix);", ";", 0,
		lookback, NULL },
	{ "the publication of the aggregate", "lookback.cuh",
		"words.publish(tile, aggregate, mark_aggregate);", ";", 0, lookback,
		"the prefix follows, and whoever waits waits for that: slower, and right" },
	{ "the order of two windows", "lookback.cuh", "P::op::apply(window, after)", "P::op::apply(after, window)",
		0, lookback, NULL },
	{ "the order within a window", "warp_scan.cuh", "P::op::apply(earlier, value);",
		"P::op::apply(value, earlier);", 1, lookback, NULL },
	{ "the publication of a total", "totals.cuh", "words.publish(tile, total, mark_aggregate);", ";", 0, totals,
		NULL },
	{ "the wait for totals", "totals.cuh", "while (!__all_sync(full_warp, are_there))", "while (false)", 0, totals,
		NULL },
	{ "the bound of the totals that are waited for", "totals.cuh", "at >= left || seen", "seen", 0, totals, NULL },
	{ "the bound of the totals that are combined", "totals.cuh", "int(min(left - begin, u32(warp_size)))",
		"int(warp_size)", 0, totals, NULL },
	{ "the batches before", "totals.cuh", "prefix = combine<P>(prefix, {value[i], true});",
		"prefix = {value[i], true};", 0, totals, NULL },
	{ "the bound of the batches that are combined", "totals.cuh",
		"(from + i) * warp_size < left)\n\t\t\t\t\tprefix", "true)\n\t\t\t\t\tprefix", 0, totals,
		NULL },
	{ "the block barrier before batches are overwritten", "totals.cuh",
		"__syncthreads(); /* all have read what the round", "; /* all have read what the round", 0, totals,
		NULL },
	{ "the block barrier after batches are reduced", "totals.cuh", "__syncthreads();\n\t\t\tfold", "fold", 0,
		totals, NULL },
	{ "the block barrier after the ticket of a raked tile", "totals.cuh", "__syncthreads();", "", 3, raked, NULL },
	{ "the block barrier after the totals of its slices", "totals.cuh", "__syncthreads();", "", 4, raked, NULL },
	{ "the bound of the last raked tile", "totals.cuh", "left < P::tile ? int(left) : P::tile", "P::tile", 0, raked,
		NULL },
	{ "the test that a raked slice is full", "raked_tile.cuh", "holds && count() == P::slice", "holds",
		0, raked, NULL },
	{ "the identity behind a raked tile of paired scans", "raked_tile.cuh", "slice().own().fill(0, count());", ";",
		0, paired, NULL },
	{ "the bound of the last tile", "lookback.cuh", "int(min(arguments.count - first, u64(P::tile)))",
		"int(P::tile)", 0, lookback, NULL },
	{ "the test that a tile is full", "lookback.cuh", "arguments.count - first >= P::tile && ", "", 0, lookback,
		NULL },
	{ "the test that arrays are aligned", "lookback.cuh", "if (is_whole && ", "if (", 0, lookback, NULL },
	{ "the barrier before a block leaves the last epoch", "tile_state.cuh", "__syncthreads();", "", 1, publisher,
		"only the last tile's aggregate may come late, by more than schedules here hold a warp back; a longer "
		"scan would read it, 2^30 launches later" },
	{ "the barrier before the last block is known", "tile_state.cuh", "__syncthreads();", "", 2, leaving,
		NULL },
	{ "the fence after the next launch's ticket is made ready", "tile_state.cuh", "__threadfence();", "", 1,
		leaving, "launches do not overlap here" },
	{ "the fence before a block is counted out", "tile_state.cuh", "__threadfence();", "", 2, leaving,
		"no schedule here lets loads move behind a later atomic operation" },
	{ "the fence after a block is counted out", "tile_state.cuh", "__threadfence();", "", 3, leaving,
		"no schedule here lets stores move before an earlier atomic operation" },
	{ "the fence after the words are cleared", "tile_state.cuh", "__threadfence();", "", 4, leaving,
		"launches do not overlap here" },
	{ "the wait for all blocks before words are cleared", "tile_state.cuh", "== gridDim.x - 1", ">= 0", 0,
		leaving, NULL },
	{ "the clearing of tile words", "tile_state.cuh", "store_relaxed(arguments.tile_words + i, 0);", ";", 0,
		leaving, NULL },
	{ "the clearing of the control words", "tile_state.cuh",
		"store_relaxed(arguments.control + threadIdx.x, 0);", ";", 0, leaving, NULL },

	{ "the wait of one thread for a predecessor", "lookback_serial.cuh", "seen.mark == mark_none", "false", 0,
		serial, NULL },
	{ "the end of a thread's walk", "lookback_serial.cuh", "seen.mark == mark_prefix", "nearest == 0", 0, serial,
		NULL },
	{ "the order of a thread's walk", "lookback_serial.cuh", "P::op::apply(seen.value, after)",
		"P::op::apply(after, seen.value)", 0, serial, NULL },

	/* ---- Passes ---- */
	{ "the barrier before the totals of a reduction are read", "passes.cuh", "__syncthreads();", "", 0, reduce,
		NULL },
	{ "the test that arrays are aligned, in a pass", "passes.cuh", "if (is_whole && left", "if (left", 0, reduce,
		NULL },
	{ "the test that a tile is full, in a pass", "passes.cuh", "is_whole && left >= P::tile && prefix",
		"is_whole && prefix", 0, reduce, NULL },
	{ "the test that something comes before, in a pass", "passes.cuh", " && prefix.is_present)", ")", 0, reduce,
		NULL },
	{ "the bound of the last tile, in a pass", "passes.cuh", "left < P::tile ? int(left) : P::tile", "P::tile", 0,
		reduce, NULL },
	{ "the test that the input of a reduction is aligned", "passes.cuh", "if (is_whole)", "if (true)", 0, reduce,
		NULL },
	{ "which partial comes before a chunk", "passes.cuh", "blockIdx.x - 1), true}", "blockIdx.x), true}", 0,
		reduce, NULL },
	{ "the two turns of what a chunk's tiles share", "passes.cuh", "is_chunked ? 2 : 1]", "1]", 0, chunks, NULL },
	{ "the end of the array in the last chunk", "passes.cuh", "i < chunk && first < arguments.count", "i < chunk",
		0, chunks, NULL },
	{ "what a chunk's tiles hand on", "passes.cuh", "prefix = combine<P>(prefix, {total, true});", ";", 0, chunks,
		NULL },
	{ "the order of a warp's rows", "passes.cuh", "combine<P>(part, {row[r], true})",
		"combine<P>({row[r], true}, part)", 0, chunks, NULL },
	{ "the test that a tile is full, scanning", "fan.cuh", "left >= P::tile && is_aligned<Q>(in)",
		"is_aligned<Q>(in)", 0, fan, NULL },
	{ "the bound of the last tile, scanning", "fan.cuh", "left < P::tile ? int(left) : P::tile", "P::tile", 2, fan,
		NULL },
	{ "the test that arrays are aligned, scanning", "fan.cuh", "is_aligned<Q>(in) && is_aligned<Q>(out) && ", "", 0,
		fan, NULL },
	{ "the test that a tile is full, fanning out", "fan.cuh", "left >= P::tile && is_aligned<Q>(from)",
		"is_aligned<Q>(from)", 0, fan, NULL },
	{ "the bound of the last tile, fanning out", "fan.cuh", "left < P::tile ? int(left) : P::tile", "P::tile", 1,
		fan, NULL },
	{ "the order of what is put in front", "fan.cuh", "P::op::apply(prefix, part.item[r][i])",
		"P::op::apply(part.item[r][i], prefix)", 0, fan, NULL },

	/* ---- Clusters ---- */
	{ "the cluster's barrier", "cluster.cuh", "arrive_at_cluster();", "", 0, cluster, NULL },
	{ "the barrier of the warp before the cluster's", "cluster.cuh", "__syncwarp(); /* what follows",
		"/* what follows", 0, cluster,
		"no compiler so far leaves thread 0 apart from its warp behind the branch" },
	{ "the fence behind an opened board", "cluster.cuh", "fence_barrier_init();", "", 0, cluster, NULL },
	{ "the wait at the cluster's barrier of warps", "cluster.cuh",
		"else\n\t\t\twait_for_cluster();", "", 0, cluster, NULL },
	{ "the barrier of the only block of a cluster", "cluster.cuh",
		"if (count > P::slice) /* the same in all threads */\n\t\t\t__syncthreads();", "", 0, cluster, NULL },
	{ "the test that the only block has one warp", "cluster.cuh", "if (count > P::slice)",
		"if (count > 2 * P::slice)", 0, cluster, NULL },
	{ "the total that a warp of the only block keeps", "cluster.cuh",
		"memcpy(total[warp], &value, sizeof value);", ";", 0, cluster, NULL },
	{ "the wait at the cluster's barrier of blocks", "cluster.cuh",
		"wait_for_cluster();\n\t\tif (!part.has_total())\n\t\t\treturn {part.total, false};\n\t\tif (warp",
		"if (!part.has_total())\n\t\t\treturn {part.total, false};\n\t\tif (warp", 0, cluster, NULL },
	{ "the arrivals that a board counts", "cluster.cuh", "has_async_stores ? own", "has_async_stores ? 1", 0,
		cluster, NULL },
	{ "the bytes that a board counts", "cluster.cuh", "has_async_stores && warp == 0", "false", 0, cluster, NULL },
	{ "the total on a warp's own board", "cluster.cuh", "memcpy(total[slot], part, sizeof part);", ";", 0, cluster,
		NULL },
	{ "the wait for all totals", "cluster.cuh", "wait_for_all(arrived);", ";", 0, cluster, NULL },
	{ "the fence behind the wait for all totals", "cluster.cuh",
		"asm volatile(\"fence.acquire.sync_restrict::shared::cluster.cluster;\" ::: \"memory\");", ";", 0,
		cluster, NULL },
	{ "the last block that totals are posted to", "cluster.cuh", "if (lane < last - rank)",
		"if (lane < P::cluster - 1 - rank)", 0, cluster, NULL },
	{ "the order of two halves of lanes", "cluster.cuh", "P::op::apply(earlier, later)",
		"P::op::apply(later, earlier)", 0, cluster, NULL },
	{ "the bound of the totals that count", "cluster.cuh",
		"const int mine = earlier - lanes_of.seat * share;", "const int mine = share;", 0, cluster, NULL },
	{ "the lanes that share what is combined", "cluster.cuh", "sharers((earlier + share - 1) / share)",
		"sharers(earlier / share)", 0, cluster, NULL },
	{ "the seats of lanes beyond those that share", "cluster.cuh",
		"seat(lane & (power_not_below(sharers) - 1))", "seat(lane)", 0, cluster, NULL },
	{ "the test that a cluster's tile is full", "cluster.cuh", "if (is_whole && left >= P::tile)",
		"if (is_whole)", 0, cluster, NULL },
	{ "the test that a cluster's arrays are aligned", "cluster.cuh", "if (is_whole && left >= P::tile)",
		"if (left >= P::tile)", 0, cluster, NULL },

	{ NULL, NULL, NULL, NULL, 0, NULL, NULL },
};

int main(void)
{
	const char *nvrtc = getenv("NVRTC_DIR");

	if (nvrtc != NULL && *nvrtc == '\0')
		tap_skip_all("no NVRTC");
	tap_plan(0);
	mutant_check_all(mutants, NULL);
	mutant_check_all(mutants_lookahead, NULL);
	mutant_check_all(mutants_wide, NULL);
	mutant_check_all(mutants_turing, "t4");
	return tap_done();
}
