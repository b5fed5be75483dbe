/* SPDX-License-Identifier: MIT
 *
 * Operands as decoders want them: registers of the right width, constants in the pool, addresses.
 */
#include "control.h"
#include "decode.h"
#include "special.h"

#include <string.h>

struct emu_pool_key {
	uint64_t low, high;
	uint32_t offset;
	uint8_t bytes;
};

static struct emu_insn spare; /* written and never run, where memory is short */

struct emu_insn *emu_emit(struct emu_parser *parser, const struct emu_statement *statement, emu_run_fn *run)
{
	struct emu_module *module = parser->module;
	struct emu_insn *larger = emu_arena_grow(&module->arena, module->code, &module->code_capacity,
			module->code_count, sizeof *larger), *insn;

	if (!larger) {
		emu_parse_no_memory(parser);
		memset(&spare, 0, sizeof spare);
		return &spare;
	}
	module->code = larger;
	insn = &larger[module->code_count++];
	memset(insn, 0, sizeof *insn);
	insn->run = run;
	insn->guard = statement ? statement->guard : NO_GUARD;
	insn->guard_negated = statement && statement->is_guard_negated;
	insn->line = statement ? statement->line : parser->lexer.token.line;
	for (unsigned i = 0; i < EMU_OPERANDS; i++)
		insn->op[i] = NO_OPERAND;
	return insn;
}

void emu_add_source(struct emu_insn *insn, int32_t operand)
{
	insn->op[insn->op_count++] = operand;
}

void emu_add_destination(struct emu_insn *insn, int32_t operand)
{
	insn->defines |= (uint16_t)(1u << insn->op_count);
	insn->op[insn->op_count++] = operand;
}

/* Reserves a place for one value of every lane; predicates take one mask.  Constants lie as registers do, once for each
 * lane: an instruction then reads both alike, and never asks which it is. */
static bool pool_place(struct emu_parser *parser, unsigned bytes, uint32_t *offset)
{
	struct emu_module *module = parser->module;
	uint32_t size = bytes ? bytes * 32 : 16;

	if (module->pool_bytes + size > module->pool_capacity) {
		uint32_t wanted = module->pool_capacity ? module->pool_capacity * 2 : 8192;
		unsigned char *larger = wanted > (1u << 29) ? NULL : emu_arena_alloc(&module->arena, wanted);

		if (!larger)
			return emu_parse_no_memory(parser);
		if (module->pool_bytes)
			memcpy(larger, module->pool, module->pool_bytes);
		module->pool = larger;
		module->pool_capacity = wanted;
	}
	*offset = module->pool_bytes;
	module->pool_bytes += size;
	return true;
}

static void pool_write(struct emu_module *module, uint32_t offset, const uint64_t value[2], unsigned bytes)
{
	uint32_t mask = value[0] ? UINT32_MAX : 0;

	if (!bytes)
		memcpy(module->pool + offset, &mask, sizeof mask);
	for (unsigned lane = 0; lane < 32 && bytes; lane++)
		memcpy(module->pool + offset + lane * bytes, value, bytes);
}

int32_t emu_pool_constant(struct emu_parser *parser, uint64_t low, uint64_t high, unsigned bytes)
{
	struct emu_module *module = parser->module;
	const uint64_t value[2] = { low, high };
	struct emu_pool_key *larger;
	uint32_t offset = 0;

	for (uint32_t i = 0; i < module->pool_key_count; i++) {
		const struct emu_pool_key *key = &module->pool_keys[i];

		if (key->low == low && key->high == high && key->bytes == bytes)
			return ~(int32_t)key->offset;
	}
	larger = emu_arena_grow(&module->arena, module->pool_keys, &module->pool_key_capacity, module->pool_key_count,
			sizeof *larger);
	if (!larger || !pool_place(parser, bytes, &offset)) {
		emu_parse_no_memory(parser);
		return ~0;
	}
	module->pool_keys = larger;
	larger[module->pool_key_count++] = (struct emu_pool_key){ low, high, offset, (uint8_t)bytes };
	pool_write(module, offset, value, bytes);
	return ~(int32_t)offset;
}

