/* SPDX-License-Identifier: MIT
 *
 * The machine's memory, as kernels see it.
 */
#ifndef EMU_MEMORY_H
#define EMU_MEMORY_H

#include "machine.h"

struct emu_allocation {
	uint64_t base, bytes;
	unsigned char *data;
	uint8_t *written;          /* one bit a byte; null: all of it counts as written */
	bool is_freed, is_host, is_constant;
	struct emu_race_page **pages;
	uint64_t page_count;
};

struct emu_machine {
	struct emu_limits limits;
	struct emu_allocation **allocations;   /* sorted by base; freed ones stay for a while */
	size_t count, capacity, freed;
	uint64_t next;
	uint64_t used;
	uint64_t launches;
	bool is_running;                       /* a kernel may hold pointers to allocations */
};

/* The allocation around address, freed or not; null where there is none. */
struct emu_allocation *emu_memory_lookup(const struct emu_machine *machine, uint64_t address);
/* In words where an address lies that no allocation holds. */
void emu_memory_describe(char *text, size_t size, const struct emu_machine *machine, uint64_t address);
void emu_memory_mark(uint8_t *written, uint64_t offset, uint64_t bytes);

/* Accesses of a naturally aligned power of two up to 32 bytes. */
static inline bool emu_is_written(const uint8_t *written, uint64_t offset, unsigned bytes)
{
	const uint8_t *at = written + (offset >> 3);
	uint8_t mask;

	if (bytes < 8) {
		mask = (uint8_t)(((1u << bytes) - 1) << (offset & 7));
		return (*at & mask) == mask;
	}
	for (unsigned i = 0; i < bytes / 8; i++)
		if (at[i] != 0xff)
			return false;
	return true;
}

static inline void emu_set_written(uint8_t *written, uint64_t offset, unsigned bytes)
{
	uint8_t *at = written + (offset >> 3);

	if (bytes < 8) {
		*at |= (uint8_t)(((1u << bytes) - 1) << (offset & 7));
		return;
	}
	for (unsigned i = 0; i < bytes / 8; i++)
		at[i] = 0xff;
}

#endif
