/* SPDX-License-Identifier: MIT
 *
 * Initialisation, entry points by version, devices and their facts.
 */
#include "tests/emu/driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void before_init(void)
{
	int count = 0;
	CUcontext context;

	emu_is(cu.cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED, "nothing works before cuInit");
	emu_is(cu.cuCtxGetCurrent(&context), CUDA_ERROR_NOT_INITIALIZED, "not even asking for a context");
	emu_is(cu.cuDriverGetVersion(&count), CUDA_SUCCESS, "but the driver's version is told");
	tap_is_int(count, 13000, "which is 13.0");
	emu_is(cu.cuInit(1), CUDA_ERROR_INVALID_VALUE, "cuInit takes no flags");
}

static CUresult find(const char *name, int version, cuuint64_t flags, void **function, int *status)
{
	CUdriverProcAddressQueryResult seen = (CUdriverProcAddressQueryResult)77;
	CUresult result = cu.cuGetProcAddress_second(name, function, version, flags, &seen);

	*status = (int)seen;
	return result;
}

static void entry_points(void)
{
	void *function = &function;
	int status;

	emu_is(find("cuMemAlloc", 3020, 0, &function, &status), CUDA_SUCCESS, "a name and its version are found");
	tap_ok(function == emu_symbol("cuMemAlloc_v2"), "and mean the function of that ABI");
	tap_is_int(status, CU_GET_PROC_ADDRESS_SUCCESS, "with a status of success");
	emu_is(find("cuMemAlloc", 2000, 0, &function, &status), CUDA_SUCCESS,
		"a version before the first ABI is no error");
	tap_ok(function == NULL && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, "but not sufficient");
	emu_is(find("cuNoSuchCall", 12000, 0, &function, &status), CUDA_SUCCESS, "an unknown name is no error");
	tap_ok(function == NULL && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "but not found");
	find("cuMemAlloc_v2", 12000, 0, &function, &status);
	tap_ok(function == NULL, "a name with its suffix is not found, as in the real driver");
	emu_is(find("cuMemAlloc", 13010, 0, &function, &status), CUDA_ERROR_INVALID_VALUE,
		"a version beyond the driver's is refused");
	find("cuStreamBeginCapture", 10000, 0, &function, &status);
	tap_ok(function == emu_symbol("cuStreamBeginCapture"), "an old version gives the old ABI");
	find("cuStreamBeginCapture", 12000, 0, &function, &status);
	tap_ok(function == emu_symbol("cuStreamBeginCapture_v2"), "a new version gives the newest ABI that it covers");
	find("cuLaunchKernel", 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &function, &status);
	tap_ok(function == emu_symbol("cuLaunchKernel_ptsz"), "the flag for per-thread streams gives those variants");
	emu_is(cu.cuGetProcAddress_first("cuNoSuchCall", &function, 12000, 0), CUDA_ERROR_NOT_FOUND,
		"the first ABI of cuGetProcAddress says that a name is not found");
}

static int attribute(CUdevice_attribute name, CUdevice device)
{
	int value = -1;

	emu_must(cu.cuDeviceGetAttribute(&value, name, device));
	return value;
}

struct model {
	const char *name;
	int capability, sms, l2, shared, threads, blocks, clusters;
};

static void facts(CUdevice device, const struct model *model)
{
	char name[64] = "";

	emu_must(cu.cuDeviceGetName(name, sizeof(name), device));
	tap_is_string(name, model->name, "device %d has its model's name", device);
	tap_is_int(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) * 10 +
		attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device), model->capability,
		"%s has its compute capability", name);
	tap_is_int(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device), model->sms, "%s has its SMs", name);
	tap_is_int(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device), model->l2, "%s has its L2 cache", name);
	tap_is_int(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device), model->shared,
		"%s has its shared memory", name);
	tap_is_int(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, device), model->threads,
		"%s has its threads per SM", name);
	tap_is_int(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, device), model->blocks,
		"%s has its blocks per SM", name);
	tap_is_int(attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, device), model->clusters,
		"%s has clusters or not", name);
}

