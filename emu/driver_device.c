/* SPDX-License-Identifier: MIT
 *
 * cuInit, the driver's version, the devices and their facts.
 */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MEMORY_BYTES ((uint64_t)2 << 30) /* of every model: the pages are this machine's */

/* Device pointers are where no host allocator of 64-bit Linux puts anything, sanitizers included. */
#define FIRST_ADDRESS UINT64_C(0x300000000000)

static struct emu_device devices[EMU_MAX_DEVICES];
static int device_count = -1;

/* SCANRT_EMU_MODEL may be a list, one name a device; the last one serves the devices beyond it. */
static const struct emu_model *model_of(int ordinal)
{
	const char *text = getenv("SCANRT_EMU_MODEL");
	char key[32] = "";
	size_t length;

	for (int i = 0; text != NULL && i < ordinal && strchr(text, ',') != NULL; i++)
		text = strchr(text, ',') + 1;
	if (text != NULL) {
		length = strcspn(text, ",");
		if (length >= sizeof(key))
			return NULL;
		memcpy(key, text, length);
	}
	return emu_model_find(key);
}

CUresult emu_devices_open(void)
{
	int count = (int)emu_environment_number("SCANRT_EMU_DEVICES", 1);

	if (device_count >= 0)
		return device_count > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
	if (!emu_settings_check())
		return CUDA_ERROR_INVALID_VALUE;
	for (int i = 0; i < count; i++) {
		struct emu_device *device = &devices[i];

		device->model = model_of(i);
		if (device->model == NULL) {
			fputs("scanrt-emu: SCANRT_EMU_MODEL: there are only tiny, h200, rtx4090 and t4\n", stderr);
			return CUDA_ERROR_INVALID_VALUE;
		}
		device->ordinal = i;
		device->sm_count = (int)emu_environment_number("SCANRT_EMU_SMS", (uint64_t)device->model->sm_count);
		device->memory_bytes = emu_environment_number("SCANRT_EMU_MEMORY", DEFAULT_MEMORY_BYTES);
	}
	device_count = count;
	return count > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

/* What limits launches; the machine knows no names and no clocks. */
static struct emu_limits limits_of(const struct emu_device *device)
{
	const struct emu_model *model = device->model;

	return (struct emu_limits){
		.major = model->capability_major,
		.minor = model->capability_minor,
		.sms = (unsigned int)device->sm_count,
		.warps_per_sm = (unsigned int)model->threads_per_sm / 32,
		.blocks_per_sm = (unsigned int)model->blocks_per_sm,
		.registers_per_sm = (unsigned int)model->registers_per_sm,
		.registers_per_block = 65536,
		.registers_per_thread = 255,
		.shared_per_sm = (unsigned int)model->shared_per_sm,
		.shared_per_block = 49152,
		.shared_per_block_optin = (unsigned int)model->shared_per_block,
		.shared_reserved = (unsigned int)model->reserved_shared,
		.threads_per_block = 1024,
		.cluster_blocks = model->has_clusters ? 16 : 0,
		.memory_bytes = device->memory_bytes,
		.memory_base = FIRST_ADDRESS + (uint64_t)device->ordinal * EMU_ADDRESSES_PER_DEVICE,
	};
}

CUresult emu_device_open(struct emu_device *device)
{
	struct emu_limits limits = limits_of(device);

	return device->machine != NULL ? CUDA_SUCCESS : emu_machine_create(&device->machine, &limits);
}

int emu_device_count(void)
{
	return device_count < 0 ? 0 : device_count;
}

struct emu_device *emu_device_get(CUdevice device)
{
	return device >= 0 && device < device_count ? &devices[device] : NULL;
}

CUresult cuInit(unsigned int flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_NOTHING);

	if (result == CUDA_SUCCESS)
		result = flags != 0 ? CUDA_ERROR_INVALID_VALUE : emu_devices_open();
	if (result == CUDA_SUCCESS)
		emu_initialised();
	return emu_leave(result);
}

CUresult cuDriverGetVersion(int *version)
{
	CUresult result = emu_enter(__func__, EMU_NEED_NOTHING);

	if (result == CUDA_SUCCESS && version == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*version = (int)emu_environment_number("SCANRT_EMU_DRIVER_VERSION", EMU_DRIVER_VERSION);
	return emu_leave(result);
}

CUresult cuDeviceGetCount(int *count)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && count == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*count = device_count;
	return emu_leave(result);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && device == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && emu_device_get(ordinal) == NULL)
		result = CUDA_ERROR_INVALID_DEVICE;
	if (result == CUDA_SUCCESS)
		*device = ordinal;
	return emu_leave(result);
}

/* Enters and resolves a device for the queries that fill `out`. */
static CUresult enter_device(struct emu_device **found, const char *function, CUdevice device, const void *out)
{
	CUresult result = emu_enter(function, EMU_NEED_INIT);

	*found = emu_device_get(device);
	if (result == CUDA_SUCCESS && out == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && *found == NULL)
		result = CUDA_ERROR_INVALID_DEVICE;
	return result;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
	struct emu_device *found;
	CUresult result = enter_device(&found, __func__, device, name);

	if (result == CUDA_SUCCESS && length <= 0)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		snprintf(name, (size_t)length, "%s", found->model->name);
	return emu_leave(result);
}

/* Readable in a dump, and different for each model and ordinal. */
static void fill_uuid(CUuuid *uuid, const struct emu_device *device)
{
	memset(uuid, 0, sizeof(*uuid));
	snprintf(uuid->bytes, sizeof(uuid->bytes), "emu-%s", device->model->key);
	uuid->bytes[sizeof(uuid->bytes) - 1] = (char)device->ordinal;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	struct emu_device *found;
	CUresult result = enter_device(&found, __func__, device, uuid);

	if (result == CUDA_SUCCESS)
		fill_uuid(uuid, found);
	return emu_leave(result);
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	struct emu_device *found;
	CUresult result = enter_device(&found, __func__, device, bytes);

	if (result == CUDA_SUCCESS)
		*bytes = found->memory_bytes;
	return emu_leave(result);
}

/* Bus numbers that no PCI bridge gives out, so that nobody takes one for a real board. */
CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
	struct emu_device *found;
	CUresult result = enter_device(&found, __func__, device, id);

	if (result == CUDA_SUCCESS && length < 13)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		snprintf(id, (size_t)length, "FFFF:%02X:00.0", 0xe0 + found->ordinal);
	return emu_leave(result);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);
	unsigned int bus = 0;

	if (result == CUDA_SUCCESS && (device == NULL || id == NULL || sscanf(id, "%*x:%x", &bus) != 1))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && emu_device_get((CUdevice)bus - 0xe0) == NULL)
		result = CUDA_ERROR_INVALID_DEVICE;
	if (result == CUDA_SUCCESS)
		*device = (CUdevice)bus - 0xe0;
	return emu_leave(result);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	struct emu_device *found;
	CUresult result = enter_device(&found, __func__, device, major);

	if (result == CUDA_SUCCESS && minor == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		*major = found->model->capability_major;
		*minor = found->model->capability_minor;
	}
	return emu_leave(result);
}
