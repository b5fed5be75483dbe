/* SPDX-License-Identifier: MIT
 *
 * For tests of bits that have to come again: one kernel, its arrays, and room on the host for two results.
 */
#ifndef TEST_BITS_H
#define TEST_BITS_H

#include "device.h"

struct test_bits {
	struct reference reference;
	struct srt_kernel kernel;
	struct test_buffer in;
	struct test_buffer out;
	unsigned char *first;
	unsigned char *later;
};

/* Values of many magnitudes, i pi mod 1 among them: with these, most changes of order change a bit somewhere. */
struct element test_bits_element(uint64_t i);
/* Of `count` elements of input, which may be freed then; arrays have room for `spare` elements more. */
void test_bits_create(struct test_bits *bits, struct test_device *device, const struct srt_problem *problem,
	const char *variant, const void *input, uint64_t count, uint64_t spare);
void test_bits_destroy(struct test_bits *bits, const struct test_device *device);

#endif
