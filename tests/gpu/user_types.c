/* SPDX-License-Identifier: MIT
 *
 * Types and operators of the caller's: every size, with and without an identity, commutative or not, in every strategy
 * that takes them.  The operators are exact, so results are compared byte by byte.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernels/abi.h"
#include "../../lib/status.h"
#include "../../lib/heuristic.h"
#include "../device.h"
#include "../shape_scan.h"
#include "../span.h"

#define LARGE_BYTES 160

struct types {
	struct test_device device;
	struct srt_workspace workspace;
	struct srt_workspace initial; /* where plans would put an initial value that is large */
	unsigned used;
};

static bool counts_pass(struct types *types, const struct shape *shape, const struct srt_kernel *kernel)
{
	uint64_t tile = srt_variant_tile(&kernel->variant);
	bool is_wide = kernel->variant.store == SRT_ACCESS_PLACE;
	/* Values in place are gathered by batches of 32 tiles: two, and a part of the next. */
	uint64_t most = (shape->size > LARGE_BYTES ? 5 : is_wide ? 67 : 35) * tile + 3;
	uint64_t counts[] = { 1, tile - 1, tile + 1, 2 * tile, most };
	unsigned char *input;
	unsigned char *expected;
	bool passes = true;

	most = most < types->device.max_count ? most : types->device.max_count;
	most = most < srt_variant_max_count(&kernel->variant) ? most : srt_variant_max_count(&kernel->variant);
	input = malloc(most * shape->size);
	expected = malloc(most * shape->size);
	if (!input || !expected)
		abort();
	shape_fill(input, shape, types->device.seed + types->used, most);
	shape_scan(expected, &kernel->problem, shape, input, most);
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t count = counts[i] < most ? counts[i] : most;
		struct shape_scan scan = { shape, kernel, &types->workspace, input, expected, count, i % 4, i == 2, 0 };

		if (scan.count > 0)
			passes = shape_scan_passes(&types->device, &scan) && passes;
	}
	free(input);
	free(expected);
	return passes;
}

/* Small tiles: the scans of the emulated device are short. */
static void pick_variant(struct srt_variant *variant, const struct types *types, const struct srt_problem *problem)
{
	static const char *const knobs[] = { "block,block=96,items=", "lookback,block=64,items=",
		"lookahead,block=64,stages=3,ahead=2,gather=1,items=", "lookback,block=32,warp=shared,items=",
		"reduce,block=64,items=", "reduce-fixed,block=64,partials=8,items=", "fan,block=64,items=" };
	static const char *const wide[] = { "lookahead,block=64,stages=3,ahead=1,store=place,gather=1,items=3",
		"lookahead,block=32,stages=4,ahead=2,store=place,gather=3,teams=2,items=1" };
	static const char *const large[] = { "large,block=64,lanes=16,items=3", "large,block=96,lanes=8,items=2" };
	size_t size = srt_problem_size(problem, SRT_ACCUMULATOR);
	unsigned turn = types->used % 7;
	char text[SRT_VARIANT_TEXT_SIZE];

	if (size > LARGE_BYTES) {
		test_need(srt_variant_parse(variant, large[turn % 2 && size <= 2080]));
		return;
	}
	if (size > SCAN_WIDE_BYTES && (turn == 2 || turn == 3))
		snprintf(text, sizeof(text), "%s", wide[turn - 2]);
	else
		snprintf(text, sizeof(text), "%s%d", knobs[turn], srt_problem_vector(problem) * (size <= 24 ? 2 : 1));
	test_need(srt_variant_parse(variant, text));
}

