/* SPDX-License-Identifier: MIT
 *
 * Plans from the caller's structures to the kernels that are ready to launch, and back.
 */
#include "plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "driver.h"
#include "keep.h"
#include "replay.h"
#include "resolve.h"
#include "status.h"
#include "versioned.h"

#define WORKSPACE_ALIGNMENT 256
#define FIRST_OPTIONS_SIZE offsetof(struct scanrt_plan_options, check_elements) /* what the first version had */

int srt_plan_check_count(const struct scanrt_plan *plan, uint64_t count)
{
	const struct srt_problem *problem = &plan->problem;

	if (count > problem->max_count)
		return srt_fail(SCANRT_ERROR_COUNT, "the count is %" PRIu64 ", and the plan's max_count is %" PRIu64,
			count, problem->max_count);
	if (count > 0 && count < problem->min_count)
		return srt_fail(SCANRT_ERROR_COUNT, "the count is %" PRIu64 ", and the plan's min_count is %" PRIu64,
			count, problem->min_count);
	return SCANRT_OK;
}

const struct srt_plan_class *srt_plan_class_of(const struct scanrt_plan *plan, uint64_t count)
{
	const struct srt_plan_class *class = plan->classes;

	while (class->high_count < count)
		class++;
	return class;
}

/* ---- Options ---- */

/* Checked before the problem and before any work: a refused call has changed nothing. */
static int read_options(struct scanrt_plan_options *given, const struct scanrt_plan_options *options)
{
	static const struct scanrt_plan_options initial = SCANRT_PLAN_OPTIONS_INIT;
	const uint32_t known = SCANRT_REPRODUCIBLE | SCANRT_CODEGEN_PTX | SCANRT_CHECK_OPERATOR;
	int status = SCANRT_OK;

	*given = initial;
	if (options)
		status = srt_versioned_read(given, sizeof(*given), options, FIRST_OPTIONS_SIZE,
			"struct scanrt_plan_options");
	if (status)
		return status;
	if (given->flags & ~known)
		return srt_fail(SCANRT_ERROR_FLAGS, "unknown plan flags 0x%" PRIx32, given->flags & ~known);
	if (given->workspace && (uintptr_t)given->workspace % WORKSPACE_ALIGNMENT != 0)
		return srt_fail(SCANRT_ERROR_WORKSPACE, "the workspace at %p is not aligned to %d bytes",
			given->workspace, WORKSPACE_ALIGNMENT);
	return SCANRT_OK;
}

/* The program knows better than its environment.  A variable that is set to nothing is not set. */
static void take_pin(struct srt_request *request, const struct scanrt_plan_options *options)
{
	const char *pin = options->variant;

	if (!pin) {
		request->pin_variable = "SCANRT_VARIANT";
		pin = secure_getenv(request->pin_variable);
	}
	request->pin = pin && *pin ? pin : NULL;
}

/* What is the caller's is known by its mark, in the database and to scantune, too: it is what people compare. */
static void tell_problem(struct scanrt_plan *plan)
{
	struct srt_strbuf name = { 0 };

	if (!plan->problem.user)
		return;
	srt_problem_format(&name, &plan->problem, true);
	srt_account_add(&plan->account, "problem: %s", srt_strbuf_text(&name));
	srt_strbuf_free(&name);
}

/* The request is what the rules know of the plan; they never see the plan itself. */
static void begin(struct srt_builder *builder, struct scanrt_plan *plan, const struct scanrt_plan_options *options)
{
	struct scanrt_context *context = plan->context;

	memset(builder, 0, sizeof(*builder));
	builder->plan = plan;
	builder->wants_ptx = options->flags & SCANRT_CODEGEN_PTX;
	plan->account.log = &context->log;
	srt_reading_begin(&builder->reading, &context->catalog, &plan->account);
	builder->request = (struct srt_request){
		.problem = &plan->problem,
		.device = &context->device,
		.ask_fingerprint = srt_context_fingerprint,
		.user = context,
		.family = srt_strbuf_text(&context->family),
		.is_reproducible = options->flags & SCANRT_REPRODUCIBLE,
		.reading = &builder->reading,
		.account = &plan->account,
	};
	take_pin(&builder->request, options);
	tell_problem(plan);
}

/* ---- Workspace ---- */

