/* SPDX-License-Identifier: MIT
 *
 * Integer arithmetic.  Signed overflow wraps, so sums and products are unsigned inside.
 */
#include "decode.h"
#include "lanes.h"

__extension__ typedef __int128 wide_signed;
__extension__ typedef unsigned __int128 wide_unsigned;

ALU_2(add_16, uint16_t, uint16_t, a[l] + b[l])
ALU_2(add_32, uint32_t, uint32_t, a[l] + b[l])
ALU_2(add_64, uint64_t, uint64_t, a[l] + b[l])
ALU_2(sub_16, uint16_t, uint16_t, a[l] - b[l])
ALU_2(sub_32, uint32_t, uint32_t, a[l] - b[l])
ALU_2(sub_64, uint64_t, uint64_t, a[l] - b[l])
ALU_2(mul_lo_16, uint16_t, uint16_t, (uint32_t)a[l] * b[l])
ALU_2(mul_lo_32, uint32_t, uint32_t, a[l] * b[l])
ALU_2(mul_lo_64, uint64_t, uint64_t, a[l] * b[l])
ALU_2(mul_hi_u16, uint16_t, uint16_t, ((uint32_t)a[l] * b[l]) >> 16)
ALU_2(mul_hi_s16, int16_t, int16_t, ((int32_t)a[l] * b[l]) >> 16)
ALU_2(mul_hi_u32, uint32_t, uint32_t, ((uint64_t)a[l] * b[l]) >> 32)
ALU_2(mul_hi_s32, int32_t, int32_t, ((int64_t)a[l] * b[l]) >> 32)
ALU_2(mul_hi_u64, uint64_t, uint64_t, ((wide_unsigned)a[l] * b[l]) >> 64)
ALU_2(mul_hi_s64, int64_t, int64_t, ((wide_signed)a[l] * b[l]) >> 64)
ALU_2(mul_wide_u16, uint32_t, uint16_t, (uint32_t)a[l] * b[l])
ALU_2(mul_wide_s16, int32_t, int16_t, (int32_t)a[l] * b[l])
ALU_2(mul_wide_u32, uint64_t, uint32_t, (uint64_t)a[l] * b[l])
ALU_2(mul_wide_s32, int64_t, int32_t, (int64_t)a[l] * b[l])
ALU_3(mad_lo_16, uint16_t, uint16_t, uint16_t, (uint32_t)a[l] * b[l] + c[l])
ALU_3(mad_lo_32, uint32_t, uint32_t, uint32_t, a[l] * b[l] + c[l])
ALU_3(mad_lo_64, uint64_t, uint64_t, uint64_t, a[l] * b[l] + c[l])
ALU_3(mad_hi_u16, uint16_t, uint16_t, uint16_t, (((uint32_t)a[l] * b[l]) >> 16) + c[l])
ALU_3(mad_hi_s16, int16_t, int16_t, int16_t, (((int32_t)a[l] * b[l]) >> 16) + c[l])
ALU_3(mad_hi_u32, uint32_t, uint32_t, uint32_t, (uint32_t)(((uint64_t)a[l] * b[l]) >> 32) + c[l])
ALU_3(mad_hi_s32, uint32_t, int32_t, uint32_t, (uint32_t)(((int64_t)a[l] * b[l]) >> 32) + c[l])
ALU_3(mad_hi_u64, uint64_t, uint64_t, uint64_t, (uint64_t)(((wide_unsigned)a[l] * b[l]) >> 64) + c[l])
ALU_3(mad_hi_s64, uint64_t, int64_t, uint64_t, (uint64_t)(((wide_signed)a[l] * b[l]) >> 64) + c[l])
ALU_3(mad_wide_u16, uint32_t, uint16_t, uint32_t, (uint32_t)a[l] * b[l] + c[l])
ALU_3(mad_wide_s16, uint32_t, int16_t, uint32_t, (uint32_t)((int32_t)a[l] * b[l]) + c[l])
ALU_3(mad_wide_u32, uint64_t, uint32_t, uint64_t, (uint64_t)a[l] * b[l] + c[l])
ALU_3(mad_wide_s32, uint64_t, int32_t, uint64_t, (uint64_t)((int64_t)a[l] * b[l]) + c[l])

