/* SPDX-License-Identifier: MIT */
#include "numbers.h"

#include <math.h>

const struct emu_half_format emu_format_f16 = { 10, 5 };
const struct emu_half_format emu_format_bf16 = { 7, 8 };

double emu_half_to_double(uint32_t bits, const struct emu_half_format *format)
{
	int bias = (1 << (format->exponent - 1)) - 1;
	uint32_t mantissa = bits & ((1u << format->mantissa) - 1);
	int exponent = (int)(bits >> format->mantissa & ((1u << format->exponent) - 1));
	double value;

	if (exponent == (1 << format->exponent) - 1)
		value = mantissa ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		value = ldexp(mantissa, 1 - bias - format->mantissa);
	else
		value = ldexp(mantissa + (1u << format->mantissa), exponent - bias - format->mantissa);
	return bits & 0x8000u ? -value : value;
}

/* Whether the magnitude goes up by one unit, given what is cut off relative to one half. */
static bool rounds_up(enum emu_rounding rounding, bool is_negative, bool is_odd, uint64_t rest, uint64_t half)
{
	switch (rounding) {
	case ROUND_NEAREST:
		return rest > half || (rest == half && is_odd);
	case ROUND_AWAY:
		return rest >= half;
	case ROUND_DOWN:
		return rest && is_negative;
	case ROUND_UP:
		return rest && !is_negative;
	default:
		return false;
	}
}

/* value = significand * 2^(exponent - 52), the significand with its 53rd bit set. */
static uint32_t round_significand(uint64_t significand, int exponent, bool is_negative,
		const struct emu_half_format *format, enum emu_rounding rounding)
{
	int bias = (1 << (format->exponent - 1)) - 1;
	int least = 1 - bias;
	int drop = 52 - format->mantissa + (exponent < least ? least - exponent : 0);
	uint64_t kept, rest, half;
	uint32_t result, infinity = ((1u << format->exponent) - 1) << format->mantissa;

	if (drop > 62)
		drop = 62;
	kept = significand >> drop;
	rest = significand & ((UINT64_C(1) << drop) - 1);
	half = UINT64_C(1) << (drop - 1);
	kept += rounds_up(rounding, is_negative, kept & 1, rest, half);
	if (exponent > bias)
		result = infinity;
	else
		result = (uint32_t)kept + (exponent < least ? 0 :
				(uint32_t)(exponent + bias - 1) << format->mantissa);
	/* Rounding that never goes away from zero stops at the largest number. */
	if (result >= infinity && (rounding == ROUND_ZERO || (rounding == ROUND_DOWN && !is_negative) ||
			(rounding == ROUND_UP && is_negative)))
		return infinity - 1;
	return result >= infinity ? infinity : result;
}

uint32_t emu_double_to_half(double value, const struct emu_half_format *format, enum emu_rounding rounding)
{
	uint64_t bits = emu_double_bits(value);
	uint64_t significand = bits & ((UINT64_C(1) << 52) - 1);
	int exponent = (int)(bits >> 52 & 0x7ff);
	uint32_t sign = bits >> 63 ? 0x8000u : 0;

	if (exponent == 0x7ff)
		return significand ? EMU_NAN_HALF : sign | ((1u << format->exponent) - 1) << format->mantissa;
	if (exponent == 0 && !significand)
		return sign;
	if (exponent == 0) /* far below anything narrow: only that it is not zero matters */
		return sign | round_significand(UINT64_C(1) << 52, -1022, sign != 0, format, rounding);
	return sign | round_significand(significand | UINT64_C(1) << 52, exponent - 1023, sign != 0, format, rounding);
}

/* Where the sum was inexact and its last bit is even, the odd neighbour on the side of the error takes its place. */
double emu_add_to_odd(double a, double b)
{
	double sum = a + b;
	double part = sum - a;
	double error = (a - (sum - part)) + (b - part);
	uint64_t bits = emu_double_bits(sum);

	if (!isfinite(sum) || error == 0 || (bits & 1))
		return sum;
	return emu_double_of((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

double emu_unsigned_to_odd(uint64_t value)
{
	return emu_add_to_odd((double)(value & ~UINT64_C(0xffffffff)), (double)(value & 0xffffffff));
}

double emu_signed_to_odd(int64_t value)
{
	return value < 0 ? -emu_unsigned_to_odd(0 - (uint64_t)value) : emu_unsigned_to_odd((uint64_t)value);
}

int emu_fenv_rounding(enum emu_rounding rounding)
{
	switch (rounding) {
	case ROUND_ZERO:
		return FE_TOWARDZERO;
	case ROUND_DOWN:
		return FE_DOWNWARD;
	case ROUND_UP:
		return FE_UPWARD;
	default:
		return FE_TONEAREST;
	}
}
