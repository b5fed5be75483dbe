/* SPDX-License-Identifier: MIT
 *
 * The roles of a lookahead CTA for wide values, which are scanned in their stages (wide_slice.cuh).  Registers hold few
 * of them, and a tile has few, so that tiles are many for their number: both decide who does what.
 *
 * The publisher scans the warps' totals, where others only reduce them; a gather warp puts the prefix in front of each
 * and leaves what comes before each warp's slice in place of its total.  Compute warps combine elements only: one more
 * warp stores what they leave, and waits for its copies' reads.  There are two teams of compute warps, or one.
 *
 * Aggregates of aligned batches of 32 tiles are published, too, by the publisher of each batch's last tile: whoever
 * gathers reads 31 entries at most of its own batch, and one for each batch before it since the tile before.  The tree
 * is still a fixed one, and a tile still waits for earlier tiles only.
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
	enum : int { few_words = 12 }; /* of a value that is polled as a whole */
	enum : int { rows = P::tile_words > few_words ? 1 : 2 }; /* batches that are read tile by tile */

	const scan_arguments &arguments;
	lookahead_shared<P> &shared;
	int lane;

	/* ---- Compute warps ---- */

	/* By one team in the order of lookahead_compute.cuh: tile k + ahead is reduced before tile k is scanned.  Of
	 * two, one reduces each tile as soon as it is there, and the other scans each as soon as its prefix is. */
	__device__ __forceinline__ void compute(char *buffer, int warp) const
	{
		if constexpr (P::teams > 1) {
			if (warp < P::warps)
				reduce_all(buffer, warp);
			else
				scan_all(buffer, warp - P::warps);
		} else {
			take_turns(buffer, warp);
		}
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
			if (tile % warp_size == warp_size - 1)
				publish_batch(tile - (warp_size - 1));
		}
	}

	/* ---- The warp that stores ---- */

	/* The compute warps do not wait for the copy's reads then. */
	__device__ __forceinline__ void store(char *buffer) const
	{
#pragma unroll 1
		for (u32 k = 0;; k++) {
			const u32 tile = shared.stages.wait(k);
			if (tile >= arguments.tiles)
				break;
			shared.wait_for_results(k);
			const u32 bytes = tile_count<P>(arguments, tile) * u32(sizeof(T));
			if (lane == 0 && is_stored_in_bulk(bytes)) {
				start_bulk_store(static_cast<T *>(arguments.out) + u64(tile) * P::tile,
					tile_in(buffer, k), bytes);
				wait_for_bulk_reads();
			}
			shared.stages.release(k, lane);
		}
		if (lane == 0)
			wait_for_bulk_stores();
	}

	/* ---- The gather warps ---- */

	/* They take the CTA's tiles in turn: a tile's exchange may take longer than a tile.  Each folds all batches. */
	__device__ __forceinline__ void gather(u32 turn) const
	{
		maybe<T> base = begin();
		u32 folded = 0; /* batches in base */
#pragma unroll 1
		for (u32 k = 0;; k++) {
			const u32 tile = shared.stages.wait(k);
			if (tile >= arguments.tiles)
				break;
			shared.stages.release(k, lane);
			if (k % P::gather_warps != turn)
				continue;
			const maybe<T> part = collect(base, folded, tile);
			hand_out(base, part, k, tile);
			shared.has_prefix[k % shared.barrier_slots].arrive_warp(lane);
		}
	}

