/* SPDX-License-Identifier: MIT */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A test that is out of memory has nothing to say. */
static void *need(uint64_t size)
{
	void *memory = calloc(1, size ? (size_t)size : 1);

	if (!memory)
		abort();
	return memory;
}

/* (high, low) + b without loss: Knuth's exact sum of two doubles, the remainder kept. */
static struct element add_exactly(struct element sum, double b)
{
	double total = sum.high + b;
	double part = total - sum.high;
	double lost = (sum.high - (total - part)) + (b - part);
	struct element result = { 0, total, isfinite(total) ? sum.low + lost : 0 };

	return result;
}

static struct element multiply_exactly(struct element product, double b)
{
	double total = product.high * b;
	struct element result = { 0, total, 0 };

	if (isfinite(total))
		result.low = fma(product.high, b, -total) + product.low * b;
	return result;
}

/* NaN wins and stays; -0 is less than +0. */
static struct element order_floats(bool is_maximum, struct element earlier, struct element later)
{
	bool is_less;

	if (isnan(earlier.high))
		return earlier;
	if (isnan(later.high))
		return later;
	is_less = earlier.high < later.high ||
		(earlier.high == later.high && signbit(earlier.high) && !signbit(later.high));
	return is_less == is_maximum ? later : earlier;
}

static struct element apply_to_floats(int op, struct element earlier, struct element later)
{
	switch (op) {
	case SCANRT_SUM:
		return add_exactly(earlier, later.high);
	case SCANRT_PROD:
		return multiply_exactly(earlier, later.high);
	default:
		return order_floats(op == SCANRT_MAX, earlier, later);
	}
}

/* later(earlier(x)) of two maps x -> a x + b, a in the high half of the word and b in the low half. */
static uint64_t compose(int bits, uint64_t earlier, uint64_t later)
{
	int half = bits / 2;
	uint64_t mask = (UINT64_C(1) << half) - 1;
	uint64_t scale = (earlier >> half & mask) * (later >> half & mask);
	uint64_t offset = (later >> half & mask) * (earlier & mask) + (later & mask);

	return (scale & mask) << half | (offset & mask);
}

static bool is_below(int type, uint64_t left, uint64_t right)
{
	return srt_type_is_signed(type) ? (int64_t)left < (int64_t)right : left < right;
}

static uint64_t apply_to_integers(int op, int type, uint64_t earlier, uint64_t later)
{
	switch (op) {
	case SCANRT_SUM:
		return earlier + later;
	case SCANRT_PROD:
		return earlier * later;
	case SCANRT_MIN:
		return is_below(type, later, earlier) ? later : earlier;
	case SCANRT_MAX:
		return is_below(type, earlier, later) ? later : earlier;
	case SCANRT_AND:
		return earlier & later;
	case SCANRT_OR:
		return earlier | later;
	case SCANRT_XOR:
		return earlier ^ later;
	case SRT_OP_LAST:
		return later ? later : earlier;
	case SRT_OP_AFFINE:
		return compose(8 * (int)srt_type_size(type), earlier, later);
	default:
		abort();
	}
}

struct element reference_apply(int op, int type, struct element earlier, struct element later)
{
	struct element result = { 0, 0, 0 };

	if (srt_type_is_float(type))
		return apply_to_floats(op, earlier, later);
	result.integer = apply_to_integers(op, type, earlier.integer, later.integer);
	return element_convert(type, type, result); /* wraps */
}

static uint64_t lowest_integer(int type)
{
	return srt_type_is_signed(type) ? UINT64_MAX << (8 * srt_type_size(type) - 1) : 0;
}

static uint64_t integer_identity(int op, int type)
{
	switch (op) {
	case SCANRT_PROD:
		return 1;
	case SCANRT_MIN:
		return ~lowest_integer(type);
	case SCANRT_MAX:
		return lowest_integer(type);
	case SCANRT_AND:
		return UINT64_MAX;
	case SRT_OP_AFFINE:
		return UINT64_C(1) << (4 * srt_type_size(type));
	default:
		return 0;
	}
}

struct element reference_identity(int op, int type)
{
	struct element result = { 0, 0, 0 };

	if (!srt_type_is_float(type)) {
		result.integer = integer_identity(op, type);
		return element_convert(type, type, result);
	}
	if (op != SCANRT_SUM)
		result.high = op == SCANRT_PROD ? 1 : op == SCANRT_MIN ? INFINITY : -INFINITY;
	return result;
}

/* The running result before the first element: the initial value, or nothing at all. */
static bool first_value(struct element *running, const struct srt_problem *problem)
{
	*running = reference_identity(problem->op, problem->accumulator_type);
	if (problem->has_initial)
		*running = element_load(problem->accumulator_type, problem->initial, 0);
	return problem->has_initial;
}

static void keep(struct reference *reference, uint64_t index, struct element running, double magnitude)
{
	const struct srt_problem *problem = &reference->problem;
	struct element result = element_convert(problem->accumulator_type, problem->output_type, running);

	element_store(problem->output_type, reference->expected, index, result);
	if (!reference->is_real)
		return;
	reference->exact[index] = running.high + running.low;
	reference->magnitude[index] = magnitude;
}

