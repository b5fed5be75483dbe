/* SPDX-License-Identifier: MIT
 *
 * The roles of a lookahead CTA for wide values, which are scanned in their stages (wide_slice.cuh).  Registers hold few
 * of them, and a tile has few, so that tiles are many for their number: both decide who does what.
 *
 * The publisher scans the warps' totals, where others only reduce them; the gather warp puts the prefix in front of
 * each and leaves what comes before each warp's slice in place of its total.  Compute warps combine elements only.
 *
 * Aggregates of aligned batches of 32 tiles are published, too, by the CTA of each batch's last tile: whoever gathers
 * reads 31 entries at most of its own batch, and one for each batch before it since the tile before.  The tree is still
 * a fixed one, and a tile still waits for earlier tiles only.
 */
#ifndef SCAN_LOOKAHEAD_WIDE_CUH
#define SCAN_LOOKAHEAD_WIDE_CUH

#include "batch_words.cuh"
#include "block_scan.cuh"
#include "lookahead_shared.cuh"
#include "tile_state.cuh"
#include "wide_slice.cuh"

namespace scan {

template <class P> struct lookahead_wide {
	using T = typename P::value;

	const scan_arguments &arguments;
	lookahead_shared<P> &shared;
	int lane;

	/* ---- Compute warps ---- */

	/* The same order as lookahead_compute.cuh: tile k + ahead is reduced before tile k is scanned. */
	__device__ __forceinline__ void compute(char *buffer, int warp) const
	{
		u32 next = 0, end = ~0u;
#pragma unroll 1
		for (u32 k = 0;; k++) {
#pragma unroll 1
			for (; next <= k + P::ahead; next++)
				if (next < end && !reduce(buffer, warp, next))
					end = next;
			if (k == end)
				break;
			scan(buffer, warp, k);
		}
		if (lane == 0)
			wait_for_bulk_stores();
	}

	/* ---- The publisher ---- */

	__device__ __forceinline__ void publish() const
	{
#pragma unroll 1
		for (u32 k = 0;; k++) {
			const u32 tile = shared.stages.wait(k);
			if (tile >= arguments.tiles)
				break;
			shared.wait_for_totals(k);
			T *totals = totals_of(k), total[1];
			int live[1] = {live_warps<P, false>(tile_count<P>(arguments, tile))};
			if (lane < live[0])
				total[0] = totals[lane];
			warp_scan<P, warp_scan_kind::shuffle>::template run<1, P::warps>(total, live, lane, nullptr);
			if (lane == live[0] - 1)
				words().publish(words().of_tile(tile), total[0]);
			if (lane < live[0])
				totals[lane] = total[0];
			shared.stages.release(k, lane);
			shared.has_scan[k % shared.barrier_slots].arrive_warp(lane);
		}
	}

	/* ---- The gather warp ---- */

	__device__ __forceinline__ void gather() const
	{
		begin();
		u32 folded = 0; /* batches in base */
#pragma unroll 1
		for (u32 k = 0;; k++) {
			const u32 tile = shared.stages.wait(k);
			if (tile >= arguments.tiles)
				break;
			shared.stages.release(k, lane);
			gather_batch(tile);
			fold(folded, tile / warp_size);
			folded = tile / warp_size;
			hand_out(k, tile);
			shared.has_prefix[k % shared.barrier_slots].arrive_warp(lane);
		}
	}

private:
	__device__ __forceinline__ T *totals_of(u32 k) const { return shared.warp_total[k % shared.total_slots]; }
	__device__ __forceinline__ T *base() const { return &shared.prefix[0]; } /* the batches folded so far */
	__device__ __forceinline__ T *part() const { return &shared.prefix[1]; } /* of the tile's own batch */
	__device__ __forceinline__ batch_words<P> words() const { return {arguments, shared.stages.epoch}; }

	/* ---- Compute warps ---- */

	__device__ __forceinline__ wide_slice<P> slice_of(char *buffer, int warp, u32 k, u32 tile) const
	{
		const u32 begin = (u32(address_of(arguments.in)) & 15) + stage_offset<P>(arguments);
		char *const stage = buffer + k % P::stages * P::stage_bytes + begin;
		return {stage + warp * P::slice * int(sizeof(T)), lane,
			slice_count<P>(tile_count<P>(arguments, tile), warp)};
	}

	__device__ __forceinline__ bool reduce(char *buffer, int warp, u32 k) const
	{
		const u32 tile = shared.stages.wait(k);
		if (tile >= arguments.tiles)
			return false;
		const wide_slice<P> mine = slice_of(buffer, warp, k, tile);
		const T total = mine.reduce(&shared.scratch[warp]);
		if (mine.count > 0 && lane == mine.live_lanes() - 1)
			totals_of(k)[warp] = total;
		/* Every lane's: it has read the totals of earlier tiles. */
		shared.has_totals[k % shared.barrier_slots].arrive_warp(lane);
		return true;
	}

	__device__ __forceinline__ void scan(char *buffer, int warp, u32 k) const
	{
		const u32 tile = shared.stages.tile_of(k);
		const wide_slice<P> mine = slice_of(buffer, warp, k, tile);
		shared.wait_for_prefix(k);
		if (mine.count > 0) { /* the same in all lanes */
			mine.scan(totals_of(k) + warp, warp > 0 || tile > 0 || P::has_initial);
			mine.store(static_cast<T *>(arguments.out) + u64(tile) * P::tile + warp * P::slice);
		}
		shared.stages.release(k, lane);
	}

	/* ---- The gather warp ---- */

	/* The compiler may read what only might be needed: it finds zeros, of which nothing is made. */
	__device__ __forceinline__ void begin() const
	{
		for (int i = lane; i < 2 * int(sizeof(T) / alignof(T)); i += warp_size)
			reinterpret_cast<chunk<alignof(T)> *>(shared.prefix)[i] = {};
		__syncwarp();
		const maybe<T> initial = initial_value<P>(arguments);
		if (P::has_initial && lane == 0)
			*base() = initial.value;
	}

	/* What of the tile's own batch comes before it, in *part().  The CTA of the batch's last tile publishes what
	 * the batch amounts to; its own tile's aggregate it reads as any other does. */
	__device__ __forceinline__ void gather_batch(u32 tile) const
	{
		const int rest = tile % warp_size, count = rest == warp_size - 1 ? warp_size : rest;
		T value[1];
		int counts[1] = {count};
		if (count == 0) /* the same in all lanes */
			return;
		wait_for(value[0], words().of_tile(tile - rest + lane), count);
		warp_scan<P, warp_scan_kind::shuffle>::run(value, counts, lane, nullptr);
		if (lane == warp_size - 1 && count == warp_size)
			words().publish(words().of_batch(tile / warp_size), value[0]);
		if (lane == rest - 1)
			*part() = value[0];
	}

	/* Folds batches into *base(), one lane after another its own. */
	__device__ __forceinline__ void fold(u32 folded, u32 batches) const
	{
#pragma unroll 1
		for (; folded < batches; folded += warp_size) {
			const u32 left = batches - folded;
			const int count = left < warp_size ? int(left) : int(warp_size);
			T value;
			wait_for(value, words().of_batch(folded + lane), count);
#pragma unroll 1
			for (int i = 0; i < count; i++) {
				__syncwarp();
				if (lane == i && (P::has_initial || folded + i > 0))
					value = P::op::apply(*base(), value);
				if (lane == i)
					*base() = value;
			}
		}
		__syncwarp();
	}

	/* The entries of the first `count` lanes.  While one is missing only the first words are asked for: polls would
	 * else take the bandwidth that others need. */
	__device__ __forceinline__ void wait_for(T &value, typename batch_words<P>::entry entry, int count) const
	{
		const batch_words<P> all = words();
		bool is_there = true;
		do {
			if (lane < count)
				is_there = all.has_begun(entry);
		} while (!__all_sync(full_warp, is_there));
		do {
			if (lane < count)
				is_there = all.read(value, entry);
		} while (!__all_sync(full_warp, is_there));
	}

	/* From the scan of the warps' totals to what comes before each warp's slice. */
	__device__ __forceinline__ void hand_out(u32 k, u32 tile) const
	{
		const bool has_base = P::has_initial || tile >= warp_size, has_part = tile % warp_size > 0;
		const int live = live_warps<P, false>(tile_count<P>(arguments, tile));
		T *totals = totals_of(k), before;
		if (has_base && has_part)
			before = P::op::apply(*base(), *part());
		else if (has_base || has_part)
			before = has_base ? *base() : *part();
		shared.wait_for_scan(k);
		if (lane > 0 && lane < live) {
			T earlier = totals[lane - 1];
			before = has_base || has_part ? P::op::apply(before, earlier) : earlier;
		}
		__syncwarp(); /* all lanes have read; *part(), too, may be overwritten */
		if (lane < live && (lane > 0 || has_base || has_part))
			totals[lane] = before;
	}
};

} // namespace scan

#endif
