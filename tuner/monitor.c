/* SPDX-License-Identifier: MIT
 *
 * NVML, by dlopen: no header of it is needed, since its ABI is stable and little of it is used.  Names and numbers are
 * those of NVIDIA's "NVML API Reference Guide".
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor.h"

enum { NVML_SUCCESS = 0, NVML_ERROR_INSUFFICIENT_SIZE = 7, NVML_CLOCK_SM = 1, PROCESSES_MAX = 64, POWER_CAP = 0x04 };

/* nvmlProcessInfo_t of versions 2 and 3 of the call. */
struct process_info {
	unsigned int pid;
	unsigned long long memory;
	unsigned int gpu_instance;
	unsigned int compute_instance;
};

struct tune_monitor {
	void *library;
	void *device;
	int (*init)(void);
	int (*shutdown)(void);
	int (*by_uuid)(const char *uuid, void **device);
	int (*clock)(void *device, int type, unsigned int *mhz);
	int (*max_clock)(void *device, int type, unsigned int *mhz);
	int (*processes)(void *device, unsigned int *count, struct process_info *processes);
	int (*reasons)(void *device, unsigned long long *reasons);
};

/* The first of the names that the library has; POSIX has function pointers come out of dlsym as data. */
static void resolve(void *function, void *library, const char *name, const char *older)
{
	void *address = dlsym(library, name);

	if (address == NULL && older)
		address = dlsym(library, older);
	memcpy(function, &address, sizeof address);
}

static bool load(struct tune_monitor *monitor)
{
	const char *named = getenv("SCANTUNE_LIBNVML");

	monitor->library = dlopen(named ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (monitor->library == NULL)
		return false;
	resolve(&monitor->init, monitor->library, "nvmlInit_v2", NULL);
	resolve(&monitor->shutdown, monitor->library, "nvmlShutdown", NULL);
	resolve(&monitor->by_uuid, monitor->library, "nvmlDeviceGetHandleByUUID", NULL);
	resolve(&monitor->clock, monitor->library, "nvmlDeviceGetClockInfo", NULL);
	resolve(&monitor->max_clock, monitor->library, "nvmlDeviceGetMaxClockInfo", NULL);
	resolve(&monitor->processes, monitor->library, "nvmlDeviceGetComputeRunningProcesses_v3",
		"nvmlDeviceGetComputeRunningProcesses_v2");
	resolve(&monitor->reasons, monitor->library, "nvmlDeviceGetCurrentClocksEventReasons",
		"nvmlDeviceGetCurrentClocksThrottleReasons");
	return monitor->init && monitor->shutdown && monitor->by_uuid;
}

/* 32 digits become GPU-8-4-4-4-12. */
static void name_device(char text[48], const char *uuid)
{
	snprintf(text, 48, "GPU-%.8s-%.4s-%.4s-%.4s-%.12s", uuid, uuid + 8, uuid + 12, uuid + 16, uuid + 20);
}

struct tune_monitor *tune_monitor_open(const char *uuid)
{
	struct tune_monitor *monitor = strlen(uuid) == 32 ? calloc(1, sizeof *monitor) : NULL;
	char name[48];

	if (monitor == NULL)
		return NULL;
	if (load(monitor) && monitor->init() == NVML_SUCCESS) {
		name_device(name, uuid);
		if (monitor->by_uuid(name, &monitor->device) == NVML_SUCCESS)
			return monitor;
		monitor->shutdown();
	}
	/* The library stays: what it has registered with the process is its own affair. */
	free(monitor);
	return NULL;
}

void tune_monitor_close(struct tune_monitor *monitor)
{
	if (monitor)
		monitor->shutdown();
	free(monitor);
}

int tune_monitor_clock(const struct tune_monitor *monitor)
{
	unsigned int mhz = 0;

	if (monitor == NULL || monitor->clock == NULL ||
		monitor->clock(monitor->device, NVML_CLOCK_SM, &mhz) != NVML_SUCCESS)
		return 0;
	return (int)mhz;
}

static int count_processes(const struct tune_monitor *monitor)
{
	struct process_info list[PROCESSES_MAX];
	unsigned int count = PROCESSES_MAX;
	int result = monitor->processes ? monitor->processes(monitor->device, &count, list) : -1;

	return result == NVML_SUCCESS || result == NVML_ERROR_INSUFFICIENT_SIZE ? (int)count : 0;
}

static void describe_reasons(char *note, size_t size, unsigned long long reasons)
{
	static const struct {
		unsigned long long bits;
		const char *name;
	} names[] = { { POWER_CAP, "power cap" }, { 0x08, "hardware slowdown" }, { 0x20 | 0x40, "heat" },
		{ 0x80, "power brake" } };
	size_t used = 0;

	note[0] = '\0';
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (reasons & names[i].bits)
			used += (size_t)snprintf(note + used, size - used, "%s%s",
				used ? ", " : "the clock is held back by: ", names[i].name);
}

void tune_monitor_read(struct tune_conditions *conditions, const struct tune_monitor *monitor)
{
	unsigned long long reasons = 0;
	unsigned int mhz = 0;

	memset(conditions, 0, sizeof *conditions);
	conditions->clock_mhz = tune_monitor_clock(monitor);
	if (monitor->max_clock && monitor->max_clock(monitor->device, NVML_CLOCK_SM, &mhz) == NVML_SUCCESS)
		conditions->max_clock_mhz = (int)mhz;
	conditions->processes = count_processes(monitor);
	if (monitor->reasons && monitor->reasons(monitor->device, &reasons) == NVML_SUCCESS)
		describe_reasons(conditions->note, sizeof conditions->note, reasons);
	conditions->is_slowed = (reasons & (0x08 | 0x20 | 0x40 | 0x80)) != 0;
}
