/* SPDX-License-Identifier: MIT
 *
 * Logic, shifts and permutations.
 */
#include "decode.h"
#include "lanes.h"

#define LOGIC(bits) \
	ALU_2(and_##bits, uint##bits##_t, uint##bits##_t, a[l] & b[l]) \
	ALU_2(or_##bits, uint##bits##_t, uint##bits##_t, a[l] | b[l]) \
	ALU_2(xor_##bits, uint##bits##_t, uint##bits##_t, a[l] ^ b[l]) \
	ALU_1(not_##bits, uint##bits##_t, uint##bits##_t, ~a[l]) \
	ALU_1(cnot_##bits, uint##bits##_t, uint##bits##_t, a[l] == 0)
LOGIC(16)
LOGIC(32)
LOGIC(64)

#define MASKS(name, expression) \
	ALU_HEAD(name) \
	{ \
		uint32_t a = emu_in_mask(warp, insn->op[1]); \
		uint32_t b = emu_in_mask(warp, insn->op[2]); \
		emu_out_mask(warp, insn->op[0], expression, lanes); \
		return STEP_NEXT; \
	}
MASKS(and_pred, a & b)
MASKS(or_pred, a | b)
MASKS(xor_pred, a ^ b)

ALU_HEAD(not_pred)
{
	emu_out_mask(warp, insn->op[0], ~emu_in_mask(warp, insn->op[1]), lanes);
	return STEP_NEXT;
}

/* Counts beyond the width shift everything out. */
ALU_2S(shl_16, uint16_t, uint16_t, uint32_t, b[l] > 15 ? 0 : a[l] << b[l])
ALU_2S(shl_32, uint32_t, uint32_t, uint32_t, b[l] > 31 ? 0 : a[l] << (b[l] & 31))
ALU_2S(shl_64, uint64_t, uint64_t, uint32_t, b[l] > 63 ? 0 : a[l] << (b[l] & 63))
ALU_2S(shr_u16, uint16_t, uint16_t, uint32_t, b[l] > 15 ? 0 : a[l] >> b[l])
ALU_2S(shr_u32, uint32_t, uint32_t, uint32_t, b[l] > 31 ? 0 : a[l] >> (b[l] & 31))
ALU_2S(shr_u64, uint64_t, uint64_t, uint32_t, b[l] > 63 ? 0 : a[l] >> (b[l] & 63))
ALU_2S(shr_s16, int16_t, int16_t, uint32_t, a[l] >> (b[l] > 15 ? 15 : b[l]))
ALU_2S(shr_s32, int32_t, int32_t, uint32_t, a[l] >> (b[l] > 31 ? 31 : b[l]))
ALU_2S(shr_s64, int64_t, int64_t, uint32_t, a[l] >> (b[l] > 63 ? 63 : b[l]))

static uint32_t funnel(uint32_t low, uint32_t high, uint32_t count, bool is_left)
{
	uint64_t both = (uint64_t)high << 32 | low;

	return is_left ? (uint32_t)((both << count) >> 32) : (uint32_t)(both >> count);
}

#define CLAMPED(n) ((n) > 32 ? 32 : (n))
ALU_3(shf_l_wrap, uint32_t, uint32_t, uint32_t, funnel(a[l], b[l], c[l] & 31, true))
ALU_3(shf_r_wrap, uint32_t, uint32_t, uint32_t, funnel(a[l], b[l], c[l] & 31, false))
ALU_3(shf_l_clamp, uint32_t, uint32_t, uint32_t, funnel(a[l], b[l], CLAMPED(c[l]), true))
ALU_3(shf_r_clamp, uint32_t, uint32_t, uint32_t, funnel(a[l], b[l], CLAMPED(c[l]), false))

/* Bit i of the table is the result for the inputs a, b, c = bits 2, 1, 0 of i. */
static inline uint32_t lookup_3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t result = 0;

	for (unsigned i = 0; i < 8; i++) {
		uint32_t hit = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);

		result |= hit & (0 - (table >> i & 1));
	}
	return result;
}

ALU_HEAD(lop3_32)
{
	uint32_t *d = emu_out(warp, insn->op[0]);
	const uint32_t *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]), *c = emu_in(warp, insn->op[3]);
	uint32_t table = *(const uint32_t *)emu_in(warp, insn->op[4]);

	EACH_LANE(lanes, d[l] = lookup_3(a[l], b[l], c[l], table));
	return STEP_NEXT;
}

static uint32_t select_byte(uint64_t both, uint32_t selector)
{
	uint32_t byte = (uint32_t)(both >> (8 * (selector & 7))) & 0xff;

	return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t both = (uint64_t)b << 32 | a;

	return select_byte(both, selector) | select_byte(both, selector >> 4) << 8 |
		select_byte(both, selector >> 8) << 16 | select_byte(both, selector >> 12) << 24;
}

/* The named modes are permutations that depend on two bits of c. */
static uint32_t permute_mode(uint32_t a, uint32_t b, uint32_t c, const uint16_t selectors[4])
{
	return permute(a, b, selectors[c & 3]);
}

static const uint16_t mode_f4e[4] = { 0x3210, 0x4321, 0x5432, 0x6543 };
static const uint16_t mode_b4e[4] = { 0x5670, 0x6701, 0x7012, 0x0123 };
static const uint16_t mode_rc8[4] = { 0x0000, 0x1111, 0x2222, 0x3333 };
static const uint16_t mode_ecl[4] = { 0x3210, 0x3211, 0x3222, 0x3333 };
static const uint16_t mode_ecr[4] = { 0x0000, 0x1110, 0x2210, 0x3210 };
static const uint16_t mode_rc16[4] = { 0x1010, 0x3232, 0x1010, 0x3232 };

ALU_3(prmt, uint32_t, uint32_t, uint32_t, permute(a[l], b[l], c[l]))
ALU_3(prmt_f4e, uint32_t, uint32_t, uint32_t, permute_mode(a[l], b[l], c[l], mode_f4e))
ALU_3(prmt_b4e, uint32_t, uint32_t, uint32_t, permute_mode(a[l], b[l], c[l], mode_b4e))
ALU_3(prmt_rc8, uint32_t, uint32_t, uint32_t, permute_mode(a[l], b[l], c[l], mode_rc8))
ALU_3(prmt_ecl, uint32_t, uint32_t, uint32_t, permute_mode(a[l], b[l], c[l], mode_ecl))
ALU_3(prmt_ecr, uint32_t, uint32_t, uint32_t, permute_mode(a[l], b[l], c[l], mode_ecr))
ALU_3(prmt_rc16, uint32_t, uint32_t, uint32_t, permute_mode(a[l], b[l], c[l], mode_rc16))

#define ALL(op, name, shape_h, shape_w, shape_d) \
	{ op ".b16", name##_16, shape_h, 0, false }, { op ".b32", name##_32, shape_w, 0, false }, \
	{ op ".b64", name##_64, shape_d, 0, false }

const struct emu_row emu_logic_rows[] = {
	ALL("and", and, "h=hh", "w=ww", "d=dd"), ALL("or", or, "h=hh", "w=ww", "d=dd"),
	ALL("xor", xor, "h=hh", "w=ww", "d=dd"), ALL("not", not, "h=h", "w=w", "d=d"),
	ALL("cnot", cnot, "h=h", "w=w", "d=d"), ALL("shl", shl, "h=hw", "w=ww", "d=dw"),
	{ "and.pred", and_pred, "p=pp", 0, false }, { "or.pred", or_pred, "p=pp", 0, false },
	{ "xor.pred", xor_pred, "p=pp", 0, false }, { "not.pred", not_pred, "p=p", 0, false },
	{ "shr.b16", shr_u16, "h=hw", 0, false }, { "shr.b32", shr_u32, "w=ww", 0, false },
	{ "shr.b64", shr_u64, "d=dw", 0, false }, { "shr.u16", shr_u16, "h=hw", 0, false },
	{ "shr.u32", shr_u32, "w=ww", 0, false }, { "shr.u64", shr_u64, "d=dw", 0, false },
	{ "shr.s16", shr_s16, "h=hw", 0, false }, { "shr.s32", shr_s32, "w=ww", 0, false },
	{ "shr.s64", shr_s64, "d=dw", 0, false },
	{ "shf.l.wrap.b32", shf_l_wrap, "w=www", 0, false }, { "shf.r.wrap.b32", shf_r_wrap, "w=www", 0, false },
	{ "shf.l.clamp.b32", shf_l_clamp, "w=www", 0, false }, { "shf.r.clamp.b32", shf_r_clamp, "w=www", 0, false },
	{ "lop3.b32", lop3_32, "w=wwww", 0, false },
	{ "prmt.b32", prmt, "w=www", 0, false }, { "prmt.b32.f4e", prmt_f4e, "w=www", 0, false },
	{ "prmt.b32.b4e", prmt_b4e, "w=www", 0, false }, { "prmt.b32.rc8", prmt_rc8, "w=www", 0, false },
	{ "prmt.b32.ecl", prmt_ecl, "w=www", 0, false }, { "prmt.b32.ecr", prmt_ecr, "w=www", 0, false },
	{ "prmt.b32.rc16", prmt_rc16, "w=www", 0, false },
	{ NULL, NULL, NULL, 0, false },
};
