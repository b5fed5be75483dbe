/* SPDX-License-Identifier: MIT
 *
 * Element types under the names that the host uses, and the conversions between them.  No toolkit header is needed:
 * f16 and bf16 are bit patterns here, and their arithmetic goes through f32.
 */
#ifndef SCAN_TYPES_CUH
#define SCAN_TYPES_CUH

namespace scan {

using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
struct f16 {
	u16 bits;
};
struct bf16 {
	u16 bits;
};

/* Of numbers; any other type is asked, too, and is none. */
template <class T> struct type_traits { enum : bool { is_integer = false, is_signed = false }; };
template <class T> struct integer_traits { enum : bool { is_integer = true, is_signed = T(-1) < T(0) }; };
template <> struct type_traits<i8> : integer_traits<i8> {};
template <> struct type_traits<i16> : integer_traits<i16> {};
template <> struct type_traits<i32> : integer_traits<i32> {};
template <> struct type_traits<i64> : integer_traits<i64> {};
template <> struct type_traits<u8> : integer_traits<u8> {};
template <> struct type_traits<u16> : integer_traits<u16> {};
template <> struct type_traits<u32> : integer_traits<u32> {};
template <> struct type_traits<u64> : integer_traits<u64> {};
template <> struct type_traits<f16> { enum : bool { is_integer = false, is_signed = true }; };
template <> struct type_traits<bf16> { enum : bool { is_integer = false, is_signed = true }; };
template <> struct type_traits<f32> { enum : bool { is_integer = false, is_signed = true }; };
template <> struct type_traits<f64> { enum : bool { is_integer = false, is_signed = true }; };

template <class A, class B> struct same_type { enum : bool { value = false }; };
template <class A> struct same_type<A, A> { enum : bool { value = true }; };

/* The unsigned integer of a size: sums and products are formed in it, since signed overflow is undefined. */
template <int size> struct unsigned_of;
template <> struct unsigned_of<1> { using type = u8; };
template <> struct unsigned_of<2> { using type = u16; };
template <> struct unsigned_of<4> { using type = u32; };
template <> struct unsigned_of<8> { using type = u64; };
template <class T> using unsigned_t = typename unsigned_of<sizeof(T)>::type;

template <class To, class From> __device__ __forceinline__ To bit_cast(From from)
{
	static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
	To to;
	memcpy(&to, &from, sizeof to);
	return to;
}

__device__ __forceinline__ f32 widen(f16 x)
{
	f32 y;
	asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
	return y;
}

__device__ __forceinline__ f32 widen(bf16 x)
{
	return bit_cast<f32>(u32(x.bits) << 16);
}

template <class T> __device__ __forceinline__ T widen(T x)
{
	return x;
}

__device__ __forceinline__ f16 narrow_to_f16(f32 x)
{
	f16 y;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
	return y;
}

__device__ __forceinline__ bf16 narrow_to_bf16(f32 x)
{
#if __CUDA_ARCH__ >= 800
	bf16 y;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
	return y;
#else
	/* Round to nearest even on the upper half; a NaN must not round up to infinity. */
	u32 bits = bit_cast<u32>(x);
	u32 rounded = bits + 0x7fff + ((bits >> 16) & 1);
	return bf16{u16(x != x ? 0x7fff : rounded >> 16)};
#endif
}

/* f64 to a 16-bit float by way of f32 would round twice: round the f32 to odd first. */
__device__ __forceinline__ f32 round_to_odd(f64 x)
{
	f32 y;
	asm("cvt.rz.f32.f64 %0, %1;" : "=f"(y) : "d"(x));
	bool is_inexact = f64(y) != x && x == x && (bit_cast<u32>(y) & 0x7fffffffu) < 0x7f800000u;
	return is_inexact ? bit_cast<f32>(bit_cast<u32>(y) | 1u) : y;
}

/* 64-bit integers likewise lose bits on the way to f32, so they take the f64 path. */
template <class From> __device__ __forceinline__ f32 to_f32_for_narrowing(From x)
{
	if constexpr (same_type<From, f64>::value)
		return round_to_odd(x);
	else if constexpr (same_type<From, f32>::value)
		return x;
	else if constexpr (sizeof(From) <= 2)
		return f32(x);
	else if constexpr (sizeof(From) <= 4)
		return round_to_odd(f64(x));
	else /* beyond 2^53 all is far over the largest f16, and a bf16 has 8 bits: clear the tail, keep it sticky */
		return round_to_odd(f64(x < (From(1) << 53) && (!type_traits<From>::is_signed || x > -(From(1) << 53)) ?
			x : From((x >> 11 << 11) | From((x & 2047) != 0 ? 2048 : 0))));
}

/* The one definition of what a conversion means (scanrt.h, struct scanrt_problem): integers wrap; a float becomes an
 * integer by truncation to 64 bits, saturating, NaN to 0, and then wraps. */
template <class To, class From> __device__ __forceinline__ To convert(From from)
{
	if constexpr (same_type<To, From>::value) {
		return from;
	} else {
		auto x = widen(from);
		if constexpr (same_type<To, f16>::value) {
			return narrow_to_f16(to_f32_for_narrowing(x));
		} else if constexpr (same_type<To, bf16>::value) {
			return narrow_to_bf16(to_f32_for_narrowing(x));
		} else if constexpr (type_traits<To>::is_integer && !type_traits<decltype(x)>::is_integer) {
			if constexpr (same_type<To, u64>::value)
				return x != x ? 0 : To(x);
			else
				return x != x ? To(0) : To(i64(x));
		} else {
			return To(x);
		}
	}
}

/* Types that are more than a number: monoids.cuh has them, and make() and take(), the conversions that there are. */
template <class T> struct composite_type { enum : bool { value = false }; };

/* The same with the element's place in the array, which some of those keep. */
template <class To, class From> __device__ __forceinline__ To convert(const From &from, u64 index)
{
	if constexpr (same_type<To, From>::value)
		return from;
	else if constexpr (composite_type<To>::value)
		return make(To{}, from, index);
	else if constexpr (composite_type<From>::value)
		return take(To{}, from);
	else
		return convert<To>(from);
}

} // namespace scan

#endif
