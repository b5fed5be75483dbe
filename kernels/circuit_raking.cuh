/* SPDX-License-Identifier: MIT
 *
 * Circuit `raking`: Brent and Kung's tree with a fan-in of k.  A thread rakes k neighbours one after the other, on the
 * way up and again on the way down, so there are log_k n levels with two barriers each, and for n = k^m
 * 2n - 2 - log_k n applications.  With k^2 >= n it is the raking of one warp that CUB and ModernGPU have.
 * The k values of a thread lie together; an odd distance between threads keeps them in different banks.
 */
#ifndef SCAN_CIRCUIT_RAKING_CUH
#define SCAN_CIRCUIT_RAKING_CUH

#include "circuit.cuh"

namespace scan {

template <class P> struct circuit_scan<P, circuit::chosen> {
	using T = typename P::value;
	using sequence = tile_sequence<P>;
	enum : int { fan = P::fan };
	static_assert(fan >= 2, "fan: below 2");
	enum : int { stride = fan | 1 }; /* slots from one thread's first to the next one's */

	static constexpr int nodes_of(int size) { return (size + fan - 1) / fan; }

	/* Slots of a level of `size` values and of all above it. */
	static constexpr int slots(int size)
	{
		int sum = stride;
		for (; size > 1; size = nodes_of(size))
			sum += nodes_of(size) * stride;
		return sum;
	}

	struct storage {
		T slot[slots(sequence::size)];
	};

	template <bool is_full>
	static __device__ __forceinline__ block_result<T> run(
		slice<P, is_full> &mine, storage &shared, int count, int warp, int lane)
	{
		const int live = sequence::template live<is_full>(count);
		auto at = [&](int i) -> T & { return shared.slot[place(i)]; };
		T value[P::rows];
		mine.scan_vectors(value);
		sequence::deposit(value, live, warp, lane, at);
		scan_level<sequence::size>(shared.slot, live);
		__syncthreads();
		return sequence::collect(mine, live, warp, lane, at);
	}

private:
	static __device__ __forceinline__ int place(int i) { return i / fan * stride + i % fan; }

	/* Scans the `live` first values of a level that has room for `size`.  Two barriers a level that has more than
	 * one value. */
	template <int size> static __device__ __forceinline__ void scan_level(T *level, int live)
	{
		if constexpr (size > 1) {
			if (live == 1) /* the same in all threads */
				return;
			T *above = level + nodes_of(size) * stride;
			const int nodes = nodes_of(live);
			__syncthreads(); /* the level is there */
#pragma unroll 1
			for (int k = threadIdx.x; k < nodes; k += P::block)
				above[place(k)] = reduce(level + k * stride, live - k * fan);
			scan_level<nodes_of(size)>(above, nodes);
			__syncthreads(); /* the level above is complete */
#pragma unroll 1
			for (int k = threadIdx.x; k < nodes; k += P::block)
				spread(level + k * stride, above, k, live - k * fan);
		}
	}

	/* The combination of a node's values, which are min(fan, left). */
	static __device__ __forceinline__ T reduce(const T *of, int left)
	{
		T total = of[0];
#pragma unroll
		for (int i = 1; i < fan; i++)
			if (i < left)
				total = P::op::apply(total, of[i]);
		return total;
	}

	/* The level above is scanned: what it has for the node before comes in front of this node's values, and what it
	 * has for this node is the last of them. */
	static __device__ __forceinline__ void spread(T *of, const T *above, int k, int left)
	{
		T before;
		if (k > 0)
			before = above[place(k - 1)];
#pragma unroll
		for (int i = 0; i < fan; i++) {
			if (i + 1 < fan && i + 1 < left)
				of[i] = before = i > 0 || k > 0 ? P::op::apply(before, of[i]) : of[i];
			else if (i < left)
				of[i] = above[place(k)];
		}
	}
};

} // namespace scan

#endif
