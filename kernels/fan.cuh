/* SPDX-License-Identifier: MIT
 *
 * Strategy `fan`: scan-then-fan, recursive (CUDA Handbook, chapter 13; Merry's slides).  One launch scans every tile
 * by itself and leaves its total, the totals are scanned, and a last launch puts what comes before a tile in front of
 * each of its elements.  More totals than a tile holds are scanned in the same way: 2 launches a level, and 1 for the
 * level of one tile.
 *
 * Traffic, for N elements in T > 1 tiles: N read and N written by the scan, and N less the first tile, which is right
 * already, read and written again by the fan: 4 N words.  On top of that T - 1 totals are written, scanned by the
 * levels above, and read once by each warp.  N <= a tile: N read, N written.  Barriers: 1 (the fan has none).  Float
 * results depend on the tile size alone.
 */
#ifndef SCAN_FAN_CUH
#define SCAN_FAN_CUH

#include "passes.cuh"

namespace scan {

template <class P> struct fan {
	using T = typename P::value;

	/* Between the passes elements are accumulators: in the output, or in scratch where its type is another, or
	 * where the caller converts. */
	enum : bool { is_in_out = same_type<typename P::output, T>::value && !P::has_store };
	struct first_pass : with_arrays<P, typename P::input, T, true, false> {
		static __device__ constexpr access store() { return access::plain; } /* read again by the next launch */
	};
	using second_pass = with_arrays<P, T, typename P::output, false, true>;

	static __device__ __forceinline__ T *between(const scan_arguments &arguments)
	{
		return static_cast<T *>(is_in_out ? arguments.out : arguments.local);
	}

	/* A block has a tile of the one kind or of the other. */
	union storage {
		typename block_scan<first_pass>::storage between;
		typename block_scan<P>::storage out;
	};

	/* The launch that scans, a tile a block. */
	static __device__ __forceinline__ void scan(const scan_arguments &arguments)
	{
		__shared__ storage shared;
		begin_pass(arguments);
		maybe<T> before = initial_value<P>(arguments); /* of tile 0, which the second pass leaves alone */
		before.is_present &= blockIdx.x == 0;
		T total;
		if constexpr (is_in_out)
			total = scan_one<first_pass>(shared.between, arguments, between(arguments), before);
		else if (blockIdx.x > 0)
			total = scan_one<first_pass>(shared.between, arguments, between(arguments), before);
		else
			total = scan_one<P>(
				shared.out, arguments, static_cast<typename P::output *>(arguments.out), before);
		if (threadIdx.x == 0 && blockIdx.x + 1 < arguments.tiles)
			store_partial<P>(arguments, blockIdx.x, combine<P>(before, {total, true}).value);
	}

	/* The launch that fans out: block b has tile b + 1. */
	static __device__ __forceinline__ void fan_out(const scan_arguments &arguments)
	{
		using Q = second_pass;
		const u64 first = u64(blockIdx.x + 1) * P::tile, left = arguments.count - first;
		const T *from = between(arguments) + first;
		typename P::output *out = static_cast<typename P::output *>(arguments.out) + first;
		begin_pass(arguments);
		const T prefix = load_partial<P>(arguments, blockIdx.x);
		if (left >= P::tile && is_aligned<Q>(from) && is_aligned<Q>(out))
			put_in_front<true>(out, from, P::tile, prefix);
		else
			put_in_front<false>(out, from, left < P::tile ? int(left) : P::tile, prefix);
	}

private:
	template <class Q> static __device__ __forceinline__ T scan_one(typename block_scan<Q>::storage &shared,
		const scan_arguments &arguments, typename Q::output *out, maybe<T> before)
	{
		const u64 first = u64(blockIdx.x) * P::tile, left = arguments.count - first;
		const typename P::input *in = static_cast<const typename P::input *>(arguments.in) + first;
		out += first;
		if (left >= P::tile && is_aligned<Q>(in) && is_aligned<Q>(out) && !before.is_present)
			return scan_tile<Q, true, false>(shared, out, in, first, P::tile, before);
		return scan_tile<Q, false, false>(
			shared, out, in, first, left < P::tile ? int(left) : P::tile, before);
	}

	/* In front of every result of a tile; an exclusive scan's first has nothing of the tile in it. */
	template <bool is_full> static __device__ __forceinline__ void put_in_front(
		typename P::output *out, const T *from, int count, T prefix)
	{
		using Q = second_pass;
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
		slice<Q, is_full> part(lane, slice_count<Q>(count, warp));
		typename P::output result[Q::rows][Q::vector];
		part.load(from + warp * Q::slice);
		out += warp * Q::slice;
#pragma unroll
		for (int r = 0; r < Q::rows; r++)
#pragma unroll
			for (int i = 0; i < Q::vector; i++) {
				const bool is_head = P::is_exclusive && r == 0 && i == 0 && threadIdx.x == 0;
				if (is_head)
					result[r][i] = store_element<Q>(prefix);
				else if (is_full || i < part.where.in_vector(r))
					result[r][i] = store_element<Q>(P::op::apply(prefix, part.item[r][i]));
			}
		part.store_rows(out, result);
	}
};

} // namespace scan

SCAN_PHASE(scan)
{
	scan::fan<scan::policy>::scan(arguments);
}

SCAN_PHASE(scan_partials)
{
	scan::fan<scan::partials_of<scan::policy>>::scan(arguments);
}

SCAN_PHASE(fan)
{
	scan::fan<scan::policy>::fan_out(arguments);
}

SCAN_PHASE(fan_partials)
{
	scan::fan<scan::partials_of<scan::policy>>::fan_out(arguments);
}

#endif
