/* SPDX-License-Identifier: MIT
 *
 * Operations of the lanes of a mask: shuffles, votes, matches, reductions, bar.warp.sync.  They run when every lane of
 * the mask that has not exited is there, at whatever pc: compilers may copy code.
 */
#include "decode.h"
#include "lanes.h"
#include "race.h"
#include "sync.h"
#include "undefined.h"

enum collective { SYNC_WARP = 1, SHUFFLE, VOTE, MATCH, REDUCE, ELECT };

/* Who takes part, and with which instruction. */
struct meeting {
	struct emu_warp *warp;
	uint32_t lanes;
	const struct emu_insn *insn[EMU_LANES];
};

typedef void meet_fn(const struct meeting *meeting);

/* Collects the lanes at this instruction and those that wait elsewhere for the same mask. */
static void collect(struct meeting *meeting, const struct emu_insn *insn, uint32_t lanes, uint64_t key)
{
	const struct emu_warp *warp = meeting->warp;

	meeting->lanes = lanes;
	for (uint32_t left = lanes; left; left &= left - 1)
		meeting->insn[__builtin_ctz(left)] = insn;
	for (unsigned i = 0; i < warp->group_count; i++) {
		const struct emu_group *group = &warp->groups[i];

		if (group->state != GROUP_WAITING || group->wait != WAIT_LANES || group->key != key)
			continue;
		meeting->lanes |= group->lanes;
		for (uint32_t left = group->lanes; left; left &= left - 1)
			meeting->insn[__builtin_ctz(left)] = &warp->run->code[group->pc];
	}
}

/* The mask is the last operand.  Lanes with different masks meet separately, and so do different operations with one
 * mask: a vote does not answer a shuffle. */
static int meet(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, enum collective kind, meet_fn *run)
{
	const uint32_t *masks = emu_in(warp, insn->op[insn->op_count - 1]);
	struct meeting meeting = { .warp = warp };
	bool is_waiting = false;

	for (uint32_t left = lanes, same; left; left &= ~same) {
		uint32_t mask = masks[__builtin_ctz(left)];
		uint64_t key = (uint64_t)kind << 32 | mask;

		same = 0;
		for (uint32_t m = left; m; m &= m - 1)
			same |= (uint32_t)(masks[__builtin_ctz(m)] == mask) << __builtin_ctz(m);
		if (same & ~mask)
			return emu_fault(warp, insn, __builtin_ctz(same & ~mask), CUDA_ERROR_LAUNCH_FAILED, NULL,
					"the thread is not in the mask 0x%08x that it synchronises with", mask);
		collect(&meeting, insn, same, key);
		if ((mask & warp->live) & ~meeting.lanes) {
			emu_warp_wait(warp, insn, same, WAIT_LANES, key);
			is_waiting = true;
			continue;
		}
		run(&meeting);
		if (meeting.lanes != same)
			emu_warp_wake(warp, WAIT_LANES, key, true);
	}
	return is_waiting ? STEP_WAIT : STEP_NEXT;
}

static uint32_t lane_32(const struct meeting *meeting, int lane, unsigned operand)
{
	return ((const uint32_t *)emu_in(meeting->warp, meeting->insn[lane]->op[operand]))[lane];
}

static void set_32(const struct meeting *meeting, int lane, unsigned operand, uint32_t value)
{
	int32_t op = meeting->insn[lane]->op[operand];

	if (op != NO_OPERAND)
		((uint32_t *)emu_out(meeting->warp, op))[lane] = value;
}

static void set_pred(const struct meeting *meeting, int lane, unsigned operand, bool value)
{
	int32_t op = meeting->insn[lane]->op[operand];

	if (op != NO_OPERAND)
		emu_out_mask(meeting->warp, op, value ? 1u << lane : 0, 1u << lane);
}

static bool lane_pred(const struct meeting *meeting, int lane, unsigned operand)
{
	const struct emu_insn *insn = meeting->insn[lane];
	bool value = emu_in_mask(meeting->warp, insn->op[operand]) >> lane & 1;

	return insn->flags & INSN_NEGATED ? !value : value;
}

