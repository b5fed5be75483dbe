/* SPDX-License-Identifier: MIT */
#include "mbarrier.h"

#include "cluster.h"
#include "decode.h"
#include "lanes.h"
#include "race.h"

#include <stdlib.h>

enum mbarrier_operation { INIT, INVALIDATE, ARRIVE, ARRIVE_DROP, EXPECT, COMPLETE, TEST, TRY };

struct emu_mbarrier *emu_mbarrier_find(const struct emu_cta *cta, uint32_t offset)
{
	struct emu_mbarrier *barrier = cta->mbarriers;

	while (barrier && !(barrier->offset == offset && barrier->is_valid))
		barrier = barrier->next;
	return barrier;
}

bool emu_mbarrier_overlaps(const struct emu_cta *cta, uint32_t offset, unsigned bytes)
{
	for (const struct emu_mbarrier *barrier = cta->mbarriers; barrier; barrier = barrier->next)
		if (barrier->is_valid && offset < barrier->offset + 8 && barrier->offset < offset + bytes)
			return true;
	return false;
}

void emu_mbarrier_free(struct emu_cta *cta)
{
	while (cta->mbarriers) {
		struct emu_mbarrier *next = cta->mbarriers->next;

		emu_clock_drop(&cta->mbarriers->arrived);
		emu_clock_drop(&cta->mbarriers->completed);
		free(cta->mbarriers);
		cta->mbarriers = next;
	}
}

/* A phase ends when nobody and no byte is awaited; then the next one begins at once with the full count.  Bytes may
 * come before they are expected: the transactions are below zero then, and the arrival that expects them is pending. */
static void complete_if_due(struct emu_cta *cta, struct emu_mbarrier *barrier)
{
	if (barrier->pending || barrier->transactions)
		return;
	barrier->phase++;
	barrier->pending = barrier->expected;
	emu_race_mbarrier_complete(barrier);
	for (unsigned i = 0; i < cta->warp_count; i++)
		emu_warp_wake(&cta->warps[i], WAIT_MBARRIER, barrier->offset, false);
	cta->run->version++;
}

void emu_mbarrier_transact(struct emu_cta *cta, struct emu_mbarrier *barrier, int32_t bytes)
{
	barrier->transactions -= bytes;
	complete_if_due(cta, barrier);
}

bool emu_mbarrier_arrive(struct emu_cta *cta, struct emu_mbarrier *barrier, uint32_t count)
{
	if (count > barrier->pending)
		return false;
	barrier->pending -= count;
	complete_if_due(cta, barrier);
	return true;
}

struct target {
	struct emu_cta *cta;
	struct emu_mbarrier *barrier;
	uint32_t offset;
	uint64_t address;
	int lane;
};

static int find_target(struct target *target, struct emu_warp *warp, const struct emu_insn *insn, int lane,
		unsigned operand)
{
	const void *base = emu_in(warp, insn->op[operand]);

	target->lane = lane;
	target->address = insn->flags & INSN_WIDE_ADDR ? ((const uint64_t *)base)[lane] + (uint64_t)insn->offset :
		(uint32_t)(((const uint32_t *)base)[lane] + (uint32_t)insn->offset);
	target->cta = emu_cluster_owner(warp, target->address, &target->offset);
	if (!target->cta || target->offset < EMU_SHARED_START ||
			target->offset + 8 > EMU_SHARED_START + target->cta->shared_bytes)
		return emu_fault(warp, insn, lane, CUDA_ERROR_ILLEGAL_ADDRESS, &target->address,
				"an mbarrier outside of shared memory");
	if (target->offset % 8)
		return emu_fault(warp, insn, lane, CUDA_ERROR_MISALIGNED_ADDRESS, &target->address,
				"misaligned mbarrier");
	if (emu_cluster_check_peer(warp, insn, lane, target->cta, target->address) == STEP_FAULT)
		return STEP_FAULT;
	target->barrier = emu_mbarrier_find(target->cta, target->offset);
	if (!target->barrier && insn->small[0] != INIT)
		return emu_fault(warp, insn, lane, CUDA_ERROR_LAUNCH_FAILED, &target->address,
				"an mbarrier that was not initialised");
	return STEP_NEXT;
}

