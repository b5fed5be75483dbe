/* SPDX-License-Identifier: MIT
 *
 * Kernels from their image to their launch.
 */
#include "kernel.h"

#include <stdio.h>
#include <assert.h>
#include <string.h>

#include "driver.h"
#include "pool.h"
#include "replay.h"
#include "status.h"
#include "strategy.h"

static int read_attribute(int *value, const struct srt_driver *driver, CUfunction function,
	CUfunction_attribute attribute)
{
	return SRT_CALL(driver, cuFuncGetAttribute, (value, attribute, function));
}

static void raise_to(int *most, int value)
{
	if (value > *most)
		*most = value;
}

/* From the loaded function: what the compiler said while it was made, the driver's own compiler may have changed. */
static int read_attributes(struct srt_kernel *kernel, const struct srt_driver *driver, CUfunction function)
{
	int registers = 0;
	int local = 0;
	int shared = 0;
	int threads = 0;
	int status = read_attribute(&registers, driver, function, CU_FUNC_ATTRIBUTE_NUM_REGS);

	if (!status)
		status = read_attribute(&local, driver, function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
	if (!status)
		status = read_attribute(&shared, driver, function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
	if (!status)
		status = read_attribute(&threads, driver, function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	raise_to(&kernel->registers, registers);
	raise_to(&kernel->local_bytes, local);
	raise_to(&kernel->static_shared, shared);
	if (kernel->max_threads == 0 || threads < kernel->max_threads)
		kernel->max_threads = threads;
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

#define SHARED_UNIT 128
#define LEAST_BYTES ((uint64_t)1200 << 10)

/* Blocks of one tile each want the multiprocessors evenly, and where launches overlap that is not what they get: the
 * next launch's blocks go where the one before leaves room, several to one multiprocessor while another has none.  So
 * no more of them fit one than the launch has for each.  On an H200 2^20 f32 take 4.65 us in place of 4.92 by 512 x 16,
 * and 5.44 in place of 5.95 in the order of SCANRT_REPRODUCIBLE; but little tiles of 10^5 2.15 in place of 2.07. */
size_t srt_kernel_shared(const struct srt_kernel *kernel, uint32_t grid, uint64_t count)
{
	size_t bytes = srt_problem_size(&kernel->problem, SRT_INPUT) + srt_problem_size(&kernel->problem, SRT_OUTPUT);
	size_t blocks = (size_t)(grid - 1) / (size_t)kernel->sm_count + 1;
	size_t own = (size_t)kernel->static_shared + (size_t)kernel->reserved_shared;
	size_t share = (size_t)kernel->shared_per_sm / (blocks + 1) / SHARED_UNIT * SHARED_UNIT + SHARED_UNIT;

	if (kernel->shared_per_sm == 0 || count < LEAST_BYTES / bytes || blocks >= (size_t)kernel->blocks_per_sm ||
			share <= own + kernel->dynamic_shared)
		return kernel->dynamic_shared;
	return share - own;
}

/* The opt-in belongs to this module's function, which no other plan shares: it is set once and never lowered. */
static int opt_in(const struct srt_driver *driver, CUfunction function, size_t bytes)
{
	if (bytes == 0)
		return SCANRT_OK;
	return SRT_CALL(driver, cuFuncSetAttribute,
		(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes));
}

#define PORTABLE_CLUSTER 8

/* Clusters of more blocks than every device allows are opted in to, and whether they fit is for the driver to say: it
 * knows how many multiprocessors a cluster can be spread over, and which of them this device lacks. */
static int prepare_cluster(struct srt_kernel *kernel, const struct srt_driver *driver, CUfunction function)
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
			(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
	if (!status && driver->cuOccupancyMaxActiveClusters)
		status = SRT_CALL(driver, cuOccupancyMaxActiveClusters, (&clusters, function, &config));
	if (!status && clusters < 1)
		return srt_fail(SCANRT_ERROR_VARIANT, "no cluster of %u blocks of %u threads fits the device",
			(unsigned)kernel->cluster, threads);
	return status;
}

/* Persistent blocks are launched by this number, and a kernel that cannot be resident at all would fail each launch. */
static int read_occupancy(struct srt_kernel *kernel, const struct srt_driver *driver, CUfunction function)
{
	int threads = (int)srt_variant_threads(&kernel->variant);
	int blocks = 0;
	int status = SRT_CALL(driver, cuOccupancyMaxActiveBlocksPerMultiprocessor,
		(&blocks, function, threads, kernel->dynamic_shared));

	if (kernel->blocks_per_sm == 0 || blocks < kernel->blocks_per_sm)
		kernel->blocks_per_sm = blocks;
	if (!status && blocks < 1)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"no block of %d threads with %d registers each and %zu bytes of shared memory fits an SM",
			threads, kernel->registers, (size_t)kernel->static_shared + kernel->dynamic_shared);
	return status;
}

/* Either failure means that the image is not what it claims to be. */
static int load_module(struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_image *image)
{
	CUmodule module;
	CUresult result = driver->cuModuleLoadData(&module, image->bytes);

	if (result != CUDA_SUCCESS)
		return srt_driver_fail(driver, SCANRT_ERROR_IMAGE, result, "cuModuleLoadData");
	kernel->module = module;
	return SCANRT_OK;
}

static int find_function(struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_image *image,
	int phase)
{
	const char *suffix = srt_strategy_find(kernel->variant.strategy)->phases[phase];
	char name[sizeof(image->entry) + 24];
	CUfunction function;
	CUresult result;

	snprintf(name, sizeof(name), "%s%s%s", image->entry, suffix ? "_" : "", suffix ? suffix : "");
	result = driver->cuModuleGetFunction(&function, kernel->module, name);
	if (result != CUDA_SUCCESS)
		return srt_driver_fail(driver, SCANRT_ERROR_IMAGE, result, "cuModuleGetFunction");
	kernel->functions[phase] = function;
	return SCANRT_OK;
}

/* A phase is ready for its launches once all that depends on the device is known of it. */
static int prepare_phase(struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_device *device,
	const struct srt_image *image, int phase)
{
	int status = find_function(kernel, driver, image, phase);

	if (!status)
		status = read_attributes(kernel, driver, kernel->functions[phase]);
	if (!status)
		status = check_fit(kernel, device);
	if (!status)
		status = opt_in(driver, kernel->functions[phase], kernel->dynamic_shared);
	if (!status)
		status = read_occupancy(kernel, driver, kernel->functions[phase]);
	if (!status && kernel->shared_per_sm > 0)
		status = opt_in(driver, kernel->functions[phase], srt_kernel_shared(kernel, 1, UINT64_MAX));
	if (!status)
		status = prepare_cluster(kernel, driver, kernel->functions[phase]);
	return status;
}

/* One block or cluster scans what it can in less time than a launch takes the host. */
static bool is_short(int strategy)
{
	return strategy == SRT_BLOCK || strategy == SRT_CLUSTER;
}

/* Each plan loads its own module: a function's attributes then belong to one plan, and two threads cannot undo each
 * other's. */
int srt_kernel_load(struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_device *device,
	const struct srt_problem *problem, const struct srt_variant *variant, const struct srt_image *image)
{
	int phase;
	int status;

	memset(kernel, 0, sizeof(*kernel));
	kernel->problem = *problem;
	kernel->variant = *variant;
	kernel->state = problem->user ? problem->user->state : NULL;
	kernel->sm_count = device->sm_count > 0 ? device->sm_count : 1;
	/* Graphs take overlapping launches from CUDA 12.3 on. */
	kernel->may_overlap = device->capability >= 90 && device->driver_version >= 12030 && driver->cuLaunchKernelEx;
	kernel->cluster = (uint32_t)variant->cluster;
	kernel->reserved_shared = device->reserved_shared_per_block;
	if (kernel->may_overlap && variant->strategy == SRT_TOTALS)
		kernel->shared_per_sm = device->shared_per_sm;
	kernel->dynamic_shared = srt_variant_shared_bytes(variant, problem);
	kernel->phases = srt_strategy_phases(variant->strategy);
	status = load_module(kernel, driver, image);
	for (phase = 0; phase < kernel->phases && !status; phase++)
		status = prepare_phase(kernel, driver, device, image, phase);
	if (!status && is_short(variant->strategy))
		kernel->replay = srt_replay_create(driver);
	if (status)
		srt_kernel_unload(kernel, driver);
	return status;
}

void srt_kernel_unload(struct srt_kernel *kernel, const struct srt_driver *driver)
{
	srt_replay_destroy(kernel->replay, driver);
	kernel->replay = NULL;
	/* Nothing can be done about a failure, which is one of the context, or of the program's end. */
	if (kernel->module)
		driver->cuModuleUnload(kernel->module);
	kernel->module = NULL;
	memset(kernel->functions, 0, sizeof(kernel->functions));
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
		return srt_fail_driver(status, srt_error_last()->cuda_result, "%zu bytes of workspace: %s", size,
			srt_error_last()->text);
	workspace->address = address;
	workspace->size = size;
	workspace->is_owned = true;
	status = srt_workspace_clear(workspace, driver);
	if (status)
		srt_workspace_destroy(workspace, driver);
	return status;
}

/* On a stream of its own that waits for no other: the default stream would wait for the caller's kernels, and would
 * break a capture that another thread has under way.  The wait at the end makes what was written visible to every
 * stream.  bytes NULL: zeros. */
static int fill(const struct srt_workspace *workspace, const struct srt_driver *driver, const void *bytes, size_t size)
{
	CUstream stream = NULL;
	int status = SRT_CALL(driver, cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));

	if (status)
		return status;
	if (bytes)
		status = SRT_CALL(driver, cuMemcpyHtoDAsync, (workspace->address, bytes, size, stream));
	else
		status = SRT_CALL(driver, cuMemsetD8Async, (workspace->address, 0, size, stream));
	if (!status)
		status = SRT_CALL(driver, cuStreamSynchronize, (stream));
	driver->cuStreamDestroy(stream);
	return status;
}

int srt_workspace_clear(const struct srt_workspace *workspace, const struct srt_driver *driver)
{
	return fill(workspace, driver, NULL, workspace->size);
}

int srt_workspace_write(const struct srt_workspace *workspace, const struct srt_driver *driver, const void *bytes,
	size_t size)
{
	assert(size <= workspace->size);
	return fill(workspace, driver, bytes, size);
}

/* A workspace of the caller's is only forgotten. */
void srt_workspace_destroy(struct srt_workspace *workspace, const struct srt_driver *driver)
{
	if (workspace->is_owned)
		driver->cuMemFree(workspace->address);
	if (workspace->pool)
		srt_pool_give_back(workspace->pool, workspace->address, workspace->size);
	memset(workspace, 0, sizeof(*workspace));
}
