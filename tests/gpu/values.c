/* SPDX-License-Identifier: MIT
 *
 * Types and special values: where a sum is accumulated, when conversions happen, NaN, signed zeros and infinities.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"

struct values {
	struct test_device device;
	struct srt_workspace workspace;
	uint64_t largest;
	unsigned asked; /* questions so far */
};

static const char *const variants[] = { "block,block=128,items=16", "lookback,block=32,items=16",
	"lookahead,block=32,items=16,stages=3,ahead=2", "lookahead,block=32,items=16,stages=3,ahead=2,store=bulk" };
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))
#define RAKED    3

struct question {
	int op;
	int types[3];
	bool is_real;
	bool is_exclusive;
};

/* Scans the doubles or integers given, converted to the input type, by every strategy; a short array is repeated. */
static void ask(struct values *values, const struct question *question, const struct element *input, uint64_t given,
	uint64_t count, const char *claim)
{
	struct srt_problem problem;
	struct reference reference;
	void *array = calloc(count, 8);

	if (!array)
		abort();
	for (uint64_t i = 0; i < count; i++)
		element_store(question->types[0], array, i, input[i % given]);
	test_problem(&problem, question->op, question->types[0], question->types[1], question->types[2],
		question->is_exclusive);
	reference_create_from(&reference, &problem, array, question->is_real, count);
	/* On an emulated device the strategies take turns, but for what raked slices have instructions of their own. */
	for (unsigned v = 0; v < VARIANTS; v++) {
		struct srt_kernel kernel;
		struct test_scan scan = { &reference, &kernel, &values->workspace, count, 0, 0, false, 0 };

		bool has_its_own = v == RAKED && (question->op == SCANRT_MIN || question->op == SCANRT_MAX);

		if (test_is_small(&values->device) && v != values->asked % VARIANTS && !has_its_own)
			continue;
		test_kernel_create(&kernel, &values->device, &problem, variants[v]);
		if (scan.count > srt_variant_max_count(&kernel.variant))
			scan.count = srt_variant_max_count(&kernel.variant);
		tap_ok(test_scan_passes(&values->device, &scan), "%s, by %s", claim, variants[v]);
		test_kernel_destroy(&kernel, &values->device);
	}
	values->asked++;
	reference_destroy(&reference);
	free(array);
}

static struct element integer(int64_t value)
{
	return (struct element){ (uint64_t)value, 0, 0 };
}

static struct element number(double value)
{
	return (struct element){ 0, value, 0 };
}

static void accumulators(struct values *values)
{
	const struct question widened = { SCANRT_SUM, { SCANRT_I16, SCANRT_I32, SCANRT_I32 }, false, false };
	const struct question bytes = { SCANRT_SUM, { SCANRT_I8, SCANRT_I32, SCANRT_I32 }, false, true };
	const struct question narrow = { SCANRT_SUM, { SCANRT_I32, SCANRT_I8, SCANRT_I32 }, false, false };
	const struct question wraps = { SCANRT_SUM, { SCANRT_I8, SCANRT_I8, SCANRT_I8 }, false, false };
	const struct question products = { SCANRT_PROD, { SCANRT_U8, SCANRT_U8, SCANRT_U64 }, false, false };
	const struct question converts = { SCANRT_SUM, { SCANRT_BF16, SCANRT_I8, SCANRT_I8 }, false, false };
	struct element shorts[] = { integer(32767), integer(32767), integer(-5) };
	struct element ones[] = { integer(1) };
	struct element wide[] = { integer(100), integer(100), integer(256 + 3) };
	struct element odd[] = { integer(3) };
	struct element halves[] = { number(100.75), number(100.75), number(-300) };
	uint64_t count = test_cap(&values->device, 300);

	ask(values, &widened, shorts, 3, count, "B041: int16 accumulates in int32 where the plan says so");
	ask(values, &bytes, ones, 1, count, "B041: 300 chars of 1 reach 300 in an int accumulator");
	ask(values, &narrow, wide, 3, count,
		"B059: every partial result wraps to an int8 accumulator before the output");
	ask(values, &wraps, shorts, 1, count, "B071: int8 sums wrap");
	ask(values, &products, odd, 1, count, "B059: products are cut to the accumulator's eight bits");
	ask(values, &converts, halves, 3, count, "B043: each bf16 is converted to int8 first, and the sums wrap then");
}

