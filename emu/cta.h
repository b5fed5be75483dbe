/* SPDX-License-Identifier: MIT
 *
 * The life of a CTA.
 */
#ifndef EMU_CTA_H
#define EMU_CTA_H

#include "state.h"

/* Makes the CTAs of the next cluster (of one CTA as a rule) resident; false after a fault. */
bool emu_cta_start(struct emu_run *run, uint64_t index);
/* Takes a resident CTA out, finished or not. */
void emu_cta_end(struct emu_run *run, unsigned place);
bool emu_cta_is_done(const struct emu_cta *cta);
void emu_cta_free_spares(struct emu_run *run);

#endif
