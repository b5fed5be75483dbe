/* SPDX-License-Identifier: MIT
 *
 * Every architecture that NVRTC knows, as machine code and as PTX.  Without SCANRT_LONG=1, of the problems each
 * strategy takes another one on each architecture, and each architecture makes PTX of one strategy and machine code of
 * one circuit, in turn.
 */
#include <stdio.h>
#include <stdlib.h>

#include "batch.h"
#include "cubin.h"
#include "status.h"
#include "strategy.h"
#include "tests/tap.h"

#define OLDEST 75

/* Types whose instructions differ between architectures, and the one that most people scan. */
static const struct {
	int type;
	int op;
} problems[] = { { SCANRT_I32, SCANRT_SUM }, { SCANRT_BF16, SCANRT_SUM }, { SCANRT_F32, SCANRT_MAX } };

static int strategy_count(void)
{
	int count = 0;

	while (srt_strategy_at(count))
		count++;
	return count;
}

static void add_arch(struct batch *batch, int capability, int turn)
{
	struct srt_problem problem;
	struct srt_variant variant;
	char arch[24];
	int strategy;
	int s;
	size_t i;

	for (s = 0; (strategy = srt_strategy_at(s)) != 0; s++) {
		if (capability < srt_strategy_find(strategy)->least_capability)
			continue;
		for (i = 0; i < sizeof(problems) / sizeof(problems[0]); i++) {
			srt_problem_init_simple(&problem, problems[i].type, problems[i].op);
			srt_variant_init(&variant, (enum srt_strategy)strategy);
			variant.items = 2 * srt_problem_vector(&problem);
			snprintf(arch, sizeof(arch), "sm_%d", capability);
			if (batch_is_long() || (s + turn) % 3 == (int)i)
				batch_add(batch, &problem, &variant, arch);
			snprintf(arch, sizeof(arch), "compute_%d", capability);
			if (i == 0 && (batch_is_long() || s == turn % strategy_count()))
				batch_add(batch, &problem, &variant, arch);
		}
	}
}

/* A circuit has one text for all architectures: each of these has one or two, in turn, by turns behind an exchange of
 * tiles. */
static void add_circuits(struct batch *batch, int capability, int turn)
{
	static const enum srt_strategy strategies[] = { SRT_BLOCK, SRT_LOOKBACK };
	struct srt_problem problem;
	struct srt_variant variant;
	char arch[24];
	int i;

	snprintf(arch, sizeof(arch), "sm_%d", capability);
	srt_problem_init_simple(&problem, SCANRT_U32, SRT_OP_AFFINE);
	for (i = 0; i < (batch_is_long() ? 2 : 1); i++) {
		srt_variant_init(&variant, strategies[(turn + turn / 4 + i) % 2]);
		variant.items = 2 * srt_problem_vector(&problem);
		variant.circuit = SRT_CIRCUIT_KOGGE_STONE + (turn + i) % (SRT_CIRCUIT_END - SRT_CIRCUIT_KOGGE_STONE);
		batch_add(batch, &problem, &variant, arch);
	}
}

static void test_local_memory(const struct batch *batch)
{
	const struct compilation *one;
	int spilled = 0;
	size_t i;

	for (i = 0; i < batch->count; i++) {
		one = &batch->list[i];
		if (one->status || one->arch[0] != 's' || cubin_stack_bytes(one->bytes, one->size) == 0)
			continue;
		spilled++;
		tap_diag("%s, strategy %d, type %s: %zu bytes of local memory a thread", one->arch,
			one->variant.strategy,
			srt_type_name(one->problem.input_type), cubin_stack_bytes(one->bytes, one->size));
	}
	tap_is_int(spilled, 0, "no kernel with a common variant uses local memory on any architecture");
}

int main(void)
{
	const struct srt_rtc *rtc = batch_compiler();
	struct batch batch = { 0 };
	int arch;
	int i;

	tap_plan(0);
	tap_ok(srt_rtc_nearest_arch(rtc, OLDEST) == OLDEST || srt_rtc_arch_at(rtc, 0) > OLDEST,
		"NVRTC knows sm_%d, or is too new for it", OLDEST);
	for (i = 0; (arch = srt_rtc_arch_at(rtc, i)) != 0; i++)
		if (arch >= OLDEST) {
			add_arch(&batch, arch, i);
			add_circuits(&batch, arch, i);
		}
	batch_run(&batch, rtc);
	batch_report(&batch);
	test_local_memory(&batch);
	batch_free(&batch);
	return tap_done();
}
