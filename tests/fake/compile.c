/* SPDX-License-Identifier: MIT
 *
 * Plans without a database: how their kernels are made, and what happens where the compiler fails.
 */
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "planning.h"
#include "status.h"
#include "tests/tap.h"

static void test_refused_sass(void)
{
	struct scanrt_plan *plan;

	fake->refuses_sass = true;
	plan = make(NULL);
	tap_is_int((int)plan->class_count > 0 && plan->classes[0].fetched->is_compiled, 1, "it is compiled");
	tap_is_int(compiler->compilations, (int)plan->fetched_count + 1,
		"a device that refuses machine code once gets PTX at once from then on");
	tap_is_int(fake->links, 0, "no linker stays");
	scanrt_plan_destroy(plan);
	reset();
	compiler->newest = 80;
	plan = make(NULL);
	tap_is_int(compiler->compilations, (int)plan->fetched_count,
		"a compiler that is older than the device makes PTX");
	scanrt_plan_destroy(plan);
	reset();
}

static void test_codegen_flag(void)
{
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan *plan;

	options.flags = SCANRT_CODEGEN_PTX;
	plan = make(&options);
	tap_is_int(compiler->compilations, (int)plan->fetched_count, "the flag asks for PTX without a try of SASS");
	scanrt_plan_destroy(plan);
	options.flags = 8;
	tap_is_int(refuse(&options), SCANRT_ERROR_FLAGS, "an unknown flag is refused");
	reset();
}

/* Of the class that is below look-ahead's, which is the last one. */
static int strategy_before_last(void)
{
	struct scanrt_plan *plan = make(NULL);
	const struct srt_plan_class *last = &plan->classes[plan->class_count - 1];
	int strategy;

	if (plan->class_count < 2 || last->fetched->kernel.variant.strategy != SRT_LOOKAHEAD)
		tap_bail_out("the last class is not look-ahead's");
	strategy = last[-1].fetched->kernel.variant.strategy;
	scanrt_plan_destroy(plan);
	return strategy;
}

static void test_compiler(void)
{
	const int before_last = strategy_before_last();
	struct scanrt_plan *plan;

	setenv("SCANRT_LIBNVRTC", "/nowhere/libnvrtc.so", 1);
	tap_is_int(refuse(NULL), SCANRT_ERROR_NO_COMPILER, "without images a plan needs a compiler");
	tap_contains(scanrt_last_error(), "/nowhere/libnvrtc.so", "the message names what was looked for");
	setenv("SCANRT_LIBNVRTC", fake_compiler_path(), 1);
	compiler->fail_option = "";
	tap_is_int(refuse(NULL), SCANRT_ERROR_COMPILE, "a kernel that does not compile has a status of its own");
	tap_contains(scanrt_last_error(), "as the test wants it", "the message has the compiler's words");
	tap_is_int(compiler->programs, 0, "no program stays");
	/* The other classes' kernels take over what look-back would have served. */
	compiler->fail_option = "-DSCAN_STRATEGY=2";
	plan = make(NULL);
	tap_is_uint(plan->classes[plan->class_count - 1].high_count, UINT64_C(1) << 32,
		"without look-back all counts are served");
	tap_is_int(srt_plan_class_of(plan, 100000)->fetched->kernel.variant.strategy, SRT_TOTALS,
		"middle counts go to the next larger ones' kernel then");
	scanrt_plan_destroy(plan);
	compiler->fail_option = "-DSCAN_STRATEGY=3";
	plan = make(NULL);
	tap_is_int(srt_plan_class_of(plan, UINT64_C(1) << 30)->fetched->kernel.variant.strategy, before_last,
		"without look-ahead large counts go to what serves those below");
	scanrt_plan_destroy(plan);
	reset();
}

/* The log is for people; all other calls of the compiler matter. */
static void test_failing_compiler(void)
{
	static const char *const tolerated[] = { "nvrtcGetProgramLogSize", "nvrtcGetProgramLog",
		"nvrtcDestroyProgram" };
	struct scanrt_plan *plan;
	bool is_tolerated;
	size_t i;
	int at;
	int status;

	for (at = 1;; at++) {
		reset();
		problem.max_count = 50;
		compiler->fail_at = at;
		compiler->fail_code = 11;
		plan = NULL;
		status = scanrt_plan_create(&plan, context, &problem, NULL);
		scanrt_plan_destroy(plan);
		if (!compiler->failed[0])
			break;
		is_tolerated = false;
		for (i = 0; i < sizeof(tolerated) / sizeof(tolerated[0]); i++)
			is_tolerated |= strcmp(tolerated[i], compiler->failed) == 0;
		tap_case("call %d, %s", at, compiler->failed);
		tap_is_int(status, is_tolerated ? SCANRT_OK : SCANRT_ERROR_COMPILER,
			"a failing call of the compiler is told");
		tap_is_int(compiler->programs, 0, "no program stays");
		tap_is_int(fake_held(fake), HELD_BY_CONTEXT, "a plan that failed holds nothing but the context");
	}
	tap_case("%s", "");
	tap_ok(at > 4, "%d calls of the compiler failed in turn", at - 1);
	reset();
	setenv("SCANRT_LIBNVRTC", "libm.so.6", 1);
	tap_is_int(refuse(NULL), SCANRT_ERROR_COMPILER_TOO_OLD,
		"a library that lacks the compiler's functions is too old");
	setenv("SCANRT_LIBNVRTC", fake_compiler_path(), 1);
	reset();
}

static int checks;

static int refuse_lookahead(void *user, const struct srt_kernel *kernel)
{
	++*(int *)user;
	if (kernel->variant.strategy == SRT_LOOKAHEAD)
		return srt_fail(SCANRT_ERROR_COMPILE, "the self-test has found it wrong");
	return SCANRT_OK;
}

/* B131: machine code that the compiler got wrong is found before it is used. */
static void test_check(void)
{
	const int before_last = strategy_before_last();
	struct scanrt_plan *plan;

	context->check = refuse_lookahead;
	context->check_user = &checks;
	plan = make(NULL);
	tap_is_int(checks, (int)plan->fetched_count + 1, "B131: every freshly compiled kernel is checked");
	tap_is_int(srt_plan_class_of(plan, UINT64_C(1) << 30)->fetched->kernel.variant.strategy, before_last,
		"B131: a kernel that fails is not used");
	tap_is_int(fake->modules, (int)plan->fetched_count, "B131: nor does it stay loaded");
	scanrt_plan_destroy(plan);
	context->check = NULL;
	reset();
}

int main(void)
{
	planning_begin();
	test_refused_sass();
	test_codegen_flag();
	test_compiler();
	test_failing_compiler();
	test_check();
	return planning_end();
}
