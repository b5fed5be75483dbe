/* SPDX-License-Identifier: MIT
 *
 * Integer and logic instructions against the host, computed another way than the emulator does: through 128 bits, bit
 * by bit, or by definition.
 */
#include "tests/emu/instruction.h"

#include <stddef.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

#define HOST(name, expression) \
	static uint64_t name(uint64_t a, uint64_t b, uint64_t c) \
	{ \
		(void)b; \
		(void)c; \
		return (uint64_t)(expression); \
	}
#define S16(x) ((wide)(int16_t)(x))
#define S32(x) ((wide)(int32_t)(x))
#define S64(x) ((wide)(int64_t)(x))

static wide clamp(wide x, wide least, wide most)
{
	return x < least ? least : x > most ? most : x;
}

HOST(add, a + b)
HOST(sub, a - b)
HOST(add_sat, clamp(S32(a) + S32(b), INT32_MIN, INT32_MAX))
HOST(sub_sat, clamp(S32(a) - S32(b), INT32_MIN, INT32_MAX))
HOST(mul, a * b)
HOST(hi_u32, a * b >> 32)
HOST(hi_s32, S32(a) * S32(b) >> 32)
HOST(hi_u64, (uwide)a * b >> 64)
HOST(hi_s64, S64(a) * S64(b) >> 64)
HOST(hi_s16, S16(a) * S16(b) >> 16)
HOST(wide_s32, S32(a) * S32(b))
HOST(wide_s16, S16(a) * S16(b))
HOST(mad, a * b + c)
HOST(mad_hi_s32, (S32(a) * S32(b) >> 32) + c)
HOST(mad_hi_sat, clamp((S32(a) * S32(b) >> 32) + S32(c), INT32_MIN, INT32_MAX))
HOST(mad_wide_s32, (uint64_t)(S32(a) * S32(b)) + c)
HOST(div_u, b ? a / b : UINT64_MAX)
HOST(rem_u, b ? a % b : UINT64_MAX)
HOST(div_s32, (int32_t)b ? S32(a) / S32(b) : -1)
HOST(rem_s32, (int32_t)b ? S32(a) % S32(b) : -1)
HOST(div_s64, b ? S64(a) / S64(b) : -1)
HOST(rem_s64, b ? S64(a) % S64(b) : -1)
HOST(min_s32, S32(a) < S32(b) ? a : b)
HOST(max_s32, S32(a) > S32(b) ? a : b)
HOST(min_u, a < b ? a : b)
HOST(max_u, a > b ? a : b)
HOST(min_s64, S64(a) < S64(b) ? a : b)
HOST(max_s16, S16(a) > S16(b) ? a : b)
HOST(max_relu, clamp(S32(a) > S32(b) ? S32(a) : S32(b), 0, INT32_MAX))
HOST(neg, 0 - a)
HOST(abs_s32, S32(a) < 0 ? 0 - a : a)
HOST(abs_s64, S64(a) < 0 ? 0 - a : a)
HOST(sad_s32, c + (uint64_t)(S32(a) > S32(b) ? S32(a) - S32(b) : S32(b) - S32(a)))
HOST(sad_u32, c + (a > b ? a - b : b - a))
HOST(mul24_s, (S32(a << 8) >> 8) * (S32(b << 8) >> 8))
HOST(mul24_hi_u, ((a & 0xffffff) * (b & 0xffffff)) >> 16)
HOST(add_halves, ((a + b) & 0xffff) | ((a >> 16) + (b >> 16)) << 16)
HOST(and_, a & b)
HOST(or_, a | b)
HOST(xor_, a ^ b)
HOST(not_, ~a)
HOST(cnot, a == 0)
HOST(shl, b > 63 ? 0 : a << b)
HOST(shl_32, b > 31 ? 0 : a << b)
HOST(shr_u, b > 63 ? 0 : a >> b)
HOST(shr_s32, S32(a) >> (b > 31 ? 31 : b))
HOST(shr_s64, S64(a) >> (b > 63 ? 63 : b))
HOST(shr_s16, S16(a) >> (b > 15 ? 15 : b))
HOST(funnel_left, ((b << 32 | a) << (c & 31)) >> 32)
HOST(funnel_right, (b << 32 | a) >> (c > 32 ? 32 : c))
HOST(xor_and, (a ^ b) & c)
HOST(majority, (a & b) | (a & c) | (b & c))

