/* SPDX-License-Identifier: MIT
 *
 * Inputs that show faults, and what their scans must give.
 *
 * Exact data: in every order of combination every partial result can be represented, so floats compare for equality,
 * and a missing or doubled tile cannot hide in a tolerance.  Rounded data: floats as users have them, held to an
 * error bound that grows with the depth of the combination, not with the count.
 */
#ifndef TUNE_DATA_H
#define TUNE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tune_data {
	int type;
	int op;
	uint64_t count;
	size_t element; /* bytes, of the input */
	size_t result;  /* bytes, of the output; the same but where a file describes the problem */
	void *exclusive; /* that of such a problem */
	bool is_exact;
	void *input;
	void *inclusive;         /* exact data: the scan, in the element's type */
	long double *real; /* rounded data: the scan, and the scan of the absolute values, which scales the bound */
	long double *magnitude;
	unsigned char identity[16];
};

bool tune_data_init(struct tune_data *data, int type, int op, uint64_t count, uint64_t seed, bool is_exact);
void tune_data_free(struct tune_data *data);

#define TUNE_SAME UINT64_MAX

/* The index of the first of count results that is not what it must be, or TUNE_SAME.  depth: for rounded data, the
 * most combinations that an element goes through. */
uint64_t tune_data_compare(const struct tune_data *data, const void *seen, uint64_t count, bool is_exclusive,
	unsigned depth);

/* "wanted 3, saw 4" for the element at index. */
void tune_data_explain(char *text, size_t size, const struct tune_data *data, const void *seen, uint64_t index,
	bool is_exclusive);

uint64_t tune_random(uint64_t *state); /* splitmix64 */

/* Writes a value as a built-in type of floats. */
void tune_store_real(void *to, int type, double value);

#endif
