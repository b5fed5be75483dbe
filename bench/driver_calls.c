/* SPDX-License-Identifier: MIT
 *
 * A driver that stands before the driver and times its calls, and the system calls beside and below them:
 *
 *	LD_PRELOAD=$PWD/driver_calls.so SCANRT_LIBCUDA=$PWD/driver_calls.so first_scan 1000
 *
 * At the program's end it prints, for each phase that the program has named by driver_calls_phase(), each call with how
 * often it was made and the microseconds that it took, system calls below driver calls included; what is left of the
 * phase is the program's own.  DRIVER_CALLS_OF names the driver to time in place of libcuda.so.1.
 *
 * The functions have the names and prototypes of cuda.h, which says itself when one of them changes.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MOST_CALLS  4096
#define MOST_PHASES 16

void driver_calls_phase(const char *name);

struct call {
	const char *name;
	long detail;  /* tells calls of one name apart: an attribute; or -1 */
	double begin; /* microseconds, of the monotonic clock */
	double took;
	int below;    /* system calls that it made */
	double below_took;
};

struct phase {
	const char *name;
	double begin;
	double end;
};

static struct call calls[MOST_CALLS];
static struct phase phases[MOST_PHASES];
static int call_count;
static int phase_count;
static __thread int depth;

static double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* What is called from within a timed call belongs to that one. */
static double enter(void)
{
	depth++;
	return now_us();
}

static void leave(const char *name, long detail, double begin, bool is_system)
{
	double took = now_us() - begin;

	depth--;
	if (phase_count == 0 || phases[phase_count - 1].end > 0 || call_count >= MOST_CALLS - 1)
		return;
	/* The outer call's record is not made yet: what lies below gathers in the one to come. */
	if (depth > 0 && is_system) {
		calls[call_count].below++;
		calls[call_count].below_took += took;
	} else if (depth == 0) {
		struct call *call = &calls[call_count++];

		call->name = name;
		call->detail = detail;
		call->begin = begin;
		call->took = took;
	}
}

/* Ends the phase that runs; NULL begins none. */
void driver_calls_phase(const char *name)
{
	double now = now_us();

	if (phase_count > 0 && phases[phase_count - 1].end == 0)
		phases[phase_count - 1].end = now;
	if (name && phase_count < MOST_PHASES) {
		phases[phase_count].name = name;
		phases[phase_count++].begin = now_us();
	}
}

/* ---- The report ---- */

static bool is_same(const struct call *a, const struct call *b)
{
	return strcmp(a->name, b->name) == 0 && a->detail == b->detail;
}

/* One line for all calls of a kind, where the first of them stands. */
static double print_kind(int first, const struct phase *phase)
{
	struct call sum = calls[first];
	double largest = sum.took;
	int count = 1;

	for (int i = 0; i < call_count; i++) {
		if (!is_same(&calls[i], &sum) || calls[i].begin < phase->begin || calls[i].begin > phase->end)
			continue;
		if (i < first)
			return 0;
		if (i == first)
			continue;
		count++;
		sum.took += calls[i].took;
		sum.below += calls[i].below;
		sum.below_took += calls[i].below_took;
		if (calls[i].took > largest)
			largest = calls[i].took;
	}
	fprintf(stderr, "%9.1f %5d %9.1f %9.1f %5d %9.1f  %s", sum.begin - phase->begin, count, sum.took, largest,
		sum.below, sum.below_took, sum.name);
	fprintf(stderr, sum.detail >= 0 ? "(%ld)\n" : "\n", sum.detail);
	return sum.took;
}

static void print_phase(const struct phase *phase)
{
	double whole = phase->end - phase->begin;
	double spent = 0;

	fprintf(stderr, "# %s: %.1f us\n", phase->name, whole);
	fprintf(stderr, "# begin us count  total us   largest below     in us  call\n");
	for (int i = 0; i < call_count; i++)
		if (calls[i].begin >= phase->begin && calls[i].begin <= phase->end)
			spent += print_kind(i, phase);
	fprintf(stderr, "%9s %5s %9.1f %29s the program's own\n", "", "", whole - spent, "");
}

__attribute__((destructor)) static void report(void)
{
	driver_calls_phase(NULL);
	for (int i = 0; i < phase_count; i++)
		print_phase(&phases[i]);
}

/* ---- The driver ---- */

static void *driver_symbol(const char *name)
{
	static void *driver;
	const char *path = getenv("DRIVER_CALLS_OF");
	void *symbol;

	depth++;
	if (!driver)
		driver = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);
	symbol = driver ? dlsym(driver, name) : NULL;
	depth--;
	if (!symbol)
		fprintf(stderr, "driver_calls: %s: %s\n", name, dlerror());
	return symbol;
}

/* The text of a name after cuda.h has added the version of its ABI. */
#define TEXT(name)  TEXT_(name)
#define TEXT_(name) #name

