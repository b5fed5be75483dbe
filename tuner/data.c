/* SPDX-License-Identifier: MIT
 *
 * Inputs that show faults.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "half.h"
#include "problem.h"
#include "reference.h"

uint64_t tune_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* ---- One element at a time ---- */

/* What the elements of one array depend on, beside their index. */
struct maker {
	int type;
	int op;
	size_t size;
	uint64_t count;
	uint64_t state;
	uint64_t first[64]; /* and, or: from where on a bit may be cleared or set */
	uint64_t turned;    /* the bits that may be, at this index */
	uint64_t next;      /* where the next one joins them */
	int power;          /* prod of floats: the next power of two turns the last one back */
};

static double unit(struct maker *maker)
{
	return (double)(tune_random(&maker->state) >> 11) * 0x1p-53;
}

/* And or or of random words is constant after a few elements.  Here each bit turns at a place of its own, spread
 * evenly over the magnitudes, so that the result changes at every scale. */
static void place_bits(struct maker *maker)
{
	for (size_t bit = 0; bit < 8 * maker->size; bit++)
		maker->first[bit] = (uint64_t)exp(unit(maker) * log((double)maker->count));
}

/* Lets the bits of this index in, and returns them. */
static uint64_t turn_bits(struct maker *maker, uint64_t index)
{
	uint64_t before = maker->turned;

	maker->next = UINT64_MAX;
	for (size_t bit = 0; bit < 8 * maker->size; bit++)
		if (maker->first[bit] <= index)
			maker->turned |= (uint64_t)1 << bit;
		else if (maker->first[bit] < maker->next)
			maker->next = maker->first[bit];
	return maker->turned & ~before;
}

static uint64_t bit_element(struct maker *maker, uint64_t index)
{
	uint64_t fresh = index >= maker->next ? turn_bits(maker, index) : 0;
	uint64_t value = fresh | (tune_random(&maker->state) & maker->turned);

	return maker->op == SCANRT_AND ? ~value : value;
}

/* A trend under noise: a maximum of random numbers alone would be reached early and hide all that comes after. */
static double trend(struct maker *maker, uint64_t index, double size)
{
	double at = (double)index / (double)maker->count * 2 - 1;
	double value = size * at - size / 8 * unit(maker);

	return maker->op == SCANRT_MIN ? -value : value;
}

static uint64_t integer_element(struct maker *maker, uint64_t index)
{
	int bits = (int)(8 * maker->size);
	uint64_t random;

	switch (maker->op) {
	case SCANRT_AND:
	case SCANRT_OR: return bit_element(maker, index);
	case SCANRT_MIN:
	case SCANRT_MAX:
		random = (uint64_t)(int64_t)trend(maker, index, ldexp(0.875, bits - 1));
		return srt_type_is_signed(maker->type) ? random : random ^ (uint64_t)1 << (bits - 1);
	default: break;
	}
	random = tune_random(&maker->state);
	if (maker->op == SCANRT_PROD)
		return random | 1; /* even factors would make the product zero after a few elements */
	if (maker->op == SRT_OP_LAST)
		return random >> 61 ? 0 : random; /* most elements leave the earlier one */
	if (maker->op == SRT_OP_AFFINE)
		return random | (uint64_t)1 << (bits / 2); /* odd slopes keep what came before */
	return random;
}

static double exact_real(struct maker *maker, uint64_t index)
{
	uint64_t random = tune_random(&maker->state);

	if (maker->op == SCANRT_SUM)
		return (double)(int)(random % 9) - 4; /* small integers: a walk that stays far below 2^24 */
	if (maker->op != SCANRT_PROD)
		return trend(maker, index, maker->type == SCANRT_F16 ? 30000 : 1e6);
	/* Signs, and now and then a 2 that the next time is undone by a half. */
	if (random % 16 < 2)
		maker->power = maker->power ? 0 : 1;
	return ldexp(random >> 63 ? 1 : -1, random % 16 < 2 ? (maker->power ? 1 : -1) : 0);
}

static double rounded_real(struct maker *maker)
{
	double value = 2 * unit(maker) - 1;

	return maker->op == SCANRT_PROD ? 1 + value / 256 : value;
}

void tune_store_real(void *to, int type, double value)
{
	float narrow = (float)value;
	uint16_t half = type == SCANRT_F16 ? tune_to_f16(narrow) : tune_to_bf16(narrow);

	if (type == SCANRT_F64)
		memcpy(to, &value, sizeof value);
	else if (type == SCANRT_F32)
		memcpy(to, &narrow, sizeof narrow);
	else
		memcpy(to, &half, sizeof half);
}

static void make_input(struct tune_data *data, uint64_t seed)
{
	struct maker maker = { .type = data->type, .op = data->op, .size = data->element, .count = data->count,
			       .state = seed };
	unsigned char *to = data->input;

	place_bits(&maker);
	for (uint64_t i = 0; i < data->count; i++, to += data->element) {
		if (srt_type_is_float(data->type)) {
			tune_store_real(to, data->type, data->is_exact ? exact_real(&maker, i) : rounded_real(&maker));
		} else {
			uint64_t value = integer_element(&maker, i);

			memcpy(to, &value, data->element);
		}
	}
}

/* ---- What must come out ---- */