/* Each class needs state and scratch for its own counts only; the workspace is shared, so the largest needs are all of
 * them. */
static size_t workspace_need(const struct scanrt_plan *plan)
{
	struct srt_workspace_need need = { 0, 0 };
	size_t i;

	for (i = 0; i < plan->class_count; i++)
		srt_workspace_need_add(&need, &plan->classes[i].fetched->kernel.variant, &plan->problem,
			plan->classes[i].high_count);
	return srt_workspace_need_bytes(&need);
}

/* Memory of another context would fault in the first launch, and make that context useless; so would memory that the
 * driver does not know. */
static int check_owner(const struct scanrt_context *context, CUdeviceptr address)
{
	CUcontext owner = NULL;
	CUresult result = context->driver->cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address);

	if (result == CUDA_ERROR_INVALID_VALUE)
		return srt_fail(SCANRT_ERROR_WORKSPACE, "the workspace at 0x%llx is no memory of the device",
			(unsigned long long)address);
	if (result == CUDA_SUCCESS && owner && owner != context->cuda_context)
		return srt_fail(SCANRT_ERROR_CONTEXT, "the workspace is memory of another context");
	return SCANRT_OK;
}

/* The caller's memory is checked against what the chosen variants need, which may be less than what
 * scanrt_plan_workspace_size() promised to be enough. */
static int take_workspace(struct scanrt_plan *plan, const struct scanrt_plan_options *options)
{
	const struct srt_driver *driver = plan->context->driver;
	size_t need = workspace_need(plan);
	int status;

	if (!options->workspace)
		return srt_pool_take(&plan->workspace, &plan->context->pool, driver, need);
	if (options->workspace_size < need)
		return srt_fail(SCANRT_ERROR_WORKSPACE, "the workspace has %zu bytes, and %zu are needed",
			options->workspace_size, need);
	status = check_owner(plan->context, (CUdeviceptr)(uintptr_t)options->workspace);
	if (status)
		return status;
	plan->workspace.address = (uintptr_t)options->workspace;
	plan->workspace.size = options->workspace_size;
	return srt_workspace_clear(&plan->workspace, driver);
}

/* An initial value that does not fit the launch's arguments is given a place on the device, which lasts as long as
 * the plan; the kernels then read it as they read one of the caller's. */
static int place_initial(struct scanrt_plan *plan)
{
	struct srt_problem *problem = &plan->problem;
	size_t size = srt_problem_size(problem, SRT_ACCUMULATOR);
	int status;

	if (!problem->has_initial || problem->is_initial_on_device || size <= sizeof(problem->initial))
		return SCANRT_OK;
	status = srt_workspace_create(&plan->initial, plan->context->driver, size);
	if (!status)
		status = srt_workspace_write(&plan->initial, plan->context->driver, problem->user->initial, size);
	if (!status)
		problem->initial_on_device = (const void *)(uintptr_t)plan->initial.address;
	return status;
}

/* ---- The public calls ---- */

/* The databases are closed before the workspace is allocated: that may wait for the device. */
static int build(struct scanrt_plan *plan, const struct scanrt_plan_options *options)
{
	const struct srt_driver *driver = plan->context->driver;
	struct srt_builder builder;
	struct srt_kept *kept;
	int status = srt_driver_push(driver, plan->context->cuda_context);

	if (status)
		return status;
	status = place_initial(plan);
	if (status)
		return srt_driver_pop(driver, status);
	begin(&builder, plan, options);
	if (options->flags & SCANRT_CHECK_OPERATOR)
		status = srt_plan_check_operator(plan, options);
	if (!status)
		status = srt_builder_fill(&builder);
	kept = srt_reading_end(&builder.reading);
	srt_keep_end(kept, plan->context->catalog.cache, &plan->account, !status);
	if (!status)
		status = take_workspace(plan, options);
	return srt_driver_pop(driver, status);
}

