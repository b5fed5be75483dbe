/* SPDX-License-Identifier: MIT
 *
 * Libraries: modules that are loaded into a context when their kernels are first used there.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

struct CUlib_st {
	char *image;
	struct CUkern_st *kernels;
};

struct CUkern_st {
	struct CUlib_st *library;
	char *name;
	struct CUkern_st *next;
	struct CUfunc_st *function; /* of the context below, where still live */
	struct CUctx_st *context;
	struct CUmod_st *module;
};

/* The size is in the image's own header, or the text ends in a null byte: both ways strlen finds the end. */
static CUresult load(CUlibrary *library, const void *code)
{
	struct CUlib_st *made;
	CUresult result = emu_image_check(code);

	if (result != CUDA_SUCCESS)
		return result;
	made = calloc(1, sizeof(*made));
	if (made != NULL)
		made->image = strdup(code);
	if (made == NULL || made->image == NULL || !emu_handle_add(EMU_HANDLE_LIBRARY, made)) {
		free(made == NULL ? NULL : made->image);
		free(made);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	*library = made;
	return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options, void **jit_values,
	unsigned int jit_count, CUlibraryOption *options, void **values, unsigned int count)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	(void)jit_options;
	(void)jit_values;
	(void)jit_count;
	(void)options;
	(void)values;
	(void)count;
	if (result == CUDA_SUCCESS && (library == NULL || code == NULL))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = load(library, code);
	return emu_leave(result);
}

static void free_kernel(struct CUkern_st *kernel)
{
	if (emu_handle_is(EMU_HANDLE_MODULE, kernel->module))
		emu_module_free(kernel->module);
	emu_handle_remove(kernel);
	free(kernel->name);
	free(kernel);
}

CUresult cuLibraryUnload(CUlibrary library)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_LIBRARY, library))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS) {
		while (library->kernels != NULL) {
			struct CUkern_st *kernel = library->kernels;

			library->kernels = kernel->next;
			free_kernel(kernel);
		}
		emu_handle_remove(library);
		free(library->image);
		free(library);
	}
	return emu_leave(result);
}

/* No context is needed yet, so the name is only looked for in the text. */
static CUresult get_kernel(CUkernel *kernel, struct CUlib_st *library, const char *name)
{
	struct CUkern_st *made;

	if (kernel == NULL || name == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (!emu_handle_is(EMU_HANDLE_LIBRARY, library))
		return CUDA_ERROR_INVALID_HANDLE;
	if (strstr(library->image, name) == NULL)
		return CUDA_ERROR_NOT_FOUND;
	made = calloc(1, sizeof(*made));
	if (made != NULL)
		made->name = strdup(name);
	if (made == NULL || made->name == NULL || !emu_handle_add(EMU_HANDLE_KERNEL, made)) {
		free(made == NULL ? NULL : made->name);
		free(made);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	made->library = library;
	made->next = library->kernels;
	library->kernels = made;
	*kernel = made;
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS)
		result = get_kernel(kernel, library, name);
	return emu_leave(result);
}

/* Loads the library into the current context, unless that is where it was used last. */
static CUresult get_function(CUfunction *function, struct CUkern_st *kernel)
{
	struct CUctx_st *context = emu_context_current();
	CUresult result = CUDA_SUCCESS;

	if (kernel->context != context || !emu_handle_is(EMU_HANDLE_FUNCTION, kernel->function)) {
		result = emu_module_open(&kernel->module, kernel->library->image);
		if (result == CUDA_SUCCESS)
			result = emu_module_function(&kernel->function, kernel->module, kernel->name);
		kernel->context = context;
	}
	if (result == CUDA_SUCCESS)
		*function = kernel->function;
	return result;
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && function == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_KERNEL, kernel))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		result = get_function(function, kernel);
	return emu_leave(result);
}
