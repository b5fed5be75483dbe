/* SPDX-License-Identifier: MIT
 *
 * The scan on the CPU, one element after the other, with what each result may be.
 *
 * Exact data: every partial result of every order of combination is representable in the accumulator, so a float scan
 * has one right answer too, and results are compared bit for bit.  Integers always are.
 *
 * Real data: float sums and products of random values, compared with a bound that follows from the depth of the
 * kernel's tree, d additions from any element to any result, each rounding by at most u (2^-24 for f32):
 *   |seen - exact| <= g * (|x[0]| + ... + |x[i]|),  g = (1 + u)^d - 1
 * plus the rounding to the output type.  A product of n factors always has n - 1 roundings: |error| <= g |exact| with
 * d = n.  The exact value is summed in pairs of doubles.
 *
 * A scan's results for n elements are the first n results for more: one reference serves every count up to its own.
 */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/problem.h"
#include "../lib/variant.h"
#include "element.h"

enum reference_data { REFERENCE_EXACT, REFERENCE_REAL };

struct reference {
	struct srt_problem problem;
	uint64_t seed;
	uint64_t count;
	bool is_real;
	void *input;       /* of the input type */
	void *expected;    /* of the output type */
	double *exact;     /* real data: the result before the conversion to the output type */
	double *magnitude; /* real data: the sum of |x|; for products |exact| */
};

/* Fills input and expected.  Uses problem->initial's bytes where it has an initial value, on the device or not. */
void reference_create(struct reference *reference, const struct srt_problem *problem, enum reference_data data,
	uint64_t seed, uint64_t count);
/* The same for input that the test makes itself: count elements of the input type, copied. */
void reference_create_from(struct reference *reference, const struct srt_problem *problem, const void *input,
	bool is_real, uint64_t count);
void reference_destroy(struct reference *reference);

/* Additions between an element and a result, at most. */
double reference_depth(const struct srt_variant *variant, uint64_t count);

/* Whether results are right; else the index of the first that is wrong, and how many are. */
bool reference_check(const struct reference *reference, const void *seen, uint64_t count, double depth, uint64_t *index,
	uint64_t *wrong);

/* The operator itself, in the accumulator type. */
struct element reference_apply(int op, int type, struct element earlier, struct element later);
struct element reference_identity(int op, int type);

/* Random bits that depend on the seed and the index alone. */
uint64_t reference_random(uint64_t seed, uint64_t index);
/* Test data, tests/reference_data.c: elements of the problem's input type that fit its operator and accumulator. */
void reference_fill(
	void *input, const struct srt_problem *problem, enum reference_data data, uint64_t seed, uint64_t count);

#endif
