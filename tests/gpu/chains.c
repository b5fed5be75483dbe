/* SPDX-License-Identifier: MIT
 *
 * Scans that feed each other with nothing between them: launches may overlap, so each must wait by itself for the
 * elements, the ticket and the tile words that the one before it leaves.
 */
#include <stdlib.h>
#include <string.h>

#include "../device.h"

#define LINKS 24

struct chain {
	struct test_device device;
	struct srt_workspace workspace;
	struct srt_kernel kernels[6];
	unsigned kernel_count;
	struct test_buffer start;
	struct test_buffer buffers[2];
	void *wanted;
	void *seen;
	uint64_t count;
};

/* Sums modulo 2^32 can be undone, so that a wrong element at any link shows at the end. */
static void compute_wanted(struct chain *chain, const struct srt_problem *problem, void *first)
{
	struct reference reference;

	reference_create(&reference, problem, REFERENCE_EXACT, chain->device.seed, chain->count);
	memcpy(first, reference.input, chain->count * 4);
	for (unsigned link = 1; link < LINKS; link++) {
		struct reference next;

		reference_create_from(&next, problem, reference.expected, false, chain->count);
		reference_destroy(&reference);
		reference = next;
	}
	memcpy(chain->wanted, reference.expected, chain->count * 4);
	reference_destroy(&reference);
}

static void begin(struct chain *chain, const char *const *variants, uint64_t count)
{
	struct srt_problem problem;
	void *first = malloc(count * 4);

	chain->count = count;
	chain->wanted = malloc(count * 4);
	chain->seen = malloc(count * 4);
	if (!first || !chain->wanted || !chain->seen)
		abort();
	test_problem(&problem, SCANRT_SUM, SCANRT_U32, SCANRT_U32, SCANRT_U32, false);
	compute_wanted(chain, &problem, first);
	test_buffer_create(&chain->start, &chain->device, count * 4, 0);
	test_buffer_create(&chain->buffers[0], &chain->device, count * 4, 0);
	test_buffer_create(&chain->buffers[1], &chain->device, count * 4, 4);
	test_upload(&chain->device, chain->start.address, first, count * 4);
	for (chain->kernel_count = 0; variants[chain->kernel_count]; chain->kernel_count++)
		test_kernel_create(
			&chain->kernels[chain->kernel_count], &chain->device, &problem, variants[chain->kernel_count]);
	free(first);
}

static void end(struct chain *chain)
{
	for (unsigned i = 0; i < chain->kernel_count; i++)
		test_kernel_destroy(&chain->kernels[i], &chain->device);
	test_buffer_destroy(&chain->start, &chain->device);
	test_buffer_destroy(&chain->buffers[0], &chain->device);
	test_buffer_destroy(&chain->buffers[1], &chain->device);
	free(chain->wanted);
	free(chain->seen);
}

/* Every third link works in place; the others go from one buffer to the other.  Returns where the end is. */
static CUdeviceptr launch_links(struct chain *chain, unsigned turn, CUstream stream)
{
	CUdeviceptr from = chain->start.address;
	unsigned side = 0;

	for (unsigned link = 0; link < LINKS; link++) {
		const struct srt_kernel *kernel = &chain->kernels[(link + turn) % chain->kernel_count];
		CUdeviceptr to = from;

		if (link % 3 != 1)
			to = chain->buffers[side ^= 1].address;
		test_need(srt_kernel_launch(
			kernel, chain->device.driver, &chain->workspace, to, from, chain->count, 0, stream));
		from = to;
	}
	return from;
}

static bool ends_right(struct chain *chain, CUdeviceptr address, CUstream stream)
{
	test_drive(&chain->device, cuStreamSynchronize, (stream));
	test_download(&chain->device, chain->seen, address, chain->count * 4);
	return memcmp(chain->seen, chain->wanted, chain->count * 4) == 0;
}

static bool plain_chains(struct chain *chain)
{
	unsigned rounds = test_rounds(&chain->device, 100, 2);
	bool passes = true;

	for (unsigned round = 0; round < rounds && passes; round++)
		passes = ends_right(chain, launch_links(chain, round, NULL), NULL);
	return passes;
}

