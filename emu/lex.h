/* SPDX-License-Identifier: MIT
 *
 * The characters of PTX text, one token at a time.
 */
#ifndef EMU_LEX_H
#define EMU_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum emu_token_kind {
	TOKEN_END, TOKEN_NAME, TOKEN_DIRECTIVE, TOKEN_INTEGER, TOKEN_F32, TOKEN_F64, TOKEN_STRING, TOKEN_SIGN,
	TOKEN_APPLY, TOKEN_BAD
};

/* text/length is the spelling: a directive's without its dot, a string's without its quotes. */
struct emu_token {
	enum emu_token_kind kind;
	const char *text;
	size_t length;
	uint64_t bits;     /* the value of a number; the character of a sign */
	unsigned line;
};

struct emu_lexer {
	const char *at, *end;
	unsigned line;
	bool is_mark_pending;   /* a "@scan_apply" comment was passed */
	struct emu_token token; /* the one at hand */
};

void emu_lex_init(struct emu_lexer *lexer, const char *text, size_t bytes);
void emu_lex_next(struct emu_lexer *lexer);
/* Lengthens the name at hand by everything that belongs to an opcode: ".global", ".L1::no_allocate", ... */
void emu_lex_opcode(struct emu_lexer *lexer);
/* The same for special registers: "%tid" ".x". */
void emu_lex_suffix(struct emu_lexer *lexer);
bool emu_lex_is_label(const struct emu_lexer *lexer);
bool emu_token_is(const struct emu_token *token, const char *text);
bool emu_token_is_sign(const struct emu_token *token, char sign);

#endif