static uint64_t permute(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned selector = c >> (4 * i) & 15;
		uint64_t byte = (selector & 4 ? b : a) >> (8 * (selector & 3)) & 255;

		if (selector & 8)
			byte = byte >> 7 ? 255 : 0;
		result |= byte << (8 * i);
	}
	return result;
}

static uint64_t count(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t ones = 0;

	(void)b;
	(void)c;
	for (; a; a >>= 1)
		ones += a & 1;
	return ones;
}

static uint64_t leading(uint64_t a, unsigned bits)
{
	uint64_t zeros = 0;

	while (zeros < bits && !(a >> (bits - 1 - zeros) & 1))
		zeros++;
	return zeros;
}

HOST(clz_32, leading(a, 32))
HOST(clz_64, leading(a, 64))
HOST(find_u32, a ? 31 - leading(a, 32) : UINT64_MAX)
HOST(find_s32, leading(S32(a) < 0 ? ~a : a, 32) == 32 ? UINT64_MAX : 31 - leading(S32(a) < 0 ? ~a : a, 32))
HOST(find_shift, a ? leading(a, 32) : UINT64_MAX)
HOST(find_u64, a ? 63 - leading(a, 64) : UINT64_MAX)

static uint64_t reversed(uint64_t a, unsigned bits)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < bits; i++, a >>= 1)
		result = result << 1 | (a & 1);
	return result;
}

HOST(reverse_32, reversed(a, 32))
HOST(reverse_64, reversed(a, 64))

/* As the ISA's pseudo code says. */
static uint64_t field(uint64_t a, uint64_t b, uint64_t c, unsigned msb, bool is_signed)
{
	uint64_t pos = b & 255, len = c & 255, result = 0;
	bool sign;

	if (!is_signed || len == 0)
		sign = false;
	else
		sign = a >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
	for (unsigned i = 0; i <= msb; i++) {
		bool bit = i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign;

		result |= (uint64_t)bit << i;
	}
	return result;
}

HOST(field_u32, field(a, b, c, 31, false))
HOST(field_s32, field(a, b, c, 31, true))
/* For fields that reach beyond the register a GPU runs a sequence that gives 0, where the definition gives the rest of
 * the number: none is tested. */
HOST(field_s64, field(a, b & 31, c & 31, 63, true))

static uint64_t insertion(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t pos = c & 255, len = c >> 8 & 255;

	for (unsigned i = 0; i < len && pos + i <= 31; i++)
		b = (b & ~(UINT64_C(1) << (pos + i))) | (a >> i & 1) << (pos + i);
	return b;
}

static uint64_t dot_ss(uint64_t a, uint64_t b, uint64_t c)
{
	for (unsigned i = 0; i < 32; i += 8)
		c += (uint64_t)((int64_t)(int8_t)(a >> i) * (int8_t)(b >> i));
	return c;
}

static uint64_t dot_uu(uint64_t a, uint64_t b, uint64_t c)
{
	for (unsigned i = 0; i < 32; i += 8)
		c += (a >> i & 255) * (b >> i & 255);
	return c;
}

HOST(sum_128, (uint64_t)((((uwide)b << 64 | a) + ((uwide)c << 64 | a)) >> 64))
HOST(difference_128, (uint64_t)((((uwide)b << 64 | a) - ((uwide)a << 64 | c)) >> 64))
HOST(less_s32, S32(a) < S32(b) ? c : 0)
HOST(lower_u64, a < b ? c : a)
HOST(both, a == b && c != 0)
HOST(jump, a % 3 == 0 ? 10 : a % 3 == 1 ? b + 1 : c)
HOST(sign_select, S32(c) >= 0 ? a : b)
HOST(all_ones, a >= b ? UINT32_MAX : 0)
HOST(packed, a | b << 16)
HOST(second, a >> 32)
HOST(byte_s, (int64_t)(int8_t)a)
HOST(byte_u, a & 255)
HOST(word_s, (int64_t)(int32_t)a)
HOST(saturated_s8, clamp(S32(a), -128, 127))
HOST(saturated_u8, clamp(S32(a), 0, 255))
HOST(saturated_u32, a > UINT32_MAX ? UINT32_MAX : a)
HOST(saturated_s64, clamp(S64(a), INT32_MIN, INT32_MAX))

