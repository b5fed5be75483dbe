/* SPDX-License-Identifier: MIT
 *
 * Strategy `lookback`: decoupled look-back (Merrill & Garland 2016), one tile a CTA.  A CTA publishes its tile's
 * aggregate, sums up its predecessors' entries backwards until one is a whole prefix, and publishes its own prefix.
 * Which entries it meets depends on timing, so float results may differ in their last bits from run to run.
 */
#ifndef SCAN_LOOKBACK_CUH
#define SCAN_LOOKBACK_CUH

#include "block_scan.cuh"
#include "tile_state.cuh"

namespace scan {

template <class P, strategy how> struct scan_strategy;

/* How the prefix of tile `tile` > 0 is found: all elements before it, and the initial value; valid in lane 0.  Called
 * by a full warp, which reads 32 entries at a time, lane 0 the nearest.  Tile 0 always has a prefix, so lanes beyond
 * it are never needed. */
template <class P> struct warp_walk {
	static __device__ __forceinline__ typename P::value find(const tile_words<P> &words, u32 tile, int lane)
	{
		typename P::value after; /* what lies between the window and the tile */
		for (u32 nearest = tile - 1;; nearest -= warp_size) {
			typename tile_words<P>::entry seen;
			int reach; /* lanes from the nearest to the first with a prefix, or all 32 */
			u32 prefixes;
			do {
				seen.mark = mark_none;
				if (u32(lane) <= nearest)
					seen = words.poll(nearest - lane);
				prefixes = __ballot_sync(full_warp, seen.mark == mark_prefix);
				reach = prefixes ? __ffs(prefixes) : warp_size;
			} while (__any_sync(full_warp, lane < reach && seen.mark == mark_none));
			auto window = warp_reduce_backwards<P>(seen.value, reach, lane);
			if (lane == 0)
				after = nearest == tile - 1 ? window : P::op::apply(window, after);
			if (prefixes)
				return after;
		}
	}
};

/* What a tile of lookback tells the others, and what it learns from them. */
template <class P, class Walk> struct walk_back {
	using T = typename P::value;

	struct storage {
		T prefix;
	};

	/* Called by all threads, of which warp 0's have the tile's aggregate: publishes the tile's part in the
	 * exchange; returns what comes before the tile.  `prefix` is the initial value, if there is one. */
	static __device__ __forceinline__ maybe<T> exchange(const tile_words<P> &words, maybe<T> prefix, u32 tile,
		T aggregate, storage &shared, int warp, int lane)
	{
		if (warp == 0) {
			const maybe<T> found = walk(words, prefix, tile, aggregate, lane);
			if (lane == 0)
				shared.prefix = found.value;
		}
		__syncthreads();
		return {shared.prefix, tile > 0 || P::has_initial};
	}

private:
	/* Warp 0's part; the prefix is in lane 0. */
	static __device__ __forceinline__ maybe<T> walk(
		const tile_words<P> &words, maybe<T> prefix, u32 tile, T aggregate, int lane)
	{
		if (tile > 0) {
			if (lane == 0)
				words.publish(tile, aggregate, mark_aggregate);
			prefix = {Walk::find(words, tile, lane), true};
		}
		if (lane == 0)
			words.publish(tile, combine<P>(prefix, {aggregate, true}).value, mark_prefix);
		return prefix;
	}
};

/* One thread, while the launch before this one ends: draws the tile and asks for it to be brought into L2. */
template <class P> __device__ __forceinline__ ticket begin_tile(const scan_arguments &arguments)
{
	const ticket drawn = draw_ticket(arguments);
	allow_next_draws(drawn);
	const u64 array = address_of(arguments.in), last = array + arguments.count * sizeof(typename P::input);
	const u64 from = (array + u64(drawn.tile) * P::tile * sizeof(typename P::input) + 15) & ~15ull;
	const u64 to = min(from + P::tile * sizeof(typename P::input), last) & ~15ull;
	if (from < to)
		prefetch_to_l2(reinterpret_cast<const void *>(from), u32(to - from));
	return drawn;
}

/* One tile a CTA: all of the strategy but the exchange, by which lookback-serial and totals differ. */
template <class P, class Exchange> struct tile_scan {
	using T = typename P::value;

	struct shared_storage {
		typename block_scan<P>::storage circuit;
		typename Exchange::storage exchange;
		ticket drawn;
	};

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		__shared__ shared_storage shared;
		if (threadIdx.x == 0)
			shared.drawn = begin_tile<P>(arguments);
		wait_for_previous_launch();
		__syncthreads();
		const ticket mine = shared.drawn;
		const u64 first = u64(mine.tile) * P::tile;
		const bool is_whole = is_aligned<P>(static_cast<const typename P::input *>(arguments.in)) &&
			is_aligned<P>(static_cast<typename P::output *>(arguments.out));
		if (is_whole && arguments.count - first >= P::tile && (P::has_initial || mine.tile > 0))
			run_tile<true>(arguments, shared, mine, first, P::tile);
		else
			run_tile<false>(
				arguments, shared, mine, first, int(min(arguments.count - first, u64(P::tile))));
		leave_epoch(arguments, mine.is_last_epoch());
	}

private:
	/* is_full: the tile is, something comes before it, and the arrays are aligned to vectors. */
	template <bool is_full>
	static __device__ __forceinline__ void run_tile(
		const scan_arguments &arguments, shared_storage &shared, ticket mine, u64 first, int count)
	{
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
		first += u64(warp) * P::slice;
		slice<P, is_full> part(lane, slice_count<P>(count, warp), first);
		part.load(static_cast<const typename P::input *>(arguments.in) + first);
		auto block = block_scan<P>::run(part, shared.circuit, count, warp, lane);
		const maybe<T> prefix = Exchange::exchange({arguments, mine.epoch}, initial_value<P>(arguments),
			mine.tile, block.total, shared.exchange, warp, lane);
		typename P::output *out = static_cast<typename P::output *>(arguments.out) + first;
		if (part.has_total()) /* else nothing is before this warp either that may be looked at */
			part.store(out, combine<P>(prefix, block.earlier));
	}
};

template <class P> struct scan_strategy<P, strategy::lookback> : tile_scan<P, walk_back<P, warp_walk<P>>> {};

} // namespace scan

#endif
