/* SPDX-License-Identifier: MIT
 *
 * f64 arithmetic.  The host's is IEEE's, NaN payloads included.
 */
#include "decode.h"
#include "lanes.h"
#include "numbers.h"

#include <math.h>

#define DOUBLE_OP(name, inputs, expression) \
	ALU_HEAD(name) \
	{ \
		double *d = emu_out(warp, insn->op[0]); \
		const double *a = emu_in(warp, insn->op[1]); \
		inputs \
		if (insn->rounding) \
			fesetround(emu_fenv_rounding((enum emu_rounding)insn->rounding)); \
		EACH_LANE(lanes, d[l] = expression); \
		if (insn->rounding) \
			fesetround(FE_TONEAREST); \
		return STEP_NEXT; \
	}
#define ONE
#define TWO const double *b = emu_in(warp, insn->op[2]);
#define THREE TWO const double *c = emu_in(warp, insn->op[3]);

DOUBLE_OP(add, TWO, a[l] + b[l])
DOUBLE_OP(sub, TWO, a[l] - b[l])
DOUBLE_OP(mul, TWO, a[l] * b[l])
DOUBLE_OP(quotient, TWO, a[l] / b[l])
DOUBLE_OP(fused, THREE, fma(a[l], b[l], c[l]))
DOUBLE_OP(rcp, ONE, 1.0 / a[l])
DOUBLE_OP(root, ONE, sqrt(a[l]))

ALU_1(negate, uint64_t, uint64_t, a[l] ^ UINT64_C(1) << 63)
ALU_1(absolute, uint64_t, uint64_t, a[l] & ~(UINT64_C(1) << 63))
ALU_2(copysign_64, uint64_t, uint64_t, (a[l] & UINT64_C(1) << 63) | (b[l] & ~(UINT64_C(1) << 63)))

static double pick(double a, double b, bool is_max)
{
	if (a != a)
		return b;
	if (b != b)
		return a;
	if (a == b)
		return (signbit(a) != 0) == is_max ? b : a;
	return (a < b) == is_max ? b : a;
}

ALU_2(lesser, double, double, pick(a[l], b[l], false))
ALU_2(greater, double, double, pick(a[l], b[l], true))

const struct emu_row emu_double_rows[] = {
	{ "add.f64", add, "d=dd", 0, true }, { "sub.f64", sub, "d=dd", 0, true }, { "mul.f64", mul, "d=dd", 0, true },
	{ "div.f64", quotient, "d=dd", 0, true }, { "fma.f64", fused, "d=ddd", 0, true },
	{ "mad.f64", fused, "d=ddd", 0, true }, { "rcp.f64", rcp, "d=d", 0, true },
	{ "sqrt.f64", root, "d=d", 0, true }, { "neg.f64", negate, "d=d", 0, false },
	{ "abs.f64", absolute, "d=d", INSN_ABS, false }, { "copysign.f64", copysign_64, "d=dd", 0, false },
	{ "min.f64", lesser, "d=dd", 0, false }, { "max.f64", greater, "d=dd", 0, false },
	{ NULL, NULL, NULL, 0, false },
};
