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

#endif
