/* SPDX-License-Identifier: MIT
 *
 * Barrier objects in shared memory.  Their state is kept beside the memory: programs may not look into it.
 */
#ifndef EMU_MBARRIER_H
#define EMU_MBARRIER_H

#include "state.h"

struct emu_mbarrier {
	uint32_t offset;           /* in the shared window, of the owner CTA */
	bool is_valid;
	bool is_told;              /* to the asynchronous proxy, by a fence since it was initialised */
	uint32_t expected;         /* arrivals a phase */
	uint32_t pending;
	int32_t transactions;      /* bytes that asynchronous copies still owe */
	uint64_t phase;
	struct emu_clock *arrived, *completed;
	struct emu_mbarrier *next;
};

/* Null where there is no valid one. */
struct emu_mbarrier *emu_mbarrier_find(const struct emu_cta *cta, uint32_t offset);
/* Bytes arrive: may complete the phase. */
void emu_mbarrier_transact(struct emu_cta *cta, struct emu_mbarrier *barrier, int32_t bytes);
/* One pending arrival of a thread; false when there are more than expected. */
bool emu_mbarrier_arrive(struct emu_cta *cta, struct emu_mbarrier *barrier, uint32_t count);
void emu_mbarrier_free(struct emu_cta *cta);
/* Where an access overlaps an object that is valid. */
bool emu_mbarrier_overlaps(const struct emu_cta *cta, uint32_t offset, unsigned bytes);

#endif
