/* SPDX-License-Identifier: MIT
 *
 * The path that every scan takes: no lock, no allocation, one launch; but for the graph that replay.c makes once.
 */
#include <inttypes.h>

#include "driver.h"
#include "plan.h"
#include "status.h"

struct span {
	uintptr_t start;
	uint64_t bytes;
};

/* max_count is bounded so that its bytes fit half the address space: the sum of a span cannot wrap unless the pointer
 * is wild. */
static int check_span(struct span *span, const char *what, const void *pointer, uint64_t count,
	const struct srt_problem *problem, enum srt_role role)
{
	size_t size = srt_problem_size(problem, role);
	size_t alignment = srt_problem_alignment(problem, role);

	if (!pointer)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "%s is null, and the count is %" PRIu64, what, count);
	span->start = (uintptr_t)pointer;
	span->bytes = count * size;
	if (span->start % alignment != 0)
		return srt_fail(SCANRT_ERROR_MISALIGNED, "%s at %p is not aligned to the %zu bytes of %s", what,
			pointer, alignment, srt_problem_type_name(problem, role));
	if (span->bytes > UINTPTR_MAX - span->start)
		return srt_fail(SCANRT_ERROR_COUNT, "%" PRIu64 " elements of %s from %p on exceed the address space",
			count, srt_problem_type_name(problem, role), pointer);
	return SCANRT_OK;
}

/* In place each element is read before it is written, which holds only where both have one size. */
static int check_overlap(const struct span *out, const struct span *in)
{
	if (out->start == in->start && out->bytes == in->bytes)
		return SCANRT_OK;
	if (out->start < in->start + in->bytes && in->start < out->start + out->bytes)
		return srt_fail(SCANRT_ERROR_OVERLAP, "out (%" PRIu64 " bytes at 0x%" PRIxPTR ") and in (%" PRIu64
			" bytes at 0x%" PRIxPTR ") overlap without being the same", out->bytes, out->start, in->bytes,
			in->start);
	return SCANRT_OK;
}

/* In the order of cost to the caller: the count decides how far the arrays reach. */
static int check_arrays(const struct scanrt_plan *plan, const void *out, const void *in, uint64_t count)
{
	struct span to;
	struct span from;
	int status = srt_plan_check_count(plan, count);

	if (status)
		return status;
	status = check_span(&to, "out", out, count, &plan->problem, SRT_OUTPUT);
	if (!status)
		status = check_span(&from, "in", in, count, &plan->problem, SRT_INPUT);
	return status ? status : check_overlap(&to, &from);
}

int scanrt_plan_execute(struct scanrt_plan *plan, void *out, const void *in, uint64_t count, void *stream)
{
	const struct srt_driver *driver;
	bool is_pushed;
	int status;

	srt_error_clear();
	if (!plan)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the plan is null");
	/* Before any look at the pointers: an empty array often has none. */
	if (count == 0)
		return SCANRT_OK;
	status = check_arrays(plan, out, in, count);
	if (status)
		return status;
	/* The caller's thread may have any context current, or none. */
	driver = plan->context->driver;
	status = srt_driver_enter(&is_pushed, driver, plan->context->cuda_context);
	if (status)
		return status;
	status = srt_kernel_launch(&srt_plan_class_of(plan, count)->fetched->kernel, driver, &plan->workspace,
		(uintptr_t)out, (uintptr_t)in, count, 0, stream);
	return srt_driver_leave(driver, is_pushed, status);
}
