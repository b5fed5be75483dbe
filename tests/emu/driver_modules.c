/* SPDX-License-Identifier: MIT
 *
 * Modules, the JIT linker and its images, functions and their attributes, libraries.
 */
#include "tests/emu/driver.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char malformed[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .entry broken()\n"
	"{ .reg .b32 %r<3>;\n"
	"bogus.u32 %r1, %r2;\n"
	"ret;\n"
	"}\n";

static void refusals(void)
{
	static const unsigned char elf[64] = { 0x7f, 'E', 'L', 'F' };
	static const uint32_t fat[16] = { 0xba55ed50u }, wrapped[16] = { 0x466243b1u };
	CUmodule module = NULL;

	emu_is(cu.cuModuleLoadData(&module, elf), CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code is for another GPU");
	emu_is(cu.cuModuleLoadData(&module, fat), CUDA_ERROR_NO_BINARY_FOR_GPU, "so is a fat binary");
	emu_is(cu.cuModuleLoadData(&module, wrapped), CUDA_ERROR_NO_BINARY_FOR_GPU, "in its wrapper too");
	emu_is(cu.cuModuleLoadData(&module, "this is no program at all"), CUDA_ERROR_INVALID_IMAGE,
		"what is neither is an invalid image");
	emu_is(cu.cuModuleLoadData(&module, malformed), CUDA_ERROR_INVALID_PTX, "malformed PTX is invalid");
	emu_is(cu.cuModuleLoadData(NULL, emu_ptx), CUDA_ERROR_INVALID_VALUE, "a module needs a place");
	emu_is(cu.cuModuleLoadData(&module, NULL), CUDA_ERROR_INVALID_VALUE, "and an image");
	emu_is(cu.cuModuleUnload((CUmodule)(uintptr_t)elf), CUDA_ERROR_INVALID_HANDLE,
		"an unknown module is no handle");
}

static void log_of_errors(void)
{
	char log[256] = "old";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
	CUmodule module = NULL;

	emu_is(cu.cuModuleLoadDataEx(&module, malformed, 2, options, values), CUDA_ERROR_INVALID_PTX,
		"the extended load says so too");
	tap_contains(log, "6", "and its log names the line");
	tap_contains(log, "bogus", "and the instruction");
	tap_is_uint((uintptr_t)values[1], strlen(log), "and the option tells the log's length");
	values[1] = (void *)(uintptr_t)5;
	memset(log, '#', sizeof(log));
	cu.cuModuleLoadDataEx(&module, malformed, 2, options, values);
	tap_ok(memchr(log, '\0', 5) != NULL && log[5] == '#', "a log is cut to its buffer");
}

static void modules(void)
{
	CUmodule module = NULL;
	CUfunction first = NULL, second = NULL;
	CUdeviceptr address = 0;
	unsigned int answer = 0;
	size_t bytes = 0;

	emu_must(cu.cuModuleLoadData(&module, emu_ptx));
	emu_is(cu.cuModuleGetFunction(&first, module, "fill"), CUDA_SUCCESS, "a kernel is found by name");
	emu_must(cu.cuModuleGetFunction(&second, module, "fill"));
	tap_ok(first == second, "and is the same each time");
	emu_is(cu.cuModuleGetFunction(&first, module, "fil"), CUDA_ERROR_NOT_FOUND, "another name is not found");
	emu_is(cu.cuModuleGetGlobal(&address, &bytes, module, "answer"), CUDA_SUCCESS, "a variable has an address");
	tap_is_uint(bytes, 4, "and a size");
	emu_must(cu.cuMemcpyDtoH(&answer, address, 4));
	tap_is_uint(answer, 42, "and its initial value");
	emu_is(cu.cuModuleGetGlobal(&address, &bytes, module, "question"), CUDA_ERROR_NOT_FOUND, "another has none");
	emu_must(cu.cuModuleUnload(module));
	emu_is(cu.cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE, "a module is unloaded once");
	emu_is(cu.cuLaunchKernel(second, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), CUDA_ERROR_INVALID_HANDLE,
		"and its kernels go with it");
}

static void attributes(void)
{
	CUfunction roomy = emu_function("roomy");
	int value = 0;

	emu_must(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, roomy));
	tap_is_int(value, 1000, "a kernel tells its shared memory");
	emu_must(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, roomy));
	tap_is_int(value, 49152 - 1000, "without opting in, 48 KiB less that may be dynamic");
	emu_must(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, roomy));
	tap_ok(value > 0 && value <= 255, "it has registers: %d", value);
	emu_must(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, roomy));
	tap_is_int(value, 90, "its code is for the device");
	emu_must(cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, roomy));
	tap_is_int(value, 70, "its PTX for what the target said");
	emu_is(cu.cuFuncSetAttribute(roomy, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448 - 1000),
		CUDA_SUCCESS, "all of a block's shared memory can be opted in");
	emu_is(cu.cuFuncSetAttribute(roomy, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448 - 999),
		CUDA_ERROR_INVALID_VALUE, "and not a byte more");
	emu_is(cu.cuFuncSetAttribute(roomy, CU_FUNC_ATTRIBUTE_NUM_REGS, 8), CUDA_ERROR_INVALID_VALUE,
		"registers cannot be set");
	emu_is(cu.cuFuncGetAttribute(&value, (CUfunction_attribute)999, roomy), CUDA_ERROR_INVALID_VALUE,
		"an unknown attribute is refused");
}

