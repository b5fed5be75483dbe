/* SPDX-License-Identifier: MIT
 *
 * The built-in types that are more than a number, and their operators, through the public interface, against loops on
 * the host.  Data are such that results are exact, but for logaddexp and moments.
 */
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"

#define COUNT 3001

struct monoids {
	struct test_device device;
	struct scanrt_context *context;
};

struct pair32 { float value; uint32_t index; };
struct pair64 { double value; uint64_t index; };
struct affine32 { float slope, offset; };
struct affine64 { double slope, offset; };
struct matrix { uint32_t a, b, c, d; };
struct moments { double count, mean, m2; };
struct wide { uint64_t low, high; };

/* Runs one problem on its input; the results are the caller's to free. */
static void *run(struct monoids *monoids, struct scanrt_problem *problem, const void *input, size_t in_size,
	size_t out_size, const char *variant)
{
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct test_device *device = &monoids->device;
	struct scanrt_plan *plan = NULL;
	struct test_buffer in;
	struct test_buffer out;
	void *seen = malloc(COUNT * out_size);

	options.variant = variant;
	problem->max_count = COUNT;
	if (!seen || scanrt_plan_create(&plan, monoids->context, problem, &options))
		tap_bail_out("no plan: %s", scanrt_last_error());
	test_buffer_create(&in, device, COUNT * in_size, 0);
	test_buffer_create(&out, device, COUNT * out_size, 0);
	test_upload(device, in.address, input, in.size);
	if (scanrt_plan_execute(plan, (void *)(uintptr_t)out.address, (void *)(uintptr_t)in.address, COUNT, NULL))
		tap_bail_out("no scan: %s", scanrt_last_error());
	test_need(SRT_CALL(device->driver, cuStreamSynchronize, (NULL)));
	test_download(device, seen, out.address, out.size);
	test_buffer_destroy(&in, device);
	test_buffer_destroy(&out, device);
	scanrt_plan_destroy(plan);
	return seen;
}

static struct scanrt_problem problem_of(int op, int input, int accumulator, int output)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;

	problem.op = op;
	problem.input_type = input;
	problem.accumulator_type = accumulator;
	problem.output_type = output;
	return problem;
}

static uint64_t random_at(uint64_t index)
{
	return reference_random(4711, index);
}

/* x[i] = slope x[i-1] + offset in 24 bits: slopes of -1, 0 and 1 keep it exact. */
static void test_affine(struct monoids *monoids)
{
	struct scanrt_problem problem = problem_of(SCANRT_AFFINE, SCANRT_AFFINE_F32, SCANRT_AFFINE_F32, SCANRT_F32);
	struct affine32 maps[COUNT];
	struct affine32 start = { 1, 5 };
	float state = start.offset;
	float *seen;
	int wrong = 0;

	for (int i = 0; i < COUNT; i++)
		maps[i] = (struct affine32){ (float)(random_at(i) % 40 ? 1 - 2 * (int)(random_at(i) % 3 == 1) : 0),
			(float)(random_at(i) >> 32 & 255) };
	problem.initial = &start;
	seen = run(monoids, &problem, maps, sizeof(maps[0]), sizeof(float), NULL);
	for (int i = 0; i < COUNT; i++) {
		state = maps[i].slope * state + maps[i].offset;
		wrong += seen[i] != state;
	}
	tap_is_int(wrong, 0, "affine f32: a recurrence from an initial state, states out");
	free(seen);
}

static void test_arguments(struct monoids *monoids)
{
	struct scanrt_problem problem = problem_of(SCANRT_ARGMIN, SCANRT_F32, SCANRT_INDEXED_F32, SCANRT_INDEXED_F32);
	float values[COUNT];
	struct pair32 *seen;
	uint32_t *indices;
	uint32_t least = 0;
	int wrong = 0;

	for (int i = 0; i < COUNT; i++)
		values[i] = (float)(COUNT / 10 - i / 10 + (int)(random_at(i) % 50)); /* ties, new minima */
	seen = run(monoids, &problem, values, sizeof(float), sizeof(*seen), NULL);
	problem.output_type = SCANRT_U32;
	indices = run(monoids, &problem, values, sizeof(float), sizeof(*indices), "lookback,block=64,items=4");
	for (int i = 0; i < COUNT; i++) {
		least = values[i] < values[least] ? (uint32_t)i : least;
		wrong += seen[i].index != least || seen[i].value != values[least] || indices[i] != least;
	}
	tap_is_int(wrong, 0, "argmin f32: of equal values the first, values in, pairs or indices out");
	free(seen);
	free(indices);
}

