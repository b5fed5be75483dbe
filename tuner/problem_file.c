/* SPDX-License-Identifier: MIT
 *
 * The form of scanrt-problem(5): statements of a line each, some of which are followed by a text up to a mark.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draft.h"
#include "status.h"

#define ELEMENTS_BYTES_MAX ((size_t)64 << 20)

int tune_draft_fail(const struct tune_draft *draft, int line, const char *format, ...)
{
	char text[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	/* What is missing is in no line. */
	if (line == 0)
		return srt_fail(SCANRT_ERROR_TEXT, "%s: %s", draft->name, text);
	return srt_fail(SCANRT_ERROR_TEXT, "%s:%d: %s", draft->name, line, text);
}

/* ---- Lines and texts ---- */

static char *next_line(struct tune_draft *draft)
{
	char *line = draft->rest;
	size_t length;

	if (*line == '\0')
		return NULL;
	length = strcspn(line, "\n");
	draft->rest = line + length + (line[length] == '\n');
	line[length] = '\0';
	draft->line++;
	return line;
}

static bool is_mark(const char *line, size_t length, const char *mark)
{
	length -= length > 0 && line[length - 1] == '\r';
	return strlen(mark) == length && strncmp(line, mark, length) == 0;
}

/* The lines up to the mark, as they are: whoever gives the library the same bytes has the same problem. */
static int take_text(const char **text, struct tune_draft *draft, const char *mark)
{
	int begin = draft->line;
	char *from = draft->rest;
	char *at = from;

	while (*at) {
		size_t length = strcspn(at, "\n");
		bool is_end = is_mark(at, length, mark);

		draft->line++;
		draft->rest = at + length + (at[length] == '\n');
		if (is_end) {
			*at = '\0';
			*text = from;
			return SCANRT_OK;
		}
		at = draft->rest;
	}
	return tune_draft_fail(draft, begin, "the text is not ended by a line \"%s\"", mark);
}

/* A text may follow a statement, or, where `is_needed`, has to. */
static int take_block(const char **text, struct tune_draft *draft, char **rest, bool is_needed, const char *kind,
	const char *name)
{
	struct tune_described *made = draft->made;
	char *word = tune_next_word(rest);

	*text = NULL;
	if (word == NULL && !is_needed)
		return SCANRT_OK;
	if (word == NULL || strncmp(word, "<<", 2) != 0 || word[2] == '\0' || tune_next_word(rest))
		return tune_draft_fail(
			draft, draft->line, "%s: a text begins with <<MARK at the end of the line", kind);
	if (made->block_count < TUNE_BLOCKS_MAX) {
		struct tune_block *block = &made->blocks[made->block_count++];

		snprintf(block->name, sizeof block->name, "%s%s%.64s", kind, *name ? " " : "", name);
		block->line = draft->line + 1;
	}
	return take_text(text, draft, word + 2);
}

/* ---- Statements ---- */

static bool parse_size(size_t *size, const char *word)
{
	char *end;
	unsigned long value = word && *word >= '0' && *word <= '9' ? strtoul(word, &end, 10) : 0;

	*size = value;
	return value > 0 && *end == '\0';
}

static int take_type(struct tune_draft *draft, char *rest)
{
	static const struct scanrt_user_type initial = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_type *type = &draft->made->types[draft->made->type_count];
	const char *name = tune_next_word(&rest);

	if (draft->made->type_count == TUNE_TYPES_MAX)
		return tune_draft_fail(draft, draft->line, "there are more than %d types", TUNE_TYPES_MAX);
	if (name && tune_any_type(name))
		return tune_draft_fail(draft, draft->line, "%s is a built-in type", name);
	for (size_t i = 0; name && i < draft->made->type_count; i++)
		if (strcmp(draft->made->types[i].name, name) == 0)
			return tune_draft_fail(draft, draft->line, "there is a type %s already", name);
	*type = initial;
	type->name = name;
	if (!name || !parse_size(&type->bytes, tune_next_word(&rest)) ||
		!parse_size(&type->alignment, tune_next_word(&rest)))
		return tune_draft_fail(draft, draft->line, "a type has a name, a size and an alignment: type pair 8 4");
	draft->made->type_count++;
	return take_block(&type->text, draft, &rest, false, "type", name);
}

