/* SPDX-License-Identifier: MIT
 *
 * Launches in a row, which the library makes by a graph of its own after the first ones: other arrays, other counts,
 * other numbers of blocks, other streams, and captures of the caller's in between.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../../lib/plan.h"
#include "../../lib/replay.h"
#include "../device.h"

#define IN_A_ROW 40 /* enough for a graph, and for some launches of it */
#define STREAMS  32 /* of which one may lie where another one was */

struct replay {
	struct test_device device;
	struct scanrt_context *context;
	struct reference reference;
	struct scanrt_plan *plan;
	CUstream stream;
};

static bool is_in_use(const struct replay *replay)
{
	return srt_replay_is_in_use(replay->plan->fetched[0].kernel.replay);
}

/* Each on memory of its own. */
static bool row_passes(const struct replay *replay, uint64_t count, uint64_t step, CUstream stream)
{
	bool passes = true;

	for (uint64_t i = 0; i < IN_A_ROW && passes; i++) {
		tap_case("%" PRIu64 " elements, launch %" PRIu64 " in a row", count - i * step, i);
		passes = test_plan_passes(&replay->device, replay->plan, &replay->reference, count - i * step, stream);
	}
	tap_case(NULL);
	return passes;
}

/* The caller's graph has the kernel, whatever the library does outside of captures. */
static bool captured_passes(const struct replay *replay, uint64_t count)
{
	const struct test_device *device = &replay->device;
	struct test_buffer in;
	struct test_buffer out;
	uint32_t *seen = malloc(count * 4);
	uint64_t index = 0;
	uint64_t wrong = 0;
	CUgraph graph = NULL;
	CUgraphExec executable = NULL;
	bool passes;

	if (!seen)
		abort();
	test_buffer_create(&in, device, count * 4, 0);
	test_buffer_create(&out, device, count * 4, 0);
	test_upload(device, in.address, replay->reference.input, in.size);
	test_buffer_poison(&out, device);
	test_drive(device, cuStreamBeginCapture, (replay->stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
	test_need(scanrt_plan_execute(replay->plan, (void *)(uintptr_t)out.address,
		(const void *)(uintptr_t)in.address, count, replay->stream));
	test_drive(device, cuStreamEndCapture, (replay->stream, &graph));
	test_download(device, seen, out.address, out.size);
	passes = seen[0] == 0x01010101u * TEST_POISON; /* nothing has run yet */
	test_drive(device, cuGraphInstantiateWithFlags, (&executable, graph, 0));
	test_drive(device, cuGraphLaunch, (executable, replay->stream));
	test_drive(device, cuStreamSynchronize, (replay->stream));
	test_download(device, seen, out.address, out.size);
	passes = reference_check(&replay->reference, seen, count, 1, &index, &wrong) && passes;
	test_drive(device, cuGraphExecDestroy, (executable));
	test_drive(device, cuGraphDestroy, (graph));
	test_buffer_destroy(&in, device);
	test_buffer_destroy(&out, device);
	free(seen);
	return passes;
}

/* A plan on a stream of another context; that of the plan stays current. */
static int foreign_status(const struct replay *replay, CUstream foreign, uint64_t count)
{
	const struct test_device *device = &replay->device;
	struct test_buffer buffer;
	int status;

	test_buffer_create(&buffer, device, count * 4, 0);
	status = scanrt_plan_execute(replay->plan, (void *)(uintptr_t)buffer.address,
		(const void *)(uintptr_t)buffer.address, count, foreign);
	test_drive(device, cuStreamSynchronize, (replay->stream));
	test_buffer_destroy(&buffer, device);
	return status;
}

/* A stream of the other context at an address that one of the plan's own had a moment ago; NULL: the driver gives out
 * others. */
static CUstream take_over(const struct replay *replay, CUcontext other, CUstream gone)
{
	const struct test_device *device = &replay->device;
	CUstream streams[STREAMS] = { NULL }, found = NULL;

	test_drive(device, cuCtxPushCurrent, (other));
	for (size_t i = 0; i < STREAMS && !found; i++) {
		test_drive(device, cuStreamCreate, (&streams[i], CU_STREAM_NON_BLOCKING));
		found = streams[i] == gone ? gone : NULL;
	}
	for (size_t i = 0; i < STREAMS; i++)
		if (streams[i] && streams[i] != found)
			test_drive(device, cuStreamDestroy, (streams[i]));
	test_drive(device, cuCtxPopCurrent, (&other));
	return found;
}

static void check_reused(struct replay *replay, CUcontext other, uint64_t most, int refused)
{
	const struct test_device *device = &replay->device;
	CUstream own = NULL, foreign;

	test_drive(device, cuStreamCreate, (&own, CU_STREAM_NON_BLOCKING));
	tap_ok(row_passes(replay, most, 0, own), "launches in a row on a stream that then goes");
	test_drive(device, cuStreamDestroy, (own));
	foreign = take_over(replay, other, own);
	if (!foreign) {
		tap_skip(1, "no stream has the handle of one that is gone");
		return;
	}
	tap_is_int(foreign_status(replay, foreign, most), refused,
		"another context's stream with the handle of the one that is gone is refused");
	test_drive(device, cuStreamDestroy, (foreign));
}

/* The driver refuses such a launch, and so it does where the launch would be a graph's. */
static void check_foreign(struct replay *replay, uint64_t most)
{
	const struct test_device *device = &replay->device;
	CUcontext other = NULL;
	CUstream foreign = NULL;
	int refused;

	test_drive(device, cuCtxCreate, (&other, 0, 0));
	test_drive(device, cuStreamCreate, (&foreign, CU_STREAM_NON_BLOCKING));
	test_drive(device, cuCtxPopCurrent, (&other));
	refused = foreign_status(replay, foreign, most);
	tap_ok(refused != SCANRT_OK, "another context's stream is refused");
	tap_ok(row_passes(replay, most, 0, replay->stream), "launches in a row, whose later ones are a graph's");
	tap_is_int(foreign_status(replay, foreign, most), refused, "and another's stream is still refused");
	tap_ok(row_passes(replay, most, 0, replay->stream), "the plan's own is not");
	check_reused(replay, other, most, refused);
	test_drive(device, cuCtxPushCurrent, (other));
	test_drive(device, cuStreamDestroy, (foreign));
	test_drive(device, cuCtxDestroy, (other));
}

/* A context that is destroyed takes its plans' part in the driver along; what is the library's own is freed.  Wrong use
 * by the manual, which an emulated device reports: to NVIDIA's driver the handle of a context that is gone is any
 * address, and an H200's waited for ever. */
static void check_lost_context(struct replay *replay)
{
	const struct test_device *device = &replay->device;
	struct srt_problem problem;
	struct scanrt_context *context = NULL;
	CUcontext lost = NULL;
	CUstream stream = NULL;

	test_drive(device, cuCtxCreate, (&lost, 0, 0));
	test_need(scanrt_context_create(&context, NULL));
	test_drive(device, cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
	test_problem(&problem, SCANRT_SUM, SCANRT_U32, SCANRT_U32, SCANRT_U32, false);
	reference_create(&replay->reference, &problem, REFERENCE_EXACT, 3, 300);
	replay->plan = test_plan_create(context, &problem, "block,block=128,items=4", 300);
	tap_ok(row_passes(replay, 300, 0, stream) &&
			is_in_use(replay) == (device->driver->cuGraphExecKernelNodeSetParams != NULL),
		"a plan in a context of its own comes to its graph");
	test_drive(device, cuStreamDestroy, (stream));
	test_drive(device, cuCtxDestroy, (lost));
	scanrt_plan_destroy(replay->plan);
	scanrt_context_destroy(context);
	reference_destroy(&replay->reference);
	tap_ok(true, "a plan and its graph may be destroyed after the context that they are of");
}

static void check(struct replay *replay, const char *variant, uint64_t most)
{
	const bool can = replay->device.driver->cuGraphExecKernelNodeSetParams != NULL;
	struct srt_problem problem;

	test_problem(&problem, SCANRT_SUM, SCANRT_U32, SCANRT_U32, SCANRT_U32, false);
	reference_create(&replay->reference, &problem, REFERENCE_EXACT, 3, most);
	replay->plan = test_plan_create(replay->context, &problem, variant, most);
	tap_ok(!is_in_use(replay), "%s: a plan begins without a graph", variant);
	tap_ok(row_passes(replay, most, 1, replay->stream), "launches in a row of other arrays and counts are right");
	tap_ok(is_in_use(replay) == can, "the later ones by a graph");
	tap_ok(captured_passes(replay, most), "B113: what a stream captures becomes part of the caller's graph");
	tap_ok(row_passes(replay, most / 4, 1, replay->stream) && row_passes(replay, most / 4, 0, replay->stream) &&
			row_passes(replay, most, 0, replay->stream) && row_passes(replay, most, 1, replay->stream),
		"another number of blocks, and the first one again");
	tap_ok(row_passes(replay, most, 2, NULL), "the default stream");
	tap_ok(is_in_use(replay) == can, "and a graph to the end");
	check_foreign(replay, most);
	scanrt_plan_destroy(replay->plan);
	reference_destroy(&replay->reference);
}

int main(void)
{
	struct replay replay = { 0 };

	test_device_open(&replay.device);
	tap_plan(0);
	replay.context = test_context_create(&replay.device);
	test_drive(&replay.device, cuStreamCreate, (&replay.stream, CU_STREAM_NON_BLOCKING));
	check(&replay, "block,block=128,items=4", 500);
	if (replay.device.facts.has_clusters)
		check(&replay, "cluster,block=64,items=4", 2000);
	test_drive(&replay.device, cuStreamDestroy, (replay.stream));
	if (replay.device.facts.is_emulated)
		check_lost_context(&replay);
	else
		tap_skip(2, "a driver knows a context that is gone only if it is emulated");
	scanrt_context_destroy(replay.context);
	test_device_close(&replay.device);
	return tap_done();
}
