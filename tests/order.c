/* SPDX-License-Identifier: MIT */
#include "order.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reference.h"

#define WARP 32

/* What comes before an element: perhaps nothing. */
struct before {
	struct element value;
	bool is_present;
};

struct order {
	const struct srt_problem *problem;
	const struct order_shape *shape;
	const void *input;
	void *results;
	uint64_t count;
	struct element *tiles; /* the combination of each tile that is full */
};

static struct element apply(const struct order *order, struct element earlier, struct element later)
{
	int type = order->problem->accumulator_type;

	return element_convert(type, type, reference_apply(order->problem->op, type, earlier, later));
}

static struct before join(const struct order *order, struct before earlier, struct element later)
{
	struct before result = { later, true };

	if (earlier.is_present)
		result.value = apply(order, earlier.value, later);
	return result;
}

static struct element load(const struct order *order, uint64_t index)
{
	return element_convert(order->problem->input_type, order->problem->accumulator_type,
		element_load(order->problem->input_type, order->input, index));
}

/* Kogge and Stone's scan: in step s each value is combined with that 2^s places before it. */
static void scan_values(const struct order *order, struct element *values, int count)
{
	for (int reach = 1; reach < WARP; reach *= 2)
		for (int i = count - 1; i >= reach; i--)
			values[i] = apply(order, values[i - reach], values[i]);
}

/* A tree: in step s each value is combined with that 2^s places behind it. */
static struct element reduce_values(const struct order *order, const struct element *values, int count)
{
	struct element tree[WARP];

	for (int i = 0; i < count; i++)
		tree[i] = values[i];
	for (int reach = 1; reach < WARP; reach *= 2)
		for (int i = 0; i + reach < count; i++)
			tree[i] = apply(order, tree[i], tree[i + reach]);
	return tree[0];
}

/* A lane's run: its vectors one after the other, each from its first element to its last. */
static struct element reduce_run(const struct order *order, uint64_t first)
{
	struct element total = { 0, 0, 0 };

	for (int at = 0; at < order->shape->run; at += order->shape->vector) {
		struct element sum = load(order, first + (uint64_t)at);

		for (int i = 1; i < order->shape->vector; i++)
			sum = apply(order, sum, load(order, first + (uint64_t)(at + i)));
		total = at > 0 ? apply(order, total, sum) : sum;
	}
	return total;
}

static void store(const struct order *order, uint64_t index, struct element value)
{
	int type = order->problem->output_type;

	element_store(type, order->results, index,
		element_convert(order->problem->accumulator_type, type, value));
}

/* As far as there are elements. */
static void scan_run(const struct order *order, struct before before, uint64_t first)
{
	const struct srt_problem *problem = order->problem;
	uint64_t end = first + (uint64_t)order->shape->run;

	for (uint64_t i = first; i < end && i < order->count; i++) {
		struct before after = join(order, before, load(order, i));

		if (!problem->is_exclusive)
			store(order, i, after.value);
		else
			store(order, i, before.is_present ? before.value :
				reference_identity(problem->op, problem->accumulator_type));
		before = after;
	}
}

/* The runs of a warp, behind what comes before them; returns the combination of all, if all are full. */
static struct element scan_slice(const struct order *order, struct before before, uint64_t first)
{
	uint64_t run = (uint64_t)order->shape->run;
	struct element lanes[WARP] = { { 0, 0, 0 } };
	int full = 0;

	while (full < WARP && first + run * (uint64_t)(full + 1) <= order->count) {
		lanes[full] = reduce_run(order, first + run * (uint64_t)full);
		full++;
	}
	scan_values(order, lanes, full);
	for (int lane = 0; lane < WARP && lane <= full; lane++)
		scan_run(order, lane > 0 ? join(order, before, lanes[lane - 1]) : before, first + run * (uint64_t)lane);
	return lanes[WARP - 1];
}

static void scan_tile(const struct order *order, struct before prefix, uint64_t tile)
{
	uint64_t slice = (uint64_t)order->shape->run * WARP;
	struct element totals[WARP];
	struct element scanned[WARP];
	int warps = order->shape->lanes / WARP;
	uint64_t first = tile * slice * (uint64_t)warps;

	for (int warp = 0; warp < warps && first < order->count; warp++, first += slice) {
		struct before before = prefix;

		for (int i = 0; i < warp; i++)
			scanned[i] = totals[i];
		scan_values(order, scanned, warp);
		if (warp > 0)
			before = join(order, prefix, scanned[warp - 1]);
		totals[warp] = scan_slice(order, before, first);
		if (warp + 1 == warps)
			order->tiles[tile] = reduce_values(order, totals, warps);
	}
}

void order_scan(void *results, const struct srt_problem *problem, const struct order_shape *shape, const void *input,
	uint64_t count)
{
	uint64_t size = (uint64_t)shape->lanes * (uint64_t)shape->run;
	uint64_t tiles = (count + size - 1) / size;
	struct order order = { problem, shape, input, results, count, calloc(tiles + 1, sizeof(struct element)) };
	struct before batches = { { 0, 0, 0 }, problem->has_initial };

	assert(shape->lanes % WARP == 0 && shape->lanes <= WARP * WARP);
	if (!order.tiles)
		abort();
	if (problem->has_initial)
		batches.value = element_load(problem->accumulator_type, problem->initial, 0);
	for (uint64_t tile = 0; tile < tiles; tile++) {
		const struct element *batch = order.tiles + tile / WARP * WARP;
		struct before prefix;

		if (tile % WARP == 0 && tile > 0)
			batches = join(&order, batches, reduce_values(&order, batch - WARP, WARP));
		prefix = batches;
		if (tile % WARP > 0)
			prefix = join(&order, batches, reduce_values(&order, batch, (int)(tile % WARP)));
		scan_tile(&order, prefix, tile);
	}
	free(order.tiles);
}