const struct instruction instruction_arithmetic[] = {
	{ "add.s32 %0, %1, %2;", "www", add }, { "add.u64 %0, %1, %2;", "ddd", add }, { "add.s16 %0, %1, "
		"%2;", "hhh", add },
	{ "add.sat.s32 %0, %1, %2;", "www", add_sat }, { "sub.sat.s32 %0, %1, %2;", "www", sub_sat },
	{ "sub.s32 %0, %1, %2;", "www", sub }, { "sub.s64 %0, %1, %2;", "ddd", sub },
	{ "mul.lo.s32 %0, %1, %2;", "www", mul }, { "mul.lo.u64 %0, %1, %2;", "ddd", mul },
	{ "mul.lo.s16 %0, %1, %2;", "hhh", mul }, { "mul.hi.u32 %0, %1, %2;", "www", hi_u32 },
	{ "mul.hi.s32 %0, %1, %2;", "www", hi_s32 }, { "mul.hi.u64 %0, %1, %2;", "ddd", hi_u64 },
	{ "mul.hi.s64 %0, %1, %2;", "ddd", hi_s64 }, { "mul.hi.s16 %0, %1, %2;", "hhh", hi_s16 },
	{ "mul.wide.u32 %0, %1, %2;", "dww", mul }, { "mul.wide.s32 %0, %1, %2;", "dww", wide_s32 },
	{ "mul.wide.s16 %0, %1, %2;", "whh", wide_s16 }, { "mul.wide.u16 %0, %1, %2;", "whh", mul },
	{ "mad.lo.s32 %0, %1, %2, %3;", "wwww", mad }, { "mad.lo.u64 %0, %1, %2, %3;", "dddd", mad },
	{ "mad.hi.s32 %0, %1, %2, %3;", "wwww", mad_hi_s32 }, { "mad.hi.sat.s32 %0, %1, %2, %3;", "wwww",
		mad_hi_sat },
	{ "mad.wide.s32 %0, %1, %2, %3;", "dwwd", mad_wide_s32 }, { "mad.wide.u32 %0, %1, %2, %3;", "dwwd", mad },
	{ "div.u32 %0, %1, %2;", "www", div_u }, { "rem.u32 %0, %1, %2;", "www", rem_u },
	{ "div.s32 %0, %1, %2;", "www", div_s32 }, { "rem.s32 %0, %1, %2;", "www", rem_s32 },
	{ "div.u64 %0, %1, %2;", "ddd", div_u }, { "rem.u64 %0, %1, %2;", "ddd", rem_u },
	{ "div.s64 %0, %1, %2;", "ddd", div_s64 }, { "rem.s64 %0, %1, %2;", "ddd", rem_s64 },
	{ "div.u16 %0, %1, %2;", "hhh", div_u }, { "min.s32 %0, %1, %2;", "www", min_s32 },
	{ "max.s32 %0, %1, %2;", "www", max_s32 }, { "min.u32 %0, %1, %2;", "www", min_u },
	{ "max.u64 %0, %1, %2;", "ddd", max_u }, { "min.s64 %0, %1, %2;", "ddd", min_s64 },
	{ "max.s16 %0, %1, %2;", "hhh", max_s16 }, { "max.relu.s32 %0, %1, %2;", "www", max_relu },
	{ "neg.s32 %0, %1;", "ww", neg }, { "neg.s64 %0, %1;", "dd", neg }, { "abs.s32 %0, %1;", "ww", abs_s32 },
	{ "abs.s64 %0, %1;", "dd", abs_s64 }, { "sad.s32 %0, %1, %2, %3;", "wwww", sad_s32 },
	{ "sad.u32 %0, %1, %2, %3;", "wwww", sad_u32 }, { "mul24.lo.s32 %0, %1, %2;", "www", mul24_s },
	{ "mul24.hi.u32 %0, %1, %2;", "www", mul24_hi_u }, { "add.u16x2 %0, %1, %2;", "www", add_halves },
	{ "dp4a.s32.s32 %0, %1, %2, %3;", "wwww", dot_ss }, { "dp4a.u32.u32 %0, %1, %2, %3;", "wwww", dot_uu },
	{ "add.cc.u64 %0, %1, %1; addc.u64 %0, %2, %3;", "dddd", sum_128 },
	{ "sub.cc.u64 %0, %1, %3; subc.u64 %0, %2, %1;", "dddd", difference_128 },
	{ NULL, NULL, NULL },
};

