/* SPDX-License-Identifier: MIT
 *
 * The caller's texts, one after the other, each under a #line that names it: the compiler's messages are then about
 * line 3 of "operator mul" and not about some line of ours.  Behind them stands what the kernels ask of them.
 */
#include "user_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "status.h"
#include "strbuf.h"
#include "user_include.h"

static const char *const role_words[SRT_ROLES] = { "input", "accumulator", "output" };

/* A text may end within a line, or in a comment of one.  White space at its end makes no other text of it: a string of
 * a program and the lines of a file (scanrt-problem(5)) are then one problem. */
static void add_part(struct srt_strbuf *text, const char *kind, const char *name, const char *part)
{
	size_t length = strlen(part);

	while (length > 0 && strchr(" \t\r\n", part[length - 1]))
		length--;
	srt_strbuf_printf(text, "#line 1 \"%s%s%s\"\n", kind, *name ? " " : "", name);
	srt_strbuf_append_bytes(text, part, length);
	srt_strbuf_append(text, "\n");
}

/* A type that plays two roles is defined once. */
static bool is_defined(const struct srt_user_parts *parts, int role)
{
	int i;

	for (i = 0; i < role; i++)
		if (parts->is_user[i] && parts->types[i].text &&
				strcmp(parts->types[i].name, parts->types[role].name) == 0 &&
				strcmp(parts->types[i].text, parts->types[role].text) == 0)
			return true;
	return false;
}

/* Macros end with the text: the kernels' words are not the caller's business. */
static void add_undefinition(void *text, const char *name, int line)
{
	(void)line;
	srt_strbuf_printf(text, "#undef %s\n", name);
}

static void each_part(const struct srt_user_parts *parts, srt_user_macro_visit *visit, void *user)
{
	const char *texts[] = { parts->types[0].text, parts->types[1].text, parts->types[2].text, parts->op.text,
		parts->load, parts->store };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i])
			srt_user_each_macro(texts[i], visit, user);
}

static void add_parts(struct srt_strbuf *text, const struct srt_user_parts *parts)
{
	int i;

	for (i = 0; i < SRT_ROLES; i++)
		if (parts->is_user[i] && parts->types[i].text && !is_defined(parts, i))
			add_part(text, "type", parts->types[i].name, parts->types[i].text);
	if (parts->op.text)
		add_part(text, "operator", parts->op.name, parts->op.text);
	if (parts->load)
		add_part(text, "load conversion", "", parts->load);
	if (parts->store)
		add_part(text, "store conversion", "", parts->store);
	each_part(parts, add_undefinition, text);
	/* What is left open in a text is noticed here, and the message should not seem to be about the library. */
	srt_strbuf_append(text, "#line 1 \"the end of the problem's text\"\n");
}

/* The first macro of a part that is one of the kernels' options. */
struct clash {
	char name[SRT_USER_MACRO_SIZE];
	int line; /* 0: none */
};

static void look_for_clash(void *user, const char *name, int line)
{
	struct clash *clash = user;

	if (clash->line > 0 || strncmp(name, "SCAN_", 5) != 0)
		return;
	snprintf(clash->name, sizeof(clash->name), "%s", name);
	clash->line = line;
}

static int check_part(const char *kind, const char *name, const char *part)
{
	int line = part ? srt_user_include_line(part) : 0;
	struct clash clash = { .line = 0 };

	if (part)
		srt_user_each_macro(part, look_for_clash, &clash);
	if (clash.line > 0)
		return srt_fail(SCANRT_ERROR_TEXT,
			"the problem's text: %s%s%s(%d): error: macro %s: names that begin with SCAN_ are the "
			"library's",
			kind, *name ? " " : "", name, clash.line, clash.name);
	if (line == 0)
		return SCANRT_OK;
	return srt_fail(SCANRT_ERROR_TEXT,
		"the problem's text: %s%s%s(%d): error: no file can be included: the text has to be all there is",
		kind, *name ? " " : "", name, line);
}

static int check_parts(const struct srt_user_parts *parts)
{
	int status = check_part("operator", parts->op.name, parts->op.text);
	int i;

	for (i = 0; i < SRT_ROLES && !status; i++)
		if (parts->is_user[i])
			status = check_part("type", parts->types[i].name, parts->types[i].text);
	if (!status)
		status = check_part("load conversion", "", parts->load);
	return status ? status : check_part("store conversion", "", parts->store);
}

