/* SPDX-License-Identifier: MIT
 *
 * Elements as numbers.
 */
#include "layout.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data.h"
#include "half.h"
#include "problem.h"
#include "reference.h"

#define BLOCK_COUNT 4096

/* ---- What there is ---- */

bool tune_layout_add(struct tune_layout *layout, int type, size_t count, double low, double high)
{
	size_t size = type ? srt_type_size(type) : 1;

	if (layout->count == TUNE_FIELDS_MAX)
		return false;
	layout->fields[layout->count++] = (struct tune_field){ type, layout->bytes, size, count, low, high };
	layout->bytes += size * count;
	return true;
}

static bool is_scalar(int type)
{
	return type >= SCANRT_I8 && type <= SCANRT_F64;
}

/* Values, and the index or flag behind them, which is small: a large one is as good as any, but flags want both. */
static void add_pair(struct tune_layout *layout, int value, double last)
{
	int beside = srt_type_size(value) == 8 ? SCANRT_U64 : SCANRT_U32;

	tune_layout_add(layout, value, 1, srt_type_is_float(value) ? -1 : 0, srt_type_is_float(value));
	tune_layout_add(layout, beside, 1, 0, last);
}

/* Slopes, factors and counts are such that a scan of many elements neither vanishes nor overflows at once. */
void tune_layout_default(struct tune_layout *layout, int type, size_t bytes, size_t alignment)
{
	static const int words[] = { SCANRT_U8, SCANRT_U16, SCANRT_U32, SCANRT_U64 };
	int word = 0;

	memset(layout, 0, sizeof *layout);
	switch (type) {
	case SCANRT_I128:
	case SCANRT_U128: tune_layout_add(layout, SCANRT_U64, 2, 0, 0); return;
	case SCANRT_C64: tune_layout_add(layout, SCANRT_F32, 2, -1, 1); return;
	case SCANRT_C128: tune_layout_add(layout, SCANRT_F64, 2, -1, 1); return;
	case SCANRT_AFFINE_F32: tune_layout_add(layout, SCANRT_F32, 2, -1, 1); return;
	case SCANRT_AFFINE_F64: tune_layout_add(layout, SCANRT_F64, 2, -1, 1); return;
	case SCANRT_AFFINE_C64: tune_layout_add(layout, SCANRT_F32, 4, -0.7, 0.7); return;
	case SCANRT_INDEXED_I32: add_pair(layout, SCANRT_I32, 4e9); return;
	case SCANRT_INDEXED_I64: add_pair(layout, SCANRT_I64, 4e9); return;
	case SCANRT_INDEXED_F32: add_pair(layout, SCANRT_F32, 4e9); return;
	case SCANRT_INDEXED_F64: add_pair(layout, SCANRT_F64, 4e9); return;
	case SCANRT_OPTIONAL_I32: add_pair(layout, SCANRT_I32, 1); return;
	case SCANRT_OPTIONAL_I64: add_pair(layout, SCANRT_I64, 1); return;
	case SCANRT_OPTIONAL_F32: add_pair(layout, SCANRT_F32, 1); return;
	case SCANRT_OPTIONAL_F64: add_pair(layout, SCANRT_F64, 1); return;
	case SCANRT_MATRIX2_U32: tune_layout_add(layout, SCANRT_U32, 4, 0, 0); return;
	case SCANRT_MATRIX2_F32: tune_layout_add(layout, SCANRT_F32, 4, -0.7, 0.7); return;
	case SCANRT_MATRIX2_F64: tune_layout_add(layout, SCANRT_F64, 4, -0.7, 0.7); return;
	case SCANRT_MOMENTS_F32: tune_layout_add(layout, SCANRT_F32, 3, 1, 2); return;
	case SCANRT_MOMENTS_F64: tune_layout_add(layout, SCANRT_F64, 3, 1, 2); return;
	default: break;
	}
	if (is_scalar(type)) {
		tune_layout_add(layout, type, 1, srt_type_is_float(type) ? -1 : 0, srt_type_is_float(type));
		return;
	}
	while (word < 3 && (size_t)2 << word <= alignment)
		word++;
	tune_layout_add(layout, words[word], bytes >> word, 0, 0);
}