static void shape_passes(struct types *types, const struct shape *base, bool is_commutative, bool has_identity)
{
	struct shape shape = *base;
	struct srt_problem problem;
	struct srt_variant variant;
	struct srt_kernel kernel;
	struct srt_strbuf text = { 0 };
	bool is_exclusive = types->used % 3 == 1;

	shape.is_commutative = is_commutative;
	shape.has_identity = has_identity;
	shape.has_result = types->used % 2;
	shape_problem(&problem, &shape, is_exclusive, types->used % 5 == 3);
	if (problem.has_initial && shape.size > sizeof(problem.initial)) {
		test_upload(&types->device, types->initial.address, problem.user->initial, shape.size);
		problem.initial_on_device = (const void *)(uintptr_t)types->initial.address;
	}
	pick_variant(&variant, types, &problem);
	srt_variant_format(&text, &variant);
	if (test_kernel_try(&kernel, &types->device, &problem, &variant, SRT_CODEGEN_AUTO)) {
		tap_ok(false, "%zu bytes: %s: %s", shape.size, srt_strbuf_text(&text), srt_error_last()->text);
	} else {
		tap_ok(counts_pass(types, &shape, &kernel), "%s%zu bytes, %s%s, %s identity%s: %s",
			shape.size >= LARGE_BYTES ? "B075 B076: " : "", shape.size,
			is_commutative ? "" : "B020: not ", is_commutative ? "commutative" : "commutative",
			has_identity ? "with" : "no", is_exclusive ? ", exclusive" : "", srt_strbuf_text(&text));
		test_kernel_destroy(&kernel, &types->device);
	}
	types->used++;
	srt_strbuf_free(&text);
	srt_problem_free(&problem);
}

/* With an initial value and without one, of elements that are converted or lie in the arrays themselves. */
static void only_neighbours(struct types *types, size_t size, const char *variant, bool is_converted, bool has_initial)
{
	uint32_t start[SCANRT_USER_BYTES_MAX / 4] = { SPAN_MAGIC, 0, 0 };
	struct srt_problem problem;
	struct srt_kernel kernel;
	bool passes = true;

	span_problem(&problem, size, is_converted, has_initial ? start : NULL);
	test_upload(&types->device, types->initial.address, start, size);
	if (has_initial)
		problem.initial_on_device = (const void *)(uintptr_t)types->initial.address;
	test_kernel_create(&kernel, &types->device, &problem, variant);
	for (uint64_t count = 1; count < 3000 && count <= srt_variant_max_count(&kernel.variant); count = 3 * count + 5)
		passes = span_passes(&types->device, &kernel, &types->workspace, count) && passes;
	tap_ok(passes, "B079, B081: %s: an operator on %zu bytes sees real, adjacent parts only%s", variant, size,
		has_initial ? "" : ", without an initial value");
	test_kernel_destroy(&kernel, &types->device);
	srt_problem_free(&problem);
}

/* Elements that are aligned to less than their size may begin within what a bulk store's vector would hold of them; and
 * a tile's last one may end with the last that was copied. */
static void places_pass(struct types *types, size_t size, size_t alignment, const char *store)
{
	struct shape shape = { .size = size, .alignment = alignment, .has_identity = true };
	struct srt_problem problem;
	struct srt_kernel kernel;
	size_t items = size > 16 ? 3 : 2 * (16 / size);
	/* Of which the input has half. */
	uint64_t skews = (strcmp(store, "bulk") == 0 ? 16 : 32) / alignment;
	uint64_t count = 5 * 64 * items + 3;
	unsigned char *input = malloc(count * size), *expected = malloc(count * size);
	char variant[SRT_VARIANT_TEXT_SIZE];
	bool passes = true;

	if (!input || !expected)
		abort();
	snprintf(variant, sizeof(variant), "lookahead,block=64,stages=3,ahead=1,store=%s,items=%zu", store, items);
	shape_problem(&problem, &shape, false, false);
	test_kernel_create(&kernel, &types->device, &problem, variant);
	shape_fill(input, &shape, types->device.seed, count);
	shape_scan(expected, &problem, &shape, input, count);
	for (uint64_t skew = 0; skew < skews && passes; skew++) {
		struct shape_scan scan = { &shape, &kernel, &types->workspace, input, expected, count, skew,
			skew % 3 == 1, 0 };

		passes = shape_scan_passes(&types->device, &scan);
	}
	tap_ok(passes, "%zu bytes, aligned to %zu, wherever the arrays lie: %s", size, alignment, variant);
	test_kernel_destroy(&kernel, &types->device);
	srt_problem_free(&problem);
	free(input);
	free(expected);
}

