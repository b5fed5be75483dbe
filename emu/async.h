/* SPDX-License-Identifier: MIT
 *
 * Asynchronous copies: from where to where, and when they land.
 */
#ifndef EMU_ASYNC_H
#define EMU_ASYNC_H

#include "access.h"

/* Offsets and widths of the addresses of one instruction, whose operands are: to, from, bytes, mbarrier. */
struct emu_copy_shape {
	int64_t to_offset, from_offset, barrier_offset;
	bool to_wide, from_wide, barrier_wide;
	enum emu_space to_space, from_space;
};

struct emu_copy {
	struct emu_warp *warp;
	const struct emu_insn *insn;
	int lane;
	uint64_t to, from;
	enum emu_space to_space, from_space;
	uint32_t bytes, zeros;             /* zeros follow the bytes */
	unsigned piece;
	struct emu_cta *barrier_cta;       /* null: no mbarrier */
	uint32_t barrier_offset;
	uint32_t epoch;                    /* of the agent that writes */
	uint32_t group;                    /* the lane's, of cp.async or of bulk stores */
	unsigned char *data;               /* of a bulk store that has read them and has not landed */
	struct emu_copy *next;
};

/* Moves the bytes and completes on the mbarrier. */
int emu_copy_land(const struct emu_copy *copy);
/* A copy of the structure that lands later; frees with its CTA. */
int emu_copy_defer(struct emu_copy **list, const struct emu_copy *copy);
/* Something happens to one that waits, of the CTA, chosen by a number: it lands, or, a store, first reads its source.
 * False where none waits. */
bool emu_copy_land_one(struct emu_cta *cta, uint64_t choice);
/* The lane's bulk stores in groups that are at least `pending` groups old have read their sources, or, unless is_read,
 * have landed. */
int emu_copy_finish_stores(struct emu_warp *warp, int lane, uint32_t pending, bool is_read);
/* False, and a fault, where a thread of a CTA that ends has not waited until its bulk stores had read shared memory. */
bool emu_copy_check_end(const struct emu_cta *cta);
void emu_copy_drop_all(struct emu_cta *cta);

emu_run_fn emu_run_bulk_copy, emu_run_bulk_commit, emu_run_bulk_wait, emu_run_small_copy, emu_run_small_commit,
	emu_run_small_wait, emu_run_small_arrive;

#endif
