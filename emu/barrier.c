/* SPDX-License-Identifier: MIT
 *
 * CTA barriers and fences.
 */
#include "decode.h"
#include "cluster.h"
#include "lanes.h"
#include "mbarrier.h"
#include "order.h"
#include "race.h"
#include "sync.h"

enum barrier_operation { BARRIER_SYNC, BARRIER_ARRIVE, BARRIER_POPC, BARRIER_AND, BARRIER_OR };

/* Threads that have left the kernel are not waited for, as the device does from Volta on. */
static uint32_t live_threads(const struct emu_cta *cta)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < cta->warp_count; i++)
		count += (uint32_t)__builtin_popcount(cta->warps[i].live);
	return count;
}

static void give_result(struct emu_warp *warp, const struct emu_insn *insn, const struct emu_barrier *barrier,
		uint32_t lanes)
{
	uint32_t *d;

	if (insn->small[0] == BARRIER_POPC) {
		d = emu_out(warp, insn->op[0]);
		EACH_LANE(lanes, d[l] = barrier->true_count);
	} else if (insn->small[0] == BARRIER_AND) {
		emu_out_mask(warp, insn->op[0], barrier->all_true ? EMU_ALL_LANES : 0, lanes);
	} else if (insn->small[0] == BARRIER_OR) {
		emu_out_mask(warp, insn->op[0], barrier->any_true ? EMU_ALL_LANES : 0, lanes);
	}
}

/* The waiting groups get the result of a reduction here, since the barrier is then cleared for its next use. */
static void release_warp(struct emu_warp *warp, const struct emu_barrier *barrier, unsigned id)
{
	for (unsigned i = 0; i < warp->group_count; i++) {
		const struct emu_group *group = &warp->groups[i];

		if (group->state != GROUP_WAITING || group->wait != WAIT_BARRIER || group->key != id)
			continue;
		give_result(warp, &warp->run->code[group->pc], barrier, group->lanes);
		emu_race_barrier_leave(warp, group->lanes, barrier->clock);
	}
	emu_warp_wake(warp, WAIT_BARRIER, id, true);
}

static void complete(struct emu_cta *cta, unsigned id)
{
	struct emu_barrier *barrier = &cta->barriers[id];

	for (unsigned i = 0; i < cta->warp_count; i++)
		release_warp(&cta->warps[i], barrier, id);
	emu_clock_drop(&barrier->clock);
	*barrier = (struct emu_barrier){ .generation = barrier->generation + 1 };
	cta->run->counters.barriers++;
	cta->run->version++;
}

static bool is_complete(const struct emu_cta *cta, const struct emu_barrier *barrier)
{
	return barrier->arrived && barrier->arrived >= (barrier->is_all ? live_threads(cta) : barrier->expected);
}

/* A thread that exits may be the last that a barrier of all threads was waiting for. */
void emu_barrier_recheck(struct emu_cta *cta)
{
	for (unsigned id = 0; id < EMU_BARRIERS; id++)
		if (cta->barriers[id].is_all && is_complete(cta, &cta->barriers[id]))
			complete(cta, id);
}

/* Operands may be missing: the barrier's number is op[1], the thread count op[2], the predicate op[3]. */
static int check_use(struct emu_warp *warp, const struct emu_insn *insn, uint32_t id, uint32_t count)
{
	const struct emu_barrier *barrier;
	int lane = -1;

	if (id >= EMU_BARRIERS)
		return emu_fault(warp, insn, lane, CUDA_ERROR_LAUNCH_FAILED, NULL, "barrier %u: there are %d", id,
				EMU_BARRIERS);
	barrier = &warp->cta->barriers[id];
	if (count % EMU_LANES)
		return emu_fault(warp, insn, lane, CUDA_ERROR_LAUNCH_FAILED, NULL,
				"barrier %u for %u threads, which is not a multiple of the warp size", id, count);
	if (count > warp->cta->warp_count * EMU_LANES)
		return emu_fault(warp, insn, lane, CUDA_ERROR_LAUNCH_FAILED, NULL,
				"barrier %u for %u threads, but the CTA has %u", id, count,
				warp->cta->warp_count * EMU_LANES);
	if (barrier->arrived && (barrier->is_all != !count || barrier->expected != count))
		return emu_fault(warp, insn, lane, CUDA_ERROR_LAUNCH_FAILED, NULL,
				"barrier %u is used with different numbers of threads at once", id);
	return STEP_NEXT;
}

