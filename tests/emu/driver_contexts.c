/* SPDX-License-Identifier: MIT
 *
 * Contexts: stacks, primary and created ones, several devices and threads.
 */
#include "tests/emu/driver.h"

#include <pthread.h>
#include <stdlib.h>

static CUcontext current(void)
{
	CUcontext context = NULL;

	emu_must(cu.cuCtxGetCurrent(&context));
	return context;
}

static void no_context(void)
{
	CUdeviceptr address;
	CUcontext popped;

	tap_ok(current() == NULL, "a thread starts without a context");
	emu_is(cu.cuMemAlloc(&address, 16), CUDA_ERROR_INVALID_CONTEXT, "and cannot allocate");
	emu_is(cu.cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT, "or pop");
	emu_is(cu.cuCtxSetCurrent(NULL), CUDA_SUCCESS, "but may set none");
}

static void stack(void)
{
	CUcontext first = NULL, second = NULL, popped = NULL;
	CUdevice device = -1;

	emu_must(cu.cuCtxCreate(&first, 0, 0));
	tap_ok(current() == first, "a created context is current");
	emu_must(cu.cuCtxCreate(&second, 0, 1));
	tap_ok(current() == second, "and so is the next");
	emu_is(cu.cuCtxGetDevice(&device), CUDA_SUCCESS, "it knows its device");
	tap_is_int(device, 1, "the second one");
	emu_is(cu.cuCtxPopCurrent(&popped), CUDA_SUCCESS, "popping");
	tap_ok(popped == second && current() == first, "gives the second and brings back the first");
	emu_is(cu.cuCtxPushCurrent(second), CUDA_SUCCESS, "it can be pushed again");
	emu_is(cu.cuCtxSetCurrent(first), CUDA_SUCCESS, "setting");
	emu_must(cu.cuCtxPopCurrent(&popped));
	tap_ok(popped == first && current() == first, "replaces the top of the stack only");
	emu_is(cu.cuCtxDestroy(second), CUDA_SUCCESS, "a context that is not current can be destroyed");
	emu_is(cu.cuCtxDestroy(second), CUDA_ERROR_INVALID_CONTEXT, "once");
	emu_is(cu.cuCtxPushCurrent(second), CUDA_ERROR_INVALID_CONTEXT, "and not be pushed afterwards");
	emu_is(cu.cuCtxDestroy(first), CUDA_SUCCESS, "the current one can too");
	tap_ok(current() == NULL, "and is popped by that");
}

static void primary(void)
{
	CUcontext once = NULL, twice = NULL;
	unsigned int flags = 9;
	int is_active = 9;

	emu_must(cu.cuDevicePrimaryCtxGetState(0, &flags, &is_active));
	tap_is_int(is_active, 0, "the primary context is not there before it is retained");
	emu_is(cu.cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT, "and cannot be released");
	emu_must(cu.cuDevicePrimaryCtxRetain(&once, 0));
	emu_must(cu.cuDevicePrimaryCtxRetain(&twice, 0));
	tap_ok(once == twice && once != NULL, "a device has one primary context");
	tap_ok(current() == NULL, "retaining it does not make it current");
	emu_is(cu.cuCtxDestroy(once), CUDA_ERROR_INVALID_CONTEXT, "it cannot be destroyed");
	emu_must(cu.cuDevicePrimaryCtxRelease(0));
	emu_is(cu.cuCtxPushCurrent(once), CUDA_SUCCESS, "it lives until the last release");
	emu_must(cu.cuDevicePrimaryCtxRelease(0));
	emu_is(cu.cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED, "and is then destroyed, current or not");
	emu_must(cu.cuCtxSetCurrent(NULL));
	emu_is(cu.cuDevicePrimaryCtxRetain(&once, 7), CUDA_ERROR_INVALID_DEVICE, "no device, no primary context");
}

static void *other_thread(void *context)
{
	CUcontext seen = context;
	CUresult result = cu.cuCtxGetCurrent(&seen);

	if (result == CUDA_SUCCESS && seen == NULL)
		result = cu.cuCtxPushCurrent(context);
	return result == CUDA_SUCCESS && seen == NULL ? context : NULL;
}

static void threads(void)
{
	CUcontext context = NULL;
	pthread_t thread;
	void *answer = NULL;

	emu_must(cu.cuCtxCreate(&context, 0, 0));
	pthread_create(&thread, NULL, other_thread, context);
	pthread_join(thread, &answer);
	tap_ok(answer == context, "another thread has a stack of its own and may push the same context");
	emu_must(cu.cuCtxDestroy(context));
}

/* What belongs to a context goes with it. */
static void contents(void)
{
	size_t before = 0, after = 0, total = 0;
	CUcontext keeper = NULL, context = NULL;
	CUstream stream = NULL;
	CUdeviceptr address = 0;

	emu_must(cu.cuCtxCreate(&keeper, 0, 0));
	emu_must(cu.cuMemGetInfo(&before, &total));
	emu_must(cu.cuCtxCreate(&context, 0, 0));
	emu_must(cu.cuMemAlloc(&address, 1 << 20));
	emu_must(cu.cuStreamCreate(&stream, 0));
	emu_must(cu.cuCtxDestroy(context));
	emu_must(cu.cuMemGetInfo(&after, &total));
	tap_is_uint(after, before, "destroying a context frees its memory");
	emu_is(cu.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE, "and its streams");
	emu_must(cu.cuCtxDestroy(keeper));
}

int main(void)
{
	setenv("SCANRT_EMU_DEVICES", "2", 1);
	tap_plan(0);
	emu_open();
	emu_must(cu.cuInit(0));
	no_context();
	stack();
	primary();
	threads();
	contents();
	return tap_done();
}
