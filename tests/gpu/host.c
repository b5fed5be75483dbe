/* SPDX-License-Identifier: MIT
 *
 * Host threads, contexts, streams and graphs around the same plans.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/variant.h"
#include "../device.h"

struct host {
	struct test_device device;
	struct scanrt_context *context;
	uint64_t count;
};

static void *pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

/* ---- Threads ---- */

struct worker {
	const struct host *host;
	const char *variant;
	struct scanrt_plan *plan;
	struct reference reference;
	struct test_buffer in;
	struct test_buffer out;
	CUstream stream;
	void *seen;
	atomic_uint *waiting;
	unsigned rounds;
	bool passes; /* set by the thread; TAP lines come from the main thread alone */
};

static bool scan_once(struct worker *worker)
{
	const struct srt_driver *driver = worker->host->device.driver;
	uint64_t index = 0;
	uint64_t wrong = 0;

	if (scanrt_plan_execute(worker->plan, pointer(worker->out.address), pointer(worker->in.address),
		    worker->reference.count, worker->stream) != SCANRT_OK)
		return false;
	if (driver->cuMemcpyDtoHAsync(worker->seen, worker->out.address, worker->out.size, worker->stream) ||
		driver->cuStreamSynchronize(worker->stream))
		return false;
	return reference_check(&worker->reference, worker->seen, worker->reference.count, 1, &index, &wrong);
}

/* Each thread makes its own plan, whose kernel asks for another amount of shared memory, at the same moment. */
static void *work(void *argument)
{
	struct worker *worker = argument;
	const struct srt_driver *driver = worker->host->device.driver;

	worker->passes = driver->cuCtxSetCurrent(worker->host->device.context) == CUDA_SUCCESS;
	atomic_fetch_sub(worker->waiting, 1);
	while (atomic_load(worker->waiting))
		continue;
	worker->plan = test_plan_create(
		worker->host->context, &worker->reference.problem, worker->variant, worker->reference.count);
	for (unsigned i = 0; i < worker->rounds && worker->passes; i++)
		worker->passes = scan_once(worker);
	return NULL;
}

static void worker_begin(struct worker *worker, const struct host *host, const char *variant, atomic_uint *waiting)
{
	struct srt_problem problem;

	memset(worker, 0, sizeof(*worker));
	worker->host = host;
	worker->variant = variant;
	worker->waiting = waiting;
	worker->rounds = test_rounds(&host->device, 200, 3);
	test_problem(&problem, SCANRT_SUM, SCANRT_U32, SCANRT_U32, SCANRT_U32, false);
	reference_create(&worker->reference, &problem, REFERENCE_EXACT, (uint64_t)(uintptr_t)variant[0], host->count);
	test_buffer_create(&worker->in, &host->device, host->count * 4, 0);
	test_buffer_create(&worker->out, &host->device, host->count * 4, 0);
	test_upload(&host->device, worker->in.address, worker->reference.input, worker->in.size);
	test_drive(&host->device, cuStreamCreate, (&worker->stream, CU_STREAM_NON_BLOCKING));
	worker->seen = malloc(worker->out.size);
	if (!worker->seen)
		abort();
}

static void worker_end(struct worker *worker)
{
	scanrt_plan_destroy(worker->plan);
	free(worker->seen);
	test_drive(&worker->host->device, cuStreamDestroy, (worker->stream));
	test_buffer_destroy(&worker->in, &worker->host->device);
	test_buffer_destroy(&worker->out, &worker->host->device);
	reference_destroy(&worker->reference);
}

/* Shared memory differs from device to device; what matters is only that this kernel takes more than its fellows. */
static const char *most_shared_that_fits(const struct host *host)
{
	static const char *const wanted[] = { "lookahead,block=256,items=16,stages=8,ahead=2",
		"lookahead,block=256,items=16,stages=5,ahead=2", "lookahead,block=256,items=16,stages=3,ahead=2" };
	struct srt_problem problem;
	struct srt_variant variant;

	test_problem(&problem, SCANRT_SUM, SCANRT_U32, SCANRT_U32, SCANRT_U32, false);
	for (unsigned i = 0; i < 2; i++) {
		test_need(srt_variant_parse(&variant, wanted[i]));
		if (srt_variant_check(&variant, &problem, &host->device.facts) == SCANRT_OK)
			return wanted[i];
	}
	return wanted[2];
}

