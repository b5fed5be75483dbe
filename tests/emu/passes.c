/* SPDX-License-Identifier: MIT
 *
 * The strategies of several launches: what they read and write, counted to the word, and where the number of launches
 * changes.  N elements are T tiles of W warps, or C chunks of tiles; a partial is a word here.
 *   fan           scan: N read, N and T - 1 partials written; fan: N less the first tile read and written, and the
 *                 partials read once a warp; the same for the T - 1 partials.
 *   reduce        reduce: N less the last tile read, T - 1 partials written; scan: N read and written, and the partials
 *                 read once a warp; the same for the T - 1 partials.
 *   reduce-fixed  reduce: N less the last chunk read, C - 1 partials written; those read and written by one block;
 *                 scan: N read and written, and the partials read once a warp.
 * The workspace has the bytes that the library says and no more, so that whatever is beyond them is a fault.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/strategy.h"
#include "emulated.h"

#define COUNTS_MAX 16
#define MOST_COUNT 40000

struct words {
	uint64_t loads;
	uint64_t stores;
	uint64_t launches;
};

static uint64_t divide_up(uint64_t count, uint64_t size)
{
	return (count + size - 1) / size;
}

static void add(struct words *words, uint64_t loads, uint64_t stores)
{
	words->loads += loads;
	words->stores += stores;
	words->launches++;
}

static void expect_fan(struct words *words, const struct srt_variant *variant, uint64_t count)
{
	uint64_t tile = srt_variant_tile(variant), tiles = divide_up(count, tile);
	uint64_t warps = (uint64_t)variant->block / 32;

	add(words, count, count + tiles - 1);
	if (tiles == 1)
		return;
	expect_fan(words, variant, tiles - 1);
	add(words, count - tile + (tiles - 1) * warps, count - tile);
}

static void expect_reduce(struct words *words, const struct srt_variant *variant, uint64_t count)
{
	uint64_t tile = srt_variant_tile(variant), tiles = divide_up(count, tile);
	uint64_t warps = (uint64_t)variant->block / 32;

	if (tiles > 1) {
		add(words, (tiles - 1) * tile, tiles - 1);
		expect_reduce(words, variant, tiles - 1);
	}
	add(words, count + (tiles - 1) * warps, count);
}

static void expect_reduce_fixed(struct words *words, const struct srt_variant *variant, uint64_t count)
{
	uint64_t tile = srt_variant_tile(variant), tiles = divide_up(count, tile);
	uint64_t warps = (uint64_t)variant->block / 32;
	uint64_t chunk = divide_up(tiles, (uint64_t)variant->partials), chunks = divide_up(tiles, chunk);

	if (chunks > 1) {
		add(words, (chunks - 1) * chunk * tile, chunks - 1);
		add(words, chunks - 1, chunks - 1);
	}
	add(words, count + (chunks - 1) * warps, count);
}

static void expect(struct words *words, const struct srt_variant *variant, uint64_t count)
{
	memset(words, 0, sizeof(*words));
	if (variant->strategy == SRT_FAN)
		expect_fan(words, variant, count);
	else if (variant->strategy == SRT_REDUCE)
		expect_reduce(words, variant, count);
	else
		expect_reduce_fixed(words, variant, count);
}

/* One scan on a workspace of its own. */
static void check(const struct test_device *device, const struct srt_kernel *kernel, const struct reference *reference,
	const char *variant, uint64_t count)
{
	struct test_scan scan = { reference, kernel, NULL, count, 0, 0, false, 0 };
	struct emu_counters before, after;
	struct srt_workspace workspace;
	struct words wanted, seen;
	uint64_t launches;

	expect(&wanted, &kernel->variant, count);
	test_need(srt_workspace_create(&workspace, device->driver,
		srt_variant_workspace(&kernel->variant, &kernel->problem, count)));
	scan.workspace = &workspace;
	emulated_totals(&before, &launches);
	seen.launches = 0 - launches;
	tap_ok(test_scan_passes(device, &scan), "%s scans %" PRIu64 " elements", variant, count);
	emulated_totals(&after, &launches);
	seen.launches += launches;
	seen.loads = after.global_load_words - before.global_load_words;
	seen.stores = after.global_store_words - before.global_store_words;
	tap_is_uint(seen.launches, wanted.launches, "%s takes %" PRIu64 " launches for %" PRIu64 " elements", variant,
		wanted.launches, count);
	tap_is_uint(seen.loads, wanted.loads, "%s reads as much as it says for %" PRIu64 " elements", variant, count);
	tap_is_uint(seen.stores, wanted.stores, "%s writes as much as it says for %" PRIu64 " elements", variant,
		count);
	srt_workspace_destroy(&workspace, device->driver);
}

