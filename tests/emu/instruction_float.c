/* SPDX-License-Identifier: MIT
 *
 * Floating-point instructions against the host.  Sums and products of f32 are computed from their exact value in
 * __float128 or double, then rounded by hand; halves are found by searching all of them.
 */
#include "tests/emu/instruction.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

__extension__ typedef __float128 quad;

#define HOST(name, expression) \
	static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
	{ \
		(void)a; \
		(void)b; \
		(void)c; \
		return (uint64_t)(expression); \
	}

static float single(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof value);
	return value;
}

static uint64_t single_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static double wide(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint64_t wide_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

enum mode { NEAREST, ZERO, DOWN, UP };

/* The neighbours of an exact value among the floats, and the one that the mode takes. */
static uint64_t rounded(quad exact, enum mode mode, bool is_negative_zero)
{
	float near = (float)exact, low, high, middle;

	if (exact != exact)
		return 0x7fffffff;
	if (exact == 0)
		return is_negative_zero ? 0x80000000 : 0;
	if (mode == NEAREST || (quad)near == exact)
		return single_bits(near);
	low = (quad)near < exact ? near : nextafterf(near, -INFINITY);
	high = (quad)near < exact ? nextafterf(near, INFINITY) : near;
	middle = mode == DOWN ? low : mode == UP ? high : exact > 0 ? low : high;
	return single_bits(middle);
}

/* Where a sum is zero, the signs and the mode tell which zero. */
static bool zero_is_negative(float a, float b, enum mode mode)
{
	if (a == 0 && b == 0 && signbit(a) == signbit(b))
		return signbit(a);
	return mode == DOWN;
}

static float flushed(float value)
{
	return fabsf(value) < 0x1p-126f ? copysignf(0, value) : value;
}

/* A result is flushed where 24 bits of it, with no end to the exponents, are below the normal numbers: shifted up, the
 * exact value has all of its 24 bits. */
static uint64_t flushed_result(uint64_t bits, quad exact)
{
	quad near = (quad)(float)(exact * (quad)0x1p60);

	if ((bits & 0x7fffffff) == 0x00800000 && near < (quad)0x1p-66 && near > -(quad)0x1p-66)
		return bits & 0x80000000;
	return single_bits(flushed(single(bits)));
}

/* Where the numbers are too far apart for 113 bits, a little on the right side of the larger one. */
static quad total(quad a, quad b)
{
	quad sum = a + b, little = (sum < 0 ? -sum : sum) * (quad)0x1p-110;

	if (isfinite((double)sum) && ((sum == a && b != 0) || (sum == b && a != 0)))
		sum += (sum == a ? b : a) > 0 ? little : -little;
	return sum;
}

#define SUM(a, b, mode) \
	rounded(total((quad)single(a), (quad)single(b)), mode, zero_is_negative(single(a), single(b), mode))
#define PRODUCT(a, b, mode) rounded((quad)single(a) * (quad)single(b), mode, ((a) ^ (b)) >> 31 & 1)
HOST(add_rn, SUM(a, b, NEAREST))
HOST(add_rz, SUM(a, b, ZERO))
HOST(add_rm, SUM(a, b, DOWN))
HOST(add_rp, SUM(a, b, UP))
HOST(mul_rn, PRODUCT(a, b, NEAREST))
HOST(mul_rz, PRODUCT(a, b, ZERO))
HOST(mul_rp, PRODUCT(a, b, UP))

static uint64_t fused(uint64_t a, uint64_t b, uint64_t c, enum mode mode)
{
	/* Exact in 113 bits as long as the exponents lie near each other; otherwise the host's own. */
	quad product = (quad)single(a) * (quad)single(b), sum = product + (quad)single(c);
	float signed_zero = (a ^ b) >> 31 & 1 ? -0.0f : 0.0f;

	if (product != 0 && single(c) != 0 && isfinite(single(c)) && isfinite((double)product)) {
		int apart = ilogb((double)product) - ilogb((double)single(c));

		if (apart > 60 || apart < -60)
			sum = (quad)fmaf(single(a), single(b), single(c));
	}
	return rounded(sum, mode, zero_is_negative(product != 0 ? 1 : signed_zero,
		product != 0 ? -1 : single(c), mode));
}

HOST(fma_rn, fused(a, b, c, NEAREST))

static uint64_t sat(uint64_t bits)
{
	float value = single(bits);

	return value != value || value <= 0 ? 0 : value >= 1 ? 0x3f800000 : bits;
}

HOST(add_sat, sat(SUM(a, b, NEAREST)))
HOST(fma_sat, sat(fused(a, b, c, NEAREST)))

static uint64_t add_ftz(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	a = single_bits(flushed(single(a)));
	b = single_bits(flushed(single(b)));
	return flushed_result(SUM(a, b, NEAREST), (quad)single(a) + (quad)single(b));
}

static uint64_t mul_ftz(uint64_t a, uint64_t b, uint64_t c)
{
	(void)c;
	a = single_bits(flushed(single(a)));
	b = single_bits(flushed(single(b)));
	return flushed_result(PRODUCT(a, b, NEAREST), (quad)single(a) * (quad)single(b));
}

static uint64_t fma_ftz(uint64_t a, uint64_t b, uint64_t c)
{
	a = single_bits(flushed(single(a)));
	b = single_bits(flushed(single(b)));
	c = single_bits(flushed(single(c)));
	return flushed_result(fused(a, b, c, NEAREST), (quad)single(a) * (quad)single(b) + (quad)single(c));
}

HOST(div_rn, single(b) == 0 ? single_bits(single(a) != single(a) || single(a) == 0 ? single(0x7fffffff) :
		single(a) / single(b)) : isnan(single(a)) || isnan(single(b)) ? 0x7fffffff :
		rounded((quad)single(a) / (quad)single(b), NEAREST, (a ^ b) >> 31 & 1))
HOST(sqrt_rn, isnan(single(a)) || single(a) < 0 ? 0x7fffffff : single_bits(sqrtf(single(a))))

/* Halves by search: format by its number of mantissa bits. */
static double half(uint64_t bits, int mantissa)
{
	int exponent = (int)(bits & 0x7fff) >> mantissa, most = 0x7fff >> mantissa, bias = most / 2;
	double value = (double)((bits & ((1u << mantissa) - 1)) + (exponent ? 1u << mantissa : 0));

	if (exponent == most)
		value = bits & ((1u << mantissa) - 1) ? NAN : INFINITY;
	else
		value = ldexp(value, (exponent ? exponent : 1) - bias - mantissa);
	return bits & 0x8000 ? -value : value;
}

/* The largest half not above the magnitude, by bisection; then the nearer of it and its neighbour. */
static uint64_t nearest_half(quad exact, int mantissa, bool is_negative_zero)
{
	uint64_t low = 0, high = (uint64_t)(0x7fff >> mantissa) << mantissa;
	uint64_t sign = exact < 0 || (exact == 0 && is_negative_zero) ? 0x8000 : 0;
	quad size = exact < 0 ? -exact : exact, below, above;

	if (exact != exact)
		return 0x7fff;
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;

		if ((quad)half(middle, mantissa) <= size)
			low = middle;
		else
			high = middle;
	}
	if (size > (quad)1e300)
		return sign | high;
	below = (quad)half(low, mantissa);
	/* Beyond the largest number the next one would be as far away again. */
	above = (quad)half(high, mantissa) < (quad)1e300 ? (quad)half(high, mantissa) :
		2 * below - (quad)half(low - 1, mantissa);
	if (size - below < above - size || (size - below == above - size && low % 2 == 0))
		return sign | low;
	return sign | high;
}

