/* SPDX-License-Identifier: MIT
 *
 * Stores that other CTAs see late, and loads that see what was there a moment ago: what relaxed memory allows and most
 * runs do not show.  Only in random schedules.
 */
#ifndef EMU_BUFFER_H
#define EMU_BUFFER_H

#include "access.h"

/* What a CTA has stored and others do not see yet. */
struct emu_buffer;

void emu_buffer_free(struct emu_cta *cta);
/* Points host at a copy where the CTA's own buffer has something newer, or where an older value may still be seen.
 * Returns the lanes that see the newest. */
uint32_t emu_buffer_load(struct emu_access *access, struct emu_warp *warp);
/* Points host at copies for the lanes whose stores are to be late; stored() then puts them into the buffer. */
void emu_buffer_store(struct emu_access *access, struct emu_warp *warp);
void emu_buffer_stored(struct emu_access *access, struct emu_warp *warp);
/* What the access touches leaves the buffer before an atomic operation. */
void emu_buffer_atomic(struct emu_access *access, struct emu_warp *warp);
/* The bytes leave the buffer. */
void emu_buffer_settle(struct emu_cta *cta, unsigned char *host, unsigned bytes);
/* What the bytes will be once the buffer of some CTA that holds them is visible; false where none does. */
bool emu_buffer_peek(const struct emu_run *run, unsigned char *value, const unsigned char *host, unsigned bytes);
/* Everybody sees all of it: a release, a fence, the end. */
void emu_buffer_flush(struct emu_cta *cta);
/* A block, chosen by a number, becomes visible; false where there is none. */
bool emu_buffer_flush_one(struct emu_cta *cta, uint64_t choice);

/* history.c.  The 8 aligned bytes are about to change. */
void emu_history_note(struct emu_cta *cta, unsigned char *block);
/* Whether the lane is to see an old value, which copy then holds. */
bool emu_history_load(const struct emu_access *access, struct emu_warp *warp, int lane, unsigned char *copy);
/* What others made visible before now, the CTA sees from now on: an acquire. */
void emu_history_acquire(struct emu_cta *cta);

#endif
