/* SPDX-License-Identifier: MIT
 *
 * The compiled-in defaults: for every type, operator and kind of device they cover all counts with variants that fit.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/abi.h"
#include "cover.h"
#include "heuristic.h"
#include "status.h"
#include "tests/tap.h"

/* Limits of real devices: T4, A100, RTX 3090, RTX 4090, H200, B200, RTX 5090; and one that tells nothing. */
static const struct srt_device devices[] = {
	{ .name = "cc75", .capability = 75, .sm_count = 40, .l2_bytes = 4 << 20, .shared_per_sm = 65536,
		.shared_per_block = 65536, .threads_per_sm = 1024, .threads_per_block = 1024, .blocks_per_sm = 16 },
	{ .name = "cc80", .capability = 80, .sm_count = 108, .l2_bytes = 40 << 20, .shared_per_sm = 167936,
		.shared_per_block = 166912, .threads_per_sm = 2048, .threads_per_block = 1024, .blocks_per_sm = 32,
		.reserved_shared_per_block = 1024 },
	{ .name = "cc86", .capability = 86, .sm_count = 82, .l2_bytes = 6 << 20, .shared_per_sm = 102400,
		.shared_per_block = 101376, .threads_per_sm = 1536, .threads_per_block = 1024, .blocks_per_sm = 16,
		.reserved_shared_per_block = 1024 },
	{ .name = "cc89", .capability = 89, .sm_count = 128, .l2_bytes = 72 << 20, .shared_per_sm = 102400,
		.shared_per_block = 101376, .threads_per_sm = 1536, .threads_per_block = 1024, .blocks_per_sm = 24,
		.reserved_shared_per_block = 1024 },
	{ .name = "cc90", .capability = 90, .sm_count = 132, .l2_bytes = 60 << 20, .shared_per_sm = 233472,
		.shared_per_block = 232448, .threads_per_sm = 2048, .threads_per_block = 1024, .blocks_per_sm = 32,
		.reserved_shared_per_block = 1024, .has_clusters = 1 },
	{ .name = "cc100", .capability = 100, .sm_count = 148, .l2_bytes = 126 << 20, .shared_per_sm = 233472,
		.shared_per_block = 232448, .threads_per_sm = 2048, .threads_per_block = 1024, .blocks_per_sm = 32,
		.reserved_shared_per_block = 1024, .has_clusters = 1 },
	{ .name = "cc120", .capability = 120, .sm_count = 170, .l2_bytes = 96 << 20, .shared_per_sm = 102400,
		.shared_per_block = 101376, .threads_per_sm = 1536, .threads_per_block = 1024, .blocks_per_sm = 24,
		.reserved_shared_per_block = 1024, .has_clusters = 1 },
	{ .name = "unknown", .capability = 90 },
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static bool are_ranges_right(const struct srt_range *ranges, size_t count, const struct srt_problem *problem,
	const struct srt_device *device)
{
	uint64_t next = 1;
	size_t i;

	for (i = 0; i < count; i++) {
		if (ranges[i].low_count != next || ranges[i].high_count < next)
			return false;
		if (ranges[i].high_count > srt_variant_max_count(&ranges[i].variant))
			return false;
		if (srt_variant_check(&ranges[i].variant, problem, device))
			return false;
		next = ranges[i].high_count + 1;
	}
	return next == problem->max_count + 1;
}

/* Three types each: a scan may widen or narrow, and the accumulator may be wider than both. */
static void test_types(const struct srt_device *device, uint64_t max_count)
{
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	struct srt_problem problem;
	int wrong = 0;
	int cases = 0;
	int in;
	int out;
	int accumulator;

	for (in = 0; srt_type_at(in); in++)
		for (out = 0; srt_type_at(out); out++)
			for (accumulator = 0; srt_type_at(accumulator); accumulator++) {
				srt_problem_init_simple(&problem, srt_type_at(in), SCANRT_SUM);
				problem.output_type = srt_type_at(out);
				problem.accumulator_type = srt_type_at(accumulator);
				problem.max_count = max_count;
				cases++;
				wrong += !are_ranges_right(ranges, srt_heuristic_ranges(ranges, &problem, device),
					&problem, device);
			}
	tap_ok(wrong == 0 && cases == 1728, "%s: the defaults cover 1 to %llu for all triples of types: %d of %d wrong",
		device->name, (unsigned long long)max_count, wrong, cases);
}

static void test_strategies(void)
{
	struct srt_problem problem, doubles;
	struct srt_variant variant;
	size_t i;

	srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM);
	srt_problem_init_simple(&doubles, SCANRT_F64, SCANRT_SUM);
	for (i = 0; i < COUNT_OF(devices); i++) {
		const struct srt_device *device = &devices[i];

		srt_heuristic_at(&variant, &problem, device, 1000);
		tap_is_int(variant.strategy, device->has_clusters ? SRT_CLUSTER : SRT_BLOCK,
			"%s: one tile is for a block, of a cluster where there are any", device->name);
		srt_heuristic_at(&variant, &problem, device, 10000);
		tap_is_int(variant.strategy, device->has_clusters ? SRT_CLUSTER : SRT_LOOKBACK,
			"%s: a few tiles are for a cluster where there are any", device->name);
		srt_heuristic_at(&variant, &problem, device, 100000);
		tap_is_int(variant.strategy,
			device->capability >= 90 && device->sm_count > 0 ? SRT_TOTALS : SRT_LOOKBACK,
			"%s: middle counts are for all totals at once, or look-back", device->name);
		srt_heuristic_at(&variant, &problem, device, 600000);
		tap_is_int(variant.strategy,
			device->capability >= 90 && device->sm_count > 0 ? SRT_TOTALS : SRT_LOOKBACK,
			"%s: a tile a multiprocessor is for all totals at once", device->name);
		srt_heuristic_at(&variant, &problem, device, 2 * (uint64_t)device->sm_count * 4096 + 1);
		tap_is_int(variant.strategy, device->sm_count == 0 && device->has_clusters ? SRT_CLUSTER :
			device->sm_count == 0 ? SRT_BLOCK :
			device->capability >= 90 ? SRT_TOTALS : SRT_LOOKBACK,
			"%s: more than two small tiles are for larger ones, all totals at once", device->name);
		srt_heuristic_at(&variant, &doubles, device, (uint64_t)device->sm_count * 4096 + 1);
		tap_is_int(variant.store, device->capability >= 90 && device->sm_count > 0 ? SRT_ACCESS_BULK :
			SRT_ACCESS_STREAM, "%s: of 8 bytes, more than one of those are raked", device->name);
		srt_heuristic_at(&variant, &problem, device, UINT64_C(1) << 28);
		tap_is_int(variant.strategy, device->capability >= 90 ? SRT_LOOKAHEAD : SRT_LOOKBACK,
			"%s: large counts are for look-ahead where bulk copies are", device->name);
	}
}