static void add_predicates(struct emu_warp *warp, const struct emu_insn *insn, struct emu_barrier *barrier,
		uint32_t lanes)
{
	uint32_t mask;

	if (insn->small[0] < BARRIER_POPC)
		return;
	mask = emu_in_mask(warp, insn->op[3]);
	if (insn->flags & INSN_NEGATED)
		mask = ~mask;
	mask &= lanes;
	barrier->true_count += (uint32_t)__builtin_popcount(mask);
	barrier->all_true &= mask == lanes;
	barrier->any_true |= mask != 0;
}

/* An aligned barrier with a count counts whole warps, whichever of their lanes are left: so does the device. */
static int arrive(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, uint32_t id, uint32_t count)
{
	struct emu_barrier *barrier = &warp->cta->barriers[id];
	bool is_waiter = insn->small[0] != BARRIER_ARRIVE;
	uint32_t threads = insn->flags & INSN_ALIGNED && count ? EMU_LANES : (uint32_t)__builtin_popcount(lanes);

	if (!barrier->arrived) {
		barrier->expected = count;
		barrier->is_all = !count;
		barrier->all_true = 1;
	}
	if (count && barrier->arrived + threads > count)
		return emu_fault(warp, insn, -1, CUDA_ERROR_LAUNCH_FAILED, NULL,
				"more threads arrive at barrier %u than the %u it is for", id, count);
	barrier->arrived += threads;
	add_predicates(warp, insn, barrier, lanes);
	emu_race_barrier_arrive(warp, lanes, &barrier->clock);
	if (is_waiter)
		emu_warp_wait(warp, insn, lanes, WAIT_BARRIER, id);
	if (is_complete(warp->cta, barrier))
		complete(warp->cta, id);
	return is_waiter ? STEP_WAIT : STEP_NEXT;
}

/* A warp that meets an aligned barrier apart waits until all its lanes have come: that is what .aligned promises, and
 * what hangs or misbehaves on a device if it is not kept.  Here nobody can progress then, and it is said who waits. */
static int run_barrier(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	int first = __builtin_ctz(lanes);
	const uint32_t *ids = emu_in(warp, insn->op[1]);
	const uint32_t *counts = insn->op[2] == NO_OPERAND ? NULL : emu_in(warp, insn->op[2]);
	uint32_t id = ids[first], count = counts ? counts[first] : 0;

	for (uint32_t left = lanes; left; left &= left - 1)
		if (ids[__builtin_ctz(left)] != id || (counts && counts[__builtin_ctz(left)] != count))
			return emu_fault(warp, insn, __builtin_ctz(left), CUDA_ERROR_LAUNCH_FAILED, NULL,
					"the threads of a warp name different barriers or thread counts");
	if (check_use(warp, insn, id, count) == STEP_FAULT)
		return STEP_FAULT;
	if (insn->flags & INSN_ALIGNED && lanes != warp->live)
		return emu_warp_wait(warp, insn, lanes, WAIT_WARP, id);
	return arrive(warp, insn, lanes, id, count);
}

/* Who waited for lanes of its own warp looks again: the mask may now hold lanes that have left, which is an error that
 * only a second look finds. */
void emu_sync_exited(struct emu_warp *warp)
{
	for (unsigned i = 0; i < warp->group_count; i++) {
		struct emu_group *group = &warp->groups[i];

		if (group->state == GROUP_WAITING && (group->wait == WAIT_LANES || group->wait == WAIT_WARP))
			group->state = GROUP_READY;
	}
	emu_barrier_recheck(warp->cta);
	emu_cluster_exited(warp);
}

/* Bulk copies may complete on what the CTA has initialised from now on.  All of it: whether the fence's thread knows of
 * another's initialisation is for the race checks to see. */
static void tell_of_mbarriers(const struct emu_cta *cta)
{
	for (struct emu_mbarrier *barrier = cta->mbarriers; barrier; barrier = barrier->next)
		barrier->is_told = true;
}

static int run_fence(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	warp->run->counters.fences++;
	emu_order_fence(warp, insn, lanes);
	if (insn->small[1])
		tell_of_mbarriers(warp->cta);
	return STEP_NEXT;
}

/* Sleeping is a hint to let others run. */
static int run_sleep(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)warp;
	(void)insn;
	(void)lanes;
	return STEP_YIELD;
}

static bool decode_warp_sync(struct emu_parser *parser, struct emu_statement *statement)
{
	int32_t mask;

	if (!emu_take(statement, "sync") || !emu_operand_count(parser, statement, 1, 1))
		return emu_unknown(parser, statement, "is not known");
	mask = emu_source(parser, statement, 0, 4);
	emu_add_source(emu_emit(parser, statement, emu_run_sync_warp), mask);
	return emu_all_taken(parser, statement);
}

