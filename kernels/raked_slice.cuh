/* SPDX-License-Identifier: MIT
 *
 * A warp's slice of a tile in shared memory, raked: each lane takes `items` consecutive elements, scans them by itself,
 * and leaves the results in their place, from where one bulk copy takes the slice to global memory.  One scan over the
 * lanes serves the whole slice (a row of vectors after another needs one a row), operands stay in array order whatever
 * the operator, and the stores cost no instructions of the lanes.
 *
 * The lanes' accesses are 16 bytes wide, a stride of `rows` vectors apart: free of bank conflicts where rows is odd.
 *
 * For full slices whose elements begin at a multiple of 16 bytes in both arrays.  Every function is called by a full,
 * converged warp.
 */
#ifndef SCAN_RAKED_SLICE_CUH
#define SCAN_RAKED_SLICE_CUH

#include "pipeline.cuh"
#include "vector_scan.cuh"
#include "warp_scan.cuh"

namespace scan {

template <class P> struct raked_slice {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;
	using vector = vector_scan<P>;
	static constexpr u32 bytes = P::slice * sizeof(output);

	char *slice; /* in shared memory */
	int lane;

	__device__ __forceinline__ raked_slice(char *slice, int lane) : slice(slice), lane(lane) {}

	/* Combines the lanes' elements.  Returns what comes before this lane within the slice, which lane 0 lacks; leaves
	 * the slice's combination in `total` of the last lane. */
	__device__ __forceinline__ T reduce(T &total, typename warp_scan<P, P::warp_scan>::storage *storage) const
	{
		T inclusive[1];
		int count[1] = {warp_size};
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			input raw[P::vector];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(row(r)));
			T sum = vector::reduce(raw);
			inclusive[0] = r > 0 ? P::op::apply(inclusive[0], sum) : sum;
		}
		warp_scan<P, P::warp_scan>::run(inclusive, count, lane, storage);
		total = inclusive[0];
		return shuffle_value<shuffle::up>(inclusive[0], 1);
	}

	/* Leaves the results in place; `before` is the combination of all before the slice, `earlier` what reduce()
	 * returned. */
	__device__ __forceinline__ void scan(T before, T earlier) const
	{
		if (lane > 0)
			before = P::op::apply(before, earlier);
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			input raw[P::vector];
			output result[P::vector];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(row(r)));
			vector::scan(result, raw, before);
			store_vector<access::plain>(reinterpret_cast<output *>(row(r)), result);
		}
	}

	/* Starts the copy to global memory.  The slice must stay as it is until wait_for_bulk_reads(). */
	__device__ __forceinline__ void store(output *out) const
	{
		fence_before_copies(); /* each lane's results come before the copy that lane 0 starts */
		__syncwarp();
		if (lane == 0)
			start_bulk_store(out, slice, bytes);
	}

private:
	__device__ __forceinline__ char *row(int r) const { return slice + (lane * P::rows + r) * 16; }
};

} // namespace scan

#endif