static void test_reproducible(void)
{
	struct srt_problem problem;
	struct srt_variant first;
	struct srt_variant variant;
	struct srt_variant block;
	uint64_t most;
	int type;
	size_t i;

	for (type = 0; srt_type_at(type); type++) {
		srt_problem_init_simple(&problem, srt_type_at(type), SCANRT_SUM);
		srt_heuristic_reproducible(&first, &problem, &devices[0]);
		for (i = 0; i < COUNT_OF(devices); i++) {
			tap_is_int(srt_heuristic_reproducible(&variant, &problem, &devices[i]), SCANRT_OK,
				"B101: %s runs the reproducible variant of %s", devices[i].name,
					srt_type_name(srt_type_at(type)));
			tap_ok(srt_variant_is_same_order(&variant, &first) && srt_variant_is_repeatable(&variant,
				&problem),
				"B101: it combines in the order of every other device, and is repeatable");
			tap_ok(srt_heuristic_reproducible_block(&block, &problem, &devices[i]) &&
				srt_variant_is_same_order(&block, &first), "B101: and so does one block for one tile");
			if (srt_heuristic_reproducible_totals(&variant, &most, &problem, &devices[i]))
				tap_ok(srt_variant_is_same_order(&variant, &first) &&
					most >= 2 * (uint64_t)srt_variant_tile(&first),
					"B101: and so do blocks of a tile each");
		}
	}
}

