/* SPDX-License-Identifier: MIT
 *
 * Special registers: %tid.x and the like.
 */
#ifndef EMU_SPECIAL_H
#define EMU_SPECIAL_H

#include "code.h"

/* A number for the name, or -1. */
int32_t emu_special_find(const char *name, size_t length);
unsigned emu_special_bytes(int32_t special);
/* op[0] = the special register small[0]. */
emu_run_fn emu_run_special;

#endif
