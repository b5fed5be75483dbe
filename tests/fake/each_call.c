/* SPDX-License-Identifier: MIT
 *
 * The life of a program that scans, again and again, with each of its driver calls failing in turn: the failure is
 * told or made up for, and nothing is lost either way.
 */
#include <stdio.h>
#include <string.h>

#include "fake.h"
#include "scanrt.h"
#include "tests/tap.h"

/* Facts that may be unknown, and calls of clean-up, whose failure has nobody to be told to. */
static const char *const tolerated[] = {
	"cuDeviceGetAttribute", "cuDeviceGetUuid", "cuDeviceGetPCIBusId", "cuDeviceTotalMem", "cuPointerGetAttribute",
	"cuModuleUnload", "cuMemFree", "cuStreamDestroy", "cuLinkDestroy", "cuDevicePrimaryCtxRelease",
};

/* Calls about one kernel: another variant may take its place. */
static const char *const replaceable[] = {
	"cuModuleLoadData", "cuModuleGetFunction", "cuFuncGetAttribute", "cuFuncSetAttribute",
	"cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuLinkCreate", "cuLinkAddData", "cuLinkComplete",
};

/* The memory that a context has at hand for workspaces: without it each plan allocates its own. */
static const char *const spare[] = { "cuStreamCreate", "cuMemAlloc", "cuMemsetD8Async" };

static struct fake_driver *fake;
static int calls_of_context; /* how many a context's creation made */

static bool is_among(const char *name, const char *const *names, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static int scan_once(struct scanrt_context *context, const struct scanrt_plan_options *options)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan *plan = NULL;
	int status;

	problem.input_type = SCANRT_F32;
	problem.op = SCANRT_SUM;
	status = scanrt_plan_create(&plan, context, &problem, options);
	if (!status)
		status = scanrt_plan_execute(plan, (void *)0x1000, (void *)0x2000, 10, NULL);
	if (!status)
		status = scanrt_plan_execute(plan, (void *)0x10000000, (void *)0x20000000, 10000000, NULL);
	scanrt_plan_destroy(plan);
	if (!status)
		status = scanrt_scan(context, SCANRT_I32, SCANRT_MAX, SCANRT_EXCLUSIVE, (void *)0x1000,
			(void *)0x2000, 9, NULL);
	return status;
}

static int live(const char *device, const struct scanrt_plan_options *plan_options, char *text, size_t size)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_context *context = NULL;
	int status;

	options.device = device;
	options.database = "off";
	status = scanrt_context_create(&context, &options);
	calls_of_context = fake->calls;
	if (!status)
		status = scan_once(context, plan_options);
	snprintf(text, size, "%s", scanrt_last_error());
	scanrt_context_destroy(context);
	return status;
}

/* A destruction that cannot enter its context leaves what it would have freed there: the context is gone. */
static void check(int status, const char *text)
{
	bool is_tolerated = is_among(fake->failed, tolerated, sizeof(tolerated) / sizeof(tolerated[0]));
	bool is_spare = fake->fail_at <= calls_of_context &&
		is_among(fake->failed, spare, sizeof(spare) / sizeof(spare[0]));
	bool is_replaceable = is_spare ||
		is_among(fake->failed, replaceable, sizeof(replaceable) / sizeof(replaceable[0]));
	int destroying = strcmp(fake->failed, "cuCtxPushCurrent") == 0 || strcmp(fake->failed, "cuCtxPopCurrent") == 0;

	tap_case("call %d, %s, result %d", fake->fail_at, fake->failed, fake->fail_code);
	if (status)
		tap_contains(text, fake->failed, "a failure's text names the call that failed");
	else
		tap_ok(is_tolerated || is_replaceable || destroying, "a failure is told unless it can be made up for");
	/* One attribute is needed: the compute capability. */
	if (is_tolerated && strcmp(fake->failed, "cuDeviceGetAttribute") != 0)
		tap_is_int(status, SCANRT_OK, "an unknown fact or a failed clean-up is no failure of the scan");
	tap_ok(fake_held(fake) == 0 || strcmp(fake->failed, "cuCtxPushCurrent") == 0,
		"nothing is held: %d modules, %d allocations, %d streams, %d links, %d contexts, depth %d",
			fake->modules,
		fake->allocations, fake->streams, fake->links, fake->retained, fake->depth);
	tap_is_int(fake->misplaced, 0, "no call was made for the wrong context");
}

static void test_way(const char *name, const char *device, int code, const struct scanrt_plan_options *options,
	bool refuses_sass)
{
	char text[1024];
	int at = 0;
	int status;

	do {
		fake_driver_reset(fake);
		fake->refuses_sass = refuses_sass;
		fake->fail_code = code;
		fake->fail_at = ++at;
		status = live(device, options, text, sizeof(text));
		if (fake->failed[0])
			check(status, text);
	} while (fake->failed[0] && at < 1000);
	tap_case("%s", "");
	tap_is_int(status, SCANRT_OK, "%s: without a failure it succeeds", name);
	tap_ok(at > 30, "%s: %d calls failed in turn", name, at - 1);
}

int main(void)
{
	struct scanrt_plan_options ptx = SCANRT_PLAN_OPTIONS_INIT;
	char text[1024];

	tap_plan(0);
	fake = fake_driver();
	fake_compiler();
	/* Loading the driver, once per process, is the loader test's. */
	tap_is_int(live("0", NULL, text, sizeof(text)), SCANRT_OK, "the program works");
	ptx.flags = SCANRT_CODEGEN_PTX;
	test_way("an unknown error", "0", 999, NULL, false);
	test_way("out of memory", NULL, 2, NULL, false);
	test_way("a sticky error", "1", 700, NULL, false);
	test_way("an unknown error by way of PTX", "0", 999, &ptx, false);
	test_way("an unknown error where machine code is refused", "0", 999, NULL, true);
	return tap_done();
}
