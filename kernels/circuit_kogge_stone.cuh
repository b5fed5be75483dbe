/* SPDX-License-Identifier: MIT
 *
 * Circuit `koggestone` (Kogge & Stone 1973): in step d every value takes in the one 2^d places before it.  The fewest
 * steps there can be, log2 n, and the most work: n log2 n - n + 1 applications for n = 2^k.  One array, so that each
 * step has two barriers: between writing and reading, and between reading and overwriting.
 */
#ifndef SCAN_CIRCUIT_KOGGE_STONE_CUH
#define SCAN_CIRCUIT_KOGGE_STONE_CUH

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
		for (int reach = 1; reach < live; reach *= 2)
			step(value, shared, reach, live, warp, lane);
		__syncthreads();
		return sequence::collect(mine, live, warp, lane, at);
	}

private:
	/* Two barriers.  A thread keeps its own values in registers, so it reads one value for each that it makes. */
	static __device__ __forceinline__ void step(
		T (&value)[P::rows], storage &shared, int reach, int live, int warp, int lane)
	{
		T earlier[P::rows];
		__syncthreads(); /* all values of the step before are there */
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			int i = sequence::place(r, warp, lane);
			if (i >= reach && i < live)
				earlier[r] = shared.slot[i - reach];
		}
		__syncthreads(); /* all have read before anybody overwrites */
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			int i = sequence::place(r, warp, lane);
			if (i >= reach && i < live)
				shared.slot[i] = value[r] = P::op::apply(earlier[r], value[r]);
		}
	}
};

} // namespace scan

#endif
