/* SPDX-License-Identifier: MIT
 *
 * NVML as the tests want it: SCANTUNE_TEST_PROCESSES processes on the device, SCANTUNE_TEST_REASONS (a number) that
 * hold the clock back, and a clock of 1980 MHz that falls to 600 for so many readings of a hundred as
 * SCANTUNE_TEST_SLOW says.
 */
#include <stdlib.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetClockInfo(void *device, int type, unsigned int *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned int *mhz);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, void *processes);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);

static int number(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

int nvmlInit_v2(void)
{
	return number("SCANTUNE_TEST_NVML_FAILS");
}

int nvmlShutdown(void)
{
	return 0;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
	*device = (void *)uuid;
	return uuid[0] == 'G' ? 0 : 2;
}

/* 37 and 100 have no common divisor: the slow readings are spread evenly over the others. */
int nvmlDeviceGetClockInfo(void *device, int type, unsigned int *mhz)
{
	static int readings;

	(void)device;
	*mhz = readings++ * 37 % 100 < number("SCANTUNE_TEST_SLOW") ? 600 : 1980;
	return type == 1 ? 0 : 2;
}

int nvmlDeviceGetMaxClockInfo(void *device, int type, unsigned int *mhz)
{
	(void)device;
	*mhz = 1980;
	return type == 1 ? 0 : 2;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned int *count, void *processes)
{
	(void)device;
	(void)processes;
	*count = (unsigned int)number("SCANTUNE_TEST_PROCESSES");
	return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
	(void)device;
	*reasons = (unsigned long long)number("SCANTUNE_TEST_REASONS");
	return 0;
}
