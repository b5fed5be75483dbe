/* SPDX-License-Identifier: MIT
 *
 * The live handles: a hash table from pointer to kind, with open addressing.  A destroyed or foreign pointer is thus
 * refused with CUDA_ERROR_INVALID_HANDLE without being followed.
 */
#include "driver.h"

#include <stdlib.h>

struct slot {
	const void *handle; /* NULL: empty; &removed: was in use */
	enum emu_handle_kind kind;
};

static struct slot *slots;
static size_t capacity; /* a power of two */
static size_t filled;   /* in use, or were */
static const char removed;

static size_t hash(const void *handle)
{
	return (size_t)(((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 20);
}

static struct slot *find(const void *handle)
{
	if (capacity == 0 || handle == NULL)
		return NULL;
	for (size_t i = hash(handle) & (capacity - 1); slots[i].handle != NULL; i = (i + 1) & (capacity - 1)) {
		if (slots[i].handle == handle)
			return &slots[i];
	}
	return NULL;
}

static void insert(enum emu_handle_kind kind, const void *handle)
{
	size_t i = hash(handle) & (capacity - 1);

	while (slots[i].handle != NULL)
		i = (i + 1) & (capacity - 1);
	slots[i] = (struct slot){ handle, kind };
	filled++;
}

/* Makes a table for twice the live handles and moves them, leaving the removed ones behind. */
static bool grow(void)
{
	struct slot *old = slots;
	size_t old_capacity = capacity;
	size_t live = 0;

	for (size_t i = 0; i < old_capacity; i++)
		live += old[i].handle != NULL && old[i].handle != &removed;
	capacity = 64;
	while (capacity < live * 4)
		capacity *= 2;
	slots = calloc(capacity, sizeof(*slots));
	if (slots == NULL) {
		slots = old;
		capacity = old_capacity;
		return false;
	}
	filled = 0;
	for (size_t i = 0; i < old_capacity; i++) {
		if (old[i].handle != NULL && old[i].handle != &removed)
			insert(old[i].kind, old[i].handle);
	}
	free(old);
	return true;
}

bool emu_handle_add(enum emu_handle_kind kind, const void *handle)
{
	if ((filled + 1) * 2 > capacity && !grow())
		return false;
	insert(kind, handle);
	return true;
}

void emu_handle_remove(const void *handle)
{
	struct slot *slot = find(handle);

	if (slot != NULL)
		slot->handle = &removed;
}

bool emu_handle_is(enum emu_handle_kind kind, const void *handle)
{
	const struct slot *slot = find(handle);

	return slot != NULL && slot->kind == kind;
}
