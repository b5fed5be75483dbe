/* SPDX-License-Identifier: MIT
 *
 * What scantune calls, in which order, to time something: told by a driver of letters.
 */
#include <stdlib.h>
#include <string.h>

#include "../../tuner/gpu.h"
#include "problem.h"
#include "tap.h"

static char calls[256];
static size_t copied;

static CUresult call(char letter)
{
	size_t length = strlen(calls);

	if (length + 1 < sizeof calls)
		calls[length] = letter;
	return CUDA_SUCCESS;
}

static CUresult begin(CUstream stream, CUstreamCaptureMode mode)
{
	(void)stream, (void)mode;
	return call('(');
}

static CUresult end(CUstream stream, CUgraph *graph)
{
	(void)stream;
	*graph = NULL;
	return call(')');
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	(void)exec, (void)graph, (void)flags;
	return call('I');
}

static CUresult launch(CUgraphExec exec, CUstream stream)
{
	(void)exec, (void)stream;
	return call('R');
}

static CUresult synchronise(CUstream stream)
{
	(void)stream;
	return call('S');
}

static CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	(void)to, (void)from, (void)stream;
	copied = bytes;
	return call('C');
}

static CUresult event(CUevent event_handle, CUstream stream)
{
	(void)event_handle, (void)stream;
	return call('E');
}

static CUresult await(CUevent event_handle)
{
	(void)event_handle;
	return CUDA_SUCCESS;
}

static CUresult elapsed(float *milliseconds, CUevent before, CUevent after)
{
	(void)before, (void)after;
	*milliseconds = 1;
	return CUDA_SUCCESS;
}

static void is_timed_as(const char *wanted, int pairs, const char *name)
{
	const struct srt_driver driver = { .cuStreamBeginCapture = begin, .cuStreamEndCapture = end,
		.cuGraphInstantiateWithFlags = instantiate, .cuGraphLaunch = launch,
		.cuStreamSynchronize = synchronise, .cuMemcpyDtoDAsync = copy, .cuEventRecord = event,
		.cuEventSynchronize = await, .cuEventElapsedTime = elapsed };
	struct tune_gpu *gpu = calloc(1, sizeof *gpu);
	struct tune_timing timing = { .count = 1 << 20, .scans = 3, .pairs = pairs, .samples = 2 };
	struct tune_copy_reply reply = {0};

	if (gpu == NULL || srt_problem_init_simple(&gpu->problem, SCANRT_I32, SCANRT_SUM) != SCANRT_OK)
		tap_bail_out("no problem");
	gpu->driver = &driver;
	gpu->device.l2_bytes = 3 << 20;
	memset(calls, 0, sizeof calls);
	tap_is_int(tune_measure_copy(&reply, gpu, &timing, NULL), SCANRT_OK, "%s is timed", name);
	tap_is_string(calls, wanted, "%s", name);
	free(gpu);
}

int main(void)
{
	tap_plan(0);
	is_timed_as("(CCC)IEREEREEREERE", 1, "what lives in L2 is timed after itself");
	is_timed_as("(CCC)IEREERECERECERE", 3, "what streams is timed after a copy, which is in no time");
	tap_is_uint(copied, 6 << 20, "of twice the cache");
	is_timed_as("(CCC)IEREERECERECERE", 2, "so is what fills little more than the cache");
	tap_is_uint(copied, 6 << 20, "as long as there is so much of it");
	return tap_done();
}
