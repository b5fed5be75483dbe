/* SPDX-License-Identifier: MIT
 *
 * Kernel launches: the geometry and parameters are judged when the call is made, the kernel runs when its turn comes.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#define PORTABLE_CLUSTER 8
#define LARGEST_CLUSTER 16
#define EXTRA_LIMIT 16 /* words of an extra list before it is taken for unterminated */

/* The buffer form: CU_LAUNCH_PARAM_BUFFER_POINTER, p, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, CU_LAUNCH_PARAM_END. */
static CUresult parameters_from_extra(struct emu_kernel_launch *launch, void *const *extra)
{
	const void *buffer = NULL;
	size_t bytes = 0;

	for (int i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
		if (i >= EXTRA_LIMIT)
			return CUDA_ERROR_INVALID_VALUE;
		if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = extra[i + 1];
		else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[i + 1] != NULL)
			memcpy(&bytes, extra[i + 1], sizeof(bytes));
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (bytes < launch->function->facts.parameter_bytes || (buffer == NULL && bytes > 0))
		return CUDA_ERROR_INVALID_VALUE;
	if (launch->parameter_bytes > 0)
		memcpy(launch->parameters, buffer, launch->parameter_bytes);
	return CUDA_SUCCESS;
}

/* One pointer a parameter; their sizes are known from the PTX only. */
static CUresult parameters_from_array(struct emu_kernel_launch *launch, void *const *parameters)
{
	for (size_t i = 0; i < launch->function->facts.parameter_count; i++) {
		size_t offset, bytes;
		CUresult result = emu_entry_parameter(&offset, &bytes, launch->function->code, i);

		if (result != CUDA_SUCCESS || parameters[i] == NULL)
			return CUDA_ERROR_INVALID_VALUE;
		memcpy(launch->parameters + offset, parameters[i], bytes);
	}
	return CUDA_SUCCESS;
}

