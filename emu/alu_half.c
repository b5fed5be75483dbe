/* SPDX-License-Identifier: MIT
 *
 * f16 and bf16, single and in pairs.  Every operation goes through a double that is exact or rounded to odd, so that
 * the one rounding that follows is the right one.
 */
#include "decode.h"
#include "lanes.h"
#include "numbers.h"

#include <math.h>

#define HALF_FLAGS (INSN_FTZ | INSN_SAT | INSN_RELU)

/* Subnormals to zero: f16 only has .ftz. */
static uint32_t flush_half(uint32_t bits, const struct emu_half_format *format, unsigned flags)
{
	bool is_subnormal = !(bits >> format->mantissa & ((1u << format->exponent) - 1));

	return flags & INSN_FTZ && is_subnormal ? bits & 0x8000u : bits;
}

static double widen(uint32_t bits, const struct emu_half_format *format, unsigned flags)
{
	return emu_half_to_double(flush_half(bits & 0xffff, format, flags), format);
}

/* As with f32 (emu_flush_result): rounded as if exponents had no end, the value four times as large shows on which side
 * of the least normal number it lies. */
static uint32_t flush_result(uint32_t bits, double value, const struct emu_half_format *format, unsigned flags)
{
	uint32_t least = 1u << format->mantissa;

	if (flags & INSN_FTZ && (bits & 0x7fffu) == least &&
			(emu_double_to_half(4 * value, format, ROUND_NEAREST) & 0x7fffu) < 3 * least)
		return bits & 0x8000u;
	return flush_half(bits, format, flags);
}

static uint32_t narrow(double value, const struct emu_half_format *format, unsigned flags)
{
	if (flags & INSN_SAT)
		value = value > 0 ? (value < 1 ? value : 1) : 0;
	if (flags & INSN_RELU && value == value && !(value > 0))
		value = 0;
	return flush_result(emu_double_to_half(value, format, ROUND_NEAREST), value, format, flags);
}

typedef uint32_t half_op(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags);

static uint32_t half_add(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)c;
	return narrow(emu_add_to_odd(widen(a, format, flags), widen(b, format, flags)), format, flags);
}

static uint32_t half_sub(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)c;
	return narrow(emu_add_to_odd(widen(a, format, flags), -widen(b, format, flags)), format, flags);
}

static uint32_t half_mul(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)c;
	return narrow(widen(a, format, flags) * widen(b, format, flags), format, flags);
}

static uint32_t half_fma(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	double product = widen(a, format, flags) * widen(b, format, flags);

	return narrow(emu_add_to_odd(product, widen(c, format, flags)), format, flags);
}

static bool is_nan_half(uint32_t bits, const struct emu_half_format *format)
{
	return (bits & 0x7fffu) > ((1u << format->exponent) - 1) << format->mantissa;
}

static uint32_t half_neg(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)b;
	(void)c;
	a &= 0xffff;
	return is_nan_half(a, format) ? EMU_NAN_HALF : flush_half(a, format, flags) ^ 0x8000u;
}

static uint32_t half_abs(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)b;
	(void)c;
	a &= 0xffff;
	return is_nan_half(a, format) ? EMU_NAN_HALF : flush_half(a, format, flags) & 0x7fffu;
}

static uint32_t half_pick(uint32_t a, uint32_t b, bool is_max, const struct emu_half_format *format, unsigned flags)
{
	uint32_t sign = (a ^ b) & 0x8000u, result;
	double x, y;

	a = flush_half(a & 0xffff, format, flags);
	b = flush_half(b & 0xffff, format, flags);
	if (flags & INSN_XORSIGN) {
		a &= 0x7fff;
		b &= 0x7fff;
	}
	x = emu_half_to_double(a, format);
	y = emu_half_to_double(b, format);
	if (x != x || y != y)
		result = flags & INSN_NAN || (x != x && y != y) ? EMU_NAN_HALF : x != x ? b : a;
	else if (x == y)
		result = (a >> 15) == is_max ? b : a;
	else
		result = (x < y) == is_max ? b : a;
	return flags & INSN_XORSIGN && result != EMU_NAN_HALF ? result | sign : result;
}

static uint32_t half_min(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)c;
	return half_pick(a, b, false, format, flags);
}

