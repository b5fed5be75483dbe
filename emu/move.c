/* SPDX-License-Identifier: MIT
 *
 * mov, packing and unpacking, the conversion of addresses between windows, activemask.
 */
#include "control.h"
#include "decode.h"
#include "lanes.h"
#include "special.h"

#include <string.h>

struct two_words {
	uint64_t word[2];
};

ALU_1(copy_8, uint8_t, uint8_t, a[l])
ALU_1(copy_16, uint16_t, uint16_t, a[l])
ALU_1(copy_32, uint32_t, uint32_t, a[l])
ALU_1(copy_64, uint64_t, uint64_t, a[l])

ALU_HEAD(copy_128)
{
	struct two_words *d = emu_out(warp, insn->op[0]);
	const struct two_words *a = emu_in(warp, insn->op[1]);

	EACH_LANE(lanes, d[l] = a[l]);
	return STEP_NEXT;
}

ALU_HEAD(copy_pred)
{
	emu_out_mask(warp, insn->op[0], emu_in_mask(warp, insn->op[1]), lanes);
	return STEP_NEXT;
}

/* op: the destination, then the parts, the lowest first.  Parts may share registers with the whole. */
ALU_HEAD(pack_parts)
{
	unsigned part = insn->register_bytes[1], whole = insn->register_bytes[0];
	unsigned char *d = emu_out(warp, insn->op[0]);

	for (uint32_t left = lanes; left; left &= left - 1) {
		unsigned l = (unsigned)__builtin_ctz(left);
		unsigned char value[16];

		for (unsigned i = 0; i < whole / part; i++)
			memcpy(value + i * part, (const char *)emu_in(warp, insn->op[i + 1]) + l * part, part);
		memcpy(d + l * whole, value, whole);
	}
	return STEP_NEXT;
}

/* op: the parts, then the whole. */
ALU_HEAD(unpack_parts)
{
	unsigned part = insn->register_bytes[0], whole = insn->register_bytes[1], count = whole / part;
	const unsigned char *a = emu_in(warp, insn->op[count]);

	for (uint32_t left = lanes; left; left &= left - 1) {
		unsigned l = (unsigned)__builtin_ctz(left);
		unsigned char value[16];

		memcpy(value, a + l * whole, whole);
		for (unsigned i = 0; i < count; i++)
			memcpy((char *)emu_out(warp, insn->op[i]) + l * part, value + i * part, part);
	}
	return STEP_NEXT;
}

static bool decode_pack(struct emu_parser *parser, struct emu_statement *statement, unsigned bytes)
{
	struct emu_operand *vector = &statement->operands[1];
	unsigned part = bytes / vector->element_count;
	int32_t parts[EMU_OPERANDS], d = emu_destination(parser, statement, 0, bytes);
	struct emu_insn *insn;

	for (unsigned i = 0; i < vector->element_count; i++)
		parts[i] = emu_source_of(parser, statement, &vector->elements[i], part);
	insn = emu_emit(parser, statement, pack_parts);
	insn->register_bytes[0] = (uint8_t)bytes;
	insn->register_bytes[1] = (uint8_t)part;
	emu_add_destination(insn, d);
	for (unsigned i = 0; i < vector->element_count; i++)
		emu_add_source(insn, parts[i]);
	return !parser->is_failed;
}

static bool decode_unpack(struct emu_parser *parser, struct emu_statement *statement, unsigned bytes)
{
	struct emu_operand *vector = &statement->operands[0];
	unsigned part = bytes / vector->element_count;
	int32_t parts[EMU_OPERANDS], a = emu_source(parser, statement, 1, bytes);
	struct emu_insn *insn;

	for (unsigned i = 0; i < vector->element_count; i++)
		parts[i] = emu_destination_of(parser, statement, &vector->elements[i], part);
	insn = emu_emit(parser, statement, unpack_parts);
	insn->register_bytes[0] = (uint8_t)part;
	insn->register_bytes[1] = (uint8_t)bytes;
	for (unsigned i = 0; i < vector->element_count; i++)
		emu_add_destination(insn, parts[i]);
	emu_add_source(insn, a);
	return !parser->is_failed;
}