static int initialise(struct emu_warp *warp, const struct emu_insn *insn, struct target *target)
{
	uint32_t count = ((const uint32_t *)emu_in(warp, insn->op[2]))[target->lane];
	struct emu_mbarrier *barrier;

	if (!count || count >= 1u << 20)
		return emu_fault(warp, insn, target->lane, CUDA_ERROR_LAUNCH_FAILED, &target->address,
				"mbarrier.init with a count of %u", count);
	if (emu_mbarrier_overlaps(target->cta, target->offset, 8))
		return emu_fault(warp, insn, target->lane, CUDA_ERROR_LAUNCH_FAILED, &target->address,
				"mbarrier.init of an object that is valid already");
	if (emu_race_mbarrier_init(target->cta, target->offset, warp, insn, target->lane) == STEP_FAULT)
		return STEP_FAULT;
	barrier = calloc(1, sizeof *barrier);
	if (!barrier)
		return emu_fault(warp, insn, target->lane, CUDA_ERROR_OUT_OF_MEMORY, NULL, "out of memory");
	*barrier = (struct emu_mbarrier){ .offset = target->offset, .is_valid = true, .expected = count,
		.pending = count, .next = target->cta->mbarriers };
	target->cta->mbarriers = barrier;
	warp->run->version++;
	return STEP_NEXT;
}

/* The token that an arrival gives: the phase, and what is pending. */
static uint64_t token_of(const struct emu_mbarrier *barrier)
{
	return (barrier->phase & 0xffffffffu) | (uint64_t)barrier->pending << 32;
}

static int too_many(struct emu_warp *warp, const struct emu_insn *insn, const struct target *target)
{
	return emu_fault(warp, insn, target->lane, CUDA_ERROR_LAUNCH_FAILED, &target->address,
			"more arrivals at an mbarrier than the %u it expects", target->barrier->expected);
}

/* op: state, address, a count or a number of bytes; the flag tells which. */
static int arrive(struct emu_warp *warp, const struct emu_insn *insn, struct target *target)
{
	struct emu_mbarrier *barrier = target->barrier;
	uint32_t number = insn->op[2] == NO_OPERAND ? 1 : ((const uint32_t *)emu_in(warp, insn->op[2]))[target->lane];
	bool expects = insn->small[1];

	if (insn->op[0] != NO_OPERAND)
		((uint64_t *)emu_out(warp, insn->op[0]))[target->lane] = token_of(barrier);
	if (expects)
		barrier->transactions += (int32_t)number;
	emu_race_mbarrier_arrive(target->cta, barrier, warp, target->lane, insn->order != ORDER_RELAXED);
	if (insn->small[0] == ARRIVE_DROP && barrier->expected)
		barrier->expected--;
	if (!emu_mbarrier_arrive(target->cta, barrier, expects ? 1 : number))
		return too_many(warp, insn, target);
	return STEP_NEXT;
}

static int invalidate(struct emu_warp *warp, const struct emu_insn *insn, struct target *target)
{
	(void)insn;
	target->barrier->is_valid = false;
	warp->run->version++;
	return STEP_NEXT;
}

static int update(struct emu_warp *warp, const struct emu_insn *insn, struct target *target)
{
	uint32_t bytes;

	if (emu_race_mbarrier_use(target->cta, target->offset, warp, insn, target->lane) == STEP_FAULT)
		return STEP_FAULT;
	switch ((enum mbarrier_operation)insn->small[0]) {
	case INVALIDATE:
		return invalidate(warp, insn, target);
	case ARRIVE:
	case ARRIVE_DROP:
		return arrive(warp, insn, target);
	case EXPECT:
		bytes = ((const uint32_t *)emu_in(warp, insn->op[2]))[target->lane];
		target->barrier->transactions += (int32_t)bytes;
		return STEP_NEXT;
	default:
		bytes = ((const uint32_t *)emu_in(warp, insn->op[2]))[target->lane];
		emu_mbarrier_transact(target->cta, target->barrier, (int32_t)bytes);
		return STEP_NEXT;
	}
}

