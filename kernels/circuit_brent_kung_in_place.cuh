/* SPDX-License-Identifier: MIT
 *
 * Circuit `brentkung-inplace` (Brent & Kung 1982): a tree over the values where they lie.  The way up leaves in every
 * 2^d-th slot the combination of the 2^d slots that end there; the way down completes the slots between.  For n = 2^k:
 * 2n - 2 - log2 n applications, by n / 2 threads and fewer with each level.  The slots of level d are 2^d apart, which
 * on 32 banks means conflicts of 2^d ways.
 */
#ifndef SCAN_CIRCUIT_BRENT_KUNG_IN_PLACE_CUH
#define SCAN_CIRCUIT_BRENT_KUNG_IN_PLACE_CUH

#include "circuit.cuh"

namespace scan {

template <class P> struct circuit_scan<P, circuit::chosen> {
	using T = typename P::value;
	using sequence = tile_sequence<P>;

	struct storage {
		T slot[sequence::size];
	};

	template <bool is_full>
	static __device__ __forceinline__ block_result<T> run(
		slice<P, is_full> &mine, storage &shared, int count, int warp, int lane)
	{
		const int live = sequence::template live<is_full>(count);
		auto at = [&](int i) -> T & { return shared.slot[i]; };
		T value[P::rows];
		mine.scan_vectors(value);
		sequence::deposit(value, live, warp, lane, at);
		int stride = 1;
		for (; 2 * stride <= live; stride *= 2)
			level(shared, stride, 2 * stride - 1, live / (2 * stride));
		/* Only the slots between the levels' are incomplete: the first of them lies past the first of the level
		 * above.  If the number of values is a power of two, the uppermost level has none. */
		for (stride /= 2; stride >= 1; stride /= 2)
			if (live / stride >= 3)
				level(shared, stride, 3 * stride - 1, (live / stride - 1) / 2);
		__syncthreads();
		return sequence::collect(mine, live, warp, lane, at);
	}

private:
	/* Every other slot of a level, `nodes` of them from `first`, takes in the slot before it.  One barrier. */
	static __device__ __forceinline__ void level(storage &shared, int stride, int first, int nodes)
	{
		__syncthreads(); /* the level before is complete */
#pragma unroll 1
		for (int k = threadIdx.x; k < nodes; k += P::block) {
			int i = first + 2 * k * stride;
			shared.slot[i] = P::op::apply(shared.slot[i - stride], shared.slot[i]);
		}
	}
};

} // namespace scan

#endif
