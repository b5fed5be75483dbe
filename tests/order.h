/* SPDX-License-Identifier: MIT
 *
 * The order of combination that libscanrt(3) promises for SCANRT_REPRODUCIBLE, followed on the host, one operation
 * after the other.  Whatever runs on a device is held to these bits.
 */
#ifndef TEST_ORDER_H
#define TEST_ORDER_H

#include <stdint.h>

#include "../lib/problem.h"

/* The numbers that the order depends on. */
struct order_shape {
	int lanes;  /* of a tile, in warps of 32 */
	int run;    /* consecutive elements a lane */
	int vector; /* of these, combined before they are combined with others */
};

/* The results of `count` elements of the input type, of the output type. */
void order_scan(void *results, const struct srt_problem *problem, const struct order_shape *shape, const void *input,
	uint64_t count);

#endif
