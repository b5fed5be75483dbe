/* SPDX-License-Identifier: MIT
 *
 * The public interface on the device of the tests.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

struct scanrt_context *test_context_create(const struct test_device *device)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_context *context = NULL;
	char ordinal[16];

	snprintf(ordinal, sizeof(ordinal), "%d", device->ordinal);
	options.device = ordinal;
	options.database = "off";
	test_need(scanrt_context_create(&context, &options));
	return context;
}

void test_problem_publish(struct scanrt_problem *published, const struct srt_problem *problem, uint64_t max_count)
{
	static const struct scanrt_problem empty = SCANRT_PROBLEM_INIT;

	*published = empty;
	published->input_type = problem->input_type;
	published->accumulator_type = problem->accumulator_type;
	published->output_type = problem->output_type;
	published->op = problem->op;
	published->mode = problem->is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;
	published->max_count = max_count;
	if (!problem->has_initial)
		return;
	published->initial = problem->is_initial_on_device ? problem->initial_on_device : problem->initial;
	published->flags = problem->is_initial_on_device ? SCANRT_INITIAL_ON_DEVICE : 0;
}

struct scanrt_plan *test_plan_create(
	struct scanrt_context *context, const struct srt_problem *problem, const char *variant, uint64_t max_count)
{
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_problem published;
	struct scanrt_plan *plan = NULL;

	test_problem_publish(&published, problem, max_count);
	options.variant = variant;
	test_need(scanrt_plan_create(&plan, context, &published, &options));
	return plan;
}

static void say_wrong(const struct scanrt_plan *plan, const struct reference *reference, uint64_t count,
	const void *seen, uint64_t index, uint64_t wrong)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	struct srt_strbuf problem = { 0 };
	char texts[2][64];
	int type = reference->problem.output_type;

	test_need(scanrt_plan_describe(plan, count, &description, NULL, 0));
	srt_problem_format(&problem, &reference->problem, true);
	tap_diag("problem %s; variant %s; count %" PRIu64 "; seed %" PRIu64, srt_strbuf_text(&problem),
		description.variant, count, reference->seed);
	tap_diag("%" PRIu64 " are wrong; first at %" PRIu64 ": wanted %s, saw %s", wrong, index,
		element_text(texts[0], type, reference->expected, index), element_text(texts[1], type, seen, index));
	srt_strbuf_free(&problem);
}

static bool results_pass(
	const struct scanrt_plan *plan, const struct reference *reference, uint64_t count, const void *seen)
{
	uint64_t index = 0;
	uint64_t wrong = 0;

	/* The depth of a plan's tree is its variant's; these tests use exact data, or compare bits with each other. */
	if (reference_check(reference, seen, count, 1, &index, &wrong))
		return true;
	say_wrong(plan, reference, count, seen, index, wrong);
	return false;
}

bool test_plan_passes(const struct test_device *device, struct scanrt_plan *plan, const struct reference *reference,
	uint64_t count, CUstream stream)
{
	struct test_buffer in;
	struct test_buffer out;
	void *seen = malloc(count * 8 + 1);
	bool passes;

	if (!seen || count > reference->count)
		abort();
	test_buffer_create(&in, device, count * srt_type_size(reference->problem.input_type), 0);
	test_buffer_create(&out, device, count * srt_type_size(reference->problem.output_type), 0);
	test_upload(device, in.address, reference->input, in.size);
	test_need(scanrt_plan_execute(
		plan, (void *)(uintptr_t)out.address, (const void *)(uintptr_t)in.address, count, stream));
	test_drive(device, cuStreamSynchronize, (stream));
	test_download(device, seen, out.address, out.size);
	passes = results_pass(plan, reference, count, seen);
	passes = test_guards_intact(&out, device) && test_guards_intact(&in, device) && passes;
	test_download(device, seen, in.address, in.size);
	if (memcmp(seen, reference->input, in.size) != 0) {
		tap_diag("the input was changed");
		passes = false;
	}
	test_buffer_destroy(&in, device);
	test_buffer_destroy(&out, device);
	free(seen);
	return passes;
}
