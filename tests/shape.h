/* SPDX-License-Identifier: MIT
 *
 * Elements of any size with an exact operator, as text for the compiler and again in C: what the tests of user types
 * scan.  An element is an array of words as wide as its alignment.
 *
 * Not commutative: pairs of words are maps x -> slope x + offset modulo the word, and a last word without a partner is
 * the last one that is not zero.  Commutative: sums of the words.
 */
#ifndef TEST_SHAPE_H
#define TEST_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "../lib/problem.h"

struct shape {
	size_t size;
	size_t alignment;
	bool is_commutative;
	bool has_identity;
	bool is_opaque;     /* the type is given by size and alignment only */
	bool has_result;    /* apply(result, earlier, later) */
};

/* Every size of the grid: shapes[i].size 0 ends it. */
extern const struct shape shapes[];

/* A resolved problem; without an identity, an exclusive one has an initial value.  srt_problem_free() frees it. */
void shape_problem(struct srt_problem *problem, const struct shape *shape, bool is_exclusive, bool has_initial);

/* count elements, and the scan of them, element after element. */
void shape_fill(void *input, const struct shape *shape, uint64_t seed, uint64_t count);
void shape_scan(void *expected, const struct srt_problem *problem, const struct shape *shape, const void *input,
	uint64_t count);
void shape_apply(void *result, const struct shape *shape, const void *earlier, const void *later);

#endif
