/* SPDX-License-Identifier: MIT
 *
 * f32 arithmetic.  Results are bit-exact: one rounding in the mode asked for, flushing before and after, one NaN.
 */
#include "decode.h"
#include "lanes.h"
#include "numbers.h"

#include <math.h>

#define FLOAT_FLAGS (INSN_FTZ | INSN_SAT)

/* What flags ask of a result that was rounded from `exact`. */
static float finish(float value, double exact, unsigned flags)
{
	if (flags & INSN_FTZ)
		value = emu_flush_result(value, exact);
	return flags & INSN_SAT ? emu_saturate(value) : emu_canonical(value);
}

static float take(float value, unsigned flags)
{
	return flags & INSN_FTZ ? emu_flush(value) : value;
}

/* Nearest without flags is the common case and has a loop of its own, which vectorises.  In double, what is near the
 * least normal number is exact, or so far from where f32 rounds that it ends on the right side. */
#define FLOAT_1(name, expression, exact) \
	ALU_HEAD(name) \
	{ \
		float *d = emu_out(warp, insn->op[0]); \
		const float *pa = emu_in(warp, insn->op[1]); \
		unsigned flags = insn->flags; \
		if (!flags && !insn->rounding) { \
			EACH_LANE(lanes, float a = pa[l]; d[l] = emu_canonical(expression)); \
			return STEP_NEXT; \
		} \
		fesetround(emu_fenv_rounding((enum emu_rounding)insn->rounding)); \
		EACH_LANE(lanes, float a = take(pa[l], flags); d[l] = finish(expression, exact, flags)); \
		fesetround(FE_TONEAREST); \
		return STEP_NEXT; \
	}

#define FLOAT_2(name, expression, exact) \
	ALU_HEAD(name) \
	{ \
		float *d = emu_out(warp, insn->op[0]); \
		const float *pa = emu_in(warp, insn->op[1]), *pb = emu_in(warp, insn->op[2]); \
		unsigned flags = insn->flags; \
		if (!flags && !insn->rounding) { \
			EACH_LANE(lanes, float a = pa[l], b = pb[l]; d[l] = emu_canonical(expression)); \
			return STEP_NEXT; \
		} \
		fesetround(emu_fenv_rounding((enum emu_rounding)insn->rounding)); \
		EACH_LANE(lanes, float a = take(pa[l], flags), b = take(pb[l], flags); \
				d[l] = finish(expression, exact, flags)); \
		fesetround(FE_TONEAREST); \
		return STEP_NEXT; \
	}

FLOAT_2(add, a + b, (double)a + (double)b)
FLOAT_2(sub, a - b, (double)a - (double)b)
FLOAT_2(mul, a * b, (double)a * (double)b)
FLOAT_2(quotient, a / b, (double)a / (double)b)
FLOAT_1(rcp, 1.0f / a, 1.0 / (double)a)
FLOAT_1(root, sqrtf(a), sqrt((double)a))

/* The sum of a product of f32 and a f32 may not fit a double, whose own rounding must not decide a tie: to odd, it
 * does not. */
static float fuse(float a, float b, float c, unsigned rounding, unsigned flags)
{
	float value = fmaf(a, b, c);
	double product;

	if (!(flags & INSN_FTZ) || fabsf(value) != 0x1p-126f)
		return finish(value, (double)value, flags);
	product = (double)a * (double)b;
	return finish(value, rounding == ROUND_NEAREST ? emu_add_to_odd(product, (double)c) : product + (double)c,
		flags);
}

ALU_HEAD(fused)
{
	float *d = emu_out(warp, insn->op[0]);
	const float *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]), *c = emu_in(warp, insn->op[3]);
	unsigned flags = insn->flags;

	fesetround(emu_fenv_rounding((enum emu_rounding)insn->rounding));
	EACH_LANE(lanes, d[l] = fuse(take(a[l], flags), take(b[l], flags), take(c[l], flags), insn->rounding, flags));
	fesetround(FE_TONEAREST);
	return STEP_NEXT;
}

/* Signs are changed on the bits, NaN's too. */
ALU_HEAD(negate)
{
	uint32_t *d = emu_out(warp, insn->op[0]);
	const float *a = emu_in(warp, insn->op[1]);
	unsigned flags = insn->flags;

	EACH_LANE(lanes, d[l] = a[l] != a[l] ? EMU_NAN_F32 : emu_float_bits(take(a[l], flags)) ^ 0x80000000u);
	return STEP_NEXT;
}

ALU_HEAD(absolute)
{
	uint32_t *d = emu_out(warp, insn->op[0]);
	const float *a = emu_in(warp, insn->op[1]);
	unsigned flags = insn->flags;

	EACH_LANE(lanes, d[l] = a[l] != a[l] ? EMU_NAN_F32 : emu_float_bits(take(a[l], flags)) & 0x7fffffffu);
	return STEP_NEXT;
}

ALU_2(copysign_32, uint32_t, uint32_t, (a[l] & 0x80000000u) | (b[l] & 0x7fffffffu))

