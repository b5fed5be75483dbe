/* SPDX-License-Identifier: MIT
 *
 * Plans of the public interface: every problem it offers, counts of every size class, workspaces of the caller, and
 * the one-call scan.
 */
#include <stdlib.h>
#include <string.h>

#include "../device.h"

struct plans {
	struct test_device device;
	struct scanrt_context *context;
	uint64_t largest;
};

static void *pointer(CUdeviceptr address)
{
	return (void *)(uintptr_t)address;
}

static bool plan_is_right(struct plans *plans, const struct srt_problem *problem, const char *variant)
{
	uint64_t counts[] = { 1, 33, 1000, 4097, 65536, plans->largest };
	struct scanrt_plan *plan = test_plan_create(plans->context, problem, variant, plans->largest);
	struct reference reference;
	bool passes = true;

	reference_create(&reference, problem, REFERENCE_EXACT, plans->device.seed, plans->largest);
	for (unsigned i = 0; i < 6; i++) {
		if (counts[i] <= plans->largest)
			passes = test_plan_passes(&plans->device, plan, &reference, counts[i], NULL) && passes;
	}
	reference_destroy(&reference);
	scanrt_plan_destroy(plan);
	return passes;
}

/* As the library resolves them: the compiled-in variants of every size class. */
static void every_problem(struct plans *plans)
{
	unsigned seen = 0;
	unsigned every = test_rounds(&plans->device, 1, 11);

	for (int t = 0; srt_type_at(t); t++) {
		for (int o = 0; srt_op_at(o); o++) {
			struct srt_problem problem;
			int type = srt_type_at(t);

			if (!srt_op_takes(srt_op_at(o), type) || seen++ % every)
				continue;
			test_problem(&problem, srt_op_at(o), type, type, type, seen & 1);
			if (seen % 3 == 0)
				test_problem_set_initial(&problem, seen);
			if (!test_takes_next(&plans->device))
				continue;
			tap_ok(plan_is_right(plans, &problem, NULL), "a plan of %s %s %s is right in every size class",
				problem.is_exclusive ? "exclusive" : "inclusive", srt_op_name(problem.op),
				srt_type_name(type));
		}
	}
}

static void empty_scans(struct plans *plans)
{
	struct srt_problem problem;
	struct scanrt_plan *plan;
	size_t bytes = 12345678901;

	test_problem(&problem, SCANRT_SUM, SCANRT_F32, SCANRT_F32, SCANRT_F32, true);
	plan = test_plan_create(plans->context, &problem, NULL, 1000);
	tap_is_int(
		scanrt_plan_execute(plan, NULL, NULL, 0, NULL), SCANRT_OK, "B105: count 0 is legal with null pointers");
	tap_is_int(scanrt_scan(plans->context, SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, NULL, NULL, 0, NULL),
		SCANRT_OK, "B105: a one-call scan of nothing is legal");
	scanrt_plan_destroy(plan);
	{
		struct scanrt_problem published;

		test_problem_publish(&published, &problem, 1);
		tap_is_int(scanrt_plan_workspace_size(&bytes, plans->context, &published, NULL), SCANRT_OK,
			"B105: the workspace of one element can be asked for");
	}
	tap_ok(bytes < 1 << 20, "B105: its size is always written (%zu bytes)", bytes);
}

/* What can be asked for is enough for all that the plan may fall back to; what the plan has decides what is refused. */
static void exact_workspace(struct plans *plans, const struct srt_problem *problem,
	struct scanrt_plan_options *options)
{
	struct scanrt_problem published;
	struct scanrt_plan *plan = NULL;
	struct srt_variant variant;
	size_t need;

	test_need(srt_variant_parse(&variant, options->variant));
	need = srt_variant_workspace(&variant, problem, plans->largest);
	test_problem_publish(&published, problem, plans->largest);
	tap_ok(need > 0 && need <= options->workspace_size, "%s needs no more than can be asked for (%zu of %zu bytes)",
		options->variant, need, options->workspace_size);
	options->workspace_size = need;
	tap_is_int(scanrt_plan_create(&plan, plans->context, &published, options), SCANRT_OK,
		"a workspace of what it needs is taken");
	scanrt_plan_destroy(plan);
	plan = NULL;
	options->workspace_size = need - 1;
	tap_is_int(scanrt_plan_create(&plan, plans->context, &published, options), SCANRT_ERROR_WORKSPACE,
		"a workspace that is one byte short is refused");
	scanrt_plan_destroy(plan);
}

