/* SPDX-License-Identifier: MIT
 *
 * ld and st: moves between registers and resolved addresses.
 */
#include "control.h"
#include "decode.h"
#include "lanes.h"
#include "order.h"
#include "race.h"
#include "undefined.h"

#include <string.h>

#define FETCH(reg, mem) do { \
		reg *d_ = d; \
		EACH_LANE(lanes, mem v_; memcpy(&v_, host[l] + offset, sizeof v_); d_[l] = (reg)v_); \
	} while (0)
#define PUT(reg, mem) do { \
		const reg *s_ = s; \
		EACH_LANE(lanes, mem v_ = (mem)s_[l]; memcpy(host[l] + offset, &v_, sizeof v_)); \
	} while (0)

struct two_words {
	uint64_t word[2];
};

/* Narrow values are widened to the register as the type's sign says. */
static void fetch_narrow(void *d, unsigned char *const *host, unsigned offset, uint32_t lanes, enum emu_type type,
		unsigned wide)
{
	bool is_signed = emu_type_is_signed(type);

	if (emu_type_bytes(type) == 1) {
		if (wide == 1)
			FETCH(uint8_t, uint8_t);
		else if (wide == 2 && is_signed)
			FETCH(uint16_t, int8_t);
		else if (wide == 2)
			FETCH(uint16_t, uint8_t);
		else if (wide == 4 && is_signed)
			FETCH(uint32_t, int8_t);
		else if (wide == 4)
			FETCH(uint32_t, uint8_t);
		else if (is_signed)
			FETCH(uint64_t, int8_t);
		else
			FETCH(uint64_t, uint8_t);
	} else if (wide == 2) {
		FETCH(uint16_t, uint16_t);
	} else if (wide == 4 && is_signed) {
		FETCH(uint32_t, int16_t);
	} else if (wide == 4) {
		FETCH(uint32_t, uint16_t);
	} else if (is_signed) {
		FETCH(uint64_t, int16_t);
	} else {
		FETCH(uint64_t, uint16_t);
	}
}

void emu_fetch(void *d, unsigned char *const *host, unsigned offset, uint32_t lanes, enum emu_type type, unsigned wide)
{
	switch (emu_type_bytes(type)) {
	case 16:
		FETCH(struct two_words, struct two_words);
		break;
	case 8:
		FETCH(uint64_t, uint64_t);
		break;
	case 4:
		if (wide == 4)
			FETCH(uint32_t, uint32_t);
		else if (emu_type_is_signed(type))
			FETCH(uint64_t, int32_t);
		else
			FETCH(uint64_t, uint32_t);
		break;
	default:
		fetch_narrow(d, host, offset, lanes, type, wide);
	}
}

void emu_put(const void *s, unsigned char *const *host, unsigned offset, uint32_t lanes, unsigned bytes, unsigned wide)
{
	if (bytes == 16)
		PUT(struct two_words, struct two_words);
	else if (bytes == 8)
		PUT(uint64_t, uint64_t);
	else if (bytes == 4 && wide == 4)
		PUT(uint32_t, uint32_t);
	else if (bytes == 4)
		PUT(uint64_t, uint32_t);
	else if (bytes == 2 && wide == 2)
		PUT(uint16_t, uint16_t);
	else if (bytes == 2 && wide == 4)
		PUT(uint32_t, uint16_t);
	else if (bytes == 2)
		PUT(uint64_t, uint16_t);
	else if (wide == 1)
		PUT(uint8_t, uint8_t);
	else if (wide == 2)
		PUT(uint16_t, uint8_t);
	else if (wide == 4)
		PUT(uint32_t, uint8_t);
	else
		PUT(uint64_t, uint8_t);
}

void emu_access_describe(struct emu_access *access, const struct emu_insn *insn, enum emu_access_kind kind)
{
	access->kind = kind;
	access->space = (enum emu_space)insn->space;
	access->bytes = emu_type_bytes((enum emu_type)insn->type) * insn->vector;
	access->is_strong = insn->order != ORDER_WEAK || insn->flags & INSN_VOLATILE;
	access->is_nc = insn->flags & INSN_NC;
	access->is_async = false;
	access->scope = (enum emu_scope)insn->scope;
}

/* A poll: a strong load, or an atomic operation that may be one. */
static void note_poll(struct emu_warp *warp, const struct emu_access *access)
{
	if (access->is_strong && access->space != SPACE_LOCAL)
		emu_warp_polls(warp);
}

/* op: the destinations, then the address. */
static int load_lanes(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type);

	if (emu_access_resolve(access, warp, insn) == STEP_FAULT)
		return STEP_FAULT;
	emu_order_load(access, warp, insn);
	for (unsigned i = 0; i < insn->vector; i++)
		emu_fetch(emu_out(warp, insn->op[i]), access->host, i * bytes, access->lanes,
				(enum emu_type)insn->type, insn->register_bytes[0]);
	emu_access_count(access, warp);
	note_poll(warp, access);
	return access->unwritten ? emu_undefined_load(access, warp, insn) : STEP_NEXT;
}

