/* SPDX-License-Identifier: MIT
 *
 * Strategy `totals`: one tile a CTA, as lookback.cuh has it, with another exchange.  A CTA publishes its tile's total
 * and reads those of all tiles before, many at once: one trip through the L2 cache, where look-back takes one for
 * every 32 tiles that have no prefix yet.  For counts of about a tile a multiprocessor; the words that are read grow
 * with the square of the number of tiles.  The order of combination is fixed.
 *
 * Traffic: N words read and N written; per tile a ticket (2 words each way), a total (2 words for values of up to 4
 * bytes), and the totals of all tiles before, once at least.  One launch.  Barriers: as lookback.
 *
 * With store=bulk its slices are raked, and elements are combined in the order of a lookahead tile.
 *
 * A tile waits only for totals of earlier tickets, which running CTAs publish without waiting for anything.
 */
#ifndef SCAN_TOTALS_CUH
#define SCAN_TOTALS_CUH

#include "lookback.cuh"
#include "raked_tile.cuh"

namespace scan {

template <class P> struct all_totals {
	using T = typename P::value;
	enum : u32 { window = P::gather * warp_size }; /* totals whose loads are in flight together */

	/* As walk_back::exchange(). */
	static __device__ __forceinline__ maybe<T> exchange(
		const tile_words<P> &words, maybe<T> prefix, u32 tile, T total, int lane)
	{
		if (lane == 0)
			words.publish(tile, total, mark_aggregate);
		for (u32 first = 0; first < tile; first += window)
			fold(prefix, words, first, tile - first, lane);
		return prefix;
	}

private:
	/* Puts the next window of totals, of which `left` are wanted, behind `prefix`, which lane 0 has. */
	static __device__ __forceinline__ void fold(
		maybe<T> &prefix, const tile_words<P> &words, u32 first, u32 left, int lane)
	{
		typename tile_words<P>::entry seen[P::gather];
		bool are_there;
		do {
			are_there = true;
#pragma unroll
			for (int i = 0; i < P::gather; i++) {
				const u32 at = i * warp_size + lane;
				if (at < left)
					seen[i] = words.poll(first + at);
				are_there &= at >= left || seen[i].mark != mark_none;
			}
		} while (!__all_sync(full_warp, are_there));
#pragma unroll
		for (int i = 0; i < P::gather; i++) {
			if (i * warp_size < left) { /* the same in all lanes */
				const int count = int(min(left - i * warp_size, u32(warp_size)));
				prefix = combine<P>(prefix, {warp_reduce<P>(seen[i].value, count, lane), true});
			}
		}
	}
};

/* With store=bulk.  What warp 0 adds to a tile's total is what a publisher of lookahead does. */
template <class P> struct raked_tile_scan {
	using T = typename P::value;

	struct shared_storage {
		typename raked_tile<P, true>::storage circuit;
		T prefix;
		ticket drawn;
	};

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		extern __shared__ __align__(128) char buffer[];
		__shared__ shared_storage shared;
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
		if (threadIdx.x == 0)
			shared.drawn = begin_tile<P>(arguments);
		wait_for_previous_launch();
		__syncthreads();
		const ticket mine = shared.drawn;
		const u64 first = u64(mine.tile) * P::tile, left = arguments.count - first;
		const int count = left < P::tile ? int(left) : P::tile;
		const raked_tile<P, true> tile{shared.circuit, buffer, first + warp * P::slice, count, warp, lane};
		typename raked_tile<P, true>::held held;
		tile.reduce(held, arguments);
		__syncthreads();
		if (warp == 0)
			find_prefix(arguments, shared, mine, count, lane);
		__syncthreads();
		tile.scan(held, arguments, {shared.prefix, mine.tile > 0 || P::has_initial});
		leave_epoch(arguments, mine.is_last_epoch());
	}

private:
	/* Called by warp 0: leaves the tile's prefix in shared memory. */
	static __device__ __forceinline__ void find_prefix(
		const scan_arguments &arguments, shared_storage &shared, ticket mine, int count, int lane)
	{
		const tile_words<P> words(arguments, mine.epoch);
		const int live = live_warps<P, false>(count);
		T total;
		if (lane < live)
			total = shared.circuit.warp_total[lane];
		total = warp_reduce<P>(total, live, lane);
		const maybe<T> prefix =
			all_totals<P>::exchange(words, initial_value<P>(arguments), mine.tile, total, lane);
		if (lane == 0)
			shared.prefix = prefix.value;
	}
};

template <bool rakes, class P> struct totals_of : tile_scan<P, all_totals<P>> {};
template <class P> struct totals_of<true, P> : raked_tile_scan<P> {};

template <class P> struct scan_strategy<P, strategy::other> : totals_of<P::rakes, P> {};

} // namespace scan

#endif