#define EACH_MEMBER(meeting, l) \
	for (uint32_t left_ = (meeting)->lanes, l = 0; left_ && ((l = (uint32_t)__builtin_ctz(left_)), true); \
			left_ &= left_ - 1)

enum shuffle_mode { UP, DOWN, BUTTERFLY, INDEX };

/* Which lane a lane reads, and whether that was inside the bounds. */
static uint32_t shuffle_source(enum shuffle_mode mode, uint32_t lane, uint32_t b, uint32_t c, bool *is_inside)
{
	uint32_t segment = c >> 8 & 31, clamp = c & 31, source;
	uint32_t most = (lane & segment) | (clamp & ~segment);

	b &= 31;
	source = mode == UP ? lane - b : mode == DOWN ? lane + b : mode == BUTTERFLY ? lane ^ b :
		(lane & segment) | (b & ~segment);
	*is_inside = mode == UP ? (int32_t)source >= (int32_t)most : (int32_t)source <= (int32_t)most;
	return *is_inside ? source : lane;
}

/* A value from a lane that does not take part is undefined; this makes it conspicuous. */
#define UNDEFINED 0xbaadf00du

static void run_shuffle(const struct meeting *meeting)
{
	struct emu_warp *warp = meeting->warp;
	uint32_t values[EMU_LANES], undefined = 0;
	bool is_inside;

	EACH_MEMBER(meeting, l) {
		values[l] = lane_32(meeting, (int)l, 2);
		undefined |= (uint32_t)emu_undefined_is(warp, meeting->insn[l]->op[2], l) << l;
	}
	EACH_MEMBER(meeting, l) {
		uint32_t source = shuffle_source((enum shuffle_mode)meeting->insn[l]->small[0], l,
				lane_32(meeting, (int)l, 3), lane_32(meeting, (int)l, 4), &is_inside);

		set_32(meeting, (int)l, 0, meeting->lanes >> (source & 31) & 1 ? values[source & 31] : UNDEFINED);
		set_pred(meeting, (int)l, 1, is_inside);
		emu_undefined_set(warp, meeting->insn[l]->op[0], l, undefined >> (source & 31) & 1);
		emu_undefined_set(warp, meeting->insn[l]->op[1], l, false);
	}
	warp->run->counters.shuffles++;
}

enum vote_mode { ALL, ANY, UNIFORM, BALLOT };

static void run_vote(const struct meeting *meeting)
{
	uint32_t ballot = 0;

	EACH_MEMBER(meeting, l)
		ballot |= (uint32_t)lane_pred(meeting, (int)l, 1) << l;
	EACH_MEMBER(meeting, l) {
		enum vote_mode mode = (enum vote_mode)meeting->insn[l]->small[0];

		if (mode == BALLOT)
			set_32(meeting, (int)l, 0, ballot);
		else
			set_pred(meeting, (int)l, 0, mode == ALL ? ballot == meeting->lanes :
					mode == ANY ? ballot != 0 : ballot == 0 || ballot == meeting->lanes);
	}
	meeting->warp->run->counters.shuffles++;
}

static uint64_t lane_value(const struct meeting *meeting, int lane, unsigned operand)
{
	if (meeting->insn[lane]->register_bytes[0] == 4)
		return lane_32(meeting, lane, operand);
	return ((const uint64_t *)emu_in(meeting->warp, meeting->insn[lane]->op[operand]))[lane];
}

/* op: d, p, a, mask. */
static void run_match(const struct meeting *meeting)
{
	uint64_t values[EMU_LANES];

	EACH_MEMBER(meeting, l)
		values[l] = lane_value(meeting, (int)l, 2);
	EACH_MEMBER(meeting, l) {
		uint32_t same = 0;

		for (uint32_t m = meeting->lanes; m; m &= m - 1)
			same |= (uint32_t)(values[__builtin_ctz(m)] == values[l]) << __builtin_ctz(m);
		if (meeting->insn[l]->small[0] == ALL) {
			set_32(meeting, (int)l, 0, same == meeting->lanes ? same : 0);
			set_pred(meeting, (int)l, 1, same == meeting->lanes);
		} else {
			set_32(meeting, (int)l, 0, same);
		}
	}
	meeting->warp->run->counters.shuffles++;
}

