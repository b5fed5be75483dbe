/* SPDX-License-Identifier: MIT
 *
 * The loader of libcuda.  Nothing else in the library knows which driver was loaded.
 */
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loadable.h"
#include "status.h"
#include "strbuf.h"

#ifndef SCANRT_LIBDIR
#define SCANRT_LIBDIR "/usr/local/lib"
#endif

#define REAL_LIBRARY "libcuda.so.1"
#define EMULATOR_LIBRARY "libscanrt-emu.so"

enum need { REQUIRED, OPTIONAL };

/* The members of struct srt_driver as data: what to ask cuGetProcAddress for, and where the address goes. */
struct row {
	const char *name;
	int version;
	enum need need;
	size_t offset;
};

static const struct row rows[] = {
#define FN(name, version, need) { #name, version, need, offsetof(struct srt_driver, name) },
#include "driver.def"
#undef FN
};

/* One loaded file.  The list only grows: a program loads one driver, a test of several devices two. */
struct loaded {
	struct srt_driver driver;
	struct loaded *next;
	char path[];
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct loaded *list;

int srt_driver_is_sticky(CUresult result)
{
	switch ((int)result) {
	case CUDA_ERROR_ECC_UNCORRECTABLE:
	case CUDA_ERROR_NVLINK_UNCORRECTABLE:
	case CUDA_ERROR_ILLEGAL_ADDRESS:
	case CUDA_ERROR_LAUNCH_TIMEOUT:
	case CUDA_ERROR_CONTEXT_IS_DESTROYED:
	case CUDA_ERROR_ASSERT:
	case CUDA_ERROR_HARDWARE_STACK_ERROR:
	case CUDA_ERROR_ILLEGAL_INSTRUCTION:
	case CUDA_ERROR_MISALIGNED_ADDRESS:
	case CUDA_ERROR_INVALID_ADDRESS_SPACE:
	case CUDA_ERROR_INVALID_PC:
	case CUDA_ERROR_LAUNCH_FAILED:
	case CUDA_ERROR_EXTERNAL_DEVICE:
		return 1;
	default:
		return 0;
	}
}

/* Some results say more than the call that met them knows. */
static int status_of(CUresult result, int otherwise)
{
	if (srt_driver_is_sticky(result))
		return SCANRT_ERROR_DEVICE_LOST;
	if (result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)
		return SCANRT_ERROR_CAPTURE;
	switch ((int)result) {
	case CUDA_ERROR_OUT_OF_MEMORY:
		return SCANRT_ERROR_DEVICE_MEMORY;
	case CUDA_ERROR_NO_DEVICE:
	case CUDA_ERROR_INVALID_DEVICE:
	case CUDA_ERROR_DEVICE_UNAVAILABLE:
		return SCANRT_ERROR_NO_DEVICE;
	case CUDA_ERROR_INVALID_CONTEXT:
		return SCANRT_ERROR_CONTEXT;
	case CUDA_ERROR_STUB_LIBRARY:
		return SCANRT_ERROR_DRIVER_STUB;
	default:
		return otherwise;
	}
}

int srt_driver_fail(const struct srt_driver *driver, int status, CUresult result, const char *call)
{
	const char *name = NULL;
	const char *text = NULL;

	if (driver->cuGetErrorName(result, &name) != CUDA_SUCCESS || name == NULL)
		name = "an unknown error";
	if (driver->cuGetErrorString(result, &text) != CUDA_SUCCESS || text == NULL)
		text = "no description";
	return srt_fail_driver(status_of(result, status), (int)result, "%s: %s (%d): %s", call, name, (int)result,
		text);
}

int srt_driver_status(const struct srt_driver *driver, CUresult result, const char *call)
{
	if (result == CUDA_SUCCESS)
		return SCANRT_OK;
	return srt_driver_fail(driver, SCANRT_ERROR_DRIVER, result, call);
}

int srt_driver_push(const struct srt_driver *driver, void *context)
{
	return SRT_CALL(driver, cuCtxPushCurrent, (context));
}

int srt_driver_pop(const struct srt_driver *driver, int status)
{
	CUcontext popped;
	CUresult result = driver->cuCtxPopCurrent(&popped);

	/* The group's own failure came first, and its record stays. */
	if (status != SCANRT_OK)
		return status;
	return srt_driver_status(driver, result, "cuCtxPopCurrent");
}

int srt_driver_enter(bool *is_pushed, const struct srt_driver *driver, void *context)
{
	CUcontext current = NULL;
	int status = SRT_CALL(driver, cuCtxGetCurrent, (&current));

	*is_pushed = !status && current != context;
	return *is_pushed ? srt_driver_push(driver, context) : status;
}

int srt_driver_leave(const struct srt_driver *driver, bool is_pushed, int status)
{
	return is_pushed ? srt_driver_pop(driver, status) : status;
}

/* ---- Addresses ---- */

/* cuGetProcAddress came with 11.3 and got a fifth parameter in 12.0; either serves. */
struct resolver {
	PFN_cuGetProcAddress_v12000 with_query;
	PFN_cuGetProcAddress_v11030 plain;
};

/* The version is that of driver.def, not that of the header: a newer header must not ask an older driver for
 * a newer ABI. */
static CUresult look_up(void **address, const struct resolver *resolver, const struct row *row)
{
	CUdriverProcAddressQueryResult found;

	if (resolver->with_query)
		return resolver->with_query(row->name, address, row->version, CU_GET_PROC_ADDRESS_DEFAULT, &found);
	return resolver->plain(row->name, address, row->version, CU_GET_PROC_ADDRESS_DEFAULT);
}

static int fail_stub(const char *path)
{
	return srt_fail_driver(SCANRT_ERROR_DRIVER_STUB, CUDA_ERROR_STUB_LIBRARY,
		"%s is the toolkit's stub for linking, not the driver: keep its folder out of LD_LIBRARY_PATH", path);
}

static int fill_row(struct srt_driver *driver, const struct resolver *resolver, const struct row *row,
	const char *path)
{
	void *address = NULL;
	CUresult result = look_up(&address, resolver, row);

	if (result == CUDA_ERROR_STUB_LIBRARY)
		return fail_stub(path);
	if (result != CUDA_SUCCESS)
		address = NULL;
	if (address == NULL && row->need == REQUIRED)
		return srt_fail_driver(SCANRT_ERROR_DRIVER_TOO_OLD, (int)result,
			"the driver %s is too old: it has no %s of version %d.%d", path, row->name, row->version / 1000,
			row->version % 1000 / 10);
	/* All function pointers are of one size here, as POSIX wants it for dlsym. */
	memcpy((char *)driver + row->offset, &address, sizeof address);
	return SCANRT_OK;
}

/* All functions or none: a driver that lacks one is refused here and not in the middle of a scan. */
static int fill(struct srt_driver *driver, void *library, const char *path)
{
	struct resolver resolver;
	int status = SCANRT_OK;

	*(void **)&resolver.with_query = dlsym(library, "cuGetProcAddress_v2");
	*(void **)&resolver.plain = dlsym(library, "cuGetProcAddress");
	if (resolver.with_query == NULL && resolver.plain == NULL)
		return srt_fail(SCANRT_ERROR_DRIVER_TOO_OLD,
			"the driver %s is too old: it has no cuGetProcAddress, which came with 11.3", path);
	for (size_t i = 0; status == SCANRT_OK && i < sizeof rows / sizeof rows[0]; i++)
		status = fill_row(driver, &resolver, &rows[i], path);
	return status;
}

/* cuInit is called once per loaded file.  A program that has called it already loses nothing. */
static int initialise(struct srt_driver *driver, const char *path)
{
	CUresult result = driver->cuInit(0);

	if (result == CUDA_ERROR_STUB_LIBRARY)
		return fail_stub(path);
	if (result != CUDA_SUCCESS)
		return srt_driver_fail(driver, SCANRT_ERROR_DRIVER, result, "cuInit");
	return SRT_CALL(driver, cuDriverGetVersion, (&driver->version));
}

/* ---- Files ---- */

/* Not dlclosed where it fails later: libcuda starts threads, and unloading it under them crashes. */
static int load(struct loaded **loaded, const char *path)
{
	struct loaded *made;
	void *library;
	int status;

	if (!srt_is_loadable(path))
		return srt_fail(SCANRT_ERROR_NO_DRIVER, "cannot load the CUDA driver: %s is no regular file", path);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
		return srt_fail(SCANRT_ERROR_NO_DRIVER, "cannot load the CUDA driver: %s", dlerror());
	made = calloc(1, sizeof *made + strlen(path) + 1);
	if (made == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for the driver's functions");
	strcpy(made->path, path);
	status = fill(&made->driver, library, path);
	if (status == SCANRT_OK)
		status = initialise(&made->driver, path);
	if (status == SCANRT_OK)
		*loaded = made;
	else
		free(made);
	return status;
}

/* A failure is not remembered: the next call tries again, as a driver may be installed under a running program. */
static int load_once(const struct srt_driver **driver, const char *path)
{
	struct loaded *found;
	int status = SCANRT_OK;

	pthread_mutex_lock(&list_lock);
	for (found = list; found && strcmp(found->path, path) != 0; found = found->next)
		continue;
	if (found == NULL) {
		status = load(&found, path);
		if (status == SCANRT_OK) {
			found->next = list;
			list = found;
		}
	}
	pthread_mutex_unlock(&list_lock);
	if (status == SCANRT_OK)
		*driver = &found->driver;
	return status;
}

static void append_directory(struct srt_strbuf *out, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash)
		srt_strbuf_append_bytes(out, path, (size_t)(slash - path) + 1);
}

/* The directory of the file that this code is in, with its slash.  A program is known by the name that it was called
 * by, which may lack a directory; then the kernel knows. */
static void append_own_directory(struct srt_strbuf *out)
{
	char program[4096] = "";
	Dl_info info;

	if (dladdr(&list, &info) == 0 || info.dli_fname == NULL)
		return;
	if (strchr(info.dli_fname, '/'))
		append_directory(out, info.dli_fname);
	else if (readlink("/proc/self/exe", program, sizeof(program) - 1) > 0)
		append_directory(out, program);
}

/* By the name of the file: asking the library itself would mean to load it, which for a real driver starts it. */
static bool is_emulator(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, "libscanrt-emu", strlen("libscanrt-emu")) == 0;
}