/* Knobs that change the order within a tile make another order of the same tile; those of the ring do not. */
static void test_same_order(void)
{
	static const struct { const char *text; bool is_same; } cases[] = {
		{ "lookahead,items=28,store=bulk,stages=5,ahead=3", true },
		{ "lookahead,items=28,store=bulk,gather=2,residency=2,stages=2,ahead=1", true },
		{ "totals,items=28,store=bulk,gather=2", true }, { "block,items=28,store=bulk", true },
		{ "block,items=28,store=bulk,load=plain", true },
		{ "lookahead,items=28,stages=5,ahead=3", false }, { "block,items=28", false },
		{ "lookahead,block=128,items=28,store=bulk", false }, { "lookahead,items=24,store=bulk", false },
		{ "block,items=28,store=bulk,warp=shared", false }, { "lookback,items=28", false },
		{ "totals,items=28,store=bulk,circuit=koggestone", false },
		{ "totals,items=28,store=bulk,circuit=raking", false } };
	struct srt_problem problem;
	struct srt_variant order;

	srt_problem_init_simple(&problem, SCANRT_F32, SCANRT_SUM);
	srt_heuristic_reproducible(&order, &problem, &devices[0]);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct srt_variant variant;

		tap_ok(srt_variant_parse(&variant, cases[i].text) == SCANRT_OK &&
			srt_variant_is_same_order(&variant, &order) == cases[i].is_same,
			"B101: %s %s the order of reproducible sums of f32", cases[i].text,
			cases[i].is_same ? "has" : "does not have");
	}
}

/* Whether a device has the reproducible order of the first one. */
static bool has_order(const struct srt_problem *problem, const struct srt_device *device)
{
	struct srt_variant first;
	struct srt_variant variant;

	return srt_heuristic_reproducible(&first, problem, &devices[0]) == SCANRT_OK &&
		srt_heuristic_reproducible(&variant, problem, device) == SCANRT_OK &&
		srt_variant_is_same_order(&variant, &first);
}

/* Values of the caller's are what takes the most room; more than SCAN_LARGE_BYTES have no order. */
static void test_orders(const struct srt_device *device)
{
	struct srt_user user = { .mark = "0" };
	struct srt_problem problem;
	int wrong = 0;
	size_t size;
	int in;
	int out;
	int role;

	for (in = 0; srt_type_at(in); in++)
		for (out = 0; srt_type_at(out); out++) {
			srt_problem_init_simple(&problem, srt_type_at(in), SCANRT_SUM);
			problem.output_type = srt_type_at(out);
			problem.accumulator_type = SCANRT_F64;
			wrong += !has_order(&problem, device);
		}
	srt_problem_init_simple(&problem, SCANRT_F32, SCANRT_SUM);
	problem.op = SCANRT_OPERATOR_USER;
	problem.input_type = problem.accumulator_type = problem.output_type = SCANRT_TYPE_USER;
	problem.user = &user;
	for (size = 1; size <= SCAN_LARGE_BYTES; size++) {
		for (role = 0; role < SRT_ROLES; role++) {
			user.roles[role].size = size;
			user.roles[role].alignment = size & (~size + 1) & 7 ? size & (~size + 1) : 8;
		}
		wrong += !has_order(&problem, device);
	}
	tap_is_int(
		wrong, 0, "B099 B101: %s has the reproducible order of all types, and of the caller's", device->name);
}

static void test_repeatable(void)
{
	struct srt_problem problem;
	struct srt_variant variant;

	srt_variant_init(&variant, SRT_LOOKBACK);
	srt_problem_init_simple(&problem, SCANRT_F32, SCANRT_SUM);
	tap_ok(!srt_variant_is_repeatable(&variant, &problem), "a look-back of float sums is not repeatable");
	srt_problem_init_simple(&problem, SCANRT_F32, SCANRT_MAX);
	tap_ok(srt_variant_is_repeatable(&variant, &problem), "a look-back of float maxima is");
	srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_PROD);
	tap_ok(srt_variant_is_repeatable(&variant, &problem), "a look-back of integer products is");
}

static struct srt_range range(uint64_t low, uint64_t high, const char *text)
{
	struct srt_range made = { .low_count = low, .high_count = high };

	if (srt_variant_parse(&made.variant, text))
		tap_bail_out("%s: %s", text, srt_error_last()->text);
	return made;
}