enum reduction {
	REDUCE_ADD, REDUCE_MIN_U, REDUCE_MAX_U, REDUCE_MIN_S, REDUCE_MAX_S, REDUCE_AND, REDUCE_OR, REDUCE_XOR
};

static uint32_t reduce(enum reduction how, uint32_t a, uint32_t b)
{
	switch (how) {
	case REDUCE_ADD:
		return a + b;
	case REDUCE_MIN_U:
		return a < b ? a : b;
	case REDUCE_MAX_U:
		return a > b ? a : b;
	case REDUCE_MIN_S:
		return (int32_t)a < (int32_t)b ? a : b;
	case REDUCE_MAX_S:
		return (int32_t)a > (int32_t)b ? a : b;
	case REDUCE_AND:
		return a & b;
	case REDUCE_OR:
		return a | b;
	default:
		return a ^ b;
	}
}

static void run_reduce(const struct meeting *meeting)
{
	int first = __builtin_ctz(meeting->lanes);
	uint32_t result = lane_32(meeting, first, 1);

	for (uint32_t m = meeting->lanes & (meeting->lanes - 1); m; m &= m - 1)
		result = reduce((enum reduction)meeting->insn[first]->small[0], result,
				lane_32(meeting, __builtin_ctz(m), 1));
	EACH_MEMBER(meeting, l)
		set_32(meeting, (int)l, 0, result);
	meeting->warp->run->counters.shuffles++;
}

static void run_elect(const struct meeting *meeting)
{
	int leader = __builtin_ctz(meeting->lanes);

	EACH_MEMBER(meeting, l) {
		set_32(meeting, (int)l, 0, (uint32_t)leader);
		set_pred(meeting, (int)l, 1, (int)l == leader);
	}
}

static void run_sync_warp(const struct meeting *meeting)
{
	emu_race_sync_warp(meeting->warp, meeting->lanes);
	meeting->warp->run->counters.warp_barriers++;
}

#define COLLECTIVE(name, kind, run) \
	static int name(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes) \
	{ \
		return meet(warp, insn, lanes, kind, run); \
	}
COLLECTIVE(shuffle, SHUFFLE, run_shuffle)
COLLECTIVE(vote, VOTE, run_vote)
COLLECTIVE(match, MATCH, run_match)
COLLECTIVE(reduce_warp, REDUCE, run_reduce)
COLLECTIVE(elect, ELECT, run_elect)
COLLECTIVE(sync_warp, SYNC_WARP, run_sync_warp)

int emu_run_sync_warp(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	return sync_warp(warp, insn, lanes);
}

static unsigned take_one(struct emu_statement *statement, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (emu_take(statement, names[i]))
			return i;
	return count;
}

static bool decode_shuffle(struct emu_parser *parser, struct emu_statement *statement)
{
	static const char *const modes[] = { "up", "down", "bfly", "idx" };
	unsigned mode = take_one(statement, modes, 4);
	int32_t operands[5];
	struct emu_insn *insn;

	emu_take(statement, "sync");
	if (mode == 4 || !emu_take(statement, "b32") || !emu_operand_count(parser, statement, 5, 5))
		return emu_unknown(parser, statement, "is not known");
	operands[0] = emu_destination(parser, statement, 0, 4);
	for (unsigned i = 1; i < 5; i++)
		operands[i] = emu_source(parser, statement, i, 4);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, shuffle);
	insn->small[0] = (uint8_t)mode;
	emu_add_destination(insn, operands[0]);
	emu_add_destination(insn, statement->operands[0].pair);
	for (unsigned i = 1; i < 5; i++)
		emu_add_source(insn, operands[i]);
	return true;
}