int32_t emu_pool_address(struct emu_parser *parser, const struct emu_variable *variable,
		const struct emu_function *function, int64_t addend, unsigned bytes)
{
	struct emu_relocation *relocation = emu_arena_alloc(&parser->module->arena, sizeof *relocation);
	uint32_t offset = 0;

	if (!relocation || !pool_place(parser, bytes, &offset)) {
		emu_parse_no_memory(parser);
		return ~0;
	}
	*relocation = (struct emu_relocation){ offset, bytes, variable, function, addend, parser->module->relocations };
	parser->module->relocations = relocation;
	return ~(int32_t)offset;
}

static int32_t number_source(struct emu_parser *parser, const struct emu_operand *operand, unsigned bytes)
{
	uint64_t bits = operand->bits, mask = bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << (bytes * 8)) - 1;
	uint32_t narrow_bits;
	double wide;
	float narrow;

	if (bytes == 0)
		return emu_pool_constant(parser, bits != 0, 0, 0);
	if (operand->number_kind == TOKEN_F64 && bytes == 4) {
		memcpy(&wide, &bits, sizeof wide);
		narrow = (float)wide;
		memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
		bits = narrow_bits;
	} else if (operand->number_kind == TOKEN_F32 && bytes == 8) {
		narrow_bits = (uint32_t)bits;
		memcpy(&narrow, &narrow_bits, sizeof narrow);
		wide = narrow;
		memcpy(&bits, &wide, sizeof bits);
	}
	return emu_pool_constant(parser, bits & mask, bytes > 8 ? operand->high_bits : 0, bytes);
}

static int32_t wrong(struct emu_parser *parser, const struct emu_statement *statement)
{
	emu_unknown(parser, statement, "has an operand of the wrong kind or width");
	return ~0;
}

static int32_t local_address(struct emu_parser *parser, const struct emu_statement *statement,
		const struct emu_variable *variable, int64_t addend, unsigned bytes)
{
	int32_t result = emu_register_add(parser, (uint8_t)bytes, 0);
	struct emu_insn *insn = emu_emit(parser, NULL, emu_run_local_address);

	insn->line = statement->line;
	insn->register_bytes[0] = (uint8_t)bytes;
	insn->offset = addend;
	insn->extra = variable;
	emu_add_destination(insn, result);
	return result;
}

static int32_t variable_source(struct emu_parser *parser, const struct emu_statement *statement,
		const struct emu_operand *operand, unsigned bytes)
{
	const struct emu_variable *variable = operand->variable;

	if (bytes != 4 && bytes != 8)
		return wrong(parser, statement);
	if (variable->space == SPACE_LOCAL)
		return local_address(parser, statement, variable, operand->addend, bytes);
	if (variable->space == SPACE_PARAM)
		return emu_pool_constant(parser, variable->address + (uint64_t)operand->addend, 0, bytes);
	return emu_pool_address(parser, variable, NULL, operand->addend, bytes);
}

/* The address of a function's parameter: of a copy in local memory, which calls fill. */
static int32_t formal_source(struct emu_parser *parser, const struct emu_statement *statement,
		const struct emu_operand *operand, unsigned bytes)
{
	struct emu_function *function = parser->function;
	size_t i = 0;

	while (i < function->parameter_count && (function->is_entry || function->formals[i] != operand->number))
		i++;
	if (i == function->parameter_count || (bytes != 4 && bytes != 8))
		return wrong(parser, statement);
	if (!function->formal_copies[i]) {
		const struct emu_variable *parameter = function->parameters[i];

		function->formal_copies[i] = emu_variable_add(parser, parameter->name, SPACE_LOCAL, parameter->align,
				parameter->bytes);
	}
	if (!function->formal_copies[i])
		return wrong(parser, statement);
	return local_address(parser, statement, function->formal_copies[i], operand->addend, bytes);
}

/* A special register as an operand of something other than mov: read into a register first. */
static int32_t special_source(struct emu_parser *parser, const struct emu_statement *statement,
		const struct emu_operand *operand, unsigned bytes)
{
	int32_t result;
	struct emu_insn *insn;

	if (bytes < 2 || bytes > 8)
		return wrong(parser, statement);
	result = emu_register_add(parser, (uint8_t)bytes, 0);
	insn = emu_emit(parser, NULL, emu_run_special);
	insn->line = statement->line;
	insn->small[0] = (uint8_t)operand->number;
	insn->register_bytes[0] = (uint8_t)bytes;
	emu_add_destination(insn, result);
	return result;
}

