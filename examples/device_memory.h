/* SPDX-License-Identifier: MIT
 *
 * Device memory for the examples.  A program of your own has it already: it includes <cuda.h> and links -lcuda, or
 * uses the CUDA runtime, whose pointers and streams libscanrt takes just as well.  The examples load the driver at
 * run time instead, the one that libscanrt loads, so that they build on a machine without it and run on the emulated
 * device too (SCANRT_DRIVER=emu).
 *
 * For brevity, what fails ends the program.
 */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scanrt.h>

static inline void check_driver(int result, const char *call)
{
	if (result == 0)
		return;
	fprintf(stderr, "%s failed with CUDA error %d\n", call, result);
	exit(EXIT_FAILURE);
}

static inline void check_scan(int status)
{
	if (status == SCANRT_OK)
		return;
	fprintf(stderr, "scanrt: %s\n", scanrt_last_error());
	exit(EXIT_FAILURE);
}

/* SCANRT_DRIVER=emu means the emulated device, wherever the dynamic loader finds it beside libscanrt. */
static inline const char *driver_path(void)
{
	const char *kind = getenv("SCANRT_DRIVER"), *path = getenv("SCANRT_LIBCUDA");
	int is_emulated = kind != NULL && strcmp(kind, "emu") == 0;

	if (path != NULL && *path != '\0' && (!is_emulated || strstr(path, "libscanrt-emu") != NULL))
		return path;
	return is_emulated ? "libscanrt-emu.so" : "libcuda.so.1";
}

static inline void *driver_function(const char *name)
{
	static void *driver;
	void *function;

	if (driver == NULL)
		driver = dlopen(driver_path(), RTLD_NOW);
	function = driver == NULL ? NULL : dlsym(driver, name);
	if (function == NULL) {
		fprintf(stderr, "no CUDA driver: %s\n", dlerror());
		if (getenv("SCANRT_DRIVER") == NULL)
			fputs("without a GPU, SCANRT_DRIVER=emu means the emulated device\n", stderr);
		exit(EXIT_FAILURE);
	}
	return function;
}

/* POSIX promises that dlsym's result can become a function pointer; ISO C wants it said through memory. */
#define DRIVER_CALL(name, types, ...) \
	do { \
		int(*driver_call) types; \
		*(void **)&driver_call = driver_function(name); \
		check_driver(driver_call(__VA_ARGS__), name); \
	} while (0)

/* Makes the primary context of a device current, as the CUDA runtime would.  libscanrt uses the same one. */
static inline void device_open(int ordinal)
{
	int device;
	void *context;

	DRIVER_CALL("cuInit", (unsigned int), 0);
	DRIVER_CALL("cuDeviceGet", (int *, int), &device, ordinal);
	DRIVER_CALL("cuDevicePrimaryCtxRetain", (void **, int), &context, device);
	DRIVER_CALL("cuCtxSetCurrent", (void *), context);
}

static inline void *device_alloc(size_t size)
{
	uint64_t address;

	DRIVER_CALL("cuMemAlloc_v2", (uint64_t *, size_t), &address, size);
	return (void *)(uintptr_t)address;
}

static inline void device_free(void *memory)
{
	DRIVER_CALL("cuMemFree_v2", (uint64_t), (uint64_t)(uintptr_t)memory);
}

static inline void device_write(void *to, const void *from, size_t size)
{
	DRIVER_CALL("cuMemcpyHtoD_v2", (uint64_t, const void *, size_t), (uint64_t)(uintptr_t)to, from, size);
}

/* In the default stream: waits for the scans before it. */
static inline void device_read(void *to, const void *from, size_t size)
{
	DRIVER_CALL("cuMemcpyDtoH_v2", (void *, uint64_t, size_t), to, (uint64_t)(uintptr_t)from, size);
}

static inline void device_wait(void)
{
	DRIVER_CALL("cuCtxSynchronize", (void), );
}

#endif
