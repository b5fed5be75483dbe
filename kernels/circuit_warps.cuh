/* SPDX-License-Identifier: MIT
 *
 * Circuit `warps`: each warp scans its slice without a barrier, leaves its total in shared memory, and after the one
 * barrier of all every warp scans the totals for itself.  The default: nothing has fewer barriers.
 */
#ifndef SCAN_CIRCUIT_WARPS_CUH
#define SCAN_CIRCUIT_WARPS_CUH

#include "circuit.cuh"

namespace scan {

/* From warps to the block: the warps' totals, combined in order by every warp for itself. */
template <class P> struct warp_totals {
	using T = typename P::value;

	maybe<T> earlier; /* the warps before this one, for those that live and the one after them */
	T total;          /* all live warps */

	/* Called by a full warp after the totals of all live warps (at least one) have become visible to it. */
	__device__ __forceinline__ warp_totals(const T *warp_total, int live, int warp, int lane)
	{
		T value[1];
		int count[1] = {live};
		if (lane < live)
			value[0] = warp_total[lane];
		warp_scan<P, warp_scan_kind::shuffle>::template run<1, P::warps>(value, count, lane, nullptr);
		total = shuffle_value<shuffle::from>(value[0], live - 1);
		earlier.value = shuffle_value<shuffle::from>(value[0], warp > 0 ? warp - 1 : 0);
		earlier.is_present = warp > 0 && warp <= live;
	}
};

template <class P> struct circuit_scan<P, circuit::warps> {
	using T = typename P::value;

	struct storage {
		typename warp_scan<P, P::warp_scan()>::storage scratch[P::warps];
		T warp_total[P::warps];
	};

	template <bool is_full>
	static __device__ __forceinline__ block_result<T> run(
		slice<P, is_full> &mine, storage &shared, int count, int warp, int lane)
	{
		mine.scan(&shared.scratch[warp]);
		if (lane == 0 && mine.has_total())
			shared.warp_total[warp] = mine.total;
		__syncthreads();
		block_result<T> result;
		if (mine.has_total()) { /* the same in all lanes */
			warp_totals<P> totals(shared.warp_total, live_warps<P, is_full>(count), warp, lane);
			result.earlier = totals.earlier;
			result.total = totals.total;
		}
		return result;
	}
};

} // namespace scan

#endif