/* What comes back from a second pass over the elements, or from one over partial results, keeps its place. */
static void test_arguments_of_passes(struct monoids *monoids)
{
	static const char *const variants[] = { "reduce,block=64,items=4", "reduce-fixed,block=64,items=4,partials=8",
		"fan,block=64,items=4" };
	struct scanrt_problem problem = problem_of(SCANRT_ARGMAX, SCANRT_I32, SCANRT_INDEXED_I32, SCANRT_U32);
	int32_t values[COUNT];

	for (int i = 0; i < COUNT; i++)
		values[i] = i / 10 + (int32_t)(random_at(i) % 50);
	for (size_t k = 0; k < sizeof(variants) / sizeof(variants[0]); k++) {
		uint32_t *indices = run(monoids, &problem, values, sizeof(*values), sizeof(*indices), variants[k]);
		uint32_t most = 0;
		int wrong = 0;

		for (int i = 0; i < COUNT; i++) {
			most = values[i] > values[most] ? (uint32_t)i : most;
			wrong += indices[i] != most;
		}
		tap_is_int(wrong, 0, "argmax i32 by %s: the index in the whole array", variants[k]);
		free(indices);
	}
}

static void test_last_valid(struct monoids *monoids)
{
	struct scanrt_problem problem = problem_of(SCANRT_LAST_VALID, SCANRT_F64, SCANRT_OPTIONAL_F64,
		SCANRT_OPTIONAL_F64);
	double values[COUNT];
	struct pair64 *seen;
	double last = 0;
	bool is_valid = false;
	int wrong = 0;

	for (int i = 0; i < COUNT; i++)
		values[i] = i < 7 || random_at(i) % 9 ? NAN : (double)i;
	seen = run(monoids, &problem, values, sizeof(double), sizeof(*seen), NULL);
	for (int i = 0; i < COUNT; i++) {
		if (!isnan(values[i]))
			last = values[i], is_valid = true;
		wrong += seen[i].index != is_valid || (is_valid && seen[i].value != last);
	}
	tap_is_int(wrong, 0, "last valid f64: a NaN is no value");
	free(seen);
}

static void test_matrices(struct monoids *monoids)
{
	struct scanrt_problem problem = problem_of(SCANRT_MATMUL, SCANRT_MATRIX2_U32, 0, 0);
	struct matrix input[COUNT], m = { 1, 0, 0, 1 };
	struct matrix *seen;
	int wrong = 0;

	for (int i = 0; i < COUNT; i++)
		input[i] = (struct matrix){ (uint32_t)random_at(4 * i) | 1, (uint32_t)random_at(4 * i + 1) & ~1u,
			(uint32_t)random_at(4 * i + 2), (uint32_t)random_at(4 * i + 3) | 1 };
	problem.mode = SCANRT_EXCLUSIVE;
	seen = run(monoids, &problem, input, sizeof(m), sizeof(m), "lookahead,block=64,items=2,stages=3,ahead=1");
	for (int i = 0; i < COUNT; i++) {
		struct matrix y = input[i];

		wrong += memcmp(&seen[i], &m, sizeof(m)) != 0;
		m = (struct matrix){ m.a * y.a + m.b * y.c, m.a * y.b + m.b * y.d, m.c * y.a + m.d * y.c,
			m.c * y.b + m.d * y.d };
	}
	tap_is_int(wrong, 0, "B020: matmul u32, exclusive, in array order");
	free(seen);
}

