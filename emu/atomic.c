/* SPDX-License-Identifier: MIT
 *
 * atom and red.
 */
#include "decode.h"
#include "lanes.h"
#include "numbers.h"
#include "order.h"

#include <string.h>

enum atomic_operation {
	ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR, ATOMIC_CAS, ATOMIC_EXCH, ATOMIC_ADD, ATOMIC_INC, ATOMIC_DEC, ATOMIC_MIN,
	ATOMIC_MAX
};

struct value {
	uint64_t word[2];
};

static bool is_float(enum emu_type type)
{
	return type >= TYPE_F16;
}

/* Rounded to odd in between, so that the second rounding, to half, gives what one rounding would have. */
static uint32_t add_half(uint32_t a, uint32_t b, const struct emu_half_format *format)
{
	double sum = emu_add_to_odd(emu_half_to_double(a & 0xffff, format), emu_half_to_double(b & 0xffff, format));

	return emu_double_to_half(sum, format, ROUND_NEAREST);
}

static uint32_t add_halves(uint32_t a, uint32_t b, const struct emu_half_format *format)
{
	return add_half(a, b, format) | add_half(a >> 16, b >> 16, format) << 16;
}

/* Sums of f32 in global memory flush subnormals; in shared memory they do not. */
static uint64_t add_floats(uint64_t a, uint64_t b, enum emu_type type, enum emu_space space)
{
	float x, y;

	switch (type) {
	case TYPE_F64:
		return emu_double_bits(emu_double_of(a) + emu_double_of(b));
	case TYPE_F16:
		return add_half((uint32_t)a, (uint32_t)b, &emu_format_f16);
	case TYPE_BF16:
		return add_half((uint32_t)a, (uint32_t)b, &emu_format_bf16);
	case TYPE_F16X2:
		return add_halves((uint32_t)a, (uint32_t)b, &emu_format_f16);
	case TYPE_BF16X2:
		return add_halves((uint32_t)a, (uint32_t)b, &emu_format_bf16);
	default:
		x = emu_float_of((uint32_t)a);
		y = emu_float_of((uint32_t)b);
		if (space == SPACE_GLOBAL)
			return emu_float_bits(emu_canonical(emu_flush(emu_flush(x) + emu_flush(y))));
		return emu_float_bits(emu_canonical(x + y));
	}
}

/* Unsigned types of all widths arrive here with zeros above, so one comparison serves them. */
static bool is_less(uint64_t a, uint64_t b, enum emu_type type)
{
	if (type == TYPE_S32)
		return (int32_t)a < (int32_t)b;
	if (type == TYPE_S64)
		return (int64_t)a < (int64_t)b;
	return a < b;
}

/* Values of up to 64 bits. */
static uint64_t combine(const struct emu_insn *insn, enum emu_space space, uint64_t old, uint64_t b, uint64_t c)
{
	enum emu_type type = (enum emu_type)insn->type;

	switch ((enum atomic_operation)insn->small[0]) {
	case ATOMIC_AND:
		return old & b;
	case ATOMIC_OR:
		return old | b;
	case ATOMIC_XOR:
		return old ^ b;
	case ATOMIC_CAS:
		return old == b ? c : old;
	case ATOMIC_EXCH:
		return b;
	case ATOMIC_ADD:
		return is_float(type) ? add_floats(old, b, type, space) : old + b;
	case ATOMIC_INC:
		return old >= b ? 0 : old + 1;
	case ATOMIC_DEC:
		return old == 0 || old > b ? b : old - 1;
	case ATOMIC_MIN:
		return is_less(b, old, type) ? b : old;
	default:
		return is_less(old, b, type) ? b : old;
	}
}

static struct value combine_wide(const struct emu_insn *insn, struct value old, struct value b, struct value c)
{
	if (insn->small[0] == ATOMIC_EXCH)
		return b;
	return old.word[0] == b.word[0] && old.word[1] == b.word[1] ? c : old;
}

static struct value operand_of(const struct emu_warp *warp, int32_t op, int lane, unsigned bytes)
{
	struct value value = { { 0, 0 } };

	if (op != NO_OPERAND)
		memcpy(&value, (const char *)emu_in(warp, op) + (unsigned)lane * bytes, bytes);
	return value;
}

/* op: d or nothing, the address, b, c.  Lane after lane, since several may hit one word; one that changes nothing wakes
 * nobody who polls. */
