/* SPDX-License-Identifier: MIT */
#include "order.h"

#include "buffer.h"
#include "race.h"
#include "schedule.h"

#include <string.h>

/* Within a CTA all threads see stores at once, here as on the device, so orders of that scope move nothing. */
static bool releases(const struct emu_insn *insn)
{
	return (insn->order == ORDER_RELEASE || insn->order == ORDER_ACQ_REL) && insn->scope != EMU_SCOPE_CTA;
}

static bool acquires(const struct emu_insn *insn)
{
	return (insn->order == ORDER_ACQUIRE || insn->order == ORDER_ACQ_REL) && insn->scope != EMU_SCOPE_CTA;
}

/* Lanes that see an old value acquire nothing by it; the others do so by the place, not by the copy they read. */
void emu_order_load(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	unsigned char *places[EMU_LANES];
	uint32_t lanes = access->lanes;

	if (!warp->run->schedule->is_weak) {
		emu_race_acquire_words(access, warp, insn);
		return;
	}
	memcpy(places, access->host, sizeof places);
	access->lanes = emu_buffer_load(access, warp);
	if (access->lanes) {
		unsigned char *copies[EMU_LANES];

		memcpy(copies, access->host, sizeof copies);
		memcpy(access->host, places, sizeof places);
		emu_race_acquire_words(access, warp, insn);
		memcpy(access->host, copies, sizeof copies);
	}
	access->lanes = lanes;
	if (acquires(insn))
		emu_history_acquire(warp->cta);
}

/* The word's clock is set before the store is buffered: whoever reads the value later reads the clock with it. */
void emu_order_store(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	emu_race_release_words(access, warp, insn);
	if (releases(insn))
		emu_buffer_flush(warp->cta);
	emu_buffer_store(access, warp);
}

/* The version tells threads that poll that something has changed, and is worth looking at again. */
void emu_order_stored(struct emu_access *access, struct emu_warp *warp)
{
	emu_buffer_stored(access, warp);
	if (access->space != SPACE_LOCAL)
		warp->run->version++;
}

/* A read-modify-write reads what is newest, so earlier stores to that word go first; the order decides about others. */
void emu_order_atomic(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	emu_race_acquire_words(access, warp, insn);
	emu_race_release_words(access, warp, insn);
	if (releases(insn))
		emu_buffer_flush(warp->cta);
	emu_buffer_atomic(access, warp);
	if (acquires(insn))
		emu_history_acquire(warp->cta);
}

/* A fence makes the CTA's delayed stores visible, and ends its licence to read old values. */
void emu_order_fence(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	emu_race_fence(warp, insn, lanes);
	if (insn->scope == EMU_SCOPE_CTA)
		return;
	emu_buffer_flush(warp->cta);
	emu_history_acquire(warp->cta);
}
