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
		__shared__ typename block_scan<P>::storage scratch;
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
		const int count = int(arguments.count);

		allow_next_launch();
		wait_for_previous_launch();
		slice<P, false> mine(lane, slice_count<P>(count, warp), warp * P::slice);
		mine.load(static_cast<const typename P::input *>(arguments.in) + warp * P::slice);
		auto block = block_scan<P>::run(mine, scratch, count, warp, lane);
		if (!mine.has_total())
			return;
		mine.store(static_cast<typename P::output *>(arguments.out) + warp * P::slice,
			combine<P>(initial_value<P>(arguments), block.earlier));
	}
};

} // namespace scan

#endif
