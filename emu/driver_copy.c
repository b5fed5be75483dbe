/* SPDX-License-Identifier: MIT
 *
 * memset and memcpy, on a stream or waiting for the result.  The waiting ones are work of the legacy stream.
 */
#include "driver.h"

/* Fills one row.  The call that names no stream is ordered with all blocking streams, as the legacy stream is. */
static CUresult set(const char *function, CUdeviceptr target, unsigned int value, unsigned int element_bytes,
	size_t count, CUstream stream)
{
	struct emu_work work = { .kind = EMU_WORK_MEMSET };
	CUresult result = emu_enter(function, EMU_NEED_CONTEXT);
	struct CUstream_st *found;

	work.memset = (struct emu_memset){ target, value, element_bytes, count, 1, 0 };
	if (result == CUDA_SUCCESS)
		result = emu_stream_find(&found, stream);
	if (result == CUDA_SUCCESS)
		result = emu_memset_check(&work.memset);
	if (result == CUDA_SUCCESS)
		result = emu_work_submit(found, &work);
	return emu_leave(result);
}

CUresult cuMemsetD8_v2(CUdeviceptr target, unsigned char value, size_t count)
{
	return set(__func__, target, value, 1, count, CU_STREAM_LEGACY);
}

CUresult cuMemsetD16_v2(CUdeviceptr target, unsigned short value, size_t count)
{
	return set(__func__, target, value, 2, count, CU_STREAM_LEGACY);
}

CUresult cuMemsetD32_v2(CUdeviceptr target, unsigned int value, size_t count)
{
	return set(__func__, target, value, 4, count, CU_STREAM_LEGACY);
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count, CUstream stream)
{
	return set(__func__, target, value, 1, count, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value, size_t count, CUstream stream)
{
	return set(__func__, target, value, 2, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr target, unsigned int value, size_t count, CUstream stream)
{
	return set(__func__, target, value, 4, count, stream);
}

enum { IS_ASYNCHRONOUS, IS_WAITING };

/* A copy that waits is a synchronisation, which captures forbid; one that does not is work like any other. */
static CUresult perform(struct emu_memcpy memcpy, CUstream stream, int waits)
{
	struct emu_work work = { .kind = EMU_WORK_MEMCPY, .memcpy = memcpy };
	struct CUstream_st *found;
	CUresult result = emu_stream_find(&found, stream);

	if (result == CUDA_SUCCESS && waits == IS_WAITING)
		result = emu_capture_check_sync(found);
	if (result == CUDA_SUCCESS && waits == IS_WAITING)
		result = emu_capture_check_unsafe();
	if (result == CUDA_SUCCESS)
		result = emu_memcpy_check(&work.memcpy);
	if (result == CUDA_SUCCESS)
		result = emu_work_submit(found, &work);
	if (result == CUDA_SUCCESS && waits == IS_WAITING)
		emu_clock_synchronize(found);
	return result;
}

static CUresult copy(const char *function, struct emu_memcpy memcpy, CUstream stream, int waits)
{
	CUresult result = emu_enter(function, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = perform(memcpy, stream, waits);
	return emu_leave(result);
}

/* Address 0 means "host" inside, so a null device pointer is made one that belongs to nothing. */
static CUdeviceptr device(CUdeviceptr address)
{
	return address == 0 ? 1 : address;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
	return copy(__func__, (struct emu_memcpy){ .to_device = device(to), .from_host = from, .bytes = bytes },
		CU_STREAM_LEGACY, IS_WAITING);
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
	return copy(__func__, (struct emu_memcpy){ .to_host = to, .from_device = device(from), .bytes = bytes },
		CU_STREAM_LEGACY, IS_WAITING);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	struct emu_memcpy memcpy = { .to_device = device(to), .from_device = device(from), .bytes = bytes };

	return copy(__func__, memcpy, CU_STREAM_LEGACY, IS_ASYNCHRONOUS);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	return copy(__func__, (struct emu_memcpy){ .to_device = device(to), .from_host = from, .bytes = bytes }, stream,
		IS_ASYNCHRONOUS);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	return copy(__func__, (struct emu_memcpy){ .to_host = to, .from_device = device(from), .bytes = bytes }, stream,
		IS_ASYNCHRONOUS);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	struct emu_memcpy memcpy = { .to_device = device(to), .from_device = device(from), .bytes = bytes };

	return copy(__func__, memcpy, stream, IS_ASYNCHRONOUS);
}

/* Unified addressing: an address of no device is the host's. */
static CUresult copy_unified(const char *function, CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream,
	int waits)
{
	CUresult result = emu_enter(function, EMU_NEED_CONTEXT);
	struct emu_memcpy memcpy = { .bytes = bytes };

	if (emu_machine_of(to) != NULL)
		memcpy.to_device = to;
	else
		memcpy.to_host = (void *)(uintptr_t)to;
	if (emu_machine_of(from) != NULL)
		memcpy.from_device = from;
	else
		memcpy.from_host = (const void *)(uintptr_t)from;
	if (result == CUDA_SUCCESS)
		result = perform(memcpy, stream, waits);
	return emu_leave(result);
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	return copy_unified(__func__, to, from, bytes, CU_STREAM_LEGACY, IS_WAITING);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	return copy_unified(__func__, to, from, bytes, stream, IS_ASYNCHRONOUS);
}
