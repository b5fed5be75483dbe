/* SPDX-License-Identifier: MIT */
#include "problem.h"

#include <string.h>

#include "status.h"
#include "tests/tap.h"

static struct scanrt_problem sum_of(int type)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;

	problem.op = SCANRT_SUM;
	problem.input_type = type;
	return problem;
}

static void is_text(const struct srt_problem *problem, bool is_exact, const char *wanted, const char *name)
{
	struct srt_strbuf text = { 0 };

	srt_problem_format(&text, problem, is_exact);
	tap_is_string(srt_strbuf_text(&text), wanted, "%s", name);
	srt_strbuf_free(&text);
}

/* B041: one rule for the accumulator, written down here as a table. */
static void test_types(void)
{
	static const struct {
		int input, accumulator, output;          /* as given */
		int wanted_accumulator, wanted_output;
	} cases[] = {
		{ SCANRT_I8, 0, 0, SCANRT_I8, SCANRT_I8 },
		{ SCANRT_I16, 0, SCANRT_I32, SCANRT_I32, SCANRT_I32 },
		{ SCANRT_I8, 0, SCANRT_I64, SCANRT_I64, SCANRT_I64 },
		{ SCANRT_I8, SCANRT_I32, 0, SCANRT_I32, SCANRT_I8 },
		{ SCANRT_U64, 0, SCANRT_U8, SCANRT_U8, SCANRT_U8 },
		{ SCANRT_F16, 0, 0, SCANRT_F32, SCANRT_F16 },
		{ SCANRT_BF16, 0, 0, SCANRT_F32, SCANRT_BF16 },
		{ SCANRT_F32, 0, SCANRT_F16, SCANRT_F32, SCANRT_F16 },
		{ SCANRT_F16, SCANRT_F16, 0, SCANRT_F16, SCANRT_F16 },
		{ SCANRT_F16, 0, SCANRT_F64, SCANRT_F64, SCANRT_F64 },
		{ SCANRT_F64, 0, 0, SCANRT_F64, SCANRT_F64 },
	};
	struct srt_problem problem;
	struct scanrt_problem given;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		given = sum_of(cases[i].input);
		given.accumulator_type = cases[i].accumulator;
		given.output_type = cases[i].output;
		tap_case("input %d accumulator %d output %d", cases[i].input, cases[i].accumulator, cases[i].output);
		tap_is_int(srt_problem_init(&problem, &given), SCANRT_OK, "B041: the types of case %zu are taken", i);
		tap_is_int(problem.accumulator_type, cases[i].wanted_accumulator,
			"B041: the accumulator of case %zu is the rule's",
			i);
		tap_is_int(problem.output_type, cases[i].wanted_output,
			"B041: the output type of case %zu is the rule's", i);
	}
	tap_case("%s", "");
}

/* The table of libscanrt(3). */
static void test_default_types(void)
{
	struct srt_problem problem;
	int i, type, wanted;

	for (i = 0; (type = srt_type_at(i)) != 0; i++) {
		struct scanrt_problem given = sum_of(type);

		wanted = type == SCANRT_F16 || type == SCANRT_BF16 ? SCANRT_F32 : type;
		tap_is_int(srt_problem_init(&problem, &given), SCANRT_OK, "B045: %s alone is taken",
			srt_type_name(type));
		tap_is_int(problem.accumulator_type, wanted, "B045: %s is accumulated in %s", srt_type_name(type),
			srt_type_name(wanted));
		tap_is_int(problem.output_type, type, "B045: a scan of %s gives %s", srt_type_name(type),
			srt_type_name(type));
	}
}

