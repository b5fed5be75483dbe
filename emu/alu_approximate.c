/* SPDX-License-Identifier: MIT
 *
 * The approximations of the device's special function unit.  Its exact bits are not documented; here the result is the
 * correctly rounded one, which every documented error bound admits.
 */
#include "decode.h"
#include "lanes.h"
#include "numbers.h"

#include <math.h>

static float take(float value, unsigned flags)
{
	return flags & INSN_FTZ ? emu_flush(value) : value;
}

static float finish(double value, unsigned flags)
{
	float result = (float)value;

	return emu_canonical(flags & INSN_FTZ ? emu_flush(result) : result);
}

#define APPROXIMATE_1(name, expression) \
	ALU_HEAD(name) \
	{ \
		float *d = emu_out(warp, insn->op[0]); \
		const float *pa = emu_in(warp, insn->op[1]); \
		EACH_LANE(lanes, double a = (double)take(pa[l], insn->flags); \
				d[l] = finish(expression, insn->flags)); \
		return STEP_NEXT; \
	}
APPROXIMATE_1(rcp, 1.0 / a)
APPROXIMATE_1(root, sqrt(a))
APPROXIMATE_1(rsqrt, 1.0 / sqrt(a))
APPROXIMATE_1(sine, sin(a))
APPROXIMATE_1(cosine, cos(a))
APPROXIMATE_1(exp_2, exp2(a))
APPROXIMATE_1(log_2, log2(a))
APPROXIMATE_1(tangent, tanh(a))

static float divide(float a, float b, unsigned flags, bool is_full)
{
	double divisor = fabs((double)b);

	/* The reciprocal of so large a divisor is subnormal and flushed: documented. */
	if (!is_full && divisor > 0x1p126 && isfinite(b))
		return isinf(a) ? emu_float_of(EMU_NAN_F32) : emu_canonical(a * copysignf(0.0f, b));
	return finish((double)a / (double)b, flags);
}

#define DIVIDE(name, is_full) \
	ALU_HEAD(name) \
	{ \
		float *d = emu_out(warp, insn->op[0]); \
		const float *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]); \
		unsigned flags = insn->flags; \
		EACH_LANE(lanes, d[l] = divide(take(a[l], flags), take(b[l], flags), flags, is_full)); \
		return STEP_NEXT; \
	}
DIVIDE(divide_approximate, false)
DIVIDE(divide_full, true)

/* Only the high word of the result counts. */
static double coarse(double value)
{
	return value != value ? value : emu_double_of(emu_double_bits(value) & ~UINT64_C(0xffffffff));
}

static double flush_64(double value)
{
	return fabs(value) < 0x1p-1022 ? copysign(0.0, value) : value;
}

ALU_1(rcp_64, double, double, flush_64(coarse(1.0 / flush_64(a[l]))))
ALU_1(rsqrt_64, double, double, coarse(1.0 / sqrt(a[l])))
ALU_1(rsqrt_ftz_64, double, double, coarse(1.0 / sqrt(flush_64(a[l]))))

const struct emu_row emu_approximate_rows[] = {
	{ "rcp.approx.f32", rcp, "w=w", INSN_FTZ, false }, { "sqrt.approx.f32", root, "w=w", INSN_FTZ, false },
	{ "rsqrt.approx.f32", rsqrt, "w=w", INSN_FTZ, false }, { "sin.approx.f32", sine, "w=w", INSN_FTZ, false },
	{ "cos.approx.f32", cosine, "w=w", INSN_FTZ, false }, { "ex2.approx.f32", exp_2, "w=w", INSN_FTZ, false },
	{ "lg2.approx.f32", log_2, "w=w", INSN_FTZ, false }, { "tanh.approx.f32", tangent, "w=w", 0, false },
	{ "div.approx.f32", divide_approximate, "w=ww", INSN_FTZ, false },
	{ "div.full.f32", divide_full, "w=ww", INSN_FTZ, false },
	{ "rcp.approx.ftz.f64", rcp_64, "d=d", 0, false }, { "rsqrt.approx.f64", rsqrt_64, "d=d", 0, false },
	{ "rsqrt.approx.ftz.f64", rsqrt_ftz_64, "d=d", 0, false },
	{ NULL, NULL, NULL, 0, false },
};
