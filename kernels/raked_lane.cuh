/* SPDX-License-Identifier: MIT
 *
 * A lane's elements in a raked slice in shared memory, of which the first `present` exist, or none where that is not
 * positive: the array's last slice has lanes with all of theirs, one with some, and others without any.  They are
 * combined in the tree of a full slice.  And how such a slice comes to shared memory, which is the warp's.
 */
#ifndef SCAN_RAKED_LANE_CUH
#define SCAN_RAKED_LANE_CUH

#include "slice.cuh"
#include "vector_scan.cuh"

namespace scan {

template <class P> struct raked_lane {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;
	using vector = vector_scan<P>;
	enum : int { vector_bytes = P::vector * int(sizeof(input)) };
	/* Elements that become wider values for a dear operator of the caller's: few copies of it, so that they stay
	 * in the instruction cache and the compiler's time in bounds.  All slices are scanned as parts then. */
	enum : bool {
		is_rolled = same_type<typename P::op, op_user>::value && !P::op::is_commutative && sizeof(T) > 8 &&
			sizeof(T) > sizeof(input)
	};
	enum : int { piece = is_rolled && P::vector > 4 ? 4 : P::vector, pieces = P::items / piece };

	char *slice;   /* in shared memory */
	char *results; /* likewise; the same place where the types have one size */
	int lane;

	/* Of the lane's r-th vector in the slice. */
	__device__ __forceinline__ u32 index(int r) const { return (lane * P::rows + r) * P::vector; }

	/* What the lane's elements combine to, as in a full slice; without a meaning where there is none. */
	__device__ __forceinline__ T reduce(u64 first, int present) const
	{
		T total;
#pragma unroll 1
		for (int r = 0; r < pieces && r * piece < present; r++) {
			const u32 at = index(0) + r * piece;
			input raw[piece];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(slice) + at);
			T sum = load_element<P>(raw[0], first + at);
#pragma unroll
			for (int i = 1; i < piece; i++)
				if (r * piece + i < present)
					sum = P::op::apply(sum, load_element<P>(raw[i], first + at + i));
			total = r > 0 ? P::op::apply(total, sum) : sum;
		}
		return total;
	}

	/* Leaves their results in their place. */
	__device__ __forceinline__ void scan(maybe<T> before, u64 first, int present) const
	{
#pragma unroll 1
		for (int r = 0; r < pieces && r * piece < present; r++) {
			const u32 at = index(0) + r * piece;
			input raw[piece];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(slice) + at);
#pragma unroll
			for (int i = 0; i < piece; i++)
				if (r * piece + i < present)
					reinterpret_cast<output *>(results)[at + i] =
						step(before, load_element<P>(raw[i], first + at + i));
		}
	}

	/* As vector_scan has it, also where nothing comes before the first element. */
	__device__ __forceinline__ void scan_vector(output (&result)[P::vector], const input (&raw)[P::vector],
		T &running, bool is_first, u64 first) const
	{
		if (is_first)
			plain_vector_scan<P>::begin(result, raw, running, first);
		else
			vector::scan(result, raw, running, first);
	}

	/* Brings a part from global memory: by vectors as far as there are any, and what is left of one at the same
	 * time.  What follows the last element in its vector becomes zero, since vectors are read whole. */
	__device__ __forceinline__ void load(const input *in, int count) const
	{
		input *const to = reinterpret_cast<input *>(slice);
		const bool is_aligned = address_of(in) % 16 == 0;
		const int vectors = is_aligned ? count / P::vector : 0, left = is_aligned ? count % P::vector : 0;
		if (count % P::vector > 0 && lane < vector_bytes)
			slice[count / P::vector * vector_bytes + lane] = 0;
		input raw[P::rows][P::vector], last[1];
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			if (r * warp_size + lane < vectors)
				load_vector<P::load()>(raw[r], in + (r * warp_size + lane) * P::vector);
		if (lane < left)
			last[0] = in[vectors * P::vector + lane];
		__syncwarp(); /* elements come after the zeros */
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			if (r * warp_size + lane < vectors)
				store_vector<access::plain>(to + (r * warp_size + lane) * P::vector, raw[r]);
		if (lane < left)
			to[vectors * P::vector + lane] = last[0];
		if (!is_aligned)
			load_elements(in, 0, count);
		__syncwarp(); /* a lane's elements were brought by others */
	}

	/* Of paired scans, which their identity makes no difference to, behind the last element of a part: the slice is
	 * then as good as a full one. */
	__device__ __forceinline__ void fill(u32 in_shift, int count) const
	{
		input whole[P::vector];
#pragma unroll
		for (int i = 0; i < P::vector; i++)
			whole[i] = P::op::template identity<T>();
		char *const end = slice + in_shift + P::slice * int(sizeof(input));
		input *const from = reinterpret_cast<input *>(slice + in_shift) + count;
		const u32 in_part = -u32(shared_address(from)) % 16;
		if (lane * sizeof(input) < in_part)
			from[lane] = whole[0];
#pragma unroll 1
		for (char *at = reinterpret_cast<char *>(from) + in_part + lane * 16; at < end; at += warp_size * 16)
			store_vector<access::plain>(reinterpret_cast<input *>(at), whole);
		__syncwarp(); /* a lane's elements were written by others */
	}

private:
	/* Brings the elements from `from` on, many loads at once. */
	__device__ __forceinline__ void load_elements(const input *in, int from, int count) const
	{
		constexpr int most = P::items < 28 ? int(P::items) : 28;
#pragma unroll 1
		for (int i = from + lane; i < count; i += most * warp_size) {
			input raw[most];
#pragma unroll
			for (int b = 0; b < most; b++)
				if (i + b * warp_size < count)
					raw[b] = in[i + b * warp_size];
#pragma unroll
			for (int b = 0; b < most; b++)
				if (i + b * warp_size < count)
					reinterpret_cast<input *>(slice)[i + b * warp_size] = raw[b];
		}
	}

	/* The result of an element, and what comes before the next one. */
	static __device__ __forceinline__ output step(maybe<T> &before, T element)
	{
		const T after = before.is_present ? P::op::apply(before.value, element) : element;
		T result = after;
		if constexpr (P::is_exclusive && P::has_initial)
			result = before.value;
		else if constexpr (P::is_exclusive)
			result = before.is_present ? before.value : P::op::template identity<T>();
		before = {after, true};
		return store_element<P>(result);
	}
};

} // namespace scan

#endif
