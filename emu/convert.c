/* SPDX-License-Identifier: MIT
 *
 * cvt: all values go through 64-bit integers or doubles, so that sources and destinations need one loop each instead
 * of one for every pair.
 */
#include "decode.h"
#include "lanes.h"
#include "numbers.h"

#include <math.h>

enum to_integer { NO_INTEGER, INTEGER_NEAREST, INTEGER_ZERO, INTEGER_DOWN, INTEGER_UP };

#define LOAD(stored, as) do { const stored *from_ = values; EACH_LANE(lanes, to[l] = (int64_t)(as)from_[l]); } while (0)

/* The register may be wider than the type: its low bits count. */
static void load_integers(int64_t *to, const struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	const void *values = emu_in(warp, insn->op[1]);
	unsigned wide = insn->register_bytes[1];

	switch ((enum emu_type)insn->small[0]) {
	case TYPE_U8:
		if (wide == 1) LOAD(uint8_t, uint8_t); else if (wide == 2) LOAD(uint16_t, uint8_t);
		else if (wide == 4) LOAD(uint32_t, uint8_t); else LOAD(uint64_t, uint8_t);
		break;
	case TYPE_S8:
		if (wide == 1) LOAD(uint8_t, int8_t); else if (wide == 2) LOAD(uint16_t, int8_t);
		else if (wide == 4) LOAD(uint32_t, int8_t); else LOAD(uint64_t, int8_t);
		break;
	case TYPE_U16:
	case TYPE_BF16:
		if (wide == 2) LOAD(uint16_t, uint16_t); else if (wide == 4) LOAD(uint32_t, uint16_t);
		else LOAD(uint64_t, uint16_t);
		break;
	case TYPE_S16:
		if (wide == 2) LOAD(uint16_t, int16_t); else if (wide == 4) LOAD(uint32_t, int16_t);
		else LOAD(uint64_t, int16_t);
		break;
	case TYPE_U32:
		if (wide == 4) LOAD(uint32_t, uint32_t); else LOAD(uint64_t, uint32_t);
		break;
	case TYPE_S32:
		if (wide == 4) LOAD(uint32_t, int32_t); else LOAD(uint64_t, int32_t);
		break;
	default:
		LOAD(uint64_t, uint64_t);
	}
}

#define STORE(stored) do { stored *to_ = emu_out(warp, insn->op[0]); \
		EACH_LANE(lanes, to_[l] = (stored)from[l]); } while (0)

static void store_bits(struct emu_warp *warp, const struct emu_insn *insn, const int64_t *from, uint32_t lanes)
{
	switch (insn->register_bytes[0]) {
	case 1:
		STORE(uint8_t);
		break;
	case 2:
		STORE(uint16_t);
		break;
	case 4:
		STORE(uint32_t);
		break;
	default:
		STORE(uint64_t);
	}
}

/* Truncates to the type and widens to the register as the type's sign says. */
static void store_integers(struct emu_warp *warp, const struct emu_insn *insn, int64_t *values, uint32_t lanes)
{
	if (insn->register_bytes[0] > emu_type_bytes((enum emu_type)insn->type))
		switch ((enum emu_type)insn->type) {
		case TYPE_U8:
			EACH_LANE(lanes, values[l] = (uint8_t)values[l]);
			break;
		case TYPE_S8:
			EACH_LANE(lanes, values[l] = (int8_t)values[l]);
			break;
		case TYPE_U16:
			EACH_LANE(lanes, values[l] = (uint16_t)values[l]);
			break;
		case TYPE_S16:
			EACH_LANE(lanes, values[l] = (int16_t)values[l]);
			break;
		case TYPE_U32:
			EACH_LANE(lanes, values[l] = (uint32_t)values[l]);
			break;
		case TYPE_S32:
			EACH_LANE(lanes, values[l] = (int32_t)values[l]);
			break;
		default:
			break;
		}
	store_bits(warp, insn, values, lanes);
}

