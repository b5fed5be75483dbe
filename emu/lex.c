/* SPDX-License-Identifier: MIT */
#include "lex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The mark of an operator application: a comment inside inline assembly, which the compiler carries into the PTX. */
static const char mark[] = "@scan_apply";

void emu_lex_init(struct emu_lexer *lexer, const char *text, size_t bytes)
{
	memset(lexer, 0, sizeof *lexer);
	lexer->at = text;
	lexer->end = text + bytes;
	lexer->line = 1;
	emu_lex_next(lexer);
}

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static bool is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static void skip_line_comment(struct emu_lexer *lexer)
{
	const char *start = lexer->at;
	size_t length;

	while (lexer->at < lexer->end && *lexer->at != '\n')
		lexer->at++;
	length = (size_t)(lexer->at - start);
	for (size_t i = 0; i + sizeof mark - 1 <= length; i++)
		if (!memcmp(start + i, mark, sizeof mark - 1)) {
			lexer->is_mark_pending = true;
			return;
		}
}

static void skip_block_comment(struct emu_lexer *lexer)
{
	for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
		if (*lexer->at == '\n')
			lexer->line++;
		if (*lexer->at == '*' && lexer->at + 1 < lexer->end && lexer->at[1] == '/') {
			lexer->at += 2;
			return;
		}
	}
}

/* Stops behind a mark, so that it becomes a token of its own. */
static void skip_blanks(struct emu_lexer *lexer)
{
	while (lexer->at < lexer->end && !lexer->is_mark_pending) {
		char c = *lexer->at;

		if (c == '\n')
			lexer->line++;
		if (isspace((unsigned char)c) || c == '\0')
			lexer->at++;
		else if (c == '/' && lexer->at + 1 < lexer->end && lexer->at[1] == '/')
			skip_line_comment(lexer);
		else if (c == '/' && lexer->at + 1 < lexer->end && lexer->at[1] == '*')
			skip_block_comment(lexer);
		else
			return;
	}
}

static void lex_name(struct emu_lexer *lexer, enum emu_token_kind kind)
{
	lexer->token.kind = kind;
	lexer->token.text = lexer->at++;
	while (lexer->at < lexer->end && is_name_part(*lexer->at))
		lexer->at++;
	lexer->token.length = (size_t)(lexer->at - lexer->token.text);
}

/* The number's spelling ends where no letter, digit or point follows; an exponent may have a sign. */
static size_t number_length(const struct emu_lexer *lexer)
{
	const char *p = lexer->at;

	while (p < lexer->end && (isalnum((unsigned char)*p) || *p == '.' || *p == '_'))
		p++;
	if (p < lexer->end && (*p == '+' || *p == '-') && p > lexer->at + 1 && (p[-1] == 'e' || p[-1] == 'E') &&
			!(lexer->at[0] == '0' && strchr("xXfFdD", lexer->at[1])))
		for (p++; p < lexer->end && isdigit((unsigned char)*p); )
			p++;
	return (size_t)(p - lexer->at);
}

/* 0f and 0d carry the bits themselves. */
static bool lex_float_bits(struct emu_token *token, const char *digits)
{
	size_t length = strlen(digits);
	bool is_single = digits[1] == 'f' || digits[1] == 'F';
	char *end;

	if (length != (is_single ? 10u : 18u))
		return false;
	token->kind = is_single ? TOKEN_F32 : TOKEN_F64;
	token->bits = strtoull(digits + 2, &end, 16);
	return !*end;
}

static bool lex_decimal_float(struct emu_token *token, const char *digits)
{
	char *end;
	double value = strtod(digits, &end);

	token->kind = TOKEN_F64;
	memcpy(&token->bits, &value, sizeof value);
	return !*end;
}

static bool lex_integer(struct emu_token *token, const char *digits)
{
	bool is_binary = digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B');
	char *end;

	token->kind = TOKEN_INTEGER;
	token->bits = is_binary ? strtoull(digits + 2, &end, 2) : strtoull(digits, &end, 0);
	if (*end == 'U' || *end == 'u')
		end++;
	return !*end && end != digits;
}

