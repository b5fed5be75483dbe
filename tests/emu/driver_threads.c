/* SPDX-License-Identifier: MIT
 *
 * Many host threads at once: contexts and streams of their own, one context that all share, captures side by side.
 */
#include "tests/emu/driver.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS 20
#define COUNT 256u

struct job {
	pthread_t thread;
	CUcontext shared;    /* NULL: the thread makes one of its own */
	CUfunction function; /* of the shared context */
	unsigned int number;
	unsigned int wrong;
};

static CUresult fill(CUfunction function, CUdeviceptr to, unsigned int value, CUstream stream)
{
	unsigned int count = COUNT;
	void *parameters[] = { &to, &value, &count };

	return cu.cuLaunchKernel(function, 2, 1, 1, 128, 1, 1, 0, stream, parameters, NULL);
}

/* Fills by a launch or by a captured graph of one, and reads back. */
static unsigned int one_round(const struct job *job, CUdeviceptr a, CUstream stream, unsigned int value)
{
	unsigned int words[COUNT], wrong = 0;
	CUgraphExec exec = NULL;
	CUgraph graph = NULL;

	if (value % 2 == 0) {
		emu_must(fill(job->function, a, value, stream));
	} else {
		emu_must(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
		emu_must(fill(job->function, a, value, stream));
		emu_must(cu.cuStreamEndCapture(stream, &graph));
		emu_must(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
		emu_must(cu.cuGraphDestroy(graph));
		emu_must(cu.cuGraphLaunch(exec, stream));
		emu_must(cu.cuGraphExecDestroy(exec));
	}
	emu_must(cu.cuMemcpyDtoHAsync(words, a, sizeof(words), stream));
	emu_must(cu.cuStreamSynchronize(stream));
	for (unsigned int i = 0; i < COUNT; i++)
		wrong += words[i] != value;
	return wrong;
}

static void *work(void *data)
{
	struct job *job = data;
	CUcontext context = job->shared;
	CUmodule module = NULL;
	CUstream stream = NULL;
	CUdeviceptr a = 0;

	if (context == NULL) {
		emu_must(cu.cuCtxCreate(&context, 0, (CUdevice)(job->number % 2)));
		emu_must(cu.cuModuleLoadData(&module, emu_ptx));
		emu_must(cu.cuModuleGetFunction(&job->function, module, "fill"));
	} else {
		emu_must(cu.cuCtxPushCurrent(context));
	}
	emu_must(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	emu_must(cu.cuMemAlloc(&a, COUNT * 4));
	for (unsigned int i = 0; i < ROUNDS; i++)
		job->wrong += one_round(job, a, stream, job->number * 1000 + i);
	emu_must(cu.cuMemFree(a));
	emu_must(cu.cuStreamDestroy(stream));
	if (job->shared == NULL)
		emu_must(cu.cuCtxDestroy(context));
	return NULL;
}

static unsigned int run(CUcontext shared, CUfunction function)
{
	struct job jobs[THREADS];
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){ .shared = shared, .function = function, .number = i + 1 };
		pthread_create(&jobs[i].thread, NULL, work, &jobs[i]);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(jobs[i].thread, NULL);
		wrong += jobs[i].wrong;
	}
	return wrong;
}

int main(void)
{
	CUcontext context;

	setenv("SCANRT_EMU_DEVICES", "2", 1);
	tap_plan(2);
	context = emu_open_context();
	tap_is_uint(
		run(NULL, NULL), 0, "threads with contexts of their own, on two devices, do not disturb each other");
	tap_is_uint(run(context, emu_function("fill")), 0, "nor do threads that share a context");
	emu_must(cu.cuCtxDestroy(context));
	return tap_done();
}
