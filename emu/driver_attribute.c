/* SPDX-License-Identifier: MIT
 *
 * cuDeviceGetAttribute: what all models share, and what each has of its own.
 */
#include "driver.h"

struct row {
	CUdevice_attribute attribute;
	int value;       /* of all models, where offset is 0 */
	size_t offset;   /* of the member of struct emu_model; key is at 0, so 0 is none */
};

#define ALL(name, value) { CU_DEVICE_ATTRIBUTE_##name, (value), 0 }
#define OF_MODEL(name, member) { CU_DEVICE_ATTRIBUTE_##name, 0, offsetof(struct emu_model, member) }

static const struct row rows[] = {
	ALL(MAX_THREADS_PER_BLOCK, 1024),
	ALL(MAX_BLOCK_DIM_X, 1024),
	ALL(MAX_BLOCK_DIM_Y, 1024),
	ALL(MAX_BLOCK_DIM_Z, 64),
	ALL(MAX_GRID_DIM_X, 2147483647),
	ALL(MAX_GRID_DIM_Y, 65535),
	ALL(MAX_GRID_DIM_Z, 65535),
	ALL(MAX_SHARED_MEMORY_PER_BLOCK, 49152),
	ALL(TOTAL_CONSTANT_MEMORY, 65536),
	ALL(WARP_SIZE, 32),
	ALL(MAX_PITCH, 2147483647),
	ALL(MAX_REGISTERS_PER_BLOCK, 65536),
	OF_MODEL(CLOCK_RATE, sm_clock_khz),
	ALL(TEXTURE_ALIGNMENT, 512),
	ALL(GPU_OVERLAP, 1),
	ALL(KERNEL_EXEC_TIMEOUT, 0),
	ALL(INTEGRATED, 0),
	ALL(CAN_MAP_HOST_MEMORY, 0),
	ALL(COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT),
	ALL(SURFACE_ALIGNMENT, 512),
	ALL(CONCURRENT_KERNELS, 1),
	OF_MODEL(ECC_ENABLED, has_ecc),
	ALL(PCI_DEVICE_ID, 0),
	ALL(PCI_DOMAIN_ID, 0xffff),
	ALL(TCC_DRIVER, 0),
	OF_MODEL(MEMORY_CLOCK_RATE, memory_clock_khz),
	OF_MODEL(GLOBAL_MEMORY_BUS_WIDTH, memory_bus_bits),
	OF_MODEL(L2_CACHE_SIZE, l2_bytes),
	OF_MODEL(MAX_THREADS_PER_MULTIPROCESSOR, threads_per_sm),
	ALL(ASYNC_ENGINE_COUNT, 3),
	ALL(UNIFIED_ADDRESSING, 1),
	ALL(TEXTURE_PITCH_ALIGNMENT, 32),
	OF_MODEL(COMPUTE_CAPABILITY_MAJOR, capability_major),
	OF_MODEL(COMPUTE_CAPABILITY_MINOR, capability_minor),
	ALL(STREAM_PRIORITIES_SUPPORTED, 1),
	ALL(GLOBAL_L1_CACHE_SUPPORTED, 1),
	ALL(LOCAL_L1_CACHE_SUPPORTED, 1),
	OF_MODEL(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, shared_per_sm),
	OF_MODEL(MAX_REGISTERS_PER_MULTIPROCESSOR, registers_per_sm),
	ALL(MANAGED_MEMORY, 0),
	ALL(MULTI_GPU_BOARD, 0),
	ALL(MULTI_GPU_BOARD_GROUP_ID, 0),
	ALL(HOST_NATIVE_ATOMIC_SUPPORTED, 0),
	ALL(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2),
	ALL(PAGEABLE_MEMORY_ACCESS, 0),
	ALL(CONCURRENT_MANAGED_ACCESS, 0),
	ALL(COMPUTE_PREEMPTION_SUPPORTED, 1),
	ALL(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 0),
	ALL(COOPERATIVE_LAUNCH, 1),
	ALL(COOPERATIVE_MULTI_DEVICE_LAUNCH, 0),
	OF_MODEL(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_per_block),
	ALL(HOST_REGISTER_SUPPORTED, 0),
	ALL(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0),
	OF_MODEL(MAX_BLOCKS_PER_MULTIPROCESSOR, blocks_per_sm),
	ALL(MAX_PERSISTING_L2_CACHE_SIZE, 0),
	ALL(MAX_ACCESS_POLICY_WINDOW_SIZE, 0),
	OF_MODEL(RESERVED_SHARED_MEMORY_PER_BLOCK, reserved_shared),
	ALL(MEMORY_POOLS_SUPPORTED, 0),
	OF_MODEL(CLUSTER_LAUNCH, has_clusters),
	ALL(IPC_EVENT_SUPPORTED, 0),
	ALL(UNIFIED_FUNCTION_POINTERS, 0),
	ALL(MULTICAST_SUPPORTED, 0),
	ALL(MPS_ENABLED, 0),
};

/* An attribute that is known but not in the table (textures, interop) is 0: the emulated device has none of it. */
static int value_of(const struct emu_device *device, CUdevice_attribute attribute)
{
	if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
		return device->sm_count;
	if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
		return 0xe0 + device->ordinal;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].attribute == attribute && rows[i].offset == 0)
			return rows[i].value;
		if (rows[i].attribute == attribute)
			return *(const int *)(const void *)((const char *)device->model + rows[i].offset);
	}
	return 0;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);
	const struct emu_device *found = emu_device_get(device);

	if (result == CUDA_SUCCESS && value == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && (attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && found == NULL)
		result = CUDA_ERROR_INVALID_DEVICE;
	if (result == CUDA_SUCCESS)
		*value = value_of(found, attribute);
	return emu_leave(result);
}
