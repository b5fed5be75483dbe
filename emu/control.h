/* SPDX-License-Identifier: MIT
 *
 * Branches, calls and ends, as instructions run them; and which instructions are of what family.
 */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

#include "code.h"

emu_run_fn emu_run_branch, emu_run_branch_table, emu_run_call, emu_run_return, emu_run_exit, emu_run_trap, emu_run_mark,
	emu_run_nothing, emu_run_local_address, emu_run_copy, emu_run_load_region, emu_run_store_region;

/* Of ld, with the destinations before the address in op, and st, with the address before the sources: but for those of
 * parameters of functions. */
bool emu_is_load(const struct emu_insn *insn);
bool emu_is_store(const struct emu_insn *insn);
/* selp: op is destination, first value, second value, predicate. */
bool emu_is_selection(const struct emu_insn *insn);

#endif
