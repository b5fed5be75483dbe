/* SPDX-License-Identifier: MIT
 *
 * Calls, their prototypes, and tables of branch targets.
 */
#include "control.h"
#include "decode.h"

#include <string.h>

#define MOST_ARGUMENTS 64

struct argument_list {
	int32_t regions[MOST_ARGUMENTS];
	uint32_t bytes[MOST_ARGUMENTS];
	uint32_t count;
};

static bool parse_arguments(struct emu_parser *parser, struct argument_list *list)
{
	list->count = 0;
	if (emu_accept_sign(parser, ')'))
		return true;
	do {
		const struct emu_token token = parser->lexer.token;
		const struct emu_symbol *symbol = emu_symbol_find(parser, token.text, token.length);

		if (!symbol || symbol->kind != SYMBOL_REGION)
			return emu_parse_fail(parser, token.line, "arguments and results must be .param variables");
		if (list->count == MOST_ARGUMENTS)
			return emu_parse_fail(parser, token.line, "too many arguments");
		list->regions[list->count] = symbol->number;
		list->bytes[list->count++] = symbol->region_bytes;
		emu_lex_next(&parser->lexer);
	} while (emu_accept_sign(parser, ','));
	return emu_expect_sign(parser, ')');
}

static bool note_call(struct emu_parser *parser, uint32_t function)
{
	struct emu_function *caller = parser->function;
	uint32_t *larger = emu_arena_grow(&parser->module->arena, caller->calls, &caller->call_capacity,
			caller->call_count, sizeof *larger);

	if (!larger)
		return emu_parse_no_memory(parser);
	caller->calls = larger;
	larger[caller->call_count++] = function;
	return true;
}

static struct emu_call *make_call(struct emu_parser *parser, const struct argument_list *arguments,
		const struct argument_list *results)
{
	struct emu_arena *arena = &parser->module->arena;
	struct emu_call *call = emu_arena_alloc(arena, sizeof *call);

	if (call) {
		call->arguments = emu_arena_alloc(arena, (arguments->count + 1) * sizeof *call->arguments);
		call->argument_bytes = emu_arena_alloc(arena, (arguments->count + 1) * sizeof *call->argument_bytes);
	}
	if (!call || !call->arguments || !call->argument_bytes) {
		emu_parse_no_memory(parser);
		return NULL;
	}
	call->argument_count = arguments->count;
	memcpy(call->arguments, arguments->regions, arguments->count * sizeof *arguments->regions);
	memcpy(call->argument_bytes, arguments->bytes, arguments->count * sizeof *arguments->bytes);
	call->result = results->count ? results->regions[0] : NO_OPERAND;
	call->result_bytes = results->count ? results->bytes[0] : 0;
	return call;
}

/* The callee's name or the register with its address. */
static bool parse_callee(struct emu_parser *parser, struct emu_operand *callee)
{
	const struct emu_token token = parser->lexer.token;
	const struct emu_symbol *symbol = emu_symbol_find(parser, token.text, token.length);

	callee->pair = NO_OPERAND;
	if (emu_symbol_register(parser, token.text, token.length, &callee->number, &callee->bytes) &&
			callee->bytes == 8) {
		callee->kind = OPERAND_REGISTER;
	} else if (symbol && symbol->kind == SYMBOL_FUNCTION) {
		callee->kind = OPERAND_FUNCTION;
		callee->function = symbol->function;
	} else {
		return emu_parse_fail(parser, token.line, "function %.*s is not declared",
				(int)(token.length > 60 ? 60 : token.length), token.text);
	}
	emu_lex_next(&parser->lexer);
	return true;
}

static bool parse_call_tail(struct emu_parser *parser, struct argument_list *arguments)
{
	arguments->count = 0;
	if (!emu_accept_sign(parser, ','))
		return emu_expect_sign(parser, ';');
	if (emu_expect_sign(parser, '(') && !parse_arguments(parser, arguments))
		return false;
	/* The prototype behind it says nothing that the argument list does not. */
	if (emu_accept_sign(parser, ','))
		emu_lex_next(&parser->lexer);
	return emu_expect_sign(parser, ';');
}

bool emu_parse_call(struct emu_parser *parser, struct emu_statement *statement)
{
	struct argument_list arguments, results = { .count = 0 };
	struct emu_operand callee = { .kind = OPERAND_NONE };
	struct emu_call *call;
	struct emu_insn *insn;

	emu_take(statement, "uni");
	if (emu_accept_sign(parser, '(') && !(parse_arguments(parser, &results) && emu_expect_sign(parser, ',')))
		return false;
	if (!parse_callee(parser, &callee) || !parse_call_tail(parser, &arguments))
		return false;
	call = make_call(parser, &arguments, &results);
	if (!call || !emu_all_taken(parser, statement))
		return false;
	call->function = callee.function ? callee.function->index : UINT32_MAX;
	insn = emu_emit(parser, statement, emu_run_call);
	insn->extra = call;
	insn->ends_block = true;
	if (!callee.function)
		emu_add_source(insn, callee.number);
	return note_call(parser, call->function);
}

/* Skips to the semicolon: nothing of a prototype is needed. */
bool emu_parse_prototype(struct emu_parser *parser, const char *name, size_t length)
{
	while (!emu_accept_sign(parser, ';')) {
		if (parser->lexer.token.kind == TOKEN_END)
			return emu_parse_fail(parser, parser->lexer.token.line, "';' expected");
		emu_lex_next(&parser->lexer);
	}
	return emu_symbol_add(parser, name, length, SYMBOL_PROTOTYPE) != NULL;
}

bool emu_parse_branch_targets(struct emu_parser *parser, const char *name, size_t length)
{
	struct emu_branch_table *table = emu_arena_alloc(&parser->module->arena, sizeof *table);
	struct emu_symbol *symbol = emu_symbol_add(parser, name, length, SYMBOL_TABLE);
	struct emu_lexer before;
	uint32_t count = 0;

	if (!table || !symbol)
		return emu_parse_no_memory(parser);
	symbol->table = table;
	before = parser->lexer;
	do {
		count++;
		emu_lex_next(&parser->lexer);
	} while (emu_accept_sign(parser, ','));
	parser->lexer = before;
	table->count = count;
	table->targets = emu_arena_alloc(&parser->module->arena, (count + 1) * sizeof *table->targets);
	if (!table->targets)
		return emu_parse_no_memory(parser);
	for (uint32_t i = 0; i < count; i++) {
		const struct emu_token token = parser->lexer.token;

		if (token.kind != TOKEN_NAME)
			return emu_parse_fail(parser, token.line, "a label is expected");
		if (!emu_label_refer(parser, token.text, token.length, 0, &table->targets[i]))
			return false;
		emu_lex_next(&parser->lexer);
		emu_accept_sign(parser, ',');
	}
	return emu_expect_sign(parser, ';');
}
