/* SPDX-License-Identifier: MIT
 *
 * What the elements of a type are made of: so that random ones make sense, floats are compared within a tolerance,
 * padding is not compared at all, and people are shown numbers.
 */
#ifndef TUNE_LAYOUT_H
#define TUNE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `count` numbers of one type, one after the other. */
struct tune_field {
	int type;          /* enum scanrt_type, a scalar; 0: bytes of padding */
	size_t offset;     /* bytes */
	size_t size;       /* bytes, of one */
	size_t count;
	double low;        /* random ones lie between, if low < high; else integers are random bits */
	double high;
};

enum { TUNE_FIELDS_MAX = 64 };

struct tune_layout {
	struct tune_field fields[TUNE_FIELDS_MAX];
	size_t count;
	size_t bytes;      /* of an element */
};

/* False: no more room for fields.  Fields follow each other. */
bool tune_layout_add(struct tune_layout *layout, int type, size_t count, double low, double high);

/* Of a built-in type, or, type SCANRT_TYPE_USER, of so many bytes of which nothing is known but their alignment. */
void tune_layout_default(struct tune_layout *layout, int type, size_t bytes, size_t alignment);

bool tune_layout_has_floats(const struct tune_layout *layout);

void tune_layout_random(void *element, const struct tune_layout *layout, uint64_t *state);

/* The largest deviation of a float, in parts of the larger of |wanted| and scale; infinite where anything else differs,
 * or only one of two floats is a NaN.  `scale` has a number for each float of the element, or is NULL. */
double tune_layout_deviation(const struct tune_layout *layout, const void *wanted, const void *seen,
	const double *scale);

/* Raises the scales to the magnitudes of an element; there are at most tune_layout_floats() of them. */
size_t tune_layout_floats(const struct tune_layout *layout);
void tune_layout_grow(double *scale, const struct tune_layout *layout, const void *element);

/* The index of the first of count elements whose deviation is over the tolerance, or UINT64_MAX.  Floats may deviate in
 * parts of the largest so far: what came before leaves its rounding errors in what is small.  The scale grows, and goes
 * on from one part of an array to the next. */
uint64_t tune_layout_find_off(const struct tune_layout *layout, const void *wanted, const void *seen, uint64_t count,
	double *scale, double tolerance);

/* "{1, 0.5}", shortened in the middle where it is long. */
void tune_layout_print(char *text, size_t size, const struct tune_layout *layout, const void *element);

#endif