static int64_t least_of(enum emu_type type)
{
	return emu_type_is_signed(type) ? INT64_MIN >> (64 - 8 * emu_type_bytes(type)) : 0;
}

static uint64_t greatest_of(enum emu_type type)
{
	unsigned bits = 8 * emu_type_bytes(type) - emu_type_is_signed(type);

	return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static int64_t clamp_integer(int64_t value, enum emu_type to, bool is_signed)
{
	if (is_signed && value < 0)
		return value < least_of(to) ? least_of(to) : value;
	return (uint64_t)value > greatest_of(to) ? (int64_t)greatest_of(to) : value;
}

ALU_HEAD(integer_to_integer)
{
	bool is_signed = emu_type_is_signed((enum emu_type)insn->small[0]);
	int64_t values[EMU_LANES];

	load_integers(values, warp, insn, lanes);
	if (insn->flags & INSN_SAT)
		EACH_LANE(lanes, values[l] = clamp_integer(values[l], (enum emu_type)insn->type, is_signed));
	store_integers(warp, insn, values, lanes);
	return STEP_NEXT;
}

static const struct emu_half_format *half_format(enum emu_type type)
{
	return type == TYPE_BF16 || type == TYPE_BF16X2 ? &emu_format_bf16 : &emu_format_f16;
}

/* A f32 for a f64 that is NaN: quiet, of the same sign, with the upper bits of what it carries. */
static uint32_t narrow_nan(double value)
{
	uint64_t bits = emu_double_bits(value);

	return (uint32_t)(bits >> 32 & 0x80000000u) | 0x7fc00000u | (uint32_t)(bits >> 29 & 0x3fffffu);
}

static double load_float(const void *values, int lane, enum emu_type type, unsigned wide, unsigned flags)
{
	uint64_t bits = wide == 2 ? ((const uint16_t *)values)[lane] : wide == 4 ? ((const uint32_t *)values)[lane] :
		((const uint64_t *)values)[lane];

	if (type == TYPE_F64)
		return emu_double_of(bits);
	if (type != TYPE_F32)
		return emu_half_to_double((uint32_t)bits & 0xffff, half_format(type));
	return flags & INSN_FTZ ? emu_flush(emu_float_of((uint32_t)bits)) : emu_float_of((uint32_t)bits);
}

/* The bits of a value in the destination's format; the host's rounding mode is set already. */
static uint64_t float_bits(double value, const struct emu_insn *insn, enum emu_type type)
{
	float narrow;

	if (insn->flags & INSN_SAT)
		value = value > 0 ? (value < 1 ? value : 1) : 0;
	if (insn->flags & INSN_RELU && value == value && !(value > 0))
		value = 0;
	if (type == TYPE_F64)
		return emu_double_bits(value);
	if (type != TYPE_F32)
		return emu_double_to_half(value, half_format(type), (enum emu_rounding)insn->rounding);
	if (value != value && insn->small[0] == TYPE_F64)
		return narrow_nan(value);
	narrow = (float)value;
	return emu_float_bits(emu_canonical(insn->flags & INSN_FTZ ? emu_flush_result(narrow, value) : narrow));
}

static double to_whole(double value, enum to_integer mode)
{
	switch (mode) {
	case INTEGER_NEAREST:
		return nearbyint(value);
	case INTEGER_ZERO:
		return trunc(value);
	case INTEGER_DOWN:
		return floor(value);
	case INTEGER_UP:
		return ceil(value);
	default:
		return value;
	}
}

ALU_HEAD(float_to_float)
{
	const void *from = emu_in(warp, insn->op[1]);
	int64_t values[EMU_LANES];

	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		double value = load_float(from, l, (enum emu_type)insn->small[0], insn->register_bytes[1], insn->flags);

		value = to_whole(value, (enum to_integer)insn->small[1]);
		fesetround(emu_fenv_rounding((enum emu_rounding)insn->rounding));
		values[l] = (int64_t)float_bits(value, insn, (enum emu_type)insn->type);
		fesetround(FE_TONEAREST);
	}
	store_bits(warp, insn, values, lanes);
	return STEP_NEXT;
}