static bool decode_vote(struct emu_parser *parser, struct emu_statement *statement)
{
	static const char *const modes[] = { "all", "any", "uni", "ballot" };
	unsigned mode = take_one(statement, modes, 4);
	int32_t d, a, mask;
	struct emu_insn *insn;

	emu_take_type(statement);
	if (mode == 4 || !emu_take(statement, "sync") || !emu_operand_count(parser, statement, 3, 3))
		return emu_unknown(parser, statement, "is not known");
	d = emu_destination(parser, statement, 0, mode == BALLOT ? 4 : 0);
	a = emu_source(parser, statement, 1, 0);
	mask = emu_source(parser, statement, 2, 4);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, vote);
	insn->small[0] = (uint8_t)mode;
	insn->flags = statement->operands[1].is_negated ? INSN_NEGATED : 0;
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	emu_add_source(insn, mask);
	return true;
}

static bool decode_match(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_all = emu_take(statement, "all"), is_any = !is_all && emu_take(statement, "any");
	unsigned bytes = emu_type_bytes(emu_take_type(statement));
	int32_t d, a, mask;
	struct emu_insn *insn;

	if ((!is_all && !is_any) || (bytes != 4 && bytes != 8) || !emu_take(statement, "sync") ||
			!emu_operand_count(parser, statement, 3, 3))
		return emu_unknown(parser, statement, "is not known");
	d = emu_destination(parser, statement, 0, 4);
	a = emu_source(parser, statement, 1, bytes);
	mask = emu_source(parser, statement, 2, 4);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, match);
	insn->small[0] = is_all ? ALL : ANY;
	insn->register_bytes[0] = (uint8_t)bytes;
	emu_add_destination(insn, d);
	emu_add_destination(insn, statement->operands[0].pair);
	emu_add_source(insn, a);
	emu_add_source(insn, mask);
	return true;
}

static bool decode_reduce(struct emu_parser *parser, struct emu_statement *statement)
{
	static const char *const names[] = { "add", "min", "max", "and", "or", "xor" };
	static const enum reduction unsigned_ways[] = { REDUCE_ADD, REDUCE_MIN_U, REDUCE_MAX_U, REDUCE_AND, REDUCE_OR,
		REDUCE_XOR };
	unsigned which = take_one(statement, names, 6);
	enum emu_type type = emu_take_type(statement);
	enum reduction how;
	int32_t d, a, mask;
	struct emu_insn *insn;

	if (which == 6 || (type != TYPE_U32 && type != TYPE_S32 && type != TYPE_B32) || !emu_take(statement, "sync") ||
			!emu_operand_count(parser, statement, 3, 3))
		return emu_unknown(parser, statement, "is not known");
	how = unsigned_ways[which];
	if (type == TYPE_S32 && (how == REDUCE_MIN_U || how == REDUCE_MAX_U))
		how = how == REDUCE_MIN_U ? REDUCE_MIN_S : REDUCE_MAX_S;
	d = emu_destination(parser, statement, 0, 4);
	a = emu_source(parser, statement, 1, 4);
	mask = emu_source(parser, statement, 2, 4);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, reduce_warp);
	insn->small[0] = (uint8_t)how;
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	emu_add_source(insn, mask);
	return true;
}

static bool decode_elect(struct emu_parser *parser, struct emu_statement *statement)
{
	int32_t d, mask;
	struct emu_insn *insn;

	if (!emu_take(statement, "sync") || !emu_operand_count(parser, statement, 2, 2))
		return emu_unknown(parser, statement, "is not known");
	d = emu_destination(parser, statement, 0, 4);
	mask = emu_source(parser, statement, 1, 4);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, elect);
	emu_add_destination(insn, d);
	emu_add_destination(insn, statement->operands[0].pair);
	emu_add_source(insn, mask);
	return true;
}

const struct emu_family emu_collective_families[] = {
	{ "shfl", decode_shuffle }, { "vote", decode_vote }, { "match", decode_match }, { "redux", decode_reduce },
	{ "elect", decode_elect },
	{ NULL, NULL },
};