static bool decode_special(struct emu_parser *parser, struct emu_statement *statement, unsigned bytes)
{
	int32_t d = emu_destination(parser, statement, 0, bytes);
	struct emu_insn *insn;

	if (bytes < 2 || bytes > 8)
		return emu_unknown(parser, statement, "is not known");
	insn = emu_emit(parser, statement, emu_run_special);
	insn->small[0] = (uint8_t)statement->operands[1].number;
	insn->register_bytes[0] = (uint8_t)bytes;
	emu_add_destination(insn, d);
	return !parser->is_failed;
}

static bool is_vector_of(const struct emu_operand *operand, unsigned bytes)
{
	unsigned count = operand->element_count;

	return operand->kind == OPERAND_VECTOR && (count == 2 || count == 4 || count == 8) && bytes / count >= 1;
}

static bool decode_mov(struct emu_parser *parser, struct emu_statement *statement)
{
	enum emu_type type = emu_take_type(statement);
	unsigned bytes = emu_type_bytes(type);
	emu_run_fn *run = type == TYPE_PRED ? copy_pred : bytes == 1 ? copy_8 : bytes == 2 ? copy_16 :
		bytes == 4 ? copy_32 : bytes == 8 ? copy_64 : copy_128;
	int32_t d, a;
	struct emu_insn *insn;

	if (type == TYPE_NONE || !emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, 2, 2))
		return emu_unknown(parser, statement, "is not known");
	if (is_vector_of(&statement->operands[1], bytes))
		return decode_pack(parser, statement, bytes);
	if (is_vector_of(&statement->operands[0], bytes))
		return decode_unpack(parser, statement, bytes);
	if (statement->operands[1].kind == OPERAND_SPECIAL)
		return decode_special(parser, statement, bytes);
	a = emu_source(parser, statement, 1, bytes);
	d = emu_destination(parser, statement, 0, bytes);
	insn = emu_emit(parser, statement, run);
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	return !parser->is_failed;
}

ALU_2(add_window, uint64_t, uint64_t, a[l] + b[l])

/* Global and constant memory have one window, which starts at zero. */
static bool decode_cvta(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_to = emu_take(statement, "to");
	enum emu_space space = emu_take_space(statement);
	enum emu_type type = emu_take_type(statement);
	uint64_t window = space == SPACE_SHARED ? EMU_SHARED_WINDOW : space == SPACE_LOCAL ? EMU_LOCAL_WINDOW :
		space == SPACE_PARAM ? EMU_PARAM_WINDOW : 0;
	int32_t d, a, b;
	struct emu_insn *insn;

	if (space == SPACE_GENERIC || emu_type_bytes(type) != 8 || !emu_operand_count(parser, statement, 2, 2))
		return emu_unknown(parser, statement, "is not known");
	a = emu_source(parser, statement, 1, 8);
	d = emu_destination(parser, statement, 0, 8);
	b = emu_pool_constant(parser, is_to ? 0 - window : window, 0, 8);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, window ? add_window : copy_64);
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	if (window)
		emu_add_source(insn, b);
	return true;
}

static enum emu_space space_of(uint64_t address)
{
	if (address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES)
		return SPACE_SHARED;
	if (address - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES)
		return SPACE_LOCAL;
	return address - EMU_PARAM_WINDOW < EMU_WINDOW_BYTES ? SPACE_PARAM : SPACE_GLOBAL;
}

ALU_HEAD(is_space)
{
	const uint64_t *a = emu_in(warp, insn->op[1]);
	uint32_t result = 0;

	for (int l = 0; l < EMU_LANES; l++)
		result |= (uint32_t)(space_of(a[l]) == (enum emu_space)insn->space) << l;
	emu_out_mask(warp, insn->op[0], result, lanes);
	return STEP_NEXT;
}

static bool decode_isspacep(struct emu_parser *parser, struct emu_statement *statement)
{
	enum emu_space space = emu_take_space(statement);
	int32_t p, a;
	struct emu_insn *insn;

	if (space == SPACE_GENERIC || !emu_operand_count(parser, statement, 2, 2))
		return emu_unknown(parser, statement, "is not known");
	p = emu_destination(parser, statement, 0, 0);
	a = emu_source(parser, statement, 1, 8);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, is_space);
	insn->space = (uint8_t)(space == SPACE_CONST ? SPACE_GLOBAL : space);
	emu_add_destination(insn, p);
	emu_add_source(insn, a);
	return true;
}

