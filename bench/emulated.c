/* SPDX-License-Identifier: MIT
 *
 * How fast the emulated device is: lane instructions a second of processor time, for each strategy.
 *
 *	make bench/emulated && SCANRT_LIBCUDA=.libs/libscanrt-emu.so bench/emulated [count]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../tests/emu/emulated.h"

static double processor_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void measure(struct test_device *device, const char *variant, uint64_t count)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference reference;
	struct srt_workspace workspace;
	struct emu_launch_record record;
	struct test_scan scan = { &reference, &kernel, &workspace, count, 0, 0, false, 0 };
	double start, seconds;

	test_problem(&problem, SCANRT_SUM, SCANRT_I32, SCANRT_I32, SCANRT_I32, false);
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, count);
	test_kernel_create(&kernel, device, &problem, variant);
	test_workspace_create(&workspace, device, count);
	start = processor_seconds();
	if (!test_scan_passes(device, &scan))
		tap_bail_out("%s is wrong", variant);
	seconds = processor_seconds() - start;
	emulated_last_launch(&record);
	printf("%-10s %9" PRIu64 " elements  %7.3f s, copies and check included  "
		"%6.1f million lane instructions a second\n", variant, count, seconds,
		1e-6 * (double)record.counters.lane_instructions / seconds);
	srt_workspace_destroy(&workspace, device->driver);
	test_kernel_destroy(&kernel, device);
	reference_destroy(&reference);
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : UINT64_C(1) << 20;
	struct test_device device;

	emulated_open(&device);
	measure(&device, "block", count < 2048 ? count : 2048);
	measure(&device, "lookback", count);
	measure(&device, "lookahead", count);
	test_device_close(&device);
	return 0;
}