int scanrt_plan_create(struct scanrt_plan **plan, struct scanrt_context *context, const struct scanrt_problem *problem,
	const struct scanrt_plan_options *options)
{
	struct scanrt_plan_options given;
	struct scanrt_plan *made;
	int status;

	srt_error_clear();
	/* Whoever does not look at the status, or cleans up after it, then has a plan that is none. */
	if (plan)
		*plan = NULL;
	if (!plan || !context || !problem)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "%s is null",
			!plan ? "the plan's address" : !context ? "the context" : "the problem");
	status = read_options(&given, options);
	if (status)
		return status;
	made = calloc(1, sizeof(*made));
	if (!made)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a plan");
	made->context = context;
	status = srt_problem_init(&made->problem, problem);
	if (!status)
		status = build(made, &given);
	if (status) {
		scanrt_plan_destroy(made);
		return status;
	}
	/* Refusals on the way to a plan are in its account; the call itself has succeeded. */
	srt_error_clear();
	*plan = made;
	return SCANRT_OK;
}

/* The kernels of executions still in flight would go with it, hence the caller's duty to wait. */
static void unload(struct scanrt_plan *plan)
{
	const struct srt_driver *driver = plan->context->driver;
	size_t i;

	for (i = 0; i < plan->fetched_count; i++)
		srt_kernel_unload(&plan->fetched[i].kernel, driver);
	srt_workspace_destroy(&plan->workspace, driver);
	srt_workspace_destroy(&plan->initial, driver);
}

/* What the context did not take along. */
static void forget(struct scanrt_plan *plan)
{
	for (size_t i = 0; i < plan->fetched_count; i++)
		srt_replay_forget(plan->fetched[i].kernel.replay);
}

void scanrt_plan_destroy(struct scanrt_plan *plan)
{
	struct srt_error error;

	if (!plan)
		return;
	/* The record may be that of the creation which failed.  A context that is gone took its memory along. */
	srt_error_save(&error);
	if (plan->fetched_count > 0 || plan->initial.address) {
		if (!srt_driver_push(plan->context->driver, plan->context->cuda_context)) {
			unload(plan);
			srt_driver_pop(plan->context->driver, SCANRT_OK);
		} else {
			forget(plan);
		}
	}
	srt_error_restore(&error);
	srt_strbuf_free(&plan->account.text);
	srt_problem_free(&plan->problem);
	free(plan);
}

/* The largest need of all that the rules could answer: which of them can be had is known only to the plan itself. */
static int largest_need(size_t *bytes, struct srt_builder *builder)
{
	struct srt_workspace_need need = { 0, 0 };
	struct srt_answer answer;
	size_t i;
	int rule = 0;
	int status;

	do {
		status = srt_resolve(&answer, &builder->request, &rule);
		for (i = 0; !status && i < answer.count; i++)
			srt_workspace_need_add(&need, &answer.classes[i].variant, &builder->plan->problem,
				builder->plan->problem.max_count);
	} while (!status && answer.count > 0);
	*bytes = srt_workspace_need_bytes(&need);
	return status;
}

int scanrt_plan_workspace_size(size_t *bytes, struct scanrt_context *context, const struct scanrt_problem *problem,
	const struct scanrt_plan_options *options)
{
	struct scanrt_plan_options given;
	struct scanrt_plan plan = { .context = context };
	struct srt_builder builder;
	size_t need = 0;
	int status;

	srt_error_clear();
	/* Written whatever happens, so that a caller who does not look allocates nothing at random. */
	if (bytes)
		*bytes = 0;
	if (!bytes || !context || !problem)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "%s is null",
			!bytes ? "the size's address" : !context ? "the context" : "the problem");
	status = read_options(&given, options);
	if (!status)
		status = srt_problem_init(&plan.problem, problem);
	if (status)
		return status;
	begin(&builder, &plan, &given);
	status = largest_need(&need, &builder);
	srt_reading_end(&builder.reading);
	srt_strbuf_free(&plan.account.text);
	srt_problem_free(&plan.problem);
	if (status)
		return status;
	srt_error_clear();
	*bytes = need;
	return SCANRT_OK;
}

/* Each kernel has its own copy, which the next launch reads. */
int scanrt_plan_set_state(struct scanrt_plan *plan, const void *state)
{
	size_t i;

	srt_error_clear();
	if (!plan)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the plan is null");
	if (!plan->problem.user || !plan->problem.user->has_state)
		return srt_fail(SCANRT_ERROR_OPERATOR, "operator %s has no state", srt_problem_op_name(&plan->problem));
	for (i = 0; i < plan->fetched_count; i++)
		plan->fetched[i].kernel.state = state;
	return SCANRT_OK;
}
