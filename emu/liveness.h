/* SPDX-License-Identifier: MIT
 *
 * Which registers of a function live when, so that they share places in the register file: it then stays in the
 * processor's cache.
 */
#ifndef EMU_LIVENESS_H
#define EMU_LIVENESS_H

#include "parse.h"

/* Turns register numbers in operands into offsets within the function's frame. */
bool emu_assign_slots(struct emu_parser *parser, struct emu_function *function);

/* slots.c: gives each register its slot, and the function the bytes of its frame; those that are never alive at once
 * share one where is_shared.  start and end: where each register is alive, both included; a start of UINT32_MAX is
 * nowhere.  False: no memory, or a frame that is too large. */
bool emu_share_slots(struct emu_function *function, const uint32_t *start, const uint32_t *end, bool is_shared);

#endif
