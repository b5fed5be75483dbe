/* SPDX-License-Identifier: MIT
 *
 * Constant expressions, and the initial values of variables.
 */
#include "parse.h"

#include <string.h>

#define EXPRESSION_DEPTH 32
#define MOST_INITIAL_BYTES (UINT64_C(64) << 20)

static bool parse_sum(struct emu_parser *parser, int64_t *value, unsigned depth);

static bool parse_unary(struct emu_parser *parser, int64_t *value, unsigned depth)
{
	const struct emu_token token = parser->lexer.token;

	if (depth > EXPRESSION_DEPTH)
		return emu_parse_fail(parser, token.line, "an expression is nested too deeply");
	if (emu_accept_sign(parser, '(')) {
		/* A cast changes nothing in 64 bits. */
		if (parser->lexer.token.kind == TOKEN_DIRECTIVE) {
			emu_lex_next(&parser->lexer);
			return emu_expect_sign(parser, ')') && parse_unary(parser, value, depth + 1);
		}
		return parse_sum(parser, value, depth + 1) && emu_expect_sign(parser, ')');
	}
	if (token.kind == TOKEN_SIGN && strchr("+-~!", (int)token.bits) && token.bits) {
		emu_lex_next(&parser->lexer);
		if (!parse_unary(parser, value, depth + 1))
			return false;
		if (token.bits == '-')
			*value = (int64_t)(0 - (uint64_t)*value);
		else if (token.bits == '~')
			*value = ~*value;
		else if (token.bits == '!')
			*value = !*value;
		return true;
	}
	if (token.kind != TOKEN_INTEGER)
		return emu_parse_fail(parser, token.line, "a number is expected before '%.*s'",
				(int)(token.length > 60 ? 60 : token.length), token.text);
	*value = (int64_t)token.bits;
	emu_lex_next(&parser->lexer);
	return true;
}

static bool parse_product(struct emu_parser *parser, int64_t *value, unsigned depth)
{
	int64_t right;

	if (!parse_unary(parser, value, depth))
		return false;
	while (parser->lexer.token.kind == TOKEN_SIGN && parser->lexer.token.bits == '*') {
		emu_lex_next(&parser->lexer);
		if (!parse_unary(parser, &right, depth))
			return false;
		*value = (int64_t)((uint64_t)*value * (uint64_t)right);
	}
	return true;
}

static bool parse_sum(struct emu_parser *parser, int64_t *value, unsigned depth)
{
	int64_t right;

	if (!parse_product(parser, value, depth))
		return false;
	while (parser->lexer.token.kind == TOKEN_SIGN &&
			(parser->lexer.token.bits == '+' || parser->lexer.token.bits == '-')) {
		bool is_minus = parser->lexer.token.bits == '-';

		emu_lex_next(&parser->lexer);
		if (!parse_product(parser, &right, depth))
			return false;
		*value = (int64_t)((uint64_t)*value + (is_minus ? 0 - (uint64_t)right : (uint64_t)right));
	}
	return true;
}

bool emu_parse_constant(struct emu_parser *parser, int64_t *value)
{
	return parse_sum(parser, value, 0);
}

struct initial {
	struct emu_variable *variable;
	const struct emu_declaration *declaration;
	unsigned element;    /* bytes */
	uint64_t at;         /* the next element's offset */
};

static void put_bits(const struct initial *initial, uint64_t bits)
{
	unsigned bytes = initial->element < 8 ? initial->element : 8;

	memcpy(initial->variable->initial + initial->at, &bits, bytes);
}

static uint64_t float_bits(enum emu_type type, const struct emu_token *token, bool is_negative)
{
	bool is_single = type == TYPE_F32 || type == TYPE_B32 || type == TYPE_U32;
	uint64_t bits = token->bits;
	double value;
	float narrow;
	uint32_t narrow_bits;

	if (token->kind == TOKEN_F32)
		return is_negative ? bits ^ 0x80000000u : bits;
	if (!is_single)
		return is_negative ? bits ^ (UINT64_C(1) << 63) : bits;
	memcpy(&value, &bits, sizeof value);
	narrow = (float)(is_negative ? -value : value);
	memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
	return narrow_bits;
}

