/* SPDX-License-Identifier: MIT
 *
 * Executions: what is launched, and what is refused before it is.
 */
#include <string.h>

#include "driver.h"
#include "fake.h"
#include "plan.h"
#include "tests/tap.h"

#define AT(address) ((void *)(uintptr_t)(address))

static struct fake_driver *fake;
static struct scanrt_context *context;
static struct scanrt_plan *plan;      /* i32 to i32 */
static struct scanrt_plan *widening;  /* i32 to i64 */

static void make(struct scanrt_plan **made, int output_type)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;

	problem.input_type = SCANRT_I32;
	problem.output_type = output_type;
	problem.op = SCANRT_SUM;
	if (scanrt_plan_create(made, context, &problem, NULL))
		tap_bail_out("no plan: %s", scanrt_last_error());
}

static void test_launch(void)
{
	const struct srt_plan_class *class;
	const struct srt_kernel *kernel;
	uint64_t counts[] = { 1, 1000, 4097, 100000, 5000000, UINT64_C(1) << 32 };
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		const struct fake_launch *launch = &fake->launch;
		uint64_t tile;

		tap_case("count %llu", (unsigned long long)counts[i]);
		class = srt_plan_class_of(plan, counts[i]);
		kernel = &class->fetched->kernel;
		tile = srt_variant_tile(&kernel->variant);
		fake->launches = 0;
		tap_is_int(scanrt_plan_execute(plan, AT(0x1000000004), AT(0x2000000004), counts[i], AT(0x77)),
			SCANRT_OK,
			"a scan is launched");
		tap_is_int(fake->launches, 1, "by one launch");
		tap_is_uint(launch->arguments.count, counts[i], "the count gets through in 64 bits");
		tap_is_uint((uintptr_t)launch->arguments.out, 0x1000000004, "out gets through");
		tap_is_uint((uintptr_t)launch->arguments.in, 0x2000000004, "in gets through");
		tap_ok(launch->stream == AT(0x77), "the stream is the caller's");
		tap_is_uint(launch->arguments.tiles, (counts[i] + tile - 1) / tile, "the tiles cover the count");
		tap_is_uint(launch->block, srt_variant_threads(&kernel->variant),
			"the block has the variant's threads");
		tap_is_uint((uintptr_t)launch->arguments.tile_words,
			(uintptr_t)launch->arguments.control + SCAN_CONTROL_BYTES,
				"the tile words follow the control words");
		if (kernel->variant.strategy == SRT_BLOCK)
			tap_is_uint(launch->grid, 1, "one block scans one tile");
		if (kernel->variant.strategy == SRT_LOOKBACK)
			tap_is_uint(launch->arguments.draws, launch->grid, "look-back draws a ticket a block");
		if (kernel->variant.strategy == SRT_LOOKAHEAD) {
			tap_ok(launch->grid <= 132, "no more blocks than run at once");
			tap_is_uint(launch->arguments.draws, launch->arguments.tiles + launch->grid,
				"look-ahead draws once more for each block");
		}
		if (kernel->variant.strategy != SRT_BLOCK)
			tap_ok(launch->arguments.tile_word_capacity >= launch->arguments.tiles,
				"the workspace has words for all tiles");
	}
	tap_case("%s", "");
}

static int execute(uintptr_t out, uintptr_t in, uint64_t count)
{
	return scanrt_plan_execute(plan, AT(out), AT(in), count, NULL);
}

static int widen(uintptr_t out, uintptr_t in, uint64_t count)
{
	return scanrt_plan_execute(widening, AT(out), AT(in), count, NULL);
}

static void test_refusals(void)
{
	int calls = fake->calls;

	tap_is_int(scanrt_plan_execute(NULL, AT(4), AT(8), 1, NULL), SCANRT_ERROR_NULL_POINTER,
		"a null plan is refused");
	tap_is_int(execute(0, 0x1000, 1), SCANRT_ERROR_NULL_POINTER, "a null out is refused");
	tap_contains(scanrt_last_error(), "out is null", "and named");
	tap_is_int(execute(0x1000, 0, 1), SCANRT_ERROR_NULL_POINTER, "a null in is refused");
	tap_is_int(execute(0x1002, 0x2000, 1), SCANRT_ERROR_MISALIGNED, "a misaligned out is refused");
	tap_is_int(execute(0x1000, 0x2001, 1), SCANRT_ERROR_MISALIGNED, "a misaligned in is refused");
	tap_is_int(execute(0x1000, 0x1004, 2), SCANRT_ERROR_OVERLAP, "in one element behind out is refused");
	tap_is_int(execute(0x1004, 0x1000, 2), SCANRT_ERROR_OVERLAP, "out one element behind in is refused");
	tap_is_int(widen(0x1000, 0x1000, 2), SCANRT_ERROR_OVERLAP, "in place with types of two sizes is refused");
	tap_is_int(widen(0x1000, 0x1008, 2), SCANRT_ERROR_OVERLAP, "in inside of a wider out is refused");
	tap_is_int(execute(0x1000, 0x10000, (UINT64_C(1) << 32) + 1), SCANRT_ERROR_COUNT,
		"a count beyond max_count is refused");
	tap_is_int(execute(0x1000, 0x10000, UINT64_MAX), SCANRT_ERROR_COUNT, "the largest count of all is refused");
	tap_is_int(execute(UINTPTR_MAX - 7, 0x1000, 3), SCANRT_ERROR_COUNT,
		"an array beyond the address space is refused");
	tap_is_int(fake->calls, calls, "no refused call reaches the driver");
}

