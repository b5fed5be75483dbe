/* SPDX-License-Identifier: MIT
 *
 * Plans without a database: their classes and workspace, and what is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "heuristic.h"
#include "plan.h"
#include "planning.h"
#include "status.h"
#include "tests/tap.h"

static void test_classes(void)
{
	struct scanrt_plan *plan = make(NULL);
	size_t i;

	tap_is_uint(plan->classes[0].low_count, 1, "the first class begins at 1");
	for (i = 1; i < plan->class_count; i++)
		tap_is_uint(plan->classes[i].low_count, plan->classes[i - 1].high_count + 1,
			"class %zu follows without a gap",
			i);
	tap_is_uint(plan->classes[plan->class_count - 1].high_count, UINT64_C(1) << 32, "the last class ends at 2^32");
	tap_is_int(plan->classes[0].fetched->kernel.variant.strategy, SRT_BLOCK, "one tile is for one block");
	tap_is_int(plan->classes[plan->class_count - 1].fetched->kernel.variant.strategy, SRT_LOOKAHEAD,
		"large counts on capability 9.0 are for look-ahead");
	tap_is_int(fake->loads, (int)plan->fetched_count, "each variant's module is loaded once");
	tap_is_int(fake->allocations, 2, "one workspace beside the context's memory serves all classes");
	tap_is_int(fake->lowered, 0, "B107: shared memory that was opted in is never lowered");
	tap_is_string(scanrt_last_error(), "", "success leaves no error text");
	scanrt_plan_destroy(plan);
	tap_is_int(fake_held(fake), HELD_BY_CONTEXT, "a destroyed plan holds nothing");
	problem.max_count = 100;
	plan = make(NULL);
	tap_is_int((int)plan->class_count, 1, "a plan for 100 elements has one class");
	tap_is_uint(plan->classes[0].high_count, 100, "which ends at max_count");
	scanrt_plan_destroy(plan);
	reset();
}

static void test_min_count(void)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	uint64_t large = UINT64_C(1) << 28;
	struct scanrt_plan *plan;

	problem.min_count = large;
	problem.max_count = large;
	plan = make(NULL);
	tap_is_int((int)plan->class_count, 1, "a plan for one count has one class");
	tap_is_uint(plan->classes[0].low_count, large, "which begins at min_count");
	tap_is_int(fake->loads, 1, "and one module");
	tap_is_int(scanrt_plan_describe(plan, large - 1, &description, NULL, 0), SCANRT_ERROR_COUNT,
		"a count below min_count is refused");
	tap_contains(scanrt_last_error(), "min_count", "and the text says so");
	tap_is_int(scanrt_plan_describe(plan, large, &description, NULL, 0), SCANRT_OK, "the count itself is not");
	tap_is_int(scanrt_plan_execute(plan, NULL, NULL, 0, NULL), SCANRT_OK, "B105: nor is count 0");
	scanrt_plan_destroy(plan);
	reset();
}

static void test_pin(void)
{
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan *plan;

	options.variant = "lookback,block=128,items=8";
	plan = make(&options);
	tap_is_int((int)plan->class_count, 1, "a pinned variant serves all counts");
	tap_is_int(plan->classes[0].origin, SCANRT_ORIGIN_FORCED, "its origin is forced");
	scanrt_plan_destroy(plan);
	options.variant = "block,block=128,items=8";
	plan = make(&options);
	tap_is_uint(plan->classes[0].high_count, 1024, "a pinned block scan serves one tile");
	tap_is_int(plan->classes[1].origin, SCANRT_ORIGIN_DEFAULT, "and the defaults serve what is beyond");
	scanrt_plan_destroy(plan);
	options.variant = "lookback,block=100";
	tap_is_int(refuse(&options), SCANRT_ERROR_VARIANT, "a pin that does not parse is refused");
	options.variant = "lookback,items=3";
	tap_is_int(refuse(&options), SCANRT_ERROR_VARIANT, "a pin that the problem excludes is refused");
	options.variant = "lookback,block=128,items=8";
	compiler->fail_option = "";
	tap_is_int(refuse(&options), SCANRT_ERROR_COMPILE,
		"a pin that does not compile is a failure, not another variant");
	reset();
	setenv("SCANRT_VARIANT", "lookback,block=64", 1);
	plan = make(NULL);
	tap_is_int(plan->classes[0].origin, SCANRT_ORIGIN_FORCED, "SCANRT_VARIANT pins too");
	tap_is_int(plan->classes[0].fetched->kernel.variant.block, 64, "it is the variant that was named");
	scanrt_plan_destroy(plan);
	setenv("SCANRT_VARIANT", "lookback,items=3", 1);
	tap_is_int(refuse(NULL), SCANRT_ERROR_VARIANT, "a variant of the environment that does not fit is refused");
	tap_contains(scanrt_last_error(), "SCANRT_VARIANT: ", "and the message names the variable");
	unsetenv("SCANRT_VARIANT");
	reset();
}

static void test_fit(void)
{
	fake->occupancy = 0;
	tap_is_int(refuse(NULL), SCANRT_ERROR_VARIANT, "a device that no kernel fits is refused");
	reset();
	fake->max_threads = 64;
	tap_is_int(refuse(NULL), SCANRT_ERROR_VARIANT, "a kernel that allows too few threads is refused");
	reset();
}

/* B101: the pinned shape survives retuning and differs not between GPUs. */
/* Near the device's capacity the caller wants to know that memory is what lacks, and to try again with less. */
static void test_memory(void)
{
	fake->fail_name = "cuMemAlloc";
	fake->fail_code = CUDA_ERROR_OUT_OF_MEMORY;
	tap_is_int(refuse(NULL), SCANRT_ERROR_DEVICE_MEMORY, "B175: a device without room has a status of its own");
	tap_contains(scanrt_last_error(), " bytes of workspace: cuMemAlloc: ",
		"B175: and the sentence tells how much was asked for");
	reset();
	tap_is_int(fake_held(fake), HELD_BY_CONTEXT, "B175: and the plan that failed holds nothing");
}

