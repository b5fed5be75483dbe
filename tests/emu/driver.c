/* SPDX-License-Identifier: MIT */
#include "tests/emu/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct emu_api cu;

static void *library;

const char emu_ptx[] =
	".version 7.0\n"
	".target sm_70\n"
	".address_size 64\n"
	".visible .global .align 4 .u32 answer = 42;\n"
	".visible .entry fill(.param .u64 to, .param .u32 value, .param .u32 count)\n"
	"{\n"
	".reg .pred %p<2>;\n"
	".reg .b32 %r<8>;\n"
	".reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd1, [to];\n"
	"ld.param.u32 %r1, [value];\n"
	"ld.param.u32 %r2, [count];\n"
	"mov.u32 %r3, %ctaid.x;\n"
	"mov.u32 %r4, %ntid.x;\n"
	"mov.u32 %r5, %tid.x;\n"
	"mad.lo.s32 %r6, %r3, %r4, %r5;\n"
	"setp.ge.u32 %p1, %r6, %r2;\n"
	"@%p1 bra DONE;\n"
	"cvta.to.global.u64 %rd1, %rd1;\n"
	"mul.wide.u32 %rd2, %r6, 4;\n"
	"add.s64 %rd3, %rd1, %rd2;\n"
	"st.global.u32 [%rd3], %r1;\n"
	"DONE:\n"
	"ret;\n"
	"}\n"
	".visible .entry nothing()\n"
	"{\n"
	"ret;\n"
	"}\n"
	".visible .entry stray(.param .u64 to)\n"
	"{\n"
	".reg .b32 %r<2>;\n"
	".reg .b64 %rd<2>;\n"
	"ld.param.u64 %rd1, [to];\n"
	"mov.u32 %r1, 1;\n"
	"st.global.u32 [%rd1+-4], %r1;\n"
	"ret;\n"
	"}\n"
	".visible .entry roomy()\n"
	"{\n"
	".shared .align 8 .b8 room[1000];\n"
	"ret;\n"
	"}\n";

void *emu_symbol(const char *name)
{
	return dlsym(library, name);
}

/* ISO C has no conversion from object to function pointers; POSIX means this. */
static void resolve(void *member, const char *name, int version)
{
	void *function = NULL;

	if (cu.cuGetProcAddress_first(name, &function, version, 0) != CUDA_SUCCESS)
		tap_bail_out("cuGetProcAddress has no %s of version %d", name, version);
	memcpy(member, &function, sizeof(function));
}

static void resolve_all(void)
{
#define RESOLVE(name, version) resolve(&cu.name, #name, version);
	EMU_FUNCTIONS(RESOLVE)
#undef RESOLVE
	resolve(&cu.counters, "scanrtEmuCounters", 2000);
	resolve(&cu.last_launch, "scanrtEmuLastLaunch", 2000);
	resolve(&cu.reset, "scanrtEmuReset", 2000);
	resolve(&cu.fault, "scanrtEmuFault", 2000);
	resolve(&cu.inject, "scanrtEmuInject", 2000);
}

void emu_open(void)
{
	const char *folder = getenv("top_builddir");
	char path[4096];
	void *symbol;

	snprintf(path, sizeof(path), "%s/.libs/libscanrt-emu.so", folder == NULL ? "." : folder);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		tap_bail_out("%s", dlerror());
	symbol = emu_symbol("cuGetProcAddress");
	memcpy(&cu.cuGetProcAddress_first, &symbol, sizeof(symbol));
	symbol = emu_symbol("cuGetProcAddress_v2");
	memcpy(&cu.cuGetProcAddress_second, &symbol, sizeof(symbol));
	resolve_all();
}

CUcontext emu_open_context(void)
{
	CUcontext context = NULL;

	emu_open();
	emu_must(cu.cuInit(0));
	emu_must(cu.cuCtxCreate(&context, 0, 0));
	return context;
}

const char *emu_name(CUresult result)
{
	const char *name = NULL;

	if (cu.cuGetErrorName(result, &name) != CUDA_SUCCESS)
		return "a result without a name";
	return name;
}

void emu_must_at(CUresult result, const char *call)
{
	if (result != CUDA_SUCCESS)
		tap_bail_out("%s gives %s", call, emu_name(result));
}

CUfunction emu_function(const char *name)
{
	static CUmodule module;
	static CUcontext owner;
	CUcontext current = NULL;
	CUfunction function = NULL;

	emu_must(cu.cuCtxGetCurrent(&current));
	if (owner != current)
		emu_must(cu.cuModuleLoadData(&module, emu_ptx));
	owner = current;
	emu_must(cu.cuModuleGetFunction(&function, module, name));
	return function;
}

CUresult emu_fill(CUdeviceptr to, unsigned int value, unsigned int count, CUstream stream)
{
	void *parameters[] = { &to, &value, &count };

	return cu.cuLaunchKernel(emu_function("fill"), (count + 127) / 128, 1, 1, 128, 1, 1, 0, stream, parameters,
		NULL);
}

int emu_is_filled(CUdeviceptr address, unsigned int value, unsigned int count)
{
	unsigned int *words = malloc(count * sizeof(*words));
	unsigned int same = 0;

	if (words != NULL && cu.cuMemcpyDtoH(words, address, count * sizeof(*words)) == CUDA_SUCCESS) {
		while (same < count && words[same] == value)
			same++;
	}
	free(words);
	return same == count;
}