/* Zeros are ordered by their signs; a NaN loses against a number unless .NaN says that it wins. */
static float pick(float a, float b, bool is_max, unsigned flags)
{
	uint32_t sign = (emu_float_bits(a) ^ emu_float_bits(b)) & 0x80000000u;
	float result;

	if (flags & INSN_XORSIGN) {
		a = fabsf(a);
		b = fabsf(b);
	}
	if (a != a || b != b)
		result = flags & INSN_NAN ? (a != a ? a : b) : a != a ? b : a;
	else if (a == b)
		result = (signbit(a) != 0) == is_max ? b : a;
	else
		result = (a < b) == is_max ? b : a;
	if (result != result)
		return emu_float_of(EMU_NAN_F32);
	return flags & INSN_XORSIGN ? emu_float_of(emu_float_bits(result) | sign) : result;
}

#define PICK(name, is_max) \
	ALU_HEAD(name) \
	{ \
		float *d = emu_out(warp, insn->op[0]); \
		const float *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]); \
		unsigned flags = insn->flags; \
		EACH_LANE(lanes, d[l] = pick(take(a[l], flags), take(b[l], flags), is_max, flags)); \
		return STEP_NEXT; \
	}
PICK(lesser, false)
PICK(greater, true)

/* The greatest or least of three; a NaN among them is as with two. */
#define PICK_3(name, is_max) \
	ALU_HEAD(name) \
	{ \
		float *d = emu_out(warp, insn->op[0]); \
		const float *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]); \
		const float *c = emu_in(warp, insn->op[3]); \
		unsigned flags = insn->flags; \
		EACH_LANE(lanes, d[l] = pick(pick(take(a[l], flags), take(b[l], flags), is_max, flags), \
					take(c[l], flags), is_max, flags)); \
		return STEP_NEXT; \
	}
PICK_3(least, false)
PICK_3(greatest, true)

/* Pairs of f32 in a 64-bit register: as many lanes again. */
static void pair_arithmetic(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, char operation)
{
	float *d = emu_out(warp, insn->op[0]);
	const float *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]);
	const float *c = insn->op_count > 3 ? emu_in(warp, insn->op[3]) : a;
	unsigned flags = insn->flags;

	fesetround(emu_fenv_rounding((enum emu_rounding)insn->rounding));
	for (unsigned i = 0; i < 2 * EMU_LANES; i++) {
		float x = take(a[i], flags), y = take(b[i], flags), z = take(c[i], flags);

		if (!(lanes >> i / 2 & 1))
			continue;
		d[i] = operation == '+' ? finish(x + y, (double)x + (double)y, flags) :
			operation == '-' ? finish(x - y, (double)x - (double)y, flags) :
			operation == '*' ? finish(x * y, (double)x * (double)y, flags) :
			fuse(x, y, z, insn->rounding, flags);
	}
	fesetround(FE_TONEAREST);
}

#define PAIRS(name, operation) \
	ALU_HEAD(name) \
	{ \
		pair_arithmetic(warp, insn, lanes, operation); \
		return STEP_NEXT; \
	}
PAIRS(add_pairs, '+')
PAIRS(sub_pairs, '-')
PAIRS(mul_pairs, '*')
PAIRS(fuse_pairs, 'f')

const struct emu_row emu_float_rows[] = {
	{ "add.f32", add, "w=ww", FLOAT_FLAGS, true }, { "sub.f32", sub, "w=ww", FLOAT_FLAGS, true },
	{ "mul.f32", mul, "w=ww", FLOAT_FLAGS, true }, { "fma.f32", fused, "w=www", FLOAT_FLAGS, true },
	{ "mad.f32", fused, "w=www", FLOAT_FLAGS, true }, { "div.f32", quotient, "w=ww", INSN_FTZ, true },
	{ "rcp.f32", rcp, "w=w", INSN_FTZ, true }, { "sqrt.f32", root, "w=w", INSN_FTZ, true },
	{ "neg.f32", negate, "w=w", INSN_FTZ, false }, { "abs.f32", absolute, "w=w", INSN_FTZ | INSN_ABS, false },
	{ "copysign.f32", copysign_32, "w=ww", 0, false },
	{ "min.f32", lesser, "w=ww", INSN_FTZ | INSN_NAN | INSN_XORSIGN | INSN_ABS, false },
	{ "max.f32", greater, "w=ww", INSN_FTZ | INSN_NAN | INSN_XORSIGN | INSN_ABS, false },
	{ "min3.f32", least, "w=www", INSN_FTZ | INSN_NAN | INSN_XORSIGN | INSN_ABS, false },
	{ "max3.f32", greatest, "w=www", INSN_FTZ | INSN_NAN | INSN_XORSIGN | INSN_ABS, false },
	{ "add.f32x2", add_pairs, "d=dd", INSN_FTZ, true }, { "sub.f32x2", sub_pairs, "d=dd", INSN_FTZ, true },
	{ "mul.f32x2", mul_pairs, "d=dd", INSN_FTZ, true }, { "fma.f32x2", fuse_pairs, "d=ddd", INSN_FTZ, true },
	{ NULL, NULL, NULL, 0, false },
};
