/* SPDX-License-Identifier: MIT */
#include "element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/problem.h"

/* The four float formats: bits of the significand without the hidden one, and the largest exponent. */
struct format {
	int fraction;
	int exponent_bits;
};

static struct format format_of(int type)
{
	switch (type) {
	case SCANRT_F16:
		return (struct format){ 10, 5 };
	case SCANRT_BF16:
		return (struct format){ 7, 8 };
	case SCANRT_F32:
		return (struct format){ 23, 8 };
	default:
		return (struct format){ 52, 11 };
	}
}

double element_unit(int type)
{
	return ldexp(1.0, -format_of(type).fraction - 1);
}

static int bias(struct format format)
{
	return (1 << (format.exponent_bits - 1)) - 1;
}

double element_tiny(int type)
{
	struct format format = format_of(type);

	return ldexp(1.0, 1 - bias(format) - format.fraction);
}

double element_largest(int type)
{
	struct format format = format_of(type);

	return ldexp(2.0 - ldexp(1.0, -format.fraction), bias(format));
}

static double decode(struct format format, uint64_t bits)
{
	uint64_t fraction = bits & ((UINT64_C(1) << format.fraction) - 1);
	int exponent = (int)(bits >> format.fraction) & ((1 << format.exponent_bits) - 1);
	bool is_negative = bits >> (format.fraction + format.exponent_bits) & 1;
	double magnitude;

	if (exponent == (1 << format.exponent_bits) - 1)
		magnitude = fraction ? NAN : INFINITY;
	else if (exponent == 0)
		magnitude = ldexp((double)fraction, 1 - bias(format) - format.fraction);
	else
		magnitude = ldexp(
			(double)(fraction | UINT64_C(1) << format.fraction), exponent - bias(format) - format.fraction);
	return is_negative ? -magnitude : magnitude;
}

/* Rounds once, from the double to nearest even: through f32 it would round twice. */
static uint64_t encode(struct format format, double value)
{
	uint64_t sign = (uint64_t)(signbit(value) != 0) << (format.fraction + format.exponent_bits);
	uint64_t infinity = (uint64_t)((1 << format.exponent_bits) - 1) << format.fraction;
	int exponent;
	double scaled;

	if (isnan(value))
		return infinity | UINT64_C(1) << (format.fraction - 1);
	if (value == 0 || isinf(value))
		return sign | (value == 0 ? 0 : infinity);
	frexp(value, &exponent);
	if (exponent < 2 - bias(format))
		exponent = 2 - bias(format); /* subnormal: the quantum no longer follows the value */
	scaled = nearbyint(ldexp(fabs(value), format.fraction + 1 - exponent));
	/* Adding the significand, hidden bit and all, to the exponent below lets a carry out of it do right. */
	uint64_t bits = (uint64_t)scaled + ((uint64_t)(exponent - 2 + bias(format)) << format.fraction);

	return sign | (bits < infinity ? bits : infinity);
}

static uint64_t read_bits(size_t size, const void *from)
{
	uint64_t bits = 0;

	memcpy(&bits, from, size); /* little-endian, as every host of a CUDA device is */
	return bits;
}

/* Cuts to the width of the type and extends again, so that equal values have equal words. */
static uint64_t wrap(int type, uint64_t integer)
{
	int shift = 64 - 8 * (int)srt_type_size(type);

	if (srt_type_is_signed(type))
		return (uint64_t)((int64_t)(integer << shift) >> shift);
	return integer << shift >> shift;
}

struct element element_load(int type, const void *array, uint64_t index)
{
	size_t size = srt_type_size(type);
	uint64_t bits = read_bits(size, (const char *)array + index * size);
	struct element value = { 0, 0, 0 };

	if (srt_type_is_float(type))
		value.high = decode(format_of(type), bits);
	else
		value.integer = wrap(type, bits);
	return value;
}

void element_store(int type, void *array, uint64_t index, struct element value)
{
	size_t size = srt_type_size(type);
	uint64_t bits = srt_type_is_float(type) ? encode(format_of(type), value.high) : value.integer;

	memcpy((char *)array + index * size, &bits, size);
}

/* Truncation towards zero to 64 bits, saturating, NaN to 0; the caller wraps.  The 64 bits are signed, but for u64. */
static uint64_t truncate_float(int to, double value)
{
	if (isnan(value))
		return 0;
	if (to == SCANRT_U64)
		return value <= 0 ? 0 : value >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)value;
	if (value >= 9223372036854775808.0)
		return INT64_MAX;
	return value <= -9223372036854775808.0 ? (uint64_t)INT64_MIN : (uint64_t)(int64_t)value;
}

struct element element_convert(int from, int to, struct element value)
{
	struct element result = { 0, 0, 0 };

	if (!srt_type_is_float(to)) {
		result.integer = wrap(to, srt_type_is_float(from) ? truncate_float(to, value.high) : value.integer);
		return result;
	}
	if (srt_type_is_float(from)) /* -0 and a low part of +0 would add to +0 */
		result.high = value.low == 0 ? value.high : value.high + value.low;
	else if (to == SCANRT_F32) /* a double would round first, and then again */
		result.high = srt_type_is_signed(from) ? (float)(int64_t)value.integer : (float)value.integer;
	else
		result.high = srt_type_is_signed(from) ? (double)(int64_t)value.integer : (double)value.integer;
	result.high = decode(format_of(to), encode(format_of(to), result.high));
	return result;
}

bool element_equal(int type, const void *left, const void *right)
{
	size_t size = srt_type_size(type);

	if (memcmp(left, right, size) == 0)
		return true;
	return srt_type_is_float(type) && isnan(element_load(type, left, 0).high) &&
		isnan(element_load(type, right, 0).high);
}

const char *element_text(char text[64], int type, const void *array, uint64_t index)
{
	size_t size = srt_type_size(type);
	uint64_t bits = read_bits(size, (const char *)array + index * size);
	struct element value = element_load(type, array, index);
	int digits = 2 * (int)size;

	if (srt_type_is_float(type))
		snprintf(text, 64, "%.17g (0x%0*" PRIx64 ")", value.high, digits, bits);
	else if (srt_type_is_signed(type))
		snprintf(text, 64, "%" PRId64 " (0x%0*" PRIx64 ")", (int64_t)value.integer, digits, bits);
	else
		snprintf(text, 64, "%" PRIu64 " (0x%0*" PRIx64 ")", value.integer, digits, bits);
	return text;
}