static int run_update(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	struct target target;

	for (uint32_t left = lanes; left; left &= left - 1) {
		if (find_target(&target, warp, insn, __builtin_ctz(left), 1) == STEP_FAULT)
			return STEP_FAULT;
		if ((insn->small[0] == INIT ? initialise : update)(warp, insn, &target) == STEP_FAULT)
			return STEP_FAULT;
	}
	warp->run->counters.shared_atomics += (unsigned)__builtin_popcount(lanes);
	return STEP_NEXT;
}

/* Of a parity only the last bit is known: a wait that is two phases late hangs here as it does on a device. */
static bool is_past(const struct emu_warp *warp, const struct emu_insn *insn, const struct target *target)
{
	if (insn->flags & INSN_PARITY)
		return (target->barrier->phase & 1) !=
			(((const uint32_t *)emu_in(warp, insn->op[2]))[target->lane] & 1);
	return (uint32_t)target->barrier->phase !=
		(uint32_t)((const uint64_t *)emu_in(warp, insn->op[2]))[target->lane];
}

/* Where all wait in vain the scheduler lets waits fail, since a program may do something else then. */
static bool may_fail(struct emu_warp *warp, const struct emu_insn *insn)
{
	struct emu_group *group = &warp->groups[warp->current];
	bool is_told = group->resume;

	group->resume = 0;
	return insn->small[0] == TEST || is_told;
}

static int check_own(struct emu_warp *warp, const struct emu_insn *insn, const struct target *target)
{
	if (target->cta == warp->cta)
		return STEP_NEXT;
	return emu_fault(warp, insn, target->lane, CUDA_ERROR_LAUNCH_FAILED, &target->address,
			"a wait for the mbarrier of another CTA: only its own CTA can");
}

/* op: the predicate, address, state or parity. */
static int run_wait(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	bool fails = may_fail(warp, insn);
	uint32_t passed = 0, learnt = 0;
	struct target target = { .offset = 0 }, first = { .offset = 0 };

	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (find_target(&target, warp, insn, l, 1) == STEP_FAULT ||
				check_own(warp, insn, &target) == STEP_FAULT ||
				emu_race_mbarrier_use(target.cta, target.offset, warp, insn, l) == STEP_FAULT)
			return STEP_FAULT;
		if (!is_past(warp, insn, &target))
			continue;
		passed |= 1u << l;
		/* As a rule all lanes wait for the same one and learn the same. */
		if (!first.barrier)
			first = target;
		if (target.barrier == first.barrier)
			learnt |= 1u << l;
		else
			emu_race_mbarrier_wait(target.cta, target.barrier, warp, 1u << l, insn->order != ORDER_RELAXED);
	}
	if (learnt)
		emu_race_mbarrier_wait(first.cta, first.barrier, warp, learnt, insn->order != ORDER_RELAXED);
	if (passed == lanes || fails) {
		emu_out_mask(warp, insn->op[0], passed, lanes);
		if (passed == lanes)
			return STEP_NEXT;
		warp->groups[warp->current].hint = WAIT_MBARRIER;
		warp->groups[warp->current].key = target.offset;
		emu_warp_polls(warp);
		return STEP_NEXT;
	}
	warp->run->counters.spins++;
	emu_out_mask(warp, insn->op[0], passed, passed);
	return emu_warp_wait(warp, insn, lanes & ~passed, WAIT_MBARRIER, target.offset);
}

static int pending_count(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	uint32_t *d = emu_out(warp, insn->op[0]);
	const uint64_t *state = emu_in(warp, insn->op[1]);

	EACH_LANE(lanes, d[l] = (uint32_t)(state[l] >> 32));
	return STEP_NEXT;
}

static bool take_operation(struct emu_statement *statement, enum mbarrier_operation *operation, bool *expects)
{
	static const struct {
		const char *name;
		enum mbarrier_operation operation;
	} names[] = {
		{ "init", INIT }, { "inval", INVALIDATE }, { "arrive", ARRIVE }, { "arrive_drop", ARRIVE_DROP },
		{ "test_wait", TEST }, { "try_wait", TRY }, { "complete_tx", COMPLETE },
	};
	bool is_found = false;

	for (size_t i = 0; i < sizeof names / sizeof *names && !is_found; i++)
		if (emu_take(statement, names[i].name)) {
			*operation = names[i].operation;
			is_found = true;
		}
	*expects = emu_take(statement, "expect_tx");
	if (!is_found && *expects)
		*operation = EXPECT;
	emu_take(statement, "noComplete");
	return is_found || *expects;
}