static int take_layout(struct tune_draft *draft, char *rest)
{
	struct tune_layout_words *layout = &draft->layouts[draft->layout_count];

	if (draft->layout_count == sizeof draft->layouts / sizeof draft->layouts[0])
		return tune_draft_fail(draft, draft->line, "there are too many layouts");
	layout->type = tune_next_word(&rest);
	layout->words = (struct tune_words){ rest, draft->line };
	if (layout->type == NULL)
		return tune_draft_fail(draft, draft->line, "a layout has the name of a type, and words");
	draft->layout_count++;
	return SCANRT_OK;
}

static int take_op(struct tune_draft *draft, char *rest)
{
	draft->op_name = tune_next_word(&rest);
	if (draft->op_name == NULL)
		return tune_draft_fail(draft, draft->line, "an operator has a name");
	return take_block(&draft->op_text, draft, &rest, false, "operator", draft->op_name);
}

static int take_load(struct tune_draft *draft, char *rest)
{
	return take_block(&draft->load_text, draft, &rest, true, "load conversion", "");
}

static int take_store(struct tune_draft *draft, char *rest)
{
	return take_block(&draft->store_text, draft, &rest, true, "store conversion", "");
}

static int take_tolerance(struct tune_draft *draft, char *rest)
{
	const char *word = tune_next_word(&rest);
	char *end = NULL;

	draft->made->tolerance = word ? strtod(word, &end) : 0;
	if (!word || *end || !(draft->made->tolerance > 0 && draft->made->tolerance < 1) || tune_next_word(&rest))
		return tune_draft_fail(draft, draft->line, "a tolerance is a number between 0 and 1");
	return SCANRT_OK;
}

static int take_mode(struct tune_draft *draft, char *rest)
{
	struct tune_described *made = draft->made;
	char *word;

	while ((word = tune_next_word(&rest)) != NULL) {
		int mode = strcmp(word, "exclusive") == 0 ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;

		if (mode == SCANRT_INCLUSIVE && strcmp(word, "inclusive") != 0)
			return tune_draft_fail(
				draft, draft->line, "\"%.40s\" is no mode: inclusive and exclusive are", word);
		if (made->mode_count == 2 || (made->mode_count == 1 && made->modes[0] == mode))
			return tune_draft_fail(draft, draft->line, "mode %s is there twice", word);
		made->modes[made->mode_count++] = mode;
	}
	made->has_modes = made->mode_count > 0;
	return made->has_modes ? SCANRT_OK : tune_draft_fail(draft, draft->line, "a mode is inclusive or exclusive");
}

/* Those without a function are read when the whole file is known; take_word ends with one word. */
static int take_statement(struct tune_draft *draft, const char *name, char *rest)
{
	const struct {
		const char *name;
		struct tune_words *words;
		int (*take)(struct tune_draft *draft, char *rest);
	} rows[] = {
		{ "type", NULL, take_type }, { "layout", NULL, take_layout },
		{ "input", &draft->roles[SRT_INPUT], NULL }, { "accumulator", &draft->roles[SRT_ACCUMULATOR], NULL },
		{ "output", &draft->roles[SRT_OUTPUT], NULL }, { "operator", &draft->op, take_op },
		{ "identity", &draft->identity, NULL }, { "commutative", &draft->commutative, NULL },
		{ "state", &draft->state, NULL }, { "load", &draft->load, take_load },
		{ "store", &draft->store, take_store }, { "initial", &draft->initial, NULL },
		{ "mode", &draft->mode, take_mode }, { "tolerance", &draft->tolerance, take_tolerance },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strcmp(rows[i].name, name) != 0)
			continue;
		if (rows[i].words && rows[i].words->line)
			return tune_draft_fail(draft, draft->line, "%s is there twice: first in line %d", name,
				rows[i].words->line);
		if (rows[i].words)
			*rows[i].words = (struct tune_words){ rest, draft->line };
		return rows[i].take ? rows[i].take(draft, rest) : SCANRT_OK;
	}
	return tune_draft_fail(draft, draft->line, "there is no statement \"%.40s\"", name);
}

int tune_draft_read(struct tune_draft *draft)
{
	int status = SCANRT_OK;
	char *line, *word;

	while (!status && (line = next_line(draft)) != NULL)
		if ((word = tune_next_word(&line)) != NULL)
			status = take_statement(draft, word, line);
	return status;
}

