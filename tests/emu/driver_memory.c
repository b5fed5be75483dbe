/* SPDX-License-Identifier: MIT
 *
 * Allocations, pointer queries, memset and memcpy with their bounds, and two devices under one address space.
 */
#include "tests/emu/driver.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void allocation(void)
{
	size_t unused = 0, total = 0, now = 0;
	CUdeviceptr a = 0, b = 0;

	emu_must(cu.cuMemGetInfo(&unused, &total));
	tap_is_uint(total, 8u << 20, "the device has the memory that SCANRT_EMU_MEMORY says");
	emu_is(cu.cuMemAlloc(&a, 0), CUDA_ERROR_INVALID_VALUE, "nothing cannot be allocated");
	emu_is(cu.cuMemAlloc(NULL, 16), CUDA_ERROR_INVALID_VALUE, "nor into nowhere");
	emu_is(cu.cuMemAlloc(&a, (size_t)9 << 20), CUDA_ERROR_OUT_OF_MEMORY, "nor more than there is");
	emu_is(cu.cuMemAlloc(&a, SIZE_MAX), CUDA_ERROR_OUT_OF_MEMORY, "nor all that can be named");
	emu_must(cu.cuMemAlloc(&a, 1000));
	emu_must(cu.cuMemAlloc(&b, 1 << 20));
	tap_ok(a % 256 == 0 && b % 256 == 0, "allocations are aligned to 256 bytes");
	emu_must(cu.cuMemGetInfo(&now, &total));
	tap_ok(unused - now >= (1 << 20) + 1000, "what is allocated is no longer free");
	emu_is(cu.cuMemFree(a + 256), CUDA_ERROR_INVALID_VALUE, "only the beginning of an allocation frees it");
	emu_is(cu.cuMemFree(a), CUDA_SUCCESS, "which works");
	emu_is(cu.cuMemFree(a), CUDA_ERROR_INVALID_VALUE, "once");
	emu_is(cu.cuMemFree(0), CUDA_SUCCESS, "freeing null is fine");
	emu_must(cu.cuMemFree(b));
	emu_must(cu.cuMemGetInfo(&now, &total));
	tap_is_uint(now, unused, "and everything is free again");
}

static void queries(CUcontext context)
{
	CUcontext owner = NULL;
	CUdeviceptr a = 0, base = 0;
	void *pinned = NULL;
	unsigned int type = 0;
	size_t bytes = 0;
	int ordinal = -1;

	emu_must(cu.cuMemAlloc(&a, 1000));
	emu_is(cu.cuMemGetAddressRange(&base, &bytes, a + 999), CUDA_SUCCESS, "an address knows its allocation");
	tap_ok(base == a && bytes == 1000, "with base and size");
	emu_is(cu.cuMemGetAddressRange(&base, &bytes, a + 1000), CUDA_ERROR_NOT_FOUND, "one past the end has none");
	emu_must(cu.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, a));
	tap_ok(owner == context, "a pointer knows its context");
	emu_must(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a + 10));
	tap_is_uint(type, CU_MEMORYTYPE_DEVICE, "and that it is device memory");
	emu_must(cu.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, a));
	tap_is_int(ordinal, 0, "and of which device");
	emu_is(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)&type),
		CUDA_ERROR_INVALID_VALUE, "a pointer to the stack knows nothing");
	emu_must(cu.cuMemHostAlloc(&pinned, 100, 0));
	emu_must(cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)pinned));
	tap_is_uint(type, CU_MEMORYTYPE_HOST, "pinned memory is host memory");
	emu_is(cu.cuMemFreeHost(pinned), CUDA_SUCCESS, "and is freed by its own call");
	emu_is(cu.cuMemFreeHost(&type), CUDA_ERROR_INVALID_VALUE, "which takes no other memory");
	emu_must(cu.cuMemFree(a));
}