#define TIMED(name, detail, types, values) \
	CUresult CUDAAPI name types \
	{ \
		static CUresult (CUDAAPI *real) types; \
		CUresult result; \
		double begin; \
\
		if (!real) \
			*(void **)&real = driver_symbol(TEXT(name)); \
		begin = enter(); \
		result = real ? real values : CUDA_ERROR_NOT_FOUND; \
		leave(TEXT(name), detail, begin, false); \
		return result; \
	}

TIMED(cuInit, -1, (unsigned flags), (flags))
TIMED(cuDriverGetVersion, -1, (int *version), (version))
TIMED(cuDeviceGetCount, -1, (int *count), (count))
TIMED(cuDeviceGet, -1, (CUdevice *device, int ordinal), (device, ordinal))
TIMED(cuDeviceGetAttribute, (long)attribute, (int *value, CUdevice_attribute attribute, CUdevice device),
	(value, attribute, device))
TIMED(cuDeviceGetName, -1, (char *name, int length, CUdevice device), (name, length, device))
TIMED(cuDeviceGetUuid, -1, (CUuuid *uuid, CUdevice device), (uuid, device))
TIMED(cuDeviceGetPCIBusId, -1, (char *id, int length, CUdevice device), (id, length, device))
TIMED(cuDeviceTotalMem, -1, (size_t *bytes, CUdevice device), (bytes, device))
TIMED(cuDevicePrimaryCtxRetain, -1, (CUcontext *context, CUdevice device), (context, device))
TIMED(cuDevicePrimaryCtxRelease, -1, (CUdevice device), (device))
TIMED(cuCtxGetCurrent, -1, (CUcontext *context), (context))
TIMED(cuCtxSetCurrent, -1, (CUcontext context), (context))
TIMED(cuCtxPushCurrent, -1, (CUcontext context), (context))
TIMED(cuCtxPopCurrent, -1, (CUcontext *context), (context))
TIMED(cuCtxGetDevice, -1, (CUdevice *device), (device))
TIMED(cuCtxSynchronize, -1, (void), ())
TIMED(cuMemAlloc, -1, (CUdeviceptr *address, size_t size), (address, size))
TIMED(cuMemFree, -1, (CUdeviceptr address), (address))
TIMED(cuMemGetInfo, -1, (size_t *available, size_t *total), (available, total))
TIMED(cuMemsetD8, -1, (CUdeviceptr address, unsigned char value, size_t size), (address, value, size))
TIMED(cuMemsetD8Async, -1, (CUdeviceptr address, unsigned char value, size_t size, CUstream stream),
	(address, value, size, stream))
TIMED(cuMemsetD32Async, -1, (CUdeviceptr address, unsigned value, size_t count, CUstream stream),
	(address, value, count, stream))
TIMED(cuMemcpyHtoD, -1, (CUdeviceptr to, const void *from, size_t size), (to, from, size))
TIMED(cuMemcpyDtoH, -1, (void *to, CUdeviceptr from, size_t size), (to, from, size))
TIMED(cuPointerGetAttribute, (long)attribute, (void *value, CUpointer_attribute attribute, CUdeviceptr address),
	(value, attribute, address))
TIMED(cuModuleLoadData, -1, (CUmodule *module, const void *image), (module, image))
TIMED(cuModuleUnload, -1, (CUmodule module), (module))
TIMED(cuModuleGetFunction, -1, (CUfunction *function, CUmodule module, const char *name), (function, module, name))
TIMED(cuFuncGetAttribute, (long)attribute, (int *value, CUfunction_attribute attribute, CUfunction function),
	(value, attribute, function))
TIMED(cuFuncSetAttribute, (long)attribute, (CUfunction function, CUfunction_attribute attribute, int value),
	(function, attribute, value))
TIMED(cuOccupancyMaxActiveBlocksPerMultiprocessor, -1, (int *blocks, CUfunction function, int threads, size_t shared),
	(blocks, function, threads, shared))
TIMED(cuLaunchKernel, -1, (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, CUstream stream, void **parameters, void **extra),
	(function, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra))
TIMED(cuLaunchKernelEx, -1, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra),
	(config, function, parameters, extra))
TIMED(cuStreamCreate, -1, (CUstream *stream, unsigned flags), (stream, flags))
TIMED(cuStreamDestroy, -1, (CUstream stream), (stream))
TIMED(cuStreamSynchronize, -1, (CUstream stream), (stream))
TIMED(cuStreamIsCapturing, -1, (CUstream stream, CUstreamCaptureStatus *capture), (stream, capture))

