/* SPDX-License-Identifier: MIT
 *
 * Kernels from their image to their launch.
 */
#include "kernel.h"

#include <assert.h>
#include <string.h>

#include "../kernels/abi.h"
#include "driver.h"
#include "status.h"
#include "strategy.h"

/* From the loaded function: what the compiler said while it was made, the driver's own compiler may have changed. */
static int read_attributes(struct srt_kernel *kernel, const struct srt_driver *driver)
{
	CUfunction function = kernel->function;
	int status = SRT_CALL(driver, cuFuncGetAttribute, (&kernel->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function));

	if (!status)
		status = SRT_CALL(driver, cuFuncGetAttribute,
			(&kernel->local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function));
	if (!status)
		status = SRT_CALL(driver, cuFuncGetAttribute,
			(&kernel->static_shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
	if (!status)
		status = SRT_CALL(driver, cuFuncGetAttribute,
			(&kernel->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
	return status;
}

/* What the compiled kernel really takes decides, not what the variant was thought to take. */
static int check_fit(const struct srt_kernel *kernel, const struct srt_device *device)
{
	size_t shared = (size_t)kernel->static_shared + kernel->dynamic_shared;

	if (srt_variant_threads(&kernel->variant) > (uint32_t)kernel->max_threads)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"the kernel runs at most %d threads a block, and the variant wants %u", kernel->max_threads,
			srt_variant_threads(&kernel->variant));
	if (device->shared_per_block > 0 && shared > (size_t)device->shared_per_block)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"the kernel takes %zu bytes of shared memory, and a block may have %d", shared,
			device->shared_per_block);
	return SCANRT_OK;
}

/* The opt-in belongs to this module's function, which no other plan shares: it is set once and never lowered. */
static int opt_in(struct srt_kernel *kernel, const struct srt_driver *driver)
{
	if (kernel->dynamic_shared == 0)
		return SCANRT_OK;
	return SRT_CALL(driver, cuFuncSetAttribute,
		(kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)kernel->dynamic_shared));
}

#define PORTABLE_CLUSTER 8

/* Clusters of more blocks than every device allows are opted in to, and whether they fit is for the driver to say: it
 * knows how many multiprocessors a cluster can be spread over, and which of them this device lacks. */
static int prepare_cluster(struct srt_kernel *kernel, const struct srt_driver *driver)
{
	unsigned threads = srt_variant_threads(&kernel->variant);
	CUlaunchAttribute size = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
		.value.clusterDim = { kernel->cluster, 1, 1 } };
	CUlaunchConfig config = { kernel->cluster, 1, 1, threads, 1, 1, (unsigned)kernel->dynamic_shared, NULL, &size,
		1 };
	int clusters = 1;
	int status = SCANRT_OK;

	if (kernel->cluster == 0)
		return SCANRT_OK;
	if (!driver->cuLaunchKernelEx)
		return srt_fail(SCANRT_ERROR_VARIANT, "the driver cannot launch clusters: cuLaunchKernelEx is missing");
	if (kernel->cluster > PORTABLE_CLUSTER)
		status = SRT_CALL(driver, cuFuncSetAttribute,
			(kernel->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
	if (!status && driver->cuOccupancyMaxActiveClusters)
		status = SRT_CALL(driver, cuOccupancyMaxActiveClusters, (&clusters, kernel->function, &config));
	if (!status && clusters < 1)
		return srt_fail(SCANRT_ERROR_VARIANT, "no cluster of %u blocks of %u threads fits the device",
			(unsigned)kernel->cluster, threads);
	return status;
}

/* Persistent blocks are launched by this number, and a kernel that cannot be resident at all would fail each launch. */
static int read_occupancy(struct srt_kernel *kernel, const struct srt_driver *driver)
{
	int threads = (int)srt_variant_threads(&kernel->variant);
	int status = SRT_CALL(driver, cuOccupancyMaxActiveBlocksPerMultiprocessor,
		(&kernel->blocks_per_sm, kernel->function, threads, kernel->dynamic_shared));

	if (!status && kernel->blocks_per_sm < 1)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"no block of %d threads with %d registers each and %zu bytes of shared memory fits an SM",
			threads, kernel->registers, (size_t)kernel->static_shared + kernel->dynamic_shared);
	return status;
}

/* Either failure means that the image is not what it claims to be. */
static int load_function(struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_image *image)
{
	CUmodule module;
	CUfunction function;
	CUresult result = driver->cuModuleLoadData(&module, image->bytes);

	if (result != CUDA_SUCCESS)
		return srt_driver_fail(driver, SCANRT_ERROR_IMAGE, result, "cuModuleLoadData");
	kernel->module = module;
	result = driver->cuModuleGetFunction(&function, module, image->entry);
	if (result != CUDA_SUCCESS)
		return srt_driver_fail(driver, SCANRT_ERROR_IMAGE, result, "cuModuleGetFunction");
	kernel->function = function;
	return SCANRT_OK;
}

/* Each plan loads its own module: a function's attributes then belong to one plan, and two threads cannot undo each
 * other's. */
int srt_kernel_load(struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_device *device,
	const struct srt_problem *problem, const struct srt_variant *variant, const struct srt_image *image)
{
	int status;

	memset(kernel, 0, sizeof(*kernel));
	kernel->problem = *problem;
	kernel->variant = *variant;
	kernel->sm_count = device->sm_count > 0 ? device->sm_count : 1;
	/* Graphs take overlapping launches from CUDA 12.3 on. */
	kernel->may_overlap = device->capability >= 90 && device->driver_version >= 12030 && driver->cuLaunchKernelEx;
	kernel->cluster = (uint32_t)variant->cluster;
	kernel->dynamic_shared = srt_variant_shared_bytes(variant, problem);
	status = load_function(kernel, driver, image);
	if (!status)
		status = read_attributes(kernel, driver);
	if (!status)
		status = check_fit(kernel, device);
	if (!status)
		status = opt_in(kernel, driver);
	if (!status)
		status = read_occupancy(kernel, driver);
	if (!status)
		status = prepare_cluster(kernel, driver);
	if (status)
		srt_kernel_unload(kernel, driver);
	return status;
}

void srt_kernel_unload(struct srt_kernel *kernel, const struct srt_driver *driver)
{
	/* Nothing can be done about a failure, which is one of the context, or of the program's end. */
	if (kernel->module)
		driver->cuModuleUnload(kernel->module);
	kernel->module = NULL;
	kernel->function = NULL;
}

/* ---- Workspace ---- */

int srt_workspace_create(struct srt_workspace *workspace, const struct srt_driver *driver, size_t size)
{
	CUdeviceptr address = 0;
	int status;

	memset(workspace, 0, sizeof(*workspace));
	if (size == 0)
		return SCANRT_OK;
	status = SRT_CALL(driver, cuMemAlloc, (&address, size));
	if (status)
		return status;
	workspace->address = address;
	workspace->size = size;
	workspace->is_owned = true;
	status = srt_workspace_clear(workspace, driver);
	if (status)
		srt_workspace_destroy(workspace, driver);
	return status;
}

/* On a stream of its own that waits for no other: the default stream would wait for the caller's kernels, and would
 * break a capture that another thread has under way.  The wait at the end makes the zeros visible to every stream. */
int srt_workspace_clear(const struct srt_workspace *workspace, const struct srt_driver *driver)
{
	CUstream stream = NULL;
	int status = SRT_CALL(driver, cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));

	if (status)
		return status;
	status = SRT_CALL(driver, cuMemsetD8Async, (workspace->address, 0, workspace->size, stream));
	if (!status)
		status = SRT_CALL(driver, cuStreamSynchronize, (stream));
	driver->cuStreamDestroy(stream);
	return status;
}