/* B027: an initial value is as wide as the accumulator, never as wide as what the caller happened to write. */
static void test_initial(void)
{
	static _Alignas(16) unsigned char bytes[40];
	struct scanrt_problem given = sum_of(SCANRT_I64);
	struct srt_problem problem;
	int64_t value = INT64_C(0x0123456789abcdef);
	int64_t seen;

	given.initial = &value;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_OK, "an initial value is taken");
	memcpy(&seen, problem.initial, sizeof(seen));
	tap_is_int(seen, value, "B027: all bytes of the accumulator type are read from the initial value");
	value = 0;
	memcpy(&seen, problem.initial, sizeof(seen));
	tap_ok(seen != 0, "the initial value is read when the problem is given, not later");

	memset(bytes, 0xff, sizeof(bytes));
	given = sum_of(SCANRT_U8);
	given.initial = bytes;
	srt_problem_init(&problem, &given);
	tap_ok(problem.initial[0] == 0xff && problem.initial[1] == 0, "no byte beyond the accumulator type is read");

	given.flags = SCANRT_INITIAL_ON_DEVICE;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_OK, "an initial value on the device is taken");
	tap_ok(problem.initial_on_device == bytes && problem.is_initial_on_device && problem.has_initial,
		"it is kept as the pointer");
	tap_is_int(problem.initial[0], 0, "it is not read by the host");
	given = sum_of(SCANRT_F64);
	given.flags = SCANRT_INITIAL_ON_DEVICE;
	given.initial = bytes + 4;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_MISALIGNED,
		"an initial value on the device must be aligned to the accumulator type");
	given.initial = NULL;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_ERROR_NULL_POINTER,
		"the flag without an initial value is refused");
}

static void refuses(int wanted, const struct scanrt_problem *given, const char *name)
{
	struct srt_problem problem;
	struct srt_problem before;

	memset(&problem, 0x5a, sizeof(problem));
	before = problem;
	srt_error_clear();
	tap_is_int(srt_problem_init(&problem, given), wanted, "%s is refused", name);
	tap_is_int(srt_error_last()->status, wanted, "%s: the refusal is recorded", name);
	tap_ok(srt_error_last()->text[0] != '\0', "%s: the refusal has a sentence", name);
	tap_is_bytes(&problem, &before, sizeof(problem), "%s: nothing has changed", name);
}

static void test_refusals(void)
{
	struct scanrt_problem given;

#define WITH(member, value) (given = sum_of(SCANRT_F32), given.member = (value), &given)
	refuses(SCANRT_ERROR_NULL_POINTER, NULL, "no problem");
	refuses(SCANRT_ERROR_TYPE, WITH(input_type, 0), "no input type");
	refuses(SCANRT_ERROR_TYPE, WITH(input_type, 13), "an unknown input type");
	refuses(SCANRT_ERROR_TYPE, WITH(accumulator_type, -1), "an unknown accumulator type");
	refuses(SCANRT_ERROR_TYPE, WITH(output_type, 100), "an unknown output type");
	refuses(SCANRT_ERROR_OPERATOR, WITH(op, 0), "no operator");
	refuses(SCANRT_ERROR_OPERATOR, WITH(op, 16), "an unknown operator");
	refuses(SCANRT_ERROR_OPERATOR, WITH(op, SRT_OP_LAST), "the internal operator last");
	refuses(SCANRT_ERROR_OPERATOR, WITH(op, SRT_OP_AFFINE), "the internal operator affine");
	refuses(SCANRT_ERROR_TYPE, WITH(op, SCANRT_AND), "a bitwise operator on floats");
	refuses(SCANRT_ERROR_MODE, WITH(mode, 2), "an unknown mode");
	refuses(SCANRT_ERROR_MODE, WITH(direction, 2), "an unknown direction");
	refuses(SCANRT_ERROR_UNSUPPORTED, WITH(direction, SCANRT_REVERSE), "the reverse direction");
	refuses(SCANRT_ERROR_MODE, WITH(segments, 4), "an unknown kind of segments");
	refuses(SCANRT_ERROR_MODE, WITH(segments, -1), "a negative kind of segments");
	refuses(SCANRT_ERROR_UNSUPPORTED, WITH(segments, SCANRT_SEGMENTS_KEYS), "a segmented scan");
	refuses(SCANRT_ERROR_UNSUPPORTED, WITH(outer_extent, 1), "an outer extent");
	refuses(SCANRT_ERROR_UNSUPPORTED, WITH(inner_extent, 2), "an inner extent");
	refuses(SCANRT_ERROR_UNSUPPORTED, WITH(input_strides[1], 1), "an input stride");
	refuses(SCANRT_ERROR_UNSUPPORTED, WITH(output_strides[2], -1), "an output stride");
	refuses(SCANRT_ERROR_FLAGS, WITH(flags, 2), "an unknown flag");
	refuses(SCANRT_ERROR_COUNT, WITH(max_count, UINT64_MAX), "a count whose bytes overflow");
	refuses(SCANRT_ERROR_COUNT, WITH(max_count, UINT64_C(1) << 61), "a count whose bytes fill the address space");
	refuses(SCANRT_ERROR_STRUCT_SIZE, WITH(size, 0), "a structure without its size");
	refuses(SCANRT_ERROR_STRUCT_SIZE, WITH(size, offsetof(struct scanrt_problem, user_input) - 1),
		"a structure that is too small");
#undef WITH
	given = sum_of(SCANRT_AFFINE_F32);
	given.op = SCANRT_AFFINE;
	given.output_type = SCANRT_F32;
	refuses(SCANRT_ERROR_TYPE, &given, "the offset of a map as output and thereby accumulator");
	tap_contains(srt_error_last()->text, "set accumulator_type, say to affine_f32",
		"whoever set no accumulator is told that it is missing");
	given.accumulator_type = SCANRT_F32;
	refuses(SCANRT_ERROR_TYPE, &given, "the offset of a map as accumulator");
	tap_ok(!strstr(srt_error_last()->text, "set accumulator_type"), "and whoever set one is not");
	given = sum_of(SCANRT_F32);
	given.accumulator_type = SCANRT_I32;
	given.op = SCANRT_AND;
	tap_ok(srt_problem_init(&(struct srt_problem){ 0 }, &given) == SCANRT_OK,
		"it is the accumulator, not the input, that an operator must take");
}

