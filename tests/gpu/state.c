/* SPDX-License-Identifier: MIT
 *
 * An operator's state: a pointer that each execution hands to the operator, and that is no part of the machine code.
 */
#include <stdlib.h>
#include <string.h>

#include "../../lib/plan.h"
#include "../device.h"

#define COUNT 3000
#define IN_A_ROW 40 /* enough for the graph that the library makes of short scans in a row */

struct state {
	struct test_device device;
	struct scanrt_context *context;
	struct test_buffer in, out, moduli; /* two of them */
	uint32_t input[COUNT];
};

static const uint32_t modulus[2] = { 1009, 65521 };

/* Sums modulo whatever the state is. */
static const char sum_text[] =
	"unsigned apply(unsigned a, unsigned b, const unsigned *modulus) { return (a + b) % *modulus; }\n";

static const void *modulus_at(const struct state *state, int which)
{
	return (const void *)(uintptr_t)(state->moduli.address + (unsigned)which * sizeof(uint32_t));
}

static struct scanrt_plan *make_plan(const struct state *state, const char *variant, int which)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	struct scanrt_plan *plan = NULL;

	op.name = "modular";
	op.text = sum_text;
	op.flags = SCANRT_HAS_STATE;
	op.state = modulus_at(state, which);
	problem.input_type = SCANRT_U32;
	problem.op = SCANRT_OPERATOR_USER;
	problem.user_operator = &op;
	problem.max_count = COUNT;
	options.variant = variant;
	test_need(scanrt_plan_create(&plan, state->context, &problem, &options));
	return plan;
}

static bool is_modulo(const struct state *state, struct scanrt_plan *plan, uint64_t count, int which)
{
	static uint32_t seen[COUNT];
	uint32_t sum = 0;

	test_buffer_poison(&state->out, &state->device);
	test_need(scanrt_plan_execute(plan, (void *)(uintptr_t)state->out.address,
		(const void *)(uintptr_t)state->in.address, count, NULL));
	test_synchronize(&state->device);
	test_download(&state->device, seen, state->out.address, count * sizeof(seen[0]));
	for (uint64_t i = 0; i < count; i++) {
		sum = (sum + state->input[i]) % modulus[which];
		if (seen[i] != sum)
			return false;
	}
	return true;
}

/* The same machine code with another pointer, in two plans and within one. */
static void follows(const struct state *state, const char *variant, uint64_t count)
{
	struct scanrt_plan *plan = make_plan(state, variant, 0), *other = make_plan(state, variant, 1);
	bool passes = true;

	tap_ok(is_modulo(state, plan, count, 0) && is_modulo(state, other, count, 1) &&
			is_modulo(state, plan, count, 0),
		"B137 B139: two plans of one operator have a state each: %s", variant);
	test_need(scanrt_plan_set_state(plan, modulus_at(state, 1)));
	tap_ok(is_modulo(state, plan, count, 1), "another state counts from the next execution on");
	for (int i = 0; i < IN_A_ROW && passes; i++) {
		tap_case("launch %d in a row", i);
		test_need(scanrt_plan_set_state(plan, modulus_at(state, i % 2)));
		passes = is_modulo(state, plan, count, i % 2);
	}
	tap_case(NULL);
	tap_ok(passes, "and so it does in launches that follow one another");
	scanrt_plan_destroy(plan);
	scanrt_plan_destroy(other);
}

static void refuses(const struct state *state)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	struct scanrt_plan *plan = NULL;

	problem.input_type = SCANRT_U32;
	problem.op = SCANRT_SUM;
	problem.max_count = COUNT;
	test_need(scanrt_plan_create(&plan, state->context, &problem, NULL));
	tap_is_int(scanrt_plan_set_state(plan, modulus_at(state, 0)), SCANRT_ERROR_OPERATOR,
		"an operator without a state is given none");
	tap_contains(scanrt_last_error(), "sum has no state", "and the sentence names it");
	tap_is_int(scanrt_plan_set_state(NULL, NULL), SCANRT_ERROR_NULL_POINTER, "nor is no plan");
	scanrt_plan_destroy(plan);

	op.name = "modular";
	op.text = "unsigned apply(unsigned a, unsigned b) { return a + b; }\n";
	op.state = modulus_at(state, 0);
	problem.op = SCANRT_OPERATOR_USER;
	problem.user_operator = &op;
	tap_is_int(scanrt_plan_create(&plan, state->context, &problem, NULL), SCANRT_ERROR_FLAGS,
		"a state that the operator does not ask for is refused");
}

int main(void)
{
	static struct state state;

	test_device_open(&state.device);
	tap_plan(0);
	state.context = test_context_create(&state.device);
	for (uint32_t i = 0; i < COUNT; i++)
		state.input[i] = i * 2654435761u % 1000;
	test_buffer_create(&state.in, &state.device, sizeof(state.input), 0);
	test_buffer_create(&state.out, &state.device, sizeof(state.input), 0);
	test_buffer_create(&state.moduli, &state.device, sizeof(modulus), 0);
	test_upload(&state.device, state.in.address, state.input, sizeof(state.input));
	test_upload(&state.device, state.moduli.address, modulus, sizeof(modulus));
	follows(&state, "block,block=128,items=4", 500);
	follows(&state, "lookahead,block=64,items=4,stages=3,ahead=1", COUNT);
	follows(&state, "reduce,block=64,items=4", COUNT);
	refuses(&state);
	test_buffer_destroy(&state.moduli, &state.device);
	test_buffer_destroy(&state.out, &state.device);
	test_buffer_destroy(&state.in, &state.device);
	scanrt_context_destroy(state.context);
	test_device_close(&state.device);
	return tap_done();
}
