/* SPDX-License-Identifier: MIT
 *
 * Comparisons and selections.
 */
#include "decode.h"
#include "lanes.h"
#include "numbers.h"

#include <math.h>

enum comparison { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NOTNUM };
enum combination { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

/* 32 bytes of 0 or 1 to 32 bits. */
static uint32_t pack(const uint8_t bytes[EMU_LANES])
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint64_t eight;

		memcpy(&eight, bytes + 8 * i, sizeof eight);
		mask |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << (8 * i);
	}
	return mask;
}

#define ALL_LANES(condition) do { \
		INDEPENDENT \
		for (int l = 0; l < EMU_LANES; l++) \
			bytes[l] = (condition); \
	} while (0)

/* What ordered comparisons of all types share; only "unequal" differs, since a NaN is neither. */
#define ORDERED_CASES(unequal) \
	case EQ: ALL_LANES(a[l] == b[l]); break; \
	case NE: ALL_LANES(unequal); break; \
	case LT: ALL_LANES(a[l] < b[l]); break; \
	case LE: ALL_LANES(a[l] <= b[l]); break; \
	case GT: ALL_LANES(a[l] > b[l]); break; \
	case GE: ALL_LANES(a[l] >= b[l]); break;

/* Lanes that are not active are compared too: nobody looks. */
#define COMPARE_ORDERED(name, type) \
	static uint32_t compare_##name(const void *x, const void *y, enum comparison how) \
	{ \
		const type *a = x, *b = y; \
		uint8_t bytes[EMU_LANES]; \
		switch (how) { \
		ORDERED_CASES(a[l] != b[l]) \
		default: return 0; \
		} \
		return pack(bytes); \
	}
COMPARE_ORDERED(u16, uint16_t)
COMPARE_ORDERED(s16, int16_t)
COMPARE_ORDERED(u32, uint32_t)
COMPARE_ORDERED(s32, int32_t)
COMPARE_ORDERED(u64, uint64_t)
COMPARE_ORDERED(s64, int64_t)

#define COMPARE_FLOAT(name, type) \
	static uint32_t compare_##name(const void *x, const void *y, enum comparison how) \
	{ \
		const type *a = x, *b = y; \
		uint8_t bytes[EMU_LANES]; \
		switch (how) { \
		ORDERED_CASES(a[l] < b[l] || a[l] > b[l]) \
		case EQU: ALL_LANES(!(a[l] < b[l] || a[l] > b[l])); break; \
		case NEU: ALL_LANES(a[l] != b[l]); break; \
		case LTU: ALL_LANES(!(a[l] >= b[l])); break; \
		case LEU: ALL_LANES(!(a[l] > b[l])); break; \
		case GTU: ALL_LANES(!(a[l] <= b[l])); break; \
		case GEU: ALL_LANES(!(a[l] < b[l])); break; \
		case NUM: ALL_LANES(a[l] == a[l] && b[l] == b[l]); break; \
		default: ALL_LANES(a[l] != a[l] || b[l] != b[l]); break; \
		} \
		return pack(bytes); \
	}
COMPARE_FLOAT(f32, float)
COMPARE_FLOAT(f64, double)

static uint32_t compare_flushed(const float *a, const float *b, enum comparison how)
{
	float x[EMU_LANES], y[EMU_LANES];

	for (int l = 0; l < EMU_LANES; l++) {
		x[l] = emu_flush(a[l]);
		y[l] = emu_flush(b[l]);
	}
	return compare_f32(x, y, how);
}

static uint32_t compare_half(const void *a, const void *b, unsigned stride, unsigned offset, enum comparison how,
		const struct emu_half_format *format)
{
	double x[EMU_LANES], y[EMU_LANES];

	for (unsigned l = 0; l < EMU_LANES; l++) {
		x[l] = emu_half_to_double(((const uint16_t *)a)[l * stride + offset], format);
		y[l] = emu_half_to_double(((const uint16_t *)b)[l * stride + offset], format);
	}
	return compare_f64(x, y, how);
}

