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

	/* The combination of the slice, valid in lane 0. */
	__device__ __forceinline__ T reduce() const
	{
		T total;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			input raw[P::vector];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(row(r)));
			T sum = vector::reduce(raw);
			total = r > 0 ? P::op::apply(total, sum) : sum;
		}
		return warp_reduce<P>(total, warp_size, lane);
	}

	/* All that can be done before it is known what comes before the slice. */
	__device__ __forceinline__ void begin(typename warp_scan<P, P::warp_scan>::storage *storage)
	{
		T total[1];
		int count[1] = {warp_size};
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			load_vector<access::plain>(item[r], reinterpret_cast<const input *>(row(r)));
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			sum[r] = vector::reduce(item[r]);
			total[0] = r > 0 ? P::op::apply(total[0], sum[r]) : sum[r];
		}
		warp_scan<P, P::warp_scan>::run(total, count, lane, storage);
		earlier = shuffle_value<shuffle::up>(total[0], 1);
	}

	/* Leaves the results in place; `before` is the combination of all before the slice. */
	__device__ __forceinline__ void end(T before)
	{
		if (lane > 0)
			before = P::op::apply(before, earlier);
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			output result[P::vector];
			T next = P::op::apply(before, sum[r]);
			vector::scan(result, item[r], before, next);
			store_vector<access::plain>(reinterpret_cast<output *>(row(r)), result);
			before = next;
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
	input item[P::rows][P::vector];
	T sum[P::rows]; /* of each vector */
	T earlier;      /* the lanes before this one; missing in lane 0 */

	__device__ __forceinline__ char *row(int r) const { return slice + (lane * P::rows + r) * 16; }
};

} // namespace scan

#endif
