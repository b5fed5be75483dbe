/* SPDX-License-Identifier: MIT
 *
 * Times: device events around a graph of scans (or copies), so that neither the host's launches nor a cold start are
 * in them.  Pairs of buffers are taken in turn where one pair would stay in the L2.
 */
#include <stdio.h>
#include <string.h>

#include "gpu.h"
#include "status.h"

#define WARM_REPLAYS 2
#define COLD 2.0 /* times a limit: no first replay is that much slower than the next */
#define WAKE_L2 2 /* times the cache is copied */
#define COPY_BLOCK 512
#define COPY_VECTOR 16

/* What a graph repeats: a scan, the library's plan, the copy kernel, or (all NULL) the driver's copy. */
struct work {
	const struct srt_kernel *kernel;
	struct scanrt_plan *plan;
	CUfunction copy;
	const struct srt_problem *problem;
};

void tune_graph_free(struct tune_graph *graph, const struct srt_driver *driver)
{
	if (graph->exec)
		driver->cuGraphExecDestroy(graph->exec);
	memset(graph, 0, sizeof *graph);
}

static int launch_copy(const struct tune_gpu *gpu, CUfunction copy, CUdeviceptr out, CUdeviceptr in, size_t bytes)
{
	unsigned long long size = bytes;
	void *parameters[] = { &out, &in, &size };
	size_t threads = bytes / COPY_VECTOR + bytes % COPY_VECTOR;
	CUresult result = gpu->driver->cuLaunchKernel(copy, (unsigned)((threads + COPY_BLOCK - 1) / COPY_BLOCK), 1, 1,
		COPY_BLOCK, 1, 1, 0, gpu->stream, parameters, NULL);

	if (result != CUDA_SUCCESS)
		return srt_driver_fail(gpu->driver, SCANRT_ERROR_LAUNCH, result, "cuLaunchKernel");
	return SCANRT_OK;
}

/* From a pair of buffers to the next. */
static size_t stride_of(const struct work *work, const struct tune_timing *timing)
{
	return (timing->count * tune_element_bytes(work->problem) + 255) / 256 * 256;
}

static int enqueue(const struct tune_gpu *gpu, const struct work *work, const struct tune_timing *timing)
{
	size_t bytes = timing->count * tune_copied_bytes(work->problem);
	size_t stride = stride_of(work, timing);
	int status = SCANRT_OK;

	for (int i = 0; !status && i < timing->scans; i++) {
		size_t at = (size_t)(i % timing->pairs) * stride;
		CUdeviceptr out = gpu->output + at, in = gpu->input + at;

		if (work->kernel)
			status = srt_kernel_launch(
				work->kernel, gpu->driver, &gpu->workspace, out, in, timing->count, 0, gpu->stream);
		else if (work->plan)
			status = scanrt_plan_execute(work->plan, (void *)(uintptr_t)out, (const void *)(uintptr_t)in,
				timing->count, gpu->stream);
		else if (work->copy)
			status = launch_copy(gpu, work->copy, out, in, bytes);
		else
			status = SRT_CALL(gpu->driver, cuMemcpyDtoDAsync, (out, in, bytes, gpu->stream));
	}
	return status;
}

static int replay(const struct tune_gpu *gpu, const struct tune_graph *graph)
{
	return SRT_CALL(gpu->driver, cuGraphLaunch, (graph->exec, gpu->stream));
}

/* Lines that a kernel marks to be given up first give way to one another only, so that in L2, once full of another
 * kernel's, it has a small part for its whole length; timed after itself it would be preferred, and users, whose
 * programs do more than scan, would find it slower.  A copy of what the last pairs hold, without marks, comes before
 * each sample where the data is streamed; in a class that lives in L2 it would be the misses that were timed. */
static void plan_wake(struct tune_graph *graph, const struct tune_gpu *gpu, size_t stride,
	const struct tune_timing *timing)
{
	size_t held = stride * (size_t)timing->pairs;
	size_t wanted = gpu->device.l2_bytes > 0 ? WAKE_L2 * (size_t)gpu->device.l2_bytes : 0;

	graph->wake_bytes = timing->pairs < 2 ? 0 : wanted < held ? wanted : held;
	graph->wake_at = held - graph->wake_bytes;
}

static int wake(const struct tune_gpu *gpu, const struct tune_graph *graph)
{
	if (graph->wake_bytes == 0)
		return SCANRT_OK;
	return SRT_CALL(gpu->driver, cuMemcpyDtoDAsync,
		(gpu->output + graph->wake_at, gpu->input + graph->wake_at, graph->wake_bytes, gpu->stream));
}

static int time_replay(double *us, const struct tune_gpu *gpu, const struct tune_graph *graph)
{
	const struct srt_driver *driver = gpu->driver;
	float milliseconds = 0;
	int status = SRT_CALL(driver, cuEventRecord, (gpu->before, gpu->stream));

	if (!status)
		status = replay(gpu, graph);
	if (!status)
		status = SRT_CALL(driver, cuEventRecord, (gpu->after, gpu->stream));
	if (!status)
		status = SRT_CALL(driver, cuEventSynchronize, (gpu->after));
	if (!status)
		status = SRT_CALL(driver, cuEventElapsedTime, (&milliseconds, gpu->before, gpu->after));
	*us = (double)milliseconds * 1e3 / graph->scans;
	return status;
}