static void apply(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int lane)
{
	unsigned bytes = access->bytes;
	struct value old = { { 0, 0 } }, b = operand_of(warp, insn->op[2], lane, bytes), next;
	struct value c = operand_of(warp, insn->op[3], lane, bytes);

	memcpy(&old, access->host[lane], bytes);
	if (bytes == 16)
		next = combine_wide(insn, old, b, c);
	else
		next.word[0] = combine(insn, access->space, old.word[0], b.word[0], c.word[0]);
	if (memcmp(&old, &next, bytes)) {
		memcpy(access->host[lane], &next, bytes);
		warp->run->version++;
	}
	if (insn->op[0] != NO_OPERAND)
		memcpy((char *)emu_out(warp, insn->op[0]) + (unsigned)lane * bytes, &old, bytes);
}

static int atomic_lanes(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	if (emu_access_resolve(access, warp, insn) == STEP_FAULT)
		return STEP_FAULT;
	emu_access_count(access, warp);
	emu_order_atomic(access, warp, insn);
	for (uint32_t left = access->lanes; left; left &= left - 1)
		apply(access, warp, insn, __builtin_ctz(left));
	emu_warp_polls(warp);
	return STEP_NEXT;
}

static int run_atomic(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	struct emu_access access = { .kind = ACCESS_ATOMIC, .space = (enum emu_space)insn->space, .is_strong = true,
		.bytes = emu_type_bytes((enum emu_type)insn->type), .scope = (enum emu_scope)insn->scope };

	emu_access_addresses(&access, warp, insn, 1, lanes);
	if (insn->space != SPACE_GENERIC)
		return atomic_lanes(&access, warp, insn);
	for (uint32_t left = lanes; left; left &= ~access.lanes) {
		access.lanes = emu_access_split(&access, left);
		if (atomic_lanes(&access, warp, insn) == STEP_FAULT)
			return STEP_FAULT;
	}
	return STEP_NEXT;
}

static bool take_operation(struct emu_statement *statement, enum atomic_operation *operation)
{
	static const char *const names[] = { "and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max" };

	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (emu_take(statement, names[i])) {
			*operation = (enum atomic_operation)i;
			return true;
		}
	return false;
}

/* Which types an operation has; bits are compared and exchanged, numbers added. */
static bool fits(enum atomic_operation operation, enum emu_type type)
{
	unsigned bytes = emu_type_bytes(type);

	if (bytes == 16)
		return operation == ATOMIC_CAS || operation == ATOMIC_EXCH;
	if (operation == ATOMIC_CAS)
		return bytes == 2 || bytes == 4 || bytes == 8;
	if (is_float(type))
		return operation == ATOMIC_ADD;
	return bytes == 4 || bytes == 8;
}

static bool decode_atomic(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_red = statement->parts[0].text[0] == 'r';
	unsigned at = is_red ? 0 : 1, bytes, sources;
	enum emu_order order;
	enum emu_scope scope;
	enum emu_space space;
	enum emu_type type;
	enum atomic_operation operation;
	struct emu_address address;
	int32_t d = NO_OPERAND, data[2] = { NO_OPERAND, NO_OPERAND };
	struct emu_insn *insn;

	emu_take_order(statement, &order, &scope);
	space = emu_take_space(statement);
	emu_take(statement, "noftz");
	emu_take(statement, "L2::cache_hint");
	if (!take_operation(statement, &operation))
		return emu_unknown(parser, statement, "is not known");
	type = emu_take_type(statement);
	bytes = emu_type_bytes(type);
	sources = operation == ATOMIC_CAS ? 2 : 1;
	if (!bytes || !fits(operation, type) || !emu_all_taken(parser, statement))
		return emu_unknown(parser, statement, "is not known");
	if (!emu_operand_count(parser, statement, at + 1 + sources, at + 2 + sources) ||
			!emu_take_address(parser, statement, &statement->operands[at], &address))
		return false;
	if (!is_red)
		d = emu_destination(parser, statement, 0, bytes);
	for (unsigned i = 0; i < sources; i++)
		data[i] = emu_source(parser, statement, at + 1 + i, bytes);
	insn = emu_emit(parser, statement, run_atomic);
	emu_add_destination(insn, d);
	emu_put_address(insn, &address);
	emu_add_source(insn, data[0]);
	emu_add_source(insn, data[1]);
	insn->type = (uint8_t)type;
	insn->space = (uint8_t)space;
	insn->order = (uint8_t)(order == ORDER_WEAK ? ORDER_RELAXED : order);
	insn->scope = (uint8_t)scope;
	insn->small[0] = (uint8_t)operation;
	return !parser->is_failed;
}

const struct emu_family emu_atomic_families[] = {
	{ "atom", decode_atomic }, { "red", decode_atomic },
	{ NULL, NULL },
};
