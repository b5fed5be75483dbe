/* SPDX-License-Identifier: MIT
 *
 * What the scan circuits share.  A circuit joins the partial results of one tile within a block; each is in a file of
 * its own, which circuit.def of lib/ names, as circuit_scan<P, circuit::chosen> with
 *
 *   struct storage   what it needs of shared memory, which may be reused after the block's next barrier;
 *   run()            called by the whole block, converged, with slices that are loaded and a tile that has `count` > 0
 *                    elements.  After it the slices can be stored, behind the `earlier` that it returns.
 *
 * Two kinds there are.  circuit::warps, which every kernel has at hand, works in two levels: each warp scans its slice,
 * then the warps' totals are scanned.  The others take all vectors of the tile as one sequence, a value each, in shared
 * memory: `tile_sequence`.  All combine adjacent values only, in order, and none that do not exist; so none needs an
 * identity or an inverse.
 */
#ifndef SCAN_CIRCUIT_CUH
#define SCAN_CIRCUIT_CUH

#include "slice.cuh"

namespace scan {

/* Warps of a tile whose slice has an element, when the tile has `count` of them. */
template <class P, bool is_full> __device__ __forceinline__ int live_warps(int count)
{
	return is_full ? P::warps : (count + P::slice - 1) / P::slice;
}

/* Elements of warp `warp`'s slice, when the tile has `count`; none if not positive (see slice_extent). */
template <class P> __device__ __forceinline__ int slice_count(int count, int warp)
{
	int left = count - warp * P::slice;
	return left > P::slice ? P::slice : left;
}

template <class T> struct block_result {
	maybe<T> earlier; /* what comes in front of this warp's slice and is not in its results yet */
	T total;          /* of the tile; in warps whose slice has an element */
};

template <class P, circuit kind> struct circuit_scan;

/* The vectors of a tile in the order of their elements.  A thread holds `rows` of them, each reduced to one value. */
template <class P> struct tile_sequence {
	using T = typename P::value;
	enum : int { size = P::block * P::rows };

	/* How many exist. */
	template <bool is_full> static __device__ __forceinline__ int live(int count)
	{
		return is_full ? size : (count + P::vector - 1) / P::vector;
	}

	static __device__ __forceinline__ int place(int row, int warp, int lane)
	{
		return (warp * P::rows + row) * warp_size + lane;
	}

	/* A thread puts its values where they belong; the first `live` exist.  at(i): the slot of the i-th. */
	template <class At>
	static __device__ __forceinline__ void deposit(const T (&value)[P::rows], int live, int warp, int lane, At at)
	{
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			if (place(r, warp, lane) < live)
				at(place(r, warp, lane)) = value[r];
	}

	/* From the inclusive scan of the sequence: what comes before each of a thread's vectors is what the vector
	 * before it has, and the total what the last one has. */
	template <bool is_full, class At>
	static __device__ __forceinline__ block_result<T> collect(
		slice<P, is_full> &mine, int live, int warp, int lane, At at)
	{
		mine.is_first = warp == 0 && lane == 0;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			int i = place(r, warp, lane);
			if (i > 0 && i < live)
				mine.earlier[r] = at(i - 1);
		}
		block_result<T> result;
		result.earlier.is_present = false;
		result.total = at(live - 1);
		return result;
	}
};

} // namespace scan

#endif