/* A workspace of the caller's is only forgotten. */
void srt_workspace_destroy(struct srt_workspace *workspace, const struct srt_driver *driver)
{
	if (workspace->is_owned)
		driver->cuMemFree(workspace->address);
	memset(workspace, 0, sizeof(*workspace));
}

/* ---- Launch ---- */

/* Powers of two: sizes between them are not known to be laid out well. */
static uint32_t cluster_of(uint32_t tiles)
{
	uint32_t blocks = 1;

	while (blocks < tiles)
		blocks *= 2;
	return blocks;
}

/* A block for each tile, those of a cluster rounded up; or blocks that stay and draw tiles, so that there are no more
 * of them than run at once. */
static uint32_t grid_of(const struct srt_kernel *kernel, uint32_t tiles, uint32_t grid_limit)
{
	uint32_t resident = (uint32_t)kernel->blocks_per_sm * (uint32_t)kernel->sm_count;

	if (kernel->cluster)
		return cluster_of(tiles);
	if (!srt_strategy_find(kernel->variant.strategy)->is_persistent)
		return tiles;
	if (grid_limit > 0 && grid_limit < resident)
		resident = grid_limit;
	return tiles < resident ? tiles : resident;
}

/* Each persistent block draws once beyond the last tile. */
static uint32_t draws_of(const struct srt_kernel *kernel, uint32_t tiles, uint32_t grid)
{
	return srt_strategy_find(kernel->variant.strategy)->is_persistent ? tiles + grid : tiles;
}

