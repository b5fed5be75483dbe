/* SPDX-License-Identifier: MIT
 *
 * One-call scans: plans that are remembered, that grow, and that are not made during a capture.
 */
#include <pthread.h>
#include <stdlib.h>

#include "context.h"
#include "driver.h"
#include "fake.h"
#include "scanrt.h"
#include "tests/tap.h"

#define AT(address) ((void *)(uintptr_t)(address))
#define ON AT(0x1000000000)
#define FROM AT(0x2000000000)

static struct fake_driver *fake;
static struct scanrt_context *context;

static int scan(int type, int op, int mode, uint64_t count, void *stream)
{
	return scanrt_scan(context, type, op, mode, ON, FROM, count, stream);
}

static void test_memory(void)
{
	int loads;

	tap_is_int(scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, 100, NULL), SCANRT_OK, "a first scan makes its plan");
	loads = fake->loads;
	tap_is_int(scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, 60000, NULL), SCANRT_OK, "a second one finds it");
	tap_is_int(fake->loads, loads, "and loads nothing");
	tap_is_int(fake->launches, 2, "each is one launch");
	scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, 100, AT(0x5));
	tap_ok(fake->loads > loads, "another stream has a plan of its own");
	loads = fake->loads;
	scan(SCANRT_I32, SCANRT_SUM, SCANRT_EXCLUSIVE, 100, NULL);
	tap_ok(fake->loads > loads, "B05B: another mode has a plan of its own");
	loads = fake->loads;
	scan(SCANRT_F32, SCANRT_SUM, SCANRT_INCLUSIVE, 100, NULL);
	tap_ok(fake->loads > loads, "B05B: another type has a plan of its own");
	loads = fake->loads;
	scan(SCANRT_I32, SCANRT_MAX, SCANRT_INCLUSIVE, 100, NULL);
	tap_ok(fake->loads > loads, "B05B: another operator has a plan of its own");
}

/* One call for each type and operator that go together, as a program would write it. */
static void test_all_types(void)
{
	int i, j, refused = 0;

	for (i = 0; srt_type_at(i); i++)
		for (j = 0; srt_op_at(j); j++)
			if (srt_op_takes(srt_op_at(j), srt_type_at(i)))
				refused += scan(srt_type_at(i), srt_op_at(j), SCANRT_EXCLUSIVE, 10, NULL) != SCANRT_OK;
	tap_is_int(refused, 0, "B029: the call takes every type with every operator that has it");
}

static void test_growth(void)
{
	int modules = fake->modules;
	int loads;

	tap_is_int(scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, 1 << 16, NULL), SCANRT_OK, "a plan serves 2^16");
	tap_is_int(fake->modules, modules, "without another one");
	tap_is_int(scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, (1 << 16) + 1, NULL), SCANRT_OK,
		"a larger count grows the plan");
	tap_ok(fake->modules > modules, "the outgrown plan stays, as its launches may still be on the stream");
	loads = fake->loads;
	scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, 10, NULL);
	scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, 1000000, NULL);
	tap_is_int(fake->loads, loads, "the larger plan serves all that follow");
	tap_is_uint(fake->launch.arguments.count, 1000000, "the count gets through");
}

/* B113: what would break the capture is refused before. */
static void test_capture(void)
{
	int allocations = fake->allocations;

	fake->is_capturing = true;
	tap_is_int(scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, 100, NULL), SCANRT_OK,
		"B113: a scan with a plan may be captured");
	tap_is_int(scan(SCANRT_I64, SCANRT_SUM, SCANRT_INCLUSIVE, 100, NULL), SCANRT_ERROR_CAPTURE,
		"B113: a scan without one is refused during capture");
	tap_contains(scanrt_last_error(), "run it once before", "B113: the message says what to do");
	tap_is_int(scan(SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, UINT64_C(1) << 33, NULL), SCANRT_ERROR_CAPTURE,
		"B113: so is one that would grow its plan");
	tap_is_int(fake->allocations, allocations, "B113: nothing was allocated");
	fake->is_capturing = false;
}

