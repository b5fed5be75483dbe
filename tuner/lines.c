/* SPDX-License-Identifier: MIT
 *
 * Result lines, read back.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"

#define LEAST_POWER 16 /* of two: smaller counts read better as they are */

/* ---- Reading ---- */

/* Where the value of a key begins; NULL where the line has no such key.  Our own lines nest nothing and have no key
 * inside a text. */
static const char *value_of(const char *text, const char *key)
{
	char pattern[40];
	const char *at;

	snprintf(pattern, sizeof pattern, "\"%s\":", key);
	at = strstr(text, pattern);
	return at ? at + strlen(pattern) : NULL;
}

static void read_text(char *to, size_t size, const char *text, const char *key)
{
	const char *at = value_of(text, key);
	size_t used = 0;

	to[0] = '\0';
	if (at == NULL || *at++ != '"')
		return;
	for (; *at && *at != '"' && used + 1 < size; at++) {
		if (*at == '\\' && at[1])
			at++;
		to[used++] = *at;
	}
	to[used] = '\0';
}

static double read_number(const char *text, const char *key)
{
	const char *at = value_of(text, key);

	return at ? strtod(at, NULL) : 0;
}

static void read_texts(struct tune_line *line, const char *text)
{
	read_text(line->gpu, sizeof line->gpu, text, "gpu");
	read_text(line->type, sizeof line->type, text, "type");
	read_text(line->op, sizeof line->op, text, "op");
	read_text(line->mode, sizeof line->mode, text, "mode");
	read_text(line->layout, sizeof line->layout, text, "layout");
	read_text(line->variant, sizeof line->variant, text, "variant");
	read_text(line->origin, sizeof line->origin, text, "origin");
	read_text(line->row, sizeof line->row, text, "row");
	read_text(line->kind, sizeof line->kind, text, "kind");
	read_text(line->peer, sizeof line->peer, text, "peer");
}

bool tune_line_parse(struct tune_line *line, const char *text)
{
	const char *modelled = value_of(text, "is_modelled");

	memset(line, 0, sizeof *line);
	if (text[0] != '{')
		return false;
	read_texts(line, text);
	line->count = (uint64_t)read_number(text, "count");
	line->items = (int)read_number(text, "items");
	line->launches = (int)read_number(text, "launches");
	line->us = read_number(text, "us");
	line->low_us = read_number(text, "low_us");
	line->high_us = read_number(text, "high_us");
	line->copy_us = read_number(text, "copy_us");
	line->share = read_number(text, "share");
	line->peer_us = read_number(text, "peer_us");
	line->ratio = read_number(text, "ratio");
	line->words = read_number(text, "words");
	line->rate = read_number(text, "gb_per_s");
	line->times_slowest = read_number(text, "times_slowest");
	line->is_modelled = modelled && strncmp(modelled, "true", 4) == 0;
	return line->us > 0 && line->count > 0;
}

struct tune_line *tune_lines_read(size_t *count, FILE *file)
{
	struct tune_line *lines = malloc(sizeof *lines), *grown;
	char *text = NULL;
	size_t room = 0;

	*count = 0;
	while (lines && getline(&text, &room, file) > 0) {
		if (!tune_line_parse(&lines[*count], text))
			continue;
		grown = realloc(lines, (++*count + 1) * sizeof *lines);
		if (grown == NULL)
			free(lines);
		lines = grown;
	}
	free(text);
	return lines;
}

/* ---- Markdown ---- */

void tune_format_count(char *text, size_t size, uint64_t count)
{
	int power = 0;

	while (power < 63 && count >> power > 1)
		power++;
	if (power >= LEAST_POWER && count == UINT64_C(1) << power) {
		snprintf(text, size, "2^%d", power);
		return;
	}
	for (power = 3; power < 19; power++) {
		uint64_t unit = 1;

		for (int i = 0; i < power; i++)
			unit *= 10;
		if (count == unit) {
			snprintf(text, size, "1e%d", power);
			return;
		}
	}
	snprintf(text, size, "%" PRIu64, count);
}

void tune_line_print_markdown_head(void)
{
	printf("\n| | launches | words | µs | GB/s | of the copy | × the slowest | variant |\n"
	       "|---|---|---|---|---|---|---|---|\n");
}

static void print_name(const struct tune_line *line)
{
	if (strcmp(line->kind, "taught") == 0)
		printf("| %s, %d item%s a thread ", line->row, line->items, line->items == 1 ? "" : "s");
	else if (strcmp(line->kind, "tuned") == 0 || strcmp(line->kind, "tried") == 0)
		printf("| %s, at its best ", line->row);
	else
		printf("| %s ", line->row);
}

void tune_line_print_markdown(const struct tune_line *line)
{
	print_name(line);
	printf("| %d | ", line->launches);
	if (line->words > 0)
		printf("%.3g", line->words);
	printf(" | %.2f | %.0f | %.2f | %.2f | ", line->us, line->rate, line->share, line->times_slowest);
	if (line->variant[0])
		printf("`%s`", line->variant);
	puts(" |");
}

/* A case of bench or bench/table. */
static void print_case(const struct tune_line *line)
{
	bool is_plain = strcmp(line->layout, "contiguous") == 0;
	char count[32];

	tune_format_count(count, sizeof count, line->count);
	printf("| %s %s%s%s%s | %s | %.2f | ", line->op, line->type,
		strcmp(line->mode, "exclusive") == 0 ? " exclusive" : "", is_plain ? "" : ", ",
		is_plain ? "" : line->layout, count, line->us);
	if (line->share > 0)
		printf("%.3f", line->share);
	printf(" | ");
	if (line->peer[0])
		printf("%s: %.2f µs, %.2f ×", line->peer, line->peer_us, line->ratio);
	printf(" | `%s` |\n", line->variant);
}

/* Lines of one table follow each other. */
static bool belongs(const struct tune_line *line, const struct tune_line *before)
{
	bool is_comparison = line->row[0] != '\0';

	if (strcmp(line->gpu, before->gpu) != 0 || is_comparison != (before->row[0] != '\0'))
		return false;
	return !is_comparison || (strcmp(line->type, before->type) == 0 && strcmp(line->op, before->op) == 0 &&
		strcmp(line->mode, before->mode) == 0 && line->count == before->count);
}

static void print_title(const struct tune_line *line)
{
	char count[32];

	if (line->row[0]) {
		tune_format_count(count, sizeof count, line->count);
		printf("\n%s %s of %s elements on %s%s\n", line->op, line->type, count, line->gpu,
			line->is_modelled ? " (modelled)" : "");
		tune_line_print_markdown_head();
	} else {
		printf("\n%s\n\n| case | count | µs | of the copy | peer | variant |\n|---|---|---|---|---|---|\n",
			line->gpu);
	}
}

void tune_lines_print_markdown(const struct tune_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || !belongs(&lines[i], &lines[i - 1]))
			print_title(&lines[i]);
		if (lines[i].row[0])
			tune_line_print_markdown(&lines[i]);
		else
			print_case(&lines[i]);
	}
}
