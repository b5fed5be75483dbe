/* SPDX-License-Identifier: MIT
 *
 * defaults [all]: the variants that are compiled in keep everything in registers, and compile without a warning, which
 * every plan's account would tell.  What an untuned machine runs must not depend on a tuner to be any good, and spills
 * show only in the machine code: the compiler does not warn of them.  With `all`, every type on every architecture;
 * else those that have the most to hold.
 */
#include <stdio.h>
#include <string.h>

#include "batch.h"
#include "cubin.h"
#include "heuristic.h"
#include "status.h"
#include "tests/tap.h"

/* As T4, A100, RTX 3090, RTX 4090, H200, B200 and RTX 5090 are limited. */
static const struct srt_device devices[] = {
	{ .capability = 75, .shared_per_sm = 65536, .shared_per_block = 65536, .registers_per_sm = 65536 },
	{ .capability = 80, .shared_per_sm = 167936, .shared_per_block = 166912, .registers_per_sm = 65536 },
	{ .capability = 86, .shared_per_sm = 102400, .shared_per_block = 101376, .registers_per_sm = 65536 },
	{ .capability = 89, .shared_per_sm = 102400, .shared_per_block = 101376, .registers_per_sm = 65536 },
	{ .capability = 90, .shared_per_sm = 233472, .shared_per_block = 232448, .registers_per_sm = 65536,
		.sm_count = 132 },
	{ .capability = 100, .shared_per_sm = 233472, .shared_per_block = 232448, .registers_per_sm = 65536,
		.sm_count = 148 },
	{ .capability = 120, .shared_per_sm = 102400, .shared_per_block = 101376, .registers_per_sm = 65536,
		.sm_count = 170 },
};

#define MEASURED 90 /* the architecture that the numbers were chosen on: all types are tried there */

/* The fewest bytes make the most items a thread; neither the sign nor the point makes a difference to what is held, but
 * where a sum is wider than its elements. */
static bool is_tried(int type, int capability)
{
	if (capability == MEASURED)
		return type == SCANRT_I8 || type == SCANRT_I16 || type == SCANRT_F16 || type == SCANRT_F32 ||
			type == SCANRT_F64;
	return type == SCANRT_I8;
}

static void add_variant(struct batch *batch, const struct srt_problem *problem, const struct srt_variant *variant,
	int capability)
{
	char arch[24];

	snprintf(arch, sizeof(arch), "sm_%d", capability);
	batch_add(batch, problem, variant, arch);
}

/* An exclusive scan holds one value more.  Scans by one block hold less than the look-back beside them. */
static void add_problem(struct batch *batch, const struct srt_device *device, int type, bool is_all)
{
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	struct srt_variant fixed;
	struct srt_problem problem;
	size_t count;
	size_t i;

	srt_problem_init_simple(&problem, type, SCANRT_SUM);
	problem.is_exclusive = true;
	count = srt_heuristic_ranges(ranges, &problem, device);
	for (i = 0; i < count; i++)
		if (is_all || ranges[i].variant.strategy != SRT_BLOCK)
			add_variant(batch, &problem, &ranges[i].variant, device->capability);
	if (!is_all && device->capability != MEASURED)
		return;
	tap_is_int(srt_heuristic_reproducible(&fixed, &problem, device), SCANRT_OK,
		"%s has a reproducible default on sm_%d", srt_type_name(type), device->capability);
	problem.is_exclusive = false; /* which keeps more of a lane's elements at once */
	add_variant(batch, &problem, &fixed, device->capability);
}

/* Maxima of doubles look at NaNs and at the sign of zero: for them, what has the most threads, and what is
 * reproducible: its blocks have half of the registers each. */
static void add_maxima(struct batch *batch, const struct srt_device *device)
{
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	struct srt_variant fixed;
	struct srt_problem problem;
	size_t count;

	srt_problem_init_simple(&problem, SCANRT_F64, SCANRT_MAX);
	count = srt_heuristic_ranges(ranges, &problem, device);
	for (size_t i = 0; i < count; i++)
		if (ranges[i].variant.strategy == SRT_TOTALS)
			add_variant(batch, &problem, &ranges[i].variant, device->capability);
	problem.is_exclusive = true;
	tap_is_int(srt_heuristic_reproducible(&fixed, &problem, device), SCANRT_OK,
		"maxima of f64 have a reproducible default on sm_%d", device->capability);
	add_variant(batch, &problem, &fixed, device->capability);
}

/* Of two element sizes: what large arrays get, which holds both. */
static void add_mixed(struct batch *batch, const struct srt_device *device)
{
	static const int types[][3] = { { SCANRT_I8, SCANRT_I32, SCANRT_I32 }, { SCANRT_I32, SCANRT_I64, SCANRT_I64 },
		{ SCANRT_F64, SCANRT_F64, SCANRT_F32 } };
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	struct srt_problem problem;
	size_t count;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		srt_problem_init_simple(&problem, types[i][1], SCANRT_SUM);
		problem.input_type = types[i][0];
		problem.output_type = types[i][2];
		count = srt_heuristic_ranges(ranges, &problem, device);
		add_variant(batch, &problem, &ranges[count - 1].variant, device->capability);
	}
}

static void add_measured(struct batch *batch, const struct srt_device *device)
{
	add_mixed(batch, device);
	add_maxima(batch, device);
}

static bool is_known(const struct srt_rtc *rtc, int capability)
{
	int arch;
	int i;

	for (i = 0; (arch = srt_rtc_arch_at(rtc, i)) != 0; i++)
		if (arch == capability)
			return true;
	return false;
}

static void check(const struct compilation *one)
{
	struct srt_strbuf name = { 0 };

	srt_problem_format(&name, &one->problem, true);
	srt_strbuf_append(&name, " by ");
	srt_variant_format(&name, &one->variant);
	if (one->status) {
		tap_ok(false, "the default of %s on %s compiles: %s", srt_strbuf_text(&name), one->arch, one->failure);
	} else {
		tap_is_int((int)cubin_stack_bytes(one->bytes, one->size), 0,
			"the default of %s uses no local memory on %s", srt_strbuf_text(&name), one->arch);
		tap_is_string(srt_strbuf_text(&one->log), "", "and compiles without a warning");
	}
	srt_strbuf_free(&name);
}

int main(int argc, char **argv)
{
	const struct srt_rtc *rtc = batch_compiler();
	bool is_all = argc > 1 && strcmp(argv[1], "all") == 0;
	struct batch batch = { 0 };
	size_t i;
	int t;

	tap_plan(0);
	for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		for (t = 0; srt_type_at(t) && is_known(rtc, devices[i].capability); t++)
			if (is_all || is_tried(srt_type_at(t), devices[i].capability))
				add_problem(&batch, &devices[i], srt_type_at(t), is_all);
	for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if ((is_all || devices[i].capability == MEASURED) && is_known(rtc, devices[i].capability))
			add_measured(&batch, &devices[i]);
	batch_run(&batch, rtc);
	for (i = 0; i < batch.count; i++)
		check(&batch.list[i]);
	batch_free(&batch);
	return tap_done();
}
