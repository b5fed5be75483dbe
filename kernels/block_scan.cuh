/* SPDX-License-Identifier: MIT
 *
 * From warps to the block: the warps' totals, combined in order by every warp for itself.
 */
#ifndef SCAN_BLOCK_SCAN_CUH
#define SCAN_BLOCK_SCAN_CUH

#include "slice.cuh"

namespace scan {

/* Warps of a tile whose slice has an element, when the tile has `count` of them. */
template <class P, bool is_full> __device__ __forceinline__ int live_warps(int count)
{
	return is_full ? P::warps : (count + P::slice - 1) / P::slice;
}

/* Elements of warp `warp`'s slice, when the tile has `count`; none if not positive (see slice_extent). */
template <class P> __device__ __forceinline__ int slice_count(int count, int warp)
{
	int left = count - warp * P::slice;
	return left > P::slice ? P::slice : left;
}

template <class P> struct block_scan {
	using T = typename P::value;

	maybe<T> earlier; /* the warps before this one */
	T total;          /* all live warps */

	/* Called by a full warp after the totals of all live warps (at least one) have become visible to it. */
	__device__ __forceinline__ block_scan(const T *warp_total, int live, int warp, int lane)
	{
		T value[1];
		int count[1] = {live};
		if (lane < live)
			value[0] = warp_total[lane];
		warp_scan<P, warp_scan_kind::shuffle>::run(value, count, lane, nullptr);
		total = shuffle_value<shuffle::from>(value[0], live - 1);
		earlier.value = shuffle_value<shuffle::from>(value[0], warp > 0 ? warp - 1 : 0);
		earlier.is_present = warp > 0;
	}
};

} // namespace scan

#endif
