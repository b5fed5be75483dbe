/* SPDX-License-Identifier: MIT
 *
 * Thread block clusters: their barrier, and who may touch the shared memory of whom.
 */
#ifndef EMU_CLUSTER_H
#define EMU_CLUSTER_H

#include "decode.h"
#include "state.h"

#define EMU_CLUSTER_BARRIER EMU_BARRIERS /* the key of a warp that waits there for lanes of its own */

/* barrier.cluster.arrive and .wait, behind their first two words. */
bool emu_decode_cluster_barrier(struct emu_parser *parser, struct emu_statement *statement);
/* Lanes of the warp have exited: the barrier of its cluster may be complete. */
void emu_cluster_exited(struct emu_warp *warp);
void emu_cluster_leave(struct emu_cta *cta);

/* The CTA that an address in the shared window belongs to, and the offset there; null where there is no such rank.
 * Generic addresses will do. */
struct emu_cta *emu_cluster_owner(struct emu_warp *warp, uint64_t address, uint32_t *offset);
/* The lane is about to access another CTA's shared memory, which must be there: STEP_NEXT or STEP_FAULT. */
int emu_cluster_check_peer(struct emu_warp *warp, const struct emu_insn *insn, int lane, const struct emu_cta *peer,
		uint64_t address);

#endif
