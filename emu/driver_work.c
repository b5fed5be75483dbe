/* SPDX-License-Identifier: MIT
 *
 * Work on a stream: captured where the stream is capturing, and else done at once.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

/* A graph and each of its executable forms own their parameters: the caller may change or free his after the call. */
bool emu_work_copy(struct emu_work *into, const struct emu_work *from)
{
	*into = *from;
	into->launch.parameters = NULL;
	if (from->kind != EMU_WORK_KERNEL || from->launch.parameter_bytes == 0)
		return true;
	into->launch.parameters = malloc(from->launch.parameter_bytes);
	if (into->launch.parameters == NULL)
		return false;
	memcpy(into->launch.parameters, from->launch.parameters, from->launch.parameter_bytes);
	return true;
}

void emu_work_free(struct emu_work *work)
{
	free(work->launch.parameters);
	work->launch.parameters = NULL;
}

/* That [address, address + bytes) lies within one allocation of any device. */
static CUresult check_range(CUdeviceptr address, uint64_t bytes)
{
	struct emu_machine *machine = emu_machine_of(address);
	uint64_t base, size;

	if (machine == NULL || emu_memory_find(&base, &size, machine, address) != CUDA_SUCCESS)
		return CUDA_ERROR_INVALID_VALUE;
	return bytes <= size - (address - base) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Both forms are checked when they are enqueued, as a driver does, and again when they run: a graph may outlive the
 * allocation that it fills. */
CUresult emu_memset_check(const struct emu_memset *memset)
{
	uint64_t row = (uint64_t)memset->width * memset->element_bytes;

	if (memset->element_bytes != 1 && memset->element_bytes != 2 && memset->element_bytes != 4)
		return CUDA_ERROR_INVALID_VALUE;
	if (memset->target % memset->element_bytes != 0 || memset->width > UINT64_MAX / 8)
		return CUDA_ERROR_INVALID_VALUE;
	if (memset->width == 0 || memset->height == 0)
		return CUDA_SUCCESS;
	if (memset->height > 1 && memset->pitch < row)
		return CUDA_ERROR_INVALID_VALUE;
	return check_range(memset->target, (memset->height - 1) * memset->pitch + row);
}

static CUresult run_memset(struct CUstream_st *stream, const struct emu_memset *memset)
{
	CUresult result = emu_memset_check(memset);

	if (result != CUDA_SUCCESS || memset->width == 0)
		return result;
	for (size_t row = 0; row < memset->height && result == CUDA_SUCCESS; row++) {
		CUdeviceptr target = memset->target + row * memset->pitch;

		result = emu_memory_fill(emu_machine_of(target), target, memset->value, memset->element_bytes,
			memset->width);
	}
	emu_clock_bytes(stream, (uint64_t)memset->width * memset->height * memset->element_bytes, false);
	return result;
}

/* Each end is either a device address or, where that is 0, a host address. */
CUresult emu_memcpy_check(const struct emu_memcpy *copy)
{
	CUresult result = CUDA_SUCCESS;

	if (copy->bytes == 0)
		return CUDA_SUCCESS;
	if (copy->to_device != 0)
		result = check_range(copy->to_device, copy->bytes);
	else if (copy->to_host == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && copy->from_device != 0)
		result = check_range(copy->from_device, copy->bytes);
	else if (result == CUDA_SUCCESS && copy->from_host == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	return result;
}

/* The marks "was written" travel with copies between devices, so that a copy of uninitialised bytes is no fault but
 * their use is.  What comes from the host counts as written. */
static CUresult move(const struct emu_memcpy *copy)
{
	struct emu_machine *to = copy->to_device != 0 ? emu_machine_of(copy->to_device) : NULL;
	struct emu_machine *from = copy->from_device != 0 ? emu_machine_of(copy->from_device) : NULL;

	if (to != NULL && from == to)
		return emu_memory_copy(to, copy->to_device, copy->from_device, copy->bytes);
	if (to != NULL && from != NULL)
		return emu_memory_copy_peer(to, copy->to_device, from, copy->from_device, copy->bytes);
	if (to != NULL)
		return emu_memory_write(to, copy->to_device, copy->from_host, copy->bytes);
	if (from != NULL)
		return emu_memory_read(copy->to_host, from, copy->from_device, copy->bytes);
	memmove(copy->to_host, copy->from_host, copy->bytes);
	return CUDA_SUCCESS;
}

static CUresult run_memcpy(struct CUstream_st *stream, const struct emu_memcpy *copy)
{
	bool crosses_bus = copy->to_device == 0 || copy->from_device == 0;
	CUresult result = emu_memcpy_check(copy);

	if (result != CUDA_SUCCESS || copy->bytes == 0)
		return result;
	emu_clock_bytes(stream, crosses_bus ? copy->bytes : 2 * (uint64_t)copy->bytes, crosses_bus);
	return move(copy);
}

/* The caller has seen to it that the stream may run something now. */
CUresult emu_work_run(struct CUstream_st *stream, const struct emu_work *work, bool is_in_graph)
{
	switch (work->kind) {
	case EMU_WORK_KERNEL:
		return emu_kernel_run(stream, &work->launch, is_in_graph);
	case EMU_WORK_MEMSET:
		return run_memset(stream, &work->memset);
	case EMU_WORK_MEMCPY:
		return run_memcpy(stream, &work->memcpy);
	case EMU_WORK_HOST: /* it sees the work before it done, and must not call the driver, whose lock we hold */
		emu_callback_begin();
		work->host_function(work->host_data);
		emu_callback_end();
		return CUDA_SUCCESS;
	case EMU_WORK_EMPTY:
		break;
	}
	return CUDA_SUCCESS;
}

/* The one way from a call of the API to a stream. */
CUresult emu_work_submit(struct CUstream_st *stream, const struct emu_work *work)
{
	CUresult result;

	if (stream->capture != NULL)
		return emu_capture_add(stream, work);
	result = stream->is_legacy ? emu_capture_check_legacy(stream->context) : CUDA_SUCCESS;
	if (result != CUDA_SUCCESS)
		return result;
	emu_clock_enqueue(stream);
	return emu_work_run(stream, work, false);
}
