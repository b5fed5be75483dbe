/* SPDX-License-Identifier: MIT
 *
 * What a fault does: the sticky error, its text and its log; injected failures; the file of counters.
 */
#include "tests/emu/driver.h"
#include "tests/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static CUresult stray(CUdeviceptr to)
{
	void *parameters[] = { &to };

	return cu.cuLaunchKernel(emu_function("stray"), 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
}

/* The first bytes of a file, or "". */
static const char *read_file(const char *path)
{
	static char text[4096];
	FILE *file = fopen(path, "r");

	memset(text, 0, sizeof(text));
	if (file != NULL) {
		(void)!fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	return text;
}

static void sticky(const char *log)
{
	CUcontext lost = NULL, healthy = NULL, popped = NULL;
	CUdeviceptr a = 0, b = 0;
	CUstream stream = NULL;

	emu_must(cu.cuCtxCreate(&lost, 0, 0));
	emu_must(cu.cuMemAlloc(&a, 64));
	emu_must(cu.cuStreamCreate(&stream, 0));
	emu_is(stray(a), CUDA_SUCCESS, "the launch of a faulty kernel succeeds");
	emu_is(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "and waiting for it tells of the fault");
	emu_is(cu.cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS, "so does every later call");
	emu_is(cu.cuMemAlloc(&b, 64), CUDA_ERROR_ILLEGAL_ADDRESS, "allocations included");
	emu_is(cu.cuMemcpyDtoH(&b, a, 4), CUDA_ERROR_ILLEGAL_ADDRESS, "and copies");
	tap_contains(cu.fault(), "stray", "the text of the fault names the kernel");
	tap_contains(read_file(log), "stray", "and stands in the log that was asked for");
	emu_must(cu.cuCtxCreate(&healthy, 0, 0));
	emu_is(cu.cuMemAlloc(&b, 64), CUDA_SUCCESS, "another context is not concerned");
	emu_must(cu.cuCtxDestroy(healthy));
	emu_is(cu.cuCtxPopCurrent(&popped), CUDA_SUCCESS, "a lost context can be popped");
	emu_is(cu.cuCtxDestroy(lost), CUDA_SUCCESS, "and destroyed");
}

static void primary_recovers(void)
{
	CUcontext primary = NULL;
	CUdeviceptr a = 0;

	emu_must(cu.cuDevicePrimaryCtxRetain(&primary, 0));
	emu_must(cu.cuCtxPushCurrent(primary));
	emu_must(cu.cuMemAlloc(&a, 64));
	emu_must(stray(a));
	emu_is(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "a primary context is lost alike");
	emu_must(cu.cuCtxPopCurrent(&primary));
	emu_is(cu.cuDevicePrimaryCtxReset(0), CUDA_SUCCESS, "and reset");
	emu_must(cu.cuDevicePrimaryCtxRetain(&primary, 0));
	emu_must(cu.cuCtxPushCurrent(primary));
	emu_is(cu.cuMemAlloc(&a, 64), CUDA_SUCCESS, "after which it works again");
	emu_must(cu.cuCtxSetCurrent(NULL));
	emu_must(cu.cuDevicePrimaryCtxRelease(0));
}

static void injection(void)
{
	CUcontext context = NULL;
	CUdeviceptr a = 0;

	emu_must(cu.cuCtxCreate(&context, 0, 0));
	cu.inject("cuMemAlloc:3:2,cuStreamSynchronize:2+:600");
	emu_is(cu.cuMemAlloc(&a, 64), CUDA_SUCCESS, "the first call does not fail");
	emu_is(cu.cuMemAlloc(&a, 64), CUDA_SUCCESS, "nor the second");
	emu_is(cu.cuMemAlloc(&a, 64), CUDA_ERROR_OUT_OF_MEMORY, "the third fails with the code that was asked for");
	emu_is(cu.cuMemAlloc(&a, 64), CUDA_SUCCESS, "the fourth does not");
	emu_is(cu.cuStreamSynchronize(NULL), CUDA_SUCCESS, "another call is counted by itself");
	emu_is(cu.cuStreamSynchronize(NULL), CUDA_ERROR_NOT_READY, "with a plus, it fails from then on");
	emu_is(cu.cuStreamSynchronize(NULL), CUDA_ERROR_NOT_READY, "again and again");
	cu.inject("cuMemcpyDtoH:1:700");
	emu_is(cu.cuMemcpyDtoH(&context, a, 4), CUDA_ERROR_ILLEGAL_ADDRESS, "an injected fault");
	emu_is(cu.cuMemAlloc(&a, 64), CUDA_ERROR_ILLEGAL_ADDRESS, "is sticky like a real one");
	cu.inject(NULL);
	emu_is(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS, "even when injection has ended");
	emu_must(cu.cuCtxSetCurrent(NULL));
}

static void counters_file(const char *path)
{
	CUcontext context = NULL;

	emu_must(cu.cuCtxCreate(&context, 0, 0));
	setenv("SCANRT_EMU_COUNTERS", path, 1);
	emu_must(cu.cuLaunchKernel(emu_function("nothing"), 2, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	emu_must(cu.cuLaunchKernel(emu_function("nothing"), 3, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	unsetenv("SCANRT_EMU_COUNTERS");
	tap_contains(read_file(path), "{\"kernel\":\"nothing\",\"grid\":[2,1,1],\"block\":[32,1,1],\"shared_bytes\":0,",
		"a launch writes a line to the file of counters");
	tap_contains(read_file(path), "\n{\"kernel\":\"nothing\",\"grid\":[3,1,1]", "and the next one another");
	tap_contains(read_file(path), "\"blocks\":3", "with the counts");
	emu_must(cu.cuCtxDestroy(context));
}

int main(void)
{
	char log[4200], counts[4200];

	snprintf(log, sizeof(log), "%s/log", folder("emu"));
	snprintf(counts, sizeof(counts), "%s/counters", folder("emu"));
	setenv("SCANRT_EMU_LOG", log, 1);
	tap_plan(0);
	emu_open();
	emu_must(cu.cuInit(0));
	sticky(log);
	primary_recovers();
	injection();
	counters_file(counts);
	return tap_done();
}
