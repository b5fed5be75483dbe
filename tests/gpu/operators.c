/* SPDX-License-Identifier: MIT
 *
 * Plans that try the caller's operator first: what is no operator for a scan is refused, with an example, and what is
 * one is told how exact it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device.h"

/* Two words of an opaque struct, or of floats. */
struct operator_case {
	const char *text;
	uint32_t flags;
	const void *identity;
	int word_type;
	const char *says; /* NULL: the plan is made */
	const char *account;
	const char *what;
};

#define APPLY "pair apply(const pair &e, const pair &l) "
#define FLOATS "struct pair { float a, b; };\n"
#define WORDS "struct pair { unsigned a, b; };\n"
#define HALF "struct pair { unsigned a; unsigned short b; };\n" /* and two bytes of padding */

static const uint32_t zeros[] = { 0, 0 }, one[] = { 1, 0 };

static const struct operator_case cases[] = {
	{ WORDS "|" APPLY "{ return {e.a + l.a, l.b}; }", 0, NULL, 0, NULL, "it is exact", "a good operator" },
	{ WORDS "|" APPLY "{ return {e.a + l.a, e.b + l.b}; }", SCANRT_COMMUTATIVE, zeros, 0, NULL, "it is exact",
		"one that commutes, with an identity" },
	{ HALF "|" APPLY "{ pair r; r.a = e.a + l.a; r.b = l.b; return r; }", 0, NULL, 0, NULL, "it is exact",
		"one on a type with padding" },
	{ WORDS "|" APPLY "{ return {e.a - l.a, l.b}; }", 0, NULL, 0, "is not associative", "", "a difference" },
	{ WORDS "|" APPLY "{ return {e.a + l.a, l.b}; }", SCANRT_COMMUTATIVE, NULL, 0, "is not commutative", "",
		"a claim that it commutes" },
	{ WORDS "|" APPLY "{ return {e.a + l.a, e.b + l.b}; }", 0, one, 0, "has another identity", "",
		"a wrong identity" },
	{ WORDS "|" APPLY "{ const_cast<pair &>(l).b++; return {e.a + l.a, l.b}; }", 0, NULL, 0,
		"changes its operands", "", "an operator that writes into its operands" },
	{ WORDS "|__device__ unsigned calls;\n" APPLY "{ return {e.a + l.a, l.b + atomicAdd(&calls, 1u)}; }", 0, NULL,
		0, "gives two results for one pair", "", "an operator that remembers" },
	{ FLOATS "|" APPLY "{ return {e.a + l.a, e.b + l.b}; }", SCANRT_COMMUTATIVE, zeros, SCANRT_F32, NULL,
		"it is associative to within", "a sum of floats" },
	{ FLOATS "|" APPLY "{ return {e.a + l.a, e.b + l.b}; }", 0, zeros, 0, "is not associative", "",
		"a sum of floats that is compared by its bytes" },
	{ FLOATS "|" APPLY "{ return {e.a + 2 * l.a, l.b}; }", 0, NULL, SCANRT_F32, "is not associative", "",
		"floats that are farther off than by rounding" },
};

static void make_problem(struct scanrt_problem *problem, struct scanrt_user_type *type, struct scanrt_user_operator *op,
	char text[512], const struct operator_case *from)
{
	static const struct scanrt_problem no_problem = SCANRT_PROBLEM_INIT;
	static const struct scanrt_user_type no_type = SCANRT_USER_TYPE_INIT;
	static const struct scanrt_user_operator no_operator = SCANRT_USER_OPERATOR_INIT;
	char *bar;

	*problem = no_problem;
	*type = no_type;
	*op = no_operator;
	snprintf(text, 512, "%s", from->text);
	bar = strchr(text, '|');
	*bar = '\0';
	type->name = "pair";
	type->text = text;
	type->bytes = 8;
	type->alignment = 4;
	op->name = "op";
	op->text = bar + 1;
	op->flags = from->flags;
	op->identity = from->identity;
	problem->input_type = SCANRT_TYPE_USER;
	problem->user_input = type;
	problem->op = SCANRT_OPERATOR_USER;
	problem->user_operator = op;
	problem->max_count = problem->min_count = 100;
}

static void tries(struct scanrt_context *context, const struct operator_case *from)
{
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_user_operator op;
	struct scanrt_problem problem;
	struct scanrt_user_type type;
	struct scanrt_plan *plan = NULL;
	char text[512];
	char account[2048];
	int status;

	make_problem(&problem, &type, &op, text, from);
	options.flags = SCANRT_CHECK_OPERATOR;
	options.check_word_type = from->word_type;
	status = scanrt_plan_create(&plan, context, &problem, &options);
	tap_is_int(status, from->says ? SCANRT_ERROR_OPERATOR : SCANRT_OK, "B083: %s is %s: %.60s", from->what,
		from->says ? "refused" : "accepted", scanrt_last_error());
	if (from->says) {
		tap_contains(scanrt_last_error(), from->says, "and the sentence says so");
		tap_contains(scanrt_last_error(), "; a bytes ", "with an example");
		tap_ok(!strstr(scanrt_last_error(), "  "), "in one line of single blanks: %s", scanrt_last_error());
	} else if (!status) {
		scanrt_plan_describe(plan, 100, &description, account, sizeof(account));
		tap_contains(account, from->account, "and the plan's account says how exact it is");
	}
	scanrt_plan_destroy(plan);
}