/* An address in shared memory of this CTA to the same one in CTA b of the cluster. */
#define RANK_MASK (UINT64_C(0xff) << EMU_RANK_SHIFT)
ALU_2S(map_64, uint64_t, uint64_t, uint32_t, (a[l] & ~RANK_MASK) | (uint64_t)(b[l] + 1) << EMU_RANK_SHIFT)
ALU_2S(map_32, uint32_t, uint32_t, uint32_t, (a[l] & ~(uint32_t)RANK_MASK) | (b[l] + 1) << EMU_RANK_SHIFT)

static bool decode_mapa(struct emu_parser *parser, struct emu_statement *statement)
{
	unsigned bytes;
	int32_t d, a, b;
	struct emu_insn *insn;

	emu_take_space(statement);
	bytes = emu_type_bytes(emu_take_type(statement));
	if ((bytes != 4 && bytes != 8) || !emu_operand_count(parser, statement, 3, 3))
		return emu_unknown(parser, statement, "is not known");
	a = emu_source(parser, statement, 1, bytes);
	b = emu_source(parser, statement, 2, 4);
	d = emu_destination(parser, statement, 0, bytes);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, bytes == 4 ? map_32 : map_64);
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	emu_add_source(insn, b);
	return true;
}

ALU_HEAD(rank_of)
{
	uint32_t *d = emu_out(warp, insn->op[0]);
	const void *a = emu_in(warp, insn->op[1]);

	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint64_t address = insn->register_bytes[1] == 8 ? ((const uint64_t *)a)[l] : ((const uint32_t *)a)[l];
		uint32_t rank = (uint32_t)(address >> EMU_RANK_SHIFT) & 0xff;

		d[l] = rank ? rank - 1 : warp->cta->rank;
	}
	return STEP_NEXT;
}

static bool decode_getctarank(struct emu_parser *parser, struct emu_statement *statement)
{
	unsigned bytes;
	int32_t d, a;
	struct emu_insn *insn;

	emu_take_space(statement);
	bytes = emu_type_bytes(emu_take_type(statement));
	if ((bytes != 4 && bytes != 8) || !emu_operand_count(parser, statement, 2, 2))
		return emu_unknown(parser, statement, "is not known");
	a = emu_source(parser, statement, 1, bytes);
	d = emu_destination(parser, statement, 0, 4);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, rank_of);
	insn->register_bytes[1] = (uint8_t)bytes;
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	return true;
}

/* A cache policy: a number that nobody looks at. */
static bool decode_policy(struct emu_parser *parser, struct emu_statement *statement)
{
	int32_t d, a;
	struct emu_insn *insn;

	if (!statement->operand_count)
		return emu_unknown(parser, statement, "has the wrong number of operands");
	d = emu_destination(parser, statement, 0, 8);
	a = emu_pool_constant(parser, 0, 0, 8);
	insn = emu_emit(parser, statement, copy_64);
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	return !parser->is_failed;
}

/* Which lanes are here tells nothing of the others, so nobody is waited for. */
static int active_mask(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	uint32_t *d = emu_out(warp, insn->op[0]);

	EACH_LANE(lanes, d[l] = lanes);
	return STEP_NEXT;
}

static bool decode_active(struct emu_parser *parser, struct emu_statement *statement)
{
	int32_t d;

	if (!emu_take(statement, "b32") || !emu_operand_count(parser, statement, 1, 1))
		return emu_unknown(parser, statement, "is not known");
	d = emu_destination(parser, statement, 0, 4);
	emu_add_destination(emu_emit(parser, statement, active_mask), d);
	return emu_all_taken(parser, statement);
}

const struct emu_family emu_move_families[] = {
	{ "mov", decode_mov }, { "cvta", decode_cvta }, { "isspacep", decode_isspacep }, { "mapa", decode_mapa },
	{ "getctarank", decode_getctarank }, { "createpolicy", decode_policy },
	{ "activemask", decode_active },
	{ NULL, NULL },
};
