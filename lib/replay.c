/* SPDX-License-Identifier: MIT */
#include "replay.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/abi.h"
#include "driver.h"
#include "status.h"

/* So many launches of one number of blocks in a row come before a graph of it is made, which takes as long as they do;
 * before each further one, twice as many as before the last. */
#define LAUNCHES_BEFORE 32
#define MOST_BEFORE     (1u << 24)

/* Threads that launch at the same time wait for one another in the driver, and longer with graphs: by 16 an H200's took
 * 26 us for one, and 14 for a launch.  Whoever meets another takes so many launches before it tries a graph again. */
#define LAUNCHES_APART 4096

static atomic_uint under_way; /* launches of short scans, by all threads */

struct srt_replay {
	atomic_flag is_busy; /* of a call; held for the rest */
	bool is_refused;     /* by the driver, once */
	uint32_t grid;       /* blocks of the latest launch */
	unsigned in_row;     /* launches of so many without a graph */
	unsigned before;     /* how many make one due */
	unsigned apart;      /* launches that are still to come before a graph is thought of */
	uint32_t made_for;   /* blocks of the graph: clusters of another size want another one */
	CUgraph graph;
	CUgraphNode node;
	CUgraphExec executable;
	struct scan_arguments arguments; /* that it has */
};

static bool can_replay(const struct srt_driver *driver)
{
	return driver->cuGraphExecKernelNodeSetParams && driver->cuGraphGetNodes &&
		driver->cuThreadExchangeStreamCaptureMode;
}

struct srt_replay *srt_replay_create(const struct srt_driver *driver)
{
	struct srt_replay *replay = can_replay(driver) ? calloc(1, sizeof(*replay)) : NULL;

	if (!replay)
		return NULL;
	atomic_flag_clear(&replay->is_busy);
	replay->before = LAUNCHES_BEFORE;
	return replay;
}

/* A graph that is under way is freed by the driver when it has ended. */
static void drop(struct srt_replay *replay, const struct srt_driver *driver)
{
	if (replay->executable)
		driver->cuGraphExecDestroy(replay->executable);
	if (replay->graph)
		driver->cuGraphDestroy(replay->graph);
	replay->executable = NULL;
	replay->graph = NULL;
}

void srt_replay_destroy(struct srt_replay *replay, const struct srt_driver *driver)
{
	if (!replay)
		return;
	drop(replay, driver);
	free(replay);
}

void srt_replay_forget(struct srt_replay *replay)
{
	free(replay);
}

bool srt_replay_is_in_use(const struct srt_replay *replay)
{
	return replay && replay->executable;
}

/* The launch as the driver captures it: with its attributes, which an update leaves as they are. */
static CUresult capture(struct srt_replay *replay, const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_launch *launch, const struct scan_arguments *arguments, CUstream stream)
{
	CUresult result = driver->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	CUresult ended;

	if (result != CUDA_SUCCESS)
		return result;
	result = (CUresult)srt_launch_once(kernel, driver, launch, arguments, stream);
	ended = driver->cuStreamEndCapture(stream, &replay->graph);
	return result != CUDA_SUCCESS ? result : ended;
}

static CUresult make(struct srt_replay *replay, const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_launch *launch, const struct scan_arguments *arguments)
{
	CUstream stream = NULL;
	size_t nodes = 1;
	CUresult result = driver->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);

	if (result == CUDA_SUCCESS)
		result = capture(replay, kernel, driver, launch, arguments, stream);
	if (result == CUDA_SUCCESS)
		result = driver->cuGraphGetNodes(replay->graph, &replay->node, &nodes);
	if (result == CUDA_SUCCESS && nodes != 1)
		result = CUDA_ERROR_UNKNOWN;
	if (result == CUDA_SUCCESS)
		result = driver->cuGraphInstantiateWithFlags(&replay->executable, replay->graph, 0);
	if (stream)
		driver->cuStreamDestroy(stream);
	replay->arguments = *arguments;
	replay->made_for = launch->grid;
	return result;
}

/* What allocates or frees would break a capture that another thread has under way, unless this thread says that it
 * knows. */
static void remake(struct srt_replay *replay, const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_launch *launch, const struct scan_arguments *arguments)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	replay->in_row = 0;
	replay->before *= replay->before < MOST_BEFORE ? 2 : 1;
	replay->is_refused = driver->cuThreadExchangeStreamCaptureMode(&mode) != CUDA_SUCCESS;
	if (replay->is_refused)
		return;
	drop(replay, driver);
	replay->is_refused = make(replay, kernel, driver, launch, arguments) != CUDA_SUCCESS;
	if (replay->is_refused)
		drop(replay, driver);
	driver->cuThreadExchangeStreamCaptureMode(&mode);
}

