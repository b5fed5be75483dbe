/* SPDX-License-Identifier: MIT */
#include "order.h"

void emu_order_load(struct emu_access *access, struct emu_warp *warp)
{
	(void)access;
	(void)warp;
}

void emu_order_store(struct emu_access *access, struct emu_warp *warp)
{
	(void)access;
	(void)warp;
}

void emu_order_stored(struct emu_access *access, struct emu_warp *warp)
{
	if (access->space != SPACE_LOCAL)
		warp->run->version++;
}

int emu_order_storing(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)warp;
	(void)insn;
	(void)lanes;
	return STEP_NEXT;
}

int emu_order_loaded(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)warp;
	(void)insn;
	(void)lanes;
	return STEP_NEXT;
}

void emu_order_atomic(struct emu_access *access, struct emu_warp *warp)
{
	(void)access;
	(void)warp;
}
