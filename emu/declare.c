/* SPDX-License-Identifier: MIT
 *
 * Declarations of variables, registers and call parameters.
 */
#include "parse.h"

#include <string.h>

#define MOST_BYTES (UINT64_C(1) << 32)
#define MOST_NUMBERED (1u << 20)

static bool parse_align(struct emu_parser *parser, struct emu_declaration *declaration)
{
	const struct emu_token *token = &parser->lexer.token;

	if (token->kind != TOKEN_INTEGER || !token->bits || token->bits > 1024 || (token->bits & (token->bits - 1)))
		return emu_parse_fail(parser, token->line, ".align needs a power of two up to 1024");
	declaration->align = (unsigned)token->bits;
	emu_lex_next(&parser->lexer);
	return true;
}

static bool parse_attribute(struct emu_parser *parser, struct emu_declaration *declaration)
{
	if (!emu_expect_sign(parser, '('))
		return false;
	while (!emu_accept_sign(parser, ')')) {
		if (parser->lexer.token.kind == TOKEN_END)
			return emu_parse_fail(parser, parser->lexer.token.line, ".attribute has no end");
		declaration->is_managed |= emu_token_is(&parser->lexer.token, "managed");
		emu_lex_next(&parser->lexer);
	}
	return true;
}

/* One word with a dot: an alignment, an attribute, a vector width, a type, or a hint that concerns nobody here. */
static bool parse_property(struct emu_parser *parser, struct emu_declaration *declaration)
{
	static const char *const ignored[] = { "ptr", "global", "const", "shared", "local", "volatile", "noalias" };
	const struct emu_token *token = &parser->lexer.token;
	enum emu_type type = emu_type_named(token->text, token->length);

	if (emu_accept_word(parser, "align"))
		return parse_align(parser, declaration);
	if (emu_accept_word(parser, "attribute"))
		return parse_attribute(parser, declaration);
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		if (emu_accept_word(parser, ignored[i]))
			return true;
	if (emu_accept_word(parser, "v2"))
		declaration->vector = 2;
	else if (emu_accept_word(parser, "v4"))
		declaration->vector = 4;
	else if (type != TYPE_NONE) {
		declaration->type = type;
		emu_lex_next(&parser->lexer);
	} else {
		return emu_parse_fail(parser, token->line, "'.%.*s' is not understood in a declaration",
				(int)(token->length > 60 ? 60 : token->length), token->text);
	}
	return true;
}

static bool parse_extent(struct emu_parser *parser, struct emu_declaration *declaration)
{
	int64_t extent;

	declaration->is_array = true;
	if (emu_accept_sign(parser, ']')) {
		declaration->is_unsized = true;
		return true;
	}
	if (!emu_parse_constant(parser, &extent))
		return false;
	if (extent < 0 || (uint64_t)extent > MOST_BYTES || declaration->count * (uint64_t)extent > MOST_BYTES)
		return emu_parse_fail(parser, parser->lexer.token.line, "an array of that size is not supported");
	declaration->count *= (uint64_t)extent;
	return emu_expect_sign(parser, ']');
}

bool emu_parse_declarator(struct emu_parser *parser, struct emu_declaration *declaration)
{
	declaration->vector = 1;
	declaration->count = 1;
	while (parser->lexer.token.kind == TOKEN_DIRECTIVE)
		if (!parse_property(parser, declaration))
			return false;
	declaration->line = parser->lexer.token.line;
	if (declaration->type == TYPE_NONE)
		return emu_parse_fail(parser, declaration->line, "a declaration needs a type");
	if (parser->lexer.token.kind != TOKEN_NAME)
		return emu_parse_fail(parser, declaration->line, "a declaration needs a name");
	declaration->name = parser->lexer.token.text;
	declaration->length = parser->lexer.token.length;
	emu_lex_next(&parser->lexer);
	while (emu_accept_sign(parser, '['))
		if (!parse_extent(parser, declaration))
			return false;
	if (!declaration->align)
		declaration->align = emu_type_bytes(declaration->type) * declaration->vector;
	if (!declaration->align)
		return emu_parse_fail(parser, declaration->line, "a predicate cannot be a variable");
	return true;
}

uint64_t emu_declaration_bytes(const struct emu_declaration *declaration)
{
	if (declaration->is_unsized)
		return 0;
	return declaration->count * declaration->vector * emu_type_bytes(declaration->type);
}

struct emu_variable *emu_variable_add(struct emu_parser *parser, const char *name, enum emu_space space, unsigned align,
		uint64_t bytes)
{
	struct emu_variable *variable = emu_arena_alloc(&parser->module->arena, sizeof *variable);

	if (!variable) {
		emu_parse_no_memory(parser);
		return NULL;
	}
	variable->name = name;
	variable->space = space;
	variable->align = align;
	variable->bytes = bytes;
	variable->owner = parser->function;
	if (parser->module->last_variable)
		parser->module->last_variable->next = variable;
	else
		parser->module->variables = variable;
	parser->module->last_variable = variable;
	return variable;
}

