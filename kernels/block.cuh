/* SPDX-License-Identifier: MIT
 *
 * Strategy `block`: one CTA scans one tile.  No global state, and nothing global is touched before the data.
 */
#ifndef SCAN_BLOCK_CUH
#define SCAN_BLOCK_CUH

#include "block_scan.cuh"

namespace scan {

template <class P, strategy how> struct scan_strategy;

template <class P> struct scan_strategy<P, strategy::block> {
	using T = typename P::value;

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		__shared__ typename warp_scan<P, P::warp_scan>::storage scratch[P::warps];
		__shared__ T warp_total[P::warps];
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
		const int count = int(arguments.count);

		wait_for_previous_launch();
		slice<P, false> mine(lane, slice_count<P>(count, warp));
		mine.load(static_cast<const typename P::input *>(arguments.in) + warp * P::slice);
		mine.scan(&scratch[warp]);
		if (lane == 0 && mine.has_total())
			warp_total[warp] = mine.total;
		__syncthreads();
		if (!mine.has_total())
			return;
		block_scan<P> block(warp_total, live_warps<P, false>(count), warp, lane);
		mine.store(static_cast<typename P::output *>(arguments.out) + warp * P::slice,
			combine<P>(initial_value<P>(arguments), block.earlier));
	}
};

} // namespace scan

#endif