static void test_legal(void)
{
	int calls = fake->calls;

	tap_is_int(scanrt_plan_execute(plan, NULL, NULL, 0, NULL), SCANRT_OK,
		"B105: count 0 is legal with null pointers");
	tap_is_int(execute(3, 5, 0), SCANRT_OK, "B105: and with any others");
	tap_is_int(fake->calls, calls, "B105: it calls nothing");
	tap_is_int(execute(0x1000, 0x1000, 100), SCANRT_OK, "B060: in place is legal");
	tap_is_int(execute(0x1000, 0x1000 + 400, 100), SCANRT_OK, "arrays that touch do not overlap");
	tap_is_int(execute(0x1000 + 400, 0x1000, 100), SCANRT_OK, "whichever comes first");
	tap_is_int(widen(0x1008, 0x2004, 2), SCANRT_OK, "B068: element-aligned pointers are enough");
}

static void test_context_kept(void)
{
	const int depth = fake->depth;

	fake_set_current(fake, true);
	tap_is_int(execute(0x1000, 0x2000, 5), SCANRT_OK, "a plan runs while another context is current");
	tap_ok(fake->launch.context == context->cuda_context, "B111: the launch is in the plan's context");
	tap_is_int(fake->depth, depth, "B111: the caller's context is current again");
	fake_set_current(fake, false);
}

/* Calls of one execution: which context is current, push, launch, pop.  Anything more would cost time, or break a
 * capture (B113). */
static void test_path(void)
{
	CUcontext popped;
	int calls = fake->calls;

	tap_is_int(execute(0x10000000, 0x20000000, 1 << 20), SCANRT_OK, "a scan is launched");
	tap_is_int(fake->calls - calls, 4, "B113: an execution calls the driver four times");
	context->driver->cuCtxPushCurrent(context->cuda_context);
	calls = fake->calls;
	tap_is_int(execute(0x10000000, 0x20000000, 1 << 20), SCANRT_OK, "and another where its context is current");
	tap_is_int(fake->calls - calls, 2, "B113: with two calls");
	context->driver->cuCtxPopCurrent(&popped);
}

/* Whatever the size of the caller's workspace. */
static void test_scratch_place(void)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan *fan = NULL;
	size_t need = 0;

	problem.input_type = SCANRT_I32;
	problem.op = SCANRT_SUM;
	problem.max_count = 100000;
	options.variant = "fan,block=256,items=1";
	if (scanrt_plan_workspace_size(&need, context, &problem, &options))
		tap_bail_out("no size: %s", scanrt_last_error());
	options.workspace = AT(0x4000000);
	options.workspace_size = need + 100;
	if (scanrt_plan_create(&fan, context, &problem, &options))
		tap_bail_out("no plan: %s", scanrt_last_error());
	tap_is_int(scanrt_plan_execute(fan, AT(0x1000), AT(0x400000000), 100000, NULL), SCANRT_OK,
		"a scan in a workspace of an odd size is launched");
	tap_is_uint((uintptr_t)fake->launch.arguments.partials % 256, 0, "with partials at a multiple of 256 bytes");
	tap_ok((uintptr_t)fake->launch.arguments.partials - 0x4000000 < need + 100, "in the workspace");
	scanrt_plan_destroy(fan);
}

/* Two launches a level and one for the last; nothing in between, and nothing after one that is refused. */
static void test_several_launches(void)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	const uint64_t count = (UINT64_C(1) << 33) + 5;
	struct scanrt_plan *fan = NULL;
	int calls;

	problem.input_type = SCANRT_I32;
	problem.op = SCANRT_SUM;
	problem.max_count = count;
	options.variant = "fan,block=256,items=1";
	if (scanrt_plan_create(&fan, context, &problem, &options))
		tap_bail_out("no plan: %s", scanrt_last_error());
	fake->launches = 0;
	calls = fake->calls;
	tap_is_int(scanrt_plan_execute(fan, AT(0x1000), AT(0x4000000000), count, NULL), SCANRT_OK,
		"a scan of several launches is launched");
	tap_is_int(fake->launches, 9, "B001: beyond 2^32 elements there are five levels of 256 elements a tile");
	tap_is_int(fake->calls - calls, 12, "B113: and no other call of the driver than for the context");
	tap_is_uint(fake->launch.arguments.count, count, "the last of them has all elements");
	tap_is_uint(fake->launch.arguments.tiles, (UINT64_C(1) << 25) + 1, "in all their tiles");
	tap_is_uint(fake->launch.grid, UINT64_C(1) << 25, "B011: and a block for each but the first, all in x");
	fake->launches = 0;
	fake->fail_name = "cuLaunchKernelEx";
	fake->fail_code = 1;
	calls = fake->calls;
	tap_is_int(scanrt_plan_execute(fan, AT(0x1000), AT(0x4000000000), count, NULL), SCANRT_ERROR_LAUNCH,
		"B011: a refused launch among several has its status");
	tap_is_int(fake->calls - calls, 4, "and no other follows it");
	fake->fail_name = NULL;
	scanrt_plan_destroy(fan);
}

