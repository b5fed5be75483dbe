/* SPDX-License-Identifier: MIT
 *
 * What an execution costs the host, by one thread and by sixteen with a plan and a stream each.  Beside it the launch
 * of an empty kernel in the same way, allowed to overlap with the one before as scans are, which the driver does with
 * less work: below that no launch gets, though a graph of one kernel does (lib/replay.h), and what it takes longer with
 * many threads is the driver's.
 */
#include <pthread.h>
#include <stdlib.h>

#include "status.h"
#include "table.h"

#define COUNT 1000
#define THREADS 16
#define BATCH 400         /* fewer than a stream queues before its launches wait */
#define BATCHES 15
#define MODEL_THREADS 2
#define MODEL_BATCH 2
#define MODEL_BATCHES 1
#define MOST_US 2.5
#define CONTENTION 1.25   /* times an empty kernel's launch among as many threads */
#define SLOT 8192         /* bytes of a thread's arrays */

struct thread {
	struct bench *bench;
	struct scanrt_plan *plan; /* NULL: empty launches */
	CUfunction empty;
	CUstream stream;
	size_t index;
	int batch;
	int batches;
	pthread_barrier_t *start;
	struct tune_values values;
	int status;
	pthread_t id;
};

/* With the attribute that the library's launches have where they can. */
static int launch_empty(const struct thread *thread)
{
	const struct bench *bench = thread->bench;
	CUlaunchAttribute overlap = { .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
		.value.programmaticStreamSerializationAllowed = 1 };
	CUlaunchConfig config = { 1, 1, 1, 32, 1, 1, 0, thread->stream, &overlap, 1 };

	if (bench->device.capability >= 90 && bench->driver->cuLaunchKernelEx)
		return SRT_CALL(bench->driver, cuLaunchKernelEx, (&config, thread->empty, NULL, NULL));
	return SRT_CALL(bench->driver, cuLaunchKernel,
		(thread->empty, 1, 1, 1, 32, 1, 1, 0, thread->stream, NULL, NULL));
}

static int execute(const struct thread *thread)
{
	const struct bench *bench = thread->bench;
	CUdeviceptr out = bench->out + thread->index * SLOT, in = bench->in + thread->index * SLOT;

	if (thread->plan)
		return scanrt_plan_execute(
			thread->plan, (void *)(uintptr_t)out, (const void *)(uintptr_t)in, COUNT, thread->stream);
	return launch_empty(thread);
}

/* All threads begin each batch together; waiting for the device is not in the time. */
static void *run(void *user)
{
	struct thread *thread = user;

	thread->status = SRT_CALL(thread->bench->driver, cuCtxSetCurrent, (thread->bench->cuda_context));
	for (int batch = 0; batch < thread->batches + 1; batch++) {
		double begin;

		pthread_barrier_wait(thread->start);
		begin = tune_contest_now();
		for (int i = 0; !thread->status && i < thread->batch; i++)
			thread->status = execute(thread);
		/* The first batch warms up. */
		if (batch > 0 || thread->bench->is_modelled)
			tune_values_add(&thread->values, (tune_contest_now() - begin) * 1e6 / thread->batch);
		if (!thread->status)
			thread->status =
				SRT_CALL(thread->bench->driver, cuStreamSynchronize, (thread->stream));
	}
	return NULL;
}

static int open_thread(struct thread *thread, struct bench *bench, size_t index, bool is_empty,
	pthread_barrier_t *start)
{
	const struct bench_module *module;
	struct srt_problem problem;
	int status = srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM);

	*thread = (struct thread){ .bench = bench, .index = index, .start = start,
				   .batch = bench->is_modelled ? MODEL_BATCH : BATCH,
				   .batches = bench->is_modelled ? MODEL_BATCHES : BATCHES };
	if (!status)
		status = bench_module_of(&module, bench, &problem);
	if (!status)
		thread->empty = module->empty;
	if (!status && !is_empty)
		status = bench_plan(&thread->plan, bench, &problem, 0, COUNT, COUNT);
	if (!status)
		status = SRT_CALL(bench->driver, cuStreamCreate, (&thread->stream, CU_STREAM_NON_BLOCKING));
	return status;
}