/* bf16 is the upper half of f32: the device shifts, and NaN stays as it is. */
ALU_HEAD(shift_bf16)
{
	int64_t values[EMU_LANES];

	load_integers(values, warp, insn, lanes);
	EACH_LANE(lanes, values[l] <<= 16);
	store_bits(warp, insn, values, lanes);
	return STEP_NEXT;
}

/* Two floats to the halves of a pair: the first source is the high one. */
ALU_HEAD(floats_to_pair)
{
	const float *high = emu_in(warp, insn->op[1]), *low = emu_in(warp, insn->op[2]);
	uint32_t *d = emu_out(warp, insn->op[0]);
	enum emu_type type = (enum emu_type)insn->type;

	EACH_LANE(lanes, d[l] = (uint32_t)(float_bits((double)high[l], insn, type) << 16 |
				float_bits((double)low[l], insn, type)));
	return STEP_NEXT;
}

/* A result of another width than 64 bits is rounded from the integer itself, once. */
static uint64_t integer_as_float(int64_t value, const struct emu_insn *insn, bool is_signed)
{
	double wide;
	float narrow;

	if (insn->type == TYPE_F32) {
		narrow = is_signed ? (float)value : (float)(uint64_t)value;
		return emu_float_bits(insn->flags & INSN_SAT ? emu_saturate(narrow) : narrow);
	}
	if (insn->type == TYPE_F64) {
		wide = is_signed ? (double)value : (double)(uint64_t)value;
		return emu_double_bits(wide);
	}
	fesetround(FE_TONEAREST);
	wide = is_signed ? emu_signed_to_odd(value) : emu_unsigned_to_odd((uint64_t)value);
	return float_bits(wide, insn, (enum emu_type)insn->type);
}

ALU_HEAD(integer_to_float)
{
	bool is_signed = emu_type_is_signed((enum emu_type)insn->small[0]);
	int64_t values[EMU_LANES];

	load_integers(values, warp, insn, lanes);
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		fesetround(emu_fenv_rounding((enum emu_rounding)insn->rounding));
		values[l] = (int64_t)integer_as_float(values[l], insn, is_signed);
	}
	fesetround(FE_TONEAREST);
	store_bits(warp, insn, values, lanes);
	return STEP_NEXT;
}

/* Values beyond the range stop at its ends.  NaN becomes zero, or the top bit where 64 bits are involved. */
static int64_t float_as_integer(double value, const struct emu_insn *insn)
{
	enum emu_type to = (enum emu_type)insn->type;
	bool is_wide = insn->small[0] == TYPE_F64 || to == TYPE_U64 || to == TYPE_S64;
	double whole = to_whole(value, (enum to_integer)insn->small[1]);

	if (value != value)
		return is_wide ? (int64_t)(UINT64_C(1) << (8 * emu_type_bytes(to) - 1)) : 0;
	if (whole <= (double)least_of(to))
		return least_of(to);
	if (whole >= (double)greatest_of(to))
		return (int64_t)greatest_of(to);
	return whole < 0 ? (int64_t)whole : (int64_t)(uint64_t)whole;
}

ALU_HEAD(float_to_integer)
{
	const void *from = emu_in(warp, insn->op[1]);
	int64_t values[EMU_LANES];

	EACH_LANE(lanes, values[l] = float_as_integer(load_float(from, l, (enum emu_type)insn->small[0],
				insn->register_bytes[1], insn->flags), insn));
	store_integers(warp, insn, values, lanes);
	return STEP_NEXT;
}

static bool is_float(enum emu_type type)
{
	return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F32 || type == TYPE_F64;
}