/* ---- Files ---- */

/* What the compiler, C strings and the wire would each take for an end. */
static int check_text(const char *name, const char *text, size_t length)
{
	if (memchr(text, '\0', length))
		return srt_fail(SCANRT_ERROR_TEXT, "%s: there is a byte 0 in it: it is no text", name);
	if (length > TUNE_PROBLEM_FILE_BYTES)
		return srt_fail(SCANRT_ERROR_TEXT, "%s: %zu bytes are too many: %zu are the most", name, length,
			TUNE_PROBLEM_FILE_BYTES);
	return SCANRT_OK;
}

/* Some editors mark UTF-8 so; it is no part of the first statement. */
static size_t byte_order_mark(const char *text, size_t length)
{
	return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static char *copy_of(const char *text, size_t length)
{
	char *copy = malloc(length + 1);

	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

int tune_described_parse(struct tune_described *described, const char *name, const char *text, size_t length)
{
	struct tune_draft draft = { .made = described, .name = name };
	int status = check_text(name, text, length);

	memset(described, 0, sizeof *described);
	if (status)
		return status;
	described->name = copy_of(name, strlen(name));
	described->text = copy_of(text, length);
	described->length = length;
	described->lines = copy_of(text, length);
	if (!described->lines || !described->text || !described->name)
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a problem");
	if (!status) {
		draft.rest = described->lines + byte_order_mark(text, length);
		status = tune_draft_read(&draft);
	}
	if (!status)
		status = tune_draft_finish(&draft);
	if (status)
		tune_described_free(described);
	else
		srt_error_clear(); /* what was no number was a type, and the like */
	return status;
}

/* A pipe is as good as a file. */
static int read_file(struct srt_strbuf *into, const char *path, size_t most)
{
	FILE *file = fopen(path, "rb");
	char piece[4096];
	size_t length;

	if (file == NULL)
		return srt_fail(SCANRT_ERROR_TEXT, "%s: %s", path, strerror(errno));
	while (into->length <= most && (length = fread(piece, 1, sizeof piece, file)) > 0)
		srt_strbuf_append_bytes(into, piece, length);
	if (ferror(file)) {
		fclose(file);
		return srt_fail(SCANRT_ERROR_TEXT, "%s: %s", path, strerror(errno));
	}
	fclose(file);
	return into->failed ? srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for %s", path) : SCANRT_OK;
}

int tune_described_open(struct tune_described *described, const char *path)
{
	struct srt_strbuf text = {0};
	int status = read_file(&text, path, TUNE_PROBLEM_FILE_BYTES);

	memset(described, 0, sizeof *described);
	if (!status)
		status = tune_described_parse(described, path, srt_strbuf_text(&text), text.length);
	srt_strbuf_free(&text);
	return status;
}

int tune_described_take_elements(struct tune_described *described, const char *path)
{
	size_t size = srt_problem_size(&described->problem, SRT_INPUT);
	struct srt_strbuf bytes = {0};
	int status = read_file(&bytes, path, ELEMENTS_BYTES_MAX);

	if (!status && (bytes.length == 0 || bytes.length % size != 0 || bytes.length > ELEMENTS_BYTES_MAX))
		status = srt_fail(SCANRT_ERROR_TEXT, "%s: %zu bytes are no array of 1 to %zu elements of %zu bytes",
			path, bytes.length, ELEMENTS_BYTES_MAX / size, size);
	if (status) {
		srt_strbuf_free(&bytes);
		return status;
	}
	described->elements = (unsigned char *)bytes.text;
	described->element_count = bytes.length / size;
	return SCANRT_OK;
}

int tune_described_copy_elements(struct tune_described *described, const void *elements, size_t bytes)
{
	described->elements = malloc(bytes);
	if (described->elements == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for elements");
	memcpy(described->elements, elements, bytes);
	described->element_count = bytes / srt_problem_size(&described->problem, SRT_INPUT);
	return SCANRT_OK;
}

void tune_described_free(struct tune_described *described)
{
	srt_problem_free(&described->problem);
	free(described->state);
	free(described->elements);
	srt_strbuf_free(&described->identity);
	srt_strbuf_free(&described->initial);
	free(described->lines);
	free(described->name);
	free(described->text);
	memset(described, 0, sizeof *described);
}
