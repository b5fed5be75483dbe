/* SPDX-License-Identifier: MIT
 *
 * Functions: their heads, and what a body consists of besides instructions.
 */
#include "builtin.h"
#include "decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct emu_function *add_function(struct emu_parser *parser, const char *name, size_t length)
{
	struct emu_module *module = parser->module;
	struct emu_function *function = emu_arena_alloc(&module->arena, sizeof *function);
	struct emu_symbol *symbol = emu_symbol_add(parser, name, length, SYMBOL_FUNCTION);
	struct emu_function **larger = emu_arena_grow(&module->arena, module->functions, &module->function_capacity,
			module->function_count, sizeof *larger);

	if (!function || !symbol || !larger) {
		emu_parse_no_memory(parser);
		return NULL;
	}
	module->functions = larger;
	function->index = module->function_count;
	larger[module->function_count++] = function;
	symbol->function = function;
	function->name = symbol->name;
	function->module = module;
	function->result = NO_OPERAND;
	return function;
}

/* Calls may come before the definition, or name what only a prototype has declared. */
static struct emu_function *find_or_add(struct emu_parser *parser, const char *name, size_t length)
{
	const struct emu_symbol *symbol = emu_symbol_find(parser, name, length);

	if (!symbol)
		return add_function(parser, name, length);
	if (symbol->kind == SYMBOL_FUNCTION)
		return symbol->function;
	emu_parse_fail(parser, parser->lexer.token.line, "%s is not a function", symbol->name);
	return NULL;
}

static bool add_parameter(struct emu_parser *parser, struct emu_function *function,
		const struct emu_declaration *declaration)
{
	struct emu_variable *variable = emu_arena_alloc(&parser->module->arena, sizeof *variable);
	uint32_t capacity = (uint32_t)function->parameter_capacity;
	struct emu_variable **larger = emu_arena_grow(&parser->module->arena, function->parameters, &capacity,
			(uint32_t)function->parameter_count, sizeof *larger);
	uint64_t align = declaration->align;

	if (!variable || !larger)
		return emu_parse_no_memory(parser);
	variable->name = emu_arena_copy(&parser->module->arena, declaration->name, declaration->length);
	variable->space = SPACE_PARAM;
	variable->align = declaration->align;
	variable->bytes = emu_declaration_bytes(declaration);
	if (!variable->bytes || variable->bytes > 32764)
		return emu_parse_fail(parser, declaration->line, "a parameter of that size is not supported");
	variable->address = (function->parameter_bytes + align - 1) / align * align;
	function->parameter_bytes = variable->address + variable->bytes;
	function->parameters = larger;
	function->parameter_capacity = capacity;
	larger[function->parameter_count++] = variable;
	return true;
}

/* The list in parentheses; a prototype and its definition both have one, and the last one counts. */
static bool parse_parameters(struct emu_parser *parser, struct emu_function *function)
{
	function->parameter_count = 0;
	function->parameter_bytes = 0;
	if (emu_accept_sign(parser, ')'))
		return true;
	do {
		struct emu_declaration declaration = { .space = SPACE_PARAM };

		if (!emu_accept_word(parser, "param"))
			return emu_parse_fail(parser, parser->lexer.token.line, "only .param parameters are supported");
		if (!emu_parse_declarator(parser, &declaration) || !add_parameter(parser, function, &declaration))
			return false;
	} while (emu_accept_sign(parser, ','));
	return emu_expect_sign(parser, ')');
}

static bool parse_result(struct emu_parser *parser, struct emu_declaration *result)
{
	if (!emu_accept_sign(parser, '('))
		return true;
	if (emu_accept_sign(parser, ')'))
		return true;
	result->space = SPACE_PARAM;
	if (!emu_accept_word(parser, "param"))
		return emu_parse_fail(parser, parser->lexer.token.line, "only .param results are supported");
	return emu_parse_declarator(parser, result) && emu_expect_sign(parser, ')');
}

/* Up to three; those that are missing are 1, as dimensions are. */
static bool parse_numbers(struct emu_parser *parser, unsigned numbers[3])
{
	numbers[0] = numbers[1] = numbers[2] = 1;
	for (unsigned i = 0; i < 3; i++) {
		const struct emu_token *token = &parser->lexer.token;

		if (token->kind != TOKEN_INTEGER || token->bits > UINT32_MAX)
			return emu_parse_fail(parser, token->line, "a number is expected");
		numbers[i] = (unsigned)token->bits;
		emu_lex_next(&parser->lexer);
		if (!emu_accept_sign(parser, ','))
			break;
	}
	return true;
}