/* A captured launch belongs into the caller's graph, where it may overlap with its neighbours.  A stream that cannot
 * tell has its error from the usual launch. */
static bool is_plain(const struct srt_driver *driver, CUstream stream)
{
	CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

	return driver->cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
		status == CU_STREAM_CAPTURE_STATUS_NONE;
}

/* A graph goes into a stream of whatever context, where a launch is refused: what is wrong stays so.  The driver is
 * asked each time, since the handle of a stream that is gone may be that of another context's next one. */
static bool is_of_context(const struct srt_driver *driver, CUstream stream)
{
	CUcontext own = NULL, current = NULL;

	if (!stream || !driver->cuStreamGetCtx)
		return true;
	return driver->cuStreamGetCtx(stream, &own) == CUDA_SUCCESS &&
		driver->cuCtxGetCurrent(&current) == CUDA_SUCCESS && own == current;
}

static bool has_graph_for(const struct srt_replay *replay, uint32_t grid)
{
	return replay->executable && replay->made_for == grid;
}

/* Whether there is a graph for so many blocks, or one is due. */
static bool is_due(struct srt_replay *replay, uint32_t grid)
{
	if (grid != replay->grid)
		replay->in_row = 0;
	replay->grid = grid;
	if (has_graph_for(replay, grid))
		return true;
	return !replay->is_refused && ++replay->in_row > replay->before;
}

static CUresult set_arguments(struct srt_replay *replay, const struct srt_kernel *kernel,
	const struct srt_driver *driver, const struct srt_launch *launch, const struct scan_arguments *arguments)
{
	void *parameters[] = { (void *)(uintptr_t)arguments };
	CUDA_KERNEL_NODE_PARAMS node = { .func = kernel->functions[launch->phase], .gridDimX = launch->grid,
		.gridDimY = 1, .gridDimZ = 1, .blockDimX = srt_variant_threads(&kernel->variant), .blockDimY = 1,
		.blockDimZ = 1, .sharedMemBytes = (unsigned)kernel->dynamic_shared, .kernelParams = parameters };

	if (memcmp(&replay->arguments, arguments, sizeof(*arguments)) == 0)
		return CUDA_SUCCESS;
	replay->arguments = *arguments;
	return driver->cuGraphExecKernelNodeSetParams(replay->executable, replay->node, &node);
}

/* What the driver refuses now it may have refused for the graph's sake: never again, and the usual launch tells. */
static bool launch_graph(struct srt_replay *replay, const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_launch *launch, const struct scan_arguments *arguments, CUstream stream)
{
	CUresult result = set_arguments(replay, kernel, driver, launch, arguments);

	if (result == CUDA_SUCCESS)
		result = driver->cuGraphLaunch(replay->executable, stream);
	if (result == CUDA_SUCCESS)
		return true;
	replay->is_refused = true;
	drop(replay, driver);
	return false;
}

static bool replay_one(struct srt_replay *replay, const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_launch *launch, const struct scan_arguments *arguments, CUstream stream)
{
	if (replay->apart > 0) {
		replay->apart--;
		return false;
	}
	if (!is_due(replay, launch->grid) || !is_plain(driver, stream) || !is_of_context(driver, stream))
		return false;
	if (!has_graph_for(replay, launch->grid))
		remake(replay, kernel, driver, launch, arguments);
	return replay->executable && launch_graph(replay, kernel, driver, launch, arguments, stream);
}

int srt_replay_launch(const struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_launch *launch,
	const struct scan_arguments *arguments, void *stream)
{
	struct srt_replay *replay = kernel->replay;
	bool is_alone = atomic_fetch_add_explicit(&under_way, 1, memory_order_relaxed) == 0;
	bool is_launched = false;
	int result = CUDA_SUCCESS;

	if (!atomic_flag_test_and_set_explicit(&replay->is_busy, memory_order_acquire)) {
		if (!is_alone)
			replay->apart = LAUNCHES_APART;
		is_launched = replay_one(replay, kernel, driver, launch, arguments, stream);
		atomic_flag_clear_explicit(&replay->is_busy, memory_order_release);
	}
	if (!is_launched)
		result = srt_launch_once(kernel, driver, launch, arguments, stream);
	atomic_fetch_sub_explicit(&under_way, 1, memory_order_relaxed);
	return result;
}
