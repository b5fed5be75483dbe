/* SPDX-License-Identifier: MIT
 *
 * Building a graph by hand, looking at one, and updating an executable one.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

/* A node may need nodes of its own graph only, which are older than it. */
static CUresult check_new(const void *node, const struct CUgraph_st *graph, const CUgraphNode *needs, size_t count)
{
	if (node == NULL || !emu_handle_is(EMU_HANDLE_GRAPH, graph) || (needs == NULL && count > 0))
		return CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; i < count; i++) {
		if (!emu_handle_is(EMU_HANDLE_NODE, needs[i]) || needs[i]->graph != graph)
			return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count)
{
	struct emu_work work = { .kind = EMU_WORK_EMPTY };
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = check_new(node, graph, needs, count);
	if (result == CUDA_SUCCESS)
		result = emu_graph_add(node, graph, needs, count, &work);
	return emu_leave(result);
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count,
	const CUDA_HOST_NODE_PARAMS *parameters)
{
	struct emu_work work = { .kind = EMU_WORK_HOST };
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = check_new(node, graph, needs, count);
	if (result == CUDA_SUCCESS && (parameters == NULL || parameters->fn == NULL))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		work.host_function = parameters->fn;
		work.host_data = parameters->userData;
		result = emu_graph_add(node, graph, needs, count, &work);
	}
	return emu_leave(result);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count,
	const CUDA_MEMSET_NODE_PARAMS *parameters, CUcontext context)
{
	struct emu_work work = { .kind = EMU_WORK_MEMSET };
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	(void)context;
	if (result == CUDA_SUCCESS)
		result = check_new(node, graph, needs, count);
	if (result == CUDA_SUCCESS && parameters == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		work.memset = (struct emu_memset){ parameters->dst, parameters->value, parameters->elementSize,
			parameters->width, parameters->height, parameters->pitch };
		result = emu_memset_check(&work.memset);
	}
	if (result == CUDA_SUCCESS)
		result = emu_graph_add(node, graph, needs, count, &work);
	return emu_leave(result);
}

/* The first seven members of both versions of the parameters, then kernelParams and extra.  What these do not say is as
 * in the launch before, if there is one. */
static CUresult kernel_work(struct emu_work *work, const struct emu_kernel_launch *before,
	const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)
{
	struct emu_kernel_launch *launch = &work->launch;

	*work = (struct emu_work){ .kind = EMU_WORK_KERNEL };
	for (int i = 0; before != NULL && i < 3; i++)
		launch->cluster[i] = before->cluster[i];
	launch->is_cooperative = before != NULL && before->is_cooperative;
	launch->function = parameters->func;
	launch->grid[0] = parameters->gridDimX;
	launch->grid[1] = parameters->gridDimY;
	launch->grid[2] = parameters->gridDimZ;
	launch->block[0] = parameters->blockDimX;
	launch->block[1] = parameters->blockDimY;
	launch->block[2] = parameters->blockDimZ;
	launch->shared_bytes = parameters->sharedMemBytes;
	return emu_kernel_prepare(launch, parameters->kernelParams, parameters->extra);
}

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count,
	const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)
{
	struct emu_work work = { .kind = EMU_WORK_EMPTY };
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS)
		result = check_new(node, graph, needs, count);
	if (result == CUDA_SUCCESS && parameters == NULL)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = kernel_work(&work, NULL, parameters);
	if (result == CUDA_SUCCESS)
		result = emu_graph_add(node, graph, needs, count, &work);
	emu_work_free(&work);
	return emu_leave(result);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *needs, size_t count,
	const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
	CUDA_KERNEL_NODE_PARAMS_v1 first;

	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&first, parameters, sizeof(first)); /* the second version adds members at the end */
	return cuGraphAddKernelNode(node, graph, needs, count, &first);
}

