/* SPDX-License-Identifier: MIT
 *
 * A module's top level: its header, variables and functions.
 */
#include "parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool emu_parse_fail(struct emu_parser *parser, unsigned line, const char *format, ...)
{
	char text[400];
	va_list arguments;

	if (parser->is_failed)
		return false;
	parser->is_failed = true;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	parser->error->code = CUDA_ERROR_INVALID_PTX;
	parser->error->line = line;
	snprintf(parser->error->text, sizeof parser->error->text, "PTX line %u: %s", line, text);
	return false;
}

bool emu_parse_no_memory(struct emu_parser *parser)
{
	emu_parse_fail(parser, parser->lexer.token.line, "out of memory");
	parser->error->code = CUDA_ERROR_OUT_OF_MEMORY;
	return false;
}

bool emu_accept_sign(struct emu_parser *parser, char sign)
{
	if (!emu_token_is_sign(&parser->lexer.token, sign))
		return false;
	emu_lex_next(&parser->lexer);
	return true;
}

bool emu_expect_sign(struct emu_parser *parser, char sign)
{
	const struct emu_token *token = &parser->lexer.token;

	if (emu_accept_sign(parser, sign))
		return true;
	return emu_parse_fail(parser, token->line, "'%c' expected before '%.*s'", sign,
			(int)(token->length > 60 ? 60 : token->length), token->text);
}

bool emu_accept_word(struct emu_parser *parser, const char *word)
{
	if (!emu_token_is(&parser->lexer.token, word))
		return false;
	emu_lex_next(&parser->lexer);
	return true;
}

static const struct {
	const char *name;
	enum emu_type type;
	unsigned bytes;
} types[] = {
	{ "pred", TYPE_PRED, 0 }, { "b8", TYPE_B8, 1 }, { "b16", TYPE_B16, 2 }, { "b32", TYPE_B32, 4 },
	{ "b64", TYPE_B64, 8 }, { "b128", TYPE_B128, 16 }, { "u8", TYPE_U8, 1 }, { "u16", TYPE_U16, 2 },
	{ "u32", TYPE_U32, 4 }, { "u64", TYPE_U64, 8 }, { "s8", TYPE_S8, 1 }, { "s16", TYPE_S16, 2 },
	{ "s32", TYPE_S32, 4 }, { "s64", TYPE_S64, 8 }, { "f16", TYPE_F16, 2 }, { "f16x2", TYPE_F16X2, 4 },
	{ "bf16", TYPE_BF16, 2 }, { "bf16x2", TYPE_BF16X2, 4 }, { "f32", TYPE_F32, 4 }, { "f64", TYPE_F64, 8 },
};

enum emu_type emu_type_named(const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strlen(types[i].name) == length && !memcmp(types[i].name, text, length))
			return types[i].type;
	return TYPE_NONE;
}

unsigned emu_type_bytes(enum emu_type type)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].type == type)
			return types[i].bytes;
	return 0;
}

bool emu_type_is_signed(enum emu_type type)
{
	return type >= TYPE_S8 && type <= TYPE_S64;
}

/* "9.0" was lexed as a floating-point number. */
static bool parse_version(struct emu_parser *parser)
{
	const struct emu_token *token = &parser->lexer.token;
	unsigned major = 0, minor = 0;
	char text[16] = "";

	if (token->length < sizeof text)
		memcpy(text, token->text, token->length);
	if (sscanf(text, "%2u.%2u", &major, &minor) != 2)
		return emu_parse_fail(parser, token->line, ".version needs a number like 9.0");
	parser->module->version = major * 10 + minor;
	if (major > 9 || major < 3) {
		emu_parse_fail(parser, token->line, "PTX version %u.%u is not known here", major, minor);
		parser->error->code = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
		return false;
	}
	emu_lex_next(&parser->lexer);
	return true;
}

/* "sm_90", "sm_90a", "sm_100f", "compute_75", then perhaps ", debug". */
static bool parse_target(struct emu_parser *parser)
{
	do {
		const struct emu_token *token = &parser->lexer.token;
		char text[32] = "";
		unsigned target;

		if (token->kind == TOKEN_NAME && token->length < sizeof text)
			memcpy(text, token->text, token->length);
		if (sscanf(text, "sm_%4u", &target) == 1 || sscanf(text, "compute_%4u", &target) == 1)
			parser->module->target = target;
		else if (!emu_token_is(token, "debug") && !emu_token_is(token, "texmode_independent") &&
				!emu_token_is(token, "texmode_unified"))
			return emu_parse_fail(parser, token->line, "target '%s' is not known here", text);
		emu_lex_next(&parser->lexer);
	} while (emu_accept_sign(parser, ','));
	return true;
}

