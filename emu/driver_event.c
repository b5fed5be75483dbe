/* SPDX-License-Identifier: MIT
 *
 * Events, and the modelled time between them.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#define KNOWN_FLAGS (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

static CUresult create(CUevent *event, struct CUctx_st *context, unsigned int flags)
{
	struct CUevent_st *made;

	if (event == NULL || (flags & ~(unsigned int)KNOWN_FLAGS) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL || !emu_handle_add(EMU_HANDLE_EVENT, made)) {
		free(made);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	made->context = context;
	made->flags = flags;
	made->next = context->events;
	context->events = made;
	*event = made;
	return CUDA_SUCCESS;
}

/* An event that a stream waits for may go: the wait has taken its time already. */
void emu_event_free(struct CUevent_st *event)
{
	struct CUevent_st **link = &event->context->events;

	while (*link != NULL && *link != event)
		link = &(*link)->next;
	if (*link != NULL)
		*link = event->next;
	emu_handle_remove(event);
	free(event->nodes);
	free(event);
}

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = create(event, emu_context_current(), flags);
	return emu_leave(result);
}

CUresult cuEventDestroy_v2(CUevent event)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_EVENT, event))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		emu_event_free(event);
	return emu_leave(result);
}

/* While capturing, the event remembers what the stream's next work would depend on. */
static CUresult record_captured(struct CUevent_st *event, const struct CUstream_st *stream)
{
	struct CUgraphNode_st **nodes;

	if (stream->capture->status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	nodes = calloc(stream->tail_count + 1, sizeof(struct CUgraphNode_st *));
	if (nodes == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (stream->tail_count > 0)
		memcpy(nodes, stream->tails, stream->tail_count * sizeof(struct CUgraphNode_st *));
	free(event->nodes);
	event->nodes = nodes;
	event->node_count = stream->tail_count;
	event->capture = stream->capture;
	event->capture_id = stream->capture->id;
	return CUDA_SUCCESS;
}

/* Recording replaces what the event stood for, whether that was a time or a point of a capture. */
static CUresult record(struct CUevent_st *event, struct CUstream_st *stream)
{
	CUresult result;

	if (!emu_handle_is(EMU_HANDLE_EVENT, event))
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->context != stream->context)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream->capture != NULL)
		return record_captured(event, stream);
	result = stream->is_legacy ? emu_capture_check_legacy(stream->context) : CUDA_SUCCESS;
	if (result != CUDA_SUCCESS)
		return result;
	event->capture = NULL;
	event->is_recorded = true;
	event->time = emu_clock_stamp(stream);
	return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	struct CUstream_st *found;

	if (result == CUDA_SUCCESS)
		result = emu_stream_find(&found, stream);
	if (result == CUDA_SUCCESS)
		result = record(event, found);
	return emu_leave(result);
}

/* The one flag makes a node of the event in a capture; without event nodes here it is an ordinary record. */
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags)
{
	if ((flags & ~(unsigned int)CU_EVENT_RECORD_EXTERNAL) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	return cuEventRecord(event, stream);
}

/* An event that was never recorded counts as complete. */
static CUresult enter_event(const char *function, const struct CUevent_st *event)
{
	CUresult result = emu_enter(function, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_EVENT, event))
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS && event->capture != NULL)
		result = CUDA_ERROR_CAPTURED_EVENT;
	if (result == CUDA_SUCCESS)
		result = emu_capture_check_unsafe();
	return result == CUDA_SUCCESS ? event->context->sticky : result;
}

CUresult cuEventQuery(CUevent event)
{
	return emu_leave(enter_event(__func__, event));
}

CUresult cuEventSynchronize(CUevent event)
{
	CUresult result = enter_event(__func__, event);

	if (result == CUDA_SUCCESS && event->is_recorded)
		emu_clock_wait(event->time);
	return emu_leave(result);
}

/* Only a recorded event that keeps time has one. */
static CUresult check_timed(const struct CUevent_st *event)
{
	if (!emu_handle_is(EMU_HANDLE_EVENT, event) || (event->flags & CU_EVENT_DISABLE_TIMING) != 0)
		return CUDA_ERROR_INVALID_HANDLE;
	if (event->capture != NULL)
		return CUDA_ERROR_CAPTURED_EVENT;
	return event->is_recorded ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && milliseconds == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = check_timed(start);
	if (result == CUDA_SUCCESS)
		result = check_timed(end);
	if (result == CUDA_SUCCESS && start->context != end->context)
		result = CUDA_ERROR_INVALID_HANDLE;
	if (result == CUDA_SUCCESS)
		*milliseconds = (float)((end->time - start->time) * 1e-6);
	return emu_leave(result);
}

/* The second ABI differs only in the error for events of which one is not recorded yet. */
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end)
{
	return cuEventElapsedTime(milliseconds, start, end);
}
