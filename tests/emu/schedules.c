/* SPDX-License-Identifier: MIT
 *
 * The protocols between thread blocks under many schedules: each seed is another order of warps and blocks, another
 * delay until stores are seen; and few blocks may be resident, down to one, as on a GPU that is shared.  A look-back
 * that waits for what cannot run, reads a word too early or too late, or mixes up epochs fails under some of them.
 *
 *   SCANRT_TEST_SEEDS   how many seeds for each protocol; default 300
 *   SCANRT_TEST_SEED    the first one
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"

#define TILES 9
#define BATCHED_TILES 70 /* where batches of 32 are exchanged, two of them and a part */

static const char *const protocols[] = {
	"lookback,block=32,items=4",
	"lookback,block=64,items=4,warp=shared,residency=1",
	"lookback,block=96,items=8,residency=4",
	"lookback-serial,block=64,items=1",
	"totals,block=32,items=4,gather=1",
	"totals,block=64,items=4,gather=4",
	"lookahead,block=32,items=4,stages=2,ahead=1,gather=1",
	"lookahead,block=64,items=4,stages=3,ahead=2,gather=2",
	"lookahead,block=32,items=8,stages=5,ahead=4,gather=8",
	"lookahead,block=64,items=4,stages=3,ahead=2,gather=2,store=bulk",
	"lookahead,block=32,items=2,stages=5,ahead=2,gather=2,store=place,teams=2",
	"cluster,block=32,items=4,cluster=16",
	"cluster,block=96,items=4,cluster=16,exchange=block",
};

/* Where a fault ends the program, this tells under which schedule. */
static const char *current_variant;
static uint64_t current_seed;
static unsigned current_resident;

static void tell_schedule(void)
{
	if (current_variant != NULL)
		printf("# the program ended in %s under seed %" PRIu64 " with %u blocks resident at most (0: all)\n",
			current_variant, current_seed, current_resident);
}

static uint64_t seeds_wanted(void)
{
	const char *text = getenv("SCANRT_TEST_SEEDS");

	return text == NULL || *text == '\0' ? 300 : strtoull(text, NULL, 10);
}

/* The workspace is kept from launch to launch, so that each meets the words that the one before left behind. */
static unsigned run_seeds(const struct test_device *device, struct test_scan *scan, uint64_t seeds, uint64_t *waits)
{
	struct emu_launch_record record;
	static const unsigned residents[] = { 0, 0, 1, 2, 3 };
	unsigned wrong = 0;

	for (uint64_t i = 0; i < seeds; i++) {
		current_seed = device->seed + i;
		current_resident = residents[i % (sizeof(residents) / sizeof(residents[0]))];
		emulated_schedule(current_seed, current_resident);
		tap_case("seed %" PRIu64 " variant %s resident %u", current_seed, current_variant, current_resident);
		scan->count = reference_random(current_seed, 7) % scan->reference->count + 1;
		if (test_scan_passes(device, scan)) {
			emulated_last_launch(&record);
			*waits += record.counters.spins > 0;
			continue;
		}
		tap_diag("seed %" PRIu64 ", %u blocks resident at most (0: all)", current_seed, current_resident);
		wrong++;
	}
	emulated_schedule(0, 0);
	tap_case(NULL);
	return wrong;
}

static void check(struct test_device *device, const char *variant, uint64_t seeds)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference reference;
	struct srt_workspace workspace;
	struct test_scan scan = { &reference, &kernel, &workspace, 0, 0, 0, false, 0 };

	uint64_t tiles = strstr(variant, "store=place") ? BATCHED_TILES : TILES;
	uint64_t waits = 0; /* schedules under which somebody waited for somebody else */

	current_variant = variant;
	test_problem(&problem, SCANRT_SUM, SCANRT_I32, SCANRT_I32, SCANRT_I32, false);
	test_kernel_create(&kernel, device, &problem, variant);
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, tiles * srt_variant_tile(&kernel.variant));
	test_workspace_create(&workspace, device, reference.count);
	tap_is_uint(run_seeds(device, &scan, seeds, &waits), 0,
		"B085 B091: %s is right under %" PRIu64 " schedules, with few blocks resident too", variant, seeds);
	tap_ok(waits * 5 > seeds, "in %" PRIu64 " of which a warp waits in vain at least once", waits);
	srt_workspace_destroy(&workspace, device->driver);
	test_kernel_destroy(&kernel, device);
	reference_destroy(&reference);
	current_variant = NULL;
}

int main(void)
{
	struct test_device device;

	emulated_open(&device);
	atexit(tell_schedule);
	tap_plan(0);
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		check(&device, protocols[i], seeds_wanted());
	test_device_close(&device);
	return tap_done();
}
