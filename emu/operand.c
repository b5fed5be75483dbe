/* SPDX-License-Identifier: MIT
 *
 * Statements and their operands.
 */
#include "decode.h"
#include "special.h"

#include <string.h>

static bool parse_number(struct emu_parser *parser, struct emu_operand *operand)
{
	const struct emu_lexer before = parser->lexer;
	bool is_negative = emu_accept_sign(parser, '-');
	const struct emu_token token = parser->lexer.token;
	int64_t value;

	operand->kind = OPERAND_NUMBER;
	if (token.kind == TOKEN_F32 || token.kind == TOKEN_F64) {
		operand->number_kind = token.kind;
		operand->bits = token.bits;
		if (is_negative)
			operand->bits ^= token.kind == TOKEN_F32 ? UINT64_C(0x80000000) : UINT64_C(1) << 63;
		emu_lex_next(&parser->lexer);
		return true;
	}
	parser->lexer = before;
	operand->number_kind = TOKEN_INTEGER;
	if (!emu_parse_constant(parser, &value))
		return false;
	operand->bits = (uint64_t)value;
	operand->high_bits = value < 0 ? UINT64_MAX : 0;
	return true;
}

static void from_symbol(struct emu_operand *operand, const struct emu_symbol *symbol)
{
	operand->variable = symbol->variable;
	operand->function = symbol->function;
	operand->table = symbol->table;
	operand->number = symbol->number;
	operand->region_bytes = symbol->region_bytes;
	operand->kind = symbol->kind == SYMBOL_VARIABLE ? OPERAND_VARIABLE :
		symbol->kind == SYMBOL_FUNCTION ? OPERAND_FUNCTION :
		symbol->kind == SYMBOL_REGION ? OPERAND_REGION :
		symbol->kind == SYMBOL_TABLE ? OPERAND_TABLE :
		symbol->kind == SYMBOL_PROTOTYPE ? OPERAND_PROTOTYPE : OPERAND_LABEL;
}

/* A register, a special register, a symbol, or a name that may become a label. */
static bool parse_name(struct emu_parser *parser, struct emu_operand *operand)
{
	const struct emu_symbol *symbol;
	struct emu_token *token = &parser->lexer.token;

	operand->text = token->text;
	operand->length = token->length;
	if (emu_token_is(token, "_")) {
		operand->kind = OPERAND_SINK;
	} else if (emu_token_is(token, "WARP_SZ")) {
		*operand = (struct emu_operand){ .kind = OPERAND_NUMBER, .number_kind = TOKEN_INTEGER, .bits = 32,
			.pair = NO_OPERAND };
	} else if (emu_symbol_register(parser, token->text, token->length, &operand->number, &operand->bytes)) {
		operand->kind = OPERAND_REGISTER;
	} else if ((symbol = emu_symbol_find(parser, token->text, token->length)) != NULL) {
		from_symbol(operand, symbol);
	} else if (token->text[0] == '%') {
		emu_lex_suffix(&parser->lexer);
		operand->kind = OPERAND_SPECIAL;
		operand->length = token->length;
		operand->number = emu_special_find(token->text, token->length);
		if (operand->number < 0)
			return emu_parse_fail(parser, token->line, "register %.*s is not known",
					(int)(token->length > 60 ? 60 : token->length), token->text);
	} else {
		operand->kind = OPERAND_LABEL;
	}
	emu_lex_next(&parser->lexer);
	return true;
}

/* "a|b": the second result of shfl, setp and others. */
static bool parse_pair(struct emu_parser *parser, struct emu_operand *operand)
{
	struct emu_operand second = { .pair = NO_OPERAND };

	if (!emu_accept_sign(parser, '|'))
		return true;
	if (parser->lexer.token.kind != TOKEN_NAME || !parse_name(parser, &second))
		return emu_parse_fail(parser, parser->lexer.token.line, "a register is expected behind '|'");
	if (second.kind == OPERAND_SINK)
		return true;
	if (second.kind != OPERAND_REGISTER || second.bytes)
		return emu_parse_fail(parser, parser->lexer.token.line, "a predicate is expected behind '|'");
	operand->pair = second.number;
	return true;
}

static bool parse_vector(struct emu_parser *parser, struct emu_statement *statement, struct emu_operand *operand)
{
	operand->kind = OPERAND_VECTOR;
	operand->elements = statement->elements + statement->element_count;
	do {
		struct emu_operand *element;

		if (statement->element_count == STATEMENT_ELEMENTS)
			return emu_parse_fail(parser, statement->line, "too many operands");
		element = &statement->elements[statement->element_count++];
		*element = (struct emu_operand){ .pair = NO_OPERAND };
		operand->element_count++;
		if (emu_token_is_sign(&parser->lexer.token, '{') || emu_token_is_sign(&parser->lexer.token, '['))
			return emu_parse_fail(parser, statement->line, "vectors cannot be nested");
		if (!emu_parse_operand(parser, statement, element))
			return false;
	} while (emu_accept_sign(parser, ','));
	return emu_expect_sign(parser, '}');
}

