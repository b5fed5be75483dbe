/* SPDX-License-Identifier: MIT
 *
 * Elements that know their place, and an operator that ends the launch unless it is given two real, adjacent parts, the
 * earlier one first: made up, uninitialised, repeated or swapped operands have no chance, even where nobody uses what
 * comes of them.
 */
#ifndef TEST_SPAN_H
#define TEST_SPAN_H

#include "device.h"

#define SPAN_MAGIC 0x5ca1ab1eu

/* Of 16 bytes at least.  Converted: arrays are of bytes and of numbers; else of the elements themselves.  `start` is an
 * initial value of so many bytes, { SPAN_MAGIC, 0, 0 }, or NULL: results then count from 1 on, not from 0.
 * srt_problem_free() frees the problem. */
void span_problem(struct srt_problem *problem, size_t size, bool is_converted, const uint32_t *start);

/* One scan of so many elements. */
bool span_passes(const struct test_device *device, const struct srt_kernel *kernel,
	const struct srt_workspace *workspace, uint64_t count);

#endif
