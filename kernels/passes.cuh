/* SPDX-License-Identifier: MIT
 *
 * Passes over the data, from which the strategies of several launches are made: each launch is one pass, and what a
 * pass needs of another has been written by an earlier launch.  Blocks of one launch exchange nothing.
 *
 * All functions are called by a whole block, converged.
 */
#ifndef SCAN_PASSES_CUH
#define SCAN_PASSES_CUH

#include "block_scan.cuh"

namespace scan {

constexpr int whole_vector(int vector, int size)
{
	return vector > 1 && vector * size > 16 ? whole_vector(vector / 2, size) : vector;
}

/* P with arrays of other types: as many elements a vector as fit into 16 bytes, and a power of two of them.  What the
 * caller converts, it converts once: where accumulators are read or written, `loads` or `stores` is not set. */
template <class P, class In, class Out, bool loads, bool stores> struct with_arrays : P {
	using input = In;
	using output = Out;
	enum : bool { has_load = loads && P::has_load, has_store = stores && P::has_store };
	enum : int { widest = sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out) };
	enum : int { vector = whole_vector(P::vector, widest) };
	enum : int { rows = P::items / vector };
};

/* The partials are scanned, too, wherever there are many of them: inclusive, in place, and for the next launch. */
template <class P> struct partials_of : with_arrays<P, typename P::value, typename P::value, false, false> {
	enum : bool { is_exclusive = false, has_initial = false };
	static __device__ constexpr circuit how_in_block() { return circuit::warps; }
	static __device__ constexpr access load() { return access::plain; }
	static __device__ constexpr access store() { return access::plain; }
};

/* What is read again by a later launch stays in the L2 cache, if it fits. */
template <class P> struct read_twice : P {
	static __device__ constexpr access load() { return access::plain; }
};

/* The begin of every pass, before it touches memory.  The next launch may take its place only from here on, when the
 * one before this has ended: blocks of a third launch would only hold room that blocks of these two can use. */
__device__ __forceinline__ void begin_pass(const scan_arguments &arguments)
{
	wait_for_previous_launch();
	allow_next_launch();
	take_state(arguments.state);
}

/* Partial `index`, read once a warp. */
template <class P> __device__ __forceinline__ typename P::value load_partial(const scan_arguments &arguments, u64 index)
{
	typename P::value partial;
	if (threadIdx.x % warp_size == 0)
		partial = static_cast<const typename P::value *>(arguments.partials)[index];
	return shuffle_value<shuffle::from>(partial, 0);
}

template <class P> __device__ __forceinline__ void store_partial(const scan_arguments &arguments, u64 index,
	typename P::value partial)
{
	static_cast<typename P::value *>(arguments.partials)[index] = partial;
}

/* Scans one tile behind `prefix` and returns its total, the prefix not included, valid in warps whose slice has an
 * element; `first` is the tile's place in the array; the circuit's barriers, and `shared` may be reused after one more.
 * If is_full, all of the tile exists and
 * the arrays are aligned to vectors; has_prefix says at compile time that the prefix is present. */
template <class P, bool is_full, bool has_prefix>
__device__ __forceinline__ typename P::value scan_tile(typename block_scan<P>::storage &shared, typename P::output *out,
	const typename P::input *in, u64 first, int count, maybe<typename P::value> prefix)
{
	const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
	slice<P, is_full> part(lane, slice_count<P>(count, warp), first + warp * P::slice);
	part.load(in + warp * P::slice);
	auto block = block_scan<P>::run(part, shared, count, warp, lane);
	if (part.has_total())
		part.template store<has_prefix>(out + warp * P::slice, combine<P>(prefix, block.earlier));
	return block.total;
}

/* The pass of every block over its tiles, `chunk` of them or one: scans them one after another, each behind all before
 * it.  What comes before a chunk is a partial, and before the first chunk the initial value. */
