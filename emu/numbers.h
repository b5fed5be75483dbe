/* SPDX-License-Identifier: MIT
 *
 * Numbers in the device's formats: narrow floats, rounding, what becomes of NaN and of subnormals.
 */
#ifndef EMU_NUMBERS_H
#define EMU_NUMBERS_H

#include "code.h"

#include <fenv.h>
#include <string.h>

/* The device has one quiet NaN for f32, f16 and bf16. */
#define EMU_NAN_F32 0x7fffffffu
#define EMU_NAN_HALF 0x7fffu

static inline uint32_t emu_float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline float emu_float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static inline uint64_t emu_double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static inline double emu_double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Subnormals become zero of the same sign. */
static inline float emu_flush(float value)
{
	uint32_t bits = emu_float_bits(value);

	return (bits & 0x7f800000u) ? value : emu_float_of(bits & 0x80000000u);
}

/* A result is flushed where it would lie below the normal numbers if exponents had no end: the device looks at the 24
 * bits that it rounds to, and not at the fewer bits that a subnormal has.  `exact` is what was rounded, in the
 * rounding mode that still holds. */
static inline float emu_flush_result(float value, double exact)
{
	float scaled;

	if ((emu_float_bits(value) & 0x7fffffffu) != 0x00800000u)
		return emu_flush(value);
	scaled = (float)(exact * 0x1p24);
	return scaled < 0x1p-102f && scaled > -0x1p-102f ? emu_float_of(emu_float_bits(value) & 0x80000000u) : value;
}

static inline float emu_canonical(float value)
{
	return value != value ? emu_float_of(EMU_NAN_F32) : value;
}

/* To [0, 1]; NaN becomes 0. */
static inline float emu_saturate(float value)
{
	return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

struct emu_half_format {
	int mantissa, exponent;   /* bits of each */
};
extern const struct emu_half_format emu_format_f16, emu_format_bf16;

double emu_half_to_double(uint32_t bits, const struct emu_half_format *format);
/* Rounds once, from the exact value or from one rounded to odd. */
uint32_t emu_double_to_half(double value, const struct emu_half_format *format, enum emu_rounding rounding);
/* Sums and products rounded to odd, which a second rounding to a narrower format does not spoil. */
double emu_add_to_odd(double a, double b);
double emu_signed_to_odd(int64_t value);
double emu_unsigned_to_odd(uint64_t value);
/* For fesetround. */
int emu_fenv_rounding(enum emu_rounding rounding);

#endif