static struct emu_variable *add_variable(struct emu_parser *parser, const struct emu_declaration *declaration)
{
	struct emu_symbol *symbol = emu_symbol_add(parser, declaration->name, declaration->length, SYMBOL_VARIABLE);
	struct emu_variable *variable;

	if (!symbol)
		return NULL;
	variable = emu_variable_add(parser, symbol->name, declaration->space, declaration->align,
			emu_declaration_bytes(declaration));
	if (variable)
		variable->is_managed = declaration->is_managed;
	symbol->variable = variable;
	return variable;
}

/* A second declaration of the same name at module scope (extern first, then the definition) takes the first's place. */
static struct emu_variable *find_or_add(struct emu_parser *parser, const struct emu_declaration *declaration,
		bool is_extern)
{
	struct emu_symbol *symbol = emu_symbol_find(parser, declaration->name, declaration->length);

	if (!symbol || symbol->kind != SYMBOL_VARIABLE || symbol->depth != parser->depth || parser->depth)
		return add_variable(parser, declaration);
	if (!symbol->variable->is_extern && !is_extern) {
		emu_parse_fail(parser, declaration->line, "%s is defined twice", symbol->name);
		return NULL;
	}
	if (!is_extern) {
		symbol->variable->bytes = emu_declaration_bytes(declaration);
		symbol->variable->align = declaration->align;
	}
	return symbol->variable;
}

bool emu_parse_variable(struct emu_parser *parser, enum emu_space space, bool is_extern)
{
	struct emu_declaration declaration = { .space = space, .is_extern = is_extern };
	struct emu_variable *variable;

	if (!emu_parse_declarator(parser, &declaration))
		return false;
	variable = find_or_add(parser, &declaration, is_extern);
	if (!variable)
		return false;
	variable->is_extern = is_extern;
	variable->is_dynamic = space == SPACE_SHARED && is_extern && declaration.is_unsized;
	if (emu_accept_sign(parser, '=') && !emu_parse_initial(parser, variable, &declaration))
		return false;
	if (!variable->bytes && !is_extern)
		return emu_parse_fail(parser, declaration.line, "%s has no size", variable->name);
	return emu_expect_sign(parser, ';');
}

static bool parse_register_name(struct emu_parser *parser, const struct emu_declaration *shape)
{
	const struct emu_token token = parser->lexer.token;
	struct emu_symbol *symbol;

	if (token.kind != TOKEN_NAME)
		return emu_parse_fail(parser, token.line, "a register needs a name");
	emu_lex_next(&parser->lexer);
	symbol = emu_symbol_add(parser, token.text, token.length, SYMBOL_REGISTER);
	if (!symbol)
		return false;
	symbol->bytes = (uint8_t)emu_type_bytes(shape->type);
	if (!emu_accept_sign(parser, '<')) {
		symbol->number = emu_register_add(parser, symbol->bytes, 0);
		return !parser->is_failed;
	}
	if (parser->lexer.token.kind != TOKEN_INTEGER || parser->lexer.token.bits > MOST_NUMBERED)
		return emu_parse_fail(parser, token.line, "%s<> needs a number up to %u", symbol->name, MOST_NUMBERED);
	symbol->kind = SYMBOL_REGISTERS;
	symbol->count = (uint32_t)parser->lexer.token.bits;
	symbol->numbers = emu_arena_alloc(&parser->module->arena, (symbol->count + 1) * sizeof *symbol->numbers);
	if (!symbol->numbers)
		return emu_parse_no_memory(parser);
	emu_lex_next(&parser->lexer);
	return emu_expect_sign(parser, '>');
}

bool emu_parse_registers(struct emu_parser *parser)
{
	struct emu_declaration shape = { .is_register = true, .vector = 1 };

	while (parser->lexer.token.kind == TOKEN_DIRECTIVE)
		if (!parse_property(parser, &shape))
			return false;
	if (shape.type == TYPE_NONE || shape.vector != 1)
		return emu_parse_fail(parser, parser->lexer.token.line, "registers of that type are not supported");
	do {
		if (!parse_register_name(parser, &shape))
			return false;
	} while (emu_accept_sign(parser, ','));
	return emu_expect_sign(parser, ';');
}

/* .param variables inside a body hold the arguments and results of calls. */
bool emu_parse_param_region(struct emu_parser *parser)
{
	struct emu_declaration declaration = { .space = SPACE_PARAM };
	struct emu_symbol *symbol;
	uint64_t bytes;

	if (!emu_parse_declarator(parser, &declaration))
		return false;
	bytes = emu_declaration_bytes(&declaration);
	if (!bytes || bytes > 65536)
		return emu_parse_fail(parser, declaration.line, "a parameter of that size is not supported");
	symbol = emu_symbol_add(parser, declaration.name, declaration.length, SYMBOL_REGION);
	if (!symbol)
		return false;
	symbol->region_bytes = (uint32_t)bytes;
	symbol->number = emu_register_add(parser, 0, (uint32_t)bytes);
	return !parser->is_failed;
}