static void models(void)
{
	static const struct model wanted[] = {
		{ "scanrt emulated H200", 90, 132, 62914560, 232448, 2048, 32, 1 },
		{ "scanrt emulated RTX 4090", 89, 128, 75497472, 101376, 1536, 24, 0 },
		{ "scanrt emulated T4", 75, 40, 4194304, 65536, 1024, 16, 0 },
		{ "scanrt emulated tiny", 90, 4, 131072, 232448, 2048, 32, 1 },
	};
	int count = 0;

	emu_must(cu.cuDeviceGetCount(&count));
	tap_is_int(count, 4, "SCANRT_EMU_DEVICES tells how many there are");
	for (int i = 0; i < 4; i++)
		facts(i, &wanted[i]);
}

/* What is wrong is told before the device is opened, so that a right value still opens it. */
static void wrong_numbers(void)
{
	static const char *const wrong[][2] = {
		{ "SCANRT_EMU_SMS", "0" }, { "SCANRT_EMU_SMS", "four" }, { "SCANRT_EMU_SMS", "4x" },
		{ "SCANRT_EMU_DRIVER_VERSION", "new" }, { "SCANRT_EMU_SEED", "-1" },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		setenv(wrong[i][0], wrong[i][1], 1);
		tap_is_int(cu.cuInit(0), CUDA_ERROR_INVALID_VALUE, "cuInit refuses %s=%s", wrong[i][0], wrong[i][1]);
		unsetenv(wrong[i][0]);
	}
}

static void identities(void)
{
	char first[20] = "", second[20] = "", tight[13] = "";
	CUuuid a, b;
	CUdevice device = -1;
	size_t bytes = 0;
	int value;

	emu_must(cu.cuDeviceGetUuid(&a, 0));
	emu_must(cu.cuDeviceGetUuid(&b, 1));
	tap_ok(memcmp(&a, &b, sizeof(a)) != 0, "two devices have two UUIDs");
	emu_must(cu.cuDeviceGetPCIBusId(first, sizeof(first), 0));
	emu_must(cu.cuDeviceGetPCIBusId(second, sizeof(second), 1));
	tap_ok(strcmp(first, second) != 0, "and two PCI bus ids, %s and %s", first, second);
	emu_is(cu.cuDeviceGetPCIBusId(tight, 12, 0), CUDA_ERROR_INVALID_VALUE, "an id that does not fit is not cut");
	emu_is(cu.cuDeviceGet(&device, 3), CUDA_SUCCESS, "the last device is there");
	emu_is(cu.cuDeviceGet(&device, 4), CUDA_ERROR_INVALID_DEVICE, "the one after it is not");
	emu_is(cu.cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE, "nor one before the first");
	emu_is(cu.cuDeviceGetAttribute(&value, (CUdevice_attribute)100000, 0), CUDA_ERROR_INVALID_VALUE,
		"an unknown attribute is refused");
	emu_is(cu.cuDeviceTotalMem(&bytes, 0), CUDA_SUCCESS, "a device tells its memory");
	tap_is_uint(bytes, 64u << 20, "which is what SCANRT_EMU_MEMORY says");
}

/* The device of a process is of no use to the child that it forks; exec'd programs start afresh. */
static void fork_is_refused(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int count;

		_exit(cu.cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED &&
			cu.cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
	}
	waitpid(child, &status, 0);
	tap_ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a forked child cannot use the driver");
}

static void error_texts(void)
{
	const char *text = "";

	tap_is_string(emu_name(CUDA_ERROR_ILLEGAL_ADDRESS), "CUDA_ERROR_ILLEGAL_ADDRESS", "errors have names");
	emu_is(cu.cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS, "and descriptions");
	tap_is_string(text, "out of memory", "in the driver's words");
	emu_is(cu.cuGetErrorName((CUresult)12345, &text), CUDA_ERROR_INVALID_VALUE, "an unknown error has neither");
	tap_is_string(text, NULL, "and its text is set to NULL");
}

int main(void)
{
	setenv("SCANRT_EMU_DEVICES", "4", 1);
	setenv("SCANRT_EMU_MODEL", "h200,rtx4090,t4,tiny", 1);
	setenv("SCANRT_EMU_MEMORY", "64M", 1);
	tap_plan(0);
	emu_open();
	before_init();
	entry_points();
	wrong_numbers();
	emu_must(cu.cuInit(0));
	models();
	identities();
	error_texts();
	fork_is_refused();
	return tap_done();
}