/* The caller's own memory, at each 256-byte boundary of a page, full of somebody else's bytes. */
static void caller_workspace(struct plans *plans, const char *variant)
{
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_problem published;
	struct srt_problem problem;
	struct reference reference;
	struct test_buffer memory;
	size_t bytes;
	bool passes = true;

	test_problem(&problem, SCANRT_SUM, SCANRT_U32, SCANRT_U32, SCANRT_U32, false);
	test_problem_publish(&published, &problem, plans->largest);
	options.variant = variant;
	test_need(scanrt_plan_workspace_size(&bytes, plans->context, &published, &options));
	test_buffer_create(&memory, &plans->device, bytes + 4096, 0);
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, plans->largest);
	for (unsigned place = 0; place < 4096; place += test_rounds(&plans->device, 256, 1280)) {
		struct scanrt_plan *plan = NULL;

		options.workspace = pointer(memory.address + place);
		options.workspace_size = bytes;
		test_buffer_poison(&memory, &plans->device);
		test_need(scanrt_plan_create(&plan, plans->context, &published, &options));
		for (unsigned i = 0; i < 3; i++)
			passes = test_plan_passes(&plans->device, plan, &reference, plans->largest - i, NULL) && passes;
		scanrt_plan_destroy(plan);
		passes = test_guards_intact(&memory, &plans->device) && passes;
	}
	tap_ok(passes, "B067: %s is right in a workspace at any 256-byte boundary", variant);
	for (unsigned place = 4; place < 256; place *= 2) {
		struct scanrt_plan *plan = NULL;

		options.workspace = pointer(memory.address + place);
		tap_is_int(scanrt_plan_create(&plan, plans->context, &published, &options), SCANRT_ERROR_WORKSPACE,
			"B067: a workspace off by %u bytes is refused", place);
		scanrt_plan_destroy(plan);
	}
	options.workspace = pointer(memory.address);
	exact_workspace(plans, &problem, &options);
	reference_destroy(&reference);
	test_buffer_destroy(&memory, &plans->device);
}

/* One-call scans that differ in one attribute alone, on one stream: the remembered plans must not be mixed up. */
static void one_call_scans(struct plans *plans)
{
	static const int ops[] = { SCANRT_SUM, SCANRT_XOR, SCANRT_MAX };
	static const int types[] = { SCANRT_I32, SCANRT_U32, SCANRT_F32 };
	uint64_t count = test_cap(&plans->device, 5000);
	struct test_buffer in;
	struct test_buffer out;
	void *seen = malloc(count * 4);

	if (!seen)
		abort();
	test_buffer_create(&in, &plans->device, count * 4, 0);
	test_buffer_create(&out, &plans->device, count * 4, 0);
	for (unsigned i = 0; i < 36; i++) { /* twice over all attributes: the second time from memory */
		struct srt_problem problem;
		struct reference reference;
		uint64_t index = 0;
		uint64_t wrong = 0;
		int op = ops[i % 3];
		int type = types[i / 3 % 3];
		int mode = i / 9 % 2 ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;

		if (!srt_op_takes(op, type))
			continue;
		test_problem(&problem, op, type, type, type, mode == SCANRT_EXCLUSIVE);
		reference_create(&reference, &problem, REFERENCE_EXACT, 9, count);
		test_upload(&plans->device, in.address, reference.input, in.size);
		test_need(scanrt_scan(
			plans->context, type, op, mode, pointer(out.address), pointer(in.address), count, NULL));
		test_synchronize(&plans->device);
		test_download(&plans->device, seen, out.address, out.size);
		tap_ok(reference_check(&reference, seen, count, 1, &index, &wrong),
			"B05B: the one-call %s scan of %s %s is itself and no other", mode ? "exclusive" : "inclusive",
			srt_op_name(op), srt_type_name(type));
		reference_destroy(&reference);
	}
	test_buffer_destroy(&in, &plans->device);
	test_buffer_destroy(&out, &plans->device);
	free(seen);
}

int main(void)
{
	static const char *const workspaces[] = { "lookback,block=64,items=4",
		"lookahead,block=64,items=4,stages=3,ahead=2", "fan,block=64,items=1" };
	struct plans plans = { 0 };

	test_device_open(&plans.device);
	plans.largest = test_cap(&plans.device, 1500001);
	plans.context = test_context_create(&plans.device);
	tap_plan(0);
	every_problem(&plans);
	if (test_takes_next(&plans.device))
		empty_scans(&plans);
	for (size_t i = 0; i < sizeof(workspaces) / sizeof(workspaces[0]); i++)
		if (test_takes_next(&plans.device))
			caller_workspace(&plans, workspaces[i]);
	if (test_takes_next(&plans.device))
		one_call_scans(&plans);
	scanrt_context_destroy(plans.context);
	test_device_close(&plans.device);
	return tap_done();
}
