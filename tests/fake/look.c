/* SPDX-License-Identifier: MIT */
#include "look.h"

#include <string.h>

#include "context.h"

void look_at(struct seen *seen, const char *database, const char *second, uint64_t count, uint32_t flags)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_plan_options plan_options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_context *context = NULL;
	struct scanrt_plan *plan = NULL;

	memset(seen, 0, sizeof(*seen));
	seen->description.size = sizeof(seen->description);
	options.device = "0";
	options.database = database;
	problem.input_type = SCANRT_I32;
	problem.op = SCANRT_SUM;
	plan_options.flags = flags;
	seen->status = scanrt_context_create(&context, &options);
	if (!seen->status && second)
		context->catalog.paths[context->catalog.count++] = strdup(second);
	if (!seen->status)
		seen->status = scanrt_plan_create(&plan, context, &problem, &plan_options);
	if (!seen->status)
		seen->status = scanrt_plan_describe(
			plan, count, &seen->description, seen->text, sizeof(seen->text));
	scanrt_plan_destroy(plan);
	scanrt_context_destroy(context);
}
