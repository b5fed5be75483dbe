/* SPDX-License-Identifier: MIT
 *
 * What can be asked about a capture.  Asking never spoils it.
 */
#include "driver.h"

static CUresult find(struct CUstream_st **found, const char *function, CUstream stream, const void *out)
{
	CUresult result = emu_enter(function, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && out == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = emu_stream_find(found, stream);
	if (result == CUDA_SUCCESS && (*found)->is_legacy && emu_capture_is_implied((*found)->context))
		result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
	return result;
}

static CUstreamCaptureStatus status_of(const struct CUstream_st *stream)
{
	return stream->capture == NULL ? CU_STREAM_CAPTURE_STATUS_NONE : stream->capture->status;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
	struct CUstream_st *found;
	CUresult result = find(&found, __func__, stream, status);

	if (result == CUDA_SUCCESS)
		*status = status_of(found);
	return emu_leave(result);
}

static void fill(const struct CUstream_st *stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
	const CUgraphNode **dependencies, size_t *count)
{
	*status = status_of(stream);
	if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
		return;
	if (id != NULL)
		*id = stream->capture->id;
	if (graph != NULL)
		*graph = stream->capture->graph;
	if (dependencies != NULL)
		*dependencies = stream->tails;
	if (count != NULL)
		*count = stream->tail_count;
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id)
{
	struct CUstream_st *found;
	CUresult result = find(&found, __func__, stream, status);

	if (result == CUDA_SUCCESS)
		fill(found, status, id, NULL, NULL, NULL);
	return emu_leave(result);
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
	const CUgraphNode **dependencies, size_t *count)
{
	struct CUstream_st *found;
	CUresult result = find(&found, __func__, stream, status);

	if (result == CUDA_SUCCESS)
		fill(found, status, id, graph, dependencies, count);
	return emu_leave(result);
}

/* Edges carry no data here: a programmatic launch is an ordinary dependency. */
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
	const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count)
{
	if (edges != NULL)
		*edges = NULL;
	return cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && mode == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*mode = emu_capture_exchange_mode(*mode);
	return emu_leave(result);
}
