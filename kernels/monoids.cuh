/* SPDX-License-Identifier: MIT
 *
 * The built-in types that are more than a number, and the operators on them.  As everywhere, apply(earlier, later)
 * combines adjacent partial results in array order.
 */
#ifndef SCAN_MONOIDS_CUH
#define SCAN_MONOIDS_CUH

#include "operators.cuh"

namespace scan {

/* ---- Products that are added: what rounds is not left to the compiler, or bits would depend on it ---- */

__device__ __forceinline__ f32 multiply(f32 a, f32 b) { return __fmul_rn(a, b); }
__device__ __forceinline__ f64 multiply(f64 a, f64 b) { return __dmul_rn(a, b); }
__device__ __forceinline__ f32 multiply_add(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ f64 multiply_add(f64 a, f64 b, f64 c) { return __fma_rn(a, b, c); }
template <class I> __device__ __forceinline__ I multiply(I a, I b) { return a * b; }
template <class I> __device__ __forceinline__ I multiply_add(I a, I b, I c) { return a * b + c; }

/* ---- Complex numbers ---- */

template <class F> struct complex {
	F re, im;
};
using c64 = complex<f32>;
using c128 = complex<f64>;

template <class F> __device__ __forceinline__ complex<F> operator+(complex<F> a, complex<F> b)
{
	return {a.re + b.re, a.im + b.im};
}

template <class F> __device__ __forceinline__ complex<F> operator*(complex<F> a, complex<F> b)
{
	return {multiply_add(a.re, b.re, -multiply(a.im, b.im)), multiply_add(a.re, b.im, multiply(a.im, b.re))};
}

template <class F> struct type_traits<complex<F>> { enum : bool { is_integer = false, is_signed = true }; };

/* ---- 128-bit integers, as two words, low one first ---- */

template <bool is_signed> struct wide {
	u64 low, high;
};
using i128 = wide<true>;
using u128 = wide<false>;

template <bool s> __device__ __forceinline__ wide<s> operator+(wide<s> a, wide<s> b)
{
	const u64 low = a.low + b.low;
	return {low, a.high + b.high + (low < a.low)};
}

template <bool s> __device__ __forceinline__ wide<s> operator*(wide<s> a, wide<s> b)
{
	return {a.low * b.low, __umul64hi(a.low, b.low) + a.low * b.high + a.high * b.low};
}

template <bool s> __device__ __forceinline__ wide<s> operator&(wide<s> a, wide<s> b)
{
	return {a.low & b.low, a.high & b.high};
}

template <bool s> __device__ __forceinline__ wide<s> operator|(wide<s> a, wide<s> b)
{
	return {a.low | b.low, a.high | b.high};
}

template <bool s> __device__ __forceinline__ wide<s> operator^(wide<s> a, wide<s> b)
{
	return {a.low ^ b.low, a.high ^ b.high};
}

template <bool s> __device__ __forceinline__ bool operator<(wide<s> a, wide<s> b)
{
	const u64 flip = u64(s) << 63;
	return (a.high ^ flip) < (b.high ^ flip) || (a.high == b.high && a.low < b.low);
}

template <bool s> struct type_traits<wide<s>> { enum : bool { is_integer = false, is_signed = s }; };

/* Sum and product take both by their + and *; the rest of what the operators of numbers need: */
template <class F> __device__ __forceinline__ complex<F> number(complex<F>, int value) { return {F(value), F(0)}; }
template <bool s> __device__ __forceinline__ wide<s> number(wide<s>, int value) { return {u64(value), 0}; }

template <bool is_max, bool s> __device__ __forceinline__ wide<s> select(wide<s> earlier, wide<s> later)
{
	return (earlier < later) == is_max ? later : earlier;
}
template <bool s> __device__ __forceinline__ wide<s> extreme(wide<s>, bool is_highest)
{
	const u64 top = u64(s) << 63;
	return is_highest ? wide<s>{~0ull, ~top} : wide<s>{0, top};
}

template <bool s> __device__ __forceinline__ wide<s> all_ones(wide<s>) { return {~0ull, ~0ull}; }

/* ---- First-order recurrences ---- */

/* The map x -> slope x + offset.  A scan of the maps of x[i] = slope[i] x[i-1] + offset[i] has every x[i] in its
 * offsets, if the initial value is the map {1, x[-1]}. */
template <class F> struct affine {
	F slope, offset;
};
using affine_f32 = affine<f32>;
using affine_f64 = affine<f64>;
using affine_c64 = affine<c64>;

struct op_affine {
	enum : bool { is_commutative = false };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		return {later.slope * earlier.slope, multiply_add(later.slope, earlier.offset, later.offset)};
	}
	template <class T> static __device__ __forceinline__ T identity()
	{
		using F = decltype(T::slope);
		return {one<F>(), F()};
	}

private:
	template <class F> static __device__ __forceinline__ F one()
	{
		if constexpr (same_type<F, c64>::value)
			return {1, 0};
		else
			return 1;
	}
};

/* ---- Positions of extremes ---- */

template <class V, class I> struct indexed {
	V value;
	I index;
};
using indexed_i32 = indexed<i32, u32>;
using indexed_i64 = indexed<i64, u64>;
using indexed_f32 = indexed<f32, u32>;
using indexed_f64 = indexed<f64, u64>;

/* Of equal values the earlier one stays; a NaN wins, and the first of them stays.  -0 and +0 are equal. */
template <bool is_max> struct op_argument {
	enum : bool { is_commutative = false };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		const auto a = earlier.value, b = later.value;
		const bool is_better = is_max ? b > a : b < a;
		return a == a && (is_better || b != b) ? later : earlier;
	}
	template <class T> static __device__ __forceinline__ T identity()
	{
		using V = decltype(T::value);
		using I = decltype(T::index);
		return {is_max ? lowest<V>() : highest<V>(), I(~I(0))};
	}
};
struct op_argmin : op_argument<false> {};
struct op_argmax : op_argument<true> {};