static void test_arguments(void)
{
	int calls = fake->calls;

	tap_is_int(scanrt_scan(NULL, SCANRT_I32, SCANRT_SUM, 0, ON, FROM, 1, NULL), SCANRT_ERROR_NULL_POINTER,
		"a null context is refused");
	tap_is_int(scanrt_scan(context, SCANRT_I32, SCANRT_SUM, 0, NULL, FROM, 1, NULL), SCANRT_ERROR_NULL_POINTER,
		"a null out is refused");
	tap_is_int(scanrt_scan(context, SCANRT_I32, SCANRT_SUM, 0, ON, NULL, 1, NULL), SCANRT_ERROR_NULL_POINTER,
		"a null in is refused");
	tap_is_int(scanrt_scan(context, SCANRT_I32, SCANRT_SUM, 0, NULL, NULL, 0, NULL), SCANRT_OK,
		"B105: count 0 is legal");
	tap_is_int(scanrt_scan(context, 77, SCANRT_SUM, 0, NULL, NULL, 0, NULL), SCANRT_ERROR_TYPE,
		"an unknown type is refused, even for count 0");
	tap_is_int(scanrt_scan(context, SCANRT_F32, SCANRT_XOR, 0, NULL, NULL, 0, NULL), SCANRT_ERROR_TYPE,
		"an operator that does not take the type is refused, even for count 0");
	tap_is_int(scanrt_scan(context, SCANRT_I32, SCANRT_SUM, 9, NULL, NULL, 0, NULL), SCANRT_ERROR_MODE,
		"an unknown mode is refused, even for count 0");
	tap_is_int(fake->calls, calls, "none of these calls the driver");
	tap_is_int(scan(SCANRT_I32, 55, 0, 7, NULL), SCANRT_ERROR_OPERATOR, "an unknown operator is refused");
	tap_is_int(scanrt_scan(context, SCANRT_I32, SCANRT_SUM, 0, AT(0x1001), FROM, 1, NULL), SCANRT_ERROR_MISALIGNED,
		"a misaligned out is refused");
}

static void test_stream(void)
{
	fake->fail_name = "cuStreamIsCapturing";
	fake->fail_code = CUDA_ERROR_INVALID_HANDLE;
	tap_is_int(scan(SCANRT_U64, SCANRT_MIN, 0, 7, AT(0x99)), SCANRT_ERROR_CONTEXT,
		"what is no stream of the context has the status that a launch on it would have");
	tap_contains(scanrt_last_error(), "the stream: cuStreamIsCapturing",
		"and the sentence says that it is the stream");
	fake->fail_name = NULL;
}

/* The fake counts without locks, so that the threads take turns in it: what is tested is the memory of plans. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *scan_in_thread(void *stream)
{
	intptr_t failures = 0;
	int i;

	for (i = 0; i < 50; i++) {
		pthread_mutex_lock(&turn);
		failures += scan(SCANRT_U8, SCANRT_OR, SCANRT_INCLUSIVE, (uint64_t)1 << (i % 24), stream) != SCANRT_OK;
		pthread_mutex_unlock(&turn);
	}
	return (void *)failures;
}

static void test_threads(void)
{
	pthread_t threads[4];
	void *failures;
	size_t i;

	for (i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, scan_in_thread, AT(0x100 * (i % 2 + 1)));
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &failures);
		tap_ok(failures == NULL, "thread %zu scanned without a failure", i);
	}
}

int main(void)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;

	tap_plan(0);
	fake = fake_driver();
	fake_compiler();
	unsetenv("SCANRT_VARIANT");
	options.device = "0";
	options.database = "off";
	if (scanrt_context_create(&context, &options))
		tap_bail_out("no context: %s", scanrt_last_error());
	test_memory();
	test_all_types();
	test_growth();
	test_capture();
	test_arguments();
	test_stream();
	test_threads();
	scanrt_context_destroy(context);
	tap_is_int(fake_held(fake), 0, "nothing is held at the end");
	return tap_done();
}
