/* SPDX-License-Identifier: MIT
 *
 * Branches, ends, and what does nothing.
 */
#include "control.h"

#include "decode.h"
#include "lanes.h"

int emu_run_nothing(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)warp;
	(void)insn;
	(void)lanes;
	return STEP_NEXT;
}

/* A mark is not an instruction of the program: it takes itself out of the counts. */
int emu_run_mark(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	unsigned count = (unsigned)__builtin_popcount(lanes);

	(void)insn;
	warp->run->counters.applies += count;
	warp->run->counters.lane_instructions -= count;
	warp->run->counters.warp_instructions--;
	return STEP_NEXT;
}

int emu_run_local_address(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	const struct emu_variable *variable = insn->extra;
	uint64_t offset = variable->address + (uint64_t)insn->offset;

	if (insn->register_bytes[0] == 4) {
		uint32_t *d = emu_out(warp, insn->op[0]);

		EACH_LANE(lanes, d[l] = (uint32_t)(warp->local_top[l] + offset));
	} else {
		uint64_t *d = emu_out(warp, insn->op[0]);

		EACH_LANE(lanes, d[l] = warp->local_top[l] + offset);
	}
	return STEP_NEXT;
}

/* Going back after a strong load is how a program waits. */
int emu_run_branch(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	bool is_spin = warp->is_polling && insn->target <= (uint32_t)(insn - warp->run->code);

	emu_warp_jump(warp, lanes, insn->target);
	if (is_spin) {
		warp->is_polling = false;
		emu_warp_select(warp, lanes);
	}
	return is_spin ? STEP_SPIN : STEP_MOVED;
}

/* Lanes that go the same way go together; the others stay here and branch again. */
int emu_run_branch_table(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	const struct emu_branch_table *table = insn->extra;
	const uint32_t *index = emu_in(warp, insn->op[0]);
	uint32_t first = index[__builtin_ctz(lanes)], same = 0;

	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (index[l] >= table->count)
			return emu_fault(warp, insn, l, CUDA_ERROR_INVALID_PC, NULL,
					"branch by index %u in a table of %u", index[l], table->count);
		if (index[l] == first)
			same |= 1u << l;
	}
	if (same != lanes)
		emu_warp_jump(warp, lanes & ~same, (uint32_t)(insn - warp->run->code));
	return emu_warp_jump(warp, same, table->targets[first]);
}

int emu_run_exit(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)insn;
	return emu_warp_exit(warp, lanes);
}

int emu_run_trap(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	return emu_fault(warp, insn, __builtin_ctz(lanes), CUDA_ERROR_LAUNCH_FAILED, NULL, "trap");
}

static bool decode_bra(struct emu_parser *parser, struct emu_statement *statement)
{
	const struct emu_operand *label = &statement->operands[0];
	struct emu_insn *insn;

	emu_take(statement, "uni");
	if (!emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, 1, 1))
		return false;
	if (label->kind != OPERAND_LABEL)
		return emu_unknown(parser, statement, "needs a label");
	insn = emu_emit(parser, statement, emu_run_branch);
	insn->ends_block = true;
	return emu_label_refer(parser, label->text, label->length, parser->module->code_count - 1, NULL);
}

static bool decode_brx(struct emu_parser *parser, struct emu_statement *statement)
{
	int32_t index;
	struct emu_insn *insn;

	emu_take(statement, "idx");
	emu_take(statement, "uni");
	if (!emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, 2, 2))
		return false;
	if (statement->operands[1].kind != OPERAND_TABLE)
		return emu_unknown(parser, statement, "needs a list of targets");
	index = emu_source(parser, statement, 0, 4);
	insn = emu_emit(parser, statement, emu_run_branch_table);
	insn->ends_block = true;
	insn->extra = statement->operands[1].table;
	emu_add_source(insn, index);
	return !parser->is_failed;
}

static bool decode_plain(struct emu_parser *parser, struct emu_statement *statement, emu_run_fn *run)
{
	emu_take(statement, "uni");
	if (!emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, 0, 0))
		return false;
	emu_emit(parser, statement, run)->ends_block = true;
	return !parser->is_failed;
}

static bool decode_ret(struct emu_parser *parser, struct emu_statement *statement)
{
	return decode_plain(parser, statement, parser->function->is_entry ? emu_run_exit : emu_run_return);
}

static bool decode_exit(struct emu_parser *parser, struct emu_statement *statement)
{
	return decode_plain(parser, statement, emu_run_exit);
}

static bool decode_trap(struct emu_parser *parser, struct emu_statement *statement)
{
	return decode_plain(parser, statement, emu_run_trap);
}

static bool decode_nothing(struct emu_parser *parser, struct emu_statement *statement)
{
	emu_emit(parser, statement, emu_run_nothing);
	return !parser->is_failed;
}

bool emu_decode_mark(struct emu_parser *parser)
{
	emu_emit(parser, NULL, emu_run_mark);
	return !parser->is_failed;
}

bool emu_decode_end(struct emu_parser *parser)
{
	emu_emit(parser, NULL, parser->function->is_entry ? emu_run_exit : emu_run_return)->ends_block = true;
	return !parser->is_failed;
}

const struct emu_family emu_control_families[] = {
	{ "bra", decode_bra }, { "brx", decode_brx }, { "ret", decode_ret }, { "exit", decode_exit },
	{ "trap", decode_trap }, { "brkpt", decode_nothing }, { "pmevent", decode_nothing },
	{ "griddepcontrol", decode_nothing }, { "setmaxnreg", decode_nothing },
	{ NULL, NULL },
};
