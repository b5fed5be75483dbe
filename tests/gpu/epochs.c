/* SPDX-License-Identifier: MIT
 *
 * One workspace for many launches: nothing is cleared between them, so each must tell its own words from those of all
 * earlier launches, of other kernels, other tiles, and, after the epoch has wrapped, of the same epoch.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../../kernels/abi.h"
#include "../device.h"

struct entry {
	struct srt_kernel kernel;
	struct reference reference;
};

struct recipe {
	int op;
	int type;
	const char *variant;
};

static const struct recipe recipes[] = { { SRT_OP_AFFINE, SCANRT_U32, "lookback,block=64,items=4,residency=1" },
	{ SRT_OP_AFFINE, SCANRT_U64, "lookback,block=32,items=2,residency=1" },
	{ SRT_OP_AFFINE, SCANRT_U32, "lookahead,block=64,items=4,stages=3,ahead=2" },
	{ SRT_OP_AFFINE, SCANRT_U64, "lookahead,block=32,items=4,stages=4,ahead=3,gather=2" },
	{ SRT_OP_LAST, SCANRT_I8, "lookahead,block=32,items=16,stages=2,ahead=1" },
	{ SCANRT_SUM, SCANRT_F64, "lookback,block=32,items=2,warp=shared" },
	{ SCANRT_SUM, SCANRT_I32, "block,block=256,items=4" } };
#define ENTRIES (sizeof(recipes) / sizeof(recipes[0]))

struct bench {
	struct test_device device;
	struct srt_workspace workspace;
	struct entry entries[ENTRIES];
	uint64_t largest;
};

static void prepare(struct bench *bench)
{
	bench->largest = test_cap(&bench->device, 200000);
	if (test_is_small(&bench->device) && bench->largest > 1500)
		bench->largest = 1500; /* hundreds of launches on an emulated device */
	for (unsigned i = 0; i < ENTRIES; i++) {
		struct srt_problem problem;
		int type = recipes[i].type;

		test_problem(&problem, recipes[i].op, type, type, type, i & 1);
		test_kernel_create(&bench->entries[i].kernel, &bench->device, &problem, recipes[i].variant);
		reference_create(&bench->entries[i].reference, &problem, REFERENCE_EXACT, i, bench->largest);
	}
	test_workspace_create(&bench->workspace, &bench->device, bench->largest);
}

static bool run(struct bench *bench, unsigned index, uint64_t count, uint32_t grid_limit)
{
	struct entry *entry = &bench->entries[index];
	struct test_scan scan = { &entry->reference, &entry->kernel, &bench->workspace, count, 0, 0, false,
		grid_limit };
	uint64_t limit = srt_variant_max_count(&entry->kernel.variant);

	if (scan.count > limit)
		scan.count = limit;
	return test_scan_passes(&bench->device, &scan);
}

static void mixed_launches(struct bench *bench)
{
	struct test_random random = { bench->device.seed, 0 };
	unsigned rounds = test_rounds(&bench->device, 500, 60);
	bool passes = true;

	for (unsigned i = 0; i < rounds && passes; i++) {
		unsigned index = (unsigned)test_draw(&random, ENTRIES);
		/* Short and long in turn: a short launch leaves the words of a longer one behind it. */
		uint64_t bound = test_draw(&random, 2) ? bench->largest : 1 + bench->largest / 50;
		uint64_t count = 1 + test_draw(&random, bound);

		passes = run(bench, index, count, (uint32_t)test_draw(&random, 4));
	}
	tap_ok(passes, "%u launches of %u kernels with changing counts share one workspace", rounds, (unsigned)ENTRIES);
}

static uint64_t read_control(struct bench *bench, unsigned word)
{
	uint64_t value;

	test_download(&bench->device, &value, bench->workspace.address + word * sizeof(value), sizeof(value));
	return value;
}

static void set_epoch(struct bench *bench, uint64_t epoch)
{
	uint64_t ticket = epoch << 32;

	test_upload(&bench->device, bench->workspace.address, &ticket, sizeof(ticket));
}

/* The words below hold tags of low epochs already; the launches after the wrap use those very epochs again. */
static void wrap_with(struct bench *bench, unsigned index)
{
	struct test_random random = { bench->device.seed + index, 0 };
	const char *name = recipes[index].variant;
	bool passes = true;

	test_need(srt_workspace_clear(&bench->workspace, bench->device.driver));
	for (unsigned i = 0; i < 4 && passes; i++)
		passes = run(bench, index, bench->largest - i, 0);
	tap_ok(passes, "%s is right in a fresh workspace", name);
	tap_is_uint(read_control(bench, 0), UINT64_C(4) << 32, "%s advances the epoch by one a launch", name);
	set_epoch(bench, SCAN_EPOCH_LIMIT - 2);
	for (unsigned i = 0; i < 7 && passes; i++) {
		passes = run(bench, index, 1 + test_draw(&random, bench->largest), i % 3);
		tap_ok(passes, "%s is right %u launches after epoch %" PRIu64, name, i, (uint64_t)SCAN_EPOCH_LIMIT - 2);
		if (i == 1) {
			tap_is_uint(read_control(bench, 0), 0, "%s starts again at epoch 0 after the last one", name);
			tap_is_uint(read_control(bench, 1), 0, "%s leaves the count of leaving blocks at 0", name);
		}
	}
	tap_is_uint(read_control(bench, 0), UINT64_C(5) << 32, "%s goes on counting after the wrap", name);
}

/* What the last epoch clears must be all that any launch may read later, whatever the count of that launch. */
static void wrap_short_then_long(struct bench *bench, unsigned index)
{
	bool passes;

	test_need(srt_workspace_clear(&bench->workspace, bench->device.driver));
	passes = run(bench, index, bench->largest, 0); /* leaves words of epoch 0 on every tile */
	set_epoch(bench, SCAN_EPOCH_LIMIT - 1);
	passes = run(bench, index, 1, 0) && passes; /* the last epoch, one tile */
	passes = run(bench, index, bench->largest, 0) && passes;
	tap_ok(passes, "%s forgets old words of every tile when a short launch wraps the epoch",
		recipes[index].variant);
}

int main(void)
{
	struct bench bench = { 0 };

	test_device_open(&bench.device);
	tap_plan(0);
	prepare(&bench);
	mixed_launches(&bench);
	for (unsigned i = 0; i < ENTRIES - 1; i++) { /* the last one is `block`, which knows no epoch */
		wrap_with(&bench, i);
		wrap_short_then_long(&bench, i);
	}
	for (unsigned i = 0; i < ENTRIES; i++) {
		test_kernel_destroy(&bench.entries[i].kernel, &bench.device);
		reference_destroy(&bench.entries[i].reference);
	}
	srt_workspace_destroy(&bench.workspace, bench.device.driver);
	test_device_close(&bench.device);
	return tap_done();
}
