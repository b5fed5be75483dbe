/* SPDX-License-Identifier: MIT
 *
 * Allocations, and what can be asked of a pointer.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#define PINNED_ALIGNMENT 4096

struct allocation {
	struct CUctx_st *context;
	CUdeviceptr address; /* of host memory, its host address */
	size_t bytes;
	bool is_host;
};

static struct allocation *allocations;
static size_t count;
static size_t capacity;

static bool remember(struct allocation allocation)
{
	struct allocation *grown;

	if (count == capacity) {
		grown = realloc(allocations, (capacity * 2 + 64) * sizeof(*grown));
		if (grown == NULL)
			return false;
		allocations = grown;
		capacity = capacity * 2 + 64;
	}
	allocations[count++] = allocation;
	return true;
}

/* Latest first: programs free in about the reverse order. */
static struct allocation *find_exact(CUdeviceptr address, bool is_host)
{
	for (size_t i = count; i-- > 0;) {
		if (allocations[i].address == address && allocations[i].is_host == is_host)
			return &allocations[i];
	}
	return NULL;
}

static struct allocation *find_around(CUdeviceptr address)
{
	for (size_t i = count; i-- > 0;) {
		if (address >= allocations[i].address && address - allocations[i].address < allocations[i].bytes)
			return &allocations[i];
	}
	return NULL;
}

static void release(struct allocation *allocation)
{
	if (allocation->is_host)
		free((void *)(uintptr_t)allocation->address);
	else
		emu_memory_free(allocation->context->device->machine, allocation->address);
	*allocation = allocations[--count];
}

/* From the last one down, because a release moves the last allocation into the gap. */
void emu_context_free_memory(struct CUctx_st *context)
{
	for (size_t i = count; i-- > 0;) {
		if (allocations[i].context == context)
			release(&allocations[i]);
	}
}

/* The machines know more than our list: variables of modules are memory, too. */
struct emu_machine *emu_machine_of(CUdeviceptr address)
{
	for (int i = 0; i < emu_device_count(); i++) {
		struct emu_machine *machine = emu_device_get(i)->machine;
		uint64_t base, bytes;

		if (machine != NULL && emu_memory_find(&base, &bytes, machine, address) == CUDA_SUCCESS)
			return machine;
	}
	return NULL;
}

static CUresult allocate(CUdeviceptr *address, size_t bytes)
{
	struct CUctx_st *context = emu_context_current();
	uint64_t made;
	CUresult result;

	if (address == NULL || bytes == 0)
		return CUDA_ERROR_INVALID_VALUE;
	result = emu_memory_alloc(&made, context->device->machine, bytes);
	if (result != CUDA_SUCCESS)
		return result;
	if (!remember((struct allocation){ context, made, bytes, false })) {
		emu_memory_free(context->device->machine, made);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*address = made;
	return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
	CUresult result = emu_enter(__func__, EMU_NEED_UNSAFE);

	if (result == CUDA_SUCCESS)
		result = allocate(address, bytes);
	return emu_leave(result);
}

/* Frees memory of any context, whichever is current. */
CUresult cuMemFree_v2(CUdeviceptr address)
{
	CUresult result = emu_enter(__func__, EMU_NEED_UNSAFE);
	struct allocation *allocation = find_exact(address, false);

	if (result == CUDA_SUCCESS && address != 0 && allocation == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && address != 0)
		release(allocation);
	return emu_leave(result);
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	uint64_t unused, total;

	if (result == CUDA_SUCCESS && (free_bytes == NULL || total_bytes == NULL))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		emu_memory_total(&unused, &total, emu_context_current()->device->machine);
		*free_bytes = unused;
		*total_bytes = total;
	}
	return emu_leave(result);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	const struct allocation *allocation = find_around(address);

	if (result == CUDA_SUCCESS && (allocation == NULL || allocation->is_host))
		result = CUDA_ERROR_NOT_FOUND;
	if (result == CUDA_SUCCESS && base != NULL)
		*base = allocation->address;
	if (result == CUDA_SUCCESS && bytes != NULL)
		*bytes = allocation->bytes;
	return emu_leave(result);
}

/* Pinned memory is ordinary memory; kernels cannot reach it, which the attribute CAN_MAP_HOST_MEMORY says. */
static CUresult allocate_host(void **pointer, size_t bytes)
{
	if (pointer == NULL || bytes == 0)
		return CUDA_ERROR_INVALID_VALUE;
	*pointer = aligned_alloc(PINNED_ALIGNMENT, (bytes / PINNED_ALIGNMENT + 1) * PINNED_ALIGNMENT);
	if (*pointer == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (!remember((struct allocation){ emu_context_current(), (uintptr_t)*pointer, bytes, true })) {
		free(*pointer);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_UNSAFE);

	if (result == CUDA_SUCCESS && (flags & ~7u) != 0)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = allocate_host(pointer, bytes);
	return emu_leave(result);
}

CUresult cuMemAllocHost_v2(void **pointer, size_t bytes)
{
	return cuMemHostAlloc(pointer, bytes, 0);
}

CUresult cuMemFreeHost(void *pointer)
{
	CUresult result = emu_enter(__func__, EMU_NEED_UNSAFE);
	struct allocation *allocation = find_exact((uintptr_t)pointer, true);

	if (result == CUDA_SUCCESS && allocation == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		release(allocation);
	return emu_leave(result);
}

static CUresult pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
	const struct allocation *allocation = find_around(address);

	if (data == NULL || allocation == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	switch ((int)attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)data = allocation->context;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned int *)data = allocation->is_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(CUdeviceptr *)data = allocation->is_host ? 0 : address;
		return allocation->is_host ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(void **)data = (void *)(uintptr_t)address;
		return allocation->is_host ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned int *)data = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)data = allocation->context->device->ordinal;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		*(CUdeviceptr *)data = allocation->address;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		*(size_t *)data = allocation->bytes;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr address)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS)
		result = pointer_attribute(data, attribute, address);
	return emu_leave(result);
}

/* For a pointer that nobody allocated, every answer is zero and the call succeeds. */
CUresult cuPointerGetAttributes(unsigned int attributes, CUpointer_attribute *names, void **data, CUdeviceptr address)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && (names == NULL || data == NULL))
		result = CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; result == CUDA_SUCCESS && i < attributes; i++) {
		if (pointer_attribute(data[i], names[i], address) != CUDA_SUCCESS && data[i] != NULL)
			memset(data[i], 0, sizeof(int));
	}
	return emu_leave(result);
}
