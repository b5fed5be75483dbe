/* SPDX-License-Identifier: MIT
 *
 * Many launches of the same scan, in place and apart, alone and with other work on the device: what goes wrong once in
 * a thousand runs goes wrong here.
 */
#include <stdlib.h>
#include <string.h>

#include "../device.h"

struct stress {
	struct test_device device;
	struct srt_workspace workspace;
	struct srt_workspace other_workspace;
	uint64_t count;
	unsigned rounds;
};

struct job {
	struct srt_kernel kernel;
	struct reference reference;
	struct test_buffer in;
	struct test_buffer out;
	void *seen;
};

static void job_begin(struct job *job, struct stress *stress, int op, int type, const char *variant, uint64_t count)
{
	struct srt_problem problem;

	memset(job, 0, sizeof(*job));
	test_problem(&problem, op, type, type, type, op == SRT_OP_AFFINE);
	test_kernel_create(&job->kernel, &stress->device, &problem, variant);
	if (count > srt_variant_max_count(&job->kernel.variant))
		count = srt_variant_max_count(&job->kernel.variant);
	reference_create(&job->reference, &problem, REFERENCE_EXACT, stress->device.seed, count);
	test_buffer_create(&job->in, &stress->device, count * srt_type_size(type), 0);
	test_buffer_create(&job->out, &stress->device, count * srt_type_size(type), srt_type_size(type));
	test_upload(&stress->device, job->in.address, job->reference.input, job->in.size);
	job->seen = malloc(job->out.size);
	if (!job->seen)
		abort();
}

static void job_end(struct job *job, struct stress *stress)
{
	free(job->seen);
	test_buffer_destroy(&job->in, &stress->device);
	test_buffer_destroy(&job->out, &stress->device);
	test_kernel_destroy(&job->kernel, &stress->device);
	reference_destroy(&job->reference);
}

static void launch(struct job *job, struct stress *stress, CUdeviceptr in, uint32_t grid_limit)
{
	test_need(srt_kernel_launch(&job->kernel, stress->device.driver, &stress->workspace, job->out.address, in,
		job->reference.count, grid_limit, NULL));
}

static bool output_is_right(struct job *job, struct stress *stress)
{
	struct test_scan scan = { &job->reference, &job->kernel, &stress->workspace, job->reference.count, 0, 1, false,
		0 };

	test_download(&stress->device, job->seen, job->out.address, job->out.size);
	return test_results_pass(&scan, job->seen);
}

/* The copy back to the input's values is queued between the launches, so that they follow each other closely. */
static void in_place(struct stress *stress, int type, const char *variant, uint64_t count)
{
	struct job job;
	bool passes = true;

	job_begin(&job, stress, SRT_OP_AFFINE, type, variant, count);
	for (unsigned i = 0; i < stress->rounds && passes; i++) {
		test_drive(&stress->device, cuMemcpyDtoDAsync, (job.out.address, job.in.address, job.in.size, NULL));
		launch(&job, stress, job.out.address, i % 3);
		/* Comparing every tenth will do: a fault of one run in a thousand shows in some of the loops. */
		if (i % 10 == 9 || i + 1 == stress->rounds)
			passes = output_is_right(&job, stress);
	}
	passes = test_guards_intact(&job.out, &stress->device) && passes;
	tap_ok(passes, "B061 B063: %s scans %s in place %u times without a fault", variant, srt_type_name(type),
		stress->rounds);
	job_end(&job, stress);
}

static void many_runs(struct stress *stress, int op, int type, const char *variant)
{
	struct job job;
	bool passes = true;

	job_begin(&job, stress, op, type, variant, stress->count);
	for (unsigned i = 0; i < stress->rounds && passes; i++) {
		test_drive(&stress->device, cuMemsetD8Async, (job.out.address, TEST_POISON, job.out.size, NULL));
		launch(&job, stress, job.in.address, i % 5);
		passes = output_is_right(&job, stress);
	}
	passes = test_guards_intact(&job.out, &stress->device) && passes;
	tap_ok(passes, "B073 B085 B087 B089: %s gives the right %s of %s %u times", variant, srt_op_name(op),
		srt_type_name(type), stress->rounds);
	test_download(&stress->device, job.seen, job.in.address, job.in.size);
	tap_ok(memcmp(job.seen, job.reference.input, job.in.size) == 0, "B065: %s left the input as it was", variant);
	job_end(&job, stress);
}

/* A second stream keeps the device busy with scans of its own while ours gets one block, or as many as fit. */
static void shared_device(struct stress *stress, const char *variant)
{
	struct job job;
	struct job other;
	CUstream stream;
	bool passes = true;
	unsigned rounds = test_rounds(&stress->device, 60, 3);

	test_drive(&stress->device, cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
	job_begin(&job, stress, SRT_OP_AFFINE, SCANRT_U32, variant, stress->count);
	job_begin(
		&other, stress, SCANRT_SUM, SCANRT_U32, "lookahead,block=256,items=16,stages=4,ahead=2", stress->count);
	for (unsigned i = 0; i < rounds && passes; i++) {
		for (unsigned k = 0; k < 4; k++)
			test_need(srt_kernel_launch(&other.kernel, stress->device.driver, &stress->other_workspace,
				other.out.address, other.in.address, other.reference.count, 0, stream));
		launch(&job, stress, job.in.address, i % 2);
		passes = output_is_right(&job, stress);
	}
	test_synchronize(&stress->device);
	tap_ok(passes && output_is_right(&other, stress),
		"B091 B093: %s finishes and is right beside other work, with one block and with all", variant);
	job_end(&job, stress);
	job_end(&other, stress);
	test_drive(&stress->device, cuStreamDestroy, (stream));
}

int main(void)
{
	static const char *const variants[] = { "block,block=256,items=16", "lookback,block=64,items=16",
		"lookback,block=256,items=16", "lookahead,block=64,items=16,stages=3,ahead=2",
		"lookahead,block=256,items=16,stages=4,ahead=3" };
	struct stress stress = { 0 };

	test_device_open(&stress.device);
	stress.count = test_cap(&stress.device, 300007);
	stress.rounds = test_rounds(&stress.device, 1000, 6);
	test_workspace_create(&stress.workspace, &stress.device, stress.count);
	test_workspace_create(&stress.other_workspace, &stress.device, stress.count);
	tap_plan(0);
	for (unsigned i = 0; i < 5; i++) {
		in_place(&stress, SCANRT_U32, variants[i], stress.count);
		in_place(&stress, SCANRT_U8, variants[i], stress.count);
	}
	stress.rounds = test_rounds(&stress.device, 300, 4);
	for (unsigned i = 0; i < 5; i++) {
		many_runs(&stress, SRT_OP_AFFINE, SCANRT_U64, variants[i]);
		many_runs(&stress, SRT_OP_LAST, SCANRT_U16, variants[i]);
		if (i)
			shared_device(&stress, variants[i]);
	}
	srt_workspace_destroy(&stress.workspace, stress.device.driver);
	srt_workspace_destroy(&stress.other_workspace, stress.device.driver);
	test_device_close(&stress.device);
	return tap_done();
}
