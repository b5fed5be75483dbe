/* SPDX-License-Identifier: MIT
 *
 * SCANRT_REPRODUCIBLE's order of combination, which is promised for ever: every result has the bits that the host gets
 * in that order, on every device, for every count, wherever arrays lie, however many blocks run, and with any value of
 * the knobs that may differ from device to device.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/heuristic.h"
#include "../device.h"
#include "../order.h"

#define LANES 256
#define VECTORS 7 /* of 16 bytes, that a lane has; 5 where results are narrower than elements */

struct order_case {
	int op;
	int types[3];
	bool is_exclusive;
	bool has_initial;
};

static const struct order_case cases[] = {
	{ SCANRT_SUM, { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, false, false },
	{ SCANRT_SUM, { SCANRT_F64, SCANRT_F64, SCANRT_F64 }, true, true },
	{ SCANRT_SUM, { SCANRT_F16, SCANRT_F32, SCANRT_F32 }, true, false },
	{ SCANRT_SUM, { SCANRT_F64, SCANRT_F64, SCANRT_F32 }, false, false },
	{ SCANRT_SUM, { SCANRT_F16, SCANRT_F32, SCANRT_F16 }, true, false },
	{ SCANRT_SUM, { SCANRT_F16, SCANRT_F16, SCANRT_F16 }, false, false },
	{ SCANRT_PROD, { SCANRT_F32, SCANRT_F64, SCANRT_F32 }, false, true },
};

#define SMALL_CASES 4 /* the first ones, where compiling takes longer than scanning */

/* Small tiles, so that there are many: the same order as far as it is one of tiles. */
static const char *const free_knobs[] = {
	"lookahead,block=64,items=8,store=bulk,stages=4,ahead=2,gather=2",
	"lookahead,block=64,items=8,store=bulk,stages=2,ahead=1,gather=1,warp=shared,load=plain",
	"lookahead,block=64,items=8,store=bulk,stages=3,ahead=2,gather=8,residency=2",
	"lookahead,block=64,items=8,store=bulk,stages=6,ahead=1,gather=3",
	"totals,block=64,items=8,store=bulk,gather=1",
	"totals,block=64,items=8,store=bulk,gather=3,warp=shared,load=plain,residency=2",
};

/* The reference's expected results become those of the order, to be met bit for bit. */
static void create_reference(
	struct reference *reference, const struct order_case *at, const struct order_shape *shape, uint64_t count)
{
	struct srt_problem problem;
	void *input;

	test_problem(&problem, at->op, at->types[0], at->types[1], at->types[2], at->is_exclusive);
	if (at->has_initial)
		test_problem_set_initial(&problem, 1);
	input = malloc(count * srt_type_size(at->types[0]));
	if (!input)
		abort();
	reference_fill(input, &problem, REFERENCE_REAL, 1, count);
	reference_create_from(reference, &problem, input, false, count);
	order_scan(reference->expected, &problem, shape, input, count);
	free(input);
}

static bool passes(const struct test_device *device, struct test_scan *scan, uint64_t count, uint32_t grid)
{
	bool is_right;

	scan->count = count;
	scan->grid_limit = grid;
	tap_case("%" PRIu64 " elements by %" PRIu32 " blocks (0: all), +%" PRIu64 " to +%" PRIu64 "%s", count, grid,
		scan->skip_in, scan->skip_out, scan->is_in_place ? ", in place" : "");
	is_right = test_scan_passes(device, scan);
	tap_case(NULL);
	return is_right;
}

/* Other places and other numbers of blocks; the counts end within a vector, a run, a slice and a tile. */
static bool all_pass(const struct test_device *device, struct test_scan *scan, uint64_t tile)
{
	const uint64_t limit = srt_variant_max_count(&scan->kernel->variant);
	const uint64_t most = scan->reference->count < limit ? scan->reference->count : limit;
	const uint64_t counts[] = { most, 1, tile - 1, tile + 1, most - tile / 3, most / 2, 37 };
	const struct srt_problem *problem = &scan->reference->problem;
	const bool can_be_in_place = srt_type_size(problem->input_type) == srt_type_size(problem->output_type);
	bool are_right = true;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && are_right; i++) {
		scan->skip_in = i % 3;
		scan->skip_out = i / 2 % 2;
		scan->is_in_place = can_be_in_place && i % 4 == 3;
		if (counts[i] <= most)
			are_right = passes(device, scan, counts[i], (uint32_t)(i % 4));
	}
	return are_right;
}

