/* SPDX-License-Identifier: MIT
 *
 * Circuit `brentkung` (Brent & Kung 1982), out of place: the same tree as in place, but each level is an array of its
 * own, so that what a warp touches at once lies together: conflicts are of two ways at most, for twice the memory.
 * For n = 2^k: 2n - 2 - log2 n applications, by n / 2 threads and fewer with each level.
 */
#ifndef SCAN_CIRCUIT_BRENT_KUNG_CUH
#define SCAN_CIRCUIT_BRENT_KUNG_CUH

#include "circuit.cuh"

namespace scan {

template <class P> struct circuit_scan<P, circuit::chosen> {
	using T = typename P::value;
	using sequence = tile_sequence<P>;

	/* Level d has room for size >> d values and follows level d - 1. */
	static constexpr int slots()
	{
		int sum = 0;
		for (int room = sequence::size; room > 0; room /= 2)
			sum += room;
		return sum;
	}

	struct storage {
		T slot[slots()];
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
		T *level = shared.slot;
		int depth = 0;
		for (; live >> depth > 1; depth++) {
			climb(level + (sequence::size >> depth), level, live >> (depth + 1));
			level += sequence::size >> depth;
		}
		/* The uppermost level has one value, which is complete. */
		while (depth-- > 0) {
			T *above = level;
			level -= sequence::size >> depth;
			descend(level, above, live >> depth);
		}
		__syncthreads();
		return sequence::collect(mine, live, warp, lane, at);
	}

private:
	/* Pairs of a level become the values of the level above.  One barrier. */
	static __device__ __forceinline__ void climb(T *above, const T *level, int nodes)
	{
		__syncthreads(); /* the level is there */
#pragma unroll 1
		for (int k = threadIdx.x; k < nodes; k += P::block)
			above[k] = P::op::apply(level[2 * k], level[2 * k + 1]);
	}

	/* The level above is scanned: its k-th value is that of the pair's second, and completes the next pair's first.
	 * One barrier. */
	static __device__ __forceinline__ void descend(T *level, const T *above, int live)
	{
		__syncthreads(); /* the level above is complete */
#pragma unroll 1
		for (int k = threadIdx.x; k < live / 2; k += P::block) {
			T before = above[k];
			level[2 * k + 1] = before;
			if (2 * k + 2 < live)
				level[2 * k + 2] = P::op::apply(before, level[2 * k + 2]);
		}
	}
};

} // namespace scan

#endif
