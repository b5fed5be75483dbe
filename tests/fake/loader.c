/* SPDX-License-Identifier: MIT
 *
 * Loading a driver that is missing, a stub, too old, or that fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver.h"
#include "fake.h"
#include "status.h"
#include "tests/folder.h"
#include "tests/tap.h"

static struct fake_driver *fake;

static const struct {
	const char *name;
	bool is_required;
} functions[] = {
#define REQUIRED true
#define OPTIONAL false
#define FN(name, version, need) { #name, need },
#include "driver.def"
#undef FN
};

static int open_driver(const char *device)
{
	const struct srt_driver *driver = NULL;
	int ordinal = 99;

	srt_error_clear();
	return srt_driver_open(&driver, &ordinal, device);
}

static void test_missing_file(void)
{
	setenv("SCANRT_LIBCUDA", "/nowhere/libcuda.so.1", 1);
	tap_is_int(open_driver("0"), SCANRT_ERROR_NO_DRIVER, "a file that is not there is no driver");
	tap_contains(srt_error_last()->text, "/nowhere/libcuda.so.1", "the message names the file");
	setenv("SCANRT_LIBCUDA", "/dev/null", 1);
	tap_is_int(open_driver("0"), SCANRT_ERROR_NO_DRIVER, "a file that is no library is no driver");
	setenv("SCANRT_LIBCUDA", "libm.so.6", 1);
	tap_is_int(open_driver("0"), SCANRT_ERROR_DRIVER_TOO_OLD, "a library without cuGetProcAddress is too old");
	tap_contains(srt_error_last()->text, "cuGetProcAddress", "the message says what it lacks");
	setenv("SCANRT_LIBCUDA", fake_driver_path(), 1);
}

/* The dynamic loader would wait for somebody to write into it. */
static void test_fifo(void)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/libcuda.so.1", folder("loader"));
	if (mkfifo(path, 0600))
		tap_bail_out("no FIFO");
	setenv("SCANRT_LIBCUDA", path, 1);
	tap_is_int(open_driver("0"), SCANRT_ERROR_NO_DRIVER, "a FIFO is no driver, and nobody waits for its writer");
	tap_contains(srt_error_last()->text, "no regular file", "the message says what is wrong with it");
	setenv("SCANRT_LIBCUDA", fake_driver_path(), 1);
}

static void test_kind(void)
{
	setenv("SCANRT_DRIVER", "foo", 1);
	tap_is_int(open_driver("0"), SCANRT_ERROR_ENVIRONMENT, "a SCANRT_DRIVER that is none is refused");
	tap_contains(srt_error_last()->text, "SCANRT_DRIVER: \"foo\"", "the message has variable and value");
	setenv("SCANRT_DRIVER", "", 1);
	tap_is_int(open_driver("0"), SCANRT_OK, "a SCANRT_DRIVER of nothing is as good as none");
	unsetenv("SCANRT_DRIVER");
}

static void test_toolkit_stub(void)
{
	const char *toolkit = getenv("CUDA_DIR");
	char path[4096];

	snprintf(path, sizeof(path), "%s/lib64/stubs/libcuda.so", toolkit ? toolkit : "");
	if (!toolkit || access(path, R_OK) != 0) {
		tap_skip(1, "no toolkit with a stub libcuda");
		return;
	}
	setenv("SCANRT_LIBCUDA", path, 1);
	tap_is_int(open_driver("0"), SCANRT_ERROR_DRIVER_STUB, "the toolkit's own stub is told from a driver");
	setenv("SCANRT_LIBCUDA", fake_driver_path(), 1);
}

static void test_stub(void)
{
	fake->is_stub = true;
	tap_is_int(open_driver("0"), SCANRT_ERROR_DRIVER_STUB, "a stub has a status of its own");
	tap_is_int(srt_error_last()->cuda_result, CUDA_ERROR_STUB_LIBRARY, "the record has the driver's code");
	tap_contains(srt_error_last()->text, fake_driver_path(), "the message names the file");
	fake->is_stub = false;
	fake->fail_name = "cuInit";
	fake->fail_code = CUDA_ERROR_STUB_LIBRARY;
	tap_is_int(open_driver("0"), SCANRT_ERROR_DRIVER_STUB, "a stub that shows itself only in cuInit is found too");
	fake_driver_reset(fake);
}

