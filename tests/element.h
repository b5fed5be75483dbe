/* SPDX-License-Identifier: MIT
 *
 * One element on the host: what an element type's bits mean, and the conversions that scanrt.h promises.  Shares no
 * line with the kernels, so that a mistake in one does not excuse the other.
 */
#ifndef TEST_ELEMENT_H
#define TEST_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value of any type: an integer, sign- or zero-extended to 64 bits, or a float as the sum high + low, where low is
 * what high had to round off.  A double holds every value of every float type exactly. */
struct element {
	uint64_t integer;
	double high;
	double low;
};

struct element element_load(int type, const void *array, uint64_t index);
void element_store(int type, void *array, uint64_t index, struct element value);
/* As the library converts from `from` to `to`: wrapping, rounding to nearest even, truncating to 64 bits. */
struct element element_convert(int from, int to, struct element value);

double element_unit(int type);    /* half the distance from 1 to the next float: 2^-24 for f32 */
double element_tiny(int type);    /* the smallest subnormal */
double element_largest(int type); /* the largest finite float */
bool element_equal(int type, const void *left, const void *right); /* bit for bit; any NaN equals any NaN */
/* For people: "0x00000007 (7)". */
const char *element_text(char text[64], int type, const void *array, uint64_t index);

#endif
