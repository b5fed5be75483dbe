/* SPDX-License-Identifier: MIT */
#include "grid.h"

#include "../../lib/strategy.h"

#include <stdio.h>

#define LARGEST_COUNTS 24
#define MEBI           (UINT64_C(1) << 20)

/* Types that differ: widening sums, narrowing results, float accumulators of half floats, and conversions between the
 * two kinds of number. */
static const int mixed[][3] = { { SCANRT_I8, SCANRT_I32, SCANRT_I32 }, { SCANRT_I32, SCANRT_I64, SCANRT_I64 },
	{ SCANRT_U8, SCANRT_U64, SCANRT_U32 }, { SCANRT_I16, SCANRT_I32, SCANRT_I8 },
	{ SCANRT_U32, SCANRT_U32, SCANRT_U8 }, { SCANRT_I64, SCANRT_I16, SCANRT_I32 },
	{ SCANRT_F16, SCANRT_F32, SCANRT_F16 }, { SCANRT_BF16, SCANRT_F32, SCANRT_BF16 },
	{ SCANRT_F16, SCANRT_F32, SCANRT_F32 }, { SCANRT_F16, SCANRT_F64, SCANRT_BF16 },
	{ SCANRT_F32, SCANRT_F64, SCANRT_F64 }, { SCANRT_F32, SCANRT_F64, SCANRT_F32 },
	{ SCANRT_I32, SCANRT_F32, SCANRT_F32 }, { SCANRT_U8, SCANRT_F64, SCANRT_F16 },
	{ SCANRT_F32, SCANRT_F32, SCANRT_I32 }, { SCANRT_F64, SCANRT_I64, SCANRT_I16 } };

struct grid {
	struct test_device device;
	struct srt_workspace workspace;
	struct test_random random;
	const struct grid_point *points;
	unsigned point_count;
	unsigned used;    /* points taken so far, round robin */
	uint64_t largest; /* elements that the workspace serves */
};

static const struct grid_point *next_point(struct grid *grid)
{
	return &grid->points[grid->used++ % grid->point_count];
}

static void make_variant(struct srt_variant *variant, const struct grid_point *point, const struct srt_problem *problem)
{
	char text[SRT_VARIANT_TEXT_SIZE];

	snprintf(text, sizeof(text), "%s,items=%d", point->knobs,
		point->vectors > 0 ? point->vectors * srt_problem_vector(problem) : 1);
	test_need(srt_variant_parse(variant, text));
}

/* Where off-by-one mistakes live: warps, tiles, what a strategy takes at most, and the wave of all resident
 * blocks. */
static unsigned list_counts(
	uint64_t counts[LARGEST_COUNTS], struct grid *grid, const struct srt_kernel *kernel, bool is_long)
{
	uint64_t tile = srt_variant_tile(&kernel->variant);
	uint64_t wave = 3 * (uint64_t)test_resident(kernel) * tile + 7;
	uint64_t most = srt_variant_max_count(&kernel->variant);
	uint64_t wanted[] = { 1, 2, 31, 32, 33, tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 2 * tile + 1,
		most - tile, most - tile + 1, most - 1, most, 33 * tile + 5,
		1 + test_draw(&grid->random, tile), 1 + test_draw(&grid->random, 70 * tile), wave,
		wave + test_draw(&grid->random, MEBI) * 2 + 1 };
	unsigned all = (unsigned)(sizeof(wanted) / sizeof(wanted[0])) - (is_long ? 0 : 2);
	unsigned used = 0;

	for (unsigned i = 0; i < all; i++) {
		if (wanted[i] == 0 || wanted[i] > most || wanted[i] > grid->largest)
			continue;
		counts[used++] = wanted[i];
	}
	return used;
}

static uint64_t greatest(const uint64_t *counts, unsigned used)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < used; i++)
		result = counts[i] > result ? counts[i] : result;
	return result;
}

static uint32_t pick_limit(struct grid *grid, const struct srt_kernel *kernel)
{
	uint32_t limits[] = { 0, 0, 1, 2, 3, 1 + (uint32_t)test_draw(&grid->random, test_resident(kernel)) };

	return limits[test_draw(&grid->random, 6)];
}

static bool run_counts(struct grid *grid, const struct srt_kernel *kernel, const struct reference *reference,
	const uint64_t *counts, unsigned used)
{
	const struct srt_problem *problem = &kernel->problem;
	bool is_one_size = srt_type_size(problem->input_type) == srt_type_size(problem->output_type);
	bool passes = true;

	for (unsigned i = 0; i < used; i++) {
		struct test_scan scan = { reference, kernel, &grid->workspace, counts[i], 0, 0, false, 0 };

		/* A third of the scans are aligned: that is the fast path, and the one most used. */
		if (test_draw(&grid->random, 3)) {
			scan.skip_in = test_draw(&grid->random, 32);
			scan.skip_out = test_draw(&grid->random, 32);
		}
		scan.is_in_place = is_one_size && test_draw(&grid->random, 4) == 0;
		scan.grid_limit = pick_limit(grid, kernel);
		passes = test_scan_passes(&grid->device, &scan) && passes;
	}
	return passes;
}