static void close_thread(struct thread *thread)
{
	scanrt_plan_destroy(thread->plan);
	if (thread->stream)
		thread->bench->driver->cuStreamDestroy(thread->stream);
}

/* The calling thread is one of them.  A thread that cannot be started would leave the others at the barrier. */
static int run_threads(struct thread *threads, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]) != 0) {
			fputs("table: no thread could be started\n", stderr);
			exit(2);
		}
	run(&threads[0]);
	for (size_t i = 1; i < count; i++)
		pthread_join(threads[i].id, NULL);
	for (size_t i = 0; i < count; i++)
		if (threads[i].status)
			return srt_fail(threads[i].status, "a thread failed with status %d", threads[i].status);
	return SCANRT_OK;
}

/* The median of all threads' batches. */
static int measure(struct tune_summary *summary, struct scanrt_plan_description *description, struct bench *bench,
	size_t count, bool is_empty)
{
	struct thread *threads = calloc(count, sizeof *threads);
	struct tune_values values = {0};
	pthread_barrier_t start;
	int status = threads ? SCANRT_OK : srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for threads");

	pthread_barrier_init(&start, NULL, (unsigned)count);
	for (size_t i = 0; !status && i < count; i++)
		status = open_thread(&threads[i], bench, i, is_empty, &start);
	if (!status && !is_empty)
		status = scanrt_plan_describe(threads[0].plan, COUNT, description, NULL, 0);
	if (!status)
		status = run_threads(threads, count);
	for (size_t i = 0; threads && i < count; i++) {
		for (int k = 0; k < threads[i].values.count; k++)
			tune_values_add(&values, threads[i].values.list[k]);
		close_thread(&threads[i]);
	}
	*summary = tune_summarise(&values);
	pthread_barrier_destroy(&start);
	free(threads);
	return status;
}

/* Medians of an execution and of an empty launch. */
struct cost {
	double ours;
	double empty;
};

static int run_case(struct cost *cost, struct bench *bench, size_t count, const char *layout)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	struct tune_summary ours = {0}, empty = {0};
	int status = measure(&empty, &description, bench, count, true);

	if (!status)
		status = measure(&ours, &description, bench, count, false);
	if (!status) {
		struct bench_result result = { .type = "i32", .op = "sum", .count = COUNT, .layout = layout,
					       .description = &description, .ours = ours, .peer = "an empty launch",
					       .peer_us = empty.median, .bytes = 8.0 * COUNT,
					       .want_us = count == 1 ? MOST_US : 0 };

		bench_report(bench, &result);
	}
	*cost = (struct cost){ ours.median, empty.median };
	return status;
}

/* Random inputs for all threads. */
static int fill(struct bench *bench)
{
	struct tune_ring ring = { .in = bench->in, .slots = 1 };
	struct srt_problem problem;
	int status = srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM);

	return status ? status : bench_fill(bench, &problem, &ring, THREADS * SLOT / sizeof(int32_t), false);
}

int bench_run_host(struct bench *bench)
{
	size_t threads = bench->is_modelled ? MODEL_THREADS : THREADS;
	struct cost one = {0}, many = {0};
	int status = fill(bench);

	if (!status)
		status = run_case(&one, bench, 1, "host");
	if (!status)
		status = run_case(&many, bench, threads, "host-threads");
	if (!status)
		bench_note(bench,
			"an execution takes %.2f us, the launch of an empty kernel %.2f: %.2f are the library's",
			one.ours, one.empty, one.ours - one.empty);
	/* The driver's own locks slow every launch down; a lock of ours would come on top.  Not the ratio to one
	 * thread's time, which may be less than a launch takes. */
	if (!status)
		bench_judge(bench, many.ours <= CONTENTION * many.empty,
			"by %zu threads an execution takes %.2f us and an empty launch %.2f; by one %.2f and %.2f",
			threads, many.ours, many.empty, one.ours, one.empty);
	return status;
}
