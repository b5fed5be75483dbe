/* SPDX-License-Identifier: MIT
 *
 * The quick machine's memory, which is the host's.
 */
#include <stdlib.h>
#include <string.h>

#include "quick_machine.h"

#define REMEMBERED 128

static struct quick_launch remembered[REMEMBERED];
static unsigned remembered_count;

void quick_forget(void)
{
	remembered_count = 0;
}

bool quick_is_remembered(const struct quick_launch *launch)
{
	for (unsigned i = 0; i < remembered_count; i++)
		if (memcmp(&remembered[i], launch, sizeof *launch) == 0)
			return true;
	for (unsigned i = 0; i < remembered_count; i++)
		if (remembered[i].out == launch->out || remembered[i].in == launch->out ||
			remembered[i].out == launch->in)
			quick_forget();
	if (remembered_count == REMEMBERED)
		quick_forget();
	if (launch->in != launch->out)
		remembered[remembered_count++] = *launch;
	return false;
}

/* ---- The machine and its memory, which is the host's ---- */

CUresult emu_machine_create(struct emu_machine **machine, const struct emu_limits *limits)
{
	*machine = calloc(1, sizeof **machine);
	if (*machine == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*machine)->limits = *limits;
	return CUDA_SUCCESS;
}

void emu_machine_destroy(struct emu_machine *machine)
{
	while (machine->allocations)
		emu_memory_free(machine, machine->allocations->base);
	free(machine);
}

const struct emu_limits *emu_machine_limits(const struct emu_machine *machine)
{
	return &machine->limits;
}

CUresult emu_memory_alloc(uint64_t *address, struct emu_machine *machine, uint64_t bytes)
{
	struct allocation *made = malloc(sizeof *made);
	void *memory = aligned_alloc(512, (bytes + 511) / 512 * 512);

	if (made == NULL || memory == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*made = (struct allocation){ (uint64_t)(uintptr_t)memory, bytes, machine->allocations };
	machine->allocations = made;
	*address = made->base;
	quick_forget();
	return CUDA_SUCCESS;
}

CUresult emu_memory_free(struct emu_machine *machine, uint64_t address)
{
	quick_forget();
	for (struct allocation **at = &machine->allocations; *at; at = &(*at)->next) {
		struct allocation *found = *at;

		if (found->base != address)
			continue;
		*at = found->next;
		free((void *)(uintptr_t)found->base);
		free(found);
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult emu_memory_find(uint64_t *base, uint64_t *bytes, struct emu_machine *machine, uint64_t address)
{
	for (const struct allocation *at = machine->allocations; at; at = at->next)
		if (address >= at->base && address < at->base + at->bytes) {
			*base = at->base;
			*bytes = at->bytes;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_VALUE;
}

void emu_memory_total(uint64_t *bytes_free, uint64_t *bytes_total, const struct emu_machine *machine)
{
	(void)machine;
	*bytes_free = *bytes_total = (uint64_t)64 << 20;
}

CUresult emu_memory_write(struct emu_machine *machine, uint64_t address, const void *host, uint64_t bytes)
{
	(void)machine;
	memcpy((void *)(uintptr_t)address, host, bytes);
	quick_forget();
	return CUDA_SUCCESS;
}

CUresult emu_memory_read(void *host, struct emu_machine *machine, uint64_t address, uint64_t bytes)
{
	(void)machine;
	memcpy(host, (const void *)(uintptr_t)address, bytes);
	return CUDA_SUCCESS;
}

CUresult emu_memory_copy(struct emu_machine *machine, uint64_t to, uint64_t from, uint64_t bytes)
{
	(void)machine;
	memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
	quick_forget();
	return CUDA_SUCCESS;
}

CUresult emu_memory_copy_peer(struct emu_machine *to_machine, uint64_t to, struct emu_machine *from_machine,
	uint64_t from, uint64_t bytes)
{
	(void)from_machine;
	return emu_memory_copy(to_machine, to, from, bytes);
}

CUresult emu_memory_fill(struct emu_machine *machine, uint64_t address, uint32_t value, unsigned width, uint64_t count)
{
	(void)machine;
	for (uint64_t i = 0; i < count; i++)
		memcpy((char *)(uintptr_t)address + i * width, &value, width);
	quick_forget();
	return CUDA_SUCCESS;
}

CUresult emu_memory_map_host(struct emu_machine *machine, void *host, uint64_t bytes)
{
	(void)machine, (void)host, (void)bytes;
	return CUDA_SUCCESS;
}

CUresult emu_memory_unmap_host(struct emu_machine *machine, void *host)
{
	(void)machine, (void)host;
	return CUDA_SUCCESS;
}