private:
	/* Whether so many bytes of a tile, which begin where a warp's slice does, are all vectors. */
	__device__ __forceinline__ bool is_stored_in_bulk(u32 bytes) const
	{
		return has_bulk_copies() && ((address_of(arguments.in) | address_of(arguments.out) | bytes) & 15) == 0;
	}

	__device__ __forceinline__ T *totals_of(u32 k) const { return shared.warp_total[k % shared.total_slots]; }
	__device__ __forceinline__ batch_words<P> words() const { return {arguments, shared.stages.epoch}; }

	/* Where the CTA's k-th tile begins in its stage. */
	__device__ __forceinline__ char *tile_in(char *buffer, u32 k) const
	{
		return stage_of<P>(buffer, arguments, k) + (u32(address_of(arguments.in)) & 15);
	}

	/* ---- Compute warps ---- */

	template <bool is_whole>
	__device__ __forceinline__ wide_slice<P, is_whole> slice_of(char *buffer, int warp, u32 k, u32 tile) const
	{
		return {tile_in(buffer, k) + warp * (P::slice * int(sizeof(T))), lane,
			slice_count<P>(tile_count<P>(arguments, tile), warp)};
	}

	/* Whether accesses to elements may be as wide as their size allows. */
	__device__ __forceinline__ bool is_whole() const
	{
		constexpr int unit = unit_of<int(sizeof(T))>();
		return alignof(T) >= unit || address_of(arguments.in) % unit == 0;
	}

	__device__ __forceinline__ void take_turns(char *buffer, int warp) const
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
	}

	__device__ __forceinline__ void reduce_all(char *buffer, int warp) const
	{
#pragma unroll 1
		for (u32 k = 0; reduce(buffer, warp, k); k++)
			;
	}

	__device__ __forceinline__ void scan_all(char *buffer, int warp) const
	{
#pragma unroll 1
		for (u32 k = 0; shared.stages.wait(k) < arguments.tiles; k++)
			scan(buffer, warp, k);
	}

	__device__ __forceinline__ bool reduce(char *buffer, int warp, u32 k) const
	{
		const u32 tile = shared.stages.wait(k);
		if (tile >= arguments.tiles)
			return false;
		if (is_whole()) /* the same in all threads */
			reduce_slice(slice_of<true>(buffer, warp, k, tile), warp, k);
		else
			reduce_slice(slice_of<false>(buffer, warp, k, tile), warp, k);
		if constexpr (P::teams > 1) /* the first lanes' last places are results, which no other team writes */
			fence_before_copies();
		/* Every lane's: it has read the totals of earlier tiles. */
		shared.has_totals[k % shared.barrier_slots].arrive_warp(lane);
		return true;
	}

	template <class S> __device__ __forceinline__ void reduce_slice(const S &mine, int warp, u32 k) const
	{
		const T total = mine.reduce(&shared.scratch[warp]);
		if (mine.count > 0 && lane == mine.live_lanes() - 1)
			totals_of(k)[warp] = total;
	}

	__device__ __forceinline__ void scan(char *buffer, int warp, u32 k) const
	{
		const u32 tile = shared.stages.tile_of(k);
		shared.wait_for_prefix(k);
		if (is_whole())
			scan_slice(slice_of<true>(buffer, warp, k, tile), warp, k, tile);
		else
			scan_slice(slice_of<false>(buffer, warp, k, tile), warp, k, tile);
		fence_before_copies(); /* each lane's results come before the copy out, and that of a later tile */
		shared.has_results[k % P::stages].arrive_warp(lane);
	}

	template <class S> __device__ __forceinline__ void scan_slice(const S &mine, int warp, u32 k, u32 tile) const
	{
		if (mine.count <= 0) /* the same in all lanes */
			return;
		mine.scan(totals_of(k) + warp, warp > 0 || tile > 0 || P::has_initial);
		if (!is_stored_in_bulk(tile_count<P>(arguments, tile) * u32(sizeof(T))))
			mine.store(static_cast<T *>(arguments.out) + u64(tile) * P::tile + warp * P::slice);
	}

	/* ---- The gather warps: what comes before a tile is in all of a warp's lanes ---- */

	/* The compiler may read what only might be needed: it finds zeros, of which nothing is made. */
	static __device__ __forceinline__ T nothing()
	{
		T value;
		memset(&value, 0, sizeof value);
		return value;
	}

	__device__ __forceinline__ maybe<T> begin() const
	{
		return P::has_initial ? initial_value<P>(arguments) : maybe<T>{nothing(), false};
	}

	/* What the batch that begins with tile `first` amounts to, by the CTA of its last tile, whose aggregate is read
	 * as any other's.  The publisher has the time, where gather warps have tiles of their own waiting. */
	__device__ __forceinline__ void publish_batch(u32 first) const
	{
		T value[1] = {nothing()};
		const int counts[1] = {warp_size};
		wait_for_tiles(value, first, counts);
		warp_scan<P, warp_scan_kind::shuffle>::run(value, counts, lane, nullptr);
		if (lane == warp_size - 1)
			words().publish(words().of_batch(first / warp_size), value[0]);
	}

	/* What of the tile's own batch comes before it; folds the batches before it into the base.  What a batch
	 * amounts to comes too late for the tiles that follow at once: of values of few words each finds from its tiles
	 * what the batch before amounts to, too, in the same tree. */
	__device__ __forceinline__ maybe<T> collect(maybe<T> &base, u32 &folded, u32 tile) const
	{
		const int rest = tile % warp_size;
		const u32 batches = tile / warp_size, first = tile - rest;
		const bool has_recent = rows > 1 && folded < batches;
		T value[rows];
		int counts[rows] = {rest};
		value[0] = value[rows - 1] = nothing();
		if (rows > 1)
			counts[rows - 1] = has_recent ? int(warp_size) : 0;
		wait_for_tiles(value, first, counts);
		warp_scan<P, warp_scan_kind::shuffle>::run(value, counts, lane, nullptr);
		fold(base, folded, has_recent ? batches - 1 : batches);
		if (has_recent) /* the same in all lanes */
			append(base, shuffle_value<shuffle::from>(value[rows - 1], warp_size - 1));
		folded = batches;
		return {shuffle_value<shuffle::from>(value[0], rest > 0 ? rest - 1 : 0), rest > 0};
	}

	/* The aggregates of the first tiles of the batch that begins with tile `first`, and of the batch before. */
	template <int wanted>
	__device__ __forceinline__ void wait_for_tiles(T (&value)[wanted], u32 first, const int (&count)[wanted]) const
	{
		const batch_words<P> all = words();
		bool is_there;
		if constexpr (P::tile_words > few_words) {
			do
				is_there = lane >= count[0] || all.has_begun(all.of_tile(first + lane));
			while (!__all_sync(full_warp, is_there));
		}
		do {
			is_there = true;
#pragma unroll
			for (int r = 0; r < wanted; r++) {
				const bool is_wanted = lane < count[r];
				const u32 from = is_wanted ? first - r * warp_size + lane : first;
				is_there &= all.read(value[r], all.of_tile(from)) || !is_wanted;
			}
		} while (!__all_sync(full_warp, is_there));
	}

	static __device__ __forceinline__ void append(maybe<T> &base, const T &next)
	{
		base.value = base.is_present ? P::op::apply(base.value, next) : next;
		base.is_present = true;
	}

	/* Folds batches into the base, one after another, by all lanes alike. */
	__device__ __forceinline__ void fold(maybe<T> &base, u32 folded, u32 batches) const
	{
#pragma unroll 1
		for (; folded < batches; folded += warp_size) {
			const u32 left = batches - folded;
			const int count = left < warp_size ? int(left) : int(warp_size);
			T value = nothing();
			wait_for(value, words().of_batch(folded + lane), count);
#pragma unroll 1
			for (int i = 0; i < count; i++)
				append(base, shuffle_value<shuffle::from>(value, i));
		}
	}

	/* The entries of the first `count` lanes, which are there as a rule.  While one is missing only the first words
	 * are asked for: polls would else take the bandwidth that others need. */
	__device__ __forceinline__ void wait_for(T &value, typename batch_words<P>::entry entry, int count) const
	{
		const batch_words<P> all = words();
		bool is_there = true;
		for (;;) {
			if (lane < count)
				is_there = all.read(value, entry);
			if (__all_sync(full_warp, is_there))
				break;
			do {
				if (lane < count)
					is_there = all.has_begun(entry);
			} while (!__all_sync(full_warp, is_there));
		}
	}

	/* From the scan of the warps' totals to what comes before each warp's slice. */
	__device__ __forceinline__ void hand_out(const maybe<T> &base, const maybe<T> &part, u32 k, u32 tile) const
	{
		const int live = live_warps<P, false>(tile_count<P>(arguments, tile));
		const maybe<T> prefix = combine<P>(base, part);
		T *totals = totals_of(k), before = prefix.value;
		shared.wait_for_scan(k);
		if (lane > 0 && lane < live) {
			T earlier = totals[lane - 1];
			before = prefix.is_present ? P::op::apply(prefix.value, earlier) : earlier;
		}
		__syncwarp(); /* all lanes have read */
		if (lane < live && (lane > 0 || prefix.is_present))
			totals[lane] = before;
	}
};

} // namespace scan

#endif
