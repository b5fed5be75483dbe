/* SPDX-License-Identifier: MIT
 *
 * One context on the scripted driver, and plans made and refused in it.
 */
#include "planning.h"

#include <stdlib.h>

#include "tests/tap.h"

struct fake_driver *fake;
struct fake_compiler *compiler;
struct scanrt_context *context;
struct scanrt_problem problem = SCANRT_PROBLEM_INIT;

void reset(void)
{
	const int retained = fake->retained;
	const int allocations = fake->allocations;
	const int streams = fake->streams;

	fake_driver_reset(fake);
	fake_compiler_reset(compiler);
	fake->retained = retained;
	fake->allocations = allocations;
	fake->streams = streams;
	context->wants_ptx = false;
	problem = (struct scanrt_problem)SCANRT_PROBLEM_INIT;
	problem.input_type = SCANRT_I32;
	problem.op = SCANRT_SUM;
}

struct scanrt_plan *make(const struct scanrt_plan_options *options)
{
	struct scanrt_plan *plan = NULL;
	int status = scanrt_plan_create(&plan, context, &problem, options);

	tap_is_int(status, SCANRT_OK, "a plan is made");
	if (status)
		tap_bail_out("no plan: %s", scanrt_last_error());
	return plan;
}

int refuse(const struct scanrt_plan_options *options)
{
	struct scanrt_plan *plan = NULL;
	int status = scanrt_plan_create(&plan, context, &problem, options);

	tap_ok(!plan, "a refused call leaves the caller's handle");
	scanrt_plan_destroy(plan);
	tap_is_int(fake_held(fake), HELD_BY_CONTEXT, "a refused plan holds nothing but the context");
	return status;
}

void planning_begin(void)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;

	tap_plan(0);
	fake = fake_driver();
	compiler = fake_compiler();
	unsetenv("SCANRT_VARIANT");
	options.device = "0";
	options.database = "off";
	if (scanrt_context_create(&context, &options))
		tap_bail_out("no context: %s", scanrt_last_error());
	reset();
}

int planning_end(void)
{
	scanrt_context_destroy(context);
	tap_is_int(fake_held(fake), 0, "nothing is held at the end");
	tap_is_int(fake->misplaced, 0, "B111: no call was made for the wrong context");
	return tap_done();
}
