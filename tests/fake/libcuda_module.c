/* SPDX-License-Identifier: MIT
 *
 * The scripted driver's modules, linker, launches and streams.
 */
#include <stdio.h>
#include <string.h>

#include "libcuda.h"

struct module {
	char text[64];
	bool is_used;
	int optin;
};

#define MODULES 512

static struct module modules[MODULES];
static char linked[64];

/* ---- Modules ---- */

static CUresult module_load_data(CUmodule *module, const void *image)
{
	int i;

	ENTER("cuModuleLoadData");
	if (!fake_is_placed())
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
	return fake_is_placed() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult module_get_function(CUfunction *function, CUmodule module, const char *name)
{
	const char *entry = strchr(((struct module *)module)->text, ' ') + 1;

	ENTER("cuModuleGetFunction");
	/* A kernel of several has a suffix. */
	if (strncmp(entry, name, strlen(entry)) != 0 || (name[strlen(entry)] != '\0' && name[strlen(entry)] != '_'))
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
	if (!fake_is_placed())
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

static CUresult record_launch(CUfunction function, unsigned grid, unsigned block, unsigned shared, CUstream stream,
	void **parameters)
{
	struct fake_launch *launch = &script.launch;

	if (!fake_is_placed())
		return CUDA_ERROR_INVALID_CONTEXT;
	if (grid == 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(launch->entry, sizeof(launch->entry), "%s", strchr(((struct module *)function)->text, ' ') + 1);
	launch->grid = grid;
	launch->block = block;
	launch->shared = shared;
	launch->stream = stream;
	launch->context = fake_current();
	memcpy(&launch->arguments, parameters[0], sizeof(launch->arguments));
	script.launches++;
	return CUDA_SUCCESS;
}

static CUresult launch_kernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
	unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters, void **extra)
{
	(void)extra;
	ENTER("cuLaunchKernel");
	if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1)
		return CUDA_ERROR_INVALID_VALUE;
	return record_launch(function, grid_x, block_x, shared, stream, parameters);
}

/* Our launches say nothing but whether they may overlap the stream's previous one. */
static CUresult launch_kernel_ex(const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)
{
	(void)extra;
	ENTER("cuLaunchKernelEx");
	if (config->gridDimY != 1 || config->gridDimZ != 1 || config->blockDimY != 1 || config->blockDimZ != 1)
		return CUDA_ERROR_INVALID_VALUE;
	if (config->numAttrs != 1 || config->attrs->id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
		return CUDA_ERROR_INVALID_VALUE;
	return record_launch(function, config->gridDimX, config->blockDimX, config->sharedMemBytes, config->hStream,
		parameters);
}

static CUresult stream_create(CUstream *stream, unsigned flags)
{
	(void)flags;
	ENTER("cuStreamCreate");
	if (!fake_is_placed())
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

const struct fake_row fake_module_rows[] = {
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
	ROW("cuLaunchKernelEx", launch_kernel_ex),
	ROW("cuStreamCreate", stream_create),
	ROW("cuStreamDestroy", stream_destroy),
	ROW("cuStreamSynchronize", stream_synchronize),
	ROW("cuStreamIsCapturing", stream_is_capturing),
	{ NULL, NULL },
};