/* All of it every time: 100 bytes on the stack cost less than a shared copy that two threads could meet in. */
static void fill_arguments(struct scan_arguments *arguments, const struct srt_kernel *kernel,
	const struct srt_workspace *workspace)
{
	const struct srt_problem *problem = &kernel->problem;

	memset(arguments, 0, sizeof(*arguments));
	if (workspace && workspace->address) {
		arguments->control = (unsigned long long *)(uintptr_t)workspace->address;
		arguments->tile_words = (unsigned long long *)(uintptr_t)(workspace->address + SCAN_CONTROL_BYTES);
		arguments->tile_word_capacity = (workspace->size - SCAN_CONTROL_BYTES) / sizeof(uint64_t);
	}
	arguments->initial_on_device = problem->initial_on_device;
	memcpy(arguments->initial, problem->initial, sizeof(arguments->initial));
}

/* Where launches may overlap (programmatic dependent launch), the next scan of a stream takes its place on the
 * multiprocessors while this one ends, which saves about a microsecond between the two.  A cluster has as many blocks
 * as this count needs: one image serves them all. */
static CUresult launch(const struct srt_kernel *kernel, const struct srt_driver *driver, uint32_t grid,
	void **parameters, void *stream)
{
	unsigned threads = srt_variant_threads(&kernel->variant);
	unsigned shared = (unsigned)kernel->dynamic_shared;
	CUlaunchAttribute attributes[2];
	CUlaunchConfig config = { grid, 1, 1, threads, 1, 1, shared, stream, attributes, 0 };

	if (kernel->may_overlap)
		attributes[config.numAttrs++] = (CUlaunchAttribute){
			.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
			.value.programmaticStreamSerializationAllowed = 1 };
	if (kernel->cluster && grid > 1)
		attributes[config.numAttrs++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
			.value.clusterDim = { grid, 1, 1 } };
	if (config.numAttrs == 0)
		return driver->cuLaunchKernel(kernel->function, grid, 1, 1, threads, 1, 1, shared, stream, parameters,
			NULL);
	return driver->cuLaunchKernelEx(&config, kernel->function, parameters, NULL);
}

/* The one place where a count becomes a grid.  Counts stay in 64 bits; tiles fit 32, which srt_variant_max_count() sees
 * to.  Only grid.x is used: the other two end at 65535. */
int srt_kernel_launch(const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_workspace *workspace, uint64_t out, uint64_t in, uint64_t count, uint32_t grid_limit,
	void *stream)
{
	struct scan_arguments arguments;
	void *parameters[] = { &arguments };
	uint32_t tile = srt_variant_tile(&kernel->variant);
	uint32_t grid;
	CUresult result;

	assert(count >= 1 && count <= srt_variant_max_count(&kernel->variant));
	fill_arguments(&arguments, kernel, workspace);
	arguments.out = (void *)(uintptr_t)out;
	arguments.in = (const void *)(uintptr_t)in;
	arguments.count = count;
	arguments.tiles = (uint32_t)((count - 1) / tile + 1);
	grid = grid_of(kernel, arguments.tiles, grid_limit);
	arguments.draws = draws_of(kernel, arguments.tiles, grid);
	result = launch(kernel, driver, grid, parameters, stream);
	if (result == CUDA_SUCCESS)
		return SCANRT_OK;
	/* The function is good, so that the handle which is not can only be the stream. */
	return srt_driver_fail(driver, result == CUDA_ERROR_INVALID_HANDLE ? SCANRT_ERROR_CONTEXT : SCANRT_ERROR_LAUNCH,
		result, kernel->may_overlap || kernel->cluster ? "cuLaunchKernelEx" : "cuLaunchKernel");
}
