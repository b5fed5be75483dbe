/* SPDX-License-Identifier: MIT
 *
 * The correctness grid of one strategy: problems x knobs x counts x placement x initial value x grid limit.  Every
 * problem and every knob point is met, the rest is sampled from the seed: the full product would take days.
 */
#ifndef TEST_GRID_H
#define TEST_GRID_H

#include "../device.h"

/* A variant but for its items, which are whole vectors of the problem's types, or one element. */
struct grid_point {
	const char *knobs; /* "lookahead,block=128,stages=3" */
	int vectors;       /* 16-byte vectors a thread; 0: one item a thread */
};

/* points end with a NULL; the first `small` of them are those for an emulated device. */
int grid_main(const struct grid_point *points, unsigned small);

#endif