/* As the API has it: without an array, asks for the count; with one, fills it and the rest with NULL. */
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && (count == NULL || !emu_handle_is(EMU_HANDLE_GRAPH, graph)))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		for (size_t i = 0; nodes != NULL && i < *count; i++)
			nodes[i] = i < graph->node_count ? graph->nodes[i] : NULL;
		if (nodes == NULL || *count > graph->node_count)
			*count = graph->node_count;
	}
	return emu_leave(result);
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
	static const CUgraphNodeType types[] = {
		[EMU_WORK_KERNEL] = CU_GRAPH_NODE_TYPE_KERNEL, [EMU_WORK_MEMSET] = CU_GRAPH_NODE_TYPE_MEMSET,
		[EMU_WORK_MEMCPY] = CU_GRAPH_NODE_TYPE_MEMCPY, [EMU_WORK_HOST] = CU_GRAPH_NODE_TYPE_HOST,
		[EMU_WORK_EMPTY] = CU_GRAPH_NODE_TYPE_EMPTY,
	};
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && (type == NULL || !emu_handle_is(EMU_HANDLE_NODE, node)))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		*type = types[node->work.kind];
	return emu_leave(result);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *needs, size_t *count)
{
	CUresult result = emu_enter(__func__, EMU_NEED_INIT);

	if (result == CUDA_SUCCESS && (count == NULL || !emu_handle_is(EMU_HANDLE_NODE, node)))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS) {
		for (size_t i = 0; needs != NULL && i < *count; i++)
			needs[i] = i < node->need_count ? node->needs[i] : NULL;
		if (needs == NULL || *count > node->need_count)
			*count = node->need_count;
	}
	return emu_leave(result);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *needs, CUgraphEdgeData *edges, size_t *count)
{
	if (edges != NULL)
		return CUDA_ERROR_LOSSY_QUERY; /* edges carry no data here */
	return cuGraphNodeGetDependencies(node, needs, count);
}

/* A graph of the same shape replaces the work; another shape changes nothing. */
static CUresult update(struct CUgraphExec_st *exec, const struct CUgraph_st *graph)
{
	if (exec->work_count != graph->node_count)
		return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	for (size_t i = 0; i < exec->work_count; i++) {
		if (exec->works[i].kind != graph->nodes[i]->work.kind)
			return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
	}
	for (size_t i = 0; i < exec->work_count; i++) {
		struct emu_work copy;

		if (!emu_work_copy(&copy, &graph->nodes[i]->work))
			return CUDA_ERROR_OUT_OF_MEMORY;
		emu_work_free(&exec->works[i]);
		exec->works[i] = copy;
	}
	return CUDA_SUCCESS;
}

static CUresult update_checked(CUgraphExec exec, CUgraph graph)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_EXEC, exec))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_GRAPH, graph))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = update(exec, graph);
	return emu_leave(result);
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *error_node, CUgraphExecUpdateResult *outcome)
{
	CUresult result = update_checked(exec, graph);

	if (error_node != NULL)
		*error_node = NULL;
	if (outcome != NULL)
		*outcome = result == CUDA_SUCCESS ? CU_GRAPH_EXEC_UPDATE_SUCCESS :
			CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	return result;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info)
{
	CUresult result = update_checked(exec, graph);

	if (info != NULL) {
		memset(info, 0, sizeof(*info));
		info->result = result == CUDA_SUCCESS ? CU_GRAPH_EXEC_UPDATE_SUCCESS :
			CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
	}
	return result;
}

/* The kernel that the node's graph had when it was instantiated; its clusters stay as they are. */
static CUresult set_kernel(struct CUgraphExec_st *exec, const struct CUgraphNode_st *node,
	const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)
{
	struct emu_work work = { .kind = EMU_WORK_EMPTY };
	struct emu_work *old = NULL;
	CUresult result;

	for (size_t i = 0; i < exec->work_count && i < node->graph->node_count; i++)
		if (node->graph->nodes[i] == node)
			old = &exec->works[i];
	if (old == NULL || old->kind != EMU_WORK_KERNEL || old->launch.function != parameters->func)
		return CUDA_ERROR_INVALID_VALUE;
	result = kernel_work(&work, &old->launch, parameters);
	if (result != CUDA_SUCCESS) {
		emu_work_free(&work);
		return result;
	}
	emu_work_free(old);
	*old = work;
	return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(
	CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *parameters)
{
	CUresult result = emu_enter(__func__, EMU_NEED_CONTEXT);

	if (result == CUDA_SUCCESS && (!emu_handle_is(EMU_HANDLE_EXEC, exec) || parameters == NULL))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !emu_handle_is(EMU_HANDLE_NODE, node))
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS)
		result = set_kernel(exec, node, parameters);
	return emu_leave(result);
}

CUresult cuGraphExecKernelNodeSetParams_v2(
	CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *parameters)
{
	CUDA_KERNEL_NODE_PARAMS_v1 first;

	if (parameters == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(&first, parameters, sizeof(first));
	return cuGraphExecKernelNodeSetParams(exec, node, &first);
}
