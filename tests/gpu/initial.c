/* SPDX-License-Identifier: MIT
 *
 * Exclusive scans and initial values: once, before the first element, in the accumulator's type, from the host or from
 * device memory.
 */
#include <stdlib.h>
#include <string.h>

#include "../device.h"

struct initial {
	struct test_device device;
	struct srt_workspace workspace;
	uint64_t largest;
};

static const char *const variants[] = { "block,block=64,items=16", "lookback,block=32,items=16",
	"lookahead,block=32,items=16,stages=3,ahead=2" };
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static bool right_at(struct initial *initial, const struct srt_kernel *kernel, const struct reference *reference)
{
	uint64_t tile = srt_variant_tile(&kernel->variant);
	uint64_t counts[] = { 1, 2, tile - 1, tile, tile + 1, 513, 33 * tile + 1, initial->largest };
	bool passes = true;

	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct test_scan scan = { reference, kernel, &initial->workspace, counts[i], i, 31 - i, false, 0 };

		if (counts[i] <= reference->count && counts[i] <= srt_variant_max_count(&kernel->variant))
			passes = test_scan_passes(&initial->device, &scan) && passes;
	}
	return passes;
}

/* Ones and an initial value of 1: applied in two blocks, or twice in one, every result after that is off. */
static void applied_once(struct initial *initial, const char *variant, bool is_exclusive)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference reference;
	int32_t *ones = malloc(initial->largest * sizeof(*ones));
	int32_t one = 1;

	if (!ones)
		abort();
	for (uint64_t i = 0; i < initial->largest; i++)
		ones[i] = 1;
	test_problem(&problem, SCANRT_SUM, SCANRT_I32, SCANRT_I32, SCANRT_I32, is_exclusive);
	problem.has_initial = true;
	memcpy(problem.initial, &one, sizeof(one));
	reference_create_from(&reference, &problem, ones, false, initial->largest);
	test_kernel_create(&kernel, &initial->device, &problem, variant);
	tap_ok(right_at(initial, &kernel, &reference), "B025: %s applies the initial value of an %s scan once", variant,
		is_exclusive ? "exclusive" : "inclusive");
	test_kernel_destroy(&kernel, &initial->device);
	reference_destroy(&reference);
	free(ones);
}

/* Int64 data around its maximum: an initial value narrowed to int would take every sum with it. */
static void keeps_its_type(struct initial *initial, const char *variant)
{
	static const int64_t input[] = { INT64_MAX - 1, 1, 0 };
	static const int64_t wide = INT64_C(0x123456789abcdef0);
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference reference;
	bool passes;

	test_problem(&problem, SCANRT_SUM, SCANRT_I64, SCANRT_I64, SCANRT_I64, true);
	problem.has_initial = true;
	test_kernel_create(&kernel, &initial->device, &problem, variant);
	reference_create_from(&reference, &problem, input, false, 3);
	tap_is_int(((int64_t *)reference.expected)[2], INT64_MAX, "B027: the reference itself does not narrow");
	passes = right_at(initial, &kernel, &reference);
	reference_destroy(&reference);
	test_kernel_destroy(&kernel, &initial->device);
	memcpy(problem.initial, &wide, sizeof(wide));
	test_kernel_create(&kernel, &initial->device, &problem, variant);
	reference_create_from(&reference, &problem, input, false, 3);
	tap_ok(right_at(initial, &kernel, &reference) && passes, "B027: %s keeps all 64 bits of an initial value",
		variant);
	reference_destroy(&reference);
	test_kernel_destroy(&kernel, &initial->device);
}