static uint32_t compare(const struct emu_insn *insn, const void *a, const void *b)
{
	enum comparison how = (enum comparison)insn->small[0];

	switch ((enum emu_type)insn->type) {
	case TYPE_U16: case TYPE_B16:
		return compare_u16(a, b, how);
	case TYPE_S16:
		return compare_s16(a, b, how);
	case TYPE_U32: case TYPE_B32:
		return compare_u32(a, b, how);
	case TYPE_S32:
		return compare_s32(a, b, how);
	case TYPE_U64: case TYPE_B64:
		return compare_u64(a, b, how);
	case TYPE_S64:
		return compare_s64(a, b, how);
	case TYPE_F16:
		return compare_half(a, b, 1, 0, how, &emu_format_f16);
	case TYPE_BF16:
		return compare_half(a, b, 1, 0, how, &emu_format_bf16);
	case TYPE_F32:
		return insn->flags & INSN_FTZ ? compare_flushed(a, b, how) : compare_f32(a, b, how);
	default:
		return compare_f64(a, b, how);
	}
}

static uint32_t combine(const struct emu_warp *warp, const struct emu_insn *insn, uint32_t result, unsigned operand)
{
	uint32_t other;

	if (insn->small[1] == COMBINE_NONE)
		return result;
	other = emu_in_mask(warp, insn->op[operand]);
	if (insn->flags & INSN_NEGATED)
		other = ~other;
	return insn->small[1] == COMBINE_AND ? result & other : insn->small[1] == COMBINE_OR ? result | other :
		result ^ other;
}

/* op: p, q, a, b, c. */
ALU_HEAD(set_predicate)
{
	uint32_t result = compare(insn, emu_in(warp, insn->op[2]), emu_in(warp, insn->op[3]));
	uint32_t p = combine(warp, insn, result, 4), q = combine(warp, insn, ~result, 4);

	if (insn->op[1] != NO_OPERAND)
		emu_out_mask(warp, insn->op[1], q, lanes);
	emu_out_mask(warp, insn->op[0], p, lanes);
	return STEP_NEXT;
}

/* For pairs of halves p is about the low ones and q about the high ones. */
ALU_HEAD(set_predicate_pair)
{
	const struct emu_half_format *format = insn->type == TYPE_F16X2 ? &emu_format_f16 : &emu_format_bf16;
	const void *a = emu_in(warp, insn->op[2]), *b = emu_in(warp, insn->op[3]);
	uint32_t p = compare_half(a, b, 2, 0, (enum comparison)insn->small[0], format);
	uint32_t q = compare_half(a, b, 2, 1, (enum comparison)insn->small[0], format);

	p = combine(warp, insn, p, 4);
	q = combine(warp, insn, q, 4);
	if (insn->op[1] != NO_OPERAND)
		emu_out_mask(warp, insn->op[1], q, lanes);
	emu_out_mask(warp, insn->op[0], p, lanes);
	return STEP_NEXT;
}

/* op: d, a, b, c; the result is all ones or, for a float, 1. */
ALU_HEAD(set_value)
{
	uint32_t result = combine(warp, insn, compare(insn, emu_in(warp, insn->op[1]), emu_in(warp, insn->op[2])), 3);
	uint32_t yes = (uint32_t)insn->offset;

	if (insn->register_bytes[0] == 2) {
		uint16_t *d = emu_out(warp, insn->op[0]);

		EACH_LANE(lanes, d[l] = result >> l & 1 ? (uint16_t)yes : 0);
	} else {
		uint32_t *d = emu_out(warp, insn->op[0]);

		EACH_LANE(lanes, d[l] = result >> l & 1 ? yes : 0);
	}
	return STEP_NEXT;
}

static const struct {
	const char *name;
	enum comparison how, for_floats;
} comparisons[] = {
	{ "eq", EQ, EQ }, { "ne", NE, NE }, { "lt", LT, LT }, { "le", LE, LE }, { "gt", GT, GT }, { "ge", GE, GE },
	{ "lo", LT, LT }, { "ls", LE, LE }, { "hi", GT, GT }, { "hs", GE, GE }, { "equ", EQU, EQU },
	{ "neu", NEU, NEU }, { "ltu", LTU, LTU }, { "leu", LEU, LEU }, { "gtu", GTU, GTU }, { "geu", GEU, GEU },
	{ "num", NUM, NUM }, { "nan", NOTNUM, NOTNUM },
};