#define F16(x) ((quad)half(x, 10))
#define B16(x) ((quad)half(x, 7))
#define MINUS(a, b) ((a) >> 15 & 1 && (b) >> 15 & 1)
HOST(half_add, nearest_half(F16(a) + F16(b), 10, MINUS(a, b)))
HOST(half_sub, nearest_half(F16(a) - F16(b), 10, MINUS(a, b ^ 0x8000)))
HOST(half_mul, nearest_half(F16(a) * F16(b), 10, (a ^ b) >> 15 & 1))
HOST(half_fma, nearest_half(F16(a) * F16(b) + F16(c), 10, MINUS(a ^ b, c)))
HOST(brain_add, nearest_half(B16(a) + B16(b), 7, MINUS(a, b)))
HOST(brain_mul, nearest_half(B16(a) * B16(b), 7, (a ^ b) >> 15 & 1))
HOST(brain_fma, nearest_half(B16(a) * B16(b) + B16(c), 7, MINUS(a ^ b, c)))
HOST(half_pair, half_add(a & 0xffff, b & 0xffff, 0) | half_add(a >> 16, b >> 16, 0) << 16)
HOST(half_from_f32, nearest_half((quad)single(a), 10, a >> 31 & 1))
HOST(brain_from_f32, nearest_half((quad)single(a), 7, a >> 31 & 1))
HOST(half_from_s32, nearest_half((quad)(int32_t)a, 10, false))
HOST(half_from_u64, nearest_half((quad)a, 10, false))
HOST(f32_from_half, isnan(half(a, 10)) ? 0x7fffffff : single_bits((float)half(a, 10)))
HOST(f32_from_brain, a << 16)

