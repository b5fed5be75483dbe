/* SPDX-License-Identifier: MIT
 *
 * The scan that kernels are held to, on the host: inclusive, element after element, integers wrapping.  With exact
 * data (data.h) floats need no tolerance here either: no partial result in any order is rounded.
 */
#ifndef TUNE_REFERENCE_H
#define TUNE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Where a scan stands, so that a long one can be taken in pieces.  Zero-initialised: at the start. */
struct tune_prefix {
	bool is_started;
	uint64_t integer;
	double real;
};

void tune_reference_scan(void *out, struct tune_prefix *prefix, const void *in, uint64_t count, int type, int op);

/* What an exclusive scan begins with, in the type's own bytes; false for an operator that has none. */
bool tune_identity(void *out, int type, int op);

double tune_element_real(const void *element, int type); /* as a number, for floats and for people */
int64_t tune_element_integer(const void *element, int type);

#endif
