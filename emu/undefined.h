/* SPDX-License-Identifier: MIT
 *
 * Values that a warp has loaded from local memory which nobody has written.  Programs copy such values and never look
 * at them: the padding of a structure, a partial result that a lane does not have, what a compiler loads ahead of the
 * branch that decides.  So it is not the load that is a fault but the use: to branch, as an address, or to leave the
 * thread by way of global memory.
 */
#ifndef EMU_UNDEFINED_H
#define EMU_UNDEFINED_H

#include "access.h"

/* Before an instruction of so many lanes runs, its guard not yet applied: faults where it uses such a value, and else
 * says of its results whether they are of the kind.  Only where warp->undefined is there, which no warp has that never
 * loaded one: STEP_NEXT or STEP_FAULT. */
int emu_undefined_step(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes);
/* After a load of which access->unwritten lanes found something that nobody has written. */
int emu_undefined_load(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
/* After a store by a warp with such values: local and shared memory then count as not written. */
int emu_undefined_store(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
/* A lane's parameter or result goes from one region of the register file to another, or to local memory that counts as
 * written: what is of the kind in it stays so. */
void emu_undefined_copy(struct emu_warp *warp, int lane, int32_t to, int32_t from, uint32_t bytes);
void emu_undefined_spill(struct emu_warp *warp, int lane, uint64_t to, int32_t from, uint64_t bytes);
/* Whether a lane's value of an operand is of the kind, and to say so of a register. */
bool emu_undefined_is(const struct emu_warp *warp, int32_t operand, unsigned lane);
void emu_undefined_set(struct emu_warp *warp, int32_t operand, unsigned lane, bool is_undefined);

#endif
