/* SPDX-License-Identifier: MIT
 *
 * Streams.  Work has run when the call that enqueued it returns, so waiting is free; what remains is order in
 * modelled time, capture, and the rules about which stream may be used when.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

static unsigned long long last_id = 2; /* 1 is the legacy stream of a context */

static struct CUstream_st *create(struct CUctx_st *context, unsigned int flags, int priority)
{
	struct CUstream_st *stream = calloc(1, sizeof(*stream));

	if (stream == NULL || !emu_handle_add(EMU_HANDLE_STREAM, stream)) {
		free(stream);
		return NULL;
	}
	stream->context = context;
	stream->flags = flags;
	stream->priority = priority;
	stream->id = ++last_id;
	stream->next = context->streams;
	context->streams = stream;
	return stream;
}

/* Its work is done; only a capture that it takes part in minds. */
void emu_stream_free(struct CUstream_st *stream)
{
	struct CUstream_st **link = &stream->context->streams;

	emu_capture_forget_stream(stream);
	while (*link != NULL && *link != stream)
		link = &(*link)->next;
	if (*link != NULL)
		*link = stream->next;
	emu_handle_remove(stream);
	free(stream->tails);
	free(stream);
}

/* The calling thread's default stream in the current context, made when first used. */
static CUresult per_thread(struct CUstream_st **stream, struct CUctx_st *context)
{
	for (*stream = context->streams; *stream != NULL; *stream = (*stream)->next) {
		if ((*stream)->is_per_thread && pthread_equal((*stream)->thread, pthread_self()))
			return CUDA_SUCCESS;
	}
	*stream = create(context, CU_STREAM_DEFAULT, 0);
	if (*stream == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*stream)->is_per_thread = true;
	(*stream)->thread = pthread_self();
	return CUDA_SUCCESS;
}

/* The stream of a context that is lost gives that context's error. */
CUresult emu_stream_find(struct CUstream_st **stream, CUstream handle)
{
	struct CUctx_st *context = emu_context_current();

	*stream = handle;
	if (handle == NULL || handle == CU_STREAM_LEGACY) {
		*stream = context->legacy;
		return CUDA_SUCCESS;
	}
	if (handle == CU_STREAM_PER_THREAD)
		return per_thread(stream, context);
	if (!emu_handle_is(EMU_HANDLE_STREAM, handle))
		return CUDA_ERROR_INVALID_HANDLE;
	return handle->context->sticky;
}

/* Copies before it frees, because the nodes may be the stream's own. */
CUresult emu_stream_set_tails(struct CUstream_st *stream, struct CUgraphNode_st *const *nodes, size_t count)
{
	struct CUgraphNode_st **copy = calloc(count + 1, sizeof(struct CUgraphNode_st *));

	if (copy == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (count > 0)
		memcpy(copy, nodes, count * sizeof(struct CUgraphNode_st *));
	free(stream->tails);
	stream->tails = copy;
	stream->tail_count = count;
	return CUDA_SUCCESS;
}

static CUresult create_checked(CUstream *stream, unsigned int flags, int priority)
{
	if (stream == NULL || (flags & ~(unsigned int)CU_STREAM_NON_BLOCKING) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	/* Priorities out of range are clamped, not refused. */
	if (priority > 0)
		priority = 0;
	if (priority < -5)
		priority = -5;
	*stream = create(emu_context_current(), flags, priority);
	return *stream == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = create_checked(stream, flags, 0);
	return emu_leave(result);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = create_checked(stream, flags, priority);
	return emu_leave(result);
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && (!emu_handle_is(EMU_HANDLE_STREAM, stream) || stream->is_per_thread))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		emu_stream_free(stream);
	return emu_leave(result);
}

/* Enters and resolves a stream. */
static CUresult enter_stream(struct CUstream_st **found, const char *function, CUstream stream)
{
	CUresult result = emu_enter(function, EMU_NEED_CONTEXT);

	return result == CUDA_SUCCESS ? emu_stream_find(found, stream) : result;
}

CUresult cuStreamSynchronize(CUstream stream)
{
	struct CUstream_st *found;
	CUresult result = enter_stream(&found, __func__, stream);

	if (result == CUDA_SUCCESS)
		result = emu_capture_check_sync(found);
	if (result == CUDA_SUCCESS)
		emu_clock_synchronize(found);
	return emu_leave(result);
}

/* Never CUDA_ERROR_NOT_READY: all work has been done.  SCANRT_EMU_FAIL can play that part. */
CUresult cuStreamQuery(CUstream stream)
{
	struct CUstream_st *found;
	CUresult result = enter_stream(&found, __func__, stream);

	if (result == CUDA_SUCCESS)
		result = emu_capture_check_sync(found);
	return emu_leave(result);
}

/* An event recorded while capturing stands for nodes, and takes the waiting stream into the capture. */
static CUresult wait_event(struct CUstream_st *stream, const struct CUevent_st *event)
{
	if (!emu_handle_is(EMU_HANDLE_EVENT, event))
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->capture != NULL || stream->capture != NULL)
		return emu_capture_join(stream, event);
	if (event->is_recorded && event->time > stream->ready)
		stream->ready = event->time;
	return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
	struct CUstream_st *found;
	CUresult result = enter_stream(&found, __func__, stream);

	if (result == CUDA_SUCCESS && (flags & ~(unsigned int)CU_EVENT_WAIT_EXTERNAL) != 0)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = wait_event(found, event);
	return emu_leave(result);
}

/* What a stream is asked for stands in it. */
#define STREAM_QUERY(name, type, member) \
	CUresult name(CUstream stream, type *value) \
	{ \
		struct CUstream_st *found; \
		CUresult result = enter_stream(&found, __func__, stream); \
\
		if (result == CUDA_SUCCESS && value == NULL) \
			result = CUDA_ERROR_INVALID_VALUE; \
		if (result == CUDA_SUCCESS) \
			*value = found->member; \
		return emu_leave(result); \
	}
STREAM_QUERY(cuStreamGetFlags, unsigned int, flags)
STREAM_QUERY(cuStreamGetPriority, int, priority)
STREAM_QUERY(cuStreamGetId, unsigned long long, id)
STREAM_QUERY(cuStreamGetCtx, CUcontext, context)

/* There are no green contexts. */
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green)
{
	if (green != NULL)
		memset(green, 0, sizeof(void *));
	return cuStreamGetCtx(stream, context);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data)
{
	struct emu_work work = { .kind = EMU_WORK_HOST, .host_function = function, .host_data = data };
	struct CUstream_st *found;
	CUresult result = enter_stream(&found, __func__, stream);

	if (result == CUDA_SUCCESS && function == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = emu_work_submit(found, &work);
	return emu_leave(result);
}
