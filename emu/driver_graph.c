/* SPDX-License-Identifier: MIT
 *
 * Graphs: nodes, instantiation, launch.  An edge always leads to an earlier node, so the order of creation is an
 * order of execution.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st *emu_graph_create(struct CUctx_st *context)
{
	struct CUgraph_st *graph = calloc(1, sizeof(*graph));

	if (graph == NULL || !emu_handle_add(EMU_HANDLE_GRAPH, graph)) {
		free(graph);
		return NULL;
	}
	graph->context = context;
	return graph;
}

static void free_node(struct CUgraphNode_st *node)
{
	emu_handle_remove(node);
	emu_work_free(&node->work);
	free(node->needs);
	free(node);
}

/* Nobody else owns a node: those who captured have forgotten it, and executable graphs have copies. */
void emu_graph_free(struct CUgraph_st *graph)
{
	for (size_t i = 0; i < graph->node_count; i++)
		free_node(graph->nodes[i]);
	emu_handle_remove(graph);
	free(graph->nodes);
	free(graph);
}

static bool grow(struct CUgraph_st *graph)
{
	size_t capacity = graph->node_capacity == 0 ? 16 : graph->node_capacity * 2;
	struct CUgraphNode_st **nodes;

	if (graph->node_count < graph->node_capacity)
		return true;
	nodes = realloc(graph->nodes, capacity * sizeof(struct CUgraphNode_st *));
	if (nodes == NULL)
		return false;
	graph->nodes = nodes;
	graph->node_capacity = capacity;
	return true;
}

/* The node is complete before anyone can see it, so that a failure leaves the graph as it was. */
CUresult emu_graph_add(struct CUgraphNode_st **node, struct CUgraph_st *graph, struct CUgraphNode_st *const *needs,
	size_t need_count, const struct emu_work *work)
{
	struct CUgraphNode_st *made = calloc(1, sizeof(*made));

	if (made == NULL || !grow(graph))
		goto out;
	made->needs = calloc(need_count + 1, sizeof(struct CUgraphNode_st *));
	if (made->needs == NULL || !emu_handle_add(EMU_HANDLE_NODE, made))
		goto out;
	if (!emu_work_copy(&made->work, work))
		goto out;
	if (need_count > 0)
		memcpy(made->needs, needs, need_count * sizeof(struct CUgraphNode_st *));
	made->need_count = need_count;
	made->graph = graph;
	graph->nodes[graph->node_count++] = made;
	*node = made;
	return CUDA_SUCCESS;
out:
	if (made != NULL)
		free_node(made);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && (graph == NULL || flags != 0))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		*graph = emu_graph_create(emu_context_current());
		result = *graph == NULL ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
	}
	return emu_leave(result);
}

/* A graph may be destroyed whatever became of its context. */
CUresult cuGraphDestroy(CUgraph graph)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && (!emu_handle_is(EMU_HANDLE_GRAPH, graph) || graph->is_capturing))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		emu_graph_free(graph);
	return emu_leave(result);
}

static void free_exec(struct CUgraphExec_st *exec)
{
	for (size_t i = 0; i < exec->work_count; i++)
		emu_work_free(&exec->works[i]);
	emu_handle_remove(exec);
	free(exec->works);
	free(exec);
}

/* All or nothing. */
static CUresult copy_works(struct emu_work **works, const struct CUgraph_st *graph)
{
	size_t done = 0;

	*works = calloc(graph->node_count + 1, sizeof(struct emu_work));
	while (*works != NULL && done < graph->node_count && emu_work_copy(&(*works)[done], &graph->nodes[done]->work))
		done++;
	if (*works != NULL && done == graph->node_count)
		return CUDA_SUCCESS;
	for (size_t i = 0; *works != NULL && i < done; i++)
		emu_work_free(&(*works)[i]);
	free(*works);
	*works = NULL;
	return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult instantiate(CUgraphExec *exec, const struct CUgraph_st *graph)
{
	struct CUgraphExec_st *made;
	CUresult result;

	if (exec == NULL || !emu_handle_is(EMU_HANDLE_GRAPH, graph) || graph->is_capturing)
		return CUDA_ERROR_INVALID_VALUE;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->context = graph->context;
	result = copy_works(&made->works, graph);
	made->work_count = result == CUDA_SUCCESS ? graph->node_count : 0;
	if (result == CUDA_SUCCESS && !emu_handle_add(EMU_HANDLE_EXEC, made))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (result != CUDA_SUCCESS)
		free_exec(made);
	else
		*exec = made;
	return result;
}

/* The flags speak of memory nodes, uploads, launches from the device and priorities, of which we have none; they are
 * accepted as far as they are defined. */
CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && (flags & ~15ull) != 0)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = instantiate(exec, graph);
	return emu_leave(result);
}

/* Before 12.0 an error came back as a node and a text; ours need neither. */
CUresult cuGraphInstantiate_v2(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t size)
{
	if (error_node != NULL)
		*error_node = NULL;
	if (log != NULL && size > 0)
		*log = '\0';
	return cuGraphInstantiateWithFlags(exec, graph, 0);
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, CUgraphNode *error_node, char *log, size_t size)
{
	return cuGraphInstantiate_v2(exec, graph, error_node, log, size);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *parameters)
{
	CUresult result;

	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	result = cuGraphInstantiateWithFlags(exec, graph, parameters->flags);
	parameters->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
	parameters->hErrNode_out = NULL;
	return result;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_EXEC, exec))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		free_exec(exec);
	return emu_leave(result);
}

/* A graph that is launched into a capture becomes part of it.  Else each piece of work runs as in a stream, but costs a
 * graph's launch latency and no host time of its own. */
static CUresult launch(const struct CUgraphExec_st *exec, struct CUstream_st *stream)
{
	CUresult result = CUDA_SUCCESS;

	if (stream->capture != NULL) {
		for (size_t i = 0; i < exec->work_count && result == CUDA_SUCCESS; i++)
			result = emu_capture_add(stream, &exec->works[i]);
		return result;
	}
	if (stream->is_legacy)
		result = emu_capture_check_legacy(stream->context);
	if (result == CUDA_SUCCESS)
		emu_clock_enqueue(stream);
	/* A fault is reported by the next call, but nothing runs after it. */
	for (size_t i = 0; i < exec->work_count && result == CUDA_SUCCESS; i++) {
		if (stream->context->sticky == CUDA_SUCCESS)
			result = emu_work_run(stream, &exec->works[i], true);
	}
	return result;
}

/* Enters, and resolves the stream that an executable graph goes to. */
static CUresult enter_exec(struct CUstream_st **found, const char *function, CUgraphExec exec, CUstream stream)
{
	CUresult result = emu_enter(function, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_EXEC, exec))
		result = CUDA_ERROR_INVALID_VALUE;
	return result == CUDA_SUCCESS ? emu_stream_find(found, stream) : result;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	struct CUstream_st *found;
	CUresult result = enter_exec(&found, __func__, exec, stream);

	return emu_leave(result == CUDA_SUCCESS ? launch(exec, found) : result);
}

/* Everything is on the device already. */
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream)
{
	struct CUstream_st *found;

	return emu_leave(enter_exec(&found, __func__, exec, stream));
}