/* What libscanrt asks for by the name without the ABI's version.  All others are the driver's own. */
static void *timed(const char *name)
{
	static const struct {
		const char *name;
		void *function;
	} rows[] = {
#define ROW(function) { #function, (void *)(function) }
		ROW(cuInit), ROW(cuDriverGetVersion), ROW(cuDeviceGetCount), ROW(cuDeviceGet),
		ROW(cuDeviceGetAttribute), ROW(cuDeviceGetName), ROW(cuDeviceGetUuid), ROW(cuDeviceGetPCIBusId),
		ROW(cuDeviceTotalMem), ROW(cuDevicePrimaryCtxRetain), ROW(cuDevicePrimaryCtxRelease),
		ROW(cuCtxGetCurrent), ROW(cuCtxSetCurrent), ROW(cuCtxPushCurrent), ROW(cuCtxPopCurrent),
		ROW(cuCtxGetDevice), ROW(cuCtxSynchronize), ROW(cuMemAlloc), ROW(cuMemFree), ROW(cuMemGetInfo),
		ROW(cuMemsetD8), ROW(cuMemsetD8Async), ROW(cuMemsetD32Async), ROW(cuMemcpyHtoD), ROW(cuMemcpyDtoH),
		ROW(cuPointerGetAttribute), ROW(cuModuleLoadData), ROW(cuModuleUnload), ROW(cuModuleGetFunction),
		ROW(cuFuncGetAttribute), ROW(cuFuncSetAttribute), ROW(cuOccupancyMaxActiveBlocksPerMultiprocessor),
		ROW(cuLaunchKernel), ROW(cuLaunchKernelEx), ROW(cuStreamCreate), ROW(cuStreamDestroy),
		ROW(cuStreamSynchronize), ROW(cuStreamIsCapturing),
#undef ROW
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].function;
	return NULL;
}

#undef cuGetProcAddress
CUresult CUDAAPI cuGetProcAddress_v2(const char *name, void **address, int version, cuuint64_t flags,
	CUdriverProcAddressQueryResult *found)
{
	static CUresult (*real)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);
	CUresult result;
	double begin;

	if (!real)
		*(void **)&real = driver_symbol("cuGetProcAddress_v2");
	begin = enter();
	result = real ? real(name, address, version, flags, found) : CUDA_ERROR_NOT_FOUND;
	leave("cuGetProcAddress", -1, begin, false);
	if (result == CUDA_SUCCESS && *address && timed(name))
		*address = timed(name);
	return result;
}

/* ---- The system, as far as it is called through the C library's names ---- */

/* Every call passes one word after its fixed parameters, where there is any: as the kernel takes it. */
#define SYSTEM(type, name, types, values) \
	type name types \
	{ \
		static type (*real) types; \
		type result; \
		double begin; \
\
		if (!real) \
			*(void **)&real = dlsym(RTLD_NEXT, #name); \
		begin = enter(); \
		result = real values; \
		leave(#name, -1, begin, true); \
		return result; \
	}

#define SYSTEM_VARIADIC(name, types, last, values) \
	int name types \
	{ \
		static int (*real) types; \
		va_list list; \
		void *more; \
		double begin; \
		int result; \
\
		va_start(list, last); \
		more = va_arg(list, void *); \
		va_end(list); \
		if (!real) \
			*(void **)&real = dlsym(RTLD_NEXT, #name); \
		begin = enter(); \
		result = real values; \
		leave(#name, -1, begin, true); \
		return result; \
	}

SYSTEM_VARIADIC(open, (const char *path, int flags, ...), flags, (path, flags, more))
SYSTEM_VARIADIC(open64, (const char *path, int flags, ...), flags, (path, flags, more))
SYSTEM_VARIADIC(openat, (int folder, const char *path, int flags, ...), flags, (folder, path, flags, more))
SYSTEM_VARIADIC(fcntl, (int file, int command, ...), command, (file, command, more))
SYSTEM_VARIADIC(fcntl64, (int file, int command, ...), command, (file, command, more))
SYSTEM_VARIADIC(ioctl, (int file, unsigned long command, ...), command, (file, command, more))
SYSTEM(int, close, (int file), (file))
SYSTEM(int, access, (const char *path, int mode), (path, mode))
SYSTEM(int, stat, (const char *path, struct stat *facts), (path, facts))
SYSTEM(int, lstat, (const char *path, struct stat *facts), (path, facts))
SYSTEM(int, fstat, (int file, struct stat *facts), (file, facts))
SYSTEM(int, stat64, (const char *path, struct stat64 *facts), (path, facts))
SYSTEM(int, lstat64, (const char *path, struct stat64 *facts), (path, facts))
SYSTEM(int, fstat64, (int file, struct stat64 *facts), (file, facts))
SYSTEM(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size))
SYSTEM(ssize_t, pread, (int file, void *bytes, size_t size, off_t offset), (file, bytes, size, offset))
SYSTEM(ssize_t, pread64, (int file, void *bytes, size_t size, off64_t offset), (file, bytes, size, offset))
SYSTEM(void *, mmap, (void *address, size_t size, int access, int flags, int file, off_t offset),
	(address, size, access, flags, file, offset))
SYSTEM(int, munmap, (void *address, size_t size), (address, size))
SYSTEM(char *, realpath, (const char *path, char *resolved), (path, resolved))
SYSTEM(void *, dlopen, (const char *path, int mode), (path, mode))
