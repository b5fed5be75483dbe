/* SPDX-License-Identifier: MIT
 *
 * One checked scan of elements of shape.h, byte by byte.
 */
#ifndef TEST_SHAPE_SCAN_H
#define TEST_SHAPE_SCAN_H

#include "device.h"
#include "shape.h"

struct shape_scan {
	const struct shape *shape;
	const struct srt_kernel *kernel;
	const struct srt_workspace *workspace;
	const void *input;    /* count elements or more */
	const void *expected; /* of shape_scan() */
	uint64_t count;
	uint64_t skew; /* the output's, in alignments from a 256-byte boundary; the input's is half of it */
	bool is_in_place;
	uint32_t grid_limit;
};

/* Uploads, launches, and checks result, input and guard zones; says what is wrong. */
bool shape_scan_passes(const struct test_device *device, const struct shape_scan *scan);

#endif