static bool kernel_passes(struct test_device *device, const struct reference *reference,
	const struct srt_variant *variant)
{
	struct srt_kernel kernel;
	struct srt_workspace workspace;
	struct test_scan scan = { reference, &kernel, &workspace, 0, 0, 0, false, 0 };
	bool are_right;

	test_need(test_kernel_try(&kernel, device, &reference->problem, variant, SRT_CODEGEN_AUTO));
	test_workspace_create(&workspace, device, reference->count);
	are_right = all_pass(device, &scan, srt_variant_tile(variant));
	srt_workspace_destroy(&workspace, device->driver);
	test_kernel_destroy(&kernel, device);
	return are_right;
}

/* More than two batches of 32 tiles. */
static void check_tiles(struct test_device *device)
{
	const struct order_shape shape = { 64, 8, 4 };
	struct reference reference;

	create_reference(&reference, &cases[0], &shape, test_cap(device, 66 * 64 * 8 + 5));
	for (size_t i = 0; i < sizeof(free_knobs) / sizeof(free_knobs[0]); i++) {
		struct srt_variant variant;

		test_need(srt_variant_parse(&variant, free_knobs[i]));
		tap_ok(kernel_passes(device, &reference, &variant), "B101: f32 sums by %s have the bits of the order",
			free_knobs[i]);
	}
	reference_destroy(&reference);
}

static void check_promise(struct test_device *device, const struct order_case *at, bool has_block)
{
	const int in = (int)srt_type_size(at->types[0]), out = (int)srt_type_size(at->types[2]);
	const int vector = 16 / (in > out ? in : out), run = (in > out ? 5 : VECTORS) * vector;
	const struct order_shape shape = { LANES, run, vector };
	const uint64_t tile = (uint64_t)(LANES * run);
	struct srt_strbuf text = { 0 };
	struct reference reference;
	struct srt_variant variant;
	struct srt_variant other;
	uint64_t most;

	create_reference(&reference, at, &shape, test_is_small(device) ? tile * 3 / 2 : tile * 200 + 3);
	test_need(srt_heuristic_reproducible(&variant, &reference.problem, &device->facts));
	srt_variant_format(&text, &variant);
	tap_ok(kernel_passes(device, &reference, &variant), "B101: %s of %s to %s, reproducible by %s: its bits",
		srt_op_name(at->op), srt_type_name(at->types[0]), srt_type_name(at->types[2]), srt_strbuf_text(&text));
	if (has_block && srt_heuristic_reproducible_block(&other, &reference.problem, &device->facts))
		tap_ok(kernel_passes(device, &reference, &other), "B101: and so has one tile by one block");
	if (!has_block && srt_heuristic_reproducible_totals(&other, &most, &reference.problem, &device->facts))
		tap_ok(kernel_passes(device, &reference, &other), "B101: and so have tiles by a block each");
	srt_strbuf_free(&text);
	reference_destroy(&reference);
}

int main(void)
{
	struct test_device device;

	test_device_open(&device);
	tap_plan(0);
	check_tiles(&device);
	for (size_t i = 0; i < (test_is_small(&device) ? SMALL_CASES : sizeof(cases) / sizeof(cases[0])); i++)
		check_promise(&device, &cases[i], i % 2 == 0 || !test_is_small(&device));
	test_device_close(&device);
	return tap_done();
}