/* .maxntid and its like stand between head and body. */
static bool parse_tuning(struct emu_parser *parser, struct emu_function *function)
{
	unsigned ignored[3];

	while (parser->lexer.token.kind == TOKEN_DIRECTIVE) {
		unsigned *numbers = ignored;

		if (emu_accept_word(parser, "noreturn") || emu_accept_word(parser, "explicitcluster") ||
				emu_accept_word(parser, "blocksareclusters"))
			continue;
		if (emu_accept_word(parser, "pragma")) {
			while (!emu_accept_sign(parser, ';') && parser->lexer.token.kind != TOKEN_END)
				emu_lex_next(&parser->lexer);
			continue;
		}
		if (emu_token_is(&parser->lexer.token, "maxntid") || emu_token_is(&parser->lexer.token, "reqntid"))
			numbers = function->max_threads;
		else if (emu_token_is(&parser->lexer.token, "reqnctapercluster"))
			numbers = function->cluster;
		else if (!emu_token_is(&parser->lexer.token, "minnctapersm") &&
				!emu_token_is(&parser->lexer.token, "maxnreg") &&
				!emu_token_is(&parser->lexer.token, "maxclusterrank"))
			return emu_parse_fail(parser, parser->lexer.token.line, "'.%.*s' is not understood here",
					(int)parser->lexer.token.length, parser->lexer.token.text);
		if (emu_token_is(&parser->lexer.token, "minnctapersm")) {
			emu_lex_next(&parser->lexer);
			if (!parse_numbers(parser, ignored))
				return false;
			function->min_blocks = ignored[0];
			continue;
		}
		emu_lex_next(&parser->lexer);
		if (!parse_numbers(parser, numbers))
			return false;
	}
	return true;
}

/* An entry's parameters are memory, those of other functions regions of registers, whose callers write them there. */
static bool declare_formals(struct emu_parser *parser, struct emu_function *function,
		const struct emu_declaration *result)
{
	struct emu_symbol *symbol;

	function->formals = emu_arena_alloc(&parser->module->arena,
			(function->parameter_count + 1) * sizeof *function->formals);
	function->formal_copies = emu_arena_alloc(&parser->module->arena,
			(function->parameter_count + 1) * sizeof *function->formal_copies);
	if (!function->formals || !function->formal_copies)
		return emu_parse_no_memory(parser);
	for (size_t i = 0; i < function->parameter_count; i++) {
		struct emu_variable *parameter = function->parameters[i];

		symbol = emu_symbol_add(parser, parameter->name, strlen(parameter->name),
				function->is_entry ? SYMBOL_VARIABLE : SYMBOL_REGION);
		if (!symbol)
			return false;
		symbol->variable = parameter;
		symbol->region_bytes = (uint32_t)parameter->bytes;
		if (!function->is_entry)
			function->formals[i] = symbol->number = emu_register_add(parser, 0, symbol->region_bytes);
	}
	if (!result->name || function->is_entry)
		return true;
	symbol = emu_symbol_add(parser, result->name, result->length, SYMBOL_REGION);
	if (!symbol)
		return false;
	symbol->region_bytes = (uint32_t)emu_declaration_bytes(result);
	if (!symbol->region_bytes || emu_declaration_bytes(result) > 32764)
		return emu_parse_fail(parser, result->line, "a result of that size is not supported");
	function->result = symbol->number = emu_register_add(parser, 0, symbol->region_bytes);
	return true;
}

static bool define_function(struct emu_parser *parser, struct emu_function *function,
		const struct emu_declaration *result)
{
	bool is_good;

	if (function->is_defined)
		return emu_parse_fail(parser, parser->lexer.token.line, "%s is defined twice", function->name);
	function->is_defined = true;
	function->first = parser->module->code_count;
	parser->function = function;
	is_good = emu_scope_enter(parser) && declare_formals(parser, function, result) && emu_parse_body(parser) &&
			emu_decode_end(parser) && emu_scope_leave(parser);
	function->end = parser->module->code_count;
	is_good = is_good && emu_finish_function(parser, function);
	parser->function = NULL;
	return is_good;
}

bool emu_parse_function(struct emu_parser *parser, bool is_entry, bool is_extern)
{
	struct emu_declaration result = { .space = SPACE_PARAM };
	struct emu_function *function;

	if (!is_entry && !parse_result(parser, &result))
		return false;
	if (parser->lexer.token.kind != TOKEN_NAME)
		return emu_parse_fail(parser, parser->lexer.token.line, "a function needs a name");
	function = find_or_add(parser, parser->lexer.token.text, parser->lexer.token.length);
	if (!function)
		return false;
	emu_lex_next(&parser->lexer);
	function->is_entry = is_entry;
	if (emu_accept_sign(parser, '(') && !parse_parameters(parser, function))
		return false;
	if (!parse_tuning(parser, function))
		return false;
	if (is_extern)
		function->builtin = emu_builtin_find(function->name);
	if (emu_accept_sign(parser, ';'))
		return true;
	return emu_expect_sign(parser, '{') && define_function(parser, function, &result);
}