size_t tune_layout_floats(const struct tune_layout *layout)
{
	size_t floats = 0;

	for (size_t i = 0; i < layout->count; i++)
		if (layout->fields[i].type && srt_type_is_float(layout->fields[i].type))
			floats += layout->fields[i].count;
	return floats;
}

bool tune_layout_has_floats(const struct tune_layout *layout)
{
	return tune_layout_floats(layout) > 0;
}

/* ---- Random elements ---- */

static double between(double low, double high, uint64_t random)
{
	return low + (high - low) * ((double)(random >> 11) * 0x1p-53);
}

/* Both ends of a range of integers may come out. */
static uint64_t integer_between(double low, double high, uint64_t random)
{
	double value = floor(between(low, high + 1, random));

	value = value > high ? high : value;
	return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

void tune_layout_random(void *element, const struct tune_layout *layout, uint64_t *state)
{
	memset(element, 0, layout->bytes);
	for (size_t i = 0; i < layout->count; i++) {
		const struct tune_field *field = &layout->fields[i];
		unsigned char *to = (unsigned char *)element + field->offset;

		for (size_t k = 0; field->type && k < field->count; k++, to += field->size) {
			uint64_t random = tune_random(state);

			if (srt_type_is_float(field->type)) {
				tune_store_real(to, field->type, between(field->low, field->high, random));
				continue;
			}
			if (field->low < field->high)
				random = integer_between(field->low, field->high, random);
			memcpy(to, &random, field->size);
		}
	}
}

/* ---- Comparison ---- */

/* Equal bits and equal numbers do not deviate; a NaN equals a NaN, whatever it carries. */
static double deviation_of(double wanted, double seen, double scale)
{
	double size = fabs(wanted) > scale ? fabs(wanted) : scale;

	if (wanted == seen || (isnan(wanted) && isnan(seen)))
		return 0;
	if (!isfinite(wanted) || !isfinite(seen) || size == 0)
		return INFINITY;
	return fabs(wanted - seen) / size;
}

double tune_layout_deviation(const struct tune_layout *layout, const void *wanted, const void *seen,
	const double *scale)
{
	double worst = 0;

	if (memcmp(wanted, seen, layout->bytes) == 0)
		return 0;
	for (size_t i = 0; i < layout->count; i++) {
		const struct tune_field *field = &layout->fields[i];
		const char *from = (const char *)wanted + field->offset, *with = (const char *)seen + field->offset;

		if (field->type == 0)
			continue;
		for (size_t k = 0; k < field->count; k++, from += field->size, with += field->size) {
			double deviation = INFINITY;

			if (srt_type_is_float(field->type))
				deviation = deviation_of(tune_element_real(from, field->type),
					tune_element_real(with, field->type), scale ? *scale++ : 0);
			else if (memcmp(from, with, field->size) == 0)
				deviation = 0;
			worst = deviation > worst ? deviation : worst;
		}
	}
	return worst;
}

void tune_layout_grow(double *scale, const struct tune_layout *layout, const void *element)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct tune_field *field = &layout->fields[i];
		const char *from = (const char *)element + field->offset;

		if (field->type == 0 || !srt_type_is_float(field->type))
			continue;
		for (size_t k = 0; k < field->count; k++, from += field->size, scale++) {
			double size = fabs(tune_element_real(from, field->type));

			if (isfinite(size) && size > *scale)
				*scale = size;
		}
	}
}

/* Elements of one type of float alone are looked at word by word, some billions of them in a verification. */
#define DEFINE_FIND_WORDS(name, type, most) \
	static uint64_t name(const type *wanted, const type *seen, uint64_t count, size_t words, double *scale, \
		double tolerance) \
	{ \
		for (uint64_t i = 0; i < count; i++, wanted += words, seen += words) \
			for (size_t k = 0; k < words; k++) { \
				double size = fabs((double)wanted[k]); \
\
				if (size > scale[k] && size <= (double)most) \
					scale[k] = size; \
				/* A NaN, which is not off a NaN, goes the slow way. */ \
				if (!(fabs((double)wanted[k] - (double)seen[k]) <= tolerance * scale[k])) \
					return i; \
			} \
		return UINT64_MAX; \
	}