/* ---- The last valid element ---- */

template <class V, class I> struct optional {
	V value;
	I is_valid; /* 0: there is no value */
};
using optional_i32 = optional<i32, u32>;
using optional_i64 = optional<i64, u64>;
using optional_f32 = optional<f32, u32>;
using optional_f64 = optional<f64, u64>;

struct op_last_valid {
	enum : bool { is_commutative = false };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		return later.is_valid ? later : earlier;
	}
	template <class T> static __device__ __forceinline__ T identity() { return {0, 0}; }
};

/* ---- 2x2 matrices ---- */

template <class F> struct matrix2 {
	F a, b, c, d; /* (a b), (c d) */
};
using matrix2_u32 = matrix2<u32>;
using matrix2_f32 = matrix2<f32>;
using matrix2_f64 = matrix2<f64>;

struct op_matmul {
	enum : bool { is_commutative = false };
	template <class T> static __device__ __forceinline__ T apply(T x, T y)
	{
		return {multiply_add(x.a, y.a, multiply(x.b, y.c)), multiply_add(x.a, y.b, multiply(x.b, y.d)),
			multiply_add(x.c, y.a, multiply(x.d, y.c)), multiply_add(x.c, y.b, multiply(x.d, y.d))};
	}
	template <class T> static __device__ __forceinline__ T identity() { return {1, 0, 0, 1}; }
};

/* ---- Running mean and variance (Chan, Golub, LeVeque 1979) ---- */

template <class F> struct moments {
	F count, mean, m2; /* m2: the sum of squared distances from the mean */
};
using moments_f32 = moments<f32>;
using moments_f64 = moments<f64>;

struct op_moments {
	enum : bool { is_commutative = false }; /* not to the last bit */
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		using F = decltype(T::count);
		const F count = earlier.count + later.count;
		const F share = count > 0 ? later.count / count : F(0);
		const F step = later.mean - earlier.mean;
		const F apart = multiply(multiply(step, step), earlier.count);
		return {count, multiply_add(step, share, earlier.mean),
			multiply_add(apart, share, earlier.m2 + later.m2)};
	}
	template <class T> static __device__ __forceinline__ T identity() { return {0, 0, 0}; }
};

/* ---- Operators of plain numbers ---- */

/* log(exp(a) + exp(b)); -inf is nothing, +inf stays, NaN wins. */
struct op_logaddexp {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		const auto a = widen(earlier), b = widen(later);
		using F = decltype(a + b);
		const F high = a > b ? a : b, low = a > b ? b : a;
		if (a != a || b != b)
			return convert<T>(a + b);
		if (low == high) /* infinities, too: their difference is none */
			return convert<T>(high + (high - high == 0 ? F(0.69314718055994530942) : F(0)));
		if constexpr (sizeof(F) == 8)
			return convert<T>(high + log1p(exp(low - high)));
		else
			return convert<T>(high + log1pf(expf(low - high)));
	}
	template <class T> static __device__ __forceinline__ T identity() { return lowest<T>(); }
};

/* Sums that stop at the type's ends.  Of signed numbers that is no associative operator: (max + 1) - 1 is not max. */
struct op_saturating_sum {
	enum : bool { is_commutative = true };
	template <class T> static __device__ __forceinline__ T apply(T earlier, T later)
	{
		const T sum = T(unsigned_t<T>(earlier) + unsigned_t<T>(later));
		return sum < earlier ? highest<T>() : sum;
	}
	template <class T> static __device__ __forceinline__ T identity() { return T(0); }
};

/* ---- Conversions: an element becomes a value, and a value a result ---- */

template <class F> __device__ __forceinline__ moments<F> make(moments<F>, F x, u64) { return {1, x, 0}; }
template <class V, class I> __device__ __forceinline__ indexed<V, I> make(indexed<V, I>, V x, u64 index)
{
	return {x, I(index)};
}
/* A NaN stands for a missing value. */
template <class V, class I> __device__ __forceinline__ optional<V, I> make(optional<V, I>, V x, u64)
{
	return {x, I(x == x)};
}

template <class F> __device__ __forceinline__ F take(F, affine<F> x) { return x.offset; }
template <class V, class I> __device__ __forceinline__ V take(V, indexed<V, I> x) { return x.value; }
template <class V, class I> __device__ __forceinline__ V take(V, optional<V, I> x) { return x.value; }
template <class V, class I> __device__ __forceinline__ I take(I, indexed<V, I> x) { return x.index; }

template <class F> struct composite_type<affine<F>> { enum : bool { value = true }; };
template <class F> struct composite_type<moments<F>> { enum : bool { value = true }; };
template <class V, class I> struct composite_type<indexed<V, I>> { enum : bool { value = true }; };
template <class V, class I> struct composite_type<optional<V, I>> { enum : bool { value = true }; };

} // namespace scan

#endif