/* Where a level begins: one tile; and, since the last tile needs no partial, one partial more than a tile. */
static size_t list_counts(uint64_t counts[COUNTS_MAX], uint64_t tile)
{
	const uint64_t wanted[COUNTS_MAX] = { 1, tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 5000, 20000,
		tile * tile - 1, tile * tile, tile * tile + 1, tile * (tile + 1), tile * (tile + 1) + 1,
		tile * (tile * (tile + 1) + 1), tile * (tile * (tile + 1) + 1) + 1, MOST_COUNT };
	size_t used = 0;

	for (size_t i = 0; i < COUNTS_MAX; i++)
		if (wanted[i] <= MOST_COUNT)
			counts[used++] = wanted[i];
	return used;
}

static void check_variant(struct test_device *device, const char *variant, unsigned turn)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference reference;
	uint64_t counts[COUNTS_MAX];
	size_t used;

	test_problem(&problem, SRT_OP_AFFINE, SCANRT_U32, SCANRT_U32, SCANRT_U32, turn & 1);
	if (turn & 2)
		test_problem_set_initial(&problem, turn);
	test_kernel_create(&kernel, device, &problem, variant);
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, MOST_COUNT);
	used = list_counts(counts, srt_variant_tile(&kernel.variant));
	for (size_t i = 0; i < used; i++)
		check(device, &kernel, &reference, variant, counts[i]);
	reference_destroy(&reference);
	test_kernel_destroy(&kernel, device);
}

/* What one strategy leaves behind must not pass for another's state, whatever the values: they take turns on one
 * workspace, whose size is the need of all of them together. */
static void check_turns(struct test_device *device)
{
	static const char *const variants[] = { "lookback,block=32,items=1", "fan,block=32,items=1",
		"lookahead,block=32,items=4,stages=3,ahead=2", "reduce,block=32,items=1",
		"lookback-serial,block=32,items=1", "reduce-fixed,block=32,items=1,partials=16" };
	enum { NUMBER = sizeof(variants) / sizeof(variants[0]) };
	struct srt_problem problem;
	struct srt_kernel kernels[NUMBER];
	struct srt_workspace_need need = { 0, 0 };
	struct srt_workspace workspace;
	struct reference reference;
	unsigned wrong = 0;

	test_problem(&problem, SRT_OP_AFFINE, SCANRT_U32, SCANRT_U32, SCANRT_U32, true);
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, 5000);
	for (int i = 0; i < NUMBER; i++) {
		test_kernel_create(&kernels[i], device, &problem, variants[i]);
		srt_workspace_need_add(&need, &kernels[i].variant, &problem, reference.count);
	}
	test_need(srt_workspace_create(&workspace, device->driver, srt_workspace_need_bytes(&need)));
	for (uint64_t i = 0; i < 60; i++) {
		uint64_t count = reference_random(i, 3) % reference.count + 1;
		struct test_scan scan = { &reference, &kernels[i % NUMBER], &workspace, count, 0, 0, i % 5 == 0, 0 };

		emulated_schedule(i, 0);
		wrong += !test_scan_passes(device, &scan);
	}
	emulated_schedule(0, 0);
	tap_is_uint(wrong, 0, "strategies of one launch and of several take turns on one workspace");
	srt_workspace_destroy(&workspace, device->driver);
	for (int i = 0; i < NUMBER; i++)
		test_kernel_destroy(&kernels[i], device);
	reference_destroy(&reference);
}

int main(void)
{
	static const char *const variants[] = { "fan,block=32,items=1", "fan,block=64,items=4,circuit=brentkung",
		"fan,block=128,items=8", "reduce,block=32,items=1", "reduce,block=64,items=4,circuit=koggestone",
		"reduce,block=128,items=8", "reduce-fixed,block=32,items=1,partials=64",
		"reduce-fixed,block=64,items=4,partials=24,circuit=raking",
		"reduce-fixed,block=128,items=8,partials=8" };
	struct test_device device;

	emulated_open(&device);
	tap_plan(0);
	for (unsigned i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		check_variant(&device, variants[i], i);
	check_turns(&device);
	test_device_close(&device);
	return tap_done();
}