static uint64_t lesser(uint64_t a, uint64_t b, bool is_max, bool nan_wins)
{
	float x = single(a), y = single(b);

	if (isnan(x) || isnan(y))
		return (isnan(x) && isnan(y)) || nan_wins ? 0x7fffffff : isnan(x) ? b : a;
	if (x == y)
		return is_max ? a & b : a | b;
	return (x < y) != is_max ? a : b;
}

HOST(min_f32, lesser(a, b, false, false))
HOST(max_f32, lesser(a, b, true, false))
HOST(max_nan, lesser(a, b, true, true))
HOST(neg_f32, isnan(single(a)) ? 0x7fffffff : a ^ 0x80000000)
HOST(abs_f32, isnan(single(a)) ? 0x7fffffff : a & 0x7fffffff)
HOST(less, single(a) < single(b))
HOST(less_or_unordered, !(single(a) >= single(b)))
HOST(differs, single(a) < single(b) || single(a) > single(b))

/* Doubles: the host's operations are the definition; NaN is left out by comparing classes. */
static uint64_t tame(double value)
{
	return isnan(value) ? UINT64_C(0x7ff8000000000000) : wide_bits(value);
}

HOST(add_f64, tame(wide(a) + wide(b)))
HOST(mul_f64, tame(wide(a) * wide(b)))
HOST(fma_f64, tame(fma(wide(a), wide(b), wide(c))))
HOST(div_f64, tame(wide(a) / wide(b)))

static uint64_t toward(quad exact, int to, bool is_signed, unsigned bits)
{
	quad least = is_signed ? -(quad)(UINT64_C(1) << (bits - 1)) : 0;
	quad most = is_signed ? (quad)((UINT64_C(1) << (bits - 1)) - 1) : bits == 64 ? (quad)UINT64_MAX :
		(quad)((UINT64_C(1) << bits) - 1);
	long double value = (long double)exact, whole;

	if (exact != exact)
		return bits == 64 ? UINT64_C(1) << 63 : 0;
	whole = to == 0 ? rintl(value) : to == 1 ? truncl(value) : to == 2 ? floorl(value) : ceill(value);
	if ((quad)whole < least)
		whole = (long double)least;
	if ((quad)whole > most)
		return is_signed ? (UINT64_C(1) << (bits - 1)) - 1 :
			bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	return whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
}

HOST(s32_rzi, toward((quad)single(a), 1, true, 32))
HOST(s32_rni, toward((quad)single(a), 0, true, 32))
HOST(u32_rmi, toward((quad)single(a), 2, false, 32))
HOST(s64_rpi, toward((quad)single(a), 3, true, 64))
HOST(u64_rzi, toward((quad)single(a), 1, false, 64))
HOST(s8_rni, (int64_t)(int8_t)toward((quad)single(a), 0, true, 8))
HOST(f32_from_s32, rounded((quad)(int32_t)a, NEAREST, false))
HOST(f32_from_u64_rz, rounded((quad)a, ZERO, false))
HOST(f32_from_u64, rounded((quad)a, NEAREST, false))
HOST(f64_from_s64, wide_bits((double)(int64_t)a))
/* NaN keeps its sign and the upper bits of what it carries, and is quiet. */
#define NARROW_NAN(a) (((a) >> 32 & 0x80000000) | 0x7fc00000 | ((a) >> 29 & 0x3fffff))
HOST(f32_from_f64_rm, isnan(wide(a)) ? NARROW_NAN(a) : rounded((quad)wide(a), DOWN, a >> 63))
HOST(f32_from_f64, isnan(wide(a)) ? NARROW_NAN(a) : rounded((quad)wide(a), NEAREST, a >> 63))
HOST(floor_f32, isnan(single(a)) ? 0x7fffffff : single_bits(floorf(single(a))))

