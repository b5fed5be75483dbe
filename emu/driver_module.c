/* SPDX-License-Identifier: MIT
 *
 * Modules: PTX text, or what our linker made of it.  Machine code of real GPUs is refused as any other GPU refuses it.
 */
#include "driver.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fat binaries as they are, and in the wrapper that nvcc puts into an object file. */
#define FATBIN_MAGIC 0xba55ed50u
#define FATBIN_WRAPPER_MAGIC 0x466243b1u

static bool is_machine_code(const char *image)
{
	uint32_t magic;

	if (memcmp(image, "\177ELF", 4) == 0)
		return true;
	memcpy(&magic, image, sizeof(magic));
	return magic == FATBIN_MAGIC || magic == FATBIN_WRAPPER_MAGIC;
}

/* The linker's image: PTX after a line of magic, a line with the architecture, and one with the size. */
static CUresult open_image(const char **text, size_t *bytes, const char *image, const struct emu_device *device)
{
	int major, minor, header;

	if (strncmp(image, EMU_IMAGE_MAGIC, strlen(EMU_IMAGE_MAGIC)) != 0) {
		*text = image;
		*bytes = strlen(image);
		return strstr(image, ".version") == NULL ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
	}
	image += strlen(EMU_IMAGE_MAGIC);
	if (sscanf(image, "arch %d.%d\nbytes %zu\n%n", &major, &minor, bytes, &header) != 3)
		return CUDA_ERROR_INVALID_IMAGE;
	*text = image + header;
	/* As machine code: only for this major number, and not for an older minor one. */
	if (major != device->model->capability_major || minor > device->model->capability_minor)
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	return CUDA_SUCCESS;
}

/* Errors of the text and errors of this device (an architecture that it lacks) are told apart by the machine's side. */
static CUresult parse(struct emu_module **code, const char *image, struct emu_error *error)
{
	struct emu_device *device = emu_context_current()->device;
	const char *text;
	size_t bytes;
	CUresult result;

	if (is_machine_code(image)) {
		snprintf(error->text, sizeof(error->text), "machine code; the emulated device takes PTX only");
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	}
	result = open_image(&text, &bytes, image, device);
	if (result == CUDA_SUCCESS)
		result = emu_module_parse(code, text, bytes, error);
	if (result == CUDA_SUCCESS)
		result = emu_module_load(*code, device->machine, error);
	return result;
}

CUresult emu_image_check(const void *image)
{
	return is_machine_code(image) ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_SUCCESS;
}

static CUresult load(struct CUmod_st **module, const void *image, struct emu_error *error)
{
	struct CUctx_st *context = emu_context_current();
	struct CUmod_st *made;
	CUresult result;

	if (module == NULL || image == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->context = context;
	result = parse(&made->code, image, error);
	if (result == CUDA_SUCCESS && !emu_handle_add(EMU_HANDLE_MODULE, made))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (result != CUDA_SUCCESS) {
		emu_module_destroy(made->code);
		free(made);
		return result;
	}
	made->next = context->modules;
	context->modules = made;
	*module = made;
	return CUDA_SUCCESS;
}

CUresult emu_module_open(struct CUmod_st **module, const void *image)
{
	struct emu_error error = { 0 };
	CUresult result = load(module, image, &error);

	if (result != CUDA_SUCCESS)
		emu_log("module refused: %s", error.text);
	return result;
}

/* Handles of its kernels are dead from here on, also those that graphs hold. */
void emu_module_free(struct CUmod_st *module)
{
	struct CUmod_st **link = &module->context->modules;

	while (*link != NULL && *link != module)
		link = &(*link)->next;
	if (*link != NULL)
		*link = module->next;
	while (module->functions != NULL) {
		struct CUfunc_st *function = module->functions;

		module->functions = function->next;
		emu_handle_remove(function);
		free(function);
	}
	emu_handle_remove(module);
	emu_module_destroy(module->code);
	free(module);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
	void **values)
{
	struct emu_jit_log log = emu_jit_log(count, options, values);
	CUresult result = emu_enter(__func__, EMU_NEED_UNSAFE);
	struct emu_error error = { 0 };

	if (result == CUDA_SUCCESS) {
		result = load(module, image, &error);
		emu_jit_log_finish(count, options, values, &log, result == CUDA_SUCCESS ? "" : error.text);
		if (result != CUDA_SUCCESS)
			emu_log("module refused: %s", error.text);
	}
	return emu_leave(result);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	CUresult result = emu_enter(__func__, EMU_NEED_UNSAFE);

	if (result == CUDA_SUCCESS)
		result = emu_module_open(module, image);
	return emu_leave(result);
}

/* Refused there, since a fat binary it must be. */
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule module)
{
	CUresult result = emu_enter(__func__, EMU_NEED_UNSAFE);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_MODULE, module))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		emu_module_free(module);
	return emu_leave(result);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && mode == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*mode = CU_MODULE_EAGER_LOADING;
	return emu_leave(result);
}

static struct CUfunc_st *find_function(struct CUmod_st *module, const struct emu_entry *entry)
{
	struct CUfunc_st *function = module->functions;

	while (function != NULL && function->code != entry)
		function = function->next;
	return function;
}

/* One handle a kernel, however often it is asked for: attributes that are set stay set. */
CUresult emu_module_function(struct CUfunc_st **function, struct CUmod_st *module, const char *name)
{
	const struct emu_entry *entry;

	if (function == NULL || name == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (!emu_handle_is(EMU_HANDLE_MODULE, module))
		return CUDA_ERROR_INVALID_HANDLE;
	entry = emu_module_entry(module->code, name);
	if (entry == NULL)
		return CUDA_ERROR_NOT_FOUND;
	*function = find_function(module, entry);
	if (*function != NULL)
		return CUDA_SUCCESS;
	*function = calloc(1, sizeof(**function));
	if (*function == NULL || !emu_handle_add(EMU_HANDLE_FUNCTION, *function)) {
		free(*function);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	(*function)->module = module;
	(*function)->code = entry;
	emu_function_init(*function);
	(*function)->next = module->functions;
	module->functions = *function;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = emu_module_function(function, module, name);
	return emu_leave(result);
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && count == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_MODULE, module))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		*count = (unsigned int)emu_module_entry_count(module->code);
	return emu_leave(result);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	uint64_t base, size;

	if (result == CUDA_SUCCESS && (name == NULL || (address == NULL && bytes == NULL)))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_MODULE, module))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		result = emu_module_global(&base, &size, module->code, name);
	if (result == CUDA_SUCCESS && address != NULL)
		*address = base;
	if (result == CUDA_SUCCESS && bytes != NULL)
		*bytes = size;
	return emu_leave(result);
}
