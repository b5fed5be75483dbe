/* SPDX-License-Identifier: MIT
 *
 * Random problems and random variants: whatever srt_variant_check() lets pass.
 */
#ifndef TESTS_LONG_DRAW_H
#define TESTS_LONG_DRAW_H

#include "../device.h"
#include "../shape.h"

/* Built-in types and operators, a third of them with types that differ. */
void draw_problem(struct srt_problem *problem, struct test_random *random);

/* An element of 1 to 4096 bytes, small ones more often. */
void draw_shape(struct shape *shape, struct test_random *random);

/* Any strategy, each of its knobs with its default or any value; passes the checks for problem and device.  Some
 * problems leave hardly any: false where many draws in a row were refused. */
bool draw_variant(struct srt_variant *variant, struct test_random *random, const struct srt_problem *problem,
	const struct test_device *device);

/* A count near a multiple of the tile or of 32 tiles, or any; at least 1. */
uint64_t draw_count(struct test_random *random, const struct srt_variant *variant, uint64_t largest);

#endif