static bool take_operation(struct emu_statement *statement, enum barrier_operation *operation)
{
	if (emu_take(statement, "sync"))
		*operation = BARRIER_SYNC;
	else if (emu_take(statement, "arrive"))
		*operation = BARRIER_ARRIVE;
	else if (!emu_take(statement, "red"))
		return false;
	else if (emu_take(statement, "popc"))
		*operation = BARRIER_POPC;
	else if (emu_take(statement, "and"))
		*operation = BARRIER_AND;
	else if (emu_take(statement, "or"))
		*operation = BARRIER_OR;
	else
		return false;
	emu_take_type(statement);
	return true;
}

/* bar.red d, a{, b}, {!}p; the others a{, b}. */
static bool decode_operands(struct emu_parser *parser, struct emu_statement *statement, struct emu_insn *options)
{
	enum barrier_operation operation = (enum barrier_operation)options->small[0];
	bool is_red = operation >= BARRIER_POPC;
	unsigned at = is_red ? 1 : 0, last = statement->operand_count - (is_red ? 1 : 0);

	if (!emu_operand_count(parser, statement, is_red ? 3 : 1, is_red ? 4 : 2))
		return false;
	for (unsigned i = 0; i < 4; i++)
		options->op[i] = NO_OPERAND;
	if (is_red) {
		options->op[0] = emu_destination(parser, statement, 0, operation == BARRIER_POPC ? 4 : 0);
		options->op[3] = emu_source(parser, statement, last, 0);
		if (statement->operands[last].is_negated)
			options->flags |= INSN_NEGATED;
	}
	options->op[1] = emu_source(parser, statement, at, 4);
	if (at + 1 < last)
		options->op[2] = emu_source(parser, statement, at + 1, 4);
	else if (operation == BARRIER_ARRIVE)
		return emu_unknown(parser, statement, "needs a number of threads");
	return !parser->is_failed;
}

static bool decode_barrier(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_bar = statement->parts[0].length == 3;
	struct emu_insn options = { .run = NULL }, *insn;
	enum barrier_operation operation;

	if (emu_take(statement, "warp"))
		return decode_warp_sync(parser, statement);
	if (emu_take(statement, "cluster"))
		return emu_decode_cluster_barrier(parser, statement);
	emu_take(statement, "cta");
	if (!take_operation(statement, &operation))
		return emu_unknown(parser, statement, "is not known");
	if (emu_take(statement, "aligned") || is_bar)
		options.flags |= INSN_ALIGNED;
	options.small[0] = (uint8_t)operation;
	if (!emu_all_taken(parser, statement) || !decode_operands(parser, statement, &options))
		return false;
	insn = emu_emit(parser, statement, run_barrier);
	insn->small[0] = options.small[0];
	insn->flags = options.flags;
	emu_add_destination(insn, options.op[0]);
	for (unsigned i = 1; i < 4; i++)
		emu_add_source(insn, options.op[i]);
	return true;
}

/* fence.acq_rel.gpu, fence.sc, fence.proxy.async, fence.mbarrier_init.release.cluster, membar.gl ... */
static bool decode_fence(struct emu_parser *parser, struct emu_statement *statement)
{
	static const char *const ignored[] = { "sc", "proxy", "alias", "op_restrict", "global",
		"shared::cta", "shared::cluster", "sync_restrict::shared::cta", "sync_restrict::shared::cluster",
		"async::generic", "generic", "tensormap::generic" };
	bool is_async = emu_take(statement, "async") || emu_take(statement, "async.global");
	bool is_of_init = emu_take(statement, "mbarrier_init");
	enum emu_order order;
	enum emu_scope scope;
	struct emu_insn *insn;

	emu_take_order(statement, &order, &scope);
	if (emu_take(statement, "gl"))
		scope = EMU_SCOPE_GPU;
	if (statement->parts[0].text[0] == 'm' && scope == EMU_SCOPE_GPU && emu_take(statement, "sys"))
		scope = EMU_SCOPE_SYS;
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		emu_take(statement, ignored[i]);
	insn = emu_emit(parser, statement, run_fence);
	insn->scope = (uint8_t)scope;
	insn->order = (uint8_t)(order == ORDER_WEAK ? ORDER_ACQ_REL : order);
	insn->small[0] = is_async;
	insn->small[1] = is_async || is_of_init;
	return emu_all_taken(parser, statement);
}

static bool decode_sleep(struct emu_parser *parser, struct emu_statement *statement)
{
	emu_emit(parser, statement, run_sleep);
	return !parser->is_failed;
}

const struct emu_family emu_sync_families[] = {
	{ "bar", decode_barrier }, { "barrier", decode_barrier }, { "fence", decode_fence }, { "membar", decode_fence },
	{ "nanosleep", decode_sleep },
	{ NULL, NULL },
};
