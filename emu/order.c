/* SPDX-License-Identifier: MIT */
#include "order.h"

#include "race.h"

void emu_order_load(struct emu_access *access, struct emu_warp *warp)
{
	(void)access;
	(void)warp;
}

void emu_order_store(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	emu_race_release_words(access, warp, insn);
}

void emu_order_stored(struct emu_access *access, struct emu_warp *warp)
{
	if (access->space != SPACE_LOCAL)
		warp->run->version++;
}

void emu_order_loaded(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	emu_race_acquire_words(access, warp, insn);
}

void emu_order_atomic(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	emu_race_acquire_words(access, warp, insn);
	emu_race_release_words(access, warp, insn);
}
