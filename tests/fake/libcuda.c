/* SPDX-License-Identifier: MIT
 *
 * The scripted driver.  It exports cuGetProcAddress and nothing else of the API, as the loader needs nothing else.
 */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

#include "fake.h"

struct fake_driver *fake_driver_script(void);
CUresult cuGetProcAddress_v2(const char *symbol, void **address, int version, cuuint64_t flags,
	CUdriverProcAddressQueryResult *found);
void fake_driver_current(bool is_set);

struct module {
	char text[64];
	bool is_used;
	int optin;
};

#define MODULES 256
#define DEPTH 16

static struct fake_driver script;
static struct module modules[MODULES];
static int primary[8];
static int foreign;
static CUcontext stack[DEPTH] = { NULL };
static uint64_t next_address = UINT64_C(0x7000000000);
static char linked[64];

struct fake_driver *fake_driver_script(void)
{
	return &script;
}

/* The bottom of the stack is the thread's own context, which a program may have set before it calls us. */
void fake_driver_current(bool is_set)
{
	stack[0] = is_set ? (CUcontext)&foreign : NULL;
}

static CUresult enter(const char *name)
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

#define ENTER(name) \
	do { \
		CUresult result_ = enter(name); \
		if (result_ != CUDA_SUCCESS) \
			return result_; \
	} while (0)

static CUcontext current(void)
{
	return stack[script.depth];
}

/* For calls that concern the current context. */
static bool is_placed(void)
{
	if (current())
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
	*context = current();
	return CUDA_SUCCESS;
}

static CUresult ctx_get_device(CUdevice *device)
{
	ENTER("cuCtxGetDevice");
	*device = current() == (CUcontext)&foreign ? script.device_count - 1 : 0;
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
	if (!is_placed())
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
	return is_placed() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult memset_d8_async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream)
{
	(void)address, (void)value, (void)count, (void)stream;
	ENTER("cuMemsetD8Async");
	return is_placed() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

/* Addresses with an odd 40th bit are of another context. */
static CUresult pointer_get_attribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
	ENTER("cuPointerGetAttribute");
	if (attribute != CU_POINTER_ATTRIBUTE_CONTEXT)
		return CUDA_ERROR_INVALID_VALUE;
	*(CUcontext *)value = address >> 40 & 1 ? (CUcontext)&foreign : current();
	return CUDA_SUCCESS;
}

/* ---- Modules ---- */

static CUresult module_load_data(CUmodule *module, const void *image)
{
	int i;

	ENTER("cuModuleLoadData");
	if (!is_placed())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (strncmp(image, "SASS ", 5) == 0 && script.refuses_sass)
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	if (strncmp(image, "SASS ", 5) != 0 && strncmp(image, "LINKED ", 7) != 0)
		return CUDA_ERROR_INVALID_IMAGE;
	for (i = 0; i < MODULES && modules[i].is_used; i++)
		;
	if (i == MODULES)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memset(&modules[i], 0, sizeof(modules[i]));
	modules[i].is_used = true;
	snprintf(modules[i].text, sizeof(modules[i].text), "%s", (const char *)image);
	script.modules++;
	script.loads++;
	*module = (CUmodule)&modules[i];
	return CUDA_SUCCESS;
}

static CUresult module_unload(CUmodule module)
{
	((struct module *)module)->is_used = false;
	script.modules--;
	ENTER("cuModuleUnload");
	return is_placed() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult module_get_function(CUfunction *function, CUmodule module, const char *name)
{
	ENTER("cuModuleGetFunction");
	if (strcmp(strchr(((struct module *)module)->text, ' ') + 1, name) != 0)
		return CUDA_ERROR_NOT_FOUND;
	*function = (CUfunction)module;
	return CUDA_SUCCESS;
}

static CUresult func_get_attribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
	(void)function;
	ENTER("cuFuncGetAttribute");
	switch ((int)attribute) {
	case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 40; break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = 512; break;
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = script.max_threads; break;
	default: *value = 0; break;
	}
	return CUDA_SUCCESS;
}

static CUresult func_set_attribute(CUfunction function, CUfunction_attribute attribute, int value)
{
	struct module *module = (struct module *)function;

	ENTER("cuFuncSetAttribute");
	if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		return CUDA_SUCCESS;
	script.optins++;
	script.lowered += value < module->optin;
	module->optin = value;
	return CUDA_SUCCESS;
}

static CUresult occupancy(int *blocks, CUfunction function, int threads, size_t shared)
{
	(void)function, (void)threads, (void)shared;
	ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor");
	*blocks = script.occupancy;
	return CUDA_SUCCESS;
}