static void scan(struct reference *reference)
{
	const struct srt_problem *problem = &reference->problem;
	int type = problem->accumulator_type;
	struct element running;
	bool has_value = first_value(&running, problem);
	double magnitude = has_value ? fabs(running.high) : 0;
	bool is_product = problem->op == SCANRT_PROD;

	for (uint64_t i = 0; i < reference->count; i++) {
		struct element item = element_load(problem->input_type, reference->input, i);

		item = element_convert(problem->input_type, type, item);
		if (problem->is_exclusive)
			keep(reference, i, running, is_product ? fabs(running.high) : magnitude);
		running = has_value ? reference_apply(problem->op, type, running, item) : item;
		has_value = true;
		magnitude += fabs(item.high);
		if (!problem->is_exclusive)
			keep(reference, i, running, is_product ? fabs(running.high) : magnitude);
	}
}

static void allocate(struct reference *reference, const struct srt_problem *problem, bool is_real, uint64_t count)
{
	memset(reference, 0, sizeof(*reference));
	reference->problem = *problem;
	reference->count = count;
	reference->is_real = is_real;
	reference->input = need(count * srt_type_size(problem->input_type));
	reference->expected = need(count * srt_type_size(problem->output_type));
	if (is_real) {
		reference->exact = need(count * sizeof(double));
		reference->magnitude = need(count * sizeof(double));
	}
}

void reference_create(struct reference *reference, const struct srt_problem *problem, enum reference_data data,
	uint64_t seed, uint64_t count)
{
	bool is_real = data == REFERENCE_REAL && srt_type_is_float(problem->accumulator_type) &&
		(problem->op == SCANRT_SUM || problem->op == SCANRT_PROD);

	allocate(reference, problem, is_real, count);
	reference->seed = seed;
	reference_fill(reference->input, problem, is_real ? REFERENCE_REAL : REFERENCE_EXACT, seed, count);
	scan(reference);
}

void reference_create_from(
	struct reference *reference, const struct srt_problem *problem, const void *input, bool is_real, uint64_t count)
{
	allocate(reference, problem, is_real, count);
	memcpy(reference->input, input, (size_t)(count * srt_type_size(problem->input_type)));
	scan(reference);
}

void reference_destroy(struct reference *reference)
{
	free(reference->input);
	free(reference->expected);
	free(reference->exact);
	free(reference->magnitude);
	memset(reference, 0, sizeof(*reference));
}

/* Of a tree with as many leaves as the tile has elements: up and down its levels, `fan` combinations in each. */
static double circuit_depth(const struct srt_variant *variant)
{
	double fan = variant->circuit == SRT_CIRCUIT_RAKING ? variant->fan : 2;

	return variant->items + 2 * fan * ceil(log(srt_variant_tile(variant)) / log(fan));
}

/* The thread's own items, five steps of a warp, the warps' totals, and the tiles: look-back may chain one addition a
 * tile, lookahead chains one a batch of 32 after a tree inside each.  A few for the initial value and the joints. */
double reference_depth(const struct srt_variant *variant, uint64_t count)
{
	uint32_t tile = srt_variant_tile(variant);
	double tiles = ceil((double)count / tile);
	double inside = variant->items + 5.0 + variant->block / 32.0 + 4.0;

	if (variant->circuit > SRT_CIRCUIT_WARPS)
		inside = circuit_depth(variant);

	switch (variant->strategy) {
	case SRT_BLOCK:
		return inside;
	case SRT_LOOKAHEAD:
		return inside + tiles / 32.0 + 12.0;
	default:
		return inside + tiles + 12.0;
	}
}

/* Bound of the accumulator's error, widened by one rounding to the output type.  An infinite result is right where
 * the bound reaches beyond the largest finite value. */
static bool is_within(const struct reference *reference, uint64_t index, double seen, double depth)
{
	const struct srt_problem *problem = &reference->problem;
	int type = problem->accumulator_type;
	double additions = problem->op == SCANRT_PROD ? (double)index + 2 : fmin(depth, (double)index + 2);
	/* (1 + u)^n - 1, not the usual n u / (1 - n u), which has no meaning from n u = 1 on: 2048 factors of f16. */
	double growth = expm1(additions * log1p(element_unit(type)));
	double exact = reference->exact[index];
	double bound = growth * reference->magnitude[index] + additions * element_tiny(type);
	double largest = element_largest(problem->output_type);

	bound += element_unit(problem->output_type) * (fabs(exact) + bound) + element_tiny(problem->output_type);
	if (isinf(seen))
		return copysign(1.0, seen) * exact + bound > largest;
	return fabs(seen - exact) <= bound; /* false for NaN */
}

static bool is_right(const struct reference *reference, const void *seen, uint64_t index, double depth)
{
	int type = reference->problem.output_type;
	uint64_t offset = index * srt_type_size(type);

	if (element_equal(type, (const char *)reference->expected + offset, (const char *)seen + offset))
		return true;
	if (!reference->is_real || !srt_type_is_float(type))
		return false;
	return is_within(reference, index, element_load(type, seen, index).high, depth);
}

bool reference_check(const struct reference *reference, const void *seen, uint64_t count, double depth, uint64_t *index,
	uint64_t *wrong)
{
	*wrong = 0;
	if (memcmp(seen, reference->expected, (size_t)(count * srt_type_size(reference->problem.output_type))) == 0)
		return true;
	for (uint64_t i = 0; i < count; i++) {
		if (is_right(reference, seen, i, depth))
			continue;
		if ((*wrong)++ == 0)
			*index = i;
	}
	return *wrong == 0;
}
