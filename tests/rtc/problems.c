/* SPDX-License-Identifier: MIT
 *
 * Every built-in type with every operator in every strategy, modes and knobs taking turns, compiles without a warning;
 * what an operator does not take is refused before a compiler is asked.  Without SCANRT_LONG=1, types and operators
 * take turns in the strategies, so that each strategy meets each of them, but not all of their pairs.
 */
#include <stdlib.h>

#include "batch.h"
#include "cubin.h"
#include "status.h"
#include "strategy.h"
#include "tests/tap.h"

#define ARCH "sm_90"
/* What the system takes of each block's shared memory on ARCH; a cubin counts it, and the limits of a block do not. */
#define SYSTEM_BYTES 1024

/* Written down again here, and not asked of the library. */
static bool is_taken(int op, int type)
{
	bool is_float = type == SCANRT_F16 || type == SCANRT_BF16 || type == SCANRT_F32 || type == SCANRT_F64;
	bool is_unsigned = type >= SCANRT_U8 && type <= SCANRT_U64;

	if (op == SRT_OP_AFFINE)
		return is_unsigned;
	return op <= SCANRT_MAX || !is_float;
}

static bool is_sampled(int type_index, int op, int strategy_index)
{
	int strategies = 0;

	while (srt_strategy_at(strategies))
		strategies++;
	return batch_is_long() || (type_index + op) % strategies == strategy_index;
}

static void add_operator(struct batch *batch, int op)
{
	struct srt_problem problem;
	struct srt_variant variant;
	unsigned turn;
	int strategy;
	int type;
	int status;
	int i;
	int s;

	for (i = 0; (type = srt_type_at(i)) != 0; i++) {
		status = srt_problem_init_simple(&problem, type, op);
		tap_is_int(status, is_taken(op, type) ? SCANRT_OK : SCANRT_ERROR_TYPE, "%s %s %s", srt_op_name(op),
			is_taken(op, type) ? "takes" : "refuses", srt_type_name(type));
		for (s = 0; (strategy = srt_strategy_at(s)) != 0 && !status; s++) {
			if (!is_sampled(i, op, s))
				continue;
			/* By type and strategy: each strategy meets each mode. */
			turn = (unsigned)batch->count;
			problem.is_exclusive = (i + s) & 1;
			problem.has_initial = (i + s) & 2;
			turned_variant(&variant, &problem, strategy, turn);
			batch_add(batch, &problem, &variant, ARCH);
		}
	}
}

/* What the host reckons before it compiles decides which variants are tried at all. */
static void test_shared_memory(const struct batch *batch)
{
	const struct compilation *one;
	size_t most = 0;
	size_t seen;
	size_t i;
	int wrong = 0;

	for (i = 0; i < batch->count; i++) {
		one = &batch->list[i];
		if (one->status)
			continue;
		seen = cubin_shared_bytes(one->bytes, one->size) - SYSTEM_BYTES;
		most = seen > most ? seen : most;
		if (seen <= srt_variant_static_bytes(&one->variant, &one->problem))
			continue;
		wrong++;
		tap_diag("strategy %d block %d items %d warp %d: %zu bytes reckoned, %zu taken", one->variant.strategy,
			one->variant.block, one->variant.items, one->variant.warp_scan,
			srt_variant_static_bytes(&one->variant, &one->problem), seen);
	}
	tap_is_int(wrong, 0, "no kernel takes more shared memory of its own than reckoned");
	tap_ok(most > 1024, "and some take over 1 KB: up to %zu bytes", most);
}

static void test_variables(const struct batch *batch)
{
	const struct compilation *one;
	size_t i;
	int wrong = 0;

	for (i = 0; i < batch->count; i++) {
		one = &batch->list[i];
		if (one->status || !cubin_has_variables(one->bytes, one->size))
			continue;
		wrong++;
		tap_diag("strategy %d, type %s", one->variant.strategy, srt_type_name(one->problem.input_type));
	}
	tap_is_int(wrong, 0, "no module has variables: constants are enumerators");
}

int main(void)
{
	const struct srt_rtc *rtc = batch_compiler();
	struct batch batch = { 0 };
	int op;

	tap_plan(0);
	for (op = 0; srt_op_at(op); op++)
		add_operator(&batch, srt_op_at(op));
	add_operator(&batch, SRT_OP_LAST);
	add_operator(&batch, SRT_OP_AFFINE);
	batch_run(&batch, rtc);
	batch_report(&batch);
	test_shared_memory(&batch);
	test_variables(&batch);
	batch_free(&batch);
	return tap_done();
}
