/* SPDX-License-Identifier: MIT
 *
 * Launches: parameters in both forms, geometry, shared memory, cooperative launches, clusters, occupancy, counters.
 */
#include "tests/emu/driver.h"

#include <stdlib.h>
#include <string.h>

#define COUNT 1000u

static void parameters(CUdeviceptr a)
{
	struct { CUdeviceptr to; unsigned int value, count; } packed = { a, 8, COUNT };
	size_t bytes = sizeof(packed), less = sizeof(packed) - 1;
	void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
		CU_LAUNCH_PARAM_END };
	void *array[] = { &packed.to, &packed.value, &packed.count };
	CUfunction fill = emu_function("fill");

	emu_is(emu_fill(a, 7, COUNT, NULL), CUDA_SUCCESS, "parameters come as an array");
	tap_ok(emu_is_filled(a, 7, COUNT), "and arrive");
	emu_is(cu.cuLaunchKernel(fill, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), CUDA_SUCCESS, "or as a buffer");
	tap_ok(emu_is_filled(a, 8, COUNT), "and arrive too");
	emu_is(cu.cuLaunchKernel(fill, 8, 1, 1, 128, 1, 1, 0, NULL, array, extra), CUDA_ERROR_INVALID_VALUE,
		"but not as both");
	emu_is(cu.cuLaunchKernel(fill, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE,
		"nor as neither");
	extra[3] = &less;
	emu_is(cu.cuLaunchKernel(fill, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra), CUDA_ERROR_INVALID_VALUE,
		"nor in a buffer that is too small");
}

static CUresult launch(const char *name, unsigned int grid, unsigned int y, unsigned int block, unsigned int shared)
{
	return cu.cuLaunchKernel(emu_function(name), grid, y, 1, block, 1, 1, shared, NULL, NULL, NULL);
}

static void geometry(void)
{
	emu_is(launch("nothing", 3, 2, 1024, 0), CUDA_SUCCESS, "1024 threads are the most");
	emu_is(launch("nothing", 1, 1, 1025, 0), CUDA_ERROR_INVALID_VALUE, "1025 are too many");
	emu_is(cu.cuLaunchKernel(emu_function("nothing"), 1, 1, 1, 1, 1, 64, 0, NULL, NULL, NULL), CUDA_SUCCESS,
		"a block is up to 64 deep");
	emu_is(cu.cuLaunchKernel(emu_function("nothing"), 1, 1, 1, 1, 1, 65, 0, NULL, NULL, NULL),
		CUDA_ERROR_INVALID_VALUE, "and no deeper");
	emu_is(launch("nothing", 0, 1, 32, 0), CUDA_ERROR_INVALID_VALUE, "an empty grid is refused");
	emu_is(launch("nothing", 1, 1, 0, 0), CUDA_ERROR_INVALID_VALUE, "and an empty block");
	emu_is(launch("nothing", 1, 65536, 32, 0), CUDA_ERROR_INVALID_VALUE, "and a grid that is too high");
	emu_is(launch("nothing", 1, 1, 32, 49152), CUDA_SUCCESS, "48 KiB of shared memory need no opting in");
	emu_is(launch("nothing", 1, 1, 32, 49153), CUDA_ERROR_INVALID_VALUE, "one byte more does");
	emu_must(cu.cuFuncSetAttribute(emu_function("nothing"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
		232448));
	emu_is(launch("nothing", 1, 1, 32, 232448), CUDA_SUCCESS, "opted in, all of it may be used");
	emu_is(cu.cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE,
		"a kernel is needed");
}

static void cooperative(void)
{
	CUfunction nothing = emu_function("nothing");
	int blocks = 0;

	emu_must(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
	tap_is_int(blocks, 2, "an SM of 2048 threads holds two blocks of 1024");
	emu_is(cu.cuLaunchCooperativeKernel(nothing, 8, 1, 1, 1024, 1, 1, 0, NULL, NULL), CUDA_SUCCESS,
		"four SMs hold a cooperative grid of eight");
	emu_is(cu.cuLaunchCooperativeKernel(nothing, 9, 1, 1, 1024, 1, 1, 0, NULL, NULL),
		CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "but not of nine");
	emu_must(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 32, 232448));
	tap_is_int(blocks, 1, "all shared memory lets one block be resident");
	emu_must(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 32, 0));
	tap_is_int(blocks, 32, "small blocks are limited by the SM's slots");
	emu_is(cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0), CUDA_ERROR_INVALID_VALUE,
		"no threads have no occupancy");
}

static CUresult launch_cluster(unsigned int grid, unsigned int cluster)
{
	CUlaunchAttribute attributes[2];
	CUlaunchConfig config = { .gridDimX = grid, .gridDimY = 1, .gridDimZ = 1, .blockDimX = 32, .blockDimY = 1,
		.blockDimZ = 1, .attrs = attributes, .numAttrs = 2 };

	memset(attributes, 0, sizeof(attributes));
	attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
	attributes[0].value.clusterDim.x = cluster;
	attributes[0].value.clusterDim.y = 1;
	attributes[0].value.clusterDim.z = 1;
	attributes[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
	attributes[1].value.programmaticStreamSerializationAllowed = 1;
	return cu.cuLaunchKernelEx(&config, emu_function("nothing"), NULL, NULL);
}

static void clusters(void)
{
	emu_is(launch_cluster(8, 1), CUDA_SUCCESS, "the extended launch takes attributes");
	emu_is(launch_cluster(9, 2), CUDA_ERROR_INVALID_CLUSTER_SIZE, "a cluster divides the grid");
	emu_is(launch_cluster(32, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE, "and has at most eight blocks");
}

static void block_size(void)
{
	int grid = 0, block = 0;

	emu_must(cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, emu_function("nothing"), NULL, 0, 0));
	tap_is_int(block, 1024, "the largest block that fills an SM is proposed");
	tap_is_int(grid, 8, "with the grid that fills the device");
}

/* One launch of fill: each thread of a full warp stores one word, 4 sectors a warp. */
static void counters(CUdeviceptr a)
{
	struct emu_launch_record record;
	struct emu_counters counters;
	uint64_t launches = 0;

	cu.reset();
	emu_must(emu_fill(a, 3, 512, NULL));
	tap_is_uint(cu.last_launch(&record, sizeof(record)), sizeof(record), "a launch leaves a record");
	tap_is_string(record.kernel, "fill", "with the kernel's name");
	tap_is_uint(record.grid[0], 4, "its grid");
	tap_is_uint(record.block[0], 128, "its block");
	tap_is_int(record.result, CUDA_SUCCESS, "its result");
	tap_ok(record.model_ns > 0, "and a modelled time of %.0f ns", record.model_ns);
	tap_is_uint(record.counters.global_store_words, 512, "every word that is stored is counted");
	tap_is_uint(record.counters.global_store_sectors, 64, "and every sector");
	emu_must(emu_fill(a, 3, 512, NULL));
	cu.counters(&counters, sizeof(counters), &launches);
	tap_is_uint(launches, 2, "launches are counted");
	tap_is_uint(counters.global_store_words, 1024, "and their counts added up");
	cu.reset();
	cu.counters(&counters, sizeof(counters), &launches);
	tap_is_uint(launches + counters.global_store_words, 0, "until they are reset");
}

int main(void)
{
	CUcontext context;
	CUdeviceptr a = 0;

	tap_plan(0);
	context = emu_open_context();
	emu_must(cu.cuMemAlloc(&a, COUNT * 4));
	parameters(a);
	geometry();
	cooperative();
	clusters();
	block_size();
	counters(a);
	emu_must(cu.cuCtxDestroy(context));
	return tap_done();
}