static bool make_real(struct tune_data *data)
{
	const unsigned char *from = data->input;
	long double sum = data->op == SCANRT_PROD ? 1 : 0, size = sum;

	data->real = malloc(data->count * sizeof *data->real);
	data->magnitude = malloc(data->count * sizeof *data->magnitude);
	if (data->real == NULL || data->magnitude == NULL)
		return false;
	for (uint64_t i = 0; i < data->count; i++, from += data->element) {
		long double x = (long double)tune_element_real(from, data->type);

		sum = data->op == SCANRT_PROD ? sum * x : sum + x;
		/* Every factor's rounding stays in a product, however it is bracketed. */
		size = data->op == SCANRT_PROD ? fabsl(sum) * (long double)(i + 1) : size + fabsl(x);
		data->real[i] = sum;
		data->magnitude[i] = size;
	}
	return true;
}

bool tune_data_init(struct tune_data *data, int type, int op, uint64_t count, uint64_t seed, bool is_exact)
{
	struct tune_prefix start = {0};

	memset(data, 0, sizeof *data);
	data->type = type;
	data->op = op;
	data->count = count;
	data->element = data->result = srt_type_size(type);
	data->is_exact = is_exact;
	data->input = malloc(count * data->element + 1);
	if (data->input == NULL)
		return false;
	make_input(data, seed);
	tune_identity(data->identity, type, op);
	if (!is_exact)
		return make_real(data);
	data->inclusive = malloc(count * data->element + 1);
	if (data->inclusive == NULL)
		return false;
	tune_reference_scan(data->inclusive, &start, data->input, count, type, op);
	return true;
}

void tune_data_free(struct tune_data *data)
{
	free(data->input);
	free(data->inclusive);
	free(data->exclusive);
	free(data->real);
	free(data->magnitude);
	memset(data, 0, sizeof *data);
}

/* ---- Comparison ---- */

static bool is_equal(const struct tune_data *data, const void *wanted, const void *seen)
{
	if (memcmp(wanted, seen, data->element) == 0)
		return true;
	/* -0 and +0 are one result here: which of them a sum of zeros gives is no fault of a kernel. */
	return srt_type_is_float(data->type) &&
	       tune_element_real(wanted, data->type) == tune_element_real(seen, data->type);
}

static uint64_t compare_exact(const struct tune_data *data, const unsigned char *wanted, const unsigned char *seen,
	uint64_t count)
{
	size_t size = data->element;
	uint64_t step = 4096;

	for (uint64_t i = 0; i < count; i += step) {
		uint64_t n = count - i < step ? count - i : step;

		if (memcmp(wanted + i * size, seen + i * size, n * size) == 0)
			continue;
		for (uint64_t j = i; j < i + n; j++)
			if (!is_equal(data, wanted + j * size, seen + j * size))
				return j;
	}
	return TUNE_SAME;
}

static long double unit_roundoff(int type)
{
	switch (type) {
	case SCANRT_F16: return 0x1p-11L;
	case SCANRT_BF16: return 0x1p-8L;
	case SCANRT_F64: return 0x1p-53L;
	default: return 0x1p-24L;
	}
}

/* Halves accumulate in f32: the combination errs in that, the store in the type itself.  Halves have subnormals too. */
static long double bound(const struct tune_data *data, uint64_t index, unsigned depth)
{
	long double accumulate = data->type == SCANRT_F64 ? 0x1p-53L : 0x1p-24L;
	long double steps = data->op == SCANRT_PROD ? 1 : (long double)depth;

	return 1.01L * (steps * accumulate * data->magnitude[index] +
		unit_roundoff(data->type) * fabsl(data->real[index])) + 0x1p-24L * (data->element == 2);
}

static uint64_t compare_rounded(const struct tune_data *data, const unsigned char *seen, uint64_t count,
	unsigned depth, uint64_t shift)
{
	for (uint64_t i = 0; i + shift < count; i++) {
		double value = tune_element_real(seen + (i + shift) * data->element, data->type);

		/* Written so that a NaN fails. */
		if (!(fabsl((long double)value - data->real[i]) <= bound(data, i, depth)))
			return i + shift;
	}
	return TUNE_SAME;
}

uint64_t tune_data_compare(const struct tune_data *data, const void *seen, uint64_t count, bool is_exclusive,
	unsigned depth)
{
	const unsigned char *from = seen;
	uint64_t shift = is_exclusive ? 1 : 0;
	uint64_t found;

	if (count == 0)
		return TUNE_SAME;
	if (is_exclusive && !is_equal(data, data->identity, seen))
		return 0;
	if (!data->is_exact)
		return compare_rounded(data, seen, count, depth, shift);
	found = compare_exact(data, data->inclusive, from + shift * data->element, count - shift);
	return found == TUNE_SAME ? found : found + shift;
}

static void print_element(char *text, size_t size, const void *element, int type)
{
	if (srt_type_is_float(type))
		snprintf(text, size, "%.9g", tune_element_real(element, type));
	else if (srt_type_is_signed(type))
		snprintf(text, size, "%lld", (long long)tune_element_integer(element, type));
	else
		snprintf(text, size, "%llu", (unsigned long long)tune_element_integer(element, type));
}

void tune_data_explain(char *text, size_t size, const struct tune_data *data, const void *seen, uint64_t index,
	bool is_exclusive)
{
	const unsigned char *wanted = data->inclusive;
	char wanted_text[48], seen_text[48];
	uint64_t at = index - (is_exclusive && index > 0);

	print_element(seen_text, sizeof seen_text, (const unsigned char *)seen + index * data->element, data->type);
	if (is_exclusive && index == 0)
		print_element(wanted_text, sizeof wanted_text, data->identity, data->type);
	else if (data->is_exact)
		print_element(wanted_text, sizeof wanted_text, wanted + at * data->element, data->type);
	else
		snprintf(wanted_text, sizeof wanted_text, "%.9Lg", data->real[at]);
	snprintf(text, size, "wanted %s, saw %s", wanted_text, seen_text);
}