int32_t emu_source_of(struct emu_parser *parser, struct emu_statement *statement, struct emu_operand *operand,
		unsigned bytes)
{
	switch (operand->kind) {
	case OPERAND_REGISTER:
		return operand->bytes == bytes ? operand->number : wrong(parser, statement);
	case OPERAND_NUMBER:
		return number_source(parser, operand, bytes);
	case OPERAND_SPECIAL:
		return special_source(parser, statement, operand, bytes);
	case OPERAND_VARIABLE:
		return variable_source(parser, statement, operand, bytes);
	case OPERAND_REGION:
		return formal_source(parser, statement, operand, bytes);
	case OPERAND_FUNCTION:
		return bytes == 8 ? emu_pool_address(parser, NULL, operand->function, operand->addend, 8) :
			wrong(parser, statement);
	default:
		return wrong(parser, statement);
	}
}

int32_t emu_destination_of(struct emu_parser *parser, struct emu_statement *statement,
		const struct emu_operand *operand, unsigned bytes)
{
	if (operand->kind == OPERAND_SINK)
		return emu_register_add(parser, (uint8_t)bytes, 0);
	if (operand->kind == OPERAND_REGISTER && operand->bytes == bytes && !operand->is_negated)
		return operand->number;
	return wrong(parser, statement);
}

int32_t emu_source(struct emu_parser *parser, struct emu_statement *statement, unsigned index, unsigned bytes)
{
	if (index >= statement->operand_count)
		return wrong(parser, statement);
	return emu_source_of(parser, statement, &statement->operands[index], bytes);
}

int32_t emu_destination(struct emu_parser *parser, struct emu_statement *statement, unsigned index, unsigned bytes)
{
	if (index >= statement->operand_count)
		return wrong(parser, statement);
	return emu_destination_of(parser, statement, &statement->operands[index], bytes);
}

int32_t emu_loose_source(struct emu_parser *parser, struct emu_statement *statement, struct emu_operand *operand,
		unsigned bytes, uint8_t *register_bytes)
{
	bool is_wider = operand->kind == OPERAND_REGISTER && operand->bytes >= bytes && operand->bytes;

	*register_bytes = (uint8_t)(is_wider ? operand->bytes : bytes);
	return emu_source_of(parser, statement, operand, *register_bytes);
}

int32_t emu_loose_destination(struct emu_parser *parser, struct emu_statement *statement,
		const struct emu_operand *operand, unsigned bytes, uint8_t *register_bytes)
{
	bool is_wider = operand->kind == OPERAND_REGISTER && operand->bytes >= bytes && operand->bytes;

	*register_bytes = (uint8_t)(is_wider ? operand->bytes : bytes);
	return emu_destination_of(parser, statement, operand, *register_bytes);
}

bool emu_take_address(struct emu_parser *parser, struct emu_statement *statement, const struct emu_operand *operand,
		struct emu_address *address)
{
	*address = (struct emu_address){ .op = ~0, .offset = operand->addend, .is_wide = true, .base = operand->base };
	if (operand->kind != OPERAND_ADDRESS)
		return emu_unknown(parser, statement, "needs an address in brackets");
	address->variable = operand->variable;
	address->region_bytes = operand->region_bytes;
	if (operand->base == OPERAND_REGISTER && (operand->bytes == 4 || operand->bytes == 8)) {
		address->op = operand->number;
		address->is_wide = operand->bytes == 8;
	} else if (operand->base == OPERAND_NUMBER) {
		address->op = emu_pool_constant(parser, operand->bits, 0, 8);
	} else if (operand->base == OPERAND_REGION) {
		address->op = operand->number;
	} else if (operand->base == OPERAND_VARIABLE && operand->variable->space == SPACE_LOCAL) {
		address->op = local_address(parser, statement, operand->variable, 0, 8);
	} else if (operand->base == OPERAND_VARIABLE && operand->variable->space == SPACE_PARAM) {
		address->op = emu_pool_constant(parser, operand->variable->address, 0, 8);
	} else if (operand->base == OPERAND_VARIABLE) {
		address->op = emu_pool_address(parser, operand->variable, NULL, 0, 8);
	} else {
		return emu_unknown(parser, statement, "has an address that is not understood");
	}
	return !parser->is_failed;
}

void emu_put_address(struct emu_insn *insn, const struct emu_address *address)
{
	insn->offset = address->offset;
	if (address->is_wide)
		insn->flags |= INSN_WIDE_ADDR;
	emu_add_source(insn, address->op);
}