static void error_bounds(struct values *values)
{
	const struct question products = { SCANRT_PROD, { SCANRT_BF16, SCANRT_F32, SCANRT_BF16 }, true, false };
	const struct question sums = { SCANRT_SUM, { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, true, false };
	uint64_t count = test_cap(&values->device, 1000);
	struct element *input = calloc(values->largest, sizeof(*input));

	if (!input)
		abort();
	for (uint64_t i = 0; i < count; i++)
		input[i] = number(0.99 + 0.02 * (double)(reference_random(5, i) >> 40) / 16777216.0);
	ask(values, &products, input, count, count, "B047: bf16 products of 1000 factors round once, at the end");
	for (uint64_t i = 0; i < values->largest; i++)
		input[i] = number((double)(reference_random(6, i) >> 40) / 16777216.0);
	ask(values, &sums, input, values->largest, values->largest,
		"B049: f32 sums of positive numbers keep the published bound");
	for (uint64_t i = 0; i < values->largest; i++)
		input[i] = number((double)i);
	ask(values, &sums, input, values->largest, values->largest,
		"B057: a running sum of indices is rounded, not wrong");
	free(input);
}

/* Ordinary values with a few special ones far apart, so that they meet in tree joints of every level. */
static void order(struct values *values)
{
	static const int types[] = { SCANRT_F16, SCANRT_BF16, SCANRT_F32, SCANRT_F64 };
	uint64_t count = test_cap(&values->device, 5000);
	struct element *input = calloc(count, sizeof(*input));

	if (!input)
		abort();
	for (unsigned t = 0; t < 4; t++) {
		const struct question least = { SCANRT_MIN, { types[t], types[t], types[t] }, false, t & 1 };
		const struct question most = { SCANRT_MAX, { types[t], types[t], types[t] }, false, !(t & 1) };

		for (uint64_t i = 0; i < count; i++)
			input[i] = number(0.0);
		input[count / 3] = number(-0.0);
		ask(values, &least, input, count, count, "B053: -0 is less than +0 in a minimum");
		for (uint64_t i = 0; i < count; i++)
			input[i] = number(-0.0);
		input[count / 3] = number(0.0);
		ask(values, &most, input, count, count, "B053: +0 is greater than -0 in a maximum");
		for (uint64_t i = 0; i < count; i++)
			input[i] = number((double)(int)(reference_random(7, i) % 200) - 100);
		input[count / 2] = number(NAN);
		input[count - 1 - count / 8] = number(-INFINITY);
		ask(values, &least, input, count, count, "B053: a NaN wins a minimum and stays");
		input[count - 1 - count / 8] = number(INFINITY);
		ask(values, &most, input, count, count, "B053: a NaN wins a maximum and stays");
		for (uint64_t i = 0; i < count; i++)
			input[i] = number(i < count / 2 ? -INFINITY : -(double)(i % 7));
		ask(values, &most, input, count, count,
			"B051: a prefix of -inf stays -inf, not the lowest finite value");
	}
	free(input);
}

/* Right for any order of combination: infinities of one sign, and NaN from the first clash on. */
static void infinities(struct values *values)
{
	const struct question sums = { SCANRT_SUM, { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false, false };
	uint64_t count = test_cap(&values->device, 3000);
	struct element *input = calloc(count, sizeof(*input));

	if (!input)
		abort();
	for (uint64_t i = 0; i < count; i++)
		input[i] = number(1);
	input[count / 3] = number(INFINITY);
	ask(values, &sums, input, count, count, "an infinity in a sum reaches every later result and no earlier one");
	input[count / 2] = number(-INFINITY);
	ask(values, &sums, input, count, count,
		"infinities of both signs make NaN of every later sum and of no earlier one");
	free(input);
}

/* What reassociation cannot keep: zero first and then factors whose product overflows may give NaN, since a range that
 * begins after the zero is infinite by itself.  Documented; a result before that must still be zero. */
static void zero_times_overflow(struct values *values)
{
	const struct question products = { SCANRT_PROD, { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false, false };
	struct element input[20];

	for (int i = 0; i < 20; i++)
		input[i] = number(0.5 * i);
	ask(values, &products, input, 20, 20,
		"B055: a product that begins with zero stays zero while no range overflows");
}

static void conversions(struct values *values)
{
	const struct question to_byte = { SCANRT_MAX, { SCANRT_F32, SCANRT_F32, SCANRT_I8 }, false, false };
	const struct question to_long = { SCANRT_MAX, { SCANRT_F64, SCANRT_F64, SCANRT_I64 }, false, false };
	const struct question to_half = { SCANRT_SUM, { SCANRT_I32, SCANRT_F32, SCANRT_F16 }, false, false };
	struct element floats[] = { number(-1e30), number(-129.9), number(-0.75), number(0.75), number(255.5),
		number(300), number(4e9), number(1e30), number(INFINITY), number(NAN) };
	struct element steps[] = { integer(2049), integer(2), integer(30000), integer(40000), integer(-7) };

	ask(values, &to_byte, floats, 10, 10, "a float becomes an int8 by truncation to 64 bits, then wrapping");
	ask(values, &to_long, floats, 10, 10, "a double becomes an int64 by truncation, saturating, NaN to 0");
	ask(values, &to_half, steps, 5, 5,
		"a float becomes an f16 by rounding to nearest even, overflowing to infinity");
}

int main(void)
{
	struct values values = { 0 };

	test_device_open(&values.device);
	values.largest = test_cap(&values.device, 200000);
	test_workspace_create(&values.workspace, &values.device, values.largest);
	tap_plan(0);
	accumulators(&values);
	error_bounds(&values);
	order(&values);
	infinities(&values);
	zero_times_overflow(&values);
	conversions(&values);
	srt_workspace_destroy(&values.workspace, values.device.driver);
	test_device_close(&values.device);
	return tap_done();
}