/* Both are sums of rounded terms, all of one sign: a bound of 1e-12 of the result is far from what goes wrong. */
static void test_rounded(struct monoids *monoids)
{
	struct scanrt_problem problem = problem_of(SCANRT_MOMENTS, SCANRT_F64, SCANRT_MOMENTS_F64,
		SCANRT_MOMENTS_F64);
	double values[COUNT], sum = 0, squares = 0, total = 0;
	struct moments *seen;
	double *logs;
	int wrong = 0;
	int wrong_logs = 0;

	for (int i = 0; i < COUNT; i++)
		values[i] = (double)(random_at(i) % 1000) / 100;
	seen = run(monoids, &problem, values, sizeof(double), sizeof(*seen), NULL);
	problem = problem_of(SCANRT_LOGADDEXP, SCANRT_F64, 0, 0);
	logs = run(monoids, &problem, values, sizeof(double), sizeof(double), NULL);
	for (int i = 0; i < COUNT; i++) {
		double n = i + 1, m2;

		sum += values[i];
		squares += values[i] * values[i];
		total += exp(values[i]);
		m2 = squares - sum * sum / n;
		wrong += seen[i].count != n || fabs(seen[i].mean - sum / n) > 1e-12 * 10 ||
			fabs(seen[i].m2 - m2) > 1e-10 * (squares + 1);
		wrong_logs += fabs(logs[i] - log(total)) > 1e-12;
	}
	tap_is_int(wrong, 0, "moments f64: count, mean and m2 of values");
	tap_is_int(wrong_logs, 0, "logaddexp f64");
	free(seen);
	free(logs);
}

static void test_numbers(struct monoids *monoids)
{
	struct scanrt_problem problem = problem_of(SCANRT_SUM, SCANRT_U128, 0, 0);
	struct wide input[COUNT], *seen;
	unsigned __int128 sum = 0;
	float _Complex values[COUNT], total = 0, *complexes;
	uint8_t bytes[COUNT], *saturated, small = 0;
	int wrong[3] = { 0 };

	for (int i = 0; i < COUNT; i++) {
		input[i] = (struct wide){ random_at(2 * i), random_at(2 * i + 1) };
		values[i] = (float)(random_at(i) % 64) + (float)(random_at(i) >> 8 & 63) * (float _Complex)I;
		bytes[i] = random_at(i) % 97 == 0;
	}
	seen = run(monoids, &problem, input, sizeof(*input), sizeof(*input), NULL);
	problem = problem_of(SCANRT_SUM, SCANRT_C64, 0, 0);
	complexes = run(monoids, &problem, values, sizeof(*values), sizeof(*values), NULL);
	problem = problem_of(SCANRT_SATURATING_SUM, SCANRT_U8, 0, 0);
	for (int i = 0; i < COUNT; i++)
		bytes[i] = (uint8_t)(bytes[i] * 31);
	saturated = run(monoids, &problem, bytes, 1, 1, NULL);
	for (int i = 0; i < COUNT; i++) {
		sum += (unsigned __int128)input[i].high << 64 | input[i].low;
		total += values[i];
		small = (uint8_t)(small + bytes[i] > 255 ? 255 : small + bytes[i]);
		wrong[0] += seen[i].low != (uint64_t)sum || seen[i].high != (uint64_t)(sum >> 64);
		wrong[1] += complexes[i] != total;
		wrong[2] += saturated[i] != small;
	}
	tap_is_int(wrong[0], 0, "sum u128");
	tap_is_int(wrong[1], 0, "sum c64");
	tap_is_int(wrong[2], 0, "saturating sum u8");
	free(seen);
	free(complexes);
	free(saturated);
}

int main(void)
{
	struct monoids monoids;

	test_device_open(&monoids.device);
	monoids.context = test_context_create(&monoids.device);
	tap_plan(0);
	test_affine(&monoids);
	test_arguments(&monoids);
	test_arguments_of_passes(&monoids);
	test_last_valid(&monoids);
	test_matrices(&monoids);
	test_rounded(&monoids);
	test_numbers(&monoids);
	scanrt_context_destroy(monoids.context);
	test_device_close(&monoids.device);
	return tap_done();
}