static void test_reproducible(void)
{
	static const int capabilities[] = { 75, 80, 90, 120 };
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct srt_variant first = { 0 };
	struct scanrt_plan *plan;
	size_t i;
	size_t k;

	options.flags = SCANRT_REPRODUCIBLE;
	problem.input_type = SCANRT_F32;
	for (i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
		context->device.capability = capabilities[i];
		plan = make(&options);
		if (i == 0)
			first = plan->classes[0].fetched->kernel.variant;
		tap_is_int((int)plan->class_count, capabilities[i] >= 90 ? 3 : 2,
			"B101: a block serves a tile, look-ahead what is more, and totals what is between");
		for (k = 0; k < plan->class_count; k++)
			tap_ok(srt_variant_is_same_order(&plan->classes[k].fetched->kernel.variant, &first),
				"B101: capability %d combines in the order of every other, in class %zu",
				capabilities[i], k);
		scanrt_plan_destroy(plan);
	}
	context->device.capability = 90;
	options.variant = "lookback";
	tap_is_int(refuse(&options), SCANRT_ERROR_VARIANT, "B097: a look-back of rounding sums is not reproducible");
	problem.input_type = SCANRT_I32;
	plan = make(&options);
	tap_is_int(plan->classes[0].origin, SCANRT_ORIGIN_FORCED, "a look-back of integers is");
	scanrt_plan_destroy(plan);
	reset();
}

static void test_workspace(void)
{
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan *plan;
	size_t bytes = 1;

	tap_is_int(scanrt_plan_workspace_size(&bytes, context, &problem, NULL), SCANRT_OK,
		"the workspace's size is known");
	tap_ok(bytes >= 4096 && bytes < (64u << 20), "it is between 4 KiB and 64 MiB for 2^32 elements (%zu)", bytes);
	tap_is_int(fake->loads + compiler->compilations, 0, "asking for the size compiles and loads nothing");
	options.workspace = (void *)(uintptr_t)0x20000000100;
	options.workspace_size = bytes;
	plan = make(&options);
	tap_is_int(fake->allocations, 1, "a plan with the caller's workspace allocates none");
	tap_is_uint(plan->workspace.address, 0x20000000100, "it uses the caller's");
	scanrt_plan_destroy(plan);
	options.workspace_size = 255;
	tap_is_int(refuse(&options), SCANRT_ERROR_WORKSPACE, "a small workspace is refused");
	options.workspace_size = bytes;
	options.workspace = (void *)(uintptr_t)0x20000000180;
	tap_is_int(refuse(&options), SCANRT_ERROR_WORKSPACE, "a misaligned workspace is refused");
	options.workspace = (void *)(uintptr_t)0x10000000100;
	tap_is_int(refuse(&options), SCANRT_ERROR_CONTEXT, "another context's memory is refused as workspace");
	options.workspace = (void *)(uintptr_t)0x200000000100;
	tap_is_int(refuse(&options), SCANRT_ERROR_WORKSPACE, "memory of the host is refused as workspace");
	problem.op = 99;
	bytes = 12345;
	tap_is_int(scanrt_plan_workspace_size(&bytes, context, &problem, NULL), SCANRT_ERROR_OPERATOR,
		"a wrong problem has no size");
	tap_is_uint(bytes, 0, "B105: the size is written even then");
	reset();
}

