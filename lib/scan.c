/* SPDX-License-Identifier: MIT
 *
 * The one-call scan and its plans, remembered per stream, type, operator and mode.
 */
#include <stdbool.h>
#include <stdlib.h>

#include "driver.h"
#include "plan.h"
#include "status.h"

/* Plans for fewer elements are not worth their growing: the first one serves at least as many. */
#define LEAST_MAX_COUNT (UINT64_C(1) << 16)

/* Newest first.  A plan that was outgrown stays, behind its successor, until the context is destroyed: its launches
 * may still be on the stream, or in a graph that will be launched again. */
struct srt_memo {
	struct srt_memo *next;
	struct scanrt_plan *plan;
	void *stream;
	int type;
	int op;
	int mode;
};

void srt_memo_free(struct srt_memo *memo)
{
	struct srt_memo *next;

	for (; memo; memo = next) {
		next = memo->next;
		scanrt_plan_destroy(memo->plan);
		free(memo);
	}
}

/* Streams are compared as handles: one that was destroyed and whose handle came again has the same order of launches as
 * a fresh one, and finds the plan idle. */
static bool is_same(const struct srt_memo *memo, const struct srt_memo *key)
{
	return memo->stream == key->stream && memo->type == key->type && memo->op == key->op && memo->mode == key->mode;
}

/* In large steps, so that a growing count makes few plans; the workspace that they take ahead of need is small. */
static uint64_t bound_for(uint64_t count)
{
	uint64_t bound = LEAST_MAX_COUNT;

	while (bound < count && bound < UINT64_C(1) << 56)
		bound *= 16;
	return bound < count ? count : bound;
}

/* Making a plan allocates, which would break the capture or be refused; the caller gets to know before either. */
static int check_capture(const struct scanrt_context *context, void *stream)
{
	CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
	int status = srt_driver_push(context->driver, context->cuda_context);

	if (status)
		return status;
	status = SRT_CALL(context->driver, cuStreamIsCapturing, (stream, &capture));
	/* As of the launch itself: what a caller did wrong has one status, whether there is a plan already or not. */
	if (status && srt_error_last()->cuda_result == CUDA_ERROR_INVALID_HANDLE)
		status = srt_fail_driver(SCANRT_ERROR_CONTEXT, CUDA_ERROR_INVALID_HANDLE, "the stream: %s",
			srt_error_last()->text);
	if (!status && capture != CU_STREAM_CAPTURE_STATUS_NONE)
		status = srt_fail(SCANRT_ERROR_CAPTURE,
			"the stream is being captured, and this scan has no plan yet: run it once before, with the "
			"largest count");
	return srt_driver_pop(context->driver, status);
}

/* Inside the lock; a failed plan is not remembered, so that the next call tries again. */
static int make(struct srt_memo **memo, struct scanrt_context *context, const struct srt_memo *key, uint64_t count)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct srt_memo *made;
	int status = check_capture(context, key->stream);

	if (status)
		return status;
	made = malloc(sizeof(*made));
	if (!made)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a plan");
	*made = *key;
	problem.input_type = key->type;
	problem.op = key->op;
	problem.mode = key->mode;
	problem.max_count = bound_for(count);
	status = scanrt_plan_create(&made->plan, context, &problem, NULL);
	if (status) {
		free(made);
		return status;
	}
	made->next = context->memo;
	context->memo = made;
	*memo = made;
	return SCANRT_OK;
}

/* The lock is held while a plan is made, so that two threads do not make it twice; finding one is short. */
static int find_or_make(struct scanrt_plan **plan, struct scanrt_context *context, const struct srt_memo *key,
	uint64_t count)
{
	struct srt_memo *memo;
	int status = SCANRT_OK;

	pthread_mutex_lock(&context->memo_lock);
	for (memo = context->memo; memo && !is_same(memo, key); memo = memo->next)
		continue;
	if (!memo || memo->plan->problem.max_count < count)
		status = make(&memo, context, key, count);
	if (!status)
		*plan = memo->plan;
	pthread_mutex_unlock(&context->memo_lock);
	return status;
}

/* A scan of nothing still tells a caller that its arguments make no sense. */
static int check_problem(int type, int op, int mode)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct srt_problem checked = { 0 };
	int status;

	problem.input_type = type;
	problem.op = op;
	problem.mode = mode;
	status = srt_problem_init(&checked, &problem);
	srt_problem_free(&checked);
	return status;
}

/* Null pointers are refused before a plan is made for nothing; all else scanrt_plan_execute() checks. */
int scanrt_scan(struct scanrt_context *context, int type, int op, int mode, void *out, const void *in, uint64_t count,
	void *stream)
{
	struct srt_memo key = { .stream = stream, .type = type, .op = op, .mode = mode };
	struct scanrt_plan *plan = NULL;
	int status;

	srt_error_clear();
	if (!context)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the context is null");
	if (count == 0)
		return check_problem(type, op, mode);
	if (!out || !in)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "%s is null", out ? "in" : "out");
	status = find_or_make(&plan, context, &key, count);
	return status ? status : scanrt_plan_execute(plan, out, in, count, stream);
}