static void threads(struct host *host)
{
	const char *const variants[] = { "lookahead,block=128,items=16,stages=6,ahead=3",
		"lookahead,block=128,items=16,stages=2,ahead=1", "lookback,block=128,items=8",
		most_shared_that_fits(host) };
	struct worker workers[4];
	pthread_t ids[4];
	atomic_uint waiting = 4;

	for (unsigned i = 0; i < 4; i++)
		worker_begin(&workers[i], host, variants[i], &waiting);
	for (unsigned i = 0; i < 4; i++) {
		if (pthread_create(&ids[i], NULL, work, &workers[i]))
			abort();
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	for (unsigned i = 0; i < 4; i++) {
		tap_ok(workers[i].passes, "B107: a thread's scans by %s are right beside other threads' plans",
			variants[i]);
		worker_end(&workers[i]);
	}
}

/* ---- Contexts ---- */

static bool still_current(const struct host *host, CUcontext wanted)
{
	CUcontext current = NULL;

	test_drive(&host->device, cuCtxGetCurrent, (&current));
	return current == wanted;
}

/* Setting no context takes one off the thread's stack, and the one below it becomes current. */
static void leave_all_contexts(const struct host *host)
{
	CUcontext context;

	while (!still_current(host, NULL))
		test_drive(&host->device, cuCtxPopCurrent, (&context));
}

static void contexts(struct host *host)
{
	struct srt_problem problem;
	struct reference reference;
	struct scanrt_plan *plan;
	struct test_buffer in;
	struct test_buffer out;
	CUcontext foreign;
	void *seen = malloc(host->count * 4);
	uint64_t index = 0;
	uint64_t wrong = 0;

	if (!seen)
		abort();
	test_problem(&problem, SCANRT_SUM, SCANRT_I32, SCANRT_I32, SCANRT_I32, false);
	reference_create(&reference, &problem, REFERENCE_EXACT, 4, host->count);
	test_buffer_create(&in, &host->device, host->count * 4, 0);
	test_buffer_create(&out, &host->device, host->count * 4, 0);
	test_upload(&host->device, in.address, reference.input, in.size);
	test_drive(&host->device, cuCtxCreate, (&foreign, 0, host->device.handle)); /* becomes current */
	plan = test_plan_create(host->context, &problem, NULL, host->count);
	tap_ok(still_current(host, foreign), "B111: making a plan leaves the caller's context current");
	tap_is_int(scanrt_plan_execute(plan, pointer(out.address), pointer(in.address), host->count, NULL), SCANRT_OK,
		"B109: a plan executes while another context is current");
	tap_ok(still_current(host, foreign), "B111: executing leaves the caller's context current");
	leave_all_contexts(host);
	tap_is_int(scanrt_plan_execute(plan, pointer(out.address), pointer(in.address), host->count, NULL), SCANRT_OK,
		"B109: a plan executes while no context is current");
	tap_ok(still_current(host, NULL), "B111: executing leaves no context current where none was");
	scanrt_plan_destroy(plan);
	tap_ok(still_current(host, NULL), "B111: destroying a plan leaves no context current where none was");
	test_drive(&host->device, cuCtxDestroy, (foreign));
	test_drive(&host->device, cuCtxSetCurrent, (host->device.context));
	test_synchronize(&host->device);
	test_download(&host->device, seen, out.address, out.size);
	tap_ok(reference_check(&reference, seen, host->count, 1, &index, &wrong), "B109: and its results are right");
	test_buffer_destroy(&in, &host->device);
	test_buffer_destroy(&out, &host->device);
	reference_destroy(&reference);
	free(seen);
}

/* ---- Graphs ---- */

struct capture {
	struct host *host;
	struct reference reference;
	struct scanrt_plan *plan;
	struct test_buffer in;
	struct test_buffer out;
	CUstream stream;
	CUgraphExec graph;
	uint64_t counts[4];
};

/* Four scans of four counts in one graph, each into a quarter of the output. */
static bool record(struct capture *capture)
{
	const struct test_device *device = &capture->host->device;
	CUgraph graph = NULL;
	bool passes = true;

	test_drive(device, cuStreamBeginCapture, (capture->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	for (unsigned i = 0; i < 4; i++) {
		CUdeviceptr out = capture->out.address + i * capture->host->count * 4;

		passes = scanrt_plan_execute(capture->plan, pointer(out), pointer(capture->in.address),
				 capture->counts[i], capture->stream) == SCANRT_OK &&
			passes;
	}
	passes = device->driver->cuStreamEndCapture(capture->stream, &graph) == CUDA_SUCCESS && graph && passes;
	if (passes) {
		test_drive(device, cuGraphInstantiateWithFlags, (&capture->graph, graph, 0));
		test_drive(device, cuGraphDestroy, (graph));
	}
	return passes;
}

static bool replay(struct capture *capture, unsigned char *seen)
{
	const struct test_device *device = &capture->host->device;
	uint64_t quarter = capture->host->count * 4;
	bool passes = true;

	test_buffer_poison(&capture->out, device);
	test_drive(device, cuGraphLaunch, (capture->graph, capture->stream));
	test_drive(device, cuStreamSynchronize, (capture->stream));
	test_download(device, seen, capture->out.address, capture->out.size);
	for (unsigned i = 0; i < 4; i++) {
		uint64_t index = 0;
		uint64_t wrong = 0;

		passes = reference_check(
				 &capture->reference, seen + i * quarter, capture->counts[i], 1, &index, &wrong) &&
			passes;
		if (capture->counts[i] < capture->host->count)
			passes = seen[i * quarter + capture->counts[i] * 4] == TEST_POISON && passes;
	}
	return passes;
}

static void graphs(struct host *host, const char *variant)
{
	uint64_t n = host->count;
	struct capture capture = { .host = host, .counts = { n, 1, n / 2 + 1, n - 1 } };
	struct srt_problem problem;
	unsigned char *seen = malloc(n * 16);
	unsigned rounds = test_rounds(&host->device, 50, 3);
	bool passes = true;

	if (!seen)
		abort();
	test_problem(&problem, SCANRT_SUM, SCANRT_U32, SCANRT_U32, SCANRT_U32, true);
	reference_create(&capture.reference, &problem, REFERENCE_EXACT, 2, n);
	test_buffer_create(&capture.in, &host->device, n * 4, 0);
	test_buffer_create(&capture.out, &host->device, n * 16, 0);
	test_upload(&host->device, capture.in.address, capture.reference.input, capture.in.size);
	test_drive(&host->device, cuStreamCreate, (&capture.stream, CU_STREAM_NON_BLOCKING));
	capture.plan = test_plan_create(host->context, &problem, variant, n);
	tap_ok(record(&capture), "B113: scans by %s can be captured into a graph", variant ? variant : "any variant");
	for (unsigned i = 0; i < rounds && capture.graph && passes; i++)
		passes = replay(&capture, seen);
	tap_ok(capture.graph && passes, "B113: %u replays of the graph by %s are right", rounds,
		variant ? variant : "any variant");
	tap_ok(test_plan_passes(&host->device, capture.plan, &capture.reference, n, capture.stream),
		"B113: the same plan scans outside of the graph after it");
	if (capture.graph)
		test_drive(&host->device, cuGraphExecDestroy, (capture.graph));
	scanrt_plan_destroy(capture.plan);
	test_drive(&host->device, cuStreamDestroy, (capture.stream));
	test_buffer_destroy(&capture.in, &host->device);
	test_buffer_destroy(&capture.out, &host->device);
	reference_destroy(&capture.reference);
	free(seen);
}

int main(void)
{
	struct host host = { 0 };

	test_device_open(&host.device);
	host.count = test_cap(&host.device, 100003);
	host.context = test_context_create(&host.device);
	tap_plan(0);
	threads(&host);
	contexts(&host);
	graphs(&host, NULL);
	graphs(&host, "lookback,block=64,items=8");
	graphs(&host, "lookahead,block=64,items=8,stages=3,ahead=2");
	graphs(&host, "fan,block=64,items=1");
	graphs(&host, "reduce-fixed,block=64,items=4,partials=16");
	scanrt_context_destroy(host.context);
	test_device_close(&host.device);
	return tap_done();
}
