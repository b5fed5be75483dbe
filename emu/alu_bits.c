/* SPDX-License-Identifier: MIT
 *
 * Bit fields and bit counts.
 */
#include "decode.h"
#include "lanes.h"

ALU_1(popc_32, uint32_t, uint32_t, __builtin_popcount(a[l]))
ALU_1(popc_64, uint32_t, uint64_t, __builtin_popcountll(a[l]))
ALU_1(clz_32, uint32_t, uint32_t, a[l] ? __builtin_clz(a[l]) : 32)
ALU_1(clz_64, uint32_t, uint64_t, a[l] ? __builtin_clzll(a[l]) : 64)

/* The position of the most significant bit that differs from the sign; all ones where there is none. */
static uint32_t find_msb(uint64_t value, unsigned bits, bool is_shift)
{
	uint32_t position;

	if (!value)
		return UINT32_MAX;
	position = 63 - (uint32_t)__builtin_clzll(value);
	return is_shift ? bits - 1 - position : position;
}

#define UNSIGNED_32(x) ((uint64_t)(x))
#define SIGNED_32(x) ((uint64_t)(uint32_t)((int32_t)(x) < 0 ? ~(x) : (x)))
#define SIGNED_64(x) ((uint64_t)((int64_t)(x) < 0 ? ~(x) : (x)))
ALU_1(bfind_u32, uint32_t, uint32_t, find_msb(UNSIGNED_32(a[l]), 32, false))
ALU_1(bfind_s32, uint32_t, uint32_t, find_msb(SIGNED_32(a[l]), 32, false))
ALU_1(bfind_u64, uint32_t, uint64_t, find_msb(a[l], 64, false))
ALU_1(bfind_s64, uint32_t, uint64_t, find_msb(SIGNED_64(a[l]), 64, false))
ALU_1(bfind_shift_u32, uint32_t, uint32_t, find_msb(UNSIGNED_32(a[l]), 32, true))
ALU_1(bfind_shift_s32, uint32_t, uint32_t, find_msb(SIGNED_32(a[l]), 32, true))
ALU_1(bfind_shift_u64, uint32_t, uint64_t, find_msb(a[l], 64, true))
ALU_1(bfind_shift_s64, uint32_t, uint64_t, find_msb(SIGNED_64(a[l]), 64, true))

static uint64_t reverse(uint64_t value, unsigned bits)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < bits; i++)
		result |= (value >> i & 1) << (bits - 1 - i);
	return result;
}

ALU_1(brev_32, uint32_t, uint32_t, reverse(a[l], 32))
ALU_1(brev_64, uint64_t, uint64_t, reverse(a[l], 64))

/* The field's bits, then its sign or zeros; a field that reaches beyond the register ends with the register's sign. */
static uint64_t extract(uint64_t value, uint32_t b, uint32_t c, unsigned bits, bool is_signed)
{
	unsigned start = b & 0xff, length = c & 0xff, last;
	uint64_t field = start < bits ? value >> start : 0, mask;
	bool is_negative;

	if (!length)
		return 0;
	last = start + length - 1 < bits - 1 ? start + length - 1 : bits - 1;
	is_negative = is_signed && (value >> last & 1);
	length = start + length > bits ? (start < bits ? bits - start : 0) : length;
	mask = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
	return (field & mask) | (is_negative ? ~mask : 0);
}

ALU_3S(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a[l], b[l], c[l], 32, false))
ALU_3S(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a[l], b[l], c[l], 32, true))
ALU_3S(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a[l], b[l], c[l], 64, false))
ALU_3S(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a[l], b[l], c[l], 64, true))

static uint64_t insert(uint64_t field, uint64_t value, uint32_t start, uint32_t length, unsigned bits)
{
	uint64_t mask;

	start &= 0xff;
	length &= 0xff;
	if (start >= bits || !length)
		return value;
	mask = length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
	return (value & ~(mask << start)) | (field & mask) << start;
}