static int run_load(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	struct emu_access access;

	emu_access_describe(&access, insn, ACCESS_READ);
	emu_access_addresses(&access, warp, insn, insn->vector, lanes);
	if (insn->space != SPACE_GENERIC)
		return load_lanes(&access, warp, insn);
	for (uint32_t left = lanes; left; left &= ~access.lanes) {
		access.lanes = emu_access_split(&access, left);
		if (load_lanes(&access, warp, insn) == STEP_FAULT)
			return STEP_FAULT;
	}
	return STEP_NEXT;
}

static emu_run_fn run_store;

/* op: the address, then the sources. */
static int store_lanes(struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type);

	if (emu_access_resolve(access, warp, insn) == STEP_FAULT)
		return STEP_FAULT;
	emu_access_count(access, warp);
	emu_order_store(access, warp, insn);
	for (unsigned i = 0; i < insn->vector; i++)
		emu_put(emu_in(warp, insn->op[i + 1]), access->host, i * bytes, access->lanes, bytes,
				insn->register_bytes[0]);
	emu_order_stored(access, warp);
	return warp->undefined ? emu_undefined_store(access, warp, insn) : STEP_NEXT;
}

bool emu_store_repeats(const struct emu_warp *warp, const struct emu_insn *insn, int lane, const unsigned char *host)
{
	unsigned bytes = emu_type_bytes((enum emu_type)insn->type), wide = insn->register_bytes[0];

	if (insn->run != run_store)
		return false;
	for (unsigned i = 0; i < insn->vector; i++)
		if (memcmp(host + i * bytes, (const char *)emu_in(warp, insn->op[i + 1]) + (unsigned)lane * wide,
				bytes))
			return false;
	return true;
}

static int run_store(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	struct emu_access access;

	emu_access_describe(&access, insn, ACCESS_WRITE);
	emu_access_addresses(&access, warp, insn, 0, lanes);
	if (insn->space != SPACE_GENERIC)
		return store_lanes(&access, warp, insn);
	for (uint32_t left = lanes; left; left &= ~access.lanes) {
		access.lanes = emu_access_split(&access, left);
		if (store_lanes(&access, warp, insn) == STEP_FAULT)
			return STEP_FAULT;
	}
	return STEP_NEXT;
}

bool emu_is_load(const struct emu_insn *insn)
{
	return insn->run == run_load || insn->run == emu_run_partial_load;
}

bool emu_is_store(const struct emu_insn *insn)
{
	return insn->run == run_store;
}

/* Cache operations and hints change nothing that a program can see. */
static void take_hints(struct emu_statement *statement)
{
	static const char *const hints[] = {
		"ca", "cg", "cs", "lu", "cv", "wb", "wt", "weak", "L1::evict_normal", "L1::evict_unchanged",
		"L1::evict_first", "L1::evict_last", "L1::no_allocate", "L2::evict_last", "L2::evict_normal",
		"L2::evict_first", "L2::cache_hint", "L2::64B", "L2::128B", "L2::256B",
	};

	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		emu_take(statement, hints[i]);
}

static bool take_access(struct emu_parser *parser, struct emu_statement *statement, struct emu_insn *options)
{
	enum emu_order order;
	enum emu_scope scope;
	enum emu_type type;

	emu_take_order(statement, &order, &scope);
	options->order = (uint8_t)order;
	options->scope = (uint8_t)scope;
	options->space = (uint8_t)emu_take_space(statement);
	if (emu_take(statement, "volatile") || emu_take(statement, "mmio")) {
		options->flags |= INSN_VOLATILE;
		options->scope = EMU_SCOPE_SYS;
	}
	if (emu_take(statement, "nc"))
		options->flags |= INSN_NC;
	take_hints(statement);
	options->vector = emu_take(statement, "v2") ? 2 : emu_take(statement, "v4") ? 4 :
		emu_take(statement, "v8") ? 8 : 1;
	type = emu_take_type(statement);
	options->type = (uint8_t)type;
	if (type == TYPE_NONE || type == TYPE_PRED || emu_type_bytes(type) * options->vector > 32)
		return emu_unknown(parser, statement, "is not known");
	return emu_all_taken(parser, statement);
}

/* The vector's elements, or the operand itself, so many as the opcode says. */
static struct emu_operand *data_operands(struct emu_parser *parser, struct emu_statement *statement, unsigned index,
		unsigned count)
{
	struct emu_operand *operand = &statement->operands[index];

	if (operand->kind != OPERAND_VECTOR && count == 1)
		return operand;
	if (operand->kind == OPERAND_VECTOR && operand->element_count == count)
		return operand->elements;
	emu_unknown(parser, statement, "needs a vector of another length");
	return NULL;
}

