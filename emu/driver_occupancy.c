/* SPDX-License-Identifier: MIT
 *
 * Occupancy: how many blocks of a kernel an SM holds at once.
 */
#include "driver.h"

static unsigned int resident(const struct CUfunc_st *function, unsigned int threads, size_t dynamic_shared)
{
	if (dynamic_shared > (size_t)function->module->context->device->model->shared_per_block)
		return 0;
	return emu_launch_occupancy(function->module->context->device->machine, function->code, threads,
		(unsigned int)dynamic_shared);
}

static CUresult active_blocks(int *blocks, const struct CUfunc_st *function, int threads, size_t dynamic_shared)
{
	if (blocks == NULL || threads <= 0 || threads > 1024)
		return CUDA_ERROR_INVALID_VALUE;
	if (!emu_handle_is(EMU_HANDLE_FUNCTION, function))
		return CUDA_ERROR_INVALID_HANDLE;
	*blocks = (int)resident(function, (unsigned int)threads, dynamic_shared);
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
	size_t dynamic_shared)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = active_blocks(blocks, function, threads, dynamic_shared);
	return emu_leave(result);
}

/* The one flag speaks of caching, which is not emulated. */
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction function, int threads,
	size_t dynamic_shared, unsigned int flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && (flags & ~(unsigned int)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) != 0)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = active_blocks(blocks, function, threads, dynamic_shared);
	return emu_leave(result);
}

/* The block size that fills most threads of an SM; of equal ones the largest. */
static CUresult potential(int *grid, int *block, const struct CUfunc_st *function, CUoccupancyB2DSize shared_of,
	size_t shared, int limit)
{
	unsigned int best = 0;

	if (grid == NULL || block == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (!emu_handle_is(EMU_HANDLE_FUNCTION, function))
		return CUDA_ERROR_INVALID_HANDLE;
	if (limit <= 0 || limit > (int)function->facts.max_threads)
		limit = (int)function->facts.max_threads;
	*grid = 0;
	*block = 0;
	for (int threads = limit < 32 ? limit : limit / 32 * 32; threads > 0; threads -= 32) {
		unsigned int blocks = resident(function, (unsigned int)threads,
			shared_of == NULL ? shared : shared_of(threads));

		if (blocks * (unsigned int)threads > best) {
			best = blocks * (unsigned int)threads;
			*block = threads;
			*grid = (int)blocks * function->module->context->device->sm_count;
		}
	}
	return best == 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
	size_t shared, int limit)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = potential(grid, block, function, shared_of, shared, limit);
	return emu_leave(result);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction function,
	CUoccupancyB2DSize shared_of, size_t shared, int limit, unsigned int flags)
{
	if ((flags & ~(unsigned int)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit);
}

/* The most dynamic shared memory with which `blocks` blocks still fit, by halving. */
static size_t available(const struct CUfunc_st *function, unsigned int blocks, unsigned int threads)
{
	size_t low = 0, high = (size_t)function->module->context->device->model->shared_per_block;

	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;

		if (resident(function, threads, middle) >= blocks)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function, int blocks, int threads)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && (bytes == NULL || blocks <= 0 || threads <= 0))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS && resident(function, (unsigned int)threads, 0) < (unsigned int)blocks)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*bytes = available(function, (unsigned int)blocks, (unsigned int)threads);
	return emu_leave(result);
}

static unsigned int cluster_of(const CUlaunchConfig *config)
{
	for (unsigned int i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttributeValue *value = &config->attrs[i].value;

		if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			return value->clusterDim.x * value->clusterDim.y * value->clusterDim.z;
	}
	return 1;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && (clusters == NULL || config == NULL || cluster_of(config) == 0))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS) {
		unsigned int threads = config->blockDimX * config->blockDimY * config->blockDimZ;
		unsigned int blocks = resident(function, threads, config->sharedMemBytes);

		blocks *= (unsigned int)function->module->context->device->sm_count;
		*clusters = (int)(blocks / cluster_of(config));
	}
	return emu_leave(result);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function, const CUlaunchConfig *config)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && (size == NULL || config == NULL))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		*size = function->is_nonportable_cluster_allowed ? 16 : 8;
	return emu_leave(result);
}