static void copies(void)
{
	unsigned char in[64], out[64];
	CUdeviceptr a = 0, b = 0;

	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = (unsigned char)(i * 7 + 1);
	emu_must(cu.cuMemAlloc(&a, 64));
	emu_must(cu.cuMemAlloc(&b, 64));
	emu_is(cu.cuMemcpyHtoD(a, in, 64), CUDA_SUCCESS, "host to device");
	emu_is(cu.cuMemcpyDtoD(b + 3, a, 61), CUDA_SUCCESS, "device to device, unaligned");
	emu_is(cu.cuMemcpyDtoH(out, b + 3, 61), CUDA_SUCCESS, "device to host");
	tap_is_bytes(out, in, 61, "the bytes arrive");
	emu_is(cu.cuMemcpy((CUdeviceptr)(uintptr_t)out, a, 64), CUDA_SUCCESS, "cuMemcpy tells host from device");
	tap_is_bytes(out, in, 64, "by the address");
	emu_is(cu.cuMemcpyHtoD(a + 1, in, 64), CUDA_ERROR_INVALID_VALUE, "a copy beyond the end is refused");
	emu_must(cu.cuMemcpyDtoH(out, a, 64));
	tap_is_bytes(out, in, 64, "and has written nothing");
	emu_is(cu.cuMemcpyDtoH(out, a, 65), CUDA_ERROR_INVALID_VALUE, "so is one that reads beyond it");
	emu_is(cu.cuMemcpyHtoD(0, in, 4), CUDA_ERROR_INVALID_VALUE, "null is no device address");
	emu_is(cu.cuMemcpyHtoD(a, NULL, 4), CUDA_ERROR_INVALID_VALUE, "and no host address");
	emu_is(cu.cuMemcpyHtoD(0, NULL, 0), CUDA_SUCCESS, "no bytes need no addresses");
	emu_must(cu.cuMemFree(b));
	emu_is(cu.cuMemcpyDtoD(a, b, 4), CUDA_ERROR_INVALID_VALUE, "freed memory is refused");
	emu_must(cu.cuMemFree(a));
}

static void fills(void)
{
	static const unsigned char wanted[16] = { 0x11, 0x11, 0x11, 0x11, 0x34, 0x12, 0x34, 0x12, 0x78, 0x56, 0x34,
		0x12, 0x78, 0x56, 0x34, 0x12 };
	unsigned char out[16];
	CUdeviceptr a = 0;

	emu_must(cu.cuMemAlloc(&a, 16));
	emu_is(cu.cuMemsetD8(a, 0x11, 4), CUDA_SUCCESS, "bytes are set");
	emu_is(cu.cuMemsetD16(a + 4, 0x1234, 2), CUDA_SUCCESS, "and halves");
	emu_is(cu.cuMemsetD32(a + 8, 0x12345678, 2), CUDA_SUCCESS, "and words");
	emu_must(cu.cuMemcpyDtoH(out, a, 16));
	tap_is_bytes(out, wanted, 16, "each to its value");
	emu_is(cu.cuMemsetD32(a + 2, 0, 1), CUDA_ERROR_INVALID_VALUE, "a misaligned word is refused");
	emu_is(cu.cuMemsetD8(a, 0, 17), CUDA_ERROR_INVALID_VALUE, "and bytes beyond the end");
	emu_is(cu.cuMemsetD32(a, 0, SIZE_MAX / 2), CUDA_ERROR_INVALID_VALUE, "and a count whose bytes overflow");
	emu_is(cu.cuMemsetD32(a, 0, 0), CUDA_SUCCESS, "but not a count of none");
	emu_must(cu.cuMemFree(a));
}

static void two_devices(CUcontext first)
{
	unsigned int value = 12345, seen = 0;
	CUcontext second = NULL;
	CUdeviceptr a = 0, b = 0;
	int ordinal = -1;

	emu_must(cu.cuMemAlloc(&a, 4));
	emu_must(cu.cuCtxCreate(&second, 0, 1));
	emu_must(cu.cuMemAlloc(&b, 4));
	tap_ok(a != b, "two devices give out different addresses");
	emu_must(cu.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, b));
	tap_is_int(ordinal, 1, "which tell the device");
	emu_must(cu.cuMemcpyHtoD(b, &value, 4));
	emu_is(cu.cuMemcpyDtoD(a, b, 4), CUDA_SUCCESS, "a copy may cross devices");
	emu_must(cu.cuCtxDestroy(second));
	tap_ok(first != second, "two contexts are two");
	emu_must(cu.cuMemcpyDtoH(&seen, a, 4));
	tap_is_uint(seen, value, "and arrives");
	emu_must(cu.cuMemFree(a));
}

int main(void)
{
	CUcontext context;

	setenv("SCANRT_EMU_DEVICES", "2", 1);
	setenv("SCANRT_EMU_MEMORY", "8M", 1);
	tap_plan(0);
	context = emu_open_context();
	allocation();
	queries(context);
	copies();
	fills();
	two_devices(context);
	emu_must(cu.cuCtxDestroy(context));
	return tap_done();
}
