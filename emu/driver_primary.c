/* SPDX-License-Identifier: MIT
 *
 * Primary contexts: one a device, counted.
 */
#include "driver.h"

/* Created by the first who wants it. */
static CUresult retain(CUcontext *context, struct emu_device *device)
{
	if (context == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (device == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	if (device->primary == NULL) {
		device->primary = emu_context_create(device, device->primary_flags);
		if (device->primary == NULL)
			return CUDA_ERROR_OUT_OF_MEMORY;
		device->primary->is_primary = true;
	}
	device->primary_retains++;
	*context = device->primary;
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS)
		result = retain(context, emu_device_get(device));
	return emu_leave(result);
}

/* Whatever holds the old one sees a destroyed context from now on. */
static void reset(struct emu_device *device)
{
	if (device->primary != NULL)
		emu_context_destroy(device->primary);
	device->primary = NULL;
	device->primary_retains = 0;
}

/* The last release destroys it; one more is an error, not another destruction. */
static CUresult release(struct emu_device *device)
{
	if (device == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	if (device->primary_retains == 0)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (--device->primary_retains == 0)
		reset(device);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS)
		result = release(emu_device_get(device));
	return emu_leave(result);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && emu_device_get(device) == NULL)
		result = CUDA_ERROR_INVALID_DEVICE;
	if (result == CUDA_SUCCESS)
		reset(emu_device_get(device));
	return emu_leave(result);
}

/* They choose how the host waits, which it never does here. */
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);
	struct emu_device *found = emu_device_get(device);

	if (result == CUDA_SUCCESS && found == NULL)
		result = CUDA_ERROR_INVALID_DEVICE;
	if (result == CUDA_SUCCESS) {
		found->primary_flags = flags;
		if (found->primary != NULL)
			found->primary->flags = flags;
	}
	return emu_leave(result);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *is_active)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);
	const struct emu_device *found = emu_device_get(device);

	if (result == CUDA_SUCCESS && (flags == NULL || is_active == NULL))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && found == NULL)
		result = CUDA_ERROR_INVALID_DEVICE;
	if (result == CUDA_SUCCESS) {
		*flags = found->primary_flags;
		*is_active = found->primary != NULL;
	}
	return emu_leave(result);
}