static bool parse_addend(struct emu_parser *parser, struct emu_operand *operand)
{
	bool is_minus = emu_token_is_sign(&parser->lexer.token, '-');

	if (!is_minus && !emu_token_is_sign(&parser->lexer.token, '+'))
		return true;
	if (!is_minus)
		emu_lex_next(&parser->lexer);
	return emu_parse_constant(parser, &operand->addend);
}

static bool parse_address(struct emu_parser *parser, struct emu_operand *operand)
{
	const struct emu_token *token = &parser->lexer.token;

	if (token->kind == TOKEN_NAME) {
		if (!parse_name(parser, operand) || !parse_addend(parser, operand))
			return false;
	} else if (!parse_number(parser, operand)) {
		return false;
	}
	operand->base = operand->kind;
	operand->kind = OPERAND_ADDRESS;
	return emu_expect_sign(parser, ']');
}

bool emu_parse_operand(struct emu_parser *parser, struct emu_statement *statement, struct emu_operand *operand)
{
	const struct emu_token *token = &parser->lexer.token;

	operand->pair = NO_OPERAND;
	if (emu_accept_sign(parser, '{'))
		return parse_vector(parser, statement, operand);
	if (emu_accept_sign(parser, '['))
		return parse_address(parser, operand);
	if (emu_token_is_sign(token, '!')) {
		operand->is_negated = true;
		emu_lex_next(&parser->lexer);
	}
	if (token->kind == TOKEN_NAME) {
		if (!parse_name(parser, operand) || !parse_pair(parser, operand))
			return false;
		if (operand->kind == OPERAND_VARIABLE || operand->kind == OPERAND_FUNCTION)
			return parse_addend(parser, operand);
		return true;
	}
	return parse_number(parser, operand);
}

static bool parse_guard(struct emu_parser *parser, struct emu_statement *statement)
{
	const struct emu_token *token = &parser->lexer.token;
	uint8_t bytes;

	statement->guard = NO_GUARD;
	if (!emu_accept_sign(parser, '@'))
		return true;
	statement->is_guard_negated = emu_accept_sign(parser, '!');
	if (token->kind != TOKEN_NAME ||
			!emu_symbol_register(parser, token->text, token->length, &statement->guard, &bytes) || bytes)
		return emu_parse_fail(parser, token->line, "a predicate is expected behind '@'");
	emu_lex_next(&parser->lexer);
	return true;
}

/* Splits "ld.global.v4.u32" at its dots. */
static bool split_opcode(struct emu_parser *parser, struct emu_statement *statement)
{
	const char *at = statement->opcode, *end = at + statement->opcode_length;

	while (at <= end) {
		const char *dot = memchr(at, '.', (size_t)(end - at));

		if (!dot)
			dot = end;
		if (statement->part_count == STATEMENT_PARTS)
			return emu_parse_fail(parser, statement->line, "an opcode with too many parts");
		statement->parts[statement->part_count++] = (struct emu_part){ at, (size_t)(dot - at), false };
		at = dot + 1;
	}
	statement->parts[0].is_taken = true;
	return true;
}

static bool parse_operands(struct emu_parser *parser, struct emu_statement *statement)
{
	if (emu_accept_sign(parser, ';'))
		return true;
	do {
		if (statement->operand_count == STATEMENT_OPERANDS)
			return emu_parse_fail(parser, statement->line, "too many operands");
		if (!emu_parse_operand(parser, statement, &statement->operands[statement->operand_count++]))
			return false;
	} while (emu_accept_sign(parser, ','));
	return emu_expect_sign(parser, ';');
}

bool emu_parse_statement(struct emu_parser *parser)
{
	struct emu_statement statement;

	memset(&statement, 0, sizeof statement);
	statement.line = parser->lexer.token.line;
	if (!parse_guard(parser, &statement))
		return false;
	if (parser->lexer.token.kind != TOKEN_NAME)
		return emu_parse_fail(parser, parser->lexer.token.line, "an instruction is expected before '%.*s'",
				(int)(parser->lexer.token.length > 60 ? 60 : parser->lexer.token.length),
				parser->lexer.token.text);
	emu_lex_opcode(&parser->lexer);
	statement.opcode = parser->lexer.token.text;
	statement.opcode_length = parser->lexer.token.length;
	emu_lex_next(&parser->lexer);
	if (!split_opcode(parser, &statement))
		return false;
	if (statement.parts[0].length == 4 && !memcmp(statement.parts[0].text, "call", 4))
		return emu_parse_call(parser, &statement);
	return parse_operands(parser, &statement) && emu_decode(parser, &statement);
}
