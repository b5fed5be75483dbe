/* SPDX-License-Identifier: MIT
 *
 * Who is timed by bench/table: our plan, other libraries' scans, copies.
 */
#include "status.h"
#include "table.h"

#define COPY_BLOCK 512
#define COPY_VECTOR 16

int bench_enqueue_plan(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream)
{
	const struct bench_scan *scan = user;

	return scanrt_plan_execute(
		scan->plan, (void *)(uintptr_t)out, (const void *)(uintptr_t)in, scan->count, stream);
}

int bench_enqueue_peer(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream)
{
	const struct bench_scan *scan = user;
	int error = scan->peers->enqueue(scan->peer, (void *)(uintptr_t)out, (const void *)(uintptr_t)in, stream);

	return error ? srt_fail_driver(SCANRT_ERROR_LAUNCH, error, "%s: error %d", scan->name, error) : SCANRT_OK;
}

/* Arrays off a boundary are copied from the boundary before: copies are the ceiling, and not what is tested. */
int bench_enqueue_copy(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream)
{
	const struct bench_copy *copy = user;
	const struct srt_driver *driver = copy->bench->driver;
	CUdeviceptr to = out / COPY_VECTOR * COPY_VECTOR, from = in / COPY_VECTOR * COPY_VECTOR;
	unsigned long long size = copy->bytes;
	unsigned blocks = (unsigned)((size / COPY_VECTOR + size % COPY_VECTOR + COPY_BLOCK - 1) / COPY_BLOCK);
	void *parameters[] = { &to, &from, &size };

	if (copy->kernel == NULL)
		return SRT_CALL(driver, cuMemcpyDtoDAsync, (to, from, copy->bytes, stream));
	return SRT_CALL(driver, cuLaunchKernel,
		(copy->kernel, blocks, 1, 1, COPY_BLOCK, 1, 1, 0, stream, parameters, NULL));
}

int bench_plan(struct scanrt_plan **plan, struct bench *bench, const struct srt_problem *problem, uint32_t flags,
	uint64_t least, uint64_t most)
{
	struct scanrt_problem published = SCANRT_PROBLEM_INIT;
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;

	if (bench_user_of(problem)) {
		bench_user_publish(&published, bench_user_of(problem));
	} else {
		published.input_type = problem->input_type;
		published.accumulator_type = problem->accumulator_type;
		published.output_type = problem->output_type;
		published.op = problem->op;
	}
	published.mode = problem->is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;
	/* The kernels of other size classes are not loaded. */
	published.min_count = least;
	published.max_count = most;
	options.flags = flags;
	return scanrt_plan_create(plan, bench->context, &published, &options);
}

static bool is_same(const struct srt_problem *a, const struct srt_problem *b)
{
	return a->input_type == b->input_type && a->accumulator_type == b->accumulator_type &&
		a->output_type == b->output_type && a->op == b->op && a->is_exclusive == b->is_exclusive &&
		a->user == b->user;
}

/* A plan of its own for each count would compile the same kernel again where the database has none. */
int bench_plan_of(struct scanrt_plan **plan, struct bench *bench, const struct bench_row *row)
{
	int status = SCANRT_OK;

	if (bench->plan == NULL || bench->plan_family != row->family || !is_same(&bench->plan_problem, &row->problem)) {
		scanrt_plan_destroy(bench->plan);
		bench->plan = NULL;
		bench->plan_family = row->family;
		bench->plan_problem = row->problem;
		status = bench_plan(&bench->plan, bench, &row->problem, row->family->flags, row->least, row->most);
	}
	*plan = bench->plan;
	return status;
}