const struct instruction instruction_f32[] = {
	{ "add.f32 %0, %1, %2;", "www", add_rn }, { "add.rz.f32 %0, %1, %2;", "www", add_rz },
	{ "add.rm.f32 %0, %1, %2;", "www", add_rm }, { "add.rp.f32 %0, %1, %2;", "www", add_rp },
	{ "mul.rn.f32 %0, %1, %2;", "www", mul_rn }, { "mul.rz.f32 %0, %1, %2;", "www", mul_rz },
	{ "mul.rp.f32 %0, %1, %2;", "www", mul_rp }, { "fma.rn.f32 %0, %1, %2, %3;", "wwww", fma_rn },
	{ "add.sat.f32 %0, %1, %2;", "www", add_sat }, { "fma.rn.sat.f32 %0, %1, %2, %3;", "wwww", fma_sat },
	{ "add.ftz.f32 %0, %1, %2;", "www", add_ftz }, { "mul.ftz.f32 %0, %1, %2;", "www", mul_ftz },
	{ "fma.rn.ftz.f32 %0, %1, %2, %3;", "wwww", fma_ftz },
	{ "div.rn.f32 %0, %1, %2;", "www", div_rn }, { "sqrt.rn.f32 %0, %1;", "ww", sqrt_rn },
	{ "min.f32 %0, %1, %2;", "www", min_f32 }, { "max.f32 %0, %1, %2;", "www", max_f32 },
	{ "max.NaN.f32 %0, %1, %2;", "www", max_nan }, { "neg.f32 %0, %1;", "ww", neg_f32 },
	{ "abs.f32 %0, %1;", "ww", abs_f32 }, { "setp.lt.f32 %p, %1, %2; selp.u32 %0, 1, 0, %p;", "www", less },
	{ "setp.ltu.f32 %p, %1, %2; selp.u32 %0, 1, 0, %p;", "www", less_or_unordered },
	{ "setp.ne.f32 %p, %1, %2; selp.u32 %0, 1, 0, %p;", "www", differs },
	{ "cvt.rzi.s32.f32 %0, %1;", "ww", s32_rzi }, { "cvt.rni.s32.f32 %0, %1;", "ww", s32_rni },
	{ "cvt.rmi.u32.f32 %0, %1;", "ww", u32_rmi }, { "cvt.rpi.s64.f32 %0, %1;", "dw", s64_rpi },
	{ "cvt.rzi.u64.f32 %0, %1;", "dw", u64_rzi }, { "cvt.rni.s8.f32 %0, %1;", "ww", s8_rni },
	{ "cvt.rmi.f32.f32 %0, %1;", "ww", floor_f32 }, { "cvt.rn.f16.f32 %0, %1;", "hw", half_from_f32 },
	{ "cvt.rn.bf16.f32 %0, %1;", "hw", brain_from_f32 },
	{ NULL, NULL, NULL },
};
const struct instruction instruction_f64[] = {
	{ "add.f64 %0, %1, %2; testp.notanumber.f64 %p, %0; @%p mov.b64 %0, 0x7ff8000000000000;", "ddd", add_f64 },
	{ "mul.f64 %0, %1, %2; testp.notanumber.f64 %p, %0; @%p mov.b64 %0, 0x7ff8000000000000;", "ddd", mul_f64 },
	{ "fma.rn.f64 %0, %1, %2, %3; testp.notanumber.f64 %p, %0; @%p mov.b64 %0, 0x7ff8000000000000;",
		"dddd", fma_f64 },
	{ "div.rn.f64 %0, %1, %2; testp.notanumber.f64 %p, %0; @%p mov.b64 %0, 0x7ff8000000000000;", "ddd", div_f64 },
	{ "cvt.rn.f32.f64 %0, %1;", "wd", f32_from_f64 }, { "cvt.rm.f32.f64 %0, %1;", "wd", f32_from_f64_rm },
	{ NULL, NULL, NULL },
};
const struct instruction instruction_f16[] = {
	{ "add.f16 %0, %1, %2;", "hhh", half_add }, { "sub.rn.f16 %0, %1, %2;", "hhh", half_sub },
	{ "mul.f16 %0, %1, %2;", "hhh", half_mul }, { "fma.rn.f16 %0, %1, %2, %3;", "hhhh", half_fma },
	{ "add.f16x2 %0, %1, %2;", "www", half_pair }, { "cvt.f32.f16 %0, %1;", "wh", f32_from_half },
	{ NULL, NULL, NULL },
};
const struct instruction instruction_bf16[] = {
	{ "add.bf16 %0, %1, %2;", "hhh", brain_add }, { "mul.bf16 %0, %1, %2;", "hhh", brain_mul },
	{ "fma.rn.bf16 %0, %1, %2, %3;", "hhhh", brain_fma }, { "cvt.f32.bf16 %0, %1;", "wh", f32_from_brain },
	{ NULL, NULL, NULL },
};
const struct instruction instruction_conversions[] = {
	{ "cvt.rn.f32.s32 %0, %1;", "ww", f32_from_s32 }, { "cvt.rn.f32.u64 %0, %1;", "wd", f32_from_u64 },
	{ "cvt.rz.f32.u64 %0, %1;", "wd", f32_from_u64_rz }, { "cvt.rn.f64.s64 %0, %1;", "dd", f64_from_s64 },
	{ "cvt.rn.f16.s32 %0, %1;", "hw", half_from_s32 }, { "cvt.rn.f16.u64 %0, %1;", "hd", half_from_u64 },
	{ NULL, NULL, NULL },
};
