/* SPDX-License-Identifier: MIT
 *
 * cp.async and cp.async.bulk: what they look like.
 */
#include "async.h"
#include "control.h"
#include "decode.h"

static bool decode_arrive(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_noinc = emu_take(statement, "noinc");
	struct emu_address address;
	struct emu_insn *insn;

	emu_take(statement, "arrive");
	emu_take_space(statement);
	emu_take(statement, "b64");
	if (!emu_operand_count(parser, statement, 1, 1) || !emu_all_taken(parser, statement) ||
			!emu_take_address(parser, statement, &statement->operands[0], &address))
		return false;
	insn = emu_emit(parser, statement, emu_run_small_arrive);
	emu_put_address(insn, &address);
	insn->flags |= is_noinc ? INSN_NOINC : 0;
	return true;
}

static struct emu_copy_shape *make_shape(struct emu_parser *parser, const struct emu_address *to,
		const struct emu_address *from, const struct emu_address *barrier)
{
	struct emu_copy_shape *shape = emu_arena_alloc(&parser->module->arena, sizeof *shape);

	if (!shape) {
		emu_parse_no_memory(parser);
		return NULL;
	}
	*shape = (struct emu_copy_shape){ .to_offset = to->offset, .from_offset = from->offset,
		.barrier_offset = barrier->offset, .to_wide = to->is_wide, .from_wide = from->is_wide,
		.barrier_wide = barrier->is_wide, .to_space = SPACE_SHARED, .from_space = SPACE_GLOBAL };
	return shape;
}

/* Into shared memory with an mbarrier, or into global memory in a group of copies. */
static bool decode_bulk(struct emu_parser *parser, struct emu_statement *statement)
{
	bool has_barrier = emu_take(statement, "mbarrier::complete_tx::bytes");
	bool is_group = emu_take(statement, "bulk_group"), is_to_global, is_from_global;
	struct emu_address to, from, barrier = { .op = NO_OPERAND };
	struct emu_copy_shape *shape;
	int32_t bytes;
	struct emu_insn *insn;

	emu_take(statement, "L2::cache_hint");
	is_to_global = statement->part_count > 3 && statement->parts[3].length == 6; /* global before shared */
	is_from_global = emu_take(statement, "global") && !is_to_global;
	emu_take_space(statement);
	emu_take_space(statement);
	if (has_barrier == is_group || is_to_global != is_group ||
			!emu_operand_count(parser, statement, has_barrier ? 4 : 3, has_barrier ? 5 : 4) ||
			!emu_all_taken(parser, statement) ||
			!emu_take_address(parser, statement, &statement->operands[0], &to) ||
			!emu_take_address(parser, statement, &statement->operands[1], &from) ||
			(has_barrier && !emu_take_address(parser, statement, &statement->operands[3], &barrier)))
		return emu_unknown(parser, statement, "is not known");
	bytes = emu_source(parser, statement, 2, 4);
	shape = make_shape(parser, &to, &from, &barrier);
	if (!shape)
		return false;
	shape->to_space = is_to_global ? SPACE_GLOBAL : SPACE_SHARED;
	shape->from_space = is_from_global ? SPACE_GLOBAL : SPACE_SHARED;
	insn = emu_emit(parser, statement, emu_run_bulk_copy);
	insn->extra = shape;
	emu_add_source(insn, to.op);
	emu_add_source(insn, from.op);
	emu_add_source(insn, bytes);
	emu_add_source(insn, barrier.op);
	return !parser->is_failed;
}

static bool decode_small(struct emu_parser *parser, struct emu_statement *statement)
{
	static const char *const hints[] = { "ca", "cg", "L2::64B", "L2::128B", "L2::256B", "L2::cache_hint" };
	struct emu_address to, from, none = { .op = NO_OPERAND };
	const struct emu_operand *size = &statement->operands[2];
	int32_t have = NO_OPERAND;
	struct emu_copy_shape *shape;
	struct emu_insn *insn;

	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		emu_take(statement, hints[i]);
	emu_take_space(statement);
	emu_take_space(statement);
	if (!emu_operand_count(parser, statement, 3, 4) || !emu_all_taken(parser, statement) ||
			!emu_take_address(parser, statement, &statement->operands[0], &to) ||
			!emu_take_address(parser, statement, &statement->operands[1], &from))
		return false;
	if (size->kind != OPERAND_NUMBER || (size->bits != 4 && size->bits != 8 && size->bits != 16))
		return emu_unknown(parser, statement, "copies 4, 8 or 16 bytes");
	if (statement->operand_count > 3)
		have = emu_source(parser, statement, 3, 4);
	shape = make_shape(parser, &to, &from, &none);
	if (!shape)
		return false;
	insn = emu_emit(parser, statement, emu_run_small_copy);
	insn->extra = shape;
	insn->target = (uint32_t)size->bits;
	emu_add_source(insn, to.op);
	emu_add_source(insn, from.op);
	emu_add_source(insn, have);
	return !parser->is_failed;
}

static bool decode_commit(struct emu_parser *parser, struct emu_statement *statement, bool is_bulk)
{
	emu_emit(parser, statement, is_bulk ? emu_run_bulk_commit : emu_run_small_commit);
	return emu_all_taken(parser, statement) && emu_operand_count(parser, statement, 0, 0);
}

/* wait_group N, wait_all. */
static bool decode_wait(struct emu_parser *parser, struct emu_statement *statement, bool is_bulk, bool is_all)
{
	bool is_read = emu_take(statement, "read");
	struct emu_insn *insn;

	if (!emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, !is_all, !is_all))
		return false;
	if (!is_all && (statement->operands[0].kind != OPERAND_NUMBER || statement->operands[0].bits > 1000))
		return emu_unknown(parser, statement, "needs a small number of groups");
	insn = emu_emit(parser, statement, is_bulk ? emu_run_bulk_wait : emu_run_small_wait);
	insn->offset = is_all ? -1 : (int64_t)statement->operands[0].bits;
	insn->flags = is_read ? INSN_READ : 0;
	return !parser->is_failed;
}

/* cp.async..., cp.async.bulk... */
static bool decode_copy(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_bulk;

	if (!emu_take(statement, "async"))
		return emu_unknown(parser, statement, "is not known");
	is_bulk = emu_take(statement, "bulk");
	if (emu_take(statement, "commit_group"))
		return decode_commit(parser, statement, is_bulk);
	if (emu_take(statement, "wait_group"))
		return decode_wait(parser, statement, is_bulk, false);
	if (!is_bulk && emu_take(statement, "wait_all"))
		return decode_wait(parser, statement, false, true);
	if (is_bulk && emu_take(statement, "prefetch")) {
		emu_emit(parser, statement, emu_run_nothing);
		return !parser->is_failed;
	}
	if (!is_bulk && emu_take(statement, "mbarrier"))
		return decode_arrive(parser, statement);
	return is_bulk ? decode_bulk(parser, statement) : decode_small(parser, statement);
}

const struct emu_family emu_async_families[] = {
	{ "cp", decode_copy },
	{ NULL, NULL },
};
