/* SPDX-License-Identifier: MIT
 *
 * Functions that device code may call without defining them.
 */
#ifndef EMU_BUILTIN_H
#define EMU_BUILTIN_H

#include "code.h"

/* Runs for the lanes; the arguments lie in the caller's regions. */
struct emu_builtin {
	const char *name;
	int (*run)(struct emu_warp *warp, const struct emu_insn *insn, const struct emu_call *call, uint32_t lanes);
};

/* Null where there is none of that name. */
const struct emu_builtin *emu_builtin_find(const char *name);

#endif