/* The caller's variables may change as soon as the call returns. */
static CUresult copy_parameters(struct emu_kernel_launch *launch, void *const *parameters, void *const *extra)
{
	const struct emu_entry_facts *facts = &launch->function->facts;

	if (parameters != NULL && extra != NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (facts->parameter_count > 0 && parameters == NULL && extra == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	launch->parameter_bytes = facts->parameter_bytes;
	launch->parameters = calloc(1, facts->parameter_bytes + 1);
	if (launch->parameters == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (extra != NULL)
		return parameters_from_extra(launch, extra);
	return facts->parameter_count == 0 ? CUDA_SUCCESS : parameters_from_array(launch, parameters);
}

/* The limits that all models share.  A block beyond what the kernel's registers or its .maxntid allow is another error
 * than one beyond what any block may have. */
static CUresult check_geometry(const struct emu_kernel_launch *launch)
{
	const unsigned int *grid = launch->grid, *block = launch->block;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

	if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || threads == 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (grid[0] > 0x7fffffff || grid[1] > 65535 || grid[2] > 65535)
		return CUDA_ERROR_INVALID_VALUE;
	if (block[0] > 1024 || block[1] > 1024 || block[2] > 64 || threads > 1024)
		return CUDA_ERROR_INVALID_VALUE;
	if (launch->shared_bytes > (unsigned int)launch->function->max_dynamic_shared)
		return CUDA_ERROR_INVALID_VALUE;
	return threads > launch->function->facts.max_threads ? CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES : CUDA_SUCCESS;
}

/* The launch attribute, else what the kernel was compiled for, else clusters of one block. */
static CUresult check_cluster(struct emu_kernel_launch *launch)
{
	const struct CUfunc_st *function = launch->function;
	uint64_t size;

	for (int i = 0; i < 3; i++) {
		if (launch->cluster[i] == 0)
			launch->cluster[i] = function->facts.cluster[i] == 0 ? 1 : function->facts.cluster[i];
	}
	size = (uint64_t)launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
	if (size == 1)
		return CUDA_SUCCESS;
	if (!function->module->context->device->model->has_clusters)
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	if (size > (function->is_nonportable_cluster_allowed ? LARGEST_CLUSTER : PORTABLE_CLUSTER))
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	for (int i = 0; i < 3; i++) {
		if (launch->grid[i] % launch->cluster[i] != 0)
			return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	}
	return CUDA_SUCCESS;
}

/* A cooperative grid waits for all of its blocks, so all must fit the device at once. */
static CUresult check_residency(const struct emu_kernel_launch *launch)
{
	const struct emu_device *device = launch->function->module->context->device;
	uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	unsigned int resident = emu_launch_occupancy(device->machine, launch->function->code,
		launch->block[0] * launch->block[1] * launch->block[2], launch->shared_bytes);

	if (resident == 0)
		return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
	if (launch->is_cooperative && blocks > (uint64_t)resident * (uint64_t)device->sm_count)
		return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
	return CUDA_SUCCESS;
}

CUresult emu_kernel_prepare(struct emu_kernel_launch *launch, void *const *parameters, void *const *extra)
{
	CUresult result;

	if (!emu_handle_is(EMU_HANDLE_FUNCTION, launch->function))
		return CUDA_ERROR_INVALID_HANDLE;
	result = check_geometry(launch);
	if (result == CUDA_SUCCESS)
		result = check_cluster(launch);
	if (result == CUDA_SUCCESS)
		result = check_residency(launch);
	return result == CUDA_SUCCESS ? copy_parameters(launch, parameters, extra) : result;
}

/* A fault is what a real device would report later: this call still succeeds, and every later one fails. */
CUresult emu_kernel_run(struct CUstream_st *stream, const struct emu_kernel_launch *launch, bool is_in_graph)
{
	struct emu_launch run = {
		.grid = { launch->grid[0], launch->grid[1], launch->grid[2] },
		.block = { launch->block[0], launch->block[1], launch->block[2] },
		.cluster = { launch->cluster[0], launch->cluster[1], launch->cluster[2] },
		.dynamic_shared = launch->shared_bytes,
		.parameters = launch->parameters,
		.parameter_bytes = launch->parameter_bytes,
		.is_cooperative = launch->is_cooperative,
		.seed = emu_environment_number("SCANRT_EMU_SEED", 0),
		.resident_limit = (unsigned int)emu_environment_number("SCANRT_EMU_RESIDENT", 0),
	};
	struct emu_result outcome = { .code = CUDA_SUCCESS };
	double duration;

	/* A graph may outlive the module whose kernel it launches. */
	if (!emu_handle_is(EMU_HANDLE_FUNCTION, launch->function))
		return CUDA_ERROR_INVALID_HANDLE;
	run.module = launch->function->module->code;
	run.entry = launch->function->code;
	emu_launch_run(&outcome, stream->context->device->machine, &run);
	duration = emu_clock_kernel(stream, launch, &outcome.counters, is_in_graph);
	emu_counters_record(launch, &outcome, duration);
	if (outcome.code == CUDA_SUCCESS)
		return CUDA_SUCCESS;
	emu_fault_report(outcome.text);
	if (!emu_is_sticky(outcome.code))
		return outcome.code;
	emu_context_fault(stream->context, outcome.code);
	return CUDA_SUCCESS;
}

/* A kernel belongs to the context of its module, and only streams of that context take it. */
static CUresult submit(struct emu_work *work, CUstream stream, void **parameters, void **extra)
{
	struct CUstream_st *found;
	CUresult result = emu_stream_find(&found, stream);

	if (result == CUDA_SUCCESS)
		result = emu_kernel_prepare(&work->launch, parameters, extra);
	if (result == CUDA_SUCCESS && work->launch.function->module->context != found->context)
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		result = emu_work_submit(found, work);
	emu_work_free(work);
	return result;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
	unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream,
	void **parameters, void **extra)
{
	struct emu_work work = { .kind = EMU_WORK_KERNEL, .launch = { .function = function,
		.grid = { grid_x, grid_y, grid_z }, .block = { block_x, block_y, block_z },
		.shared_bytes = shared_bytes } };
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = submit(&work, stream, parameters, extra);
	return emu_leave(result);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
	unsigned int grid_z, unsigned int block_x, unsigned int block_y, unsigned int block_z,
	unsigned int shared_bytes, CUstream stream, void **parameters)
{
	struct emu_work work = { .kind = EMU_WORK_KERNEL, .launch = { .function = function,
		.grid = { grid_x, grid_y, grid_z }, .block = { block_x, block_y, block_z },
		.shared_bytes = shared_bytes, .is_cooperative = true } };
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = submit(&work, stream, parameters, NULL);
	return emu_leave(result);
}

/* Attributes that only tune (priority, programmatic launch, access policy) are accepted and change nothing. */
static CUresult apply_attributes(struct emu_kernel_launch *launch, const CUlaunchConfig *config)
{
	if (config->numAttrs > 0 && config->attrs == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttributeValue *value = &config->attrs[i].value;

		if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
			launch->is_cooperative = value->cooperative != 0;
		if (config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			continue;
		launch->cluster[0] = value->clusterDim.x;
		launch->cluster[1] = value->clusterDim.y;
		launch->cluster[2] = value->clusterDim.z;
	}
	return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
	struct emu_work work = { .kind = EMU_WORK_KERNEL, .launch = { .function = function } };
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && config == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		struct emu_kernel_launch *launch = &work.launch;

		memcpy(launch->grid, &config->gridDimX, sizeof(launch->grid));
		memcpy(launch->block, &config->blockDimX, sizeof(launch->block));
		launch->shared_bytes = config->sharedMemBytes;
		result = apply_attributes(launch, config);
	}
	if (result == CUDA_SUCCESS)
		result = submit(&work, config->hStream, parameters, extra);
	return emu_leave(result);
}
