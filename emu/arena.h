/* SPDX-License-Identifier: MIT
 *
 * Memory that is freed all at once: everything that belongs to a module.
 */
#ifndef EMU_ARENA_H
#define EMU_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emu_arena_block;

struct emu_arena {
	struct emu_arena_block *blocks;
	size_t used, size;
	size_t total;
};

/* Zeroed memory, aligned for anything; null when there is none. */
void *emu_arena_alloc(struct emu_arena *arena, size_t bytes);
char *emu_arena_copy(struct emu_arena *arena, const char *text, size_t length);
void emu_arena_free(struct emu_arena *arena);
/* Grows an array that lives in the arena: doubles it when count reaches the capacity. */
void *emu_arena_grow(struct emu_arena *arena, void *array, uint32_t *capacity, uint32_t count, size_t element);

#endif
