/* SPDX-License-Identifier: MIT
 *
 * Vector clocks.  One holds, for each thread of a CTA and for some asynchronous agents, how far it is known to have
 * come; and the same about other CTAs, where something was learnt of them.  Clocks are shared and counted, and written
 * only by who holds the one reference.
 */
#ifndef EMU_CLOCK_H
#define EMU_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct emu_clock;

struct emu_foreign_entry {
	uint64_t cta;
	struct emu_clock *clock;
};

/* Sorted by CTA; never changed once made. */
struct emu_foreign {
	uint32_t references, count;
	struct emu_foreign_entry entry[];
};

struct emu_clock {
	uint32_t references, count;
	struct emu_foreign *foreign;
	uint32_t time[];
};

struct emu_clock *emu_clock_new(uint32_t count);
struct emu_clock *emu_clock_keep(struct emu_clock *clock);
void emu_clock_drop(struct emu_clock **clock);
/* Makes it the only reference, by a copy if need be; false when memory is short. */
bool emu_clock_own(struct emu_clock **clock);
/* into learns what from knows.  Nothing is copied where into knows it already. */
bool emu_clock_join(struct emu_clock **into, const struct emu_clock *from);
/* into learns what a thread of another CTA knew. */
bool emu_clock_join_foreign(struct emu_clock **into, uint64_t own_cta, uint64_t cta, struct emu_clock *from);
/* What is known of another CTA; null for nothing. */
const struct emu_clock *emu_clock_of(const struct emu_clock *clock, uint64_t cta);

#endif
