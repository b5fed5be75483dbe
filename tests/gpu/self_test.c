/* SPDX-License-Identifier: MIT
 *
 * B131: the self-test of freshly compiled machine code passes what is right, of every type and operator that it knows,
 * and finds what is not.
 */
#include "../../lib/self_test.h"

#include <string.h>

#include "../../lib/status.h"
#include "../device.h"

struct sample {
	int op;
	int type;
	bool is_exclusive;
	const char *variant;
};

/* Every type and operator once, and strategies by turns. */
static const struct sample samples[] = {
	{ SCANRT_SUM, SCANRT_I32, false, "lookback,block=32,items=4" },
	{ SCANRT_SUM, SCANRT_F32, true, "lookahead,block=64,items=4,stages=3,ahead=1" },
	{ SCANRT_SUM, SCANRT_F16, false, "block,block=32,items=8" },
	{ SCANRT_PROD, SCANRT_BF16, true, "totals,block=32,items=8" },
	{ SCANRT_PROD, SCANRT_I64, false, "lookback,block=64,items=2" },
	{ SCANRT_MIN, SCANRT_F64, false, "reduce,block=64,items=2" },
	{ SCANRT_MIN, SCANRT_I8, true, "totals,block=32,items=16" },
	{ SCANRT_MAX, SCANRT_U16, false, "lookback,block=32,items=8" },
	{ SCANRT_MAX, SCANRT_F32, false, "totals,block=64,items=4" },
	{ SCANRT_AND, SCANRT_U8, true, "lookback,block=32,items=16" },
	{ SCANRT_OR, SCANRT_U64, true, "lookback,block=32,items=2" },
	{ SCANRT_XOR, SCANRT_I16, false, "fan,block=32,items=8" },
	{ SCANRT_SUM, SCANRT_U32, true, "cluster,block=32,items=4,cluster=2" },
};

/* What the machine code does and what it should do differ: the device's results are then wrong. */
static void must_find(const struct srt_kernel *kernel, const struct test_device *device, const char *what)
{
	tap_is_int(srt_self_test(kernel, device->driver), SCANRT_ERROR_COMPILE, "%s is found out", what);
	tap_contains(srt_error_last()->text, "the self-test found it wrong", "and told");
}

/* The first result of an exclusive scan, which of minima and maxima depends on the type. */
static void test_identity(struct test_device *device, int op, int type)
{
	struct srt_problem problem;
	struct srt_kernel kernel;

	test_need(srt_problem_init_simple(&problem, type, op));
	problem.is_exclusive = true;
	test_kernel_create(&kernel, device, &problem, "block,block=32,items=16");
	tap_is_int(srt_self_test(&kernel, device->driver), SCANRT_OK, "exclusive %s of %s begin as they should",
		srt_op_name(op), srt_type_name(type));
	test_kernel_destroy(&kernel, device);
}

/* As if the compiler had got it wrong: no other result tells it from the greatest value. */
static void test_wrong_identity(struct test_device *device)
{
	const int32_t nearly = INT32_MAX - 1;
	struct srt_problem problem;
	struct srt_kernel kernel;

	test_need(srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_MIN));
	problem.is_exclusive = problem.has_initial = true;
	memcpy(problem.initial, &nearly, sizeof(nearly));
	test_kernel_create(&kernel, device, &problem, "lookback,block=32,items=4");
	kernel.problem.has_initial = false;
	must_find(&kernel, device, "a first result that is no identity");
	test_kernel_destroy(&kernel, device);
}

static void test_sample(struct test_device *device, const struct sample *sample)
{
	struct srt_problem problem;
	struct srt_variant variant;
	struct srt_kernel kernel;

	test_need(srt_problem_init_simple(&problem, sample->type, sample->op));
	problem.is_exclusive = sample->is_exclusive;
	test_need(srt_variant_parse(&variant, sample->variant));
	if (srt_variant_check(&variant, &problem, &device->facts) != SCANRT_OK) {
		tap_skip(1, "this device has no %s", sample->variant);
		return;
	}
	tap_case("%s %s, %s", srt_op_name(sample->op), srt_type_name(sample->type), sample->variant);
	tap_ok(srt_self_test_knows(&problem), "the problem is one of those that it knows");
	test_kernel_create(&kernel, device, &problem, sample->variant);
	tap_is_int(srt_self_test(&kernel, device->driver), SCANRT_OK, "what is right passes");
	kernel.problem.op = sample->op == SCANRT_XOR ? SCANRT_OR : sample->op + 1;
	if (srt_self_test_knows(&kernel.problem) && srt_op_takes(kernel.problem.op, sample->type))
		must_find(&kernel, device, "another operator");
	kernel.problem.op = sample->op;
	kernel.problem.is_exclusive = !sample->is_exclusive;
	must_find(&kernel, device, "another mode");
	kernel.problem.is_exclusive = sample->is_exclusive;
	test_kernel_destroy(&kernel, device);
	tap_case("%s", "");
}

/* What the caller has written has results that only its text knows. */
static void test_unknown(void)
{
	struct srt_problem problem;

	test_need(srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM));
	problem.has_initial = true;
	tap_ok(!srt_self_test_knows(&problem), "a problem with an initial value is none that it knows");
	problem.has_initial = false;
	problem.output_type = SCANRT_I64;
	tap_ok(!srt_self_test_knows(&problem), "nor is one that converts integers");
	problem.output_type = SCANRT_I32;
	problem.op = SRT_OP_LAST;
	tap_ok(!srt_self_test_knows(&problem), "nor one with an operator of the tests");
}

int main(void)
{
	struct test_device device;

	tap_plan(0);
	test_device_open(&device);
	test_unknown();
	for (int type = SCANRT_I8; type <= SCANRT_F64; type++) {
		test_identity(&device, SCANRT_MIN, type);
		test_identity(&device, SCANRT_MAX, type);
	}
	test_wrong_identity(&device);
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		test_sample(&device, &samples[i]);
	test_device_close(&device);
	return tap_done();
}
