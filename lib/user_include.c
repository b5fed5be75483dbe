/* SPDX-License-Identifier: MIT
 *
 * Just enough of C++'s lexical grammar to tell a directive from a comment or a string that looks like one.  Recipes and
 * databases know a problem by its text: were a file part of it, a change of that file would run the machine code of
 * the one before.
 */
#include "user_include.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct cursor {
	const char *at;
	int line;
};

static bool is_in(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words != NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_of_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* A backslash joins its line with the next one before anything else is looked at, in the middle of a word too. */
static char next(struct cursor *cursor)
{
	const char *at = cursor->at;

	while (at[0] == '\\' && (at[1] == '\n' || (at[1] == '\r' && at[2] == '\n'))) {
		at += at[1] == '\n' ? 2 : 3;
		cursor->line++;
	}
	cursor->at = at + (*at != '\0');
	cursor->line += *at == '\n';
	return *at;
}

static char peek(struct cursor cursor)
{
	return next(&cursor);
}

static void skip_line_comment(struct cursor *cursor)
{
	while (peek(*cursor) && peek(*cursor) != '\n')
		next(cursor);
}

static void skip_comment(struct cursor *cursor)
{
	char c;

	next(cursor); /* the star that opens it does not close it */
	c = next(cursor);
	while (c && !(c == '*' && peek(*cursor) == '/'))
		c = next(cursor);
	next(cursor);
}

static void skip_word(struct cursor *cursor)
{
	while (is_of_word(peek(*cursor)))
		next(cursor);
}

/* One that is not closed ends with its line: an apostrophe in an #error is no literal.  What follows the quote at once
 * is the literal's suffix: no R of a raw one. */
static void skip_literal(struct cursor *cursor, char quote)
{
	char c;

	while ((c = peek(*cursor)) != '\0' && c != '\n') {
		next(cursor);
		if (c == quote) {
			skip_word(cursor);
			return;
		}
		if (c == '\\')
			next(cursor);
	}
}

/* R"mark( ... )mark", behind the first quote.  Lines are not spliced there. */
static void skip_raw_literal(struct cursor *cursor)
{
	const char *mark = cursor->at;
	size_t length = strcspn(mark, "(\n");
	const char *end = cursor->at + length;

	while ((end = strchr(end, ')')) != NULL && (strncmp(end + 1, mark, length) != 0 || end[length + 1] != '"'))
		end++;
	for (; *cursor->at && cursor->at != end; cursor->at++)
		cursor->line += *cursor->at == '\n';
	if (end)
		cursor->at = end + length + 2;
	skip_word(cursor);
}

/* What the preprocessor takes for a number, which is more than numbers are: 1'000 has no literal in it, 1e+R no R, but
 * 1'/' has one. */
static void skip_number(struct cursor *cursor)
{
	struct cursor ahead = *cursor;
	char last = '0';
	char c;

	while ((c = next(&ahead)) != '\0') {
		bool is_sign = (c == '+' || c == '-') && strchr("eEpP", last);
		bool is_mark = c == '\'' && is_of_word(peek(ahead));

		if (!is_of_word(c) && c != '.' && !is_sign && !is_mark)
			return;
		*cursor = ahead;
		last = c;
	}
}

/* The rest of a word.  What does not fit is no word that anybody looks for. */
static void take_word(char *word, size_t size, struct cursor *cursor, char first)
{
	size_t length = 0;

	word[length++] = first;
	while (is_of_word(peek(*cursor))) {
		char c = next(cursor);

		if (length + 1 < size)
			word[length++] = c;
	}
	word[length] = '\0';
}

/* Whether the word takes a file into the text, or makes the text depend on one. */
static bool is_inclusion(const char *word, bool is_directive)
{
	static const char *const directives[] = { "include", "include_next", "import", "embed", NULL };
	static const char *const questions[] = { "__has_include", "__has_include_next", "__has_embed", NULL };

	return is_in(word, questions) || (is_directive && is_in(word, directives));
}

static bool is_raw_prefix(const char *word)
{
	static const char *const prefixes[] = { "R", "LR", "uR", "UR", "u8R", NULL };

	return is_in(word, prefixes);
}

/* Comments and literals; false where c begins neither. */
static bool skip_no_code(struct cursor *cursor, char c)
{
	if (c == '/' && peek(*cursor) == '/')
		skip_line_comment(cursor);
	else if (c == '/' && peek(*cursor) == '*')
		skip_comment(cursor);
	else if (c == '"' || c == '\'')
		skip_literal(cursor, c);
	else
		return false;
	return true;
}

/* The word of code that begins with c; "" where it is a number or no word. */
static void take_code(char *word, size_t size, struct cursor *cursor, char c)
{
	word[0] = '\0';
	if (is_digit(c))
		skip_number(cursor);
	else if (is_of_word(c))
		take_word(word, size, cursor, c);
	if (is_raw_prefix(word) && peek(*cursor) == '"') {
		next(cursor);
		skip_raw_literal(cursor);
	}
}

static bool is_word_of_inclusion(struct cursor *cursor, char c, bool is_directive)
{
	char word[24];

	take_code(word, sizeof(word), cursor, c);
	return is_inclusion(word, is_directive);
}

/* A directive begins with # or its digraph, at the beginning of a line but for blanks and comments. */
static bool is_hash(struct cursor *cursor, char c)
{
	if (c != '%' || peek(*cursor) != ':')
		return c == '#';
	next(cursor);
	return true;
}

int srt_user_include_line(const char *text)
{
	struct cursor cursor = { text, 1 };
	bool is_line_start = true;
	bool is_directive = false;
	char c;

	while ((c = next(&cursor)) != '\0') {
		int line = cursor.line;

		if (c == '\n')
			is_line_start = true;
		if (strchr(" \t\r\v\f\n", c) || skip_no_code(&cursor, c))
			continue;
		if (is_line_start && is_hash(&cursor, c))
			is_directive = true;
		else if (is_word_of_inclusion(&cursor, c, is_directive))
			return line;
		else
			is_directive = false;
		is_line_start = false;
	}
	return 0;
}

void srt_user_each_macro(const char *text, srt_user_macro_visit *visit, void *user)
{
	struct cursor cursor = { text, 1 };
	char before[SRT_USER_MACRO_SIZE] = ""; /* in a directive: "#", then its word */
	bool is_line_start = true;
	char c;

	while ((c = next(&cursor)) != '\0') {
		char word[SRT_USER_MACRO_SIZE] = "#";
		int line = cursor.line;

		if (c == '\n') {
			is_line_start = true;
			before[0] = '\0';
		}
		if (strchr(" \t\r\v\f\n", c) || skip_no_code(&cursor, c))
			continue;
		if (!is_line_start || !is_hash(&cursor, c))
			take_code(word, sizeof(word), &cursor, c);
		if ((strcmp(before, "define") == 0 || strcmp(before, "undef") == 0) && word[0] != '\0')
			visit(user, word, line);
		if (strcmp(before, "#") != 0 && strcmp(word, "#") != 0)
			word[0] = '\0';
		memcpy(before, word, sizeof(before));
		is_line_start = false;
	}
}