/* Links emu_ptx; the caller frees the copy of the image. */
static void *link_image(size_t *bytes)
{
	CUlinkState state = NULL;
	void *image = NULL, *copy;

	emu_must(cu.cuLinkCreate(0, NULL, NULL, &state));
	emu_must(cu.cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)emu_ptx, strlen(emu_ptx) + 1, "test", 0,
		NULL, NULL));
	emu_must(cu.cuLinkComplete(state, &image, bytes));
	copy = malloc(*bytes);
	if (copy != NULL)
		memcpy(copy, image, *bytes);
	emu_must(cu.cuLinkDestroy(state));
	return copy;
}

static void linking(void)
{
	size_t bytes = 0, again = 0;
	void *image = link_image(&bytes), *other = link_image(&again);
	CUmodule module = NULL;
	CUfunction function = NULL;
	CUcontext second = NULL;

	tap_ok(bytes == again && memcmp(image, other, bytes) == 0, "the same PTX gives the same image, byte for byte");
	emu_is(cu.cuModuleLoadData(&module, image), CUDA_SUCCESS, "an image loads after its linker is gone");
	emu_is(cu.cuModuleGetFunction(&function, module, "fill"), CUDA_SUCCESS, "and has the kernels");
	emu_must(cu.cuModuleUnload(module));
	emu_must(cu.cuCtxCreate(&second, 0, 1));
	emu_is(cu.cuModuleLoadData(&module, image), CUDA_ERROR_NO_BINARY_FOR_GPU,
		"a device of another architecture refuses it");
	emu_must(cu.cuCtxDestroy(second));
	free(image);
	free(other);
}

static void linking_fails(void)
{
	char log[256] = "";
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
	CUlinkState state = NULL;
	void *image = NULL;
	size_t bytes = 0;

	emu_must(cu.cuLinkCreate(2, options, values, &state));
	emu_is(cu.cuLinkComplete(state, &image, &bytes), CUDA_ERROR_INVALID_VALUE, "nothing cannot be linked");
	emu_is(cu.cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)malformed, sizeof(malformed), "m", 0,
		NULL, NULL), CUDA_ERROR_INVALID_PTX, "the linker refuses malformed PTX");
	tap_contains(log, "6", "with the line");
	emu_is(cu.cuLinkAddData(state, CU_JIT_INPUT_CUBIN, (void *)(uintptr_t)malformed, 8, "m", 0, NULL, NULL),
		CUDA_ERROR_NO_BINARY_FOR_GPU, "and machine code");
	emu_is(cu.cuLinkDestroy(state), CUDA_SUCCESS, "a linker is destroyed");
	emu_is(cu.cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE, "once");
}

static void libraries(void)
{
	CUlibrary library = NULL;
	CUkernel kernel = NULL;
	CUfunction function = NULL;

	emu_is(cu.cuLibraryLoadData(&library, emu_ptx, NULL, NULL, 0, NULL, NULL, 0), CUDA_SUCCESS, "a library loads");
	emu_is(cu.cuLibraryGetKernel(&kernel, library, "no such kernel"), CUDA_ERROR_NOT_FOUND,
		"it has no other kernels");
	emu_must(cu.cuLibraryGetKernel(&kernel, library, "nothing"));
	emu_is(cu.cuKernelGetFunction(&function, kernel), CUDA_SUCCESS, "a kernel has a function in this context");
	emu_is(cu.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL), CUDA_SUCCESS, "which launches");
	emu_is(cu.cuLibraryUnload(library), CUDA_SUCCESS, "a library unloads");
}

int main(void)
{
	CUcontext context;

	setenv("SCANRT_EMU_DEVICES", "2", 1);
	setenv("SCANRT_EMU_MODEL", "tiny,t4", 1);
	tap_plan(0);
	context = emu_open_context();
	refusals();
	log_of_errors();
	modules();
	attributes();
	linking();
	linking_fails();
	libraries();
	emu_must(cu.cuCtxDestroy(context));
	return tap_done();
}
