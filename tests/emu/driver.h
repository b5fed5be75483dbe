/* SPDX-License-Identifier: MIT
 *
 * For tests of the emulated driver: the library, loaded as a program loads libcuda, and some PTX.
 */
#ifndef TESTS_EMU_DRIVER_H
#define TESTS_EMU_DRIVER_H

#include <cuda.h>
#include <cudaTypedefs.h>

#include "emu/counters.h"
#include "tests/tap.h"

/* What cuGetProcAddress of the library gives for these names and versions. */
#define EMU_FUNCTIONS(F) \
	F(cuInit, 2000) F(cuDriverGetVersion, 2020) F(cuGetErrorName, 6000) F(cuGetErrorString, 6000) \
	F(cuDeviceGetCount, 2000) F(cuDeviceGet, 2000) F(cuDeviceGetAttribute, 2000) F(cuDeviceGetName, 2000) \
	F(cuDeviceGetUuid, 11040) F(cuDeviceGetPCIBusId, 4010) F(cuDeviceTotalMem, 3020) \
	F(cuDevicePrimaryCtxRetain, 7000) F(cuDevicePrimaryCtxRelease, 11000) F(cuDevicePrimaryCtxReset, 11000) \
	F(cuDevicePrimaryCtxGetState, 7000) F(cuCtxCreate, 3020) F(cuCtxDestroy, 4000) F(cuCtxGetCurrent, 4000) \
	F(cuCtxSetCurrent, 4000) F(cuCtxPushCurrent, 4000) F(cuCtxPopCurrent, 4000) F(cuCtxGetDevice, 2000) \
	F(cuCtxSynchronize, 2000) \
	F(cuMemAlloc, 3020) F(cuMemFree, 3020) F(cuMemGetInfo, 3020) F(cuMemHostAlloc, 2020) F(cuMemFreeHost, 2000) \
	F(cuMemGetAddressRange, 3020) F(cuPointerGetAttribute, 4000) \
	F(cuMemsetD8, 3020) F(cuMemsetD16, 3020) F(cuMemsetD32, 3020) F(cuMemsetD32Async, 3020) \
	F(cuMemcpyHtoD, 3020) F(cuMemcpyDtoH, 3020) F(cuMemcpyDtoD, 3020) F(cuMemcpyHtoDAsync, 3020) \
	F(cuMemcpyDtoHAsync, 3020) F(cuMemcpyDtoDAsync, 3020) F(cuMemcpy, 4000) \
	F(cuModuleLoadData, 2000) F(cuModuleLoadDataEx, 2010) F(cuModuleUnload, 2000) F(cuModuleGetFunction, 2000) \
	F(cuModuleGetGlobal, 3020) F(cuFuncGetAttribute, 2020) F(cuFuncSetAttribute, 9000) \
	F(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050) F(cuOccupancyMaxPotentialBlockSize, 6050) \
	F(cuLinkCreate, 6050) F(cuLinkAddData, 6050) F(cuLinkComplete, 5050) F(cuLinkDestroy, 5050) \
	F(cuLibraryLoadData, 12000) F(cuLibraryUnload, 12000) F(cuLibraryGetKernel, 12000) \
	F(cuKernelGetFunction, 12000) \
	F(cuLaunchKernel, 4000) F(cuLaunchKernelEx, 11060) F(cuLaunchCooperativeKernel, 9000) \
	F(cuLaunchHostFunc, 10000) \
	F(cuStreamCreate, 2000) F(cuStreamDestroy, 4000) F(cuStreamSynchronize, 2000) F(cuStreamQuery, 2000) \
	F(cuStreamWaitEvent, 3020) F(cuStreamIsCapturing, 10000) F(cuStreamBeginCapture, 10010) \
	F(cuStreamEndCapture, 10000) F(cuStreamGetCaptureInfo, 10010) F(cuThreadExchangeStreamCaptureMode, 10010) \
	F(cuEventCreate, 2000) F(cuEventDestroy, 4000) F(cuEventRecord, 2000) F(cuEventQuery, 2000) \
	F(cuEventSynchronize, 2000) F(cuEventElapsedTime, 2000) \
	F(cuGraphCreate, 10000) F(cuGraphDestroy, 10000) F(cuGraphAddEmptyNode, 10000) F(cuGraphGetNodes, 10000) \
	F(cuGraphNodeGetType, 10000) F(cuGraphNodeGetDependencies, 10000) F(cuGraphInstantiateWithFlags, 11040) \
	F(cuGraphLaunch, 10000) F(cuGraphExecDestroy, 10000) F(cuGraphExecUpdate, 10020) \
	F(cuGraphExecKernelNodeSetParams, 12000)

struct emu_api {
	PFN_cuGetProcAddress_v11030 cuGetProcAddress_first;
	PFN_cuGetProcAddress_v12000 cuGetProcAddress_second;
#define MEMBER(name, version) PFN_##name##_v##version name;
	EMU_FUNCTIONS(MEMBER)
#undef MEMBER
	__typeof__(scanrtEmuCounters) *counters;
	__typeof__(scanrtEmuLastLaunch) *last_launch;
	__typeof__(scanrtEmuReset) *reset;
	__typeof__(scanrtEmuFault) *fault;
	__typeof__(scanrtEmuInject) *inject;
};

extern struct emu_api cu;

/* Loads the library that was just built; ends the program where it does not load. */
void emu_open(void);
/* And initialises it and makes a context of device 0 current. */
CUcontext emu_open_context(void);
void *emu_symbol(const char *name); /* by dlsym */

/* The check that a call gives a result; a failure names both. */
#define emu_is(call, wanted, ...) tap_is_string(emu_name(call), emu_name(wanted), __VA_ARGS__)
const char *emu_name(CUresult result);
/* A call without which the test makes no sense. */
#define emu_must(call) emu_must_at((call), #call)
void emu_must_at(CUresult result, const char *call);

/* Kernels: fill(u32 *to, u32 value, u32 count) stores with one thread an element, unchecked beyond count;
 * nothing(); stray(u32 *to) stores 4 bytes before `to`; roomy() has 1000 bytes of shared memory. */
extern const char emu_ptx[];
CUfunction emu_function(const char *name); /* of emu_ptx, loaded into the current context at first use */
CUresult emu_fill(CUdeviceptr to, unsigned int value, unsigned int count, CUstream stream);
/* Whether all `count` words at `address` have the value. */
int emu_is_filled(CUdeviceptr address, unsigned int value, unsigned int count);

#endif
