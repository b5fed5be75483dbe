/* SPDX-License-Identifier: MIT
 *
 * Every instruction that the emulated device is tested with, on the device at hand: what the host computes and the
 * emulated device gives is what a GPU gives, bit for bit.
 */
#include "../device.h"
#include "../emu/instruction.h"

static bool load(CUmodule *module, CUfunction *function, const struct test_device *device, const char *text)
{
	CUresult code = device->driver->cuModuleLoadData(module, text);

	if (code == CUDA_SUCCESS)
		code = device->driver->cuModuleGetFunction(function, *module, "test");
	if (code != CUDA_SUCCESS)
		tap_diag("the module is refused with %d", code);
	return code == CUDA_SUCCESS;
}

static bool run(void *context, uint64_t *out, const char *text, const uint64_t *in)
{
	const struct test_device *device = context;
	size_t out_bytes = INSTRUCTION_CASES * sizeof *out, in_bytes = 3 * INSTRUCTION_CASES * sizeof *in;
	CUdeviceptr to, from;
	CUmodule module;
	CUfunction function;
	void *parameters[] = { &to, &from };

	if (!load(&module, &function, device, text))
		return false;
	test_drive(device, cuMemAlloc, (&to, out_bytes));
	test_drive(device, cuMemAlloc, (&from, in_bytes));
	test_drive(device, cuMemcpyHtoD, (from, in, in_bytes));
	test_drive(device, cuLaunchKernel, (function, INSTRUCTION_CASES / INSTRUCTION_BLOCK, 1, 1, INSTRUCTION_BLOCK,
		1, 1, 0, NULL, parameters, NULL));
	test_drive(device, cuCtxSynchronize, ());
	test_drive(device, cuMemcpyDtoH, (out, to, out_bytes));
	test_drive(device, cuMemFree, (from));
	test_drive(device, cuMemFree, (to));
	test_drive(device, cuModuleUnload, (module));
	return true;
}

int main(void)
{
	struct test_device device;

	test_device_open(&device);
	if (device.facts.capability < 90)
		tap_skip_all("the kernels of this test are for sm_90 and newer");
	tap_plan(0);
	instruction_test_all(run, &device);
	test_device_close(&device);
	return tap_done();
}
