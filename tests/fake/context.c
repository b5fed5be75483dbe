/* SPDX-License-Identifier: MIT
 *
 * Opening devices: which one, with which context, and what is refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "fake.h"
#include "scanrt.h"
#include "tests/tap.h"

static struct fake_driver *fake;
static int lines;

static void count_line(void *user, const char *line)
{
	*(int *)user += line[0] != '\0';
}

static int create(const char *device)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_context *context = NULL;
	int status;

	options.device = device;
	options.database = "off";
	status = scanrt_context_create(&context, &options);
	scanrt_context_destroy(context);
	return status;
}

static void test_devices(void)
{
	tap_is_int(create("0"), SCANRT_OK, "device 0 opens");
	tap_is_int(create("1"), SCANRT_OK, "device 1 opens");
	tap_is_int(create("2"), SCANRT_ERROR_NO_DEVICE, "a device beyond the last is none");
	tap_contains(scanrt_last_error(), "there is no device 2", "the message says which");
	tap_is_int(create(NULL), SCANRT_OK, "without a text and a current context it is device 0");
	fake->device_count = 0;
	tap_is_int(create(NULL), SCANRT_ERROR_NO_DEVICE, "a machine without devices has none");
	fake_driver_reset(fake);
	fake->capability = 70;
	tap_is_int(create("0"), SCANRT_ERROR_DEVICE_UNSUPPORTED, "compute capability 7.0 is too old");
	tap_contains(scanrt_last_error(), "7.0", "the message tells the capability");
	fake->capability = 75;
	tap_is_int(create("0"), SCANRT_OK, "compute capability 7.5 is not");
	tap_is_int(fake_held(fake), 0, "no context is held at the end");
	fake_driver_reset(fake);
}

static void test_current(void)
{
	struct scanrt_context *context = NULL;

	fake_set_current(fake, true);
	tap_is_int(scanrt_context_create(&context, NULL), SCANRT_OK, "the current context is taken");
	tap_is_int(fake->retained, 0, "no primary context is retained for it");
	tap_is_int(context ? context->device.ordinal : -1, 1, "the device is that of the context");
	scanrt_context_destroy(context);
	tap_is_int(fake->retained, 0, "and none is released");
	fake_set_current(fake, false);
	fake_driver_reset(fake);
}

static void test_options(void)
{
	struct {
		struct scanrt_context_options known;
		long tail;
	} newer = { SCANRT_CONTEXT_OPTIONS_INIT, 0 };
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_context *context = (struct scanrt_context *)(uintptr_t)8;

	tap_is_int(scanrt_context_create(NULL, &options), SCANRT_ERROR_NULL_POINTER, "a null address is refused");
	options.size = sizeof(options) - 1;
	tap_is_int(scanrt_context_create(&context, &options), SCANRT_ERROR_STRUCT_SIZE,
		"too small options are refused");
	tap_ok(!context, "a refused call leaves a handle that may be destroyed");
	newer.known.size = sizeof(newer);
	newer.tail = 1;
	tap_is_int(scanrt_context_create(&context, &newer.known), SCANRT_ERROR_STRUCT_SIZE,
		"options of the future that ask for something are refused");
	tap_is_int(fake->calls, 0, "a refused call does not reach the driver");
	newer.tail = 0;
	tap_is_int(scanrt_context_create(&context, &newer.known), SCANRT_OK,
		"options of the future that ask for nothing pass");
	scanrt_context_destroy(context);
	scanrt_context_destroy(NULL);
	fake_driver_reset(fake);
}

static void test_log(void)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_context *context = NULL;
	char fifo[64];

	options.log = count_line;
	options.log_user = &lines;
	tap_is_int(scanrt_context_create(&context, &options), SCANRT_OK, "a context with a log function opens");
	tap_ok(lines > 0, "the function gets lines");
	scanrt_context_destroy(context);
	lines = 0;
	setenv("SCANRT_LOG", "/nowhere/log", 1);
	tap_is_int(create("0"), SCANRT_ERROR_ENVIRONMENT, "a log file that cannot be opened is a failure");
	tap_contains(scanrt_last_error(), "SCANRT_LOG: /nowhere/log", "which names the variable and the file");
	snprintf(fifo, sizeof(fifo), "/tmp/scanrt-log-%ld", (long)getpid());
	if (mkfifo(fifo, 0600))
		tap_bail_out("no FIFO");
	setenv("SCANRT_LOG", fifo, 1);
	tap_is_int(create("0"), SCANRT_ERROR_ENVIRONMENT,
		"a FIFO that nobody reads is no log, and no reader is waited for");
	unlink(fifo);
	unsetenv("SCANRT_LOG");
}

/* Unknown facts are left out, and names, serial numbers and memory never get in. */
static void test_fingerprint(void)
{
	struct scanrt_context *context = NULL;
	const char *print;

	scanrt_context_create(&context, NULL);
	print = context ? srt_context_fingerprint(context) : "";
	tap_contains(print, "cc90 sm132 l2=62914560", "the fingerprint begins with capability, SMs and L2");
	tap_contains(print, "ecc=1", "the fingerprint tells ECC");
	tap_lacks(print, "bus=", "a fact that reads 0 is left out");
	tap_lacks(print, "Fake", "the name is not in the fingerprint");
	scanrt_context_destroy(context);
	context = NULL;
	fake->device_name = "Emulated Fake MIG 1g.18gb";
	scanrt_context_create(&context, NULL);
	print = context ? srt_context_fingerprint(context) : "";
	tap_contains(print, "mig=1g.18gb", "a MIG profile is in the fingerprint");
	tap_contains(print, "emulated ", "an emulated device's fingerprint says so");
	tap_contains(context ? srt_strbuf_text(&context->family) : "", "emulated ", "and so does its family");
	scanrt_context_destroy(context);
	fake_driver_reset(fake);
}

int main(void)
{
	tap_plan(0);
	fake = fake_driver();
	setenv("SCANRT_DB", "off", 1);
	test_devices();
	test_current();
	test_options();
	test_log();
	test_fingerprint();
	return tap_done();
}
