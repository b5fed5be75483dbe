/* SPDX-License-Identifier: MIT
 *
 * Strategy `block`: one CTA scans one tile.  No global state, and nothing global is touched before the data.
 *
 * With store=bulk its slices are raked, in the order of combination of a lookahead tile.
 */
#ifndef SCAN_BLOCK_CUH
#define SCAN_BLOCK_CUH

#include "block_scan.cuh"
#include "raked_slice.cuh"

namespace scan {

template <class P, strategy how> struct scan_strategy;

template <class P> struct scan_strategy<P, strategy::block> {
	using T = typename P::value;

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;

		allow_next_launch();
		wait_for_previous_launch();
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
		mine.load(static_cast<const typename P::input *>(arguments.in) + warp * P::slice);
		auto block = block_scan<P>::run(mine, scratch, count, warp, lane);
		if (!mine.has_total())
			return;
		mine.store(static_cast<typename P::output *>(arguments.out) + warp * P::slice,
			combine<P>(initial_value<P>(arguments), block.earlier));
	}

	/* Every slice is taken for one that may not be full: a loop that ends earlier, but no choice between two. */
	static __device__ __forceinline__ void rake(const scan_arguments &arguments, int warp, int lane)
	{
		extern __shared__ __align__(128) char buffer[];
		__shared__ typename circuit_scan<P, circuit::warps>::storage shared;
		const int all = int(arguments.count), count = slice_count<P>(all, warp), first = warp * P::slice;
		char *const slice = buffer + first * int(sizeof(typename P::input));
		char *const apart = buffer + P::stage_bytes + first * int(sizeof(typename P::output));
		const raked_slice<P> mine(slice, P::scans_in_place ? slice : apart, lane);
		raked_part<T> held;
		T total;
		if (count > 0) { /* the same in all lanes */
			mine.load_part(static_cast<const typename P::input *>(arguments.in) + first, count);
			held = mine.reduce_part(total, &shared.scratch[warp], first, 0, count);
		}
		if (lane == 0 && count > 0)
			shared.warp_total[warp] = total;
		__syncthreads();
		if (count <= 0)
			return;
		const warp_totals<P> block(shared.warp_total, live_warps<P, false>(all), warp, lane);
		mine.scan_part(combine<P>(initial_value<P>(arguments), block.earlier), held, first, count);
		raked_store<P>{mine.results, lane}.store_part(
			static_cast<typename P::output *>(arguments.out) + first, count);
	}
};

} // namespace scan

#endif
