/* SPDX-License-Identifier: MIT
 *
 * Names and descriptions of CUresult, as cuGetErrorName and cuGetErrorString give them.
 */
#include "driver.h"

struct text {
	CUresult code;
	const char *name;
	const char *text;
};

#define ROW(code, text) { code, #code, text }

static const struct text texts[] = {
	ROW(CUDA_SUCCESS, "no error"),
	ROW(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
	ROW(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
	ROW(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
	ROW(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
	ROW(CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library"),
	ROW(CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable"),
	ROW(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
	ROW(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
	ROW(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
	ROW(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
	ROW(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
	ROW(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
	ROW(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
	ROW(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, "exclusive-thread device already in use by a different thread"),
	ROW(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported between these two devices"),
	ROW(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
	ROW(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "PTX JIT compiler library not found"),
	ROW(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with an unsupported toolchain."),
	ROW(CUDA_ERROR_JIT_COMPILATION_DISABLED, "PTX JIT compilation was disabled"),
	ROW(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
	ROW(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
	ROW(CUDA_ERROR_OPERATING_SYSTEM, "OS call failed or operation not supported on this OS"),
	ROW(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
	ROW(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
	ROW(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
	ROW(CUDA_ERROR_NOT_READY, "device not ready"),
	ROW(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
	ROW(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
	ROW(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
	ROW(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "cannot set while device is active in this process"),
	ROW(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
	ROW(CUDA_ERROR_ASSERT, "device-side assert triggered"),
	ROW(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "part or all of the requested memory range is already mapped"),
	ROW(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "pointer does not correspond to a registered memory region"),
	ROW(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
	ROW(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
	ROW(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
	ROW(CUDA_ERROR_INVALID_ADDRESS_SPACE, "operation not supported on global/shared address space"),
	ROW(CUDA_ERROR_INVALID_PC, "invalid program counter"),
	ROW(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
	ROW(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
	ROW(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
	ROW(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
	ROW(CUDA_ERROR_SYSTEM_NOT_READY, "system not yet initialized"),
	ROW(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "system has unsupported display driver / cuda driver combination"),
	ROW(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
	ROW(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"),
	ROW(CUDA_ERROR_STREAM_CAPTURE_MERGE, "operation would result in a merge of separate capture sequences"),
	ROW(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "capture was not ended in the same stream as it began"),
	ROW(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "capturing stream has unjoined work"),
	ROW(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "dependency created on uncaptured work in another stream"),
	ROW(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
		"operation would make the legacy stream depend on a capturing blocking stream"),
	ROW(CUDA_ERROR_CAPTURED_EVENT, "operation not permitted on an event last recorded in a capturing stream"),
	ROW(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
		"attempt to terminate a thread-local capture sequence from another thread"),
	ROW(CUDA_ERROR_TIMEOUT, "wait operation timed out"),
	ROW(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
		"the graph update was not performed because it included changes which violated constraints"),
	ROW(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster size"),
	ROW(CUDA_ERROR_UNKNOWN, "unknown error"),
};

static const struct text *find(CUresult code)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].code == code)
			return &texts[i];
	}
	return NULL;
}

/* Neither call needs cuInit or the lock: the table is constant, and errors of cuInit must be printable. */
CUresult cuGetErrorName(CUresult error, const char **name)
{
	const struct text *text = find(error);

	if (name == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*name = text == NULL ? NULL : text->name;
	return text == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **string)
{
	const struct text *text = find(error);

	if (string == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*string = text == NULL ? NULL : text->text;
	return text == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