static bool run_kernel(struct grid *grid, const struct srt_kernel *kernel, bool is_long)
{
	uint64_t counts[LARGEST_COUNTS];
	unsigned used = list_counts(counts, grid, kernel, is_long);
	struct reference reference;
	bool passes;

	reference_create(
		&reference, &kernel->problem, REFERENCE_EXACT, grid->device.seed + grid->used, greatest(counts, used));
	passes = run_counts(grid, kernel, &reference, counts, used);
	reference_destroy(&reference);
	/* Float sums and products once more with data that round. */
	if (passes && srt_type_is_float(kernel->problem.output_type) && kernel->problem.op <= SCANRT_PROD) {
		reference_create(&reference, &kernel->problem, REFERENCE_REAL, grid->device.seed + grid->used,
			greatest(counts, used));
		passes = run_counts(grid, kernel, &reference, counts, used);
		reference_destroy(&reference);
	}
	return passes;
}

/* One problem, with all but its types and operator sampled.  A point whose registers or shared memory this problem's
 * types exceed is not a failure: the next one is taken. */
static void check_problem(struct grid *grid, const struct srt_problem *problem, bool is_long)
{
	struct srt_strbuf text = { 0 };
	struct srt_variant variant;
	struct srt_kernel kernel;
	int status = SCANRT_ERROR_VARIANT;

	for (unsigned i = 0; status == SCANRT_ERROR_VARIANT && i < grid->point_count; i++) {
		make_variant(&variant, next_point(grid), problem);
		status = test_kernel_try(&kernel, &grid->device, problem, &variant, SRT_CODEGEN_AUTO);
	}
	test_need(status);
	srt_problem_format(&text, problem, true);
	srt_strbuf_append(&text, " by ");
	srt_variant_format(&text, &variant);
	tap_ok(run_kernel(grid, &kernel, is_long), "%s%s is right at every count and placement",
		srt_op_is_commutative(problem->op) ? "" : "B020 B021 B023: ", srt_strbuf_text(&text));
	srt_strbuf_free(&text);
	test_kernel_destroy(&kernel, &grid->device);
}

static void sample_problem(struct grid *grid, int op, int input, int accumulator, int output)
{
	struct srt_problem problem;

	test_problem(&problem, op, input, accumulator, output, test_draw(&grid->random, 2));
	if (test_draw(&grid->random, 2))
		test_problem_set_initial(&problem, grid->random.drawn);
	check_problem(grid, &problem, false);
}

static const int operators[] = { SCANRT_SUM, SCANRT_PROD, SCANRT_MIN, SCANRT_MAX, SCANRT_AND, SCANRT_OR, SCANRT_XOR,
	SRT_OP_LAST, SRT_OP_AFFINE };
#define OPERATORS (sizeof(operators) / sizeof(operators[0]))

static void check_one_type(struct grid *grid, unsigned every)
{
	unsigned seen = 0;

	for (int t = 0; srt_type_at(t); t++) {
		for (unsigned o = 0; o < OPERATORS; o++) {
			int type = srt_type_at(t);

			if (srt_op_takes(operators[o], type) && seen++ % every == 0)
				sample_problem(grid, operators[o], type, type, type);
		}
	}
}

static void check_mixed_types(struct grid *grid, unsigned every)
{
	for (unsigned i = 0; i < sizeof(mixed) / sizeof(mixed[0]); i++) {
		if (i % every)
			continue;
		sample_problem(grid, i % 3 ? SCANRT_SUM : SCANRT_MAX, mixed[i][0], mixed[i][1], mixed[i][2]);
	}
}

/* Every knob point, inclusive and exclusive, with the operators that notice any change of order. */
static void check_points(struct grid *grid, unsigned every)
{
	static const int types[] = { SCANRT_U32, SCANRT_U64, SCANRT_U16, SCANRT_U8 };

	for (unsigned i = 0; i < 2 * grid->point_count; i++) {
		struct srt_problem problem;
		int type = types[(i / 2) % 4];

		if (i % every)
			continue;
		test_problem(&problem, i % 3 == 2 ? SRT_OP_LAST : SRT_OP_AFFINE, type, type, type, i & 1);
		grid->used = i / 2; /* this point and no other */
		check_problem(grid, &problem, true);
	}
}

static unsigned count_points(const struct grid_point *points)
{
	unsigned count = 0;

	while (points[count].knobs)
		count++;
	return count;
}

/* A strategy that the device lacks is not tested there. */
static void need_strategy(const struct grid *grid)
{
	struct srt_problem problem;
	struct srt_variant variant;

	test_problem(&problem, SCANRT_SUM, SCANRT_I32, SCANRT_I32, SCANRT_I32, false);
	make_variant(&variant, grid->points, &problem);
	if (grid->device.facts.capability < srt_strategy_find(variant.strategy)->least_capability)
		tap_skip_all("strategy %s needs a newer device", srt_strategy_name(variant.strategy));
}

int grid_main(const struct grid_point *points, unsigned small)
{
	struct grid grid = { 0 };

	test_device_open(&grid.device);
	grid.random.seed = grid.device.seed;
	grid.points = points;
	grid.point_count = test_is_small(&grid.device) ? small : count_points(points);
	need_strategy(&grid);
	grid.largest = test_cap(&grid.device, 16 * MEBI);
	test_workspace_create(&grid.workspace, &grid.device, grid.largest);
	tap_plan(0);
	check_points(&grid, 1);
	check_one_type(&grid, test_rounds(&grid.device, 1, 13));
	check_mixed_types(&grid, test_rounds(&grid.device, 1, 5));
	srt_workspace_destroy(&grid.workspace, grid.device.driver);
	test_device_close(&grid.device);
	return tap_done();
}
