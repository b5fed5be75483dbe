/* SPDX-License-Identifier: MIT
 *
 * What an untuned machine runs: the compiled-in variant of every size class, and the reproducible one.
 */
#include "../../lib/heuristic.h"
#include "../device.h"

struct defaults {
	struct test_device device;
	struct srt_workspace workspace;
	uint64_t largest;
};

/* The edges of the range, of the tile and of the wave of all resident blocks. */
static bool is_right(struct defaults *defaults, const struct srt_kernel *kernel, const struct srt_range *range)
{
	uint64_t tile = srt_variant_tile(&kernel->variant);
	uint64_t counts[] = { range->low_count, range->low_count + 1, tile, tile + 1, range->high_count,
		range->high_count - 1, 3 * (uint64_t)test_resident(kernel) * tile + 7 };
	struct reference reference;
	bool passes = true;

	reference_create(&reference, &kernel->problem, REFERENCE_EXACT, defaults->device.seed, defaults->largest);
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct test_scan scan = { &reference, kernel, &defaults->workspace, counts[i], 0, 0, false, 0 };

		if (counts[i] < range->low_count || counts[i] > range->high_count || counts[i] > defaults->largest)
			continue;
		passes = test_scan_passes(&defaults->device, &scan) && passes;
		scan.skip_out = 1;
		passes = test_scan_passes(&defaults->device, &scan) && passes;
	}
	reference_destroy(&reference);
	return passes;
}

static void check_variant(struct defaults *defaults, const struct srt_problem *problem, const struct srt_range *range)
{
	struct srt_strbuf text = { 0 };
	struct srt_kernel kernel;

	srt_problem_format(&text, problem, true);
	srt_strbuf_append(&text, " by ");
	srt_variant_format(&text, &range->variant);
	test_need(test_kernel_try(&kernel, &defaults->device, problem, &range->variant, SRT_CODEGEN_AUTO));
	tap_ok(is_right(defaults, &kernel, range), "the default of %s is right", srt_strbuf_text(&text));
	/* Emulated code is not what ships: it has no registers to run out of. */
	if (!test_is_small(&defaults->device))
		tap_is_int(kernel.local_bytes, 0, "the default of %s uses no local memory", srt_strbuf_text(&text));
	srt_strbuf_free(&text);
	test_kernel_destroy(&kernel, &defaults->device);
}

static void check_problem(struct defaults *defaults, int op, int type, bool is_exclusive)
{
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	struct srt_range fixed = { 1, UINT64_MAX, { 0 } };
	struct srt_problem problem;
	size_t count;

	test_problem(&problem, op, type, type, type, is_exclusive);
	count = srt_heuristic_ranges(ranges, &problem, &defaults->device.facts);
	tap_ok(count > 0, "%s %s has a default", srt_op_name(op), srt_type_name(type));
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].low_count <= defaults->largest)
			check_variant(defaults, &problem, &ranges[i]);
	}
	test_need(srt_heuristic_reproducible(&fixed.variant, &problem, &defaults->device.facts));
	fixed.high_count = srt_variant_max_count(&fixed.variant);
	check_variant(defaults, &problem, &fixed);
}

int main(void)
{
	struct defaults defaults = { 0 };
	unsigned every;

	test_device_open(&defaults.device);
	defaults.largest = test_cap(&defaults.device, 9000000);
	test_workspace_create(&defaults.workspace, &defaults.device, defaults.largest);
	every = test_rounds(&defaults.device, 1, 5);
	tap_plan(0);
	for (int t = 0; srt_type_at(t); t++) {
		if ((unsigned)t % every == 0 && test_takes_next(&defaults.device))
			check_problem(&defaults, t & 1 ? SCANRT_MAX : SCANRT_SUM, srt_type_at(t), t & 2);
	}
	srt_workspace_destroy(&defaults.workspace, defaults.device.driver);
	test_device_close(&defaults.device);
	return tap_done();
}
