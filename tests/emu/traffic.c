/* SPDX-License-Identifier: MIT
 *
 * The traffic of each strategy, counted to the word.  Every element is read once and written once.  On top of that:
 *   block      nothing;
 *   cluster    nothing;
 *   lookback   a ticket a tile (an atomic, 2 words each way), an aggregate and a prefix a tile (2 words each, the first
 *              tile has a prefix only), the next epoch's ticket at the end; and what is polled;
 *   lookback-serial  the same;
 *   totals     a ticket and a total a tile, the next epoch's ticket; and what is polled;
 *   lookahead  a ticket a draw, an aggregate a tile, the next epoch's ticket; and what is polled.  The same with bulk
 *              stores.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"

#define VECTOR_WORDS 4
#define WORDS 2 /* of a ticket, and of a tile's state with a 32-bit value */

struct measured {
	struct emu_counters counters;
	uint64_t tiles;
	int strategy;
	uint64_t count;
};

/* skip: elements by which input and output are off the boundary of a vector.  Sums of i32, of elements of `type`. */
static void measure_of(struct measured *measured, struct test_device *device, const char *variant, uint64_t count,
	uint64_t seed, uint64_t skip, int type)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference reference;
	struct srt_workspace workspace;
	struct emu_launch_record record;
	struct test_scan scan = { &reference, &kernel, &workspace, count, skip, skip, false, 0 };
	uint64_t tile;

	test_problem(&problem, SCANRT_SUM, type, SCANRT_I32, SCANRT_I32, false);
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, count);
	test_kernel_create(&kernel, device, &problem, variant);
	test_workspace_create(&workspace, device, count);
	emulated_schedule(seed, 0);
	if (!test_scan_passes(device, &scan))
		tap_bail_out("%s is wrong at %" PRIu64 " elements", variant, count);
	emulated_last_launch(&record);
	tile = (uint64_t)srt_variant_tile(&kernel.variant);
	*measured = (struct measured){ record.counters, (count + tile - 1) / tile, kernel.variant.strategy, count };
	srt_workspace_destroy(&workspace, device->driver);
	test_kernel_destroy(&kernel, device);
	reference_destroy(&reference);
}

static void measure(struct measured *measured, struct test_device *device, const char *variant, uint64_t count,
	uint64_t seed)
{
	measure_of(measured, device, variant, count, seed, 0, SCANRT_I32);
}

static bool is_lookback(const struct measured *measured)
{
	return measured->strategy == SRT_LOOKBACK || measured->strategy == SRT_LOOKBACK_SERIAL;
}

static uint64_t loads(const struct measured *measured)
{
	return measured->count + WORDS * (measured->counters.global_atomics + measured->counters.polls);
}

static uint64_t stores(const struct measured *measured)
{
	uint64_t states = is_lookback(measured) ? 2 * measured->tiles - 1 : measured->tiles;

	if (measured->strategy == SRT_BLOCK || measured->strategy == SRT_CLUSTER)
		return measured->count;
	return measured->count + WORDS * (measured->counters.global_atomics + states + 1);
}

static void check(struct test_device *device, const char *variant, uint64_t count)
{
	struct measured measured;

	measure(&measured, device, variant, count, 0);
	tap_is_uint(measured.counters.global_load_words, loads(&measured),
		"%s reads %" PRIu64 " elements once, and so much on top as it says", variant, count);
	tap_is_uint(measured.counters.global_store_words, stores(&measured),
		"%s writes %" PRIu64 " elements once, and so much on top as it says", variant, count);
	if (is_lookback(&measured) || measured.strategy == SRT_TOTALS)
		tap_is_uint(measured.counters.global_atomics, measured.tiles, "%s draws one ticket for each of %" PRIu64
			" tiles", variant, measured.tiles);
	if (measured.strategy == SRT_BLOCK || measured.strategy == SRT_CLUSTER)
		tap_is_uint(measured.counters.global_atomics + measured.counters.polls, 0,
			"%s touches nothing but the data", variant);
}

/* Bytes are read as bytes: nobody writes them out as i32 first. */
static void check_converting(struct test_device *device, const char *variant, uint64_t count)
{
	struct measured measured;

	measure_of(&measured, device, variant, count, 0, 0, SCANRT_U8);
	tap_is_uint(measured.counters.global_load_words, loads(&measured) - count + count / 4,
		"B147: %s reads a quarter of the words where elements are bytes", variant);
	tap_is_uint(measured.counters.global_store_words, stores(&measured), "and writes as many as ever");
}

