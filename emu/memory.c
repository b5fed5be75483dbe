/* SPDX-License-Identifier: MIT
 *
 * Allocations of the emulated device.  Addresses only ever grow, so an address of a freed allocation stays invalid and
 * can be told from one that never was.
 */
#include "memory.h"

#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ADDRESS UINT64_C(0x0000200000000000)
#define ALIGNMENT UINT64_C(512)
#define RED_ZONE UINT64_C(4096)
#define MOST_FREED 4096 /* remembered */

CUresult emu_machine_create(struct emu_machine **machine, const struct emu_limits *limits)
{
	*machine = calloc(1, sizeof **machine);
	if (!*machine)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*machine)->limits = *limits;
	(*machine)->next = limits->memory_base ? limits->memory_base : FIRST_ADDRESS;
	return CUDA_SUCCESS;
}

/* The range stays in the list when the data goes, so that use after free has a name. */
static void release(struct emu_allocation *allocation)
{
	emu_race_forget(allocation);
	if (!allocation->is_host)
		free(allocation->data);
	free(allocation->written);
	allocation->data = NULL;
	allocation->written = NULL;
}

void emu_machine_destroy(struct emu_machine *machine)
{
	if (!machine)
		return;
	for (size_t i = 0; i < machine->count; i++) {
		release(machine->allocations[i]);
		free(machine->allocations[i]);
	}
	free(machine->allocations);
	free(machine);
}

const struct emu_limits *emu_machine_limits(const struct emu_machine *machine)
{
	return &machine->limits;
}