static int32_t saturate_32(int64_t value)
{
	return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

ALU_2(add_sat_s32, int32_t, int32_t, saturate_32((int64_t)a[l] + b[l]))
ALU_2(sub_sat_s32, int32_t, int32_t, saturate_32((int64_t)a[l] - b[l]))
ALU_3(mad_hi_sat_s32, int32_t, int32_t, int32_t, saturate_32((((int64_t)a[l] * b[l]) >> 32) + c[l]))

/* Divided by zero, the device gives all ones for the quotient and for the remainder; the host must not trap. */
#define DIVIDE_UNSIGNED(bits) \
	ALU_2(div_u##bits, uint##bits##_t, uint##bits##_t, b[l] ? a[l] / b[l] : UINT##bits##_MAX) \
	ALU_2(rem_u##bits, uint##bits##_t, uint##bits##_t, b[l] ? a[l] % b[l] : UINT##bits##_MAX)
#define DIVIDE_SIGNED(bits) \
	ALU_2(div_s##bits, int##bits##_t, int##bits##_t, \
		b[l] == 0 ? -1 : b[l] == -1 ? (int##bits##_t)(0 - (uint##bits##_t)a[l]) : a[l] / b[l]) \
	ALU_2(rem_s##bits, int##bits##_t, int##bits##_t, b[l] == 0 ? -1 : b[l] == -1 ? 0 : a[l] % b[l])
DIVIDE_UNSIGNED(16)
DIVIDE_UNSIGNED(32)
DIVIDE_UNSIGNED(64)
DIVIDE_SIGNED(16)
DIVIDE_SIGNED(32)
DIVIDE_SIGNED(64)

#define MIN_MAX(name, type) \
	ALU_2(min_##name, type, type, a[l] < b[l] ? a[l] : b[l]) \
	ALU_2(max_##name, type, type, a[l] > b[l] ? a[l] : b[l])
MIN_MAX(u16, uint16_t)
MIN_MAX(s16, int16_t)
MIN_MAX(u32, uint32_t)
MIN_MAX(s32, int32_t)
MIN_MAX(u64, uint64_t)
MIN_MAX(s64, int64_t)
ALU_2(min_relu_s32, int32_t, int32_t, (a[l] < b[l] ? a[l] : b[l]) < 0 ? 0 : (a[l] < b[l] ? a[l] : b[l]))
ALU_2(max_relu_s32, int32_t, int32_t, (a[l] > b[l] ? a[l] : b[l]) < 0 ? 0 : (a[l] > b[l] ? a[l] : b[l]))

/* Two 16-bit halves of a 32-bit register. */
#define HALVES(low, high) ((uint32_t)(uint16_t)(low) | (uint32_t)(uint16_t)(high) << 16)
#define LOW_U(x) ((uint16_t)(x))
#define HIGH_U(x) ((uint16_t)((x) >> 16))
#define LOW_S(x) ((int16_t)(x))
#define HIGH_S(x) ((int16_t)((x) >> 16))
#define LESSER(x, y) ((x) < (y) ? (x) : (y))
#define GREATER(x, y) ((x) > (y) ? (x) : (y))
ALU_2(add_16x2, uint32_t, uint32_t, HALVES(LOW_U(a[l]) + LOW_U(b[l]), HIGH_U(a[l]) + HIGH_U(b[l])))
ALU_2(min_u16x2, uint32_t, uint32_t, HALVES(LESSER(LOW_U(a[l]), LOW_U(b[l])), LESSER(HIGH_U(a[l]), HIGH_U(b[l]))))
ALU_2(max_u16x2, uint32_t, uint32_t, HALVES(GREATER(LOW_U(a[l]), LOW_U(b[l])), GREATER(HIGH_U(a[l]), HIGH_U(b[l]))))
ALU_2(min_s16x2, uint32_t, uint32_t, HALVES(LESSER(LOW_S(a[l]), LOW_S(b[l])), LESSER(HIGH_S(a[l]), HIGH_S(b[l]))))
ALU_2(max_s16x2, uint32_t, uint32_t, HALVES(GREATER(LOW_S(a[l]), LOW_S(b[l])), GREATER(HIGH_S(a[l]), HIGH_S(b[l]))))

ALU_1(neg_16, uint16_t, uint16_t, 0u - a[l])
ALU_1(neg_32, uint32_t, uint32_t, 0u - a[l])
ALU_1(neg_64, uint64_t, uint64_t, 0u - a[l])
ALU_1(abs_16, uint16_t, uint16_t, (int16_t)a[l] < 0 ? 0u - a[l] : a[l])
ALU_1(abs_32, uint32_t, uint32_t, (int32_t)a[l] < 0 ? 0u - a[l] : a[l])
ALU_1(abs_64, uint64_t, uint64_t, (int64_t)a[l] < 0 ? 0u - a[l] : a[l])

#define DIFFERENCE(type) ((type)a[l] > (type)b[l] ? a[l] - b[l] : b[l] - a[l])
ALU_3(sad_u16, uint16_t, uint16_t, uint16_t, c[l] + DIFFERENCE(uint16_t))
ALU_3(sad_s16, uint16_t, uint16_t, uint16_t, c[l] + DIFFERENCE(int16_t))
ALU_3(sad_u32, uint32_t, uint32_t, uint32_t, c[l] + DIFFERENCE(uint32_t))
ALU_3(sad_s32, uint32_t, uint32_t, uint32_t, c[l] + DIFFERENCE(int32_t))
ALU_3(sad_u64, uint64_t, uint64_t, uint64_t, c[l] + DIFFERENCE(uint64_t))
ALU_3(sad_s64, uint64_t, uint64_t, uint64_t, c[l] + DIFFERENCE(int64_t))

static uint64_t product_u24(uint32_t a, uint32_t b)
{
	return (uint64_t)(a & 0xffffffu) * (b & 0xffffffu);
}

static int64_t product_s24(uint32_t a, uint32_t b)
{
	return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}

ALU_2(mul24_lo_u32, uint32_t, uint32_t, product_u24(a[l], b[l]))
ALU_2(mul24_lo_s32, uint32_t, uint32_t, product_s24(a[l], b[l]))
ALU_2(mul24_hi_u32, uint32_t, uint32_t, product_u24(a[l], b[l]) >> 16)
ALU_2(mul24_hi_s32, uint32_t, uint32_t, product_s24(a[l], b[l]) >> 16)
ALU_3(mad24_lo_u32, uint32_t, uint32_t, uint32_t, product_u24(a[l], b[l]) + c[l])
ALU_3(mad24_lo_s32, uint32_t, uint32_t, uint32_t, (uint32_t)product_s24(a[l], b[l]) + c[l])

/* Four products of bytes. */
static uint32_t dot_4(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed)
{
	for (unsigned shift = 0; shift < 32; shift += 8) {
		int32_t x = a_signed ? (int8_t)(a >> shift) : (uint8_t)(a >> shift);
		int32_t y = b_signed ? (int8_t)(b >> shift) : (uint8_t)(b >> shift);

		c += (uint32_t)(x * y);
	}
	return c;
}

ALU_3(dp4a_uu, uint32_t, uint32_t, uint32_t, dot_4(a[l], b[l], c[l], false, false))
ALU_3(dp4a_us, uint32_t, uint32_t, uint32_t, dot_4(a[l], b[l], c[l], false, true))
ALU_3(dp4a_su, uint32_t, uint32_t, uint32_t, dot_4(a[l], b[l], c[l], true, false))
ALU_3(dp4a_ss, uint32_t, uint32_t, uint32_t, dot_4(a[l], b[l], c[l], true, true))

/* Two products of a half and a byte, of the low or the high two bytes of b. */
static uint32_t dot_2(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed)
{
	for (unsigned i = 0; i < 2; i++) {
		int32_t x = a_signed ? (int16_t)(a >> (16 * i)) : (uint16_t)(a >> (16 * i));
		int32_t y = b_signed ? (int8_t)(b >> (8 * i)) : (uint8_t)(b >> (8 * i));

		c += (uint32_t)x * (uint32_t)y;
	}
	return c;
}

#define DP2A(name, a_signed, b_signed) \
	ALU_3(dp2a_lo_##name, uint32_t, uint32_t, uint32_t, dot_2(a[l], b[l], c[l], a_signed, b_signed)) \
	ALU_3(dp2a_hi_##name, uint32_t, uint32_t, uint32_t, dot_2(a[l], b[l] >> 16, c[l], a_signed, b_signed))
DP2A(uu, false, false)
DP2A(us, false, true)
DP2A(su, true, false)
DP2A(ss, true, true)

#define BOTH(op, bits, run, shape) { op ".u" #bits, run, shape, 0, false }, { op ".s" #bits, run, shape, 0, false }
#define EACH(op, bits, name, shape) \
	{ op ".u" #bits, name##_u##bits, shape, 0, false }, { op ".s" #bits, name##_s##bits, shape, 0, false }

const struct emu_row emu_integer_rows[] = {
	BOTH("add", 16, add_16, "h=hh"), BOTH("add", 32, add_32, "w=ww"), BOTH("add", 64, add_64, "d=dd"),
	BOTH("sub", 16, sub_16, "h=hh"), BOTH("sub", 32, sub_32, "w=ww"), BOTH("sub", 64, sub_64, "d=dd"),
	{ "add.sat.s32", add_sat_s32, "w=ww", 0, false }, { "sub.sat.s32", sub_sat_s32, "w=ww", 0, false },
	BOTH("mul.lo", 16, mul_lo_16, "h=hh"), BOTH("mul.lo", 32, mul_lo_32, "w=ww"),
	BOTH("mul.lo", 64, mul_lo_64, "d=dd"), EACH("mul.hi", 16, mul_hi, "h=hh"), EACH("mul.hi", 32, mul_hi, "w=ww"),
	EACH("mul.hi", 64, mul_hi, "d=dd"), EACH("mul.wide", 16, mul_wide, "w=hh"),
	EACH("mul.wide", 32, mul_wide, "d=ww"),
	BOTH("mad.lo", 16, mad_lo_16, "h=hhh"), BOTH("mad.lo", 32, mad_lo_32, "w=www"),
	BOTH("mad.lo", 64, mad_lo_64, "d=ddd"), EACH("mad.hi", 16, mad_hi, "h=hhh"),
	EACH("mad.hi", 32, mad_hi, "w=www"), EACH("mad.hi", 64, mad_hi, "d=ddd"),
	EACH("mad.wide", 16, mad_wide, "w=hhw"), EACH("mad.wide", 32, mad_wide, "d=wwd"),
	{ "mad.hi.sat.s32", mad_hi_sat_s32, "w=www", 0, false },
	EACH("div", 16, div, "h=hh"), EACH("div", 32, div, "w=ww"), EACH("div", 64, div, "d=dd"),
	EACH("rem", 16, rem, "h=hh"), EACH("rem", 32, rem, "w=ww"), EACH("rem", 64, rem, "d=dd"),
	EACH("min", 16, min, "h=hh"), EACH("min", 32, min, "w=ww"), EACH("min", 64, min, "d=dd"),
	EACH("max", 16, max, "h=hh"), EACH("max", 32, max, "w=ww"), EACH("max", 64, max, "d=dd"),
	{ "min.relu.s32", min_relu_s32, "w=ww", 0, false }, { "max.relu.s32", max_relu_s32, "w=ww", 0, false },
	{ "add.u16x2", add_16x2, "w=ww", 0, false }, { "add.s16x2", add_16x2, "w=ww", 0, false },
	{ "min.u16x2", min_u16x2, "w=ww", 0, false }, { "min.s16x2", min_s16x2, "w=ww", 0, false },
	{ "max.u16x2", max_u16x2, "w=ww", 0, false }, { "max.s16x2", max_s16x2, "w=ww", 0, false },
	{ "neg.s16", neg_16, "h=h", 0, false }, { "neg.s32", neg_32, "w=w", 0, false },
	{ "neg.s64", neg_64, "d=d", 0, false }, { "abs.s16", abs_16, "h=h", 0, false },
	{ "abs.s32", abs_32, "w=w", 0, false }, { "abs.s64", abs_64, "d=d", 0, false },
	EACH("sad", 16, sad, "h=hhh"), EACH("sad", 32, sad, "w=www"), EACH("sad", 64, sad, "d=ddd"),
	{ "mul24.lo.u32", mul24_lo_u32, "w=ww", 0, false }, { "mul24.lo.s32", mul24_lo_s32, "w=ww", 0, false },
	{ "mul24.hi.u32", mul24_hi_u32, "w=ww", 0, false }, { "mul24.hi.s32", mul24_hi_s32, "w=ww", 0, false },
	{ "mad24.lo.u32", mad24_lo_u32, "w=www", 0, false }, { "mad24.lo.s32", mad24_lo_s32, "w=www", 0, false },
	{ "dp4a.u32.u32", dp4a_uu, "w=www", 0, false }, { "dp4a.u32.s32", dp4a_us, "w=www", 0, false },
	{ "dp4a.s32.u32", dp4a_su, "w=www", 0, false }, { "dp4a.s32.s32", dp4a_ss, "w=www", 0, false },
	{ "dp2a.lo.u32.u32", dp2a_lo_uu, "w=www", 0, false }, { "dp2a.hi.u32.u32", dp2a_hi_uu, "w=www", 0, false },
	{ "dp2a.lo.u32.s32", dp2a_lo_us, "w=www", 0, false }, { "dp2a.hi.u32.s32", dp2a_hi_us, "w=www", 0, false },
	{ "dp2a.lo.s32.u32", dp2a_lo_su, "w=www", 0, false }, { "dp2a.hi.s32.u32", dp2a_hi_su, "w=www", 0, false },
	{ "dp2a.lo.s32.s32", dp2a_lo_ss, "w=www", 0, false }, { "dp2a.hi.s32.s32", dp2a_hi_ss, "w=www", 0, false },
	{ NULL, NULL, NULL, 0, false },
};