/* So many blocks for each multiprocessor as a launch has tiles for each, and not one more. */
static void test_even_blocks(void)
{
	static const unsigned tiles[] = { 100, 132, 133, 147, 264, 265, 396, 397, 1000 };
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan *totals = NULL;
	const struct srt_kernel *kernel;
	const int occupancy = fake->occupancy;

	problem.input_type = SCANRT_F32;
	problem.op = SCANRT_SUM;
	options.variant = "totals,items=28,store=bulk,residency=2,gather=2";
	fake->occupancy = 3;
	if (scanrt_plan_create(&totals, context, &problem, &options))
		tap_bail_out("no plan: %s", scanrt_last_error());
	kernel = &srt_plan_class_of(totals, 1)->fetched->kernel;
	for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++) {
		unsigned blocks = (tiles[i] - 1) / 132 + 1, each;

		tap_is_int(scanrt_plan_execute(totals, AT(0x1000000000), AT(0x2000000000),
			(uint64_t)tiles[i] * 7168, NULL),
			SCANRT_OK, "%u tiles are launched", tiles[i]);
		each = fake->launch.shared + 1024 + (unsigned)kernel->static_shared;
		tap_ok(blocks >= 3 || (blocks * each <= 233472 && (blocks + 1) * each > 233472),
			"%u blocks fit a multiprocessor, and no more", blocks);
		tap_ok(fake->launch.shared >= kernel->dynamic_shared, "which have the shared memory that they need");
		tap_ok(blocks < 3 || fake->launch.shared == kernel->dynamic_shared,
			"and no more than that where they fill it");
	}
	tap_is_int(scanrt_plan_execute(totals, AT(0x1000000000), AT(0x2000000000), 7168, NULL), SCANRT_OK,
		"one tile is launched");
	tap_is_uint(fake->launch.shared, kernel->dynamic_shared, "with what it needs");
	tap_is_int(fake->lowered, 0, "B107: shared memory that was opted in is never lowered");
	scanrt_plan_destroy(totals);
	fake->occupancy = occupancy;
}

static void test_failures(void)
{
	fake->fail_name = "cuLaunchKernelEx";
	fake->fail_code = 1;
	tap_is_int(execute(0x1000, 0x2000, 5), SCANRT_ERROR_LAUNCH, "a refused launch has its status");
	tap_contains(scanrt_last_error(), "cuLaunchKernelEx", "and names the call");
	fake->fail_code = 400;
	tap_is_int(execute(0x1000, 0x2000, 5), SCANRT_ERROR_CONTEXT, "a stream of another context is told");
	fake->fail_code = 700;
	tap_is_int(execute(0x1000, 0x2000, 5), SCANRT_ERROR_DEVICE_LOST, "a sticky error is told");
	fake->fail_code = 901;
	tap_is_int(execute(0x1000, 0x2000, 5), SCANRT_ERROR_CAPTURE, "a broken capture is told");
	tap_is_int(fake->depth, 0, "B111: the context is put back after failures too");
	fake->fail_name = "cuCtxPopCurrent";
	fake->fail_code = 201;
	tap_is_int(execute(0x1000, 0x2000, 5), SCANRT_ERROR_CONTEXT, "a failure to put the context back is told");
	fake->fail_name = NULL;
	tap_is_int(execute(0x1000, 0x2000, 5), SCANRT_OK, "and the next execution goes on");
	tap_is_string(scanrt_last_error(), "", "with the error's text cleared");
}

int main(void)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;

	tap_plan(0);
	fake = fake_driver();
	fake_compiler();
	options.device = "0";
	options.database = "off";
	if (scanrt_context_create(&context, &options))
		tap_bail_out("no context: %s", scanrt_last_error());
	make(&plan, SCANRT_TYPE_DEFAULT);
	make(&widening, SCANRT_I64);
	test_launch();
	test_refusals();
	test_legal();
	test_context_kept();
	test_path();
	test_scratch_place();
	test_several_launches();
	test_even_blocks();
	test_failures();
	scanrt_plan_destroy(plan);
	scanrt_plan_destroy(widening);
	scanrt_context_destroy(context);
	tap_is_int(fake_held(fake), 0, "nothing is held at the end");
	return tap_done();
}
