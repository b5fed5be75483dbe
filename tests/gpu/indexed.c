/* SPDX-License-Identifier: MIT
 *
 * An operator that indexes its operands by what is in them: compilers keep such values in local memory, where those
 * that a lane does not have are memory that nobody has written.  Permutations, so that order counts.
 */
#include <stdlib.h>
#include <string.h>

#include "../device.h"

enum { PLACES = 6 };

struct permutation {
	unsigned char to[PLACES];
	unsigned short count;
};

static const char type_text[] = "struct permutation { unsigned char to[6]; unsigned short count; };\n";
static const char op_text[] = "permutation apply(const permutation &e, const permutation &l)\n{\n"
	"\tpermutation r;\n"
	"\tfor (int i = 0; i < 6; i++)\n"
	"\t\tr.to[i] = l.to[e.to[i]];\n"
	"\tr.count = e.count + l.count;\n"
	"\treturn r;\n}\n";

static const char *const variants[] = { "block,block=64,items=4", "lookback,block=64,items=2",
	"lookahead,block=64,items=6,stages=3,ahead=1", "cluster,block=64,items=2", "lookback-serial,block=64,items=2",
	"fan,block=64,items=2", "reduce,block=64,items=2", "reduce-fixed,block=64,items=2",
	"large,block=64,items=2", "totals,block=64,items=2" };

static const struct permutation start = { { 1, 0, 3, 2, 5, 4 }, 77 };

static struct permutation apply(const struct permutation *e, const struct permutation *l)
{
	struct permutation r;

	for (int i = 0; i < PLACES; i++)
		r.to[i] = l->to[e->to[i]];
	r.count = (unsigned short)(e->count + l->count);
	return r;
}

static void fill(struct permutation *input, uint64_t count, uint64_t seed)
{
	struct test_random random = { seed, 0 };

	for (uint64_t i = 0; i < count; i++) {
		for (int k = 0; k < PLACES; k++) {
			int other = (int)test_draw(&random, (uint64_t)k + 1);

			input[i].to[k] = input[i].to[other];
			input[i].to[other] = (unsigned char)k;
		}
		input[i].count = (unsigned short)i;
	}
}

/* What the device wrote is the loop's, for so many elements. */
static bool is_right(const struct permutation *seen, const struct permutation *input, uint64_t count, bool is_exclusive)
{
	struct permutation running = start;
	bool is_same = true;

	for (uint64_t i = 0; i < count && is_same; i++) {
		struct permutation before = running;

		running = apply(&running, &input[i]);
		is_same = memcmp(is_exclusive ? &before : &running, &seen[i], sizeof *seen) == 0;
		if (!is_same)
			tap_diag("wrong at element %llu of %llu", (unsigned long long)i, (unsigned long long)count);
	}
	return is_same;
}

static bool passes(struct test_device *device, struct scanrt_plan *plan, uint64_t count, bool is_exclusive)
{
	size_t bytes = count * sizeof(struct permutation);
	struct permutation *input = malloc(bytes), *seen = malloc(bytes);
	struct test_buffer buffer;
	bool is_same;

	if (!input || !seen)
		abort();
	fill(input, count, device->seed);
	test_buffer_create(&buffer, device, bytes, 0);
	test_upload(device, buffer.address, input, bytes);
	test_need(scanrt_plan_execute(plan, (void *)(uintptr_t)buffer.address, (void *)(uintptr_t)buffer.address, count,
		NULL));
	test_synchronize(device);
	test_download(device, seen, buffer.address, bytes);
	is_same = is_right(seen, input, count, is_exclusive) && test_guards_intact(&buffer, device);
	test_buffer_destroy(&buffer, device);
	free(input);
	free(seen);
	return is_same;
}

static void variant_passes(struct test_device *device, struct scanrt_context *context, const char *variant,
	bool is_exclusive)
{
	static const uint64_t counts[] = { 1, 61, 251, 1999 };
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	struct scanrt_plan *plan;
	int status;

	type.name = "permutation";
	type.text = type_text;
	type.bytes = sizeof(struct permutation);
	type.alignment = 2;
	op.name = "compose";
	op.text = op_text;
	problem.input_type = SCANRT_TYPE_USER;
	problem.user_input = &type;
	problem.op = SCANRT_OPERATOR_USER;
	problem.user_operator = &op;
	problem.mode = is_exclusive;
	problem.initial = &start;
	problem.max_count = strncmp(variant, "block", 5) == 0 ? 251 : 1999;
	options.variant = variant;
	status = scanrt_plan_create(&plan, context, &problem, &options);
	if (status == SCANRT_ERROR_VARIANT) {
		tap_skip(1, "%s: %s", variant, scanrt_last_error());
		return;
	}
	test_need(status);
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		if (counts[i] <= problem.max_count)
			tap_ok(passes(device, plan, counts[i], is_exclusive), "%s, %s: %llu permutations are right",
				variant, is_exclusive ? "exclusive" : "inclusive", (unsigned long long)counts[i]);
	scanrt_plan_destroy(plan);
}

int main(void)
{
	struct test_device device;
	struct scanrt_context *context;

	tap_plan(0);
	test_device_open(&device);
	context = test_context_create(&device);
	for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++)
		variant_passes(&device, context, variants[i], i % 2);
	scanrt_context_destroy(context);
	test_device_close(&device);
	return tap_done();
}