static int sample(double *us, const struct tune_gpu *gpu, const struct tune_graph *graph)
{
	int status = wake(gpu, graph);

	return status ? status : time_replay(us, gpu, graph);
}

/* The first replays, which are cold; what the faster of them took tells what is not worth more of them.  One will do
 * where it took far too long. */
static int warm_up(double *us, const struct tune_gpu *gpu, const struct tune_graph *graph, double limit_us)
{
	int status = SCANRT_OK;

	*us = 0;
	for (int i = 0; !status && i < WARM_REPLAYS && (limit_us == 0 || *us <= COLD * limit_us); i++) {
		double cold;

		status = time_replay(&cold, gpu, graph);
		if (i == 0 || cold < *us)
			*us = cold;
	}
	return status;
}

static int make_graph(double *cold, struct tune_graph *graph, const struct tune_gpu *gpu, const struct work *work,
	const struct tune_timing *timing)
{
	const struct srt_driver *driver = gpu->driver;
	CUgraph captured = NULL;
	int status = SRT_CALL(driver, cuStreamBeginCapture, (gpu->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	int ended;

	if (status)
		return status;
	status = enqueue(gpu, work, timing);
	/* A capture is ended even where it failed, or the stream stays in it. */
	ended = SRT_CALL(driver, cuStreamEndCapture, (gpu->stream, &captured));
	if (!status)
		status = ended;
	if (!status)
		status = SRT_CALL(driver, cuGraphInstantiateWithFlags, (&graph->exec, captured, 0));
	if (captured)
		driver->cuGraphDestroy(captured);
	graph->count = timing->count;
	graph->scans = timing->scans;
	plan_wake(graph, gpu, stride_of(work, timing), timing);
	if (!status)
		status = warm_up(cold, gpu, graph, timing->limit_us);
	return status;
}

static int take_samples(double *us, const struct tune_gpu *gpu, const struct tune_graph *graph, int samples)
{
	int status = SCANRT_OK;

	for (int i = 0; !status && i < samples; i++)
		status = sample(&us[i], gpu, graph);
	return status;
}

/* The graph of a slot and class is kept: a race comes back for more samples, unless there is no hope. */
int tune_measure(double *us, int *taken, struct tune_gpu *gpu, int slot, const struct tune_timing *timing)
{
	struct tune_slot *from = &gpu->slots[slot];
	struct tune_graph *graph = &from->graphs[timing->klass];
	const struct work work = { .kernel = &from->kernel, .problem = &from->kernel.problem };
	double cold = 0;
	int status = SCANRT_OK;

	tune_fault_kill("kill-time", from->text);
	if (graph->exec && (graph->count != timing->count || graph->scans != timing->scans))
		tune_graph_free(graph, gpu->driver);
	if (graph->exec == NULL)
		status = make_graph(&cold, graph, gpu, &work, timing);
	*taken = timing->limit_us > 0 && cold > timing->limit_us ? 1 : timing->samples;
	if (!status && *taken < timing->samples) {
		us[0] = cold;
		tune_graph_free(graph, gpu->driver);
	} else if (!status) {
		status = take_samples(us, gpu, graph, timing->samples);
	}
	return status;
}

int tune_measure_plan(double *us, struct tune_gpu *gpu, struct scanrt_plan *plan, const struct tune_timing *timing)
{
	const struct work work = { .plan = plan, .problem = &gpu->problem };
	struct tune_graph graph = {0};
	double cold;
	int status = make_graph(&cold, &graph, gpu, &work, timing);

	if (!status)
		status = take_samples(us, gpu, &graph, timing->samples);
	tune_graph_free(&graph, gpu->driver);
	return status;
}

/* ---- The copy that scans are compared with ---- */

static double median(double *us, int count)
{
	/* Few enough to be sorted by insertion. */
	for (int i = 1; i < count; i++)
		for (int j = i; j > 0 && us[j - 1] > us[j]; j--) {
			double swap = us[j];

			us[j] = us[j - 1];
			us[j - 1] = swap;
		}
	return us[count / 2];
}

static int time_copy(struct tune_copy_reply *reply, const struct tune_gpu *gpu, const struct work *work,
	const struct tune_timing *timing, const char *method)
{
	struct tune_graph graph = {0};
	double us[TUNE_SAMPLES_MAX], middle, cold;
	int status = make_graph(&cold, &graph, gpu, work, timing);

	if (!status)
		status = take_samples(us, gpu, &graph, timing->samples);
	tune_graph_free(&graph, gpu->driver);
	if (status)
		return status;
	middle = median(us, timing->samples);
	if (reply->us == 0 || middle < reply->us) {
		reply->us = middle;
		snprintf(reply->method, sizeof reply->method, "%s", method);
	}
	return SCANRT_OK;
}

int tune_measure_copy(struct tune_copy_reply *reply, struct tune_gpu *gpu, const struct tune_timing *timing,
	const struct srt_image *image)
{
	struct work work = { .problem = &gpu->problem };
	CUmodule module = NULL;
	int status = time_copy(reply, gpu, &work, timing, "driver");

	if (status || image == NULL)
		return status;
	status = SRT_CALL(gpu->driver, cuModuleLoadData, (&module, image->bytes));
	if (!status)
		status = SRT_CALL(gpu->driver, cuModuleGetFunction, (&work.copy, module, image->entry));
	if (!status)
		status = time_copy(reply, gpu, &work, timing, "vector kernel");
	if (module)
		gpu->driver->cuModuleUnload(module);
	return status;
}
