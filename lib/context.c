/* SPDX-License-Identifier: MIT
 *
 * Opening and closing devices.
 */
#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "image.h"
#include "resolve.h"
#include "status.h"
#include "versioned.h"
#include "warm.h"

#define LEAST_CAPABILITY 75

/* The current context is the caller's and is not kept alive by us: CUDA counts references only to primary ones. */
static int take_current(struct scanrt_context *context, int *ordinal)
{
	const struct srt_driver *driver = context->driver;
	CUcontext current = NULL;
	CUdevice device = 0;
	int status = SRT_CALL(driver, cuCtxGetCurrent, (&current));

	*ordinal = 0;
	if (status || !current)
		return status;
	status = SRT_CALL(driver, cuCtxGetDevice, (&device));
	context->cuda_context = current;
	context->cuda_device = device;
	/* A CUdevice is the ordinal itself, by the API's documentation of cuDeviceGet. */
	*ordinal = device;
	return status;
}

/* The primary context is the one that the CUDA runtime uses: a program that mixes both APIs shares its memory with us.
 * Retaining creates it where nobody has; this is the 100 ms of a program's start that no library can save. */
static int take_primary(struct scanrt_context *context)
{
	const struct srt_driver *driver = context->driver;
	CUcontext primary = NULL;
	CUdevice device = 0;
	int status = SRT_CALL(driver, cuDeviceGet, (&device, context->device.ordinal));

	if (!status)
		status = SRT_CALL(driver, cuDevicePrimaryCtxRetain, (&primary, device));
	if (status)
		return status;
	context->cuda_context = primary;
	context->cuda_device = device;
	context->is_retained = true;
	return SCANRT_OK;
}

const char *srt_context_fingerprint(void *user)
{
	struct scanrt_context *context = user;
	struct srt_device clocked = context->device;

	pthread_mutex_lock(&context->clock_lock);
	if (context->fingerprint.length == 0) {
		srt_device_query_clocks(&clocked, context->driver);
		srt_device_fingerprint(&context->fingerprint, &clocked);
	}
	pthread_mutex_unlock(&context->clock_lock);
	return context->fingerprint.failed ? "" : srt_strbuf_text(&context->fingerprint);
}

static int read_device(struct scanrt_context *context, int ordinal)
{
	struct srt_device *device = &context->device;
	int status = srt_device_query_quick(device, context->driver, ordinal);

	if (status)
		return status;
	if (device->capability < LEAST_CAPABILITY)
		return srt_fail(SCANRT_ERROR_DEVICE_UNSUPPORTED,
			"device %d (%s) has compute capability %d.%d, and 7.5 is the least", ordinal, device->name,
			device->capability / 10, device->capability % 10);
	srt_device_family(&context->family, device);
	if (context->family.failed)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for the device's fingerprint");
	return SCANRT_OK;
}

/* The device is judged before its context is made, so that a device which is too old costs no context. */
static int open_device(struct scanrt_context *context, const char *device)
{
	int ordinal = 0;
	int status = srt_driver_open(&context->driver, &ordinal, device);

	if (!status && ordinal == SRT_ORDINAL_CURRENT)
		status = take_current(context, &ordinal);
	if (!status)
		status = read_device(context, ordinal);
	if (!status && !context->cuda_context)
		status = take_primary(context);
	return status;
}

/* Whatever fails here fails again for the first plan, which tells. */
static void open_pool(struct scanrt_context *context)
{
	if (!srt_driver_push(context->driver, context->cuda_context)) {
		srt_pool_open(&context->pool, context->driver);
		srt_driver_pop(context->driver, SCANRT_OK);
	}
	srt_error_clear();
}

/* A caller's CUDA context that is gone took the memory along. */
static void close_pool(struct scanrt_context *context)
{
	struct srt_error error;

	if (!context->pool.address)
		return;
	srt_error_save(&error);
	if (!srt_driver_push(context->driver, context->cuda_context)) {
		srt_pool_close(&context->pool, context->driver);
		srt_driver_pop(context->driver, SCANRT_OK);
	}
	srt_error_restore(&error);
}

