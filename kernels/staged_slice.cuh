/* SPDX-License-Identifier: MIT
 *
 * One warp's slice of a tile in the ring's shared memory, by rows as slice.cuh has them: its reading and reduction.
 */
#ifndef SCAN_STAGED_SLICE_CUH
#define SCAN_STAGED_SLICE_CUH

#include "lookahead_stage.cuh"
#include "slice.cuh"

namespace scan {

/* The policy of a slice's part: as many rows as take few registers. */
template <class P> struct row_group : P {
	enum : int { vector_words = P::vector * int((sizeof(typename P::value) + 3) / 4) };
	enum : int { most = vector_words < 16 ? 16 / vector_words : 1 };
	enum : int { rows = P::rows < most ? P::rows : most };
	enum : int { items = rows * P::vector };
	enum : int { slice = items * warp_size };
};

/* One warp's slice of a tile that has arrived. */
template <class P> struct staged_slice {
	using T = typename P::value;
	using input = typename P::input;

	const char *stage; /* the slice's first element */
	u64 first;         /* its index in the whole array */
	bool is_aligned;   /* so that its vectors are, too */

	__device__ __forceinline__ staged_slice(
		const scan_arguments &arguments, const char *buffer, u32 k, u32 tile, int warp)
	    : first(u64(tile) * P::tile + warp * P::slice)
	{
		const u32 begin = u32(address_of(arguments.in)) & 15;
		is_aligned = begin == 0;
		stage = stage_of<P>(buffer, arguments, k) + begin + warp * slice_stride<P>(arguments);
	}

	/* The elements of a lane's vector in a row, those that exist, as values; the rows begin `skip` elements behind
	 * the slice's begin.  is_full: the slice is, and is_aligned. */
	template <class Q, bool is_full>
	__device__ __forceinline__ void read(
		T (&item)[P::vector], const slice_extent<Q, is_full> &where, int row, int skip = 0) const
	{
		const int offset = skip + where.offset(row, where.lane), given = where.in_vector(row);
		const char *from = stage + offset * int(sizeof(input));
		input raw[P::vector];
		const bool is_whole = given == P::vector || (has_parts<input, P::vector>() && given > 0);
		if (is_full || (is_aligned && is_whole))
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(from));
		else if (given > 0)
			load_unaligned(raw, from, given);
#pragma unroll
		for (int i = 0; i < P::vector; i++)
			if (is_full || i < given)
				item[i] = load_element<P>(raw[i], first + offset + i);
	}

	/* The rows that begin `skip` elements after the slice's begin. */
	template <class Q, bool is_full> __device__ __forceinline__ void load(slice<Q, is_full> &into, int skip) const
	{
#pragma unroll
		for (int r = 0; r < Q::rows; r++)
			read(into.item[r], into.where, r, skip);
	}

	/* The combination of the slice's `count` > 0 elements, valid in lane 0. */
	template <bool is_full> __device__ __forceinline__ T reduce(int lane, int count) const
	{
		const slice_extent<P, is_full> where = {lane, count};
		if constexpr (may_reorder<P>()) /* a lane may then combine its vectors of all rows first */
			return warp_reduce<P>(reduce_lane(where), where.in_row(0), lane);
		else
			return reduce_rows(where);
	}

private:
	/* A vector at any address in shared memory.  One that ends within the 16 bytes in which it has an element is
	 * read whole; what is larger may reach beyond all that was copied, and its elements are read one by one. */
	static __device__ __forceinline__ void load_unaligned(input (&raw)[P::vector], const char *from, int given)
	{
		if constexpr (has_parts<input, P::vector>()) {
			load_words(raw, from);
		} else {
#pragma unroll
			for (int i = 0; i < P::vector; i++)
				if (i < given)
					load_words(raw[i], from + i * int(sizeof(input)));
		}
	}

	/* From the aligned words that hold it, and no other: behind the tile's last element the next may be none that
	 * was copied. */
	template <class X> static __device__ __forceinline__ void load_words(X &to, const char *from)
	{
		constexpr int words = (int(sizeof(X)) + 3) / 4;
		const u32 shift = u32(address_of(from)) & 3;
		const u32 *aligned = reinterpret_cast<const u32 *>(from - shift);
		u32 word[words + 1];
#pragma unroll
		for (int i = 0; i < words; i++)
			word[i] = aligned[i];
		word[words] = shift + u32(sizeof(X)) > 4 * words ? aligned[words] : 0;
#pragma unroll
		for (int i = 0; i < words; i++)
			word[i] = __funnelshift_r(word[i], word[i + 1], 8 * shift);
		memcpy(&to, word, sizeof to);
	}

	template <bool is_full>
	__device__ __forceinline__ T reduce_vector(const slice_extent<P, is_full> &where, int row) const
	{
		T item[P::vector];
		read(item, where, row);
		T total = item[0];
#pragma unroll
		for (int i = 1; i < P::vector; i++)
			if (is_full || i < where.in_vector(row))
				total = P::op::apply(total, item[i]);
		return total;
	}

	template <bool is_full> __device__ __forceinline__ T reduce_rows(const slice_extent<P, is_full> &where) const
	{
		T total;
#pragma unroll(is_full ? P::rows : 1)
		for (int r = 0; r < P::rows; r++) {
			T row = warp_reduce<P>(reduce_vector(where, r), where.in_row(r), where.lane);
			if (r == 0)
				total = row;
			else if (where.in_row(r) > 0 && is_reduced(where.lane))
				total = P::op::apply(total, row);
		}
		return total;
	}

	template <bool is_full> __device__ __forceinline__ T reduce_lane(const slice_extent<P, is_full> &where) const
	{
		T total = reduce_vector(where, 0);
#pragma unroll(is_full ? P::rows : 1)
		for (int r = 1; r < P::rows; r++) {
			T row = reduce_vector(where, r);
			if (is_full || where.in_vector(r) > 0)
				total = P::op::apply(total, row);
		}
		return total;
	}
};

} // namespace scan

#endif
