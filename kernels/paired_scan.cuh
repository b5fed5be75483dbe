/* SPDX-License-Identifier: MIT
 *
 * Narrow elements of a lane, scanned two at a time: the first and the second half of the lane's elements side by side
 * in the halves of registers, since neighbours would have to wait for one another.
 *
 *   reduce(first_half, word)         the combination of all elements, and of the first half
 *   scan(word, before, first_half)   the results in place, from what comes before the lane and reduce()'s first_half
 *
 * A byte takes the high half of its 16 bits.  The low one holds another byte, which decides only between equal ones,
 * and is never part of a result.
 */
#ifndef SCAN_PAIRED_SCAN_CUH
#define SCAN_PAIRED_SCAN_CUH

#include "vector_scan.cuh"

namespace scan {

/* What a half of a register holds. */
template <class T> struct pair_element { using type = T; };
template <> struct pair_element<i8> { using type = i16; };
template <> struct pair_element<u8> { using type = u16; };

template <class T, class Op> __device__ __forceinline__ u32 apply_each(u32 earlier, u32 later)
{
	using U = unsigned_t<T>;
	const T low = Op::apply(bit_cast<T>(U(earlier)), bit_cast<T>(U(later)));
	const T high = Op::apply(bit_cast<T>(U(earlier >> 16)), bit_cast<T>(U(later >> 16)));
	return bit_cast<U>(low) | u32(bit_cast<U>(high)) << 16;
}

/* Two operations at once.  The instructions are those of apply() bit for bit. */
template <class T, class Op> __device__ __forceinline__ u32 apply_pair(u32 earlier, u32 later)
{
	u32 y;
	constexpr bool is_max = same_type<Op, op_max>::value;
	(void)is_max;
#if __CUDA_ARCH__ >= 900
	if constexpr (same_type<T, i16>::value && is_max)
		asm("max.s16x2 %0, %1, %2;" : "=r"(y) : "r"(earlier), "r"(later));
	else if constexpr (same_type<T, i16>::value)
		asm("min.s16x2 %0, %1, %2;" : "=r"(y) : "r"(earlier), "r"(later));
	else if constexpr (same_type<T, u16>::value && is_max)
		asm("max.u16x2 %0, %1, %2;" : "=r"(y) : "r"(earlier), "r"(later));
	else if constexpr (same_type<T, u16>::value)
		asm("min.u16x2 %0, %1, %2;" : "=r"(y) : "r"(earlier), "r"(later));
	else
#endif
#if __CUDA_ARCH__ >= 800
	if constexpr (same_type<T, f16>::value && is_max)
		asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(y) : "r"(earlier), "r"(later));
	else if constexpr (same_type<T, f16>::value)
		asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(y) : "r"(earlier), "r"(later));
	else if constexpr (same_type<T, bf16>::value && is_max)
		asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(earlier), "r"(later));
	else if constexpr (same_type<T, bf16>::value)
		asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(y) : "r"(earlier), "r"(later));
	else
#endif
		y = apply_each<T, Op>(earlier, later);
	return y;
}

template <class P> struct paired_scan {
	using T = typename P::value;
	using element = typename pair_element<T>::type;
	enum : int { words = 4 * P::rows, half = words / 2 };
	enum : bool { has_bytes = sizeof(T) == 1 };

	static __device__ __forceinline__ T reduce(T &first_half, const u32 (&word)[words])
	{
		const u32 first = combine_all(word, 0), second = combine_all(word, half);
		const u32 each = apply(pick_bytes(first, second, 0x5410), pick_bytes(first, second, 0x7632));
		first_half = low_of(each);
		return low_of(apply(each, each >> 16));
	}

	static __device__ __forceinline__ void scan(u32 (&word)[words], T before, T first_half)
	{
		u32 running = pair(before, P::op::apply(before, first_half));
#pragma unroll
		for (int i = 0; i < half; i++) {
			const u32 low = pick_bytes(word[i], word[i + half], 0x5410);
			const u32 high = pick_bytes(word[i], word[i + half], 0x7632);
			if constexpr (has_bytes)
				scan_bytes(word[i], word[i + half], running, low, high);
			else
				scan_halves(word[i], word[i + half], running, low, high);
		}
	}

private:
	static __device__ __forceinline__ u32 apply(u32 earlier, u32 later)
	{
		return apply_pair<element, typename P::op>(earlier, later);
	}

	/* Half of the words, their first and their second elements (of bytes, their odd ones) by themselves. */
	static __device__ __forceinline__ u32 combine_all(const u32 (&word)[words], int first)
	{
		u32 all = word[first], even = word[first] << 8;
#pragma unroll
		for (int i = 1; i < half; i++) {
			all = apply(all, word[first + i]);
			if constexpr (has_bytes)
				even = apply(even, word[first + i] << 8);
		}
		return has_bytes ? apply(even, all) : all;
	}

	static __device__ __forceinline__ void scan_bytes(u32 &first, u32 &second, u32 &running, u32 low, u32 high)
	{
		const u32 r0 = apply(running, low << 8), r1 = apply(r0, low);
		const u32 r2 = apply(r1, high << 8), r3 = apply(r2, high);
		u32 results[2];
		if constexpr (P::is_exclusive) {
			results[0] = pick_bytes(running, r0, 0x7351);
			results[1] = pick_bytes(r1, r2, 0x7351);
		} else {
			results[0] = pick_bytes(r0, r1, 0x7351);
			results[1] = pick_bytes(r2, r3, 0x7351);
		}
		first = pick_bytes(results[0], results[1], 0x5410);
		second = pick_bytes(results[0], results[1], 0x7632);
		running = r3;
	}

	static __device__ __forceinline__ void scan_halves(u32 &first, u32 &second, u32 &running, u32 low, u32 high)
	{
		const u32 r0 = apply(running, low), r1 = apply(r0, high);
		const u32 left = P::is_exclusive ? running : r0, right = P::is_exclusive ? r0 : r1;
		first = pick_bytes(left, right, 0x5410);
		second = pick_bytes(left, right, 0x7632);
		running = r1;
	}

	static __device__ __forceinline__ u32 bits_of(T x)
	{
		return u32(bit_cast<unsigned_t<T>>(x));
	}
	static __device__ __forceinline__ u32 pair(T low, T high)
	{
		return pick_bytes(bits_of(low), bits_of(high), has_bytes ? 0x4400 : 0x5410);
	}
	static __device__ __forceinline__ T low_of(u32 pair)
	{
		return bit_cast<T>(unsigned_t<T>(has_bytes ? pair >> 8 : pair));
	}
};

/* Minima and maxima of one and two bytes: their identity changes nothing, so that the first lane of all needs no path
 * of its own, and no result depends on the order of combination. */
template <class P> struct is_paired {
	enum : bool {
		value = is_narrow<P, op_min, 1>::value || is_narrow<P, op_max, 1>::value ||
			is_narrow<P, op_min, 2>::value || is_narrow<P, op_max, 2>::value
	};
};

} // namespace scan

#endif
