/* SPDX-License-Identifier: MIT
 *
 * Stream capture and graphs: what is recorded, how it replays, and what a capture forbids.
 */
#include "tests/emu/driver.h"

#include <pthread.h>
#include <stdlib.h>

#define COUNT 256u

static CUstream new_stream(void)
{
	CUstream stream = NULL;

	emu_must(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	return stream;
}

static int capturing(CUstream stream)
{
	CUstreamCaptureStatus status = (CUstreamCaptureStatus)77;

	emu_must(cu.cuStreamIsCapturing(stream, &status));
	return (int)status;
}

static void begin(CUstream stream)
{
	emu_must(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
}

static void replay(CUdeviceptr a)
{
	unsigned int word = 0;
	CUstream stream = new_stream();
	CUgraph graph = NULL;
	CUgraphExec exec = NULL;
	CUgraphNode nodes[4] = { NULL };
	CUgraphNodeType types[3];
	size_t count = 4;

	emu_must(cu.cuMemsetD32(a, 1, COUNT));
	begin(stream);
	tap_is_int(capturing(stream), CU_STREAM_CAPTURE_STATUS_ACTIVE, "a stream is capturing once begun");
	emu_must(cu.cuMemsetD32Async(a, 9, COUNT, stream));
	emu_must(emu_fill(a, 5, COUNT / 2, stream));
	emu_must(cu.cuMemcpyDtoHAsync(&word, a, 4, stream));
	tap_is_uint(word, 0, "what is captured does not run");
	emu_is(cu.cuStreamEndCapture(stream, &graph), CUDA_SUCCESS, "the capture ends");
	tap_is_int(capturing(stream), CU_STREAM_CAPTURE_STATUS_NONE, "and the stream is as before");
	tap_ok(emu_is_filled(a, 1, COUNT), "nothing has been written");
	emu_must(cu.cuGraphGetNodes(graph, nodes, &count));
	tap_is_uint(count, 3, "the graph has a node for each piece of work");
	for (size_t i = 0; i < 3; i++)
		emu_must(cu.cuGraphNodeGetType(nodes[i], &types[i]));
	tap_ok(types[0] == CU_GRAPH_NODE_TYPE_MEMSET && types[1] == CU_GRAPH_NODE_TYPE_KERNEL &&
		types[2] == CU_GRAPH_NODE_TYPE_MEMCPY, "of the right types");
	emu_is(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS, "it is instantiated");
	emu_is(cu.cuGraphDestroy(graph), CUDA_SUCCESS, "and no longer needed then");
	for (int i = 0; i < 2; i++) {
		emu_must(cu.cuMemsetD32(a, 1, COUNT));
		word = 0;
		emu_must(cu.cuGraphLaunch(exec, stream));
		emu_must(cu.cuStreamSynchronize(stream));
		tap_ok(emu_is_filled(a, 5, COUNT / 2) && emu_is_filled(a + COUNT * 2, 9, COUNT / 2) && word == 5,
			"a launch of the graph does all of it, time %d", i + 1);
	}
	emu_is(cu.cuGraphExecDestroy(exec), CUDA_SUCCESS, "an executable graph is destroyed");
	emu_is(cu.cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE, "and not launched afterwards");
	emu_must(cu.cuStreamDestroy(stream));
}

static void fork_and_join(CUdeviceptr a)
{
	CUstream first = new_stream(), second = new_stream();
	CUevent fork = NULL, join = NULL;
	CUgraph graph = NULL;
	CUgraphNode nodes[8] = { NULL }, needs[8] = { NULL };
	size_t count = 8, need_count = 8;

	emu_must(cu.cuEventCreate(&fork, 0));
	emu_must(cu.cuEventCreate(&join, 0));
	begin(first);
	emu_must(emu_fill(a, 1, COUNT, first));
	emu_must(cu.cuEventRecord(fork, first));
	emu_must(cu.cuStreamWaitEvent(second, fork, 0));
	tap_is_int(capturing(second), CU_STREAM_CAPTURE_STATUS_ACTIVE, "a stream that waits for a capture joins it");
	emu_must(emu_fill(a, 2, COUNT, second));
	emu_must(emu_fill(a, 3, COUNT, first));
	emu_is(cu.cuEventQuery(fork), CUDA_ERROR_CAPTURED_EVENT, "a captured event cannot be queried");
	emu_must(cu.cuEventRecord(join, second));
	emu_must(cu.cuStreamWaitEvent(first, join, 0));
	emu_must(emu_fill(a, 4, COUNT, first));
	emu_is(cu.cuStreamEndCapture(second, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
		"only the stream that began can end");
	emu_is(cu.cuStreamEndCapture(first, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
		"trying spoils the capture");
	tap_ok(graph == NULL, "and there is no graph");

	begin(first);
	emu_must(emu_fill(a, 1, COUNT, first));
	emu_must(cu.cuEventRecord(fork, first));
	emu_must(cu.cuStreamWaitEvent(second, fork, 0));
	emu_must(emu_fill(a, 2, COUNT, second));
	emu_must(cu.cuEventRecord(join, second));
	emu_must(cu.cuStreamWaitEvent(first, join, 0));
	emu_must(emu_fill(a, 4, COUNT, first));
	emu_is(cu.cuStreamEndCapture(first, &graph), CUDA_SUCCESS, "joined branches end well");
	emu_must(cu.cuGraphGetNodes(graph, nodes, &count));
	tap_is_uint(count, 3, "with all their nodes");
	emu_must(cu.cuGraphNodeGetDependencies(nodes[2], needs, &need_count));
	tap_is_uint(need_count, 2, "the last depends on both branches");
	emu_must(cu.cuGraphDestroy(graph));

	begin(first);
	emu_must(cu.cuEventRecord(fork, first));
	emu_must(cu.cuStreamWaitEvent(second, fork, 0));
	emu_must(emu_fill(a, 2, COUNT, second));
	emu_is(cu.cuStreamEndCapture(first, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "an open branch is an error");
	tap_is_int(capturing(second), CU_STREAM_CAPTURE_STATUS_NONE, "and ends with the capture");
	emu_must(cu.cuStreamDestroy(first));
	emu_must(cu.cuStreamDestroy(second));
	emu_must(cu.cuEventDestroy(fork));
	emu_must(cu.cuEventDestroy(join));
}

/* Each call is made inside of a capture of its own, which it must spoil with this error. */
static void forbidden(const char *what, CUresult (*call)(CUstream), CUresult wanted, CUstreamCaptureMode mode)
{
	CUstream stream = new_stream();
	CUgraph graph = NULL;

	emu_must(cu.cuStreamBeginCapture(stream, mode));
	emu_is(call(stream), wanted, "%s is refused during capture", what);
	emu_is(cu.cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "and %s spoils it", what);
	emu_must(cu.cuStreamDestroy(stream));
}

static CUresult call_alloc(CUstream stream)
{
	CUdeviceptr address;

	(void)stream;
	return cu.cuMemAlloc(&address, 16);
}

static CUresult call_context_synchronize(CUstream stream)
{
	(void)stream;
	return cu.cuCtxSynchronize();
}

static CUresult call_load(CUstream stream)
{
	CUmodule module;

	(void)stream;
	return cu.cuModuleLoadData(&module, emu_ptx);
}

static void restrictions(CUdeviceptr a)
{
	CUresult unsupported = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	CUstream blocking = NULL, stream = new_stream();
	CUstreamCaptureStatus status;
	CUgraph graph = NULL;
	CUdeviceptr b = 0;

	forbidden("waiting for the stream", cu.cuStreamSynchronize, unsupported, CU_STREAM_CAPTURE_MODE_RELAXED);
	forbidden("asking the stream", cu.cuStreamQuery, unsupported, CU_STREAM_CAPTURE_MODE_RELAXED);
	forbidden("allocating", call_alloc, unsupported, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
	forbidden("allocating (global)", call_alloc, unsupported, CU_STREAM_CAPTURE_MODE_GLOBAL);
	forbidden("waiting for the context", call_context_synchronize, unsupported, CU_STREAM_CAPTURE_MODE_GLOBAL);
	forbidden("loading a module", call_load, unsupported, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

	emu_must(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
	emu_is(cu.cuMemAlloc(&b, 16), CUDA_SUCCESS, "a relaxed capture lets its thread allocate");
	emu_must(cu.cuStreamEndCapture(stream, &graph));
	emu_must(cu.cuGraphDestroy(graph));

	emu_is(cu.cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_RELAXED), unsupported,
		"the legacy stream cannot be captured");
	emu_is(cu.cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE,
		"a capture that did not begin cannot end");
	begin(stream);
	emu_is(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_ERROR_ILLEGAL_STATE,
		"nor can one begin twice");
	emu_must(cu.cuStreamEndCapture(stream, &graph));
	emu_must(cu.cuGraphDestroy(graph));

	emu_must(cu.cuStreamCreate(&blocking, 0));
	begin(blocking);
	emu_is(cu.cuStreamIsCapturing(NULL, &status), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
		"the legacy stream depends on a blocking one that captures");
	tap_is_int(capturing(blocking), CU_STREAM_CAPTURE_STATUS_ACTIVE, "asking does not spoil");
	emu_is(emu_fill(a, 1, COUNT, NULL), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "using it is an error");
	tap_is_int(capturing(blocking), CU_STREAM_CAPTURE_STATUS_INVALIDATED, "which spoils the capture");
	emu_is(emu_fill(a, 1, COUNT, blocking), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "as every later call says");
	emu_is(cu.cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "until it ends");
	emu_must(cu.cuStreamDestroy(blocking));
	emu_must(cu.cuStreamDestroy(stream));
	emu_must(cu.cuMemFree(b));
}

struct elsewhere {
	CUcontext context;
	CUstream stream;
	CUresult allocated, ended;
};

static void *other_thread(void *data)
{
	struct elsewhere *elsewhere = data;
	CUdeviceptr address = 0;
	CUgraph graph = NULL;

	emu_must(cu.cuCtxPushCurrent(elsewhere->context));
	elsewhere->allocated = cu.cuMemAlloc(&address, 16);
	if (elsewhere->allocated == CUDA_SUCCESS)
		emu_must(cu.cuMemFree(address));
	elsewhere->ended = cu.cuStreamEndCapture(elsewhere->stream, &graph);
	return NULL;
}

/* What a capture of this thread means for another one. */
static struct elsewhere look_from_elsewhere(CUcontext context, CUstreamCaptureMode mode)
{
	struct elsewhere elsewhere = { context, new_stream(), CUDA_SUCCESS, CUDA_SUCCESS };
	CUgraph graph = NULL;
	pthread_t thread;

	emu_must(cu.cuStreamBeginCapture(elsewhere.stream, mode));
	pthread_create(&thread, NULL, other_thread, &elsewhere);
	pthread_join(thread, NULL);
	cu.cuStreamEndCapture(elsewhere.stream, &graph);
	if (graph != NULL)
		emu_must(cu.cuGraphDestroy(graph));
	emu_must(cu.cuStreamDestroy(elsewhere.stream));
	return elsewhere;
}

static void modes(CUcontext context)
{
	struct elsewhere seen = look_from_elsewhere(context, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

	emu_is(seen.allocated, CUDA_SUCCESS, "a thread-local capture lets other threads allocate");
	emu_is(seen.ended, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "but not end it");
	seen = look_from_elsewhere(context, CU_STREAM_CAPTURE_MODE_GLOBAL);
	emu_is(seen.allocated, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a global capture does not");
	seen = look_from_elsewhere(context, CU_STREAM_CAPTURE_MODE_RELAXED);
	emu_is(seen.ended, CUDA_SUCCESS, "a relaxed capture may be ended by another thread");
}

/* In a graph a launch costs less than by itself. */
static void time_in_graphs(CUdeviceptr a)
{
	CUstream stream = new_stream();
	CUevent marks[3];
	CUgraph graph = NULL;
	CUgraphExec exec = NULL;
	float alone = 0, together = 0;

	begin(stream);
	for (int i = 0; i < 10; i++)
		emu_must(emu_fill(a, 1, COUNT, stream));
	emu_must(cu.cuStreamEndCapture(stream, &graph));
	emu_must(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 0; i < 3; i++)
		emu_must(cu.cuEventCreate(&marks[i], 0));
	emu_must(cu.cuEventRecord(marks[0], stream));
	for (int i = 0; i < 10; i++)
		emu_must(emu_fill(a, 1, COUNT, stream));
	emu_must(cu.cuEventRecord(marks[1], stream));
	emu_must(cu.cuGraphLaunch(exec, stream));
	emu_must(cu.cuEventRecord(marks[2], stream));
	emu_must(cu.cuEventElapsedTime(&alone, marks[0], marks[1]));
	emu_must(cu.cuEventElapsedTime(&together, marks[1], marks[2]));
	tap_ok(together > 0 && together < alone, "ten launches take %g ms, in a graph %g ms", (double)alone,
		(double)together);
	emu_must(cu.cuGraphExecDestroy(exec));
	emu_must(cu.cuGraphDestroy(graph));
	emu_must(cu.cuStreamDestroy(stream));
	for (int i = 0; i < 3; i++)
		emu_must(cu.cuEventDestroy(marks[i]));
}

/* What an executable graph's kernel is given anew; the graph that it was made of keeps what it had. */
static void set_parameters(CUdeviceptr a)
{
	unsigned int value = 7, count = COUNT;
	void *parameters[] = { &a, &value, &count };
	CUDA_KERNEL_NODE_PARAMS_v2 node_parameters = { .func = emu_function("fill"), .gridDimX = (COUNT + 127) / 128,
		.gridDimY = 1, .gridDimZ = 1, .blockDimX = 128, .blockDimY = 1, .blockDimZ = 1,
		.kernelParams = parameters };
	CUstream stream = new_stream();
	CUgraph graph = NULL;
	CUgraphExec exec = NULL;
	CUgraphNode node = NULL;
	size_t nodes = 1;

	begin(stream);
	emu_must(emu_fill(a, 3, COUNT, stream));
	emu_must(cu.cuStreamEndCapture(stream, &graph));
	emu_must(cu.cuGraphGetNodes(graph, &node, &nodes));
	emu_must(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
	emu_is(cu.cuGraphExecKernelNodeSetParams(exec, node, &node_parameters), CUDA_SUCCESS,
		"a kernel's parameters can be set");
	value = 8;
	emu_must(cu.cuGraphLaunch(exec, stream));
	tap_ok(emu_is_filled(a, 7, COUNT), "and are those of the call");
	emu_is(cu.cuGraphExecKernelNodeSetParams(exec, NULL, &node_parameters), CUDA_ERROR_INVALID_VALUE,
		"a node that is none is refused");
	emu_is(cu.cuGraphExecKernelNodeSetParams(exec, node, NULL), CUDA_ERROR_INVALID_VALUE, "and no parameters are");
	node_parameters.blockDimX = 2048;
	emu_is(cu.cuGraphExecKernelNodeSetParams(exec, node, &node_parameters), CUDA_ERROR_INVALID_VALUE,
		"what no launch may have is refused");
	emu_must(emu_fill(a, 1, COUNT, stream));
	emu_must(cu.cuGraphLaunch(exec, stream));
	tap_ok(emu_is_filled(a, 7, COUNT), "and changes nothing");
	emu_must(cu.cuGraphExecDestroy(exec));
	emu_must(cu.cuGraphDestroy(graph));
	emu_must(cu.cuStreamDestroy(stream));
}

int main(void)
{
	CUcontext context;
	CUdeviceptr a = 0;

	tap_plan(0);
	context = emu_open_context();
	emu_function("fill"); /* loaded now: a capture would forbid it */
	emu_must(cu.cuMemAlloc(&a, COUNT * 4));
	replay(a);
	fork_and_join(a);
	restrictions(a);
	modes(context);
	time_in_graphs(a);
	set_parameters(a);
	emu_must(cu.cuCtxDestroy(context));
	return tap_done();
}
