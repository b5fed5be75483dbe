/* SPDX-License-Identifier: MIT
 *
 * Strategy `totals`: one tile a CTA, as lookback.cuh has it, with another exchange.  A CTA publishes its tile's total
 * and reads those of all tiles before at once, a batch by each warp: one trip through the L2 cache, where look-back
 * takes one for every 32 tiles that have no prefix yet.  For counts of a tile or two a multiprocessor; the words that
 * are read grow with the square of the number of tiles.  The order of combination is fixed.
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

/* Each warp has a batch of 32 tiles, or P::gather of them, P::warps apart: it reduces their totals, and all threads
 * then combine the batches' in order.  Beyond what the warps have at once, the next round does the same. */
template <class P> struct all_totals {
	using T = typename P::value;
	enum : u32 { batches = P::gather * P::warps, window = batches * warp_size }; /* of a round */

	struct storage {
		T batch[batches];
	};

	/* As walk_back::exchange(). */
	static __device__ __forceinline__ maybe<T> exchange(const tile_words<P> &words, maybe<T> prefix, u32 tile,
		T total, storage &shared, int warp, int lane)
	{
		if (warp == 0 && lane == 0)
			words.publish(tile, total, mark_aggregate);
		for (u32 first = 0; first < tile; first += window) {
			if (first > 0)
				__syncthreads(); /* all have read what the round before has left */
			reduce_batches(shared, words, first, tile - first, warp, lane);
			__syncthreads();
			fold(prefix, shared, tile - first);
		}
		return prefix;
	}

private:
	/* Leaves the totals of this warp's batches among the next `left` tiles, once they are there. */
	static __device__ __forceinline__ void reduce_batches(
		storage &shared, const tile_words<P> &words, u32 first, u32 left, int warp, int lane)
	{
		typename tile_words<P>::entry seen[P::gather];
		bool are_there;
		do {
			are_there = true;
#pragma unroll
			for (int i = 0; i < P::gather; i++) {
				const u32 at = (i * P::warps + warp) * warp_size + lane;
				if (at < left)
					seen[i] = words.poll(first + at);
				are_there &= at >= left || seen[i].mark != mark_none;
			}
		} while (!__all_sync(full_warp, are_there));
#pragma unroll
		for (int i = 0; i < P::gather; i++) {
			const u32 batch = i * P::warps + warp, begin = batch * warp_size;
			T value;
			memset(&value, 0, sizeof value); /* of no batch: fold()'s loads may come before its tests */
			if (begin < left) /* the same in all lanes */
				value = warp_reduce<P>(seen[i].value, int(min(left - begin, u32(warp_size))), lane);
			if (lane == 0)
				shared.batch[batch] = value;
		}
	}

	/* Puts the batches of the next `left` tiles behind `prefix`, a few of whose loads are in flight together. */
	static __device__ __forceinline__ void fold(maybe<T> &prefix, const storage &shared, u32 left)
	{
		enum : u32 { at_once = sizeof(T) > SCAN_WIDE_BYTES ? 1 : 4 };
#pragma unroll 1
		for (u32 from = 0; from < batches && from * warp_size < left; from += at_once) {
			T value[at_once];
#pragma unroll
			for (u32 i = 0; i < at_once; i++)
				if (from + i < batches && (from + i) * warp_size < left)
					value[i] = shared.batch[from + i];
#pragma unroll
			for (u32 i = 0; i < at_once; i++)
				if (from + i < batches && (from + i) * warp_size < left)
					prefix = combine<P>(prefix, {value[i], true});
		}
	}
};

/* With store=bulk.  What warp 0 adds to a tile's total is what a publisher of lookahead does. */
template <class P> struct raked_tile_scan {
	using T = typename P::value;

	struct shared_storage {
		typename raked_tile<P, true>::storage circuit;
		typename all_totals<P>::storage totals;
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
		const maybe<T> prefix = all_totals<P>::exchange({arguments, mine.epoch}, initial_value<P>(arguments),
			mine.tile, tile_total(shared, count, warp, lane), shared.totals, warp, lane);
		tile.scan(held, arguments, prefix);
		leave_epoch(arguments, mine.is_last_epoch());
	}

private:
	/* In lane 0 of warp 0, which tells the others. */
	static __device__ __forceinline__ T tile_total(const shared_storage &shared, int count, int warp, int lane)
	{
		const int live = live_warps<P, false>(count);
		T total;
		if (warp == 0) { /* the same in all lanes */
			if (lane < live)
				total = shared.circuit.warp_total[lane];
			total = warp_reduce<P>(total, live, lane);
		}
		return total;
	}
};

template <bool rakes, class P> struct totals_of : tile_scan<P, all_totals<P>> {};
template <class P> struct totals_of<true, P> : raked_tile_scan<P> {};

template <class P> struct scan_strategy<P, strategy::other> : totals_of<P::rakes, P> {};

} // namespace scan

#endif
