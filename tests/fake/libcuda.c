/* SPDX-License-Identifier: MIT
 *
 * The scripted driver.  It exports cuGetProcAddress and nothing else of the API, as the loader needs nothing else.
 */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

#include "libcuda.h"

struct fake_driver *fake_driver_script(void);
CUresult cuGetProcAddress_v2(const char *symbol, void **address, int version, cuuint64_t flags,
	CUdriverProcAddressQueryResult *found);
void fake_driver_current(bool is_set);

#define DEPTH 16

struct fake_driver script;
static int primary[8];
static int foreign;
static CUcontext stack[DEPTH] = { NULL };
static uint64_t next_address = UINT64_C(0x7000000000);

struct fake_driver *fake_driver_script(void)
{
	return &script;
}

/* The bottom of the stack is the thread's own context, which a program may have set before it calls us. */
void fake_driver_current(bool is_set)
{
	stack[0] = is_set ? (CUcontext)&foreign : NULL;
}

CUresult fake_enter(const char *name)
{
	script.calls++;
	if (script.is_stub)
		return CUDA_ERROR_STUB_LIBRARY;
	if (script.calls == script.fail_at) {
		snprintf(script.failed, sizeof(script.failed), "%s", name);
		return (CUresult)script.fail_code;
	}
	if (script.fail_name && strcmp(script.fail_name, name) == 0)
		return (CUresult)script.fail_code;
	return CUDA_SUCCESS;
}

CUcontext fake_current(void)
{
	return stack[script.depth];
}

bool fake_is_placed(void)
{
	if (fake_current())
		return true;
	script.misplaced++;
	return false;
}

/* ---- The driver, its devices ---- */

static CUresult init(unsigned flags)
{
	(void)flags;
	ENTER("cuInit");
	return CUDA_SUCCESS;
}

static CUresult driver_get_version(int *version)
{
	ENTER("cuDriverGetVersion");
	*version = 13000;
	return CUDA_SUCCESS;
}

static CUresult get_error_name(CUresult error, const char **name)
{
	static char text[32];

	snprintf(text, sizeof(text), "FAKE_ERROR_%d", (int)error);
	*name = text;
	return CUDA_SUCCESS;
}

static CUresult get_error_string(CUresult error, const char **text)
{
	(void)error;
	*text = "as the test wants it";
	return CUDA_SUCCESS;
}

static CUresult device_get_count(int *count)
{
	ENTER("cuDeviceGetCount");
	*count = script.device_count;
	return CUDA_SUCCESS;
}

static CUresult device_get(CUdevice *device, int ordinal)
{
	ENTER("cuDeviceGet");
	*device = ordinal;
	return CUDA_SUCCESS;
}

static CUresult device_get_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	(void)device;
	ENTER("cuDeviceGetAttribute");
	switch ((int)attribute) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = script.capability / 10; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = script.capability % 10; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = script.sm_count; break;
	case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = script.l2_bytes; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 233472; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 232448; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
	case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK: *value = 1024; break;
	case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR: *value = 65536; break;
	case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: *value = 65536; break;
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
	case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: *value = 32; break;
	case CU_DEVICE_ATTRIBUTE_ECC_ENABLED: *value = 1; break;
	case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH: *value = script.bus_bits; break;
	case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
	case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
		script.clocks_asked++;
		*value = attribute == CU_DEVICE_ATTRIBUTE_CLOCK_RATE || !script.memory_clock_khz ? script.clock_khz :
			script.memory_clock_khz;
		break;
	default: *value = 0; break;
	}
	return CUDA_SUCCESS;
}

static CUresult device_get_name(char *name, int size, CUdevice device)
{
	(void)device;
	ENTER("cuDeviceGetName");
	snprintf(name, (size_t)size, "%s", script.device_name);
	return CUDA_SUCCESS;
}

static CUresult device_get_uuid(CUuuid *uuid, CUdevice device)
{
	ENTER("cuDeviceGetUuid");
	memset(uuid, 0xa0 + device, sizeof(*uuid));
	return CUDA_SUCCESS;
}

static CUresult device_get_pci_bus_id(char *text, int size, CUdevice device)
{
	ENTER("cuDeviceGetPCIBusId");
	snprintf(text, (size_t)size, "0000:%02x:00.0", (unsigned)device);
	return CUDA_SUCCESS;
}

static CUresult device_total_mem(size_t *bytes, CUdevice device)
{
	(void)device;
	ENTER("cuDeviceTotalMem");
	*bytes = (size_t)1 << 34;
	return CUDA_SUCCESS;
}

/* ---- Contexts ---- */

static CUresult primary_retain(CUcontext *context, CUdevice device)
{
	ENTER("cuDevicePrimaryCtxRetain");
	script.retained++;
	*context = (CUcontext)&primary[device];
	return CUDA_SUCCESS;
}

