/* SPDX-License-Identifier: MIT
 *
 * How a program of yours that scans is tested without a GPU: an ordinary test, run on the emulated device.
 *
 *   SCANRT_DRIVER=emu SCANRT_LIBCUDA=/usr/local/lib/libscanrt-emu.so ./emulated_test
 *
 * The device runs the kernels that a GPU would run, checks every access to memory, and stops at races and deadlocks
 * with a line that names kernel, PTX line, block and thread.  Each SCANRT_EMU_SEED is another order in which warps and
 * blocks take turns; it is read anew for each launch, so one process can try many.  On a GPU the test runs as well, and
 * the variable means nothing.
 */
#include <scanrt.h>
#include <stdio.h>

#include "device_memory.h"

#define COUNT 5000

/* Stands for the code of yours that is tested. */
static void running_total(struct scanrt_context *context, long long *totals, const long long *values)
{
	long long *device = device_alloc(COUNT * sizeof *values);

	device_write(device, values, COUNT * sizeof *values);
	check_scan(scanrt_scan(context, SCANRT_I64, SCANRT_SUM, SCANRT_INCLUSIVE, device, device, COUNT, NULL));
	device_read(totals, device, COUNT * sizeof *values);
	device_free(device);
}

static int is_right(const long long *totals, const long long *values)
{
	long long total = 0;

	for (int i = 0; i < COUNT; i++) {
		total += values[i];
		if (totals[i] != total) {
			fprintf(stderr, "total %d is %lld, not %lld\n", i, totals[i], total);
			return 0;
		}
	}
	return 1;
}

int main(void)
{
	static long long values[COUNT], totals[COUNT];
	struct scanrt_context *context;
	int failures = 0;

	for (int i = 0; i < COUNT; i++)
		values[i] = i * 2654435761LL % 1000 - 500;
	device_open(0);
	check_scan(scanrt_context_create(&context, NULL));
	for (int seed = 1; seed <= 3; seed++) {
		char text[16];

		snprintf(text, sizeof text, "%d", seed);
		setenv("SCANRT_EMU_SEED", text, 1);
		running_total(context, totals, values);
		if (is_right(totals, values))
			continue;
		fprintf(stderr, "with seed %d\n", seed);
		failures++;
	}
	scanrt_context_destroy(context);
	printf("%s\n", failures == 0 ? "the running totals are right" : "some running totals are wrong");
	return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
