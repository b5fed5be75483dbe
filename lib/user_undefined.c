/* SPDX-License-Identifier: MIT */
#include "user_undefined.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* ---- The name ---- */

/* The last component of _ZN4geom3fooEi, which is foo; a name of C is not mangled. */
static void unmangle(char *name, size_t size, const char *symbol, size_t length)
{
	const char *end = symbol + length, *at = symbol;

	snprintf(name, size, "%.*s", (int)length, symbol);
	if (length < 3 || strncmp(symbol, "_Z", 2) != 0)
		return;
	at += 2;
	while (at < end && (*at == 'N' || *at == 'L' || *at == 'K'))
		at++;
	while (at < end && isdigit((unsigned char)*at)) {
		char *behind;
		long part = strtol(at, &behind, 10);

		if (part <= 0 || part > end - behind)
			return;
		snprintf(name, size, "%.*s", (int)part, behind);
		at = behind + part;
	}
}

/* The first word of a line's rest, within quotes or without. */
static size_t word_behind(const char **word, const char *at)
{
	size_t length = 0;

	while (*at && *at != '\n' && !is_word(*at))
		at++;
	while (is_word(at[length]))
		length++;
	*word = at;
	return length;
}

/* Of an .extern .func the name stands before its parameters, behind what it returns. */
static size_t word_of_declaration(const char **word, const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	if (*at == '(')
		at += strcspn(at, ")\n");
	return word_behind(word, at);
}

/* ---- The line ---- */

/* Past a comment or a literal that begins here; NULL: none does. */
static const char *skip(const char *at)
{
	const char *end;
	char quote = *at;

	if (strncmp(at, "//", 2) == 0)
		return at + strcspn(at, "\n");
	if (strncmp(at, "/*", 2) == 0) {
		end = strstr(at + 2, "*/");
		return end ? end + 2 : at + strlen(at);
	}
	if (quote != '"')
		return NULL;
	for (at++; *at && *at != quote && *at != '\n'; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

static int lines_of(const char *from, const char *to)
{
	int lines = 0;

	for (; from < to; from++)
		lines += *from == '\n';
	return lines;
}

/* #line 7 "operator add": the line behind it is the seventh. */
static bool take_directive(struct srt_user_undefined *found, const char *at)
{
	char part[sizeof(found->part)];
	int line;

	if (sscanf(at, "#line %d \"%127[^\"]", &line, part) != 2)
		return false;
	memcpy(found->part, part, sizeof(part));
	found->line = line - 1;
	return true;
}

static bool find_line(struct srt_user_undefined *found, const char *text)
{
	size_t length = strlen(found->name);
	const char *at = text;

	found->line = 1;
	snprintf(found->part, sizeof(found->part), "the problem's text");
	while (*at) {
		const char *next = skip(at);
		size_t word = 0;

		while (!next && is_word(at[word]))
			word++;
		if (word == length && length > 0 && memcmp(at, found->name, length) == 0)
			return true;
		if (*at == '#' && (at == text || at[-1] == '\n') && take_directive(found, at))
			next = at + strcspn(at, "\n");
		else if (next)
			found->line += lines_of(at, next);
		if (!next && *at == '\n')
			found->line++;
		at = next ? next : at + (word > 0 ? word : 1);
	}
	return false;
}

/* ---- The whole ---- */

/* What a device's own run time defines is left to the linker, too, and is no fault of the text's. */
static bool is_of_runtime(const char *name)
{
	static const char *const names[] = { "malloc", "free", "vprintf", "printf", "__assertfail" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool take(struct srt_user_undefined *found, const char *word, size_t length, const char *text)
{
	unmangle(found->name, sizeof(found->name), word, length);
	return !is_of_runtime(found->name) && find_line(found, text);
}

bool srt_user_find_undefined(struct srt_user_undefined *found, const char *output, const char *text)
{
	static const char *const before[] = { "Unresolved extern function ", "Undefined reference to " };
	static const char declaration[] = ".extern .func";
	const char *at, *word;
	size_t length;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		for (at = strstr(output, before[i]); at; at = strstr(at + 1, before[i])) {
			length = word_behind(&word, at + strlen(before[i]));
			if (take(found, word, length, text))
				return true;
		}
	for (at = strstr(output, declaration); at; at = strstr(at + 1, declaration)) {
		length = word_of_declaration(&word, at + sizeof(declaration) - 1);
		if (take(found, word, length, text))
			return true;
	}
	return false;
}
