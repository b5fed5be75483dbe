/* SPDX-License-Identifier: MIT
 *
 * One tile of a CTA whose slices are raked, in the order of combination of a lookahead tile: what a warp does of it
 * around the exchange of totals, within the block and between tiles, which is the strategy's.
 */
#ifndef SCAN_RAKED_TILE_CUH
#define SCAN_RAKED_TILE_CUH

#include "circuit_warps.cuh"
#include "raked_slice.cuh"

namespace scan {

/* A warp's part of it.  may_be_full: whether full slices have code of their own, which is longer and faster; for one
 * tile of the whole array a loop that ends earlier is enough. */
template <class P, bool may_be_full> struct raked_tile {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;
	using storage = typename circuit_scan<P, circuit::warps>::storage;

	storage &shared;
	char *buffer; /* the tile's elements, then its results where they are of another size */
	u64 first;    /* the index of the slice's first element in the whole array */
	int all;      /* elements of the tile */
	int warp, lane;

	/* What is held from one step to the next: of full slices, all elements.  Parts of paired scans are filled, and
	 * then are full, too, but hold nothing. */
	struct held {
		raked_part<T> part;
		input raw[P::rows][P::vector];
	};
	enum : bool { fills = is_paired<P>::value, holds = may_be_full && !fills && !raked_slice<P>::is_rolled };

	/* Loads the slice, and leaves its total for the other warps; the caller sees to a barrier. */
	__device__ __forceinline__ void reduce(held &mine, const scan_arguments &arguments) const
	{
		T total;
		if (count() <= 0) /* the same in all lanes */
			return;
		slice().own().load(static_cast<const input *>(arguments.in) + first, count());
		if constexpr (fills) {
			if (count() < P::slice)
				slice().own().fill(0, count());
			mine.part = slice().reduce(total, &shared.scratch[warp], first, 0);
		} else if (is_full()) {
			mine.part = slice().reduce_held(total, mine.raw, &shared.scratch[warp], first);
		} else {
			mine.part = slice().reduce_part(total, &shared.scratch[warp], first, 0, count());
		}
		if (lane == warp_size - 1) /* of a part, all lanes have it */
			shared.warp_total[warp] = total;
	}

	/* Behind the barrier: the rest, when `prefix` is all before the tile. */
	__device__ __forceinline__ void scan(
		const held &mine, const scan_arguments &arguments, maybe<T> prefix) const
	{
		if (count() <= 0)
			return;
		output *const out = static_cast<output *>(arguments.out) + first;
		const warp_totals<P> block(shared.warp_total, live_warps<P, false>(all), warp, lane);
		const maybe<T> before = combine<P>(prefix, block.earlier);
		if constexpr (fills)
			slice().scan(before, mine.part, first, 0, 0);
		else if (is_full())
			slice().scan_held(before, mine.part, mine.raw, first);
		else
			slice().scan_part(before, mine.part, first, count());
		raked_store<P>{slice().results, lane}.store_part(out, count());
	}

private:
	__device__ __forceinline__ int count() const { return slice_count<P>(all, warp); }
	__device__ __forceinline__ bool is_full() const { return holds && count() == P::slice; }
	__device__ __forceinline__ raked_slice<P> slice() const
	{
		char *const begin = buffer + warp * P::slice * int(sizeof(input));
		char *const apart = buffer + P::stage_bytes + warp * P::slice * int(sizeof(output));
		return {begin, P::scans_in_place ? begin : apart, lane};
	}
};

} // namespace scan

#endif