static void test_structures_of_the_future(void)
{
	struct {
		struct scanrt_problem problem;
		unsigned char tail[24];
	} future;
	struct srt_problem problem;

	memset(&future, 0, sizeof(future));
	future.problem = sum_of(SCANRT_I32);
	future.problem.size = sizeof(future);
	tap_is_int(srt_problem_init(&problem, &future.problem), SCANRT_OK,
		"a larger structure with a zero tail is taken");
	future.tail[sizeof(future.tail) - 1] = 1;
	refuses(SCANRT_ERROR_STRUCT_SIZE, &future.problem, "a larger structure whose last byte is set");
	future.problem.size -= 1;
	tap_is_int(srt_problem_init(&problem, &future.problem), SCANRT_OK,
		"bytes beyond the stated size are not looked at");
}

static void test_counts(void)
{
	struct scanrt_problem given = sum_of(SCANRT_F64);
	struct srt_problem problem;

	srt_problem_init(&problem, &given);
	tap_is_uint(problem.max_count, UINT64_C(1) << 32, "no bound on the count means 2^32");
	given.max_count = INT64_MAX / 8;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_OK,
		"the largest count whose bytes have addresses is taken");
	tap_is_uint(problem.max_count, INT64_MAX / 8, "the bound on the count is kept");
	given.max_count++;
	refuses(SCANRT_ERROR_COUNT, &given, "one element more");
	tap_is_uint(problem.min_count, 1, "no smallest count means 1");
	given.max_count = 1000;
	given.min_count = 1000;
	tap_is_int(srt_problem_init(&problem, &given), SCANRT_OK, "the smallest count may be the largest");
	given.min_count++;
	refuses(SCANRT_ERROR_COUNT, &given, "a smallest count over the largest");
}

