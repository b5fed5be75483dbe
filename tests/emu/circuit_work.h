/* SPDX-License-Identifier: MIT
 *
 * What the circuits do, added up level by level: the sums that the device's counts are compared with.
 */
#ifndef TESTS_EMU_CIRCUIT_WORK_H
#define TESTS_EMU_CIRCUIT_WORK_H

#include <stdint.h>

#define LANES 32

/* Applications of the operator; barriers; words read and written, from the putting of values into their places on; and
 * passes that bank conflicts add. */
struct work {
	uint64_t applies, barriers, loads, stores, conflicts;
};

struct circuit {
	const char *knobs; /* behind "circuit=" */
	/* Of n values of a word each, up to the complete scan in shared memory. */
	struct work (*work)(unsigned n, unsigned fan);
	unsigned fan; /* or 2 where there is no such knob */
};

extern const struct circuit circuits[]; /* ends with a NULL */

#endif