/* Nobody: to ask the driver for the clocks takes it as long as all else here. */
static const char *know_no_fingerprint(void *user)
{
	(void)user;
	return "";
}

/* A first look-up is slower than all others by what it finds cold: its code, the file's pages, the system's ways to
 * them.  So the first context of a process that has a database looks up a problem which it does not want, and tells
 * nobody: what fails here fails again for the first plan. */
static void rehearse(struct scanrt_context *context)
{
	static const struct srt_log silent;
	static atomic_flag is_done = ATOMIC_FLAG_INIT;
	struct srt_account account = { .log = &silent };
	struct srt_reading reading;
	struct srt_problem problem;
	struct srt_answer answer;
	struct srt_request request = { .problem = &problem, .device = &context->device,
		.ask_fingerprint = know_no_fingerprint, .family = srt_strbuf_text(&context->family),
		.reading = &reading, .account = &account };
	int rule = 1; /* that of the first file */

	if (context->catalog.count == 0 || atomic_flag_test_and_set(&is_done))
		return;
	srt_reading_begin(&reading, &context->catalog, &account);
	if (!srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM))
		srt_resolve(&answer, &request, &rule);
	srt_reading_end(&reading);
	srt_strbuf_free(&account.text);
	srt_error_clear();
}

/* What a report of a problem needs first: the device, and the facts that rows are looked up by, but for the clocks. */
static void log_opening(const struct scanrt_context *context)
{
	struct srt_strbuf line = { 0 };

	srt_strbuf_printf(&line, "device %d: %s: ", context->device.ordinal, context->device.name);
	srt_device_fingerprint(&line, &context->device);
	srt_log_line(&context->log, srt_strbuf_text(&line));
	srt_strbuf_free(&line);
}

int scanrt_context_create(struct scanrt_context **context, const struct scanrt_context_options *options)
{
	struct scanrt_context_options given = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_context *made = NULL;
	int status = SCANRT_OK;

	srt_error_clear();
	if (!context)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the address for the context is null");
	*context = NULL; /* so that a program which destroys what it did not get does no harm */
	if (options)
		status = srt_versioned_read(&given, sizeof(given), options, sizeof(given),
			"struct scanrt_context_options");
	if (status)
		return status;
	made = calloc(1, sizeof(*made));
	if (!made)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a context");
	/* Not for the context, but so that no plan has to wait for it. */
	srt_warm();
	made->warm = srt_warm_memory();
	srt_source_hash();
	pthread_mutex_init(&made->pool.lock, NULL);
	pthread_mutex_init(&made->memo_lock, NULL);
	pthread_mutex_init(&made->clock_lock, NULL);
	status = srt_log_open(&made->log, given.log, given.log_user);
	if (!status)
		status = srt_catalog_init(&made->catalog, given.database);
	if (!status)
		srt_catalog_expect(&made->catalog);
	if (!status)
		status = open_device(made, given.device);
	/* Destruction takes what was made so far, as everything else is still zero. */
	if (status) {
		scanrt_context_destroy(made);
		return status;
	}
	open_pool(made);
	log_opening(made);
	rehearse(made);
	*context = made;
	return SCANRT_OK;
}

/* Also takes what scanrt_context_create() left half made, and keeps its error: nothing here sets the record. */
void scanrt_context_destroy(struct scanrt_context *context)
{
	if (!context)
		return;
	srt_memo_free(context->memo);
	close_pool(context);
	if (context->is_retained)
		context->driver->cuDevicePrimaryCtxRelease(context->cuda_device);
	srt_catalog_free(&context->catalog);
	srt_strbuf_free(&context->fingerprint);
	srt_strbuf_free(&context->family);
	srt_log_close(&context->log);
	pthread_mutex_destroy(&context->clock_lock);
	pthread_mutex_destroy(&context->memo_lock);
	pthread_mutex_destroy(&context->pool.lock);
	free(context->warm);
	free(context);
}