/* The number of allocations that begin at or before address. */
static size_t count_before(const struct emu_machine *machine, uint64_t address)
{
	size_t low = 0, high = machine->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (machine->allocations[middle]->base <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct emu_allocation *emu_memory_lookup(const struct emu_machine *machine, uint64_t address)
{
	size_t before = count_before(machine, address);
	struct emu_allocation *allocation = before ? machine->allocations[before - 1] : NULL;

	return allocation && address - allocation->base < allocation->bytes ? allocation : NULL;
}

/* Ordered by address, so that a lane's address is found by halving. */
static CUresult insert(struct emu_machine *machine, const struct emu_allocation *shape)
{
	size_t at = count_before(machine, shape->base);
	struct emu_allocation *allocation = malloc(sizeof *allocation);

	if (machine->count == machine->capacity) {
		size_t capacity = machine->capacity ? machine->capacity * 2 : 64;
		struct emu_allocation **larger = realloc(machine->allocations, capacity * sizeof *larger);

		if (!larger) {
			free(allocation);
			return CUDA_ERROR_OUT_OF_MEMORY;
		}
		machine->allocations = larger;
		machine->capacity = capacity;
	}
	if (!allocation)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*allocation = *shape;
	memmove(machine->allocations + at + 1, machine->allocations + at,
			(machine->count - at) * sizeof *machine->allocations);
	machine->allocations[at] = allocation;
	machine->count++;
	return CUDA_SUCCESS;
}

static void forget_at(struct emu_machine *machine, size_t at)
{
	release(machine->allocations[at]);
	free(machine->allocations[at]);
	memmove(machine->allocations + at, machine->allocations + at + 1,
			(machine->count - at - 1) * sizeof *machine->allocations);
	machine->count--;
}

/* Zeroed, though nothing may rely on that: a run must repeat to the bit, and a read of what nobody wrote is a fault by
 * the marks, whatever is there.  Red zones lie between allocations, where no address is valid. */
CUresult emu_memory_alloc(uint64_t *address, struct emu_machine *machine, uint64_t bytes)
{
	struct emu_allocation shape = { .base = machine->next, .bytes = bytes };
	CUresult code;

	if (!bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (bytes > machine->limits.memory_bytes || machine->used > machine->limits.memory_bytes - bytes)
		return CUDA_ERROR_OUT_OF_MEMORY;
	shape.data = calloc(1, bytes);
	shape.written = calloc(1, bytes / 8 + 8);
	code = shape.data && shape.written ? insert(machine, &shape) : CUDA_ERROR_OUT_OF_MEMORY;
	if (code != CUDA_SUCCESS) {
		free(shape.data);
		free(shape.written);
		return code;
	}
	machine->used += bytes;
	machine->next += (bytes + RED_ZONE + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	*address = shape.base;
	return CUDA_SUCCESS;
}

/* Where too many freed ranges are remembered, the oldest goes: addresses grow, so it is the first in order. */
static void forget_oldest(struct emu_machine *machine)
{
	for (size_t i = 0; machine->freed > MOST_FREED && !machine->is_running && i < machine->count; i++)
		if (machine->allocations[i]->is_freed) {
			forget_at(machine, i);
			machine->freed--;
			return;
		}
}

CUresult emu_memory_free(struct emu_machine *machine, uint64_t address)
{
	struct emu_allocation *allocation = emu_memory_lookup(machine, address);

	if (!allocation || allocation->base != address || allocation->is_freed || allocation->is_host)
		return CUDA_ERROR_INVALID_VALUE;
	release(allocation);
	allocation->is_freed = true;
	machine->used -= allocation->bytes;
	machine->freed++;
	forget_oldest(machine);
	return CUDA_SUCCESS;
}

CUresult emu_memory_find(uint64_t *base, uint64_t *bytes, struct emu_machine *machine, uint64_t address)
{
	const struct emu_allocation *allocation = emu_memory_lookup(machine, address);

	if (!allocation || allocation->is_freed)
		return CUDA_ERROR_INVALID_VALUE;
	*base = allocation->base;
	*bytes = allocation->bytes;
	return CUDA_SUCCESS;
}

void emu_memory_total(uint64_t *bytes_free, uint64_t *bytes_total, const struct emu_machine *machine)
{
	*bytes_total = machine->limits.memory_bytes;
	*bytes_free = machine->limits.memory_bytes - machine->used;
}

/* The allocation that holds the whole range; null where none does. */
static struct emu_allocation *holder(const struct emu_machine *machine, uint64_t address, uint64_t bytes)
{
	struct emu_allocation *allocation = emu_memory_lookup(machine, address);

	if (!allocation || allocation->is_freed || bytes > allocation->bytes - (address - allocation->base))
		return NULL;
	return allocation;
}

/* A bit for each byte: kernels write single bytes, and a word that is half written is not to pass for written. */
void emu_memory_mark(uint8_t *written, uint64_t offset, uint64_t bytes)
{
	for (; bytes && offset % 8; offset++, bytes--)
		written[offset / 8] |= (uint8_t)(1u << offset % 8);
	memset(written + offset / 8, 0xff, bytes / 8);
	for (offset += bytes / 8 * 8, bytes %= 8; bytes; offset++, bytes--)
		written[offset / 8] |= (uint8_t)(1u << offset % 8);
}

CUresult emu_memory_write(struct emu_machine *machine, uint64_t address, const void *host, uint64_t bytes)
{
	struct emu_allocation *allocation = holder(machine, address, bytes);

	if (!bytes)
		return CUDA_SUCCESS;
	if (!allocation)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(allocation->data + (address - allocation->base), host, bytes);
	if (allocation->written)
		emu_memory_mark(allocation->written, address - allocation->base, bytes);
	return CUDA_SUCCESS;
}

CUresult emu_memory_read(void *host, struct emu_machine *machine, uint64_t address, uint64_t bytes)
{
	const struct emu_allocation *allocation = holder(machine, address, bytes);

	if (!bytes)
		return CUDA_SUCCESS;
	if (!allocation)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(host, allocation->data + (address - allocation->base), bytes);
	return CUDA_SUCCESS;
}

/* A copy of memory that nobody has written is allowed, as on a device; it is reading it in a kernel that is not. */
static void carry_marks(struct emu_allocation *to, uint64_t to_offset, const struct emu_allocation *from,
		uint64_t from_offset, uint64_t bytes)
{
	if (!to->written)
		return;
	if (!from->written) {
		emu_memory_mark(to->written, to_offset, bytes);
		return;
	}
	if (to_offset % 8 == 0 && from_offset % 8 == 0) {
		memmove(to->written + to_offset / 8, from->written + from_offset / 8, bytes / 8);
		to_offset += bytes / 8 * 8;
		from_offset += bytes / 8 * 8;
		bytes %= 8;
	}
	for (uint64_t i = 0; i < bytes; i++, to_offset++, from_offset++) {
		uint8_t bit = (uint8_t)(1u << to_offset % 8);
		bool is_set = from->written[from_offset / 8] >> from_offset % 8 & 1;

		to->written[to_offset / 8] = (uint8_t)((to->written[to_offset / 8] & ~bit) | (is_set ? bit : 0));
	}
}

CUresult emu_memory_copy_peer(struct emu_machine *to_machine, uint64_t to, struct emu_machine *from_machine,
		uint64_t from, uint64_t bytes)
{
	struct emu_allocation *target = holder(to_machine, to, bytes), *source = holder(from_machine, from, bytes);

	if (!bytes)
		return CUDA_SUCCESS;
	if (!target || !source)
		return CUDA_ERROR_INVALID_VALUE;
	memmove(target->data + (to - target->base), source->data + (from - source->base), bytes);
	carry_marks(target, to - target->base, source, from - source->base, bytes);
	return CUDA_SUCCESS;
}

CUresult emu_memory_copy(struct emu_machine *machine, uint64_t to, uint64_t from, uint64_t bytes)
{
	return emu_memory_copy_peer(machine, to, machine, from, bytes);
}

CUresult emu_memory_fill(struct emu_machine *machine, uint64_t address, uint32_t value, unsigned width, uint64_t count)
{
	struct emu_allocation *allocation;
	unsigned char *at;

	if ((width != 1 && width != 2 && width != 4) || address % width || count > UINT64_MAX / width)
		return CUDA_ERROR_INVALID_VALUE;
	if (!count)
		return CUDA_SUCCESS;
	allocation = holder(machine, address, count * width);
	if (!allocation)
		return CUDA_ERROR_INVALID_VALUE;
	at = allocation->data + (address - allocation->base);
	if (width == 1)
		memset(at, (int)(value & 0xff), count);
	for (uint64_t i = 0; i < count && width > 1; i++)
		memcpy(at + i * width, &value, width);
	if (allocation->written)
		emu_memory_mark(allocation->written, address - allocation->base, count * width);
	return CUDA_SUCCESS;
}

/* Host memory has no marks: who wrote it cannot be known. */
CUresult emu_memory_map_host(struct emu_machine *machine, void *host, uint64_t bytes)
{
	struct emu_allocation shape = { .base = (uintptr_t)host, .bytes = bytes, .data = host, .is_host = true };
	size_t before;

	if (!host || !bytes || shape.base + bytes < shape.base)
		return CUDA_ERROR_INVALID_VALUE;
	before = count_before(machine, shape.base + bytes - 1);
	if (before && machine->allocations[before - 1]->base + machine->allocations[before - 1]->bytes > shape.base)
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	return insert(machine, &shape);
}

CUresult emu_memory_unmap_host(struct emu_machine *machine, void *host)
{
	size_t before = count_before(machine, (uintptr_t)host);

	if (!before || machine->allocations[before - 1]->base != (uintptr_t)host ||
			!machine->allocations[before - 1]->is_host)
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	forget_at(machine, before - 1);
	return CUDA_SUCCESS;
}

/* Off by a little is the usual mistake, so the nearest allocation is named with the distance. */
void emu_memory_describe(char *text, size_t size, const struct emu_machine *machine, uint64_t address)
{
	size_t before = count_before(machine, address);
	const struct emu_allocation *below = before ? machine->allocations[before - 1] : NULL;
	const struct emu_allocation *above = before < machine->count ? machine->allocations[before] : NULL;

	if (below && address - below->base < below->bytes)
		snprintf(text, size, "it begins %llu bytes inside %s of %llu bytes",
				(unsigned long long)(address - below->base),
				below->is_freed ? "a freed allocation" : "an allocation",
				(unsigned long long)below->bytes);
	else if (below && address - below->base - below->bytes < RED_ZONE)
		snprintf(text, size, "it lies %llu bytes behind %s of %llu bytes at 0x%llx",
				(unsigned long long)(address - below->base - below->bytes),
				below->is_freed ? "a freed allocation" : "an allocation",
				(unsigned long long)below->bytes, (unsigned long long)below->base);
	else if (above && above->base - address <= RED_ZONE)
		snprintf(text, size, "it lies %llu bytes before an allocation of %llu bytes at 0x%llx",
				(unsigned long long)(above->base - address), (unsigned long long)above->bytes,
				(unsigned long long)above->base);
	else
		snprintf(text, size, "no allocation is near it");
}
