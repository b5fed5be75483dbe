/* SPDX-License-Identifier: MIT
 *
 * Scans in place of arrays that are aligned to their elements only, under many schedules: tiles then share 16-byte
 * vectors, and whoever moves whole vectors reads what another block may be storing.  Results would be right all the
 * same, but not by PTX's memory model, so it is the device's own checks that decide here.  The scripts in_place_*.sh
 * run this on other models, since each architecture copies tiles by other instructions.
 *
 *   SCANRT_TEST_SEEDS   how many seeds for each kernel; default 40
 *   SCANRT_TEST_SEED    the first one
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"

#define TILES 5

/* The first ones copy whole vectors and meet every size of element; the others load by elements where arrays are not
 * aligned, and take one each in turn. */
#define COPYING 3
static const char *const protocols[] = { "lookahead,block=32,items=%d,stages=2,ahead=1",
	"lookahead,block=64,items=%d,stages=4,ahead=2", "lookahead,block=64,items=%d,stages=3,ahead=2,store=bulk",
	"lookback,block=64,items=%d",
	"lookback-serial,block=64,items=%d", "reduce,block=32,items=%d", "fan,block=64,items=%d" };
static const int types[] = { SCANRT_U8, SCANRT_I16, SCANRT_I32, SCANRT_F64 };

static char current_case[160];

/* A fault ends the program in the middle of a scan; this tells under which schedule. */
static void tell_case(void)
{
	if (*current_case)
		printf("# the program ended in %s\n", current_case);
}

static uint64_t seeds_wanted(void)
{
	const char *text = getenv("SCANRT_TEST_SEEDS");

	return text && *text ? strtoull(text, NULL, 10) : 40;
}

/* Few blocks at a time make a block meet tiles that are far apart; all of them, tiles that are neighbours. */
static bool seed_passes(const struct test_device *device, struct test_scan *scan, const char *variant, uint64_t seed)
{
	unsigned resident = (unsigned)(reference_random(seed, 1) % 4);

	emulated_schedule(seed, resident);
	snprintf(current_case, sizeof(current_case), "%s in place at +%" PRIu64 " under seed %" PRIu64 ", resident %u",
		variant, scan->skip_out, seed, resident);
	tap_case("%s", current_case);
	return test_scan_passes(device, scan);
}

static unsigned run_seeds(const struct test_device *device, struct test_scan *scan, const char *variant, uint64_t seeds)
{
	unsigned wrong = 0;

	for (uint64_t i = 0; i < seeds; i++) {
		uint64_t seed = device->seed + i;

		scan->count = reference_random(seed, 2) % scan->reference->count + 1;
		scan->skip_out = reference_random(seed, 3) % 32;
		wrong += !seed_passes(device, scan, variant, seed);
	}
	emulated_schedule(0, 0);
	tap_case(NULL);
	*current_case = '\0';
	return wrong;
}

static void check(struct test_device *device, const char *protocol, int type)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference reference;
	struct srt_workspace workspace;
	struct test_scan scan = { &reference, &kernel, &workspace, 0, 0, 0, true, 0 };
	char variant[80];

	test_problem(&problem, SCANRT_SUM, type, type, type, false);
	snprintf(variant, sizeof(variant), protocol, srt_problem_vector(&problem));
	test_kernel_create(&kernel, device, &problem, variant);
	reference_create(
		&reference, &problem, REFERENCE_EXACT, 1, TILES * (uint64_t)srt_variant_tile(&kernel.variant));
	test_workspace_create(&workspace, device, reference.count);
	tap_is_uint(run_seeds(device, &scan, variant, seeds_wanted()), 0,
		"B061: %s by %s in place reads nothing that another block may be writing", srt_type_name(type),
		variant);
	srt_workspace_destroy(&workspace, device->driver);
	test_kernel_destroy(&kernel, device);
	reference_destroy(&reference);
}

int main(void)
{
	struct test_device device;

	emulated_open(&device);
	atexit(tell_case);
	tap_plan(0);
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
			if (i < COPYING || t == i % 4)
				check(&device, protocols[i], types[t]);
	test_device_close(&device);
	return tap_done();
}
