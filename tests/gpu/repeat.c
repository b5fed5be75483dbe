/* SPDX-License-Identifier: MIT
 *
 * The same bits every time: for one variant the order of combination is fixed, whatever the timing and the number of
 * blocks.  Look-back is the exception, and marked so.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../bits.h"

struct repeat {
	struct test_device device;
	struct srt_workspace workspace;
	struct test_bits bits;
};

static void begin(struct repeat *repeat, const int types[3], const char *variant, uint64_t count)
{
	struct srt_problem problem;
	void *input = malloc(count * 8);

	if (!input)
		abort();
	test_problem(&problem, SCANRT_SUM, types[0], types[1], types[2], false);
	for (uint64_t i = 0; i < count; i++)
		element_store(types[0], input, i, test_bits_element(i));
	test_bits_create(&repeat->bits, &repeat->device, &problem, variant, input, count, 0);
	free(input);
	test_upload(&repeat->device, repeat->bits.in.address, repeat->bits.reference.input, repeat->bits.in.size);
}

static void launch_into(struct repeat *repeat, void *results, uint32_t grid_limit)
{
	test_buffer_poison(&repeat->bits.out, &repeat->device);
	test_need(srt_kernel_launch(&repeat->bits.kernel, repeat->device.driver, &repeat->workspace,
		repeat->bits.out.address, repeat->bits.in.address, repeat->bits.reference.count, grid_limit, NULL));
	test_synchronize(&repeat->device);
	test_download(&repeat->device, results, repeat->bits.out.address, repeat->bits.out.size);
}

static bool bits_repeat(struct repeat *repeat, unsigned launches, bool varies_grid)
{
	uint32_t resident = test_resident(&repeat->bits.kernel);

	for (unsigned i = 0; i < launches; i++) {
		uint32_t limit = varies_grid ? 1 + i * (resident - 1) / (launches > 1 ? launches - 1 : 1) : 0;

		launch_into(repeat, repeat->bits.later, limit);
		if (memcmp(repeat->bits.first, repeat->bits.later, repeat->bits.out.size) == 0)
			continue;
		tap_diag("launch %u with grid limit %u differs from the first", i, limit);
		return false;
	}
	return true;
}

static void check(struct repeat *repeat, const int types[3], const char *variant, uint64_t count)
{
	unsigned launches = test_rounds(&repeat->device, 100, 4);
	struct test_scan scan = { &repeat->bits.reference, &repeat->bits.kernel, &repeat->workspace, count, 0, 0,
		false, 0 };
	struct srt_strbuf name = { 0 };

	begin(repeat, types, variant, count);
	srt_problem_format(&name, &repeat->bits.reference.problem, false);
	launch_into(repeat, repeat->bits.first, 0);
	tap_ok(test_results_pass(&scan, repeat->bits.first),
		"B049 B057: %s by %s keeps its error bound at %" PRIu64 " elements", srt_strbuf_text(&name), variant,
		count);
	if (repeat->bits.kernel.variant.strategy != SRT_LOOKBACK)
		tap_ok(bits_repeat(repeat, launches, false), "B095: %s by %s gives the same bits %u times",
			srt_strbuf_text(&name), variant, launches);
	if (repeat->bits.kernel.variant.strategy == SRT_LOOKAHEAD)
		tap_ok(bits_repeat(repeat, test_rounds(&repeat->device, 140, 4), true),
			"B095: %s by %s gives the same bits with grids from 1 block to all", srt_strbuf_text(&name),
			variant);
	srt_strbuf_free(&name);
	test_bits_destroy(&repeat->bits, &repeat->device);
}

static const int float_types[][3] = { { SCANRT_F32, SCANRT_F32, SCANRT_F32 }, { SCANRT_F64, SCANRT_F64, SCANRT_F64 },
	{ SCANRT_F16, SCANRT_F32, SCANRT_F16 }, { SCANRT_BF16, SCANRT_F32, SCANRT_F32 },
	{ SCANRT_F32, SCANRT_F64, SCANRT_F32 } };

int main(void)
{
	struct repeat repeat = { 0 };
	uint64_t large;
	unsigned kinds;

	test_device_open(&repeat.device);
	tap_plan(0);
	large = test_cap(&repeat.device, 1000003);
	kinds = test_rounds(&repeat.device, 5, 2);
	test_workspace_create(&repeat.workspace, &repeat.device, large);
	for (unsigned i = 0; i < kinds; i++) {
		check(&repeat, float_types[i], "block,block=128,items=8", test_cap(&repeat.device, 1001));
		check(&repeat, float_types[i], "lookback,block=64,items=8", large);
		check(&repeat, float_types[i], "lookahead,block=64,items=8,stages=4,ahead=3", large);
		if (!test_is_small(&repeat.device))
			check(&repeat, float_types[i],
				float_types[i][0] == SCANRT_F64 ? "lookahead,block=384,items=12,stages=4,ahead=2" :
							       "lookahead,block=384,items=24,stages=4,ahead=2",
				large);
	}
	srt_workspace_destroy(&repeat.workspace, repeat.device.driver);
	test_device_close(&repeat.device);
	return tap_done();
}