static void test_too_old(void)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!functions[i].is_required)
			continue;
		fake->missing = functions[i].name;
		tap_ok(open_driver("0") == SCANRT_ERROR_DRIVER_TOO_OLD && strstr(srt_error_last()->text,
			functions[i].name),
			"a driver without %s is too old, and the message names it", functions[i].name);
	}
	fake_driver_reset(fake);
}

static void test_failing_start(void)
{
	fake->fail_name = "cuInit";
	fake->fail_code = CUDA_ERROR_NO_DEVICE;
	tap_is_int(open_driver("0"), SCANRT_ERROR_NO_DEVICE, "a driver that finds no device says so");
	tap_contains(srt_error_last()->text, "cuInit: FAKE_ERROR_100 (100)", "the message has call, name and code");
	fake->fail_code = CUDA_ERROR_UNKNOWN;
	tap_is_int(open_driver("0"), SCANRT_ERROR_DRIVER, "another failure of cuInit is one of the driver");
	fake->fail_name = "cuDriverGetVersion";
	tap_is_int(open_driver("0"), SCANRT_ERROR_DRIVER, "a driver that cannot tell its version is refused");
	fake_driver_reset(fake);
}

static void test_device_texts(void)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1x", "emux", "emu:", "emu:x", "gpu", "99999999999" };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		tap_is_int(open_driver(bad[i]), SCANRT_ERROR_NO_DEVICE, "the text \"%s\" names no device", bad[i]);
}

static void test_success(void)
{
	const struct srt_driver *first = NULL;
	const struct srt_driver *again = NULL;
	int ordinal = 99;

	fake->missing = "cuLaunchKernelEx";
	tap_is_int(srt_driver_open(&first, &ordinal, "1"), SCANRT_OK, "a driver without an optional function loads");
	tap_is_int(ordinal, 1, "the ordinal is read from the text");
	tap_ok(first && !first->cuLaunchKernelEx, "the optional function is null");
	tap_is_int(first ? first->version : 0, 13000, "the version is the driver's");
	tap_is_int(srt_driver_open(&again, &ordinal, NULL), SCANRT_OK, "it opens again");
	tap_ok(first == again, "a file is loaded once");
	tap_is_int(ordinal, SRT_ORDINAL_CURRENT, "no text asks for the current context");
	fake_driver_reset(fake);
}

/* Statuses that a result has by itself, whatever call it comes from. */
static void test_mapping(void)
{
	static const struct {
		int result;
		int status;
	} rows[] = {
		{ CUDA_SUCCESS, SCANRT_OK },
		{ CUDA_ERROR_OUT_OF_MEMORY, SCANRT_ERROR_DEVICE_MEMORY },
		{ CUDA_ERROR_INVALID_CONTEXT, SCANRT_ERROR_CONTEXT },
		{ CUDA_ERROR_INVALID_VALUE, SCANRT_ERROR_DRIVER },
		{ CUDA_ERROR_ILLEGAL_ADDRESS, SCANRT_ERROR_DEVICE_LOST },
		{ CUDA_ERROR_LAUNCH_FAILED, SCANRT_ERROR_DEVICE_LOST },
		{ CUDA_ERROR_LAUNCH_TIMEOUT, SCANRT_ERROR_DEVICE_LOST },
		{ CUDA_ERROR_ECC_UNCORRECTABLE, SCANRT_ERROR_DEVICE_LOST },
		{ CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, SCANRT_ERROR_CAPTURE },
		{ CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, SCANRT_ERROR_CAPTURE },
		{ CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, SCANRT_ERROR_CAPTURE },
	};
	const struct srt_driver *driver = NULL;
	int ordinal;
	size_t i;

	srt_driver_open(&driver, &ordinal, "0");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tap_is_int(srt_driver_status(driver, (CUresult)rows[i].result, "cuAny"), rows[i].status,
			"the result %d becomes the status %d", rows[i].result, rows[i].status);
}

int main(void)
{
	tap_plan(0);
	unsetenv("SCANRT_DRIVER");
	fake = fake_driver();
	test_missing_file();
	test_fifo();
	test_toolkit_stub();
	test_stub();
	test_too_old();
	test_failing_start();
	test_device_texts();
	test_success();
	test_kind();
	test_mapping();
	return tap_done();
}