static CUresult primary_release(CUdevice device)
{
	(void)device;
	script.retained--;
	ENTER("cuDevicePrimaryCtxRelease");
	return CUDA_SUCCESS;
}

static CUresult ctx_get_current(CUcontext *context)
{
	ENTER("cuCtxGetCurrent");
	*context = fake_current();
	return CUDA_SUCCESS;
}

static CUresult ctx_get_device(CUdevice *device)
{
	ENTER("cuCtxGetDevice");
	*device = fake_current() == (CUcontext)&foreign ? script.device_count - 1 : 0;
	return CUDA_SUCCESS;
}

static CUresult ctx_push(CUcontext context)
{
	ENTER("cuCtxPushCurrent");
	if (script.depth + 1 == DEPTH)
		return CUDA_ERROR_INVALID_VALUE;
	stack[++script.depth] = context;
	return CUDA_SUCCESS;
}

static CUresult ctx_pop(CUcontext *context)
{
	if (script.depth > 0)
		*context = stack[script.depth--];
	ENTER("cuCtxPopCurrent");
	return CUDA_SUCCESS;
}

/* ---- Memory ---- */

static CUresult mem_alloc(CUdeviceptr *address, size_t bytes)
{
	ENTER("cuMemAlloc");
	if (!fake_is_placed())
		return CUDA_ERROR_INVALID_CONTEXT;
	*address = next_address;
	next_address += (bytes + 511) / 512 * 512;
	script.allocations++;
	script.allocated = bytes;
	return CUDA_SUCCESS;
}

static CUresult mem_free(CUdeviceptr address)
{
	(void)address;
	script.allocations--;
	ENTER("cuMemFree");
	return fake_is_placed() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult memset_d8_async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream)
{
	(void)address, (void)value, (void)count, (void)stream;
	ENTER("cuMemsetD8Async");
	return fake_is_placed() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* Addresses with an odd 40th bit are of another context, those with an odd 45th of nobody. */
static CUresult pointer_get_attribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
	ENTER("cuPointerGetAttribute");
	if (attribute != CU_POINTER_ATTRIBUTE_CONTEXT || address >> 45 & 1)
		return CUDA_ERROR_INVALID_VALUE;
	*(CUcontext *)value = address >> 40 & 1 ? (CUcontext)&foreign : fake_current();
	return CUDA_SUCCESS;
}

/* What the library has no business to call: a launch path that synchronises the context, say. */
static CUresult unexpected(void)
{
	script.misplaced++;
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- Addresses ---- */

static const struct fake_row rows[] = {
	ROW("cuInit", init),
	ROW("cuDriverGetVersion", driver_get_version),
	ROW("cuGetErrorName", get_error_name),
	ROW("cuGetErrorString", get_error_string),
	ROW("cuDeviceGetCount", device_get_count),
	ROW("cuDeviceGet", device_get),
	ROW("cuDeviceGetAttribute", device_get_attribute),
	ROW("cuDeviceGetName", device_get_name),
	ROW("cuDeviceGetUuid", device_get_uuid),
	ROW("cuDeviceGetPCIBusId", device_get_pci_bus_id),
	ROW("cuDeviceTotalMem", device_total_mem),
	ROW("cuDevicePrimaryCtxRetain", primary_retain),
	ROW("cuDevicePrimaryCtxRelease", primary_release),
	ROW("cuCtxGetCurrent", ctx_get_current),
	ROW("cuCtxGetDevice", ctx_get_device),
	ROW("cuCtxPushCurrent", ctx_push),
	ROW("cuCtxPopCurrent", ctx_pop),
	ROW("cuMemAlloc", mem_alloc),
	ROW("cuMemFree", mem_free),
	ROW("cuMemsetD8Async", memset_d8_async),
	ROW("cuPointerGetAttribute", pointer_get_attribute),
	{ NULL, NULL },
};

static void find(void (**function)(void), const struct fake_row *row, const char *name)
{
	for (; row->name; row++)
		if (strcmp(row->name, name) == 0)
			*function = row->function;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **address, int version, cuuint64_t flags,
	CUdriverProcAddressQueryResult *found)
{
	void (*function)(void) = (void (*)(void))unexpected;

	(void)version, (void)flags, (void)found;
	if (script.is_stub)
		return CUDA_ERROR_STUB_LIBRARY;
	*address = NULL;
	if (script.missing && strcmp(script.missing, symbol) == 0)
		return CUDA_ERROR_NOT_FOUND;
	find(&function, rows, symbol);
	find(&function, fake_module_rows, symbol);
	memcpy(address, &function, sizeof(function));
	return CUDA_SUCCESS;
}