/* Saturation is reached by few elements: random ones would not find it. */
static void test_own_elements(const struct test_device *device, struct scanrt_context *context)
{
	static const int32_t elements[] = { 3, 4, 900, 500, -600, 7, 1 };
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan *plan = NULL;
	struct test_buffer buffer;

	op.name = "saturating";
	op.text = "int apply(int e, int l) { int s = e + l; return s > 1000 ? 1000 : s < -1000 ? -1000 : s; }";
	problem.input_type = SCANRT_I32;
	problem.op = SCANRT_OPERATOR_USER;
	problem.user_operator = &op;
	problem.max_count = problem.min_count = 100;
	test_buffer_create(&buffer, device, sizeof(elements), 0);
	test_upload(device, buffer.address, elements, sizeof(elements));
	options.flags = SCANRT_CHECK_OPERATOR;
	options.check_elements = (const void *)(uintptr_t)buffer.address;
	options.check_count = 7;
	tap_is_int(scanrt_plan_create(&plan, context, &problem, &options), SCANRT_ERROR_OPERATOR,
		"an operator is tried on the caller's elements");
	tap_contains(scanrt_last_error(), "a is element 2", "and the example says which");
	options.check_count = 2;
	tap_is_int(scanrt_plan_create(&plan, context, &problem, &options), SCANRT_ERROR_COUNT,
		"two elements are too few to try anything on");
	options.check_word_type = SCANRT_I8;
	tap_is_int(scanrt_plan_create(&plan, context, &problem, &options), SCANRT_ERROR_TYPE,
		"words that are no floats are refused");
	problem.op = SCANRT_SUM;
	problem.user_operator = NULL;
	tap_is_int(scanrt_plan_create(&plan, context, &problem, &options), SCANRT_OK,
		"a built-in operator is known to be one");
	scanrt_plan_destroy(plan);
	test_buffer_destroy(&buffer, device);
}

static bool scan_is_right(const struct test_device *device, struct scanrt_plan *plan, uint64_t count)
{
	int32_t *values = malloc(count * sizeof(*values));
	struct test_buffer buffer;
	int32_t sum = 0;
	bool is_right = true;

	if (!values)
		abort();
	for (uint64_t i = 0; i < count; i++)
		values[i] = (int32_t)(i % 7) - 2;
	test_buffer_create(&buffer, device, count * sizeof(*values), 0);
	test_upload(device, buffer.address, values, count * sizeof(*values));
	test_need(scanrt_plan_execute(plan, (void *)(uintptr_t)buffer.address, (void *)(uintptr_t)buffer.address, count,
		NULL));
	test_download(device, values, buffer.address, count * sizeof(*values));
	for (uint64_t i = 0; i < count; i++) {
		sum += (int32_t)(i % 7) - 2;
		is_right = is_right && values[i] == sum;
	}
	test_buffer_destroy(&buffer, device);
	free(values);
	return is_right;
}

/* A plan for every count has several kernels, which are compiled side by side. */
static void test_all_classes(const struct test_device *device, struct scanrt_context *context)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan *plan = NULL;
	unsigned classes = 0, compiled = 0;

	op.name = "plus";
	op.text = "int apply(int e, int l) { return e + l; }";
	problem.input_type = SCANRT_I32;
	problem.op = SCANRT_OPERATOR_USER;
	problem.user_operator = &op;
	problem.max_count = UINT64_C(1) << 28;
	test_need(scanrt_plan_create(&plan, context, &problem, NULL));
	for (uint64_t count = 1; count <= problem.max_count; count = description.high_count + 1, classes++) {
		test_need(scanrt_plan_describe(plan, count, &description, NULL, 0));
		compiled += description.is_compiled == 1;
	}
	tap_ok(classes >= 3 && compiled == classes, "a plan for every count compiles %u kernels", classes);
	for (uint64_t count = 700; count <= device->max_count && count < 3000000; count = 6 * count + 1)
		tap_ok(scan_is_right(device, plan, count), "and scans %u elements right", (unsigned)count);
	scanrt_plan_destroy(plan);
	/* A kernel that does not compile in its thread is an error like any other. */
	op.text = "int apply(int e, int l) { return e + m; }";
	tap_is_int(scanrt_plan_create(&plan, context, &problem, NULL), SCANRT_ERROR_TEXT,
		"a text that is no good is refused");
	tap_contains(scanrt_last_error(), "operator plus(1): error", "with its line");
}

int main(void)
{
	struct scanrt_context *context;
	struct test_device device;

	test_device_open(&device);
	tap_plan(0);
	context = test_context_create(&device);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		tries(context, &cases[i]);
	test_own_elements(&device, context);
	test_all_classes(&device, context);
	scanrt_context_destroy(context);
	test_device_close(&device);
	return tap_done();
}
