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
 * A tile waits only for totals of earlier tickets, which running CTAs publish without waiting for anything.
 */
#ifndef SCAN_TOTALS_CUH
#define SCAN_TOTALS_CUH

#include "lookback.cuh"

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

template <class P> struct scan_strategy<P, strategy::other> : tile_scan<P, all_totals<P>> {};

} // namespace scan

#endif
