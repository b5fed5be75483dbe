/* SPDX-License-Identifier: MIT
 *
 * Happens-before between threads, and the accesses that it leaves unordered.
 */
#ifndef EMU_RACE_H
#define EMU_RACE_H

#include "access.h"

/* The allocation's data goes away. */
void emu_race_forget(struct emu_allocation *allocation);

/* Notes an access; STEP_FAULT where another thread's is not ordered with it. */
int emu_race_global(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
int emu_race_shared(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);

/* False when memory is short. */
bool emu_race_cta_start(struct emu_cta *cta);
void emu_race_cta_end(struct emu_cta *cta);

/* Synchronisation.  Clocks are shared and counted; dropping null is nothing. */
void emu_race_clock_drop(struct emu_clock **clock);
void emu_race_sync_warp(struct emu_warp *warp, uint32_t lanes);
void emu_race_barrier_arrive(struct emu_warp *warp, uint32_t lanes, struct emu_clock **clock);
void emu_race_barrier_complete(struct emu_cta *cta, struct emu_clock **clock);
void emu_race_barrier_leave(struct emu_warp *warp, uint32_t lanes, struct emu_clock *clock);
void emu_race_cluster_arrive(struct emu_warp *warp, uint32_t lanes, bool is_release);
void emu_race_cluster_complete(struct emu_cluster *cluster);
void emu_race_cluster_leave(struct emu_warp *warp, uint32_t lanes);
struct emu_mbarrier;
int emu_race_mbarrier_init(struct emu_cta *cta, uint32_t offset, struct emu_warp *warp, const struct emu_insn *insn,
		int lane);
int emu_race_mbarrier_use(struct emu_cta *cta, uint32_t offset, struct emu_warp *warp, const struct emu_insn *insn,
		int lane);
void emu_race_mbarrier_arrive(struct emu_cta *cta, struct emu_mbarrier *barrier, struct emu_warp *warp, int lane,
		bool is_release);
void emu_race_mbarrier_complete(struct emu_cta *cta, struct emu_mbarrier *barrier);
void emu_race_mbarrier_wait(struct emu_mbarrier *barrier, struct emu_warp *warp, int lane, bool is_acquire);
void emu_race_fence(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes);

#endif
