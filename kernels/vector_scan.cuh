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
 * Narrow integers have versions that keep several elements in a register.
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

/* Bytes, four a register: their even and their odd ones in two registers of 16-bit lanes.  Op supplies
 *   even_bytes, odd_bytes, carry_bytes   selectors: a lane from each such byte, and both lanes from the last result
 *   spread(x)                            x in both lanes
 *   pair(a, b)                           combines lane by lane
 *   prefix(pairs, before)                results of the odd bytes; `before` is in both lanes
 *   after_even(even, odd, pair_before, after_odd)   results of the even bytes
 *   reduce(words)                        all bytes, in the low one */
template <class P, class Op> struct byte_vector_scan {
	using T = typename P::value;
	enum : int { words = 4 };

	static __device__ __forceinline__ T reduce(const T (&raw)[P::vector], u64)
	{
		u32 word[words];
		memcpy(word, raw, sizeof word);
		return T(Op::reduce(word));
	}

	static __device__ __forceinline__ void scan(T (&result)[P::vector], const T (&raw)[P::vector], T &running, u64)
	{
		u32 word[words];
		memcpy(word, raw, sizeof word);
		u32 before = Op::spread(running);
#pragma unroll
		for (int i = 0; i < words; i++) {
			u32 even = pick_bytes(word[i], 0, Op::even_bytes), odd = pick_bytes(word[i], 0, Op::odd_bytes);
			u32 after_odd = Op::prefix(Op::pair(even, odd), before);
			u32 pair_before = pick_bytes(before, after_odd, 0x5410);
			u32 after_even = Op::after_even(even, odd, pair_before, after_odd);
			if constexpr (P::is_exclusive)
				word[i] = pick_bytes(pair_before, after_even, 0x6240);
			else
				word[i] = pick_bytes(after_even, after_odd, 0x6240);
			before = pick_bytes(after_odd, 0, Op::carry_bytes);
		}
		running = T(before);
		memcpy(result, word, sizeof word);
	}
};

/* Sums modulo 256.  A lane holds at most 2 * 255 + 2 * 255 + 255 before it is cut to a byte again. */
struct byte_sum {
	enum : u32 { even_bytes = 0x4240, odd_bytes = 0x4341, carry_bytes = 0x4242 };

	static __device__ __forceinline__ u32 spread(u32 x) { return (x & 0xff) * 0x00010001u; }
	static __device__ __forceinline__ u32 pair(u32 even, u32 odd) { return even + odd; }
	static __device__ __forceinline__ u32 prefix(u32 pairs, u32 before) { return pairs * 0x00010001u + before; }
	static __device__ __forceinline__ u32 after_even(u32, u32 odd, u32, u32 after_odd) { return after_odd - odd; }
	static __device__ __forceinline__ u32 reduce(const u32 (&word)[4])
	{
		u32 total = 0;
#pragma unroll
		for (int i = 0; i < 4; i++)
			asm("dp4a.u32.u32 %0, %1, %2, %0;" : "+r"(total) : "r"(word[i]), "r"(0x01010101u));
		return total;
	}
};

/* Minima and maxima: 16-bit lanes hold a byte of either sign. */
template <bool is_max, bool is_signed> struct byte_extreme {
	enum : u32 { even_bytes = is_signed ? 0xa280 : 0x4240, odd_bytes = is_signed ? 0xb391 : 0x4341 };
	enum : u32 { carry_bytes = 0x3232 };

	static __device__ __forceinline__ u32 spread(i32 x) { return pick_bytes(u32(x), 0, 0x1010); }
	static __device__ __forceinline__ u32 pair(u32 a, u32 b)
	{
		u32 y;
		if constexpr (is_max)
			asm("max.s16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
		else
			asm("min.s16x2 %0, %1, %2;" : "=r"(y) : "r"(a), "r"(b));
		return y;
	}
	static __device__ __forceinline__ u32 prefix(u32 pairs, u32 before)
	{
		return pair(pair(pairs, pick_bytes(pairs, 0, 0x1010)), before);
	}
	static __device__ __forceinline__ u32 after_even(u32 even, u32, u32 pair_before, u32)
	{
		return pair(even, pair_before);
	}
	static __device__ __forceinline__ u32 reduce(const u32 (&word)[4])
	{
		u32 total = pair(pick_bytes(word[0], 0, even_bytes), pick_bytes(word[0], 0, odd_bytes));
#pragma unroll
		for (int i = 1; i < 4; i++)
			total = pair(total,
				pair(pick_bytes(word[i], 0, even_bytes), pick_bytes(word[i], 0, odd_bytes)));
		return pair(total, pick_bytes(total, 0, 0x3232));
	}
};

/* Sums of 16-bit integers, two a register.  What lies above the low half of a sum is of no account. */
template <class P> struct half_vector_scan {
	using T = typename P::value;
	enum : int { words = 4 };

	static __device__ __forceinline__ T reduce(const T (&raw)[P::vector], u64)
	{
		u32 word[words], total = 0;
		memcpy(word, raw, sizeof word);
#pragma unroll
		for (int i = 0; i < words; i++)
			total += word[i] + (word[i] >> 16);
		return T(total);
	}

	static __device__ __forceinline__ void scan(T (&result)[P::vector], const T (&raw)[P::vector], T &running, u64)
	{
		u32 word[words], before = u32(running);
		memcpy(word, raw, sizeof word);
#pragma unroll
		for (int i = 0; i < words; i++) {
			u32 after_low = word[i] + before, after_high = after_low + (word[i] >> 16);
			word[i] = P::is_exclusive ? pick_bytes(before, after_low, 0x5410) :
				pick_bytes(after_low, after_high, 0x5410);
			before = after_high;
		}
		running = T(before);
		memcpy(result, word, sizeof word);
	}
};

template <class P, class Op, int size> struct is_narrow {
	using T = typename P::value;
	enum : bool {
		value = type_traits<T>::is_integer && sizeof(T) == size && same_type<typename P::op, Op>::value &&
			same_type<typename P::input, T>::value && same_type<typename P::output, T>::value &&
			!user_facts::has_load && !user_facts::has_store
	};
};

template <bool condition, class A, class B> struct choose { using type = A; };
template <class A, class B> struct choose<false, A, B> { using type = B; };
template <bool condition, class A, class B> using choose_t = typename choose<condition, A, B>::type;

template <class P> using byte_max = byte_vector_scan<P, byte_extreme<true, type_traits<typename P::value>::is_signed>>;
template <class P> using byte_min = byte_vector_scan<P, byte_extreme<false, type_traits<typename P::value>::is_signed>>;

template <class P> using vector_scan = choose_t<is_narrow<P, op_sum, 1>::value, byte_vector_scan<P, byte_sum>,
	choose_t<is_narrow<P, op_max, 1>::value, byte_max<P>,
		choose_t<is_narrow<P, op_min, 1>::value, byte_min<P>,
			choose_t<is_narrow<P, op_sum, 2>::value, half_vector_scan<P>, plain_vector_scan<P>>>>>;

} // namespace scan

#endif