#define INSERT(bits) \
	ALU_HEAD(bfi_##bits) \
	{ \
		uint##bits##_t *d = emu_out(warp, insn->op[0]); \
		const uint##bits##_t *a = emu_in(warp, insn->op[1]), *b = emu_in(warp, insn->op[2]); \
		const uint32_t *c = emu_in(warp, insn->op[3]), *e = emu_in(warp, insn->op[4]); \
		EACH_LANE(lanes, d[l] = (uint##bits##_t)insert(a[l], b[l], c[l], e[l], bits)); \
		return STEP_NEXT; \
	}
INSERT(32)
INSERT(64)

/* The n-th set bit from a position, upwards or downwards; all ones where there is none. */
static uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset)
{
	int32_t step = offset < 0 ? -1 : 1, at = (int32_t)(base & 31);
	int32_t left = offset < 0 ? -offset : offset;

	if (offset == 0)
		return mask >> at & 1 ? (uint32_t)at : UINT32_MAX;
	if (left > 32 || left < 0)
		return UINT32_MAX;
	for (; at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && --left == 0)
			return (uint32_t)at;
	return UINT32_MAX;
}

ALU_3S(fns, uint32_t, uint32_t, uint32_t, int32_t, find_nth(a[l], b[l], c[l]))

static uint32_t bit_mask(uint32_t start, uint32_t length, bool is_clamped)
{
	uint64_t mask;

	if (!is_clamped) {
		start &= 31;
		length &= 31;
	}
	if (start > 31)
		return 0;
	mask = length > 31 ? UINT32_MAX : (UINT64_C(1) << length) - 1;
	return (uint32_t)(mask << start);
}

ALU_2(bmsk_clamp, uint32_t, uint32_t, bit_mask(a[l], b[l], true))
ALU_2(bmsk_wrap, uint32_t, uint32_t, bit_mask(a[l], b[l], false))

static uint32_t extend(uint32_t value, uint32_t width, bool is_clamped, bool is_signed)
{
	if (!is_clamped)
		width &= 31;
	if (width > 31)
		return value;
	if (!width)
		return 0;
	return is_signed ? (uint32_t)((int32_t)(value << (32 - width)) >> (32 - width)) :
		value & ((1u << width) - 1);
}

ALU_2(szext_clamp_u32, uint32_t, uint32_t, extend(a[l], b[l], true, false))
ALU_2(szext_clamp_s32, uint32_t, uint32_t, extend(a[l], b[l], true, true))
ALU_2(szext_wrap_u32, uint32_t, uint32_t, extend(a[l], b[l], false, false))
ALU_2(szext_wrap_s32, uint32_t, uint32_t, extend(a[l], b[l], false, true))

const struct emu_row emu_bit_rows[] = {
	{ "popc.b32", popc_32, "w=w", 0, false }, { "popc.b64", popc_64, "w=d", 0, false },
	{ "clz.b32", clz_32, "w=w", 0, false }, { "clz.b64", clz_64, "w=d", 0, false },
	{ "bfind.u32", bfind_u32, "w=w", 0, false }, { "bfind.s32", bfind_s32, "w=w", 0, false },
	{ "bfind.u64", bfind_u64, "w=d", 0, false }, { "bfind.s64", bfind_s64, "w=d", 0, false },
	{ "bfind.shiftamt.u32", bfind_shift_u32, "w=w", 0, false },
	{ "bfind.shiftamt.s32", bfind_shift_s32, "w=w", 0, false },
	{ "bfind.shiftamt.u64", bfind_shift_u64, "w=d", 0, false },
	{ "bfind.shiftamt.s64", bfind_shift_s64, "w=d", 0, false },
	{ "brev.b32", brev_32, "w=w", 0, false }, { "brev.b64", brev_64, "d=d", 0, false },
	{ "bfe.u32", bfe_u32, "w=www", 0, false }, { "bfe.s32", bfe_s32, "w=www", 0, false },
	{ "bfe.u64", bfe_u64, "d=dww", 0, false }, { "bfe.s64", bfe_s64, "d=dww", 0, false },
	{ "bfi.b32", bfi_32, "w=wwww", 0, false }, { "bfi.b64", bfi_64, "d=ddww", 0, false },
	{ "fns.b32", fns, "w=www", 0, false },
	{ "bmsk.clamp.b32", bmsk_clamp, "w=ww", 0, false }, { "bmsk.wrap.b32", bmsk_wrap, "w=ww", 0, false },
	{ "szext.clamp.u32", szext_clamp_u32, "w=ww", 0, false },
	{ "szext.clamp.s32", szext_clamp_s32, "w=ww", 0, false },
	{ "szext.wrap.u32", szext_wrap_u32, "w=ww", 0, false },
	{ "szext.wrap.s32", szext_wrap_s32, "w=ww", 0, false },
	{ NULL, NULL, NULL, 0, false },
};