/* The same kernel reads another value at each launch: the value is not baked into the code. */
static void from_device_memory(struct initial *initial, const char *variant)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct test_buffer value;
	bool passes = true;

	test_problem(&problem, SRT_OP_AFFINE, SCANRT_U32, SCANRT_U32, SCANRT_U32, true);
	test_problem_set_initial(&problem, 1);
	test_buffer_create(&value, &initial->device, 4, 4); /* 4-byte aligned and no more */
	problem.is_initial_on_device = true;
	problem.initial_on_device = (const void *)(uintptr_t)value.address;
	test_kernel_create(&kernel, &initial->device, &problem, variant);
	for (unsigned seed = 1; seed <= 3; seed++) {
		struct reference reference;

		test_problem_set_initial(&problem, seed);
		test_upload(&initial->device, value.address, problem.initial, 4);
		reference_create(&reference, &problem, REFERENCE_EXACT, seed, initial->largest);
		passes = right_at(initial, &kernel, &reference) && passes;
		reference_destroy(&reference);
	}
	tap_ok(passes, "B139: %s reads an initial value in device memory at each launch", variant);
	test_kernel_destroy(&kernel, &initial->device);
	test_buffer_destroy(&value, &initial->device);
}

static void *scan_to_host(struct initial *initial, const struct srt_problem *problem, const char *variant,
	const struct reference *data, uint64_t count)
{
	struct test_buffer in;
	struct test_buffer out;
	struct srt_kernel kernel;
	uint64_t size = count * srt_type_size(problem->input_type);
	void *results = malloc(size);

	if (!results)
		abort();
	test_kernel_create(&kernel, &initial->device, problem, variant);
	test_buffer_create(&in, &initial->device, size, 0);
	test_buffer_create(&out, &initial->device, size, 0);
	test_upload(&initial->device, in.address, data->input, size);
	test_need(srt_kernel_launch(
		&kernel, initial->device.driver, &initial->workspace, out.address, in.address, count, 0, NULL));
	test_synchronize(&initial->device);
	test_download(&initial->device, results, out.address, size);
	test_buffer_destroy(&in, &initial->device);
	test_buffer_destroy(&out, &initial->device);
	test_kernel_destroy(&kernel, &initial->device);
	return results;
}

/* No reference between the two: whatever an inclusive scan gives, the exclusive one gives it a place later.  By
 * look-back a float's bits may change from launch to launch, so floats are integers here. */
static void exclusive_is_shifted(struct initial *initial, const char *variant, int op, int type)
{
	uint64_t count = strncmp(variant, "block", 5) == 0 ? 512 : initial->largest;
	struct srt_problem problem;
	struct reference data;
	char *inclusive;
	char *exclusive;
	size_t size = srt_type_size(type);

	if (count > initial->largest)
		count = initial->largest;
	test_problem(&problem, op, type, type, type, false);
	reference_create(&data, &problem, REFERENCE_EXACT, 3, count);
	inclusive = scan_to_host(initial, &problem, variant, &data, count);
	problem.is_exclusive = true;
	exclusive = scan_to_host(initial, &problem, variant, &data, count);
	tap_is_bytes(exclusive + size, inclusive, (count - 1) * size,
		"B015: by %s the exclusive %s of %s is the inclusive one shifted", variant, srt_op_name(op),
		srt_type_name(type));
	free(inclusive);
	free(exclusive);
	reference_destroy(&data);
}

int main(void)
{
	struct initial initial = { 0 };

	test_device_open(&initial.device);
	initial.largest = test_cap(&initial.device, 1000000);
	test_workspace_create(&initial.workspace, &initial.device, initial.largest);
	tap_plan(0);
	for (unsigned i = 0; i < VARIANTS; i++) {
		applied_once(&initial, variants[i], false);
		applied_once(&initial, variants[i], true);
		keeps_its_type(&initial, variants[i]);
		from_device_memory(&initial, variants[i]);
		exclusive_is_shifted(&initial, variants[i], SCANRT_SUM, SCANRT_I32);
		exclusive_is_shifted(&initial, variants[i], SRT_OP_AFFINE, SCANRT_U64);
		exclusive_is_shifted(&initial, variants[i], SCANRT_SUM, SCANRT_F32);
		exclusive_is_shifted(&initial, variants[i], SCANRT_MAX, SCANRT_I8);
	}
	srt_workspace_destroy(&initial.workspace, initial.device.driver);
	test_device_close(&initial.device);
	return tap_done();
}