static void set_options(struct emu_insn *insn, const struct emu_insn *options, const struct emu_address *address)
{
	insn->type = options->type;
	insn->vector = options->vector;
	insn->space = options->space;
	insn->order = options->order;
	insn->scope = options->scope;
	insn->flags |= options->flags;
	insn->register_bytes[0] = options->register_bytes[0];
	if (address->base == OPERAND_REGION)
		insn->target = address->region_bytes;
}

/* All elements of a vector have registers of one width. */
static bool same_width(struct emu_parser *parser, const struct emu_statement *statement, unsigned i,
		uint8_t *common, uint8_t width)
{
	if (i == 0)
		*common = width;
	return *common == width || emu_unknown(parser, statement, "mixes registers of several widths");
}

static bool check_region(struct emu_parser *parser, const struct emu_statement *statement,
		const struct emu_address *address, const struct emu_insn *options)
{
	unsigned bytes = emu_type_bytes((enum emu_type)options->type) * options->vector;

	if (address->base != OPERAND_REGION)
		return true;
	if (address->offset < 0 || (uint64_t)address->offset + bytes > address->region_bytes)
		return emu_unknown(parser, statement, "leaves its .param variable");
	return true;
}

static bool decode_load(struct emu_parser *parser, struct emu_statement *statement)
{
	struct emu_insn options = { .run = NULL }, *insn;
	struct emu_address address;
	struct emu_operand *elements;
	int32_t data[8];
	uint8_t width;

	if (!take_access(parser, statement, &options) || !emu_operand_count(parser, statement, 2, 3) ||
			!(elements = data_operands(parser, statement, 0, options.vector)) ||
			!emu_take_address(parser, statement, &statement->operands[1], &address) ||
			!check_region(parser, statement, &address, &options))
		return false;
	for (unsigned i = 0; i < options.vector; i++) {
		data[i] = emu_loose_destination(parser, statement, &elements[i],
				emu_type_bytes((enum emu_type)options.type), &width);
		if (!same_width(parser, statement, i, &options.register_bytes[0], width))
			return false;
	}
	insn = emu_emit(parser, statement, address.base == OPERAND_REGION ? emu_run_load_region : run_load);
	for (unsigned i = 0; i < options.vector; i++)
		emu_add_destination(insn, data[i]);
	emu_put_address(insn, &address);
	set_options(insn, &options, &address);
	emu_use_bytes(parser, insn, address.base == OPERAND_REGION);
	return !parser->is_failed;
}

static bool decode_store(struct emu_parser *parser, struct emu_statement *statement)
{
	struct emu_insn options = { .run = NULL }, *insn;
	struct emu_address address;
	struct emu_operand *elements;
	int32_t data[8];
	uint8_t width;

	if (emu_take(statement, "async"))
		return emu_decode_store_async(parser, statement);
	if (!take_access(parser, statement, &options) || !emu_operand_count(parser, statement, 2, 3) ||
			!(elements = data_operands(parser, statement, 1, options.vector)) ||
			!emu_take_address(parser, statement, &statement->operands[0], &address) ||
			!check_region(parser, statement, &address, &options))
		return false;
	if (options.space == SPACE_CONST)
		return emu_unknown(parser, statement, "is not known");
	for (unsigned i = 0; i < options.vector; i++) {
		data[i] = emu_loose_source(parser, statement, &elements[i],
				emu_type_bytes((enum emu_type)options.type), &width);
		if (!same_width(parser, statement, i, &options.register_bytes[0], width))
			return false;
	}
	insn = emu_emit(parser, statement, address.base == OPERAND_REGION ? emu_run_store_region : run_store);
	emu_put_address(insn, &address);
	for (unsigned i = 0; i < options.vector; i++)
		emu_add_source(insn, data[i]);
	set_options(insn, &options, &address);
	return !parser->is_failed;
}

/* ldu reads what is the same for all lanes. */
static bool decode_prefetch(struct emu_parser *parser, struct emu_statement *statement)
{
	if (statement->operand_count < 1 || statement->operands[0].kind != OPERAND_ADDRESS)
		return emu_unknown(parser, statement, "needs an address in brackets");
	emu_emit(parser, statement, emu_run_nothing);
	return !parser->is_failed;
}

const struct emu_family emu_memory_families[] = {
	{ "ld", decode_load }, { "ldu", decode_load }, { "st", decode_store }, { "prefetch", decode_prefetch },
	{ "prefetchu", decode_prefetch }, { "applypriority", decode_prefetch }, { "discard", decode_prefetch },
	{ NULL, NULL },
};