/* Tiles that are not aligned are copied in whole vectors, and two of them share one, which is read twice.  The same
 * goes for the slices of tiles that are raked, since each is copied by itself.  The lanes that patch in what the first
 * copy leaves out read a vector behind that, too.  `unit`: the elements of a tile or a slice. */
static void check_shifted(struct test_device *device, const char *variant, uint64_t count, uint64_t unit)
{
	struct measured measured;

	measure_of(&measured, device, variant, count, 0, 1, SCANRT_I32);
	tap_is_uint(measured.counters.global_store_words, stores(&measured),
		"%s writes %" PRIu64 " elements once where they are not aligned, too", variant, count);
	tap_is_uint(measured.counters.global_load_words, loads(&measured) + VECTOR_WORDS * (count / unit),
		"%s reads them with a vector more every %" PRIu64, variant, unit);
}

/* As many blocks as tiles, rounded up to a power of two; a barrier in each where the blocks' totals are exchanged, and
 * none where the warps' are. */
static void check_cluster(struct test_device *device, const char *variant, uint64_t count, uint64_t blocks,
	uint64_t barriers)
{
	struct measured measured;

	measure(&measured, device, variant, count, 0);
	tap_is_uint(measured.counters.blocks, blocks, "%s launches %" PRIu64 " blocks for %" PRIu64 " elements",
		variant, blocks, count);
	tap_is_uint(measured.counters.barriers, barriers, "with %" PRIu64 " block barriers", barriers);
}

/* A persistent block draws one ticket in vain, for each of its stages at most. */
static void check_draws(struct test_device *device, const char *variant, uint64_t count, uint64_t stages)
{
	struct measured measured;

	measure(&measured, device, variant, count, 0);
	tap_ok(measured.counters.global_atomics >= measured.tiles &&
		measured.counters.global_atomics <= measured.tiles + measured.counters.blocks * stages,
		"%s draws %" PRIu64 " tickets for %" PRIu64 " tiles in %" PRIu64 " blocks", variant,
		measured.counters.global_atomics, measured.tiles, measured.counters.blocks);
}

static void check_repeatable(struct test_device *device, const char *variant, uint64_t seed)
{
	struct measured first, second;

	measure(&first, device, variant, 5000, seed);
	measure(&second, device, variant, 5000, seed);
	tap_ok(memcmp(&first.counters, &second.counters, sizeof(first.counters)) == 0,
		"%s has the same counts again under schedule %" PRIu64, variant, seed);
}

int main(void)
{
	static const uint64_t counts[] = { 1, 31, 511, 512, 513, 5000, 20000 };
	const char *block = "block,block=128,items=4", *lookback = "lookback,block=128,items=4";
	const char *serial = "lookback-serial,block=128,items=1", *totals = "totals,block=128,items=4";
	const char *lookahead = "lookahead,block=128,items=4,stages=3,ahead=2";
	const char *raked = "lookahead,block=128,items=4,stages=3,ahead=2,store=bulk";
	const char *cluster = "cluster,block=128,items=4,cluster=16";
	const char *blocks = "cluster,block=128,items=4,cluster=16,exchange=block";
	struct test_device device;

	emulated_open(&device);
	tap_plan(0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		if (counts[i] <= 512)
			check(&device, block, counts[i]);
		if (counts[i] <= 8192) {
			check(&device, cluster, counts[i]);
			check(&device, blocks, counts[i]);
		}
		check(&device, lookback, counts[i]);
		check(&device, serial, counts[i]);
		check(&device, totals, counts[i]);
		check(&device, lookahead, counts[i]);
		check(&device, raked, counts[i]);
	}
	check_converting(&device, lookback, 5120);
	check_converting(&device, raked, 5120);
	check_shifted(&device, lookahead, 5120, 512);
	check_shifted(&device, raked, 5120, 128);
	check_cluster(&device, cluster, 128, 1, 0); /* one warp */
	check_cluster(&device, cluster, 512, 1, 1);
	check_cluster(&device, cluster, 5000, 16, 0);
	check_cluster(&device, blocks, 1500, 4, 4);
	check_draws(&device, lookahead, 20000, 3);
	for (uint64_t seed = 0; seed < 3; seed++) {
		check_repeatable(&device, lookback, seed);
		check_repeatable(&device, totals, seed);
		check_repeatable(&device, lookahead, seed);
		check_repeatable(&device, raked, seed);
		check_repeatable(&device, cluster, seed);
	}
	test_device_close(&device);
	return tap_done();
}
