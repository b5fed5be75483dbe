/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/status.h"

static uint64_t number_from(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* A kernel that waits for ever holds the host in a synchronisation, which no signal interrupts by itself. */
static void end_hung_program(int signal_number)
{
	static const char text[] = "\nBail out! the program ran into its time limit: a scan hangs\n";

	(void)signal_number;
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(2);
}

static void start_watchdog(void)
{
	struct sigaction action = { 0 };

	action.sa_handler = end_hung_program;
	sigaction(SIGALRM, &action, NULL);
	alarm((unsigned)number_from("SCANRT_TEST_TIMEOUT", 300));
}

static void lack(const char *what)
{
	const char *required = getenv("SCANRT_REQUIRE_GPU");

	if (!required || strcmp(required, "1") != 0)
		tap_skip_all("no %s: %s", what, srt_error_last()->text);
	tap_plan(1);
	tap_ok(false, "SCANRT_REQUIRE_GPU=1 finds a %s: %s", what, srt_error_last()->text);
	exit(tap_done());
}

static int open_first(struct test_device *device)
{
	const struct srt_driver *driver;
	int status = srt_driver_open(&device->driver, &device->ordinal, "0");

	if (status != SCANRT_OK)
		return status;
	driver = device->driver;
	status = SRT_CALL(driver, cuDeviceGet, (&device->handle, device->ordinal));
	if (status == SCANRT_OK)
		status = srt_device_query(&device->facts, driver, device->ordinal);
	if (status == SCANRT_OK)
		status = SRT_CALL(driver, cuDevicePrimaryCtxRetain, (&device->context, device->handle));
	if (status == SCANRT_OK)
		status = SRT_CALL(driver, cuCtxSetCurrent, (device->context));
	return status;
}

static void read_part(struct test_device *device)
{
	const char *text = getenv("SCANRT_TEST_PART");
	char rest;

	device->parts = 1;
	if (!text)
		return;
	if (sscanf(text, "%u/%u%c", &device->part, &device->parts, &rest) != 2 || device->part - 1 >= device->parts)
		tap_bail_out("SCANRT_TEST_PART: \"%s\" is not K/N", text);
	device->part--;
}

void test_device_open(struct test_device *device)
{
	memset(device, 0, sizeof(*device));
	setvbuf(stdout, NULL, _IOLBF, 0); /* what a killed program printed is not lost */
	device->codegen = SRT_CODEGEN_AUTO;
	device->seed = number_from("SCANRT_TEST_SEED", 20260801);
	device->max_count = number_from("SCANRT_TEST_MAX_COUNT", UINT64_MAX);
	read_part(device);
	if (open_first(device) != SCANRT_OK)
		lack("CUDA device");
	if (srt_rtc_open(&device->rtc) != SCANRT_OK)
		lack("NVRTC");
	start_watchdog();
	tap_diag("%s, compute capability %d, %d SMs; seed %llu", device->facts.name, device->facts.capability,
		device->facts.sm_count, (unsigned long long)device->seed);
}

void test_device_close(struct test_device *device)
{
	device->driver->cuCtxSetCurrent(NULL);
	device->driver->cuDevicePrimaryCtxRelease(device->handle);
}

bool test_is_small(const struct test_device *device)
{
	return device->max_count != UINT64_MAX;
}

uint64_t test_cap(const struct test_device *device, uint64_t count)
{
	return count < device->max_count ? count : device->max_count;
}

bool test_takes_next(struct test_device *device)
{
	return device->pieces++ % device->parts == device->part;
}

unsigned test_rounds(const struct test_device *device, unsigned full, unsigned small)
{
	return test_is_small(device) ? small : full;
}

void test_need_at(const char *file, int line, int status, const char *call)
{
	struct srt_error error;

	if (status == SCANRT_OK)
		return;
	error = *srt_error_last(); /* telling about the scan takes calls of the library, which may forget it */
	test_say_current_scan();
	tap_bail_out("%s:%d: %s: status %d: %s", file, line, call, status, error.text);
}

uint64_t test_draw(struct test_random *random, uint64_t below)
{
	return (reference_random(random->seed, random->drawn++) >> 16) % below;
}

/* ---- Memory ---- */

static uint64_t guard_size(void)
{
	return number_from("SCANRT_TEST_TIGHT", 0) ? 0 : TEST_GUARD;
}

void test_buffer_create(struct test_buffer *buffer, const struct test_device *device, uint64_t size, uint64_t skew)
{
	buffer->size = size;
	buffer->before = guard_size() + skew;
	buffer->after = guard_size();
	/* An allocation of no bytes is refused; one byte of it is then guard. */
	if (buffer->before + size + buffer->after == 0)
		buffer->after = 1;
	test_drive(device, cuMemAlloc, (&buffer->base, buffer->before + size + buffer->after));
	buffer->address = buffer->base + buffer->before;
	test_buffer_poison(buffer, device);
}

void test_buffer_destroy(struct test_buffer *buffer, const struct test_device *device)
{
	if (buffer->base)
		test_drive(device, cuMemFree, (buffer->base));
	memset(buffer, 0, sizeof(*buffer));
}

/* The driver returns from filling device memory before it is filled, and from a copy of pageable memory before it has
 * arrived; a stream that does not wait for the default stream would overtake both. */
static void settle(const struct test_device *device)
{
	test_drive(device, cuStreamSynchronize, (NULL));
}

void test_buffer_poison(const struct test_buffer *buffer, const struct test_device *device)
{
	test_drive(device, cuMemsetD8, (buffer->base, TEST_POISON, buffer->before + buffer->size + buffer->after));
	settle(device);
}

void test_upload(const struct test_device *device, CUdeviceptr to, const void *from, uint64_t size)
{
	if (size)
		test_drive(device, cuMemcpyHtoD, (to, from, size));
	settle(device);
}

void test_download(const struct test_device *device, void *to, CUdeviceptr from, uint64_t size)
{
	if (size)
		test_drive(device, cuMemcpyDtoH, (to, from, size));
}

static bool is_poisoned(const struct test_device *device, CUdeviceptr from, uint64_t size)
{
	unsigned char *bytes;
	bool is_intact = true;

	if (size == 0)
		return true;
	bytes = malloc(size);
	if (!bytes)
		abort();
	test_download(device, bytes, from, size);
	for (uint64_t i = 0; i < size && is_intact; i++) {
		is_intact = bytes[i] == TEST_POISON;
		if (!is_intact)
			tap_diag("guard byte %llu of %llu was overwritten with 0x%02x", (unsigned long long)i,
				(unsigned long long)size, bytes[i]);
	}
	free(bytes);
	return is_intact;
}

bool test_guards_intact(const struct test_buffer *buffer, const struct test_device *device)
{
	bool is_intact = is_poisoned(device, buffer->base, buffer->before);

	return is_poisoned(device, buffer->address + buffer->size, buffer->after) && is_intact;
}

void test_synchronize(const struct test_device *device)
{
	test_drive(device, cuCtxSynchronize, ());
}