DEFINE_FIND_WORDS(find_f32, float, FLT_MAX)
DEFINE_FIND_WORDS(find_f64, double, DBL_MAX)

static bool is_all_of(const struct tune_layout *layout, int type)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->fields[i].type != type)
			return false;
	return true;
}

/* The next element that may be off. */
static uint64_t find_next(const struct tune_layout *layout, const char *wanted, const char *seen, uint64_t count,
	double *scale, double tolerance)
{
	if (is_all_of(layout, SCANRT_F32))
		return find_f32((const float *)(const void *)wanted, (const float *)(const void *)seen, count,
			layout->bytes / sizeof(float), scale, tolerance);
	if (is_all_of(layout, SCANRT_F64))
		return find_f64((const double *)(const void *)wanted, (const double *)(const void *)seen, count,
			layout->bytes / sizeof(double), scale, tolerance);
	return 0;
}

static uint64_t find_in_block(const struct tune_layout *layout, const char *wanted, const char *seen, uint64_t count,
	double *scale, double tolerance)
{
	size_t size = layout->bytes;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t skipped = find_next(
			layout, wanted + i * size, seen + i * size, count - i, scale, tolerance);

		if (skipped == UINT64_MAX)
			return UINT64_MAX;
		i += skipped;
		tune_layout_grow(scale, layout, wanted + i * size);
		if (tune_layout_deviation(layout, wanted + i * size, seen + i * size, scale) > tolerance)
			return i;
	}
	return UINT64_MAX;
}

uint64_t tune_layout_find_off(const struct tune_layout *layout, const void *wanted, const void *seen, uint64_t count,
	double *scale, double tolerance)
{
	bool has_floats = tune_layout_has_floats(layout);
	size_t size = layout->bytes;
	const char *want = wanted, *have = seen;

	for (uint64_t at = 0; at < count; at += BLOCK_COUNT, want += BLOCK_COUNT * size, have += BLOCK_COUNT * size) {
		uint64_t length = count - at < BLOCK_COUNT ? count - at : BLOCK_COUNT;
		uint64_t found = UINT64_MAX;

		/* Equal floats make the scale grow all the same. */
		if (has_floats || memcmp(want, have, length * size) != 0)
			found = find_in_block(layout, want, have, length, scale, tolerance);
		if (found != UINT64_MAX)
			return at + found;
	}
	return UINT64_MAX;
}

/* ---- For people ---- */

static size_t print_number(char *text, size_t size, const void *from, int type)
{
	int length;

	if (srt_type_is_float(type))
		length = snprintf(text, size, "%.9g", tune_element_real(from, type));
	else if (srt_type_is_signed(type))
		length = snprintf(text, size, "%lld", (long long)tune_element_integer(from, type));
	else
		length = snprintf(text, size, "%llu", (unsigned long long)tune_element_integer(from, type));
	return (size_t)length < size ? (size_t)length : size - 1;
}

#define TAIL ", ...}"

void tune_layout_print(char *text, size_t size, const struct tune_layout *layout, const void *element)
{
	size_t used = (size_t)snprintf(text, size, "{");
	char number[48];

	for (size_t i = 0; i < layout->count; i++) {
		const struct tune_field *field = &layout->fields[i];
		const char *from = (const char *)element + field->offset;

		for (size_t k = 0; field->type && k < field->count; k++, from += field->size) {
			size_t length = print_number(number, sizeof number, from, field->type);

			if (used + length + 2 + sizeof TAIL > size) {
				snprintf(text + used, size - used, TAIL);
				return;
			}
			used += (size_t)snprintf(text + used, size - used, "%s%s", used > 1 ? ", " : "", number);
		}
	}
	snprintf(text + used, size - used, "}");
}