static bool is_integer(enum emu_type type)
{
	return type >= TYPE_U8 && type <= TYPE_S64;
}

static enum to_integer take_whole(struct emu_statement *statement)
{
	return emu_take(statement, "rni") ? INTEGER_NEAREST : emu_take(statement, "rzi") ? INTEGER_ZERO :
		emu_take(statement, "rmi") ? INTEGER_DOWN : emu_take(statement, "rpi") ? INTEGER_UP : NO_INTEGER;
}

static bool decode_pair(struct emu_parser *parser, struct emu_statement *statement, enum emu_type to, uint16_t flags,
		enum emu_rounding rounding)
{
	int32_t d = emu_destination(parser, statement, 0, 4), a = emu_source(parser, statement, 1, 4),
		b = emu_source(parser, statement, 2, 4);
	struct emu_insn *insn;

	if (!emu_operand_count(parser, statement, 3, 3) || !emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, floats_to_pair);
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	emu_add_source(insn, b);
	insn->type = (uint8_t)to;
	insn->flags = flags;
	insn->rounding = (uint8_t)rounding;
	return true;
}

static bool decode_one(struct emu_parser *parser, struct emu_statement *statement, const enum emu_type types[2],
		const struct emu_insn *options)
{
	uint8_t wide[2] = { 0, 0 };
	int32_t d, a;
	struct emu_insn *insn;
	emu_run_fn *run = is_float(types[0]) ? (is_float(types[1]) ? float_to_float : integer_to_float) :
		is_float(types[1]) ? float_to_integer : integer_to_integer;

	if (!emu_operand_count(parser, statement, 2, 2) || !emu_all_taken(parser, statement))
		return false;
	a = emu_loose_source(parser, statement, &statement->operands[1], emu_type_bytes(types[1]), &wide[1]);
	d = emu_loose_destination(parser, statement, &statement->operands[0], emu_type_bytes(types[0]), &wide[0]);
	if (types[0] == TYPE_F32 && types[1] == TYPE_BF16 && !options->flags)
		run = shift_bf16;
	insn = emu_emit(parser, statement, run);
	emu_add_destination(insn, d);
	emu_add_source(insn, a);
	insn->flags = options->flags;
	insn->rounding = options->rounding;
	insn->type = (uint8_t)types[0];
	insn->small[0] = (uint8_t)types[1];
	insn->small[1] = options->small[1];
	insn->register_bytes[0] = wide[0];
	insn->register_bytes[1] = wide[1];
	return !parser->is_failed;
}

static bool decode_convert(struct emu_parser *parser, struct emu_statement *statement)
{
	struct emu_insn options = { .run = NULL };
	enum emu_rounding rounding = ROUND_NEAREST;
	enum emu_type types[2];

	if (emu_take(statement, "rna"))
		rounding = ROUND_AWAY;
	else
		emu_take_rounding(statement, &rounding);
	options.rounding = (uint8_t)rounding;
	options.small[1] = (uint8_t)take_whole(statement);
	options.flags = (uint16_t)((emu_take(statement, "ftz") ? INSN_FTZ : 0) |
		(emu_take(statement, "sat") ? INSN_SAT : 0) | (emu_take(statement, "relu") ? INSN_RELU : 0));
	types[0] = emu_take_type(statement);
	types[1] = emu_take_type(statement);
	if ((types[0] == TYPE_F16X2 || types[0] == TYPE_BF16X2) && types[1] == TYPE_F32)
		return decode_pair(parser, statement, types[0], options.flags, rounding);
	if (!(is_float(types[0]) || is_integer(types[0])) || !(is_float(types[1]) || is_integer(types[1])))
		return emu_unknown(parser, statement, "is not known");
	return decode_one(parser, statement, types, &options);
}

const struct emu_family emu_convert_families[] = {
	{ "cvt", decode_convert },
	{ NULL, NULL },
};
