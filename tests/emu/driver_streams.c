/* SPDX-License-Identifier: MIT
 *
 * Streams and events, host functions, and the modelled clock.
 */
#include "tests/emu/driver.h"

#include <stdlib.h>

#define COUNT 4096u

static void streams(CUdeviceptr a)
{
	CUstream stream = NULL;
	unsigned int words[4] = { 0 };

	emu_is(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS, "a stream is created");
	emu_is(cu.cuStreamCreate(&stream, 0x100), CUDA_ERROR_INVALID_VALUE, "with known flags");
	emu_must(emu_fill(a, 5, COUNT, stream));
	emu_must(cu.cuMemcpyDtoHAsync(words, a + 8, sizeof(words), stream));
	emu_is(cu.cuStreamSynchronize(stream), CUDA_SUCCESS, "and waited for");
	tap_ok(words[0] == 5 && words[3] == 5, "work on it is done in order");
	emu_is(cu.cuStreamQuery(stream), CUDA_SUCCESS, "after which it is idle");
	emu_is(emu_fill(a, 6, COUNT, CU_STREAM_LEGACY), CUDA_SUCCESS, "the legacy stream has a handle");
	emu_is(emu_fill(a, 7, COUNT, CU_STREAM_PER_THREAD), CUDA_SUCCESS, "and so has the thread's own");
	emu_is(cu.cuStreamDestroy(stream), CUDA_SUCCESS, "a stream is destroyed");
	emu_is(cu.cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE, "and is then no handle");
	emu_is(emu_fill(a, 8, COUNT, stream), CUDA_ERROR_INVALID_HANDLE, "for launches neither");
	tap_ok(emu_is_filled(a, 7, COUNT), "which then write nothing");
}

static CUresult seen_inside;

static void CUDA_CB host_function(void *data)
{
	seen_inside = cu.cuCtxSynchronize();
	*(int *)data += 1;
}

static void host_functions(void)
{
	int calls = 0;

	emu_is(cu.cuLaunchHostFunc(NULL, host_function, &calls), CUDA_SUCCESS, "a host function is enqueued");
	emu_must(cu.cuStreamSynchronize(NULL));
	tap_is_int(calls, 1, "and called once");
	tap_is_string(emu_name(seen_inside), "CUDA_ERROR_NOT_PERMITTED", "it may not call the driver");
}

/* The modelled time of `launches` launches of fill over `count` words. */
static float elapsed(CUdeviceptr a, unsigned int count, int launches)
{
	CUevent begin = NULL, end = NULL;
	float milliseconds = -1;

	emu_must(cu.cuEventCreate(&begin, 0));
	emu_must(cu.cuEventCreate(&end, 0));
	emu_must(cu.cuEventRecord(begin, NULL));
	for (int i = 0; i < launches; i++)
		emu_must(emu_fill(a, 1, count, NULL));
	emu_must(cu.cuEventRecord(end, NULL));
	emu_must(cu.cuEventSynchronize(end));
	emu_must(cu.cuEventElapsedTime(&milliseconds, begin, end));
	emu_must(cu.cuEventDestroy(begin));
	emu_must(cu.cuEventDestroy(end));
	return milliseconds;
}

static void modelled_time(CUdeviceptr a)
{
	float once = elapsed(a, COUNT, 1);

	tap_ok(once > 0, "a launch takes modelled time: %g ms", (double)once);
	/* Not to the bit: times are sums of larger and larger numbers. */
	tap_is_near((double)elapsed(a, COUNT, 1), (double)once, (double)once * 1e-4, "the same each time");
	tap_ok(elapsed(a, COUNT, 3) > 1.5f * once, "three launches take longer");
	tap_ok(elapsed(a, COUNT * 16, 1) > once, "and more words longer");
	tap_is_double((double)elapsed(a, COUNT, 0), 0, "while nothing takes none");
}

static void events(void)
{
	CUevent event = NULL, other = NULL, untimed = NULL;
	float milliseconds = 0;

	emu_is(cu.cuEventCreate(&event, 0x80), CUDA_ERROR_INVALID_VALUE, "an event has known flags");
	emu_must(cu.cuEventCreate(&event, 0));
	emu_must(cu.cuEventCreate(&other, 0));
	emu_must(cu.cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
	emu_is(cu.cuEventQuery(event), CUDA_SUCCESS, "an event that was never recorded is complete");
	emu_is(cu.cuEventElapsedTime(&milliseconds, event, other), CUDA_ERROR_INVALID_HANDLE, "but has no time");
	emu_must(cu.cuEventRecord(event, NULL));
	emu_must(cu.cuEventRecord(untimed, NULL));
	emu_is(cu.cuEventElapsedTime(&milliseconds, event, untimed), CUDA_ERROR_INVALID_HANDLE,
		"nor has one without timing");
	emu_is(cu.cuStreamWaitEvent(NULL, event, 0), CUDA_SUCCESS, "a stream waits for an event");
	emu_is(cu.cuEventDestroy(event), CUDA_SUCCESS, "an event is destroyed");
	emu_is(cu.cuEventRecord(event, NULL), CUDA_ERROR_INVALID_HANDLE, "and is then no handle");
	emu_must(cu.cuEventDestroy(other));
	emu_must(cu.cuEventDestroy(untimed));
}

/* Work of one stream after an event of another begins no earlier than the event. */
static void order_across_streams(CUdeviceptr a)
{
	CUstream first = NULL, second = NULL;
	CUevent middle = NULL, end = NULL;
	float milliseconds = -1;

	emu_must(cu.cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
	emu_must(cu.cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
	emu_must(cu.cuEventCreate(&middle, 0));
	emu_must(cu.cuEventCreate(&end, 0));
	emu_must(emu_fill(a, 1, COUNT, first));
	emu_must(cu.cuEventRecord(middle, first));
	emu_must(cu.cuStreamWaitEvent(second, middle, 0));
	emu_must(emu_fill(a, 2, COUNT, second));
	emu_must(cu.cuEventRecord(end, second));
	emu_must(cu.cuEventElapsedTime(&milliseconds, middle, end));
	tap_ok(milliseconds > 0, "waiting orders modelled time across streams");
	tap_ok(emu_is_filled(a, 2, COUNT), "and the work");
	emu_must(cu.cuStreamDestroy(first));
	emu_must(cu.cuStreamDestroy(second));
	emu_must(cu.cuEventDestroy(middle));
	emu_must(cu.cuEventDestroy(end));
}

int main(void)
{
	CUcontext context;
	CUdeviceptr a = 0;

	tap_plan(0);
	context = emu_open_context();
	emu_must(cu.cuMemAlloc(&a, COUNT * 16 * 4));
	streams(a);
	host_functions();
	modelled_time(a);
	events();
	order_across_streams(a);
	emu_must(cu.cuCtxDestroy(context));
	return tap_done();
}