static void test_arguments(void)
{
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan *const stale = (struct scanrt_plan *)(uintptr_t)8;
	struct scanrt_plan *plan = stale;
	size_t bytes = 7;

	tap_is_int(scanrt_plan_create(NULL, context, &problem, NULL), SCANRT_ERROR_NULL_POINTER,
		"a null address is refused");
	tap_is_int(scanrt_plan_create(&plan, NULL, &problem, NULL), SCANRT_ERROR_NULL_POINTER,
		"a null context is refused");
	tap_is_string(scanrt_last_error(), "the context is null", "the sentence says what is null");
	tap_ok(!plan, "without a context the plan is NULL");
	plan = stale;
	tap_is_int(scanrt_plan_create(&plan, context, NULL, NULL), SCANRT_ERROR_NULL_POINTER,
		"a null problem is refused");
	tap_ok(!plan, "without a problem the plan is NULL");
	plan = stale;
	options.size = 8;
	tap_is_int(scanrt_plan_create(&plan, context, &problem, &options), SCANRT_ERROR_STRUCT_SIZE,
		"too small options are refused");
	tap_ok(!plan, "with options that are refused the plan is NULL");
	tap_is_int(scanrt_plan_workspace_size(&bytes, context, NULL, NULL), SCANRT_ERROR_NULL_POINTER,
		"a null problem has no size");
	tap_is_uint(bytes, 0, "B105: which is written even then");
	tap_is_int(fake->calls, 0, "refused arguments do not reach the driver");
	scanrt_plan_destroy(NULL);
	reset();
}

static void test_describe(void)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_plan *plan = make(NULL);
	char text[4096];
	char little[8];

	tap_is_int(scanrt_plan_describe(plan, 1, &description, text, sizeof(text)), SCANRT_OK, "a plan is described");
	tap_is_int(description.origin, SCANRT_ORIGIN_DEFAULT, "the origin is default");
	tap_is_int(description.is_compiled, 1, "the kernel is compiled");
	tap_is_int(description.registers, 40, "the registers are the driver's");
	tap_is_uint(description.low_count, 1, "the class begins at 1");
	tap_is_string(description.database, "", "no file answered");
	tap_is_uint(strlen(description.image_key), 32, "the image's key has 32 digits");
	tap_contains(text, description.variant, "the text names the variant");
	tap_contains(text, "sum i32", "the text names the problem");
	tap_is_int(scanrt_plan_describe(plan, UINT64_C(1) << 32, &description, little, sizeof(little)), SCANRT_OK,
		"a short buffer is no failure");
	tap_is_uint(strlen(little), sizeof(little) - 1, "it is filled and terminated");
	tap_contains(description.variant, "lookahead", "large counts have their own description");
	tap_is_int(scanrt_plan_describe(plan, 0, &description, NULL, 0), SCANRT_OK, "count 0 can be described");
	tap_is_int(scanrt_plan_describe(plan, UINT64_MAX, &description, NULL, 0), SCANRT_ERROR_COUNT,
		"a count beyond max_count cannot");
	description.size = 3;
	tap_is_int(scanrt_plan_describe(plan, 1, &description, NULL, 0), SCANRT_ERROR_STRUCT_SIZE,
		"a description of unknown size is refused");
	tap_is_int(scanrt_plan_describe(plan, 1, NULL, NULL, 0), SCANRT_ERROR_NULL_POINTER,
		"a null description is refused");
	scanrt_plan_destroy(plan);
	reset();
}

int main(void)
{
	planning_begin();
	test_classes();
	test_min_count();
	test_pin();
	test_fit();
	test_memory();
	test_reproducible();
	test_workspace();
	test_arguments();
	test_describe();
	return planning_end();
}
