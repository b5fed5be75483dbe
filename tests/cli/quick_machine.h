/* SPDX-License-Identifier: MIT
 *
 * What the two halves of the quick machine share: quick_memory.c has its memory, quick_machine.c its kernels.
 */
#ifndef QUICK_MACHINE_H
#define QUICK_MACHINE_H

#include "../../emu/module.h"

struct allocation {
	uint64_t base;
	uint64_t bytes;
	struct allocation *next;
};

struct emu_machine {
	struct emu_limits limits;
	struct allocation *allocations;
};

/* A scan as far as it decides what is written. */
struct quick_launch {
	uint64_t kind; /* type, operator and mode */
	const void *in;
	void *out;
	uint64_t count;
};

/* Replays of a graph scan the same input into the same output, and so does every other variant: once is enough, until
 * memory is written to otherwise. */
bool quick_is_remembered(const struct quick_launch *launch);
void quick_forget(void);

#endif