const struct instruction instruction_logic[] = {
	{ "and.b32 %0, %1, %2;", "www", and_ }, { "or.b64 %0, %1, %2;", "ddd", or_ }, { "xor.b16 %0, %1, "
		"%2;", "hhh", xor_ },
	{ "not.b32 %0, %1;", "ww", not_ }, { "cnot.b32 %0, %1;", "ww", cnot }, { "shl.b64 %0, %1, %2;", "ddw", shl },
	{ "shl.b32 %0, %1, %2;", "www", shl_32 }, { "shr.u64 %0, %1, %2;", "ddw", shr_u },
	{ "shr.s32 %0, %1, %2;", "www", shr_s32 }, { "shr.s64 %0, %1, %2;", "ddw", shr_s64 },
	{ "shr.s16 %0, %1, %2;", "hhw", shr_s16 }, { "shf.l.wrap.b32 %0, %1, %2, %3;", "wwww", funnel_left },
	{ "shf.r.clamp.b32 %0, %1, %2, %3;", "wwww", funnel_right },
	{ "lop3.b32 %0, %1, %2, %3, 0x28;", "wwww", xor_and }, { "lop3.b32 %0, %1, %2, %3, 0xe8;", "wwww", majority },
	{ "prmt.b32 %0, %1, %2, %3;", "wwww", permute }, { "popc.b32 %0, %1;", "ww", count },
	{ "popc.b64 %0, %1;", "wd", count }, { "clz.b32 %0, %1;", "ww", clz_32 }, { "clz.b64 %0, %1;", "wd", clz_64 },
	{ "bfind.u32 %0, %1;", "ww", find_u32 }, { "bfind.s32 %0, %1;", "ww", find_s32 },
	{ "bfind.shiftamt.u32 %0, %1;", "ww", find_shift }, { "bfind.u64 %0, %1;", "wd", find_u64 },
	{ "brev.b32 %0, %1;", "ww", reverse_32 }, { "brev.b64 %0, %1;", "dd", reverse_64 },
	{ "bfe.u32 %0, %1, %2, %3;", "wwww", field_u32 }, { "bfe.s32 %0, %1, %2, %3;", "wwww", field_s32 },
	{ "{ .reg .b32 b, n; and.b32 b, %2, 31; and.b32 n, %3, 31; bfe.s64 %0, %1, b, n; }", "ddww", field_s64 },
	{ "{ .reg .b32 n; shr.u32 n, %3, 8; bfi.b32 %0, %1, %2, %3, n; }", "wwww", insertion },
	{ "setp.lt.s32 %p, %1, %2; @%p mov.b32 %0, %3;", "wwww", less_s32 },
	{ "setp.lt.u64 %p, %1, %2; selp.b64 %0, %3, %1, %p;", "dddd", lower_u64 },
	{ "setp.ne.u32 %q, %3, 0; setp.eq.and.s32 %p, %1, %2, %q; selp.u32 %0, 1, 0, %p;", "wwww", both },
	{ "{ .reg .b32 i; rem.u32 i, %1, 3; T: .branchtargets A, B, C; brx.idx i, T; A: mov.b32 %0, 10; bra.uni D; "
		"B: add.s32 %0, %2, 1; bra.uni D; C: mov.b32 %0, %3; D: }", "wwww", jump },
	{ "slct.b32.s32 %0, %1, %2, %3;", "wwww", sign_select }, { "set.hs.u32.u32 %0, %1, %2;", "www", all_ones },
	{ "mov.b32 %0, {%1, %2};", "whh", packed }, { "{ .reg .b32 low; mov.b64 {low, %0}, %1; }", "wd", second },
	{ "cvt.s32.s8 %0, %1;", "ww", byte_s }, { "cvt.u32.u8 %0, %1;", "wh", byte_u }, { "cvt.s64.s8 %0, "
		"%1;", "dd", byte_s },
	{ "cvt.s64.s32 %0, %1;", "dw", word_s }, { "cvt.sat.s8.s32 %0, %1;", "ww", saturated_s8 },
	{ "cvt.sat.u8.s32 %0, %1;", "ww", saturated_u8 }, { "cvt.sat.u32.u64 %0, %1;", "wd", saturated_u32 },
	{ "cvt.sat.s32.s64 %0, %1;", "wd", saturated_s64 },
	{ NULL, NULL, NULL },
};
