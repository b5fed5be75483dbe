/* SPDX-License-Identifier: MIT
 *
 * Branches, calls and ends, as instructions run them.
 */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

#include "code.h"

emu_run_fn emu_run_branch, emu_run_branch_table, emu_run_call, emu_run_return, emu_run_exit, emu_run_trap, emu_run_mark,
	emu_run_nothing, emu_run_local_address, emu_run_copy;

#endif
