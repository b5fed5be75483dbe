/* SPDX-License-Identifier: MIT
 *
 * From a scan to its launches.
 */
#include <assert.h>
#include <string.h>

#include "../kernels/abi.h"
#include "driver.h"
#include "kernel.h"
#include "replay.h"
#include "status.h"
#include "strategy.h"

#define SHORT_BYTES ((uint64_t)96 << 10)

/* Blocks that stay are launched by this number. */
static uint32_t resident_of(const struct srt_kernel *kernel, uint32_t grid_limit)
{
	uint32_t resident = (uint32_t)kernel->blocks_per_sm * (uint32_t)kernel->sm_count;

	return grid_limit > 0 && grid_limit < resident ? grid_limit : resident;
}

/* One scan: its launches, and the arguments that they share. */
struct scan {
	const struct srt_kernel *kernel;
	struct srt_launch launches[SRT_MOST_LAUNCHES];
	size_t count;
	struct srt_scratch scratch;
	uint64_t scratch_address;
	uint64_t out;
	uint64_t in;
};

/* The scratch is at the workspace's end, where no kernel's tile words are (srt_workspace_need). */
static void place_scratch(struct scan *scan, const struct srt_workspace *workspace)
{
	uint64_t end;

	srt_scratch_lay_out(&scan->scratch, &scan->kernel->variant, &scan->kernel->problem, scan->launches,
		scan->count);
	if (scan->scratch.bytes == 0)
		return;
	assert(workspace && workspace->size >= scan->scratch.bytes);
	end = workspace->address + workspace->size;
	scan->scratch_address = (end - scan->scratch.bytes) / SRT_SCRATCH_ALIGNMENT * SRT_SCRATCH_ALIGNMENT;
}

/* What is the same for all launches.  All of it every time: 150 bytes on the stack cost less than a shared copy that
 * two threads could meet in. */
static void fill_arguments(struct scan_arguments *arguments, const struct scan *scan,
	const struct srt_workspace *workspace)
{
	const struct srt_problem *problem = &scan->kernel->problem;

	memset(arguments, 0, sizeof(*arguments));
	if (workspace && workspace->address) {
		arguments->control = (unsigned long long *)(uintptr_t)workspace->address;
		arguments->tile_words = (unsigned long long *)(uintptr_t)(workspace->address + SCAN_CONTROL_BYTES);
		arguments->tile_word_capacity = (workspace->size - SCAN_CONTROL_BYTES) / sizeof(uint64_t);
	}
	arguments->local = (void *)(uintptr_t)(scan->scratch_address + scan->scratch.offset[0]);
	arguments->state = scan->kernel->state;
	arguments->initial_on_device = problem->initial_on_device;
	memcpy(arguments->initial, problem->initial, sizeof(arguments->initial));
}

static void *level_at(const struct scan *scan, int level)
{
	return (void *)(uintptr_t)(scan->scratch_address + scan->scratch.offset[level]);
}

/* Above the caller's elements, all levels are scanned in place. */
static void set_launch(struct scan_arguments *arguments, const struct scan *scan, const struct srt_launch *launch)
{
	uint32_t tile = srt_variant_tile(&scan->kernel->variant);

	arguments->out = launch->level > 0 ? level_at(scan, launch->level) : (void *)(uintptr_t)scan->out;
	arguments->in = launch->level > 0 ? arguments->out : (const void *)(uintptr_t)scan->in;
	arguments->count = launch->count;
	arguments->tiles = (uint32_t)((launch->count - 1) / tile + 1);
	/* Each persistent block draws once beyond the last tile. */
	arguments->draws = arguments->tiles + (launch->chunk == 0 ? launch->grid : 0);
	arguments->chunk = launch->chunk;
	arguments->partials = launch->level + 1 < SRT_MOST_LEVELS ? level_at(scan, launch->level + 1) : NULL;
}

/* Where launches may overlap (programmatic dependent launch), the next scan of a stream takes its place on the
 * multiprocessors while this one ends, which saves about a microsecond between the two.  A cluster has as many blocks
 * as this count needs: one image serves them all. */
int srt_launch_once(const struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_launch *launch,
	const struct scan_arguments *arguments, void *stream)
{
	void *parameters[] = { (void *)(uintptr_t)arguments };
	CUfunction function = kernel->functions[launch->phase];
	unsigned threads = srt_variant_threads(&kernel->variant);
	unsigned shared = (unsigned)srt_kernel_shared(kernel, launch->grid, launch->count);
	CUlaunchAttribute attributes[2];
	CUlaunchConfig config = { launch->grid, 1, 1, threads, 1, 1, shared, stream, attributes, 0 };

	if (kernel->may_overlap)
		attributes[config.numAttrs++] = (CUlaunchAttribute){
			.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
			.value.programmaticStreamSerializationAllowed = 1 };
	if (kernel->cluster && launch->grid > 1)
		attributes[config.numAttrs++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
			.value.clusterDim = { launch->grid, 1, 1 } };
	if (config.numAttrs == 0)
		return driver->cuLaunchKernel(function, launch->grid, 1, 1, threads, 1, 1, shared, stream, parameters,
			NULL);
	return driver->cuLaunchKernelEx(&config, function, parameters, NULL);
}

/* One block or cluster, and few bytes: on an H200 scans of 10^4 i32 follow one another in 2.4 us by graphs and by
 * launches, and those of 4 * 10^4 in 2.8 and 2.6. */
static bool is_short(const struct srt_kernel *kernel, uint64_t count)
{
	size_t bytes = srt_problem_size(&kernel->problem, SRT_INPUT) + srt_problem_size(&kernel->problem, SRT_OUTPUT);

	return kernel->replay && count * bytes <= SHORT_BYTES;
}

/* The one place where a count becomes a grid.  Counts stay in 64 bits; tiles fit 32, which srt_variant_max_count() sees
 * to.  Only grid.x is used: the other two end at 65535. */
int srt_kernel_launch(const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_workspace *workspace, uint64_t out, uint64_t in, uint64_t count, uint32_t grid_limit,
	void *stream)
{
	struct scan scan; /* most of its launches stay unwritten: zeroing them takes longer than all else here */
	struct scan_arguments arguments;
	int result = CUDA_SUCCESS;
	size_t i;

	assert(count >= 1 && count <= srt_variant_max_count(&kernel->variant));
	scan.kernel = kernel;
	scan.out = out;
	scan.in = in;
	scan.scratch_address = 0;
	scan.count = srt_strategy_find(kernel->variant.strategy)->launches(scan.launches, &kernel->variant, count,
		resident_of(kernel, grid_limit));
	place_scratch(&scan, workspace);
	fill_arguments(&arguments, &scan, workspace);
	for (i = 0; i < scan.count && result == CUDA_SUCCESS; i++) {
		set_launch(&arguments, &scan, &scan.launches[i]);
		result = (is_short(kernel, count) ? srt_replay_launch : srt_launch_once)(
			kernel, driver, &scan.launches[i], &arguments, stream);
	}
	if (result == CUDA_SUCCESS)
		return SCANRT_OK;
	/* The function is good, so that the handle which is not can only be the stream. */
	return srt_driver_fail(driver, result == CUDA_ERROR_INVALID_HANDLE ? SCANRT_ERROR_CONTEXT : SCANRT_ERROR_LAUNCH,
		(CUresult)result, kernel->may_overlap || kernel->cluster ? "cuLaunchKernelEx" : "cuLaunchKernel");
}
