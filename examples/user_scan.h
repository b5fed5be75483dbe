/* SPDX-License-Identifier: MIT
 *
 * One scan of the caller's own types, from arrays of the host to arrays of the host: what the examples of user types
 * and operators share.
 */
#ifndef USER_SCAN_H
#define USER_SCAN_H

#include "device_memory.h"

static inline void scan_on_device(const struct scanrt_problem *problem, void *out, size_t out_bytes, const void *in,
	size_t in_bytes, uint64_t count)
{
	struct scanrt_problem bounded = *problem;
	struct scanrt_context *context;
	struct scanrt_plan *plan;
	void *from, *to;

	bounded.max_count = count; /* a plan for more would compile more kernels */
	bounded.min_count = count;
	device_open(0);
	check_scan(scanrt_context_create(&context, NULL));
	check_scan(scanrt_plan_create(&plan, context, &bounded, NULL));
	from = device_alloc(count * in_bytes);
	to = device_alloc(count * out_bytes);
	device_write(from, in, count * in_bytes);
	check_scan(scanrt_plan_execute(plan, to, from, count, NULL));
	device_read(out, to, count * out_bytes);
	device_free(from);
	device_free(to);
	scanrt_plan_destroy(plan);
	scanrt_context_destroy(context);
}

#endif
