/* SPDX-License-Identifier: MIT
 *
 * Strategy `lookback-serial`: decoupled look-back as it is first explained (Merrill & Garland 2016, section 4; the CUDA
 * Handbook's chapter 13): one thread of the CTA walks back, an entry at a time, and waits at each that is not there
 * yet.  All else is lookback.cuh, whose warp looks at 32 entries at once.
 *
 * Traffic: N words read and N written; per tile a ticket (2 words each way), an aggregate and a prefix (2 words each
 * for values of up to 4 bytes; the first tile has a prefix only); and what is polled.  One launch.  Barriers: as
 * lookback.
 */
#ifndef SCAN_LOOKBACK_SERIAL_CUH
#define SCAN_LOOKBACK_SERIAL_CUH

#include "lookback.cuh"

namespace scan {

/* As warp_walk: called by a full warp, valid in lane 0. */
template <class P> struct thread_walk {
	static __device__ __forceinline__ typename P::value find(const tile_words<P> &words, u32 tile, int lane)
	{
		typename P::value after; /* what lies between the entry and the tile */
		for (u32 nearest = tile - 1; lane == 0; nearest--) {
			typename tile_words<P>::entry seen;
			do
				seen = words.poll(nearest);
			while (seen.mark == mark_none);
			after = nearest == tile - 1 ? seen.value : P::op::apply(seen.value, after);
			if (seen.mark == mark_prefix) /* which tile 0 always has */
				break;
		}
		__syncwarp();
		return after;
	}
};

template <class P> struct scan_strategy<P, strategy::other> : tile_scan<P, walk_back<P, thread_walk<P>>> {};

} // namespace scan

#endif
