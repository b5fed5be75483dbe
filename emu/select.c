/* SPDX-License-Identifier: MIT
 *
 * selp, slct: one of two values; testp: the kind of a float.
 */
#include "control.h"
#include "decode.h"
#include "lanes.h"
#include "numbers.h"

#include <math.h>

/* selp by a predicate, slct by the sign of an s32 or an f32: a NaN is not at least 0, and takes b. */
#define SELECT(bits) \
	ALU_HEAD(select_##bits) \
	{ \
		uint##bits##_t *d = emu_out(warp, insn->op[0]); \
		const uint##bits##_t *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]); \
		uint32_t p = emu_in_mask(warp, insn->op[3]); \
		EACH_LANE(lanes, d[l] = p >> l & 1 ? a[l] : b[l]); \
		return STEP_NEXT; \
	} \
	ALU_HEAD(select_sign_##bits) \
	{ \
		uint##bits##_t *d = emu_out(warp, insn->op[0]); \
		const uint##bits##_t *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]); \
		const int32_t *c = emu_in(warp, insn->op[3]); \
		EACH_LANE(lanes, d[l] = c[l] >= 0 ? a[l] : b[l]); \
		return STEP_NEXT; \
	} \
	ALU_HEAD(select_float_##bits) \
	{ \
		uint##bits##_t *d = emu_out(warp, insn->op[0]); \
		const uint##bits##_t *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]); \
		const float *c = emu_in(warp, insn->op[3]); \
		EACH_LANE(lanes, d[l] = (insn->flags & INSN_FTZ ? emu_flush(c[l]) : c[l]) >= 0 ? a[l] : b[l]); \
		return STEP_NEXT; \
	}
SELECT(16)
SELECT(32)
SELECT(64)

enum property { FINITE, INFINITE, NUMBER, NOT_A_NUMBER, NORMAL, SUBNORMAL };

/* PTX counts zeros among the normal numbers. */
static bool has_property(int class, enum property property)
{
	switch (property) {
	case FINITE:
		return class != FP_INFINITE && class != FP_NAN;
	case INFINITE:
		return class == FP_INFINITE;
	case NUMBER:
		return class != FP_NAN;
	case NOT_A_NUMBER:
		return class == FP_NAN;
	case NORMAL:
		return class == FP_NORMAL || class == FP_ZERO;
	default:
		return class == FP_SUBNORMAL;
	}
}

ALU_HEAD(test_property)
{
	const void *a = emu_in(warp, insn->op[1]);
	uint32_t result = 0;

	for (int l = 0; l < EMU_LANES; l++) {
		int class = insn->type == TYPE_F64 ? fpclassify(((const double *)a)[l]) :
			fpclassify(((const float *)a)[l]);

		result |= (uint32_t)has_property(class, (enum property)insn->small[0]) << l;
	}
	emu_out_mask(warp, insn->op[0], result, lanes);
	return STEP_NEXT;
}

bool emu_is_selection(const struct emu_insn *insn)
{
	return insn->run == select_16 || insn->run == select_32 || insn->run == select_64;
}

/* f32 and s32 decide by their sign: what is selected is moved as bits, whatever its type. */
static emu_run_fn *selection(unsigned bytes, enum emu_type by)
{
	static emu_run_fn *const runs[3][3] = {
		{ select_16, select_sign_16, select_float_16 },
		{ select_32, select_sign_32, select_float_32 },
		{ select_64, select_sign_64, select_float_64 },
	};

	return runs[bytes == 2 ? 0 : bytes == 4 ? 1 : 2][by == TYPE_PRED ? 0 : by == TYPE_S32 ? 1 : 2];
}

static bool decode_selection(struct emu_parser *parser, struct emu_statement *statement, bool is_slct)
{
	bool is_ftz = is_slct && emu_take(statement, "ftz");
	enum emu_type type = emu_take_type(statement), by = is_slct ? emu_take_type(statement) : TYPE_PRED;
	unsigned bytes = emu_type_bytes(type);
	emu_run_fn *run = selection(bytes, by);
	int32_t operands[4];
	struct emu_insn *insn;

	if (bytes < 2 || bytes > 8 || (by != TYPE_PRED && by != TYPE_S32 && by != TYPE_F32) ||
			!emu_operand_count(parser, statement, 4, 4))
		return emu_unknown(parser, statement, "is not known");
	operands[0] = emu_destination(parser, statement, 0, bytes);
	operands[1] = emu_source(parser, statement, 1, bytes);
	operands[2] = emu_source(parser, statement, 2, bytes);
	operands[3] = emu_source(parser, statement, 3, by == TYPE_PRED ? 0 : 4);
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, run);
	insn->flags = is_ftz ? INSN_FTZ : 0;
	emu_add_destination(insn, operands[0]);
	for (unsigned i = 1; i < 4; i++)
		emu_add_source(insn, operands[i]);
	return true;
}

static bool decode_selp(struct emu_parser *parser, struct emu_statement *statement)
{
	return decode_selection(parser, statement, false);
}

static bool decode_slct(struct emu_parser *parser, struct emu_statement *statement)
{
	return decode_selection(parser, statement, true);
}

static bool decode_testp(struct emu_parser *parser, struct emu_statement *statement)
{
	static const char *const names[] = { "finite", "infinite", "number", "notanumber", "normal", "subnormal" };
	enum emu_type type = emu_take_type(statement);
	unsigned which = 0;
	int32_t p, a;
	struct emu_insn *insn;

	while (which < 6 && !emu_take(statement, names[which]))
		which++;
	if (which == 6 || (type != TYPE_F32 && type != TYPE_F64) || !emu_operand_count(parser, statement, 2, 2))
		return emu_unknown(parser, statement, "is not known");
	p = emu_destination(parser, statement, 0, 0);
	a = emu_source(parser, statement, 1, emu_type_bytes(type));
	if (!emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, test_property);
	insn->type = (uint8_t)type;
	insn->small[0] = (uint8_t)which;
	emu_add_destination(insn, p);
	emu_add_source(insn, a);
	return true;
}

const struct emu_family emu_select_families[] = {
	{ "selp", decode_selp }, { "slct", decode_slct }, { "testp", decode_testp },
	{ NULL, NULL },
};