static bool graph_chains(struct chain *chain)
{
	const struct test_device *device = &chain->device;
	unsigned rounds = test_rounds(device, 100, 2);
	CUgraphExec replayed;
	CUgraph graph;
	CUstream stream;
	CUdeviceptr address;
	bool passes = true;

	test_drive(device, cuStreamCreate, (&stream, CU_STREAM_NON_BLOCKING));
	test_drive(device, cuStreamBeginCapture, (stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	address = launch_links(chain, 1, stream);
	test_drive(device, cuStreamEndCapture, (stream, &graph));
	test_drive(device, cuGraphInstantiateWithFlags, (&replayed, graph, 0));
	for (unsigned round = 0; round < rounds && passes; round++) {
		test_drive(device, cuGraphLaunch, (replayed, stream));
		passes = ends_right(chain, address, stream);
	}
	test_drive(device, cuGraphExecDestroy, (replayed));
	test_drive(device, cuGraphDestroy, (graph));
	test_drive(device, cuStreamDestroy, (stream));
	return passes;
}

static void check(struct chain *chain, const char *const *variants, uint64_t count)
{
	begin(chain, variants, count);
	tap_ok(plain_chains(chain), "B113: %u scans of %llu elements by %s and others feed each other", LINKS,
		(unsigned long long)count, variants[0]);
	tap_ok(graph_chains(chain), "B113: and so they do as a graph");
	end(chain);
}

int main(void)
{
	static const char *const tiny[] = { "block,block=256,items=4", "block,block=64,items=16", NULL };
	static const char *const mixed[] = { "lookback,block=64,items=4", "lookahead,block=64,items=4,stages=3,ahead=2",
		"lookback,block=32,items=8,residency=1", "lookahead,block=128,items=8,stages=4,ahead=3", NULL };
	/* Each draws its first tickets while those before it may still run, from the word that they all draw from. */
	static const char *const tickets[] = { "totals,block=64,items=4", "lookahead,block=64,items=4,stages=3,ahead=2",
		"block,block=256,items=4", "lookback-serial,block=64,items=4", "totals,block=32,items=8,gather=1",
		NULL };
	static const char *const ahead[] = { "lookahead,block=256,items=16,stages=4,ahead=2", NULL };
	static const char *const back[] = { "lookback,block=256,items=8", NULL };
	static const char *const all[] = { "totals,block=512", "totals,block=256,items=8,gather=8", NULL };
	/* What L1 caches could keep from a launch before the one before. */
	static const char *const plain[] = { "block,block=256,items=4,load=plain", "block,block=64,items=16,load=plain",
		NULL };
	static const char *const passes[] = { "fan,block=64,items=4", "reduce,block=64,items=4",
		"reduce-fixed,block=64,items=4,partials=64", "lookback,block=64,items=4,load=plain", NULL };
	static const char *const raked[] = { "lookahead,block=128,items=12,gather=2,store=bulk", NULL };
	struct chain chain = { 0 };

	test_device_open(&chain.device);
	test_workspace_create(&chain.workspace, &chain.device, test_cap(&chain.device, 3000001));
	tap_plan(0);
	check(&chain, tiny, test_cap(&chain.device, 1000));
	check(&chain, mixed, test_cap(&chain.device, 5000));
	check(&chain, mixed, test_cap(&chain.device, 100003));
	check(&chain, tickets, test_cap(&chain.device, 900));
	check(&chain, tickets + 3, test_cap(&chain.device, 100003));
	check(&chain, ahead, test_cap(&chain.device, 3000001));
	check(&chain, all, test_cap(&chain.device, 700003));
	check(&chain, back, test_cap(&chain.device, 3000001));
	check(&chain, plain, test_cap(&chain.device, 1000));
	check(&chain, passes, test_cap(&chain.device, 5000));
	check(&chain, passes, test_cap(&chain.device, 100003));
	check(&chain, raked, test_cap(&chain.device, 1000003));
	srt_workspace_destroy(&chain.workspace, chain.device.driver);
	test_device_close(&chain.device);
	return tap_done();
}