/* On 60 MiB of L2, 7 864 320 elements of 4 + 4 bytes fit. */
static void test_cover(void)
{
	const struct srt_device *device = &devices[4];
	struct srt_problem problem;
	struct srt_range ranges[3];

	srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM);
	ranges[0] = range(100000, 200000, "lookback");
	ranges[1] = range(1000000, 2000000, "lookback,block=128");
	ranges[2] = range(30000000, 40000000, "lookahead");
	srt_cover(ranges, 3, &problem, device);
	tap_is_uint(ranges[0].low_count, 49153, "the first range reaches down to where one cluster serves");
	tap_is_uint(ranges[0].high_count, 447213, "a gap divides at its geometric mean");
	tap_is_uint(ranges[1].low_count, 447214, "and the next range takes the rest");
	tap_is_uint(ranges[1].high_count, 7864320, "a gap across the cache's size divides there");
	tap_is_uint(ranges[2].low_count, 7864321, "and the next range begins there");
	tap_is_uint(ranges[2].high_count, problem.max_count, "the last range reaches max_count");
	ranges[0] = range(20000000, 30000000, "lookahead");
	srt_cover(ranges, 1, &problem, device);
	tap_is_uint(ranges[0].low_count, 49153, "a single range serves both sides of the cache's size");
	ranges[0] = range(10000, 20000, "cluster");
	ranges[1] = range(1000000, 2000000, "lookback");
	srt_cover(ranges, 2, &problem, device);
	tap_is_uint(ranges[0].low_count, 1, "a cluster that was measured serves one block's counts, too");
	tap_is_uint(ranges[0].high_count, 32768, "and up to the end of its tiles");
	tap_is_uint(ranges[1].low_count, 32769, "where the next range takes over");
	ranges[0] = range(10000, 20000, "lookback");
	srt_cover(ranges, 1, &problem, &devices[0]);
	tap_is_uint(ranges[0].low_count, 4097, "without clusters a range reaches down to one large block");
	ranges[0] = range(20000000, 30000000, "lookahead");
	ranges[1] = range(40000000, 50000000, "lookahead,block=128");
	srt_cover(ranges, 2, &problem, device);
	tap_is_uint(ranges[0].low_count, 7864321, "two beyond the cache do not reach into it");
	ranges[0] = range(1, 100, "block,block=128,items=8");
	ranges[1] = range(50000, 60000, "lookback");
	srt_cover(ranges, 2, &problem, device);
	tap_is_uint(ranges[0].high_count, 1024, "a block scan reaches to the end of its tile");
	tap_is_uint(ranges[1].low_count, 1025, "and the next range takes over there");
	tap_is_uint(ranges[1].high_count, 7864320, "ranges within the cache do not reach out of it");
	srt_cover(ranges, 0, &problem, device);
}

/* What a scan takes beside its arrays, in bytes for each thousand of theirs. */
static void test_state(const struct srt_device *device)
{
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	struct srt_problem problem;
	int i;

	for (i = 0; srt_type_at(i); i++) {
		uint64_t count = UINT64_C(1) << 32, bytes = count * 2 * srt_type_size(srt_type_at(i));
		size_t used, state;

		srt_problem_init_simple(&problem, srt_type_at(i), SCANRT_SUM);
		problem.max_count = count;
		used = srt_heuristic_ranges(ranges, &problem, device);
		state = srt_variant_workspace(&ranges[used - 1].variant, &problem, count);
		tap_ok(state * 1000 <= bytes,
			"B175: a large sum of %s on %s keeps no more than 0.1 %% of its data: %zu bytes",
			srt_type_name(srt_type_at(i)), device->name, state);
	}
}

int main(void)
{
	size_t i;

	tap_plan(0);
	for (i = 0; i < COUNT_OF(devices); i++) {
		test_types(&devices[i], 1);
		test_types(&devices[i], 5000);
		test_types(&devices[i], UINT64_C(1) << 32);
	}
	for (i = 0; i < COUNT_OF(devices); i++)
		test_state(&devices[i]);
	for (i = 0; i < COUNT_OF(devices); i++)
		test_orders(&devices[i]);
	test_strategies();
	test_reproducible();
	test_same_order();
	test_repeatable();
	test_cover();
	return tap_done();
}