/* ".loc 1 20 3" and its tail, which ends with the line. */
static void skip_location(struct emu_parser *parser)
{
	unsigned line = parser->lexer.token.line;

	while (parser->lexer.token.line == line && parser->lexer.token.kind != TOKEN_END)
		emu_lex_next(&parser->lexer);
}

/* Most tune something.  "used_bytes_mask 7" says that of the next load only these bytes matter.  A token's text is a
 * part of the module's, and ends nowhere else. */
static void take_pragma(struct emu_parser *parser, const struct emu_token *token)
{
	static const char mask[] = "used_bytes_mask ";
	char text[40];

	snprintf(text, sizeof text, "%.*s", (int)token->length, token->text);
	if (strncmp(text + (text[0] == '"'), mask, sizeof mask - 1) == 0)
		parser->used_bytes = (uint32_t)strtoul(text + (text[0] == '"') + sizeof mask - 1, NULL, 0);
}

static bool parse_pragma(struct emu_parser *parser)
{
	while (!emu_accept_sign(parser, ';')) {
		const struct emu_token *token = &parser->lexer.token;

		if (token->kind == TOKEN_END)
			return emu_parse_fail(parser, token->line, "';' expected");
		if (token->kind == TOKEN_STRING)
			take_pragma(parser, token);
		emu_lex_next(&parser->lexer);
	}
	return true;
}

static bool parse_body_directive(struct emu_parser *parser)
{
	bool is_extern = emu_accept_word(parser, "extern");

	if (emu_accept_word(parser, "reg"))
		return emu_parse_registers(parser);
	if (emu_accept_word(parser, "param"))
		return emu_parse_param_region(parser) && emu_expect_sign(parser, ';');
	if (emu_accept_word(parser, "shared"))
		return emu_parse_variable(parser, SPACE_SHARED, is_extern);
	if (emu_accept_word(parser, "local"))
		return emu_parse_variable(parser, SPACE_LOCAL, is_extern);
	if (emu_accept_word(parser, "global"))
		return emu_parse_variable(parser, SPACE_GLOBAL, is_extern);
	if (emu_accept_word(parser, "const"))
		return emu_parse_variable(parser, SPACE_CONST, is_extern);
	if (emu_token_is(&parser->lexer.token, "loc")) {
		skip_location(parser);
		return true;
	}
	if (emu_accept_word(parser, "pragma"))
		return parse_pragma(parser);
	return emu_parse_fail(parser, parser->lexer.token.line, "'.%.*s' is not understood here",
			(int)(parser->lexer.token.length > 60 ? 60 : parser->lexer.token.length),
			parser->lexer.token.text);
}

/* "name:" is a label, unless a directive follows that gives the name another meaning. */
static bool parse_label(struct emu_parser *parser)
{
	const struct emu_token name = parser->lexer.token;

	emu_lex_next(&parser->lexer);
	emu_lex_next(&parser->lexer);
	if (emu_accept_word(parser, "callprototype"))
		return emu_parse_prototype(parser, name.text, name.length);
	if (emu_accept_word(parser, "branchtargets"))
		return emu_parse_branch_targets(parser, name.text, name.length);
	return emu_label_add(parser, name.text, name.length, name.line);
}

static bool parse_body_item(struct emu_parser *parser)
{
	const struct emu_token *token = &parser->lexer.token;

	if (token->kind == TOKEN_APPLY) {
		emu_lex_next(&parser->lexer);
		return emu_decode_mark(parser);
	}
	if (token->kind == TOKEN_DIRECTIVE)
		return parse_body_directive(parser);
	if (emu_accept_sign(parser, ';'))
		return true;
	if (emu_accept_sign(parser, '{'))
		return emu_scope_enter(parser) && emu_parse_body(parser) && emu_scope_leave(parser);
	if (token->kind == TOKEN_NAME && emu_lex_is_label(&parser->lexer))
		return parse_label(parser);
	return emu_parse_statement(parser);
}

/* From behind the brace to behind its partner. */
bool emu_parse_body(struct emu_parser *parser)
{
	while (!emu_accept_sign(parser, '}')) {
		if (parser->lexer.token.kind == TOKEN_END)
			return emu_parse_fail(parser, parser->lexer.token.line, "'}' expected at the end of the text");
		if (!parse_body_item(parser))
			return false;
	}
	return true;
}
