/* SPDX-License-Identifier: MIT
 *
 * Stream capture: begin and end, joins through events, what is forbidden meanwhile, and what a forbidden call spoils.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

static struct emu_capture *captures;
static unsigned long long last_id;
static _Thread_local CUstreamCaptureMode interaction = CU_STREAM_CAPTURE_MODE_GLOBAL;

bool emu_capture_is_live(const struct emu_capture *capture, unsigned long long id)
{
	for (const struct emu_capture *c = captures; c != NULL; c = c->next) {
		if (c == capture && c->id == id)
			return true;
	}
	return false;
}

static CUresult spoil(struct emu_capture *capture, CUresult result)
{
	capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
	return result;
}

/* The rule of cuThreadExchangeStreamCaptureMode: a capture of this thread forbids unless it is relaxed, one of
 * another thread forbids if it is global; and the thread can ask to be judged more mildly. */
CUresult emu_capture_check_unsafe(void)
{
	CUresult result = CUDA_SUCCESS;

	if (interaction == CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_SUCCESS;
	for (struct emu_capture *c = captures; c != NULL; c = c->next) {
		bool is_own = pthread_equal(c->thread, pthread_self());
		bool forbids = is_own ? c->mode != CU_STREAM_CAPTURE_MODE_RELAXED :
			c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && interaction == CU_STREAM_CAPTURE_MODE_GLOBAL;

		if (forbids)
			result = spoil(c, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
	}
	return result;
}

static bool is_blocking(const struct CUstream_st *stream)
{
	return (stream->flags & CU_STREAM_NON_BLOCKING) == 0;
}

/* The legacy stream waits for all blocking streams, which a captured one cannot be waited for. */
static CUresult check_legacy(const struct CUctx_st *context, bool spoils)
{
	CUresult result = CUDA_SUCCESS;

	for (struct CUstream_st *s = context->streams; s != NULL; s = s->next) {
		if (s->capture == NULL || !is_blocking(s))
			continue;
		result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
		if (spoils)
			spoil(s->capture, result);
	}
	return result;
}

CUresult emu_capture_check_legacy(struct CUctx_st *context)
{
	return check_legacy(context, true);
}

bool emu_capture_is_implied(const struct CUctx_st *context)
{
	return check_legacy(context, false) != CUDA_SUCCESS;
}

CUstreamCaptureMode emu_capture_exchange_mode(CUstreamCaptureMode mode)
{
	CUstreamCaptureMode previous = interaction;

	interaction = mode;
	return previous;
}

CUresult emu_capture_check_sync(struct CUstream_st *stream)
{
	if (stream->is_legacy)
		return emu_capture_check_legacy(stream->context);
	if (stream->capture == NULL)
		return CUDA_SUCCESS;
	return spoil(stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult emu_capture_add(struct CUstream_st *stream, const struct emu_work *work)
{
	struct CUgraphNode_st *node;
	CUresult result;

	if (stream->capture->status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	result = emu_graph_add(&node, stream->capture->graph, stream->tails, stream->tail_count, work);
	return result == CUDA_SUCCESS ? emu_stream_set_tails(stream, &node, 1) : result;
}

/* tails = tails + the event's nodes, each once. */
static CUresult unite(struct CUstream_st *stream, const struct CUevent_st *event)
{
	size_t count = stream->tail_count;
	struct CUgraphNode_st **all = calloc(count + event->node_count + 1, sizeof(struct CUgraphNode_st *));
	CUresult result;

	if (all == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (count > 0)
		memcpy(all, stream->tails, count * sizeof(struct CUgraphNode_st *));
	for (size_t i = 0; i < event->node_count; i++) {
		size_t k = 0;

		while (k < count && all[k] != event->nodes[i])
			k++;
		all[k] = event->nodes[i];
		count += k == count;
	}
	result = emu_stream_set_tails(stream, all, count);
	free(all);
	return result;
}

CUresult emu_capture_join(struct CUstream_st *stream, const struct CUevent_st *event)
{
	if (event->capture != NULL && !emu_capture_is_live(event->capture, event->capture_id))
		return CUDA_ERROR_CAPTURED_EVENT;
	if (stream->capture != NULL && stream->capture->status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
		return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	if (event->capture == NULL)
		return event->is_recorded ? spoil(stream->capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION) : CUDA_SUCCESS;
	if (stream->is_legacy)
		return spoil(event->capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
	if (stream->capture != NULL && stream->capture != event->capture) {
		spoil(stream->capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
		return spoil(event->capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
	}
	if (stream->capture == NULL)
		stream->tail_count = 0;
	stream->capture = event->capture;
	return unite(stream, event);
}

static CUresult begin(struct CUstream_st *stream, CUstreamCaptureMode mode)
{
	struct emu_capture *capture;

	if (mode != CU_STREAM_CAPTURE_MODE_GLOBAL && mode != CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
		mode != CU_STREAM_CAPTURE_MODE_RELAXED)
		return CUDA_ERROR_INVALID_VALUE;
	if (stream->is_legacy)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (stream->capture != NULL)
		return CUDA_ERROR_ILLEGAL_STATE;
	capture = calloc(1, sizeof(*capture));
	if (capture == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	capture->graph = emu_graph_create(stream->context);
	if (capture->graph == NULL) {
		free(capture);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	capture->graph->is_capturing = true;
	capture->origin = stream;
	capture->mode = mode;
	capture->status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
	capture->thread = pthread_self();
	capture->id = ++last_id;
	capture->next = captures;
	captures = capture;
	stream->capture = capture;
	stream->tail_count = 0;
	return CUDA_SUCCESS;
}

/* Marks the nodes that the origin's next work would wait for.  Edges lead to earlier nodes only, so one pass from the
 * latest node back reaches them all. */
static void mark_covered(const struct emu_capture *capture, const struct CUstream_st *origin)
{
	const struct CUgraph_st *graph = capture->graph;

	for (size_t i = 0; i < graph->node_count; i++)
		graph->nodes[i]->is_marked = false;
	for (size_t i = 0; i < origin->tail_count; i++)
		origin->tails[i]->is_marked = true;
	for (size_t i = graph->node_count; i-- > 0;) {
		for (size_t k = 0; graph->nodes[i]->is_marked && k < graph->nodes[i]->need_count; k++)
			graph->nodes[i]->needs[k]->is_marked = true;
	}
}

/* Whether all work of the streams that joined is waited for by the origin. */
static bool is_joined(const struct emu_capture *capture, const struct CUstream_st *origin)
{
	mark_covered(capture, origin);
	for (const struct CUstream_st *s = origin->context->streams; s != NULL; s = s->next) {
		for (size_t i = 0; s->capture == capture && i < s->tail_count; i++) {
			if (!s->tails[i]->is_marked)
				return false;
		}
	}
	return true;
}

/* Takes the capture out of the list and of its streams; the graph stays. */
static void dissolve(struct emu_capture *capture)
{
	struct emu_capture **link = &captures;

	for (struct CUstream_st *s = capture->graph->context->streams; s != NULL; s = s->next) {
		if (s->capture == capture) {
			s->capture = NULL;
			s->tail_count = 0;
		}
	}
	while (*link != NULL && *link != capture)
		link = &(*link)->next;
	if (*link != NULL)
		*link = capture->next;
	free(capture);
}

static CUresult end(struct CUgraph_st **graph, struct CUstream_st *stream)
{
	struct emu_capture *capture = stream->capture;
	CUresult result = CUDA_SUCCESS;

	*graph = NULL;
	if (capture == NULL)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (capture->origin != stream)
		return spoil(capture, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
	if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && !pthread_equal(capture->thread, pthread_self()))
		return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
	if (capture->status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
		result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
	else if (!is_joined(capture, stream))
		result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
	*graph = capture->graph;
	dissolve(capture);
	(*graph)->is_capturing = false;
	if (result != CUDA_SUCCESS) {
		emu_graph_free(*graph);
		*graph = NULL;
	}
	return result;
}

/* A stream that is destroyed spoils the capture that it takes part in; the origin ends it. */
void emu_capture_forget_stream(struct CUstream_st *stream)
{
	struct emu_capture *capture = stream->capture;

	if (capture == NULL)
		return;
	spoil(capture, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
	if (capture->origin == stream) {
		struct CUgraph_st *graph = capture->graph;

		dissolve(capture);
		emu_graph_free(graph);
	}
	stream->capture = NULL;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	struct CUstream_st *found;

	if (result == CUDA_SUCCESS)
		result = emu_stream_find(&found, stream);
	if (result == CUDA_SUCCESS)
		result = begin(found, mode);
	return emu_leave(result);
}

CUresult cuStreamBeginCapture(CUstream stream)
{
	return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);
	struct CUstream_st *found;

	if (result == CUDA_SUCCESS && graph == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = emu_stream_find(&found, stream);
	if (result == CUDA_SUCCESS)
		result = end(graph, found);
	return emu_leave(result);
}
