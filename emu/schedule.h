/* SPDX-License-Identifier: MIT
 *
 * Who runs when.
 */
#ifndef EMU_SCHEDULE_H
#define EMU_SCHEDULE_H

#include "state.h"

/* Runs until all CTAs have ended or one has failed: run->result tells. */
void emu_schedule_run(struct emu_run *run);
/* Whether this launch shows delays that are allowed but not usual. */
bool emu_schedule_delays(struct emu_run *run);
/* stuck.c: the fault that tells who waits for what. */
void emu_report_stuck(struct emu_run *run, const char *why);

#endif