/* user_input and so on, whatever the type is; for a struct of the caller's, whether it is what the caller says. */
static void add_role(struct srt_strbuf *text, const struct srt_user *user, const struct srt_user_parts *parts, int role)
{
	const struct srt_user_role *given = &user->roles[role];
	const char *word = role_words[role];

	if (!parts->is_user[role]) {
		srt_strbuf_printf(text, "using user_%s = %s;\n", word, given->name);
		return;
	}
	if (!parts->types[role].text) {
		srt_strbuf_printf(text, "using user_%s = opaque<%zu, %zu>;\n", word, given->size, given->alignment);
		return;
	}
	srt_strbuf_printf(text, "using user_%s = ::%s;\n", word, given->name);
	srt_strbuf_printf(text,
		"static_assert(__is_trivially_copyable(user_%s), \"type %s is not trivially copyable\");\n", word,
		given->name);
	srt_strbuf_printf(text, "static_assert(__is_trivially_constructible(user_%s), "
		"\"type %s has a constructor or initialisers that would have to run\");\n", word, given->name);
	srt_strbuf_printf(text, "template <u64 found, u64 stated> struct user_%s_size { "
		"static_assert(found == stated, \"type %s does not have the stated number of bytes\"); };\n", word,
		given->name);
	srt_strbuf_printf(text, "template struct user_%s_size<sizeof(user_%s), %zu>;\n", word, word, given->size);
	srt_strbuf_printf(text, "template <u64 found, u64 stated> struct user_%s_alignment { "
		"static_assert(found == stated, \"type %s does not have the stated alignment\"); };\n", word,
		given->name);
	srt_strbuf_printf(text, "template struct user_%s_alignment<alignof(user_%s), %zu>;\n", word, word,
		given->alignment);
}

/* The identity is part of the program: other bytes are another operator.  In words, which align it. */
static void add_identity(struct srt_strbuf *text, const unsigned char *identity, size_t size)
{
	uint64_t word;
	size_t i;

	srt_strbuf_append(text, "static constexpr u64 identity[] = {");
	for (i = 0; i < size; i += sizeof(word)) {
		word = 0;
		memcpy(&word, identity + i, size - i < sizeof(word) ? size - i : sizeof(word));
		srt_strbuf_printf(text, "%s0x%" PRIx64, i ? "," : "", word);
	}
	srt_strbuf_append(text, "};\n");
}

static const char *truth(bool is_true)
{
	return is_true ? "true" : "false";
}

/* A name for the kernels to mention. */
static const unsigned char no_identity = 0;

static void add_facts(struct srt_strbuf *text, const struct srt_user *user, const struct srt_user_parts *parts)
{
	srt_strbuf_append(text, "struct user_facts {\n");
	srt_strbuf_printf(text, "enum : bool { is_commutative = %s, has_identity = %s };\n",
		truth(user->is_commutative), truth(user->has_identity));
	srt_strbuf_printf(text, "enum : bool { has_operator = %s, has_state = %s };\n", truth(parts->op.text),
		truth(user->has_state));
	srt_strbuf_printf(text, "enum : bool { has_load = %s, has_store = %s };\n", truth(user->has_load),
		truth(user->has_store));
	if (user->has_identity)
		add_identity(text, parts->op.identity, user->roles[SRT_ACCUMULATOR].size);
	else
		add_identity(text, &no_identity, 1);
	srt_strbuf_append(text, "};\n");
}

int srt_user_text_make(struct srt_user *user, const struct srt_user_parts *parts)
{
	struct srt_strbuf text = { 0 };
	int status = check_parts(parts);
	int i;

	if (status)
		return status;
	srt_strbuf_append(&text, "#pragma once\n");
	add_parts(&text, parts);
	srt_strbuf_append(&text, "namespace scan {\n");
	for (i = 0; i < SRT_ROLES; i++)
		add_role(&text, user, parts, i);
	add_facts(&text, user, parts);
	srt_strbuf_append(&text, "} // namespace scan\n");
	if (text.failed) {
		srt_strbuf_free(&text);
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a problem's text");
	}
	user->text = text.text;
	snprintf(user->mark, sizeof(user->mark), "%016" PRIx64, (uint64_t)XXH3_64bits(text.text, text.length));
	return SCANRT_OK;
}
