/* SPDX-License-Identifier: MIT
 *
 * The work of one lane on one 16-byte vector of elements, when it holds all that comes before it: reduction, and a scan
 * that ends in the output type.
 *
 *   reduce(raw, first)                 the combination of the vector's elements
 *   scan(result, raw, before, first)   the results, from what comes before the vector; `before` becomes what comes
 *                                      before the next one
 *
 * `first` is the place of the vector's first element in the array, for conversions that ask.
 *
 * Sums of narrow integers have a version for several elements in a register; paired_scan.cuh has minima and maxima.
 */
#ifndef SCAN_VECTOR_SCAN_CUH
#define SCAN_VECTOR_SCAN_CUH

#include "policy.cuh"

namespace scan {

/* One element after another. */
template <class P> struct plain_vector_scan {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;

	static __device__ __forceinline__ T reduce(const input (&raw)[P::vector], u64 first)
	{
		T total = load_element<P>(raw[0], first);
#pragma unroll
		for (int i = 1; i < P::vector; i++)
			total = P::op::apply(total, load_element<P>(raw[i], first + i));
		return total;
	}

	static __device__ __forceinline__ void scan(
		output (&result)[P::vector], const input (&raw)[P::vector], T &before, u64 first)
	{
#pragma unroll
		for (int i = 0; i < P::vector; i++) {
			T after = P::op::apply(before, load_element<P>(raw[i], first + i));
			result[i] = store_element<P>(P::is_exclusive ? before : after);
			before = after;
		}
	}

	/* The same for the first vector of all, which nothing comes before. */
	static __device__ __forceinline__ void begin(
		output (&result)[P::vector], const input (&raw)[P::vector], T &running, u64 first)
	{
		running = load_element<P>(raw[0], first);
		if constexpr (P::is_exclusive && !P::has_initial) /* with an initial value this is never called */
			result[0] = store_element<P>(P::op::template identity<T>());
		else
			result[0] = store_element<P>(running);
#pragma unroll
		for (int i = 1; i < P::vector; i++) {
			T after = P::op::apply(running, load_element<P>(raw[i], first + i));
			result[i] = store_element<P>(P::is_exclusive ? running : after);
			running = after;
		}
	}
};

/* Byte i of the result is the byte of (low, high) that nibble i of the selector names; 8 added to a nibble spreads that
 * byte's sign. */
__device__ __forceinline__ u32 pick_bytes(u32 low, u32 high, u32 selector)
{
	u32 y;
	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(y) : "r"(low), "r"(high), "r"(selector));
	return y;
}

/* Sums of four bytes a register modulo 256, or of two 16-bit integers modulo 65536: each result is a dot product of the
 * word with so many ones, which the one for the next does not wait for.  What lies above the low byte or half of a sum
 * is of no account. */
template <class P> struct narrow_vector_sum {
	using T = typename P::value;
	enum : int { words = 4, per_word = 4 / int(sizeof(T)) };

	static __device__ __forceinline__ T reduce(const T (&raw)[P::vector], u64)
	{
		u32 word[words], total = 0;
		memcpy(word, raw, sizeof word);
#pragma unroll
		for (int i = 0; i < words; i++)
			total = add_first<per_word>(total, word[i]);
		return T(total);
	}

	static __device__ __forceinline__ void scan(T (&result)[P::vector], const T (&raw)[P::vector], T &running, u64)
	{
		u32 word[words], before = u32(running);
		memcpy(word, raw, sizeof word);
#pragma unroll
		for (int i = 0; i < words; i++) {
			u32 after[1 + per_word] = {before};
			add_each(after, word[i]);
			word[i] = join(after + !P::is_exclusive);
			before = after[per_word];
		}
		running = T(before);
		memcpy(result, word, sizeof word);
	}

private:
	/* The sum of x and the first `count` elements of the word. */
	template <int count> static __device__ __forceinline__ u32 add_first(u32 x, u32 word)
	{
		constexpr u32 ones = 0x01010101u >> (32 - 8 * count);
		if constexpr (sizeof(T) == 1)
			asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(x) : "r"(word), "r"(ones), "r"(x));
		else
			asm("dp2a.lo.u32.u32 %0, %1, %2, %3;" : "=r"(x) : "r"(word), "r"(ones), "r"(x));
		return x;
	}

	static __device__ __forceinline__ void add_each(u32 (&after)[1 + per_word], u32 word)
	{
		after[1] = add_first<1>(after[0], word);
		after[2] = add_first<2>(after[0], word);
		if constexpr (per_word == 4) {
			after[3] = add_first<3>(after[0], word);
			after[4] = add_first<4>(after[0], word);
		}
	}

	/* The low bytes or halves of as many results. */
	static __device__ __forceinline__ u32 join(const u32 *x)
	{
		if constexpr (per_word == 4)
			return pick_bytes(pick_bytes(x[0], x[1], 0x0040), pick_bytes(x[2], x[3], 0x0040), 0x5410);
		else
			return pick_bytes(x[0], x[1], 0x5410);
	}
};

/* Whether P scans elements of one type as they are, of `size` bytes, by Op. */
template <class P, class Op, int size> struct is_narrow {
	using T = typename P::value;
	enum : bool {
		value = sizeof(T) == size && same_type<typename P::op, Op>::value &&
			same_type<typename P::input, T>::value && same_type<typename P::output, T>::value &&
			!user_facts::has_load && !user_facts::has_store
	};
};
template <class P, int size> struct is_narrow_sum {
	enum : bool { value = is_narrow<P, op_sum, size>::value && type_traits<typename P::value>::is_integer };
};

template <bool condition, class A, class B> struct choose { using type = A; };
template <class A, class B> struct choose<false, A, B> { using type = B; };
template <bool condition, class A, class B> using choose_t = typename choose<condition, A, B>::type;

template <class P> using vector_scan = choose_t<is_narrow_sum<P, 1>::value || is_narrow_sum<P, 2>::value,
	narrow_vector_sum<P>, plain_vector_scan<P>>;

} // namespace scan

#endif