/* Where SCANRT_LIBCUDA names an emulator, that is the one; then the one beside us, then the installed one. */
static int load_emulator(const struct srt_driver **driver)
{
	struct srt_strbuf path = {0};
	const char *named = secure_getenv("SCANRT_LIBCUDA");
	int status;

	if (named && is_emulator(named))
		return load_once(driver, named);
	append_own_directory(&path);
	srt_strbuf_append(&path, EMULATOR_LIBRARY);
	status = path.failed ? srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a file name")
			     : load_once(driver, srt_strbuf_text(&path));
	srt_strbuf_free(&path);
	if (status == SCANRT_ERROR_NO_DRIVER)
		status = load_once(driver, SCANRT_LIBDIR "/" EMULATOR_LIBRARY);
	return status;
}

/* The set-user-ID case is why this is secure_getenv: a library that the caller names runs with the program's rights. */
static int load_default(const struct srt_driver **driver)
{
	const char *kind = secure_getenv("SCANRT_DRIVER");
	const char *path = secure_getenv("SCANRT_LIBCUDA");

	if (kind && strcmp(kind, "emu") == 0)
		return load_emulator(driver);
	/* A typing error here would mean a run on the real device by whoever did not want that. */
	if (kind && *kind)
		return srt_fail(SCANRT_ERROR_ENVIRONMENT, "SCANRT_DRIVER: \"%s\" is no driver: emu is, or nothing",
			kind);
	return load_once(driver, path && *path ? path : REAL_LIBRARY);
}

/* A device that does not exist and a text that names none are one error to the caller: there is no such device. */
static int parse_ordinal(int *ordinal, const char *digits, const char *device)
{
	char *end;
	long value = strtol(digits, &end, 10);

	if (*digits < '0' || *digits > '9' || *end != '\0' || value > 65535)
		return srt_fail(SCANRT_ERROR_NO_DEVICE,
			"\"%s\" names no device: an ordinal, \"emu\" or \"emu:N\" does", device);
	*ordinal = (int)value;
	return SCANRT_OK;
}

/* The text is read before anything is loaded, so that a typing error is told as one. */
int srt_driver_open(const struct srt_driver **driver, int *ordinal, const char *device)
{
	bool wants_emulator = device && strncmp(device, "emu", 3) == 0 && (device[3] == '\0' || device[3] == ':');
	const char *digits = wants_emulator ? (device[3] ? device + 4 : "0") : device;
	int wanted = SRT_ORDINAL_CURRENT;
	int status = digits ? parse_ordinal(&wanted, digits, device) : SCANRT_OK;

	if (status == SCANRT_OK)
		status = wants_emulator ? load_emulator(driver) : load_default(driver);
	if (status == SCANRT_OK)
		*ordinal = wanted;
	return status;
}
