/* SPDX-License-Identifier: MIT
 *
 * Strategy `block`: one CTA scans one tile.  No global state, and nothing global is touched before the data.
 *
 * With store=bulk its slices are raked, in the order of combination of a lookahead tile.
 */
#ifndef SCAN_BLOCK_CUH
#define SCAN_BLOCK_CUH

#include "block_scan.cuh"
#include "raked_tile.cuh"

namespace scan {

template <class P, strategy how> struct scan_strategy;

template <class P> struct scan_strategy<P, strategy::block> {
	using T = typename P::value;

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;

		allow_next_launch();
		if constexpr (P::rakes)
			rake(arguments, warp, lane);
		else
			scan(arguments, warp, lane);
	}

private:
	static __device__ __forceinline__ void scan(const scan_arguments &arguments, int warp, int lane)
	{
		__shared__ typename block_scan<P>::storage scratch;
		const int count = int(arguments.count);
		slice<P, false> mine(lane, slice_count<P>(count, warp), warp * P::slice);
		mine.load(static_cast<const typename P::input *>(arguments.in) + warp * P::slice, [] {
			wait_for_previous_launch();
		});
		auto block = block_scan<P>::run(mine, scratch, count, warp, lane);
		if (!mine.has_total())
			return;
		mine.store(static_cast<typename P::output *>(arguments.out) + warp * P::slice,
			combine<P>(initial_value<P>(arguments), block.earlier));
	}

	static __device__ __forceinline__ void rake(const scan_arguments &arguments, int warp, int lane)
	{
		extern __shared__ __align__(128) char buffer[];
		__shared__ typename raked_tile<P, false>::storage shared;
		const raked_tile<P, false> tile{shared, buffer, u64(warp * P::slice), int(arguments.count), warp, lane};
		wait_for_previous_launch();
		typename raked_tile<P, false>::held mine;
		tile.reduce(mine, arguments);
		__syncthreads();
		tile.scan(mine, arguments, initial_value<P>(arguments));
	}
};

} // namespace scan

#endif