template <class P, bool is_chunked> __device__ __forceinline__ void scan_pass(const scan_arguments &arguments)
{
	using T = typename P::value;
	/* Two by turns, so that tiles need no barrier between them: whoever is at the tile after the next has met a
	 * barrier of the next tile, and there all had done with this one. */
	__shared__ typename block_scan<P>::storage shared[is_chunked ? 2 : 1];
	const u32 chunk = is_chunked ? arguments.chunk : 1;
	const typename P::input *in = static_cast<const typename P::input *>(arguments.in);
	typename P::output *out = static_cast<typename P::output *>(arguments.out);
	const bool is_whole = is_aligned<P>(in) && is_aligned<P>(out);
	begin_pass(arguments);
	maybe<T> prefix = initial_value<P>(arguments);
	if (blockIdx.x > 0)
		prefix = {load_partial<P>(arguments, blockIdx.x - 1), true};
	u64 first = u64(blockIdx.x) * chunk * P::tile;
	for (u32 i = 0; i < chunk && first < arguments.count; i++, first += P::tile) {
		const u64 left = arguments.count - first;
		T total;
		if (is_whole && left >= P::tile && prefix.is_present)
			total = scan_tile<P, true, true>(
				shared[i % 2], out + first, in + first, first, P::tile, prefix);
		else
			total = scan_tile<P, false, false>(shared[i % 2], out + first, in + first, first,
				left < P::tile ? int(left) : P::tile, prefix);
		if (first + P::tile < arguments.count) /* in the last tile, some warps may have no total */
			prefix = combine<P>(prefix, {total, true});
	}
}

/* Folds slices into a warp's total. */
template <class P> struct warp_total {
	using T = typename P::value;
	maybe<T> part; /* of each lane, if values may be reordered; else of all, in lane 0 */

	template <bool is_full> __device__ __forceinline__ void add(const typename P::input *in, u64 first, int lane)
	{
		slice<P, is_full> more(lane, P::slice, first);
		T row[P::rows];
		more.load(in);
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			row[r] = more.item[r][0];
#pragma unroll
			for (int i = 1; i < P::vector; i++)
				row[r] = P::op::apply(row[r], more.item[r][i]);
			if constexpr (!may_reorder<P>())
				row[r] = warp_reduce<P>(row[r], warp_size, lane);
		}
		if (!may_reorder<P>() && lane > 0)
			return; /* a row's combination is lane 0's alone */
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			part = combine<P>(part, {row[r], true});
	}

	/* Valid in lane 0. */
	__device__ __forceinline__ T finish(int lane) const
	{
		return may_reorder<P>() ? warp_reduce<P>(part.value, warp_size, lane) : part.value;
	}
};

/* The pass of every block that reduces its tiles, all of which exist, to a partial; the first partial has the initial
 * value in front.  Each warp folds its own contiguous part of the chunk, so that there is one barrier in all. */
template <class P, bool is_chunked> __device__ __forceinline__ void reduce_pass(const scan_arguments &arguments)
{
	using T = typename P::value;
	__shared__ T total[P::warps];
	const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
	const typename P::input *in = static_cast<const typename P::input *>(arguments.in);
	const bool is_whole = is_aligned<P>(in);
	const u32 chunk = is_chunked ? arguments.chunk : 1;
	warp_total<P> mine = {{T(), false}};
	begin_pass(arguments);
	u64 first = (u64(blockIdx.x) * P::warps + warp) * chunk * P::slice;
	for (u32 i = 0; i < chunk; i++, first += P::slice)
		if (is_whole)
			mine.template add<true>(in + first, first, lane);
		else
			mine.template add<false>(in + first, first, lane);
	T sum = mine.finish(lane);
	if (lane == 0)
		total[warp] = sum;
	__syncthreads();
	if (warp > 0)
		return;
	if (lane < P::warps)
		sum = total[lane];
	sum = warp_reduce<P>(sum, P::warps, lane);
	maybe<T> before = initial_value<P>(arguments);
	before.is_present &= blockIdx.x == 0;
	if (lane == 0)
		store_partial<P>(arguments, blockIdx.x, combine<P>(before, {sum, true}).value);
}

} // namespace scan

#endif