/* init and inval have no result; the operands are put at op[0..2] all the same. */
static bool decode_update(struct emu_parser *parser, struct emu_statement *statement,
		enum mbarrier_operation operation, bool expects, enum emu_order order)
{
	bool has_state = operation == ARRIVE || operation == ARRIVE_DROP;
	bool is_bare = has_state && statement->operand_count && statement->operands[0].kind == OPERAND_ADDRESS;
	unsigned at = has_state && !is_bare ? 1 : 0;
	int32_t state = NO_OPERAND, number = NO_OPERAND;
	struct emu_address address;
	struct emu_insn *insn;

	if (!emu_operand_count(parser, statement, at + 1, at + 2) ||
			!emu_take_address(parser, statement, &statement->operands[at], &address))
		return false;
	if (at && statement->operands[0].kind != OPERAND_SINK)
		state = emu_destination(parser, statement, 0, 8);
	if (statement->operand_count > at + 1)
		number = emu_source(parser, statement, at + 1, 4);
	else if (operation != INVALIDATE && (!has_state || expects))
		return emu_unknown(parser, statement, "has the wrong number of operands");
	insn = emu_emit(parser, statement, run_update);
	emu_add_destination(insn, state);
	emu_put_address(insn, &address);
	emu_add_source(insn, number);
	insn->small[0] = (uint8_t)operation;
	insn->small[1] = expects;
	insn->order = (uint8_t)order;
	return !parser->is_failed;
}

static bool decode_wait(struct emu_parser *parser, struct emu_statement *statement,
		enum mbarrier_operation operation, bool is_parity, enum emu_order order)
{
	int32_t p, number;
	struct emu_address address;
	struct emu_insn *insn;

	if (!emu_operand_count(parser, statement, 3, 4) ||
			!emu_take_address(parser, statement, &statement->operands[1], &address))
		return false;
	p = emu_destination(parser, statement, 0, 0);
	number = emu_source(parser, statement, 2, is_parity ? 4 : 8);
	insn = emu_emit(parser, statement, run_wait);
	emu_add_destination(insn, p);
	emu_put_address(insn, &address);
	emu_add_source(insn, number);
	insn->small[0] = (uint8_t)operation;
	insn->flags |= is_parity ? INSN_PARITY : 0;
	insn->order = (uint8_t)order;
	return !parser->is_failed;
}

static bool decode_pending(struct emu_parser *parser, struct emu_statement *statement)
{
	int32_t d, a;
	struct emu_insn *insn;

	emu_take(statement, "b64");
	if (!emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, 2, 2))
		return false;
	d = emu_destination(parser, statement, 0, 4);
	a = emu_source(parser, statement, 1, 8);
	insn = emu_emit(parser, statement, pending_count);
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	return !parser->is_failed;
}

static bool decode_mbarrier(struct emu_parser *parser, struct emu_statement *statement)
{
	enum mbarrier_operation operation;
	enum emu_order order;
	enum emu_scope scope;
	bool expects, is_parity;

	if (emu_take(statement, "pending_count"))
		return decode_pending(parser, statement);
	if (!take_operation(statement, &operation, &expects))
		return emu_unknown(parser, statement, "is not known");
	is_parity = emu_take(statement, "parity");
	emu_take_order(statement, &order, &scope);
	emu_take_space(statement);
	emu_take(statement, "b64");
	if (!emu_all_taken(parser, statement))
		return false;
	if (operation == TEST || operation == TRY)
		return decode_wait(parser, statement, operation, is_parity, order);
	return decode_update(parser, statement, operation, expects, order);
}

const struct emu_family emu_mbarrier_families[] = {
	{ "mbarrier", decode_mbarrier },
	{ NULL, NULL },
};
