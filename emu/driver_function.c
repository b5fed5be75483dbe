/* SPDX-License-Identifier: MIT
 *
 * A kernel's attributes.
 */
#include "driver.h"

#define SHARED_WITHOUT_OPT_IN 49152

void emu_function_init(struct CUfunc_st *function)
{
	emu_entry_facts(&function->facts, function->code);
	function->carveout = -1;
	if (function->facts.shared_static < SHARED_WITHOUT_OPT_IN)
		function->max_dynamic_shared = SHARED_WITHOUT_OPT_IN - (int)function->facts.shared_static;
}

/* What a real driver reads from the machine code comes from the PTX and from the model. */
static CUresult get(int *value, CUfunction_attribute attribute, const struct CUfunc_st *function)
{
	const struct emu_entry_facts *facts = &function->facts;
	const struct emu_model *model = function->module->context->device->model;

	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = (int)facts->max_threads;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = (int)facts->shared_static;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
		*value = (int)facts->const_bytes;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value = (int)facts->local_bytes;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = (int)facts->registers;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
		*value = (int)emu_module_target(function->module->code);
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = model->capability_major * 10 + model->capability_minor;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
		*value = 1;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = function->max_dynamic_shared;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = function->carveout;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
		*value = 0;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
		*value = (int)facts->cluster[0];
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
		*value = (int)facts->cluster[1];
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
		*value = (int)facts->cluster[2];
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*value = function->is_nonportable_cluster_allowed;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*value = CU_CLUSTER_SCHEDULING_POLICY_DEFAULT;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && value == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		result = get(value, attribute, function);
	return emu_leave(result);
}

/* The limit on dynamic shared memory is the one that launches enforce; carve-out and cluster permission are kept. */
static CUresult set(struct CUfunc_st *function, CUfunction_attribute attribute, int value)
{
	const struct emu_model *model = function->module->context->device->model;

	switch ((int)attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || value > model->shared_per_block - (int)function->facts.shared_static)
			return CUDA_ERROR_INVALID_VALUE;
		function->max_dynamic_shared = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		function->carveout = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		function->is_nonportable_cluster_allowed = value != 0;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		result = set(function, attribute, value);
	return emu_leave(result);
}

/* A preference: caches are not emulated. */
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preference)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	(void)preference;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	return emu_leave(result);
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction function)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && module == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		*module = function->module;
	return emu_leave(result);
}

CUresult cuFuncGetName(const char **name, CUfunction function)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && name == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		*name = function->facts.name;
	return emu_leave(result);
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	size_t ignored;

	if (result == CUDA_SUCCESS && offset == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_FUNCTION, function))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		result = emu_entry_parameter(offset, bytes == NULL ? &ignored : bytes, function->code, index);
	return emu_leave(result);
}
