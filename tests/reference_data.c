/* SPDX-License-Identifier: MIT
 *
 * Test data that an operator cannot hide a mistake in: no absorbing element, no early saturation, and for floats
 * values whose partial results are exact in any order.
 */
#include "reference.h"

#include <math.h>

/* splitmix64's finaliser over a counter. */
uint64_t reference_random(uint64_t seed, uint64_t index)
{
	uint64_t word = (seed * UINT64_C(0xd1342543de82ef95)) ^ ((index + 1) * UINT64_C(0x9e3779b97f4a7c15));

	word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
	return word ^ (word >> 31);
}

static int bits_of(int type)
{
	return 8 * (int)srt_type_size(type);
}

/* Bit-wise and/or results change at most once a bit.  The chance of a change falls as 1/i, so that the changes spread
 * over the array, whatever its length, instead of using up all bits at its start. */
static uint64_t sparse_bit(int type, uint64_t random, uint64_t index)
{
	if (random % (index + 8) >= 8)
		return 0;
	return UINT64_C(1) << ((random >> 48) % (uint64_t)bits_of(type));
}

/* Maxima that keep rising to the end: a ramp through the type's range with noise on it. */
static uint64_t rising(int type, uint64_t random, uint64_t index, uint64_t count)
{
	int bits = bits_of(type) < 32 ? bits_of(type) : 32;
	double range = ldexp(1.0, bits - 1);
	double position = count ? (double)index / (double)count : 0;
	int64_t value = (int64_t)(range * (0.875 * position + 0.125 * (double)(random >> 40) / 16777216.0));

	return (uint64_t)(srt_type_is_signed(type) ? value - (int64_t)(range / 2) : value);
}

static uint64_t integer_at(int op, int type, uint64_t random, uint64_t index, uint64_t count)
{
	switch (op) {
	case SCANRT_PROD:
		return random | 1; /* an even factor would end in zero within a few items */
	case SCANRT_MAX:
		return rising(type, random, index, count);
	case SCANRT_MIN:
		return ~rising(type, random, index, count);
	case SCANRT_AND:
		return ~sparse_bit(type, random, index);
	case SCANRT_OR:
		return sparse_bit(type, random, index);
	case SRT_OP_LAST:
		return random % 7 ? 0 : random >> 8;
	case SRT_OP_AFFINE:
		return random | UINT64_C(1) << (bits_of(type) / 2); /* an odd scale can be inverted: nothing is lost */
	default:
		return random;
	}
}

static void fill_integers(void *input, const struct srt_problem *problem, uint64_t seed, uint64_t count)
{
	int type = problem->input_type;

	for (uint64_t i = 0; i < count; i++) {
		struct element value = { integer_at(problem->op, type, reference_random(seed, i), i, count), 0, 0 };

		element_store(type, input, i, value);
	}
}

/* Integers whose running sum stays within the limit, so that no partial sum of a range exceeds twice it. */
static double step_of_walk(double *walk, double limit, uint64_t random)
{
	double range = limit < 64 ? limit : 64;
	double step = floor((double)(random >> 32) / 4294967296.0 * (2 * range + 1)) - range;

	if (fabs(*walk + step) > limit)
		step = -step;
	if (fabs(*walk + step) > limit)
		step = 0;
	*walk += step;
	return step;
}

/* The integers up to which an accumulator is exact, with room for an initial value and the difference of two. */
static double sum_limit(int accumulator)
{
	switch (accumulator) {
	case SCANRT_BF16:
		return 32;
	case SCANRT_F16:
		return 256;
	default:
		return 100000;
	}
}

static double rise_of_float(int type, uint64_t random, uint64_t index, uint64_t count)
{
	/* Seven bits of significand: bf16 holds every value of the ramp. */
	double level = floor(96 * (double)index / (double)(count ? count : 1)) + (double)(random >> 61);

	(void)type;
	return level - 48;
}

static double exact_float(
	const struct srt_problem *problem, double *walk, uint64_t random, uint64_t index, uint64_t count)
{
	double power;

	switch (problem->op) {
	case SCANRT_SUM:
		return step_of_walk(walk, sum_limit(problem->accumulator_type), random);
	case SCANRT_PROD:
		power = step_of_walk(walk, 5, random);
		return ldexp(random & 1 ? 1.0 : -1.0, (int)power);
	case SCANRT_MIN:
		return -rise_of_float(problem->input_type, random, index, count);
	default:
		return rise_of_float(problem->input_type, random, index, count);
	}
}

/* Sums: uniform in [-1, 1).  Products: close to 1, so that a million factors neither vanish nor overflow. */
static double real_float(int op, uint64_t random)
{
	double uniform = (double)(random >> 11) / 9007199254740992.0;

	return op == SCANRT_PROD ? 1 + (uniform - 0.5) / 64 : 2 * uniform - 1;
}

static void fill_floats(void *input, const struct srt_problem *problem, bool is_real, uint64_t seed, uint64_t count)
{
	double walk = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t random = reference_random(seed, i);
		struct element value = { 0, 0, 0 };

		value.high = is_real ? real_float(problem->op, random) : exact_float(problem, &walk, random, i, count);
		element_store(problem->input_type, input, i, value);
	}
}

/* Integers on the way to a float accumulator: small enough to be exact there. */
static void fill_small_integers(void *input, const struct srt_problem *problem, uint64_t seed, uint64_t count)
{
	double walk = 0;

	for (uint64_t i = 0; i < count; i++) {
		double step = exact_float(problem, &walk, reference_random(seed, i), i, count);
		struct element value = { (uint64_t)(int64_t)step, 0, 0 };

		if (!srt_type_is_signed(problem->input_type))
			value.integer = reference_random(seed, i) >> 61; /* no walk without negative steps */
		element_store(problem->input_type, input, i, value);
	}
}

void reference_fill(
	void *input, const struct srt_problem *problem, enum reference_data data, uint64_t seed, uint64_t count)
{
	bool is_real = data == REFERENCE_REAL;

	if (srt_type_is_float(problem->input_type) && srt_type_is_float(problem->accumulator_type))
		fill_floats(input, problem, is_real, seed, count);
	else if (srt_type_is_float(problem->accumulator_type))
		fill_small_integers(input, problem, seed, count);
	else if (srt_type_is_float(problem->input_type))
		fill_floats(input, problem, false, seed, count);
	else
		fill_integers(input, problem, seed, count);
}
