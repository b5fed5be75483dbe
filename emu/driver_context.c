/* SPDX-License-Identifier: MIT
 *
 * Contexts: the primary one of each device, created ones, and each thread's stack of current ones.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#define STACK_DEPTH 64

static _Thread_local struct CUctx_st *stack[STACK_DEPTH];
static _Thread_local size_t depth;
static struct CUctx_st *contexts;
static struct CUctx_st *dead; /* never freed: stacks of other threads may hold the address, which must stay unused */

struct CUctx_st *emu_context_current(void)
{
	return depth == 0 ? NULL : stack[depth - 1];
}

/* The codes after which a real context is lost: faults of a kernel. */
bool emu_result_is_sticky(CUresult code)
{
	return code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_LAUNCH_TIMEOUT || code == CUDA_ERROR_ASSERT ||
		(code >= CUDA_ERROR_HARDWARE_STACK_ERROR && code <= CUDA_ERROR_LAUNCH_FAILED) ||
		code == CUDA_ERROR_ECC_UNCORRECTABLE;
}

CUresult emu_context_fault(struct CUctx_st *context, CUresult code)
{
	if (context->sticky == CUDA_SUCCESS)
		context->sticky = code;
	return context->sticky;
}

static void default_limits(struct CUctx_st *context)
{
	context->limits[CU_LIMIT_STACK_SIZE] = 1024;
	context->limits[CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20;
	context->limits[CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20;
}

struct CUctx_st *emu_context_create(struct emu_device *device, unsigned int flags)
{
	struct CUctx_st *context;
	struct CUstream_st *legacy;

	if (emu_device_open(device) != CUDA_SUCCESS)
		return NULL;
	context = calloc(1, sizeof(*context));
	legacy = calloc(1, sizeof(*legacy));
	if (context == NULL || legacy == NULL || !emu_handle_add(EMU_HANDLE_CONTEXT, context)) {
		free(context);
		free(legacy);
		return NULL;
	}
	legacy->context = context;
	legacy->is_legacy = true;
	legacy->id = 1;
	context->device = device;
	context->flags = flags;
	context->legacy = legacy;
	context->streams = legacy;
	default_limits(context);
	context->next = contexts;
	contexts = context;
	return context;
}

static void unlink_context(struct CUctx_st *context)
{
	struct CUctx_st **link = &contexts;

	while (*link != NULL && *link != context)
		link = &(*link)->next;
	if (*link != NULL)
		*link = context->next;
}

/* Everything that lives in it goes too, as on a real device; other threads' stacks keep a stale pointer, which the
 * handle table tells from a live one. */
void emu_context_destroy(struct CUctx_st *context)
{
	while (context->modules != NULL)
		emu_module_free(context->modules);
	while (context->events != NULL)
		emu_event_free(context->events);
	while (context->streams != NULL)
		emu_stream_free(context->streams);
	emu_context_free_memory(context);
	unlink_context(context);
	emu_handle_remove(context);
	context->next = dead;
	dead = context;
}

static CUresult push(struct CUctx_st *context)
{
	if (!emu_handle_is(EMU_HANDLE_CONTEXT, context))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (depth == STACK_DEPTH)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack[depth++] = context;
	return CUDA_SUCCESS;
}

static CUresult create(CUcontext *context, unsigned int flags, CUdevice device)
{
	struct emu_device *found = emu_device_get(device);
	struct CUctx_st *made;

	if (context == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	if (found == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	made = emu_context_create(found, flags);
	if (made == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*context = made;
	return push(made);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS)
		result = create(context, flags, device);
	return emu_leave(result);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *parameters, int count, unsigned int flags,
	CUdevice device)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	(void)parameters;
	if (result == CUDA_SUCCESS && count != 0)
		result = CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	if (result == CUDA_SUCCESS)
		result = create(context, flags, device);
	return emu_leave(result);
}

/* Its parameters are two forms of sharing a GPU, neither of which is emulated. */
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && parameters != NULL)
		result = CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
	if (result == CUDA_SUCCESS)
		result = create(context, flags, device);
	return emu_leave(result);
}

/* A lost context can still be destroyed, so the sticky error is not asked for. */
CUresult cuCtxDestroy_v2(CUcontext context)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_CONTEXT, context))
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS && context->is_primary)
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS) {
		if (emu_context_current() == context)
			depth--;
		emu_context_destroy(context);
	}
	return emu_leave(result);
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS)
		result = push(context);
	return emu_leave(result);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && depth == 0)
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS) {
		depth--;
		if (context != NULL)
			*context = stack[depth];
	}
	return emu_leave(result);
}

/* Replaces the top of the stack; NULL only takes it away. */
CUresult cuCtxSetCurrent(CUcontext context)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && context != NULL && !emu_handle_is(EMU_HANDLE_CONTEXT, context))
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS) {
		if (depth > 0)
			depth--;
		if (context != NULL)
			result = push(context);
	}
	return emu_leave(result);
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && context == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*context = emu_context_current();
	return emu_leave(result);
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && device == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*device = emu_context_current()->device->ordinal;
	return emu_leave(result);
}

/* From 13.0 on the context may be named instead of current. */
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (context == NULL)
		context = emu_context_current();
	if (result == CUDA_SUCCESS && device == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_CONTEXT, context))
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS)
		*device = context->device->ordinal;
	return emu_leave(result);
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && flags == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*flags = emu_context_current()->flags;
	return emu_leave(result);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && context == NULL)
		context = emu_context_current();
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_CONTEXT, context))
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS && version == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*version = 3020;
	return emu_leave(result);
}

/* A stream of it that is being captured cannot be waited for. */
static CUresult synchronize(struct CUctx_st *context)
{
	CUresult result = CUDA_SUCCESS;

	for (struct CUstream_st *s = context->streams; s != NULL; s = s->next) {
		CUresult refusal = emu_capture_check_sync(s);

		if (refusal != CUDA_SUCCESS)
			result = refusal;
		emu_clock_synchronize(s);
	}
	return result == CUDA_SUCCESS ? context->sticky : result;
}

CUresult cuCtxSynchronize(void)
{
	CUresult result = emu_enter(__func__, EMU_NEED_UNSAFE);

	if (result == CUDA_SUCCESS)
		result = synchronize(emu_context_current());
	return emu_leave(result);
}

CUresult cuCtxSynchronize_v2(CUcontext context)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (context == NULL)
		context = emu_context_current();
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_CONTEXT, context))
		result = CUDA_ERROR_INVALID_CONTEXT;
	if (result == CUDA_SUCCESS)
		result = emu_capture_check_unsafe();
	if (result == CUDA_SUCCESS)
		result = synchronize(context);
	return emu_leave(result);
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && value == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && ((int)limit < 0 || limit >= CU_LIMIT_MAX))
		result = CUDA_ERROR_UNSUPPORTED_LIMIT;
	if (result == CUDA_SUCCESS)
		*value = emu_context_current()->limits[limit];
	return emu_leave(result);
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && ((int)limit < 0 || limit >= CU_LIMIT_MAX))
		result = CUDA_ERROR_UNSUPPORTED_LIMIT;
	if (result == CUDA_SUCCESS)
		emu_context_current()->limits[limit] = value;
	return emu_leave(result);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && least != NULL)
		*least = 0;
	if (result == CUDA_SUCCESS && greatest != NULL)
		*greatest = -5;
	return emu_leave(result);
}
