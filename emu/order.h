/* SPDX-License-Identifier: MIT
 *
 * Memory order: what acquire, release and fences mean for happens-before, and stores that others see late.
 */
#ifndef EMU_ORDER_H
#define EMU_ORDER_H

#include "access.h"

/* Around the moving of data: a load may have to look into its CTA's store buffer, a store may go there; words that
 * were released are acquired. */
void emu_order_load(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
void emu_order_store(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
void emu_order_stored(struct emu_access *access, struct emu_warp *warp);
/* Before an atomic operation: it works on what everybody sees. */
void emu_order_atomic(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);

void emu_order_fence(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes);

/* transfer.c */
/* What a load or store is, but for its addresses. */
void emu_access_describe(struct emu_access *access, const struct emu_insn *insn, enum emu_access_kind kind);
/* transfer_partial.c: insn->target has a bit for each byte of the access that is used. */
emu_run_fn emu_run_partial_load;
void emu_fetch(void *d, unsigned char *const *host, unsigned offset, uint32_t lanes, enum emu_type type, unsigned wide);
/* Whether a store of the lane writes what is there already. */
bool emu_store_repeats(const struct emu_warp *warp, const struct emu_insn *insn, int lane, const unsigned char *host);
void emu_put(const void *s, unsigned char *const *host, unsigned offset, uint32_t lanes, unsigned bytes, unsigned wide);

#endif