static bool parse_address_size(struct emu_parser *parser)
{
	if (parser->lexer.token.kind != TOKEN_INTEGER || parser->lexer.token.bits != 64)
		return emu_parse_fail(parser, parser->lexer.token.line, "only .address_size 64 is supported");
	emu_lex_next(&parser->lexer);
	return true;
}

/* .file and .section tell a debugger, not us. */
static bool skip_debug(struct emu_parser *parser)
{
	unsigned line = parser->lexer.token.line;
	unsigned depth = 0;

	while (parser->lexer.token.kind != TOKEN_END) {
		if (emu_token_is_sign(&parser->lexer.token, '{'))
			depth++;
		else if (emu_token_is_sign(&parser->lexer.token, '}') && depth > 0 && --depth == 0)
			return emu_accept_sign(parser, '}');
		else if (depth == 0 && parser->lexer.token.line != line &&
				!emu_token_is_sign(&parser->lexer.token, '{'))
			return true;
		emu_lex_next(&parser->lexer);
	}
	return true;
}

static bool parse_linkage(struct emu_parser *parser, bool *is_extern)
{
	*is_extern = false;
	for (;;) {
		if (emu_accept_word(parser, "extern"))
			*is_extern = true;
		else if (!emu_accept_word(parser, "visible") && !emu_accept_word(parser, "weak") &&
				!emu_accept_word(parser, "common"))
			return true;
	}
}

static bool parse_declared(struct emu_parser *parser)
{
	bool is_extern;

	if (!parse_linkage(parser, &is_extern))
		return false;
	if (emu_accept_word(parser, "entry"))
		return emu_parse_function(parser, true, is_extern);
	if (emu_accept_word(parser, "func"))
		return emu_parse_function(parser, false, is_extern);
	if (emu_accept_word(parser, "global"))
		return emu_parse_variable(parser, SPACE_GLOBAL, is_extern);
	if (emu_accept_word(parser, "const"))
		return emu_parse_variable(parser, SPACE_CONST, is_extern);
	if (emu_accept_word(parser, "shared"))
		return emu_parse_variable(parser, SPACE_SHARED, is_extern);
	return emu_parse_fail(parser, parser->lexer.token.line, "'%.*s' is not understood here",
			(int)(parser->lexer.token.length > 60 ? 60 : parser->lexer.token.length),
			parser->lexer.token.text);
}

static bool skip_pragma(struct emu_parser *parser)
{
	while (parser->lexer.token.kind == TOKEN_STRING || emu_token_is_sign(&parser->lexer.token, ','))
		emu_lex_next(&parser->lexer);
	return emu_expect_sign(parser, ';');
}

static bool parse_top_level(struct emu_parser *parser)
{
	if (parser->lexer.token.kind == TOKEN_APPLY) {
		emu_lex_next(&parser->lexer);
		return true;
	}
	if (emu_accept_word(parser, "version"))
		return parse_version(parser);
	if (emu_accept_word(parser, "target"))
		return parse_target(parser);
	if (emu_accept_word(parser, "address_size"))
		return parse_address_size(parser);
	if (emu_accept_word(parser, "pragma"))
		return skip_pragma(parser);
	if (emu_token_is(&parser->lexer.token, "file") || emu_token_is(&parser->lexer.token, "section"))
		return skip_debug(parser);
	if (emu_accept_sign(parser, ';'))
		return true;
	if (!parser->module->version)
		return emu_parse_fail(parser, parser->lexer.token.line, "a module starts with .version");
	return parse_declared(parser);
}

static bool parse_module(struct emu_parser *parser)
{
	while (parser->lexer.token.kind != TOKEN_END)
		if (!parse_top_level(parser))
			return false;
	if (!parser->module->version || !parser->module->target)
		return emu_parse_fail(parser, parser->lexer.token.line, "a module needs .version and .target");
	return emu_finish_module(parser);
}

CUresult emu_module_parse(struct emu_module **module, const char *text, size_t bytes, struct emu_error *error)
{
	struct emu_parser *parser = calloc(1, sizeof *parser);
	CUresult code;

	memset(error, 0, sizeof *error);
	*module = NULL;
	if (parser)
		parser->module = calloc(1, sizeof *parser->module);
	if (!parser || !parser->module) {
		free(parser);
		return error->code = CUDA_ERROR_OUT_OF_MEMORY;
	}
	parser->error = error;
	emu_lex_init(&parser->lexer, text, bytes);
	if (parse_module(parser) && !parser->is_failed)
		*module = parser->module;
	else
		emu_module_destroy(parser->module);
	code = error->code;
	free(parser);
	return code;
}
