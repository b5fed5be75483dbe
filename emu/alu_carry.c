/* SPDX-License-Identifier: MIT
 *
 * Arithmetic with the condition code: additions of numbers wider than a register.
 */
#include "decode.h"
#include "lanes.h"

__extension__ typedef unsigned __int128 wide_unsigned;

#define READS 1
#define WRITES 2

static void set_carry(struct emu_warp *warp, int lane, bool is_set)
{
	warp->carry = (warp->carry & ~(1u << lane)) | (uint32_t)is_set << lane;
}

static void add_one(struct emu_warp *warp, const struct emu_insn *insn, int l, const uint64_t x[2], unsigned bits)
{
	bool is_in = insn->small[0] & READS && warp->carry >> l & 1;
	bool is_subtraction = insn->small[1];
	uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
	/* A difference adds the complement; its condition code is the borrow. */
	uint64_t second = is_subtraction ? ~x[1] & mask : x[1];
	bool plus = is_subtraction ? !is_in : is_in;
	wide_unsigned sum = (wide_unsigned)x[0] + second + plus;
	bool is_carry = (uint64_t)(sum >> bits) & 1;

	if (insn->small[0] & WRITES)
		set_carry(warp, l, is_subtraction ? !is_carry : is_carry);
	if (bits == 64)
		((uint64_t *)emu_out(warp, insn->op[0]))[l] = (uint64_t)sum;
	else
		((uint32_t *)emu_out(warp, insn->op[0]))[l] = (uint32_t)sum;
}

static uint64_t operand_of(const struct emu_warp *warp, int32_t operand, int l, unsigned bits)
{
	const void *values = emu_in(warp, operand);

	return bits == 64 ? ((const uint64_t *)values)[l] : ((const uint32_t *)values)[l];
}

static int run_add(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	unsigned bits = insn->type;

	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		const uint64_t x[2] = { operand_of(warp, insn->op[1], l, bits),
			operand_of(warp, insn->op[2], l, bits) };

		add_one(warp, insn, l, x, bits);
	}
	return STEP_NEXT;
}

static uint64_t half_product(const struct emu_insn *insn, uint64_t a, uint64_t b, unsigned bits)
{
	bool is_signed = insn->flags & INSN_SAT; /* free to mean that here: nothing saturates */
	wide_unsigned product = is_signed && bits == 32 ?
		(wide_unsigned)((int64_t)(int32_t)a * (int32_t)b) : (wide_unsigned)a * b;
	uint64_t high = (uint64_t)(product >> bits);

	if (is_signed && bits == 64)
		high -= ((int64_t)a < 0 ? b : 0) + ((int64_t)b < 0 ? a : 0);
	if (insn->flags & INSN_ABS) /* the high half */
		return bits == 32 ? (uint32_t)high : high;
	return bits == 32 ? (uint32_t)product : (uint64_t)product;
}

static int run_mad(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	unsigned bits = insn->type;

	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		const uint64_t x[2] = {
			half_product(insn, operand_of(warp, insn->op[1], l, bits),
					operand_of(warp, insn->op[2], l, bits), bits),
			operand_of(warp, insn->op[3], l, bits) };

		add_one(warp, insn, l, x, bits);
	}
	return STEP_NEXT;
}

/* add.cc, addc, addc.cc and the same of sub and mad. */
bool emu_decode_carry(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_mad = statement->parts[0].text[0] == 'm';
	bool reads = statement->parts[0].length == 4;
	bool writes = emu_take(statement, "cc");
	bool is_high = is_mad && emu_take(statement, "hi");
	enum emu_type type;
	unsigned bytes, count = is_mad ? 4 : 3;
	int32_t operands[4];
	struct emu_insn *insn;

	if (is_mad && !is_high)
		emu_take(statement, "lo");
	type = emu_take_type(statement);
	bytes = emu_type_bytes(type);
	if (bytes < 4 || bytes > 8 || type < TYPE_U8 || type > TYPE_S64)
		return emu_unknown(parser, statement, "is not known");
	for (unsigned i = 0; i < count; i++)
		operands[i] = i ? emu_source(parser, statement, i, bytes) :
			emu_destination(parser, statement, i, bytes);
	if (!emu_operand_count(parser, statement, count, count) || !emu_all_taken(parser, statement))
		return false;
	insn = emu_emit(parser, statement, is_mad ? run_mad : run_add);
	emu_add_destination(insn, operands[0]);
	for (unsigned i = 1; i < count; i++)
		emu_add_source(insn, operands[i]);
	insn->type = (uint8_t)(bytes * 8);
	insn->small[0] = (uint8_t)((reads ? READS : 0) | (writes ? WRITES : 0));
	insn->small[1] = statement->parts[0].text[0] == 's';
	insn->flags = (uint16_t)((emu_type_is_signed(type) ? INSN_SAT : 0) | (is_high ? INSN_ABS : 0));
	return true;
}
