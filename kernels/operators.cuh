/* SPDX-License-Identifier: MIT
 *
 * The built-in operators.  apply(earlier, later) combines two adjacent partial results in array order; identity() is
 * only ever the first result of an exclusive scan, never an operand.
 */
#ifndef SCAN_OPERATORS_CUH
#define SCAN_OPERATORS_CUH

#include "types.cuh"

namespace scan {

template <class T> __device__ __forceinline__ T lowest()
{
	if constexpr (same_type<T, f16>::value)
		return f16{0xfc00};
	else if constexpr (same_type<T, bf16>::value)
		return bf16{0xff80};
	else if constexpr (same_type<T, f32>::value)
		return bit_cast<f32>(0xff800000u);
	else if constexpr (same_type<T, f64>::value)
		return bit_cast<f64>(0xfff0000000000000ull);
	else
		return type_traits<T>::is_signed ? T(unsigned_t<T>(1) << (8 * sizeof(T) - 1)) : T(0);
}

template <class T> __device__ __forceinline__ T highest()
{
	if constexpr (type_traits<T>::is_integer)
		return T(~lowest<T>());
	else if constexpr (same_type<T, f16>::value)
		return f16{0x7c00};
	else if constexpr (same_type<T, bf16>::value)
		return bf16{0x7f80};
	else if constexpr (same_type<T, f32>::value)
		return bit_cast<f32>(0x7f800000u);
	else
		return bit_cast<f64>(0x7ff0000000000000ull);
}

/* A NaN wins and stays; of equal values the bits are combined, which makes -0 less than +0.  Selections, no branches:
 * a scan does this for every element. */
template <bool is_max, class T> __device__ __forceinline__ T select_float(T earlier, T later)
{
	using U = unsigned_t<T>;
	bool is_later = is_max ? !(earlier >= later) : !(earlier <= later); /* or one of them is a NaN */
	T extreme = is_later && earlier == earlier ? later : earlier;
	U a = bit_cast<U>(earlier), b = bit_cast<U>(later);
	return earlier == later ? bit_cast<T>(is_max ? U(a & b) : U(a | b)) : extreme;
}

template <bool is_max> __device__ __forceinline__ f32 select_f32(f32 earlier, f32 later)
{
#if __CUDA_ARCH__ >= 800
	f32 y;
	if constexpr (is_max)
		asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(earlier), "f"(later));
	else
		asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(earlier), "f"(later));
	return y;
#else
	return select_float<is_max>(earlier, later);
#endif
}

/* max and min order the zeros, but prefer a number to a NaN. */
template <bool is_max> __device__ __forceinline__ f64 select_f64(f64 earlier, f64 later)
{
	f64 y;
	if constexpr (is_max)
		asm("{ .reg .pred p; .reg .f64 y; max.f64 y, %1, %2; setp.nan.f64 p, %1, %2; "
		    "selp.f64 %0, 0d7ff8000000000000, y, p; }" : "=d"(y) : "d"(earlier), "d"(later));
	else
		asm("{ .reg .pred p; .reg .f64 y; min.f64 y, %1, %2; setp.nan.f64 p, %1, %2; "
		    "selp.f64 %0, 0d7ff8000000000000, y, p; }" : "=d"(y) : "d"(earlier), "d"(later));
	return y;
}

template <bool is_max, class T> __device__ __forceinline__ T select(T earlier, T later)
{
	if constexpr (type_traits<T>::is_integer)
		return (earlier < later) == is_max ? later : earlier;
	else if constexpr (same_type<T, f32>::value)
		return select_f32<is_max>(earlier, later);
	else if constexpr (same_type<T, f64>::value)
		return select_f64<is_max>(earlier, later);
	else /* both operands are exact in f32, so the result is one of them */
		return convert<T>(select_f32<is_max>(widen(earlier), widen(later)));
}

/* What the operators need beside + and *, for types that are more than a number to have their own (monoids.cuh). */
template <class T> __device__ __forceinline__ T number(T, int value) { return convert<T>(value); }
template <class T> __device__ __forceinline__ T extreme(T, bool is_highest)
{
	return is_highest ? highest<T>() : lowest<T>();
}
template <class T> __device__ __forceinline__ T all_ones(T) { return T(~T(0)); }

struct op_sum {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		if constexpr (type_traits<T>::is_integer)
			return T(unsigned_t<T>(earlier) + unsigned_t<T>(later));
		else /* f32 holds the sum of two 16-bit floats well enough for one correct rounding */
			return convert<T>(widen(earlier) + widen(later));
	}
	template <class T> static __device__ __forceinline__ T identity() { return number(T{}, 0); }
};

struct op_prod {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		if constexpr (type_traits<T>::is_integer) /* u16 would be promoted to int, whose product overflows */
			return T(unsigned_t<T>(u64(unsigned_t<T>(earlier)) * u64(unsigned_t<T>(later))));
		else
			return convert<T>(widen(earlier) * widen(later));
	}
	template <class T> static __device__ __forceinline__ T identity() { return number(T{}, 1); }
};

struct op_min {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		return select<false>(earlier, later);
	}
	template <class T> static __device__ __forceinline__ T identity() { return extreme(T{}, true); }
};

struct op_max {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		return select<true>(earlier, later);
	}
	template <class T> static __device__ __forceinline__ T identity() { return extreme(T{}, false); }
};

struct op_and {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later) { return T(earlier & later); }
	template <class T> static __device__ __forceinline__ T identity() { return all_ones(T{}); }
};

struct op_or {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later) { return T(earlier | later); }
	template <class T> static __device__ __forceinline__ T identity() { return number(T{}, 0); }
};

struct op_xor {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later) { return T(earlier ^ later); }
	template <class T> static __device__ __forceinline__ T identity() { return number(T{}, 0); }
};

/* The last element that is not zero: not commutative, exact, for verification. */
struct op_last {
	enum : bool { is_commutative = false };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		return later != T(0) ? later : earlier;
	}
	template <class T> static __device__ __forceinline__ T identity() { return T(0); }
};

/* Composition of maps x -> slope x + offset modulo 2^(half the bits), slope in the high half: not commutative, exact,
 * every element matters; for verification. */
struct op_packed {
	enum : bool { is_commutative = false };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		constexpr int half = 4 * sizeof(T);
		constexpr u64 mask = (1ull << half) - 1;
		u64 slope = u64(later) >> half & mask, offset = u64(later) & mask;
		u64 product = slope * (u64(earlier) >> half & mask) & mask;
		u64 shifted = (slope * (u64(earlier) & mask) + offset) & mask;
		return T(product << half | shifted);
	}
	template <class T> static __device__ __forceinline__ T identity() { return T(T(1) << (4 * sizeof(T))); }
};

/* An operator whose applications the emulated device counts: the mark is a comment, which the compiler carries into the
 * PTX and neither repeats nor moves to where fewer or more threads would pass it. */
template <class Op> struct op_counted {
	enum : bool { is_commutative = Op::is_commutative };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		asm volatile("// @scan_apply");
		return Op::apply(earlier, later);
	}
	template <class T> static __device__ __forceinline__ T identity() { return Op::template identity<T>(); }
};

} // namespace scan

#endif
