/* SPDX-License-Identifier: MIT
 *
 * From the addresses of a warp's lanes to bytes of the host, with every check on the way.
 */
#ifndef EMU_ACCESS_H
#define EMU_ACCESS_H

#include "memory.h"
#include "state.h"

enum emu_access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

struct emu_access {
	enum emu_access_kind kind;
	enum emu_space space;          /* never generic once resolved */
	unsigned bytes;                /* of a lane, in all */
	bool is_strong, is_nc;
	enum emu_scope scope;
	bool is_async;                 /* counted elsewhere */
	uint32_t agent;           /* epoch of the agent that reads for a bulk copy; 0: the thread itself */
	uint32_t lanes;
	uint32_t unwritten;       /* lanes that read local memory which nobody has written */
	uint64_t address[EMU_LANES];
	unsigned char *host[EMU_LANES];
	unsigned char *late[EMU_LANES];   /* where a late store belongs */
	struct emu_cta *cta[EMU_LANES];   /* whose shared memory */
	struct emu_allocation *allocation[EMU_LANES];
};

/* The addresses of an instruction whose address operand is op[index]. */
void emu_access_addresses(struct emu_access *access, const struct emu_warp *warp, const struct emu_insn *insn,
		unsigned index, uint32_t lanes);
/* Fills host; STEP_NEXT or STEP_FAULT.  Generic addresses must have been split by emu_access_split. */
int emu_access_resolve(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
/* Of the generic addresses of lanes, those in the window of the first lane: sets access->space and rebases their
 * addresses.  Returns the lanes. */
uint32_t emu_access_split(struct emu_access *access, uint32_t lanes);
/* Lanes whose place another lane of the access writes too, all but one of each place: of such writes one succeeds. */
uint32_t emu_access_repeated(const struct emu_access *access);
void emu_access_count(const struct emu_access *access, struct emu_warp *warp);

#endif