static bool take_comparison(struct emu_statement *statement, struct emu_insn *options)
{
	bool is_found = false;

	for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons && !is_found; i++)
		if (emu_take(statement, comparisons[i].name)) {
			options->small[0] = (uint8_t)comparisons[i].how;
			is_found = true;
		}
	options->small[1] = emu_take(statement, "and") ? COMBINE_AND : emu_take(statement, "or") ? COMBINE_OR :
		emu_take(statement, "xor") ? COMBINE_XOR : COMBINE_NONE;
	if (emu_take(statement, "ftz"))
		options->flags |= INSN_FTZ;
	return is_found;
}

/* The third source of a comparison, a predicate, perhaps negated. */
static int32_t third(struct emu_parser *parser, struct emu_statement *statement, struct emu_insn *options)
{
	bool has_third = statement->operand_count > 3;

	if (has_third != (options->small[1] != COMBINE_NONE)) {
		emu_unknown(parser, statement, "has the wrong number of operands");
		return NO_OPERAND;
	}
	if (!has_third)
		return NO_OPERAND;
	if (statement->operands[3].is_negated)
		options->flags |= INSN_NEGATED;
	return emu_source(parser, statement, 3, 0);
}

static bool decode_setp(struct emu_parser *parser, struct emu_statement *statement)
{
	struct emu_insn options = { .run = NULL }, *insn;
	bool is_known = take_comparison(statement, &options);
	enum emu_type type = emu_take_type(statement);
	unsigned bytes = emu_type_bytes(type);
	bool is_pair = type == TYPE_F16X2 || type == TYPE_BF16X2;
	int32_t p, a, b, c;

	if (!is_known || bytes < 2 || bytes > 8 || !emu_operand_count(parser, statement, 3, 4))
		return emu_unknown(parser, statement, "is not known");
	p = emu_destination(parser, statement, 0, 0);
	a = emu_source(parser, statement, 1, bytes);
	b = emu_source(parser, statement, 2, bytes);
	c = third(parser, statement, &options);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, is_pair ? set_predicate_pair : set_predicate);
	insn->flags = options.flags;
	insn->small[0] = options.small[0];
	insn->small[1] = options.small[1];
	insn->type = (uint8_t)type;
	emu_add_destination(insn, p);
	emu_add_destination(insn, statement->operands[0].pair);
	emu_add_source(insn, a);
	emu_add_source(insn, b);
	emu_add_source(insn, c);
	return true;
}

static bool decode_set(struct emu_parser *parser, struct emu_statement *statement)
{
	struct emu_insn options = { .run = NULL }, *insn;
	bool is_known = take_comparison(statement, &options);
	enum emu_type to = emu_take_type(statement), type = emu_take_type(statement);
	unsigned bytes = emu_type_bytes(type);
	int32_t d, a, b, c;

	if (!is_known || bytes < 2 || bytes > 8 || type == TYPE_F16X2 || type == TYPE_BF16X2 ||
			!emu_operand_count(parser, statement, 3, 4) ||
			(emu_type_bytes(to) != 4 && to != TYPE_F16 && to != TYPE_BF16))
		return emu_unknown(parser, statement, "is not known");
	d = emu_destination(parser, statement, 0, emu_type_bytes(to));
	a = emu_source(parser, statement, 1, bytes);
	b = emu_source(parser, statement, 2, bytes);
	c = third(parser, statement, &options);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, set_value);
	insn->flags = options.flags;
	insn->small[0] = options.small[0];
	insn->small[1] = options.small[1];
	insn->type = (uint8_t)type;
	insn->register_bytes[0] = (uint8_t)emu_type_bytes(to);
	insn->offset = to == TYPE_F32 ? 0x3f800000 : to == TYPE_F16 ? 0x3c00 : to == TYPE_BF16 ? 0x3f80 : 0xffffffff;
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	emu_add_source(insn, b);
	emu_add_source(insn, c);
	return true;
}

const struct emu_family emu_compare_families[] = {
	{ "setp", decode_setp }, { "set", decode_set },
	{ NULL, NULL },
};