static CUresult link_create(unsigned count, CUjit_option *options, void **values, CUlinkState *state)
{
	(void)count, (void)options, (void)values;
	ENTER("cuLinkCreate");
	if (!is_placed())
		return CUDA_ERROR_INVALID_CONTEXT;
	script.links++;
	*state = (CUlinkState)linked;
	return CUDA_SUCCESS;
}

static CUresult link_add_data(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
	unsigned count, CUjit_option *options, void **values)
{
	(void)state, (void)size, (void)name, (void)count, (void)options, (void)values;
	ENTER("cuLinkAddData");
	if (type != CU_JIT_INPUT_PTX || strncmp(data, "PTX ", 4) != 0)
		return CUDA_ERROR_INVALID_PTX;
	snprintf(linked, sizeof(linked), "LINKED %s", (const char *)data + 4);
	return CUDA_SUCCESS;
}

static CUresult link_complete(CUlinkState state, void **cubin, size_t *size)
{
	(void)state;
	ENTER("cuLinkComplete");
	*cubin = linked;
	*size = strlen(linked) + 1;
	return CUDA_SUCCESS;
}

static CUresult link_destroy(CUlinkState state)
{
	(void)state;
	script.links--;
	ENTER("cuLinkDestroy");
	return CUDA_SUCCESS;
}

/* ---- Launches, streams ---- */

static CUresult launch_kernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
	unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters, void **extra)
{
	struct fake_launch *launch = &script.launch;

	(void)extra;
	ENTER("cuLaunchKernel");
	if (!is_placed())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || grid_x == 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(launch->entry, sizeof(launch->entry), "%s", strchr(((struct module *)function)->text, ' ') + 1);
	launch->grid = grid_x;
	launch->block = block_x;
	launch->shared = shared;
	launch->stream = stream;
	launch->context = current();
	memcpy(&launch->arguments, parameters[0], sizeof(launch->arguments));
	script.launches++;
	return CUDA_SUCCESS;
}

static CUresult stream_create(CUstream *stream, unsigned flags)
{
	(void)flags;
	ENTER("cuStreamCreate");
	if (!is_placed())
		return CUDA_ERROR_INVALID_CONTEXT;
	script.streams++;
	*stream = (CUstream)&script;
	return CUDA_SUCCESS;
}

static CUresult stream_destroy(CUstream stream)
{
	(void)stream;
	script.streams--;
	ENTER("cuStreamDestroy");
	return CUDA_SUCCESS;
}

static CUresult stream_synchronize(CUstream stream)
{
	(void)stream;
	ENTER("cuStreamSynchronize");
	return CUDA_SUCCESS;
}

static CUresult stream_is_capturing(CUstream stream, CUstreamCaptureStatus *status)
{
	(void)stream;
	ENTER("cuStreamIsCapturing");
	*status = script.is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

/* What the library has no business to call: a launch path that synchronises the context, say. */
static CUresult unexpected(void)
{
	script.misplaced++;
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- Addresses ---- */

#define ROW(name, function) { name, (void (*)(void))(function) }

static const struct {
	const char *name;
	void (*function)(void);
} rows[] = {
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
	ROW("cuModuleLoadData", module_load_data),
	ROW("cuModuleUnload", module_unload),
	ROW("cuModuleGetFunction", module_get_function),
	ROW("cuFuncGetAttribute", func_get_attribute),
	ROW("cuFuncSetAttribute", func_set_attribute),
	ROW("cuOccupancyMaxActiveBlocksPerMultiprocessor", occupancy),
	ROW("cuLinkCreate", link_create),
	ROW("cuLinkAddData", link_add_data),
	ROW("cuLinkComplete", link_complete),
	ROW("cuLinkDestroy", link_destroy),
	ROW("cuLaunchKernel", launch_kernel),
	ROW("cuStreamCreate", stream_create),
	ROW("cuStreamDestroy", stream_destroy),
	ROW("cuStreamSynchronize", stream_synchronize),
	ROW("cuStreamIsCapturing", stream_is_capturing),
};

CUresult cuGetProcAddress_v2(const char *symbol, void **address, int version, cuuint64_t flags,
	CUdriverProcAddressQueryResult *found)
{
	void (*function)(void) = (void (*)(void))unexpected;
	size_t i;

	(void)version, (void)flags, (void)found;
	if (script.is_stub)
		return CUDA_ERROR_STUB_LIBRARY;
	*address = NULL;
	if (script.missing && strcmp(script.missing, symbol) == 0)
		return CUDA_ERROR_NOT_FOUND;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, symbol) == 0)
			function = rows[i].function;
	memcpy(address, &function, sizeof(function));
	return CUDA_SUCCESS;
}