static void test_texts(void)
{
	struct scanrt_problem given = sum_of(SCANRT_I32);
	struct srt_problem problem;
	int value = 1;

	srt_problem_init(&problem, &given);
	is_text(&problem, false, "sum i32", "one type is written once");
	given.mode = SCANRT_EXCLUSIVE;
	given.initial = &value;
	srt_problem_init(&problem, &given);
	is_text(&problem, false, "sum i32", "the short form leaves mode and initial value out");
	is_text(&problem, true, "sum i32 exclusive initial", "the exact form has mode and initial value");
	given = sum_of(SCANRT_I8);
	given.output_type = SCANRT_I32;
	srt_problem_init(&problem, &given);
	is_text(&problem, false, "sum i8>i32>i32", "different types are written input, accumulator, output");
	given = sum_of(SCANRT_F16);
	srt_problem_init(&problem, &given);
	is_text(&problem, true, "sum f16>f32>f16",
		"an accumulator that differs is written even where it is the default");
}

static void test_names(void)
{
	int seen = -1;
	int i;

	for (i = 0; srt_type_at(i); i++)
		tap_ok(srt_type_parse(&seen, srt_type_name(srt_type_at(i))) == SCANRT_OK && seen == srt_type_at(i),
			"the name of type %s parses back", srt_type_name(srt_type_at(i)));
	tap_is_int(i, 12, "there are 12 types");
	for (i = 0; srt_op_at(i); i++)
		tap_ok(srt_op_parse(&seen, srt_op_name(srt_op_at(i))) == SCANRT_OK && seen == srt_op_at(i),
			"the name of operator %s parses back", srt_op_name(srt_op_at(i)));
	tap_is_int(i, 7, "there are 7 public operators");
	tap_is_int(srt_type_parse(&seen, "I32"), SCANRT_ERROR_TYPE, "names of types are in small letters");
	tap_is_int(srt_type_parse(&seen, ""), SCANRT_ERROR_TYPE, "no name is no type");
	tap_is_int(srt_op_parse(&seen, "last"), SCANRT_ERROR_OPERATOR, "an internal operator does not parse");
	tap_ok(srt_type_name(0) == NULL && srt_type_size(0) == 0, "the default type has no name and no size");
	tap_ok(srt_op_name(0) == NULL && srt_op_class(0) == NULL, "operator 0 has no name and no class");
}

static void test_operators(void)
{
	struct srt_problem problem;

	tap_is_string(srt_op_class(SCANRT_SUM), srt_op_class(SCANRT_PROD), "sum and product share a class");
	tap_is_string(srt_op_class(SCANRT_MIN), srt_op_class(SCANRT_MAX), "minimum and maximum share a class");
	tap_is_string(srt_op_class(SCANRT_AND), srt_op_class(SCANRT_XOR), "the bitwise operators share a class");
	tap_ok(strcmp(srt_op_class(SCANRT_SUM), srt_op_class(SCANRT_MIN)) != 0, "sum and minimum do not");
	tap_ok(srt_op_is_commutative(SCANRT_SUM) && !srt_op_is_commutative(SRT_OP_LAST)
		&& !srt_op_is_commutative(SRT_OP_AFFINE), "only the internal operators do not commute");
	tap_is_int(srt_problem_init_simple(&problem, SCANRT_U64, SRT_OP_AFFINE), SCANRT_OK, "affine takes u64");
	tap_is_int(srt_problem_init_simple(&problem, SCANRT_I64, SRT_OP_AFFINE), SCANRT_ERROR_TYPE,
		"affine refuses i64");
	tap_is_int(srt_problem_init_simple(&problem, SCANRT_I8, SRT_OP_LAST), SCANRT_OK, "last takes i8");
	tap_is_int(srt_problem_init_simple(&problem, SCANRT_F32, SRT_OP_LAST), SCANRT_ERROR_TYPE, "last refuses f32");
	tap_is_int(srt_problem_init_simple(&problem, SCANRT_I32, 16), SCANRT_ERROR_OPERATOR,
		"an unknown operator is refused");
	tap_is_int(srt_problem_init_simple(&problem, SCANRT_BF16, SCANRT_MAX), SCANRT_OK, "maximum takes bf16");
	tap_is_int(problem.accumulator_type, SCANRT_F32, "the simple form follows the same rule of accumulators");
}

int main(void)
{
	tap_plan(0);
	test_types();
	test_default_types();
	test_initial();
	test_refusals();
	test_structures_of_the_future();
	test_counts();
	test_texts();
	test_names();
	test_operators();
	return tap_done();
}
