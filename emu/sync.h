/* SPDX-License-Identifier: MIT
 *
 * Barriers, from both sides: what instructions do and what the end of a thread changes.
 */
#ifndef EMU_SYNC_H
#define EMU_SYNC_H

#include "state.h"

/* Lanes of the warp have exited: masks and barriers that waited for them may be complete. */
void emu_sync_exited(struct emu_warp *warp);
/* bar.warp.sync with the mask op[0]. */
emu_run_fn emu_run_sync_warp;
/* barrier.c */
void emu_barrier_recheck(struct emu_cta *cta);

#endif
