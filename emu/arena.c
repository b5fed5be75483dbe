/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <stdlib.h>
#include <string.h>

struct emu_arena_block {
	struct emu_arena_block *next;
	_Alignas(16) unsigned char bytes[];
};

#define BLOCK_BYTES ((size_t)64 << 10)

/* What is left of the block before stays unused: it is less than what was asked for, and looking there again would cost
 * more than it saves.  Blocks never move, as a module is full of pointers into them. */
static bool add_block(struct emu_arena *arena, size_t bytes)
{
	size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
	struct emu_arena_block *block = calloc(1, sizeof *block + size);

	if (!block)
		return false;
	block->next = arena->blocks;
	arena->blocks = block;
	arena->used = 0;
	arena->size = size;
	arena->total += size;
	return true;
}

void *emu_arena_alloc(struct emu_arena *arena, size_t bytes)
{
	size_t rounded = (bytes + 15) & ~(size_t)15;
	void *result;

	if (rounded < bytes)
		return NULL;
	if ((!arena->blocks || arena->size - arena->used < rounded) && !add_block(arena, rounded))
		return NULL;
	result = arena->blocks->bytes + arena->used;
	arena->used += rounded;
	return result;
}

char *emu_arena_copy(struct emu_arena *arena, const char *text, size_t length)
{
	char *copy = emu_arena_alloc(arena, length + 1);

	if (copy)
		memcpy(copy, text, length);
	return copy;
}

void emu_arena_free(struct emu_arena *arena)
{
	while (arena->blocks) {
		struct emu_arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	memset(arena, 0, sizeof *arena);
}

/* The smaller array stays where it was until the arena goes: all of them together are no larger than the last. */
void *emu_arena_grow(struct emu_arena *arena, void *array, uint32_t *capacity, uint32_t count, size_t element)
{
	uint32_t wanted = *capacity ? *capacity * 2 : 16;
	void *larger;

	if (count < *capacity)
		return array;
	if (*capacity > UINT32_MAX / 2)
		return NULL;
	larger = emu_arena_alloc(arena, wanted * element);
	if (!larger)
		return NULL;
	if (array)
		memcpy(larger, array, count * element);
	*capacity = wanted;
	return larger;
}