static uint32_t half_max(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)c;
	return half_pick(a, b, true, format, flags);
}

static uint32_t half_ex2(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)b;
	(void)c;
	return narrow(exp2(widen(a, format, flags)), format, flags);
}

static uint32_t half_tanh(uint32_t a, uint32_t b, uint32_t c, const struct emu_half_format *format, unsigned flags)
{
	(void)b;
	(void)c;
	return narrow(tanh(widen(a, format, flags)), format, flags);
}

/* How many sources an instruction has tells which of b and c are there. */
static void run_single(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, half_op *op,
		const struct emu_half_format *format)
{
	uint16_t *d = emu_out(warp, insn->op[0]);
	const uint16_t *a = emu_in(warp, insn->op[1]);
	const uint16_t *b = insn->op_count > 2 ? emu_in(warp, insn->op[2]) : a;
	const uint16_t *c = insn->op_count > 3 ? emu_in(warp, insn->op[3]) : a;

	EACH_LANE(lanes, d[l] = (uint16_t)op(a[l], b[l], c[l], format, insn->flags));
}

static void run_pair(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, half_op *op,
		const struct emu_half_format *format)
{
	uint32_t *d = emu_out(warp, insn->op[0]);
	const uint32_t *a = emu_in(warp, insn->op[1]);
	const uint32_t *b = insn->op_count > 2 ? emu_in(warp, insn->op[2]) : a;
	const uint32_t *c = insn->op_count > 3 ? emu_in(warp, insn->op[3]) : a;

	EACH_LANE(lanes, d[l] = (op(a[l], b[l], c[l], format, insn->flags) & 0xffff) |
			op(a[l] >> 16, b[l] >> 16, c[l] >> 16, format, insn->flags) << 16);
}

#define HALF(name) \
	ALU_HEAD(name##_f16) \
	{ \
		run_single(warp, insn, lanes, half_##name, &emu_format_f16); \
		return STEP_NEXT; \
	} \
	ALU_HEAD(name##_f16x2) \
	{ \
		run_pair(warp, insn, lanes, half_##name, &emu_format_f16); \
		return STEP_NEXT; \
	} \
	ALU_HEAD(name##_bf16) \
	{ \
		run_single(warp, insn, lanes, half_##name, &emu_format_bf16); \
		return STEP_NEXT; \
	} \
	ALU_HEAD(name##_bf16x2) \
	{ \
		run_pair(warp, insn, lanes, half_##name, &emu_format_bf16); \
		return STEP_NEXT; \
	}
HALF(add)
HALF(sub)
HALF(mul)
HALF(fma)
HALF(neg)
HALF(abs)
HALF(min)
HALF(max)
HALF(ex2)
HALF(tanh)

#define ROWS(op, name, sources_h, sources_w, flags, rounds) \
	{ op ".f16", name##_f16, "h=" sources_h, flags, rounds }, \
	{ op ".f16x2", name##_f16x2, "w=" sources_w, flags, rounds }, \
	{ op ".bf16", name##_bf16, "h=" sources_h, flags, rounds }, \
	{ op ".bf16x2", name##_bf16x2, "w=" sources_w, flags, rounds }

const struct emu_row emu_half_rows[] = {
	ROWS("add", add, "hh", "ww", INSN_FTZ | INSN_SAT, true),
	ROWS("sub", sub, "hh", "ww", INSN_FTZ | INSN_SAT, true),
	ROWS("mul", mul, "hh", "ww", INSN_FTZ | INSN_SAT, true),
	ROWS("fma", fma, "hhh", "www", HALF_FLAGS, true),
	ROWS("neg", neg, "h", "w", INSN_FTZ, false),
	ROWS("abs", abs, "h", "w", INSN_FTZ | INSN_ABS, false),
	ROWS("min", min, "hh", "ww", INSN_FTZ | INSN_NAN | INSN_XORSIGN | INSN_ABS, false),
	ROWS("max", max, "hh", "ww", INSN_FTZ | INSN_NAN | INSN_XORSIGN | INSN_ABS, false),
	ROWS("ex2.approx", ex2, "h", "w", INSN_FTZ, false),
	ROWS("tanh.approx", tanh, "h", "w", 0, false),
	{ NULL, NULL, NULL, 0, false },
};