static bool parse_symbol_value(struct emu_parser *parser, struct initial *initial)
{
	struct emu_fixup *fixup = emu_arena_alloc(&parser->module->arena, sizeof *fixup);
	bool is_generic = emu_token_is(&parser->lexer.token, "generic");
	const struct emu_symbol *symbol;

	if (!fixup)
		return emu_parse_no_memory(parser);
	if (is_generic) {
		emu_lex_next(&parser->lexer);
		if (!emu_expect_sign(parser, '('))
			return false;
	}
	symbol = emu_symbol_find(parser, parser->lexer.token.text, parser->lexer.token.length);
	if (!symbol || (symbol->kind != SYMBOL_VARIABLE && symbol->kind != SYMBOL_FUNCTION))
		return emu_parse_fail(parser, parser->lexer.token.line, "%.*s is not a variable or a function",
				(int)parser->lexer.token.length, parser->lexer.token.text);
	emu_lex_next(&parser->lexer);
	if (is_generic && !emu_expect_sign(parser, ')'))
		return false;
	*fixup = (struct emu_fixup){ .offset = initial->at, .bytes = initial->element, .is_generic = is_generic,
		.variable = symbol->variable, .function = symbol->function, .next = initial->variable->fixups };
	if (initial->element < 8)
		return emu_parse_fail(parser, parser->lexer.token.line, "an address needs 8 bytes");
	initial->variable->fixups = fixup;
	if (!emu_token_is_sign(&parser->lexer.token, '+') && !emu_token_is_sign(&parser->lexer.token, '-'))
		return true;
	return emu_parse_constant(parser, &fixup->addend);
}

static bool parse_element(struct emu_parser *parser, struct initial *initial)
{
	struct emu_token token = parser->lexer.token;
	bool is_negative = false;
	int64_t value;

	if (initial->at + initial->element > initial->variable->bytes)
		return emu_parse_fail(parser, token.line, "%s has too many initial values", initial->variable->name);
	if (token.kind == TOKEN_NAME)
		return parse_symbol_value(parser, initial);
	if (emu_token_is_sign(&token, '-')) {
		const struct emu_lexer before = parser->lexer;

		emu_lex_next(&parser->lexer);
		is_negative = parser->lexer.token.kind == TOKEN_F32 || parser->lexer.token.kind == TOKEN_F64;
		token = parser->lexer.token;
		if (!is_negative)
			parser->lexer = before;
	}
	if (token.kind == TOKEN_F32 || token.kind == TOKEN_F64) {
		put_bits(initial, float_bits(initial->declaration->type, &token, is_negative));
		emu_lex_next(&parser->lexer);
		return true;
	}
	if (!emu_parse_constant(parser, &value))
		return false;
	put_bits(initial, (uint64_t)value);
	return true;
}

static bool parse_list(struct emu_parser *parser, struct initial *initial, unsigned depth)
{
	if (depth > EXPRESSION_DEPTH)
		return emu_parse_fail(parser, parser->lexer.token.line, "initial values are nested too deeply");
	if (emu_accept_sign(parser, '}'))
		return true;
	do {
		if (emu_accept_sign(parser, '{')) {
			if (!parse_list(parser, initial, depth + 1))
				return false;
			continue;
		}
		if (!parse_element(parser, initial))
			return false;
		initial->at += initial->element;
	} while (emu_accept_sign(parser, ','));
	return emu_expect_sign(parser, '}');
}

bool emu_parse_initial(
	struct emu_parser *parser, struct emu_variable *variable, const struct emu_declaration *declaration)
{
	struct initial initial = { variable, declaration, emu_type_bytes(declaration->type), 0 };

	if (variable->bytes > MOST_INITIAL_BYTES || declaration->is_unsized)
		return emu_parse_fail(parser, declaration->line, "an initial value of that size is not supported");
	variable->initial = emu_arena_alloc(&parser->module->arena, variable->bytes);
	if (!variable->initial)
		return emu_parse_no_memory(parser);
	if (emu_accept_sign(parser, '{'))
		return parse_list(parser, &initial, 0);
	return parse_element(parser, &initial);
}