static void lex_number(struct emu_lexer *lexer)
{
	struct emu_token *token = &lexer->token;
	char digits[128];
	bool is_good;

	token->text = lexer->at;
	token->length = number_length(lexer);
	lexer->at += token->length;
	if (token->length >= sizeof digits) {
		token->kind = TOKEN_BAD;
		return;
	}
	memcpy(digits, token->text, token->length);
	digits[token->length] = '\0';
	if (digits[0] == '0' && digits[1] && strchr("fFdD", digits[1]))
		is_good = lex_float_bits(token, digits);
	else if (!(digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) && strpbrk(digits, ".eE"))
		is_good = lex_decimal_float(token, digits);
	else
		is_good = lex_integer(token, digits);
	if (!is_good)
		token->kind = TOKEN_BAD;
}

static void lex_string(struct emu_lexer *lexer)
{
	struct emu_token *token = &lexer->token;

	token->kind = TOKEN_STRING;
	token->text = ++lexer->at;
	while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
		lexer->at += *lexer->at == '\\' && lexer->at + 1 < lexer->end ? 2 : 1;
	if (lexer->at > lexer->end)
		lexer->at = lexer->end;
	token->length = (size_t)(lexer->at - token->text);
	if (lexer->at >= lexer->end || *lexer->at != '"')
		token->kind = TOKEN_BAD;
	else
		lexer->at++;
}

static void lex_sign(struct emu_lexer *lexer)
{
	lexer->token.kind = TOKEN_SIGN;
	lexer->token.text = lexer->at;
	lexer->token.length = 1;
	lexer->token.bits = (unsigned char)*lexer->at++;
}

void emu_lex_next(struct emu_lexer *lexer)
{
	struct emu_token *token = &lexer->token;

	skip_blanks(lexer);
	token->line = lexer->line;
	token->text = lexer->at;
	token->length = 0;
	token->bits = 0;
	if (lexer->is_mark_pending) {
		lexer->is_mark_pending = false;
		token->kind = TOKEN_APPLY;
	} else if (lexer->at >= lexer->end) {
		token->kind = TOKEN_END;
	} else if (is_name_start(*lexer->at)) {
		lex_name(lexer, TOKEN_NAME);
	} else if (*lexer->at == '.' && lexer->at + 1 < lexer->end && is_name_start(lexer->at[1])) {
		lexer->at++;
		lex_name(lexer, TOKEN_DIRECTIVE);
	} else if (isdigit((unsigned char)*lexer->at)) {
		lex_number(lexer);
	} else if (*lexer->at == '"') {
		lex_string(lexer);
	} else {
		lex_sign(lexer);
	}
}

static bool continues_opcode(const struct emu_lexer *lexer)
{
	size_t left = (size_t)(lexer->end - lexer->at);

	if (left > 1 && *lexer->at == '.' && is_name_part(lexer->at[1]))
		return true;
	return left > 2 && lexer->at[0] == ':' && lexer->at[1] == ':' && is_name_part(lexer->at[2]);
}

void emu_lex_opcode(struct emu_lexer *lexer)
{
	while (continues_opcode(lexer)) {
		lexer->at += *lexer->at == '.' ? 1 : 2;
		while (lexer->at < lexer->end && is_name_part(*lexer->at))
			lexer->at++;
	}
	lexer->token.length = (size_t)(lexer->at - lexer->token.text);
}

void emu_lex_suffix(struct emu_lexer *lexer)
{
	if (lexer->at + 1 < lexer->end && *lexer->at == '.' && strchr("xyzw", lexer->at[1]) && lexer->at[1]) {
		lexer->at += 2;
		lexer->token.length += 2;
	}
}

bool emu_lex_is_label(const struct emu_lexer *lexer)
{
	const char *p = lexer->at;

	while (p < lexer->end && isspace((unsigned char)*p))
		p++;
	return p < lexer->end && *p == ':' && !(p + 1 < lexer->end && p[1] == ':');
}

bool emu_token_is(const struct emu_token *token, const char *text)
{
	return token->length == strlen(text) && !memcmp(token->text, text, token->length) &&
			(token->kind == TOKEN_NAME || token->kind == TOKEN_DIRECTIVE);
}

bool emu_token_is_sign(const struct emu_token *token, char sign)
{
	return token->kind == TOKEN_SIGN && token->bits == (unsigned char)sign;
}
