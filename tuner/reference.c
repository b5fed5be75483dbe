/* SPDX-License-Identifier: MIT
 *
 * The scan that kernels are held to.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "half.h"
#include "problem.h"
#include "reference.h"

/* One tight loop per operator: references of 2^28 elements are made while a GPU waits. */
#define LOOP(result)                             \
	for (uint64_t i = first; i < count; i++) { \
		x = from[i];                       \
		a = (result);                      \
		to[i] = a;                         \
	}                                          \
	break

/* Unsigned arithmetic wraps; small types are computed in at least 32 unsigned bits, since C would promote them to int,
 * whose overflow is undefined.  Flipping the sign bit makes unsigned comparison that of signed values. */
#define DEFINE_INTEGER_SCAN(bits, wide)                                                                           \
	static void scan_##bits(uint##bits##_t *to, struct tune_prefix *prefix, const uint##bits##_t *from,       \
		uint64_t count, int op, bool is_signed)                                                           \
	{                                                                                                         \
		const uint##bits##_t flip = is_signed ? (uint##bits##_t)((wide)1 << (bits - 1)) : 0;              \
		const int half = bits / 2;                                                                        \
		const uint##bits##_t low = (uint##bits##_t)(((wide)1 << half) - 1);                               \
		uint64_t first = prefix->is_started ? 0 : 1;                                                      \
		uint##bits##_t a = prefix->is_started ? (uint##bits##_t)prefix->integer : from[0];                \
		uint##bits##_t x;                                                                                 \
                                                                                                                  \
		if (first)                                                                                        \
			to[0] = a;                                                                                \
		switch (op) {                                                                                     \
		case SCANRT_SUM: LOOP((uint##bits##_t)((wide)a + x));                                             \
		case SCANRT_PROD: LOOP((uint##bits##_t)((wide)a * x));                                            \
		case SCANRT_MIN: LOOP((x ^ flip) < (a ^ flip) ? x : a);                                           \
		case SCANRT_MAX: LOOP((x ^ flip) > (a ^ flip) ? x : a);                                           \
		case SCANRT_AND: LOOP(a & x);                                                                     \
		case SCANRT_OR: LOOP(a | x);                                                                      \
		case SCANRT_XOR: LOOP(a ^ x);                                                                     \
		case SRT_OP_LAST: LOOP(x ? x : a);                                                                \
		/* x -> a x + b as (a, b): the later map of the earlier one. */                                   \
		case SRT_OP_AFFINE:                                                                               \
			LOOP((uint##bits##_t)((wide)((wide)(x >> half) * (a >> half)) << half |                   \
				(((wide)(x >> half) * (a & low) + (x & low)) & low)));                            \
		default: assert(!"an operator without a reference");                                              \
		}                                                                                                 \
		prefix->integer = a;                                                                              \
		prefix->is_started = true;                                                                        \
	}

DEFINE_INTEGER_SCAN(8, uint32_t)
DEFINE_INTEGER_SCAN(16, uint32_t)
DEFINE_INTEGER_SCAN(32, uint32_t)
DEFINE_INTEGER_SCAN(64, uint64_t)

#define REAL_LOOP(result)                        \
	for (uint64_t i = first; i < count; i++) { \
		x = LOAD(from[i]);                 \
		a = (result);                      \
		to[i] = STORE(a);                  \
	}                                          \
	break

/* The accumulator of halves is a float, as the library's default has it. */
#define DEFINE_REAL_SCAN(name, type, accumulator)                                                           \
	static void name(type *to, struct tune_prefix *prefix, const type *from, uint64_t count, int op)    \
	{                                                                                                   \
		uint64_t first = prefix->is_started ? 0 : 1;                                                \
		accumulator a = prefix->is_started ? (accumulator)prefix->real : LOAD(from[0]);             \
		accumulator x;                                                                              \
                                                                                                            \
		if (first)                                                                                  \
			to[0] = STORE(a);                                                                   \
		switch (op) {                                                                               \
		case SCANRT_SUM: REAL_LOOP(a + x);                                                          \
		case SCANRT_PROD: REAL_LOOP(a * x);                                                         \
		case SCANRT_MIN: REAL_LOOP(x < a ? x : a);                                                  \
		case SCANRT_MAX: REAL_LOOP(x > a ? x : a);                                                  \
		default: assert(!"an operator without a reference");                                        \
		}                                                                                           \
		prefix->real = (double)a;                                                                   \
		prefix->is_started = true;                                                                  \
	}

#define LOAD(value) (value)
#define STORE(value) (value)
DEFINE_REAL_SCAN(scan_f32, float, float)
DEFINE_REAL_SCAN(scan_f64, double, double)
#undef LOAD
#undef STORE
#define LOAD(value) tune_from_f16(value)
#define STORE(value) tune_to_f16(value)
DEFINE_REAL_SCAN(scan_f16, uint16_t, float)
#undef LOAD
#undef STORE
#define LOAD(value) tune_from_bf16(value)
#define STORE(value) tune_to_bf16(value)
DEFINE_REAL_SCAN(scan_bf16, uint16_t, float)
#undef LOAD
#undef STORE

void tune_reference_scan(void *out, struct tune_prefix *prefix, const void *in, uint64_t count, int type, int op)
{
	bool is_signed = srt_type_is_signed(type);

	if (count == 0)
		return;
	switch (type) {
	case SCANRT_F16: scan_f16(out, prefix, in, count, op); return;
	case SCANRT_BF16: scan_bf16(out, prefix, in, count, op); return;
	case SCANRT_F32: scan_f32(out, prefix, in, count, op); return;
	case SCANRT_F64: scan_f64(out, prefix, in, count, op); return;
	default: break;
	}
	switch (srt_type_size(type)) {
	case 1: scan_8(out, prefix, in, count, op, is_signed); return;
	case 2: scan_16(out, prefix, in, count, op, is_signed); return;
	case 4: scan_32(out, prefix, in, count, op, is_signed); return;
	default: scan_64(out, prefix, in, count, op, is_signed); return;
	}
}

static void store_integer(void *out, uint64_t value, size_t size)
{
	memcpy(out, &value, size); /* little-endian, as every host of an NVIDIA GPU is */
}

static bool integer_identity(void *out, int type, int op)
{
	size_t size = srt_type_size(type);
	uint64_t ones = UINT64_MAX >> (64 - 8 * size);
	uint64_t top = (uint64_t)1 << (8 * size - 1);
	bool is_signed = srt_type_is_signed(type);

	switch (op) {
	case SCANRT_SUM:
	case SCANRT_OR:
	case SCANRT_XOR:
	case SRT_OP_LAST: store_integer(out, 0, size); return true;
	case SCANRT_PROD: store_integer(out, 1, size); return true;
	case SCANRT_AND: store_integer(out, ones, size); return true;
	case SCANRT_MIN: store_integer(out, is_signed ? top - 1 : ones, size); return true;
	case SCANRT_MAX: store_integer(out, is_signed ? top : 0, size); return true;
	case SRT_OP_AFFINE: store_integer(out, (uint64_t)1 << (4 * size), size); return true;
	default: return false;
	}
}

bool tune_identity(void *out, int type, int op)
{
	double value = op == SCANRT_PROD ? 1 : op == SCANRT_MIN ? INFINITY : op == SCANRT_MAX ? -INFINITY : 0;
	float narrow = (float)value;
	uint16_t half = type == SCANRT_F16 ? tune_to_f16(narrow) : tune_to_bf16(narrow);

	if (!srt_type_is_float(type))
		return integer_identity(out, type, op);
	if (type == SCANRT_F64)
		memcpy(out, &value, sizeof value);
	else if (type == SCANRT_F32)
		memcpy(out, &narrow, sizeof narrow);
	else
		memcpy(out, &half, sizeof half);
	return true;
}

int64_t tune_element_integer(const void *element, int type)
{
	size_t size = srt_type_size(type);
	uint64_t value = 0;

	memcpy(&value, element, size);
	if (srt_type_is_signed(type) && value >> (8 * size - 1))
		value |= ~(uint64_t)0 << (8 * size - 1);
	return (int64_t)value;
}

double tune_element_real(const void *element, int type)
{
	double wide;
	float narrow;
	uint16_t half;

	if (!srt_type_is_float(type))
		return (double)tune_element_integer(element, type);
	memcpy(&half, element, sizeof half);
	if (type == SCANRT_F16 || type == SCANRT_BF16)
		return (double)(type == SCANRT_F16 ? tune_from_f16(half) : tune_from_bf16(half));
	if (type == SCANRT_F64) {
		memcpy(&wide, element, sizeof wide);
		return wide;
	}
	memcpy(&narrow, element, sizeof narrow);
	return (double)narrow;
}