static void all_neighbours(struct types *types)
{
	only_neighbours(types, 32, "block,block=96,items=8", true, true);
	only_neighbours(types, 32, "lookback,block=64,items=8", true, true);
	only_neighbours(types, 48, "lookahead,block=64,items=4,stages=3,ahead=2,gather=1", true, true);
	/* Several rows; and several batches of 32 tiles. */
	only_neighbours(types, 48, "lookahead,block=32,items=8,stages=3,ahead=2,gather=1", true, false);
	only_neighbours(types, 32, "lookahead,block=32,items=1,stages=3,ahead=1,gather=2", false, true);
	only_neighbours(types, 32, "reduce,block=64,items=8", true, true);
	only_neighbours(types, 48, "reduce-fixed,block=64,items=4,partials=8", true, true);
	only_neighbours(types, 32, "fan,block=64,items=4", true, true);
	only_neighbours(types, 48, "fan,block=32,items=2", false, false);
	only_neighbours(types, 32, "cluster,block=64,items=8,cluster=4", true, true);
	only_neighbours(types, 48, "lookahead,block=32,items=1,stages=4,ahead=2,store=place,gather=2", false, true);
	only_neighbours(types, 64, "lookahead,block=64,items=3,stages=3,ahead=1,store=place", false, false);
	only_neighbours(types, 16, "lookahead,block=64,items=12,stages=3,ahead=1,store=bulk", true, false);
	only_neighbours(types, 32, "lookahead,block=64,items=3,stages=3,ahead=1,store=bulk", false, false);
	only_neighbours(types, 16, "block,block=64,items=12,store=bulk", true, true);
	only_neighbours(types, 16, "block,block=96,items=4,warp=shared", true, false);
	only_neighbours(types, 16, "block,block=96,items=4,circuit=koggestone", true, false);
	only_neighbours(types, 16, "block,block=96,items=4,circuit=brentkung", true, false);
	only_neighbours(types, 16, "block,block=96,items=4,circuit=brentkung-inplace", true, false);
	only_neighbours(types, 16, "block,block=96,items=4,circuit=raking,fan=4", true, false);
	only_neighbours(types, 16, "lookback-serial,block=64,items=4", true, false);
	only_neighbours(types, 16, "totals,block=64,items=12,gather=1,store=bulk", true, true);
	only_neighbours(types, 32, "totals,block=64,items=3,gather=1,store=bulk", false, true);
	only_neighbours(types, 512, "large,block=64,items=3,lanes=2", true, true);
}

int main(void)
{
	struct types types = { 0 };
	const struct shape *shape;
	const char *only = getenv("SCANRT_TEST_SIZE"); /* one size, for whoever looks for a fault */

	test_device_open(&types.device);
	tap_plan(0);
	test_need(srt_workspace_create(&types.workspace, types.device.driver, 8 << 20));
	test_need(srt_workspace_create(&types.initial, types.device.driver, SCANRT_USER_BYTES_MAX));
	bool is_all = !test_is_small(&types.device) || only || getenv("SCANRT_TEST_ALL");

	for (shape = shapes; shape->size; shape++) {
		if (only && strtoul(only, NULL, 0) != shape->size)
			continue;
		/* The emulated device takes half of the ways of each size, by turns, unless it is told to take all. */
		for (int way = 0; way < 4; way++)
			if ((!is_all && ((way ^ way >> 1) & 1) == (shape - shapes) % 2) ||
				!test_takes_next(&types.device))
				types.used++;
			else
				shape_passes(&types, shape, way & 1, way & 2);
	}
	for (size_t size = 2; size <= 16 && !only; size *= 2)
		for (size_t alignment = 1; alignment < size; alignment *= 2)
			if (test_takes_next(&types.device))
				places_pass(&types, size, alignment, "bulk");
	for (size_t alignment = 1; alignment <= 16 && (!only || strtoul(only, NULL, 0) == 32); alignment *= 4)
		if (test_takes_next(&types.device))
			places_pass(&types, 32, alignment, "bulk");
	if ((!only || strtoul(only, NULL, 0) == 14) && test_takes_next(&types.device))
		places_pass(&types, 14, 1, "stream");
	if (!only && test_takes_next(&types.device))
		all_neighbours(&types);
	srt_workspace_destroy(&types.initial, types.device.driver);
	srt_workspace_destroy(&types.workspace, types.device.driver);
	test_device_close(&types.device);
	return tap_done();
}
