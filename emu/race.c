/* SPDX-License-Identifier: MIT */
#include "race.h"

#include "memory.h"

#include <stdlib.h>

void emu_race_forget(struct emu_allocation *allocation)
{
	for (uint64_t i = 0; i < allocation->page_count; i++)
		free(allocation->pages[i]);
	free(allocation->pages);
	allocation->pages = NULL;
	allocation->page_count = 0;
}

int emu_race_global(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	(void)access;
	(void)warp;
	(void)insn;
	return STEP_NEXT;
}

int emu_race_shared(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	(void)access;
	(void)warp;
	(void)insn;
	return STEP_NEXT;
}

void emu_race_clock_drop(struct emu_clock **clock) { (void)clock; }
void emu_race_sync_warp(struct emu_warp *warp, uint32_t lanes) { (void)warp; (void)lanes; }
void emu_race_barrier_arrive(struct emu_warp *warp, uint32_t lanes, struct emu_clock **clock) { (void)warp; (void)lanes; (void)clock; }
void emu_race_barrier_complete(struct emu_cta *cta, struct emu_clock **clock) { (void)cta; (void)clock; }
void emu_race_barrier_leave(struct emu_warp *warp, uint32_t lanes, struct emu_clock *clock) { (void)warp; (void)lanes; (void)clock; }
void emu_race_cluster_arrive(struct emu_warp *warp, uint32_t lanes, bool is_release) { (void)warp; (void)lanes; (void)is_release; }
void emu_race_cluster_complete(struct emu_cluster *cluster) { (void)cluster; }
void emu_race_cluster_leave(struct emu_warp *warp, uint32_t lanes) { (void)warp; (void)lanes; }
void emu_race_fence(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes) { (void)warp; (void)insn; (void)lanes; }

int emu_race_mbarrier_init(struct emu_cta *cta, uint32_t offset, struct emu_warp *warp, const struct emu_insn *insn, int lane) { (void)cta;(void)offset;(void)warp;(void)insn;(void)lane; return STEP_NEXT; }
int emu_race_mbarrier_use(struct emu_cta *cta, uint32_t offset, struct emu_warp *warp, const struct emu_insn *insn, int lane) { (void)cta;(void)offset;(void)warp;(void)insn;(void)lane; return STEP_NEXT; }
void emu_race_mbarrier_arrive(struct emu_cta *cta, struct emu_mbarrier *barrier, struct emu_warp *warp, int lane, bool is_release) { (void)cta;(void)barrier;(void)warp;(void)lane;(void)is_release; }
void emu_race_mbarrier_complete(struct emu_cta *cta, struct emu_mbarrier *barrier) { (void)cta;(void)barrier; }
void emu_race_mbarrier_wait(struct emu_mbarrier *barrier, struct emu_warp *warp, int lane, bool is_acquire) { (void)barrier;(void)warp;(void)lane;(void)is_acquire; }

bool emu_race_cta_start(struct emu_cta *cta) { (void)cta; return true; }
void emu_race_cta_end(struct emu_cta *cta) { (void)cta; }
