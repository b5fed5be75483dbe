/* SPDX-License-Identifier: MIT
 *
 * The table of knobs in scanrt-variant(5) says what the library does: which knobs there are, with which values and
 * defaults, and which strategies have them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strategy.h"
#include "tests/tap.h"
#include "variant.h"

#define STRATEGIES 32 /* more than there are */

struct row {
	char knob[32];
	char values[160];
	char defaults[80];
	char owners[160];
};

/* Rows look so: .It Cm block Ta 32 to 1024 Ta 256 Ta all strategies */
static bool read_row(struct row *row, const char *line)
{
	return sscanf(line, ".It Cm %31s Ta %159[^\n]", row->knob, row->values) == 2 && strstr(row->values, " Ta ");
}

static void split(struct row *row)
{
	char *second = strstr(row->values, " Ta ");
	char *third = strstr(second + 4, " Ta ");

	*second = '\0';
	snprintf(row->owners, sizeof(row->owners), "%s", third ? third + 4 : "");
	if (third)
		*third = '\0';
	snprintf(row->defaults, sizeof(row->defaults), "%s", second + 4);
}

/* Whether one of the words, with commas between them, is the name. */
static bool names(const char *words, const char *name)
{
	size_t length = strlen(name);
	const char *at = words;

	while ((at = strstr(at, name)) != NULL) {
		bool begins = at == words || at[-1] == ' ';

		if (begins && (at[length] == '\0' || at[length] == ',' || at[length] == ' '))
			return true;
		at += length;
	}
	return false;
}

static bool is_said_to_have(const struct row *row, const char *strategy)
{
	if (strcmp(row->owners, "all strategies") == 0)
		return true;
	if (strncmp(row->owners, "all but ", 8) == 0)
		return !names(row->owners + 8, strategy);
	return names(row->owners, strategy);
}

static void value_text(char text[32], const struct srt_knob *knob, int value)
{
	if (knob->values)
		snprintf(text, 32, "%s", knob->values[value - knob->least]);
	else
		snprintf(text, 32, "%d", value);
}

static void check_values(const struct row *row, const struct srt_knob *knob)
{
	char range[32];
	int value;

	if (!knob->values) {
		snprintf(range, sizeof(range), "%d to %d", knob->least, knob->most);
		tap_is_string(row->values, range, "the range of %s is right", row->knob);
		return;
	}
	for (value = knob->least; value <= knob->most; value++)
		tap_ok(names(row->values, knob->values[value - knob->least]), "%s=%s is there", row->knob,
			knob->values[value - knob->least]);
}

static void check_strategies(const struct row *row, const struct srt_knob *knob)
{
	char text[32];
	int strategy;

	for (strategy = 1; strategy < STRATEGIES; strategy++) {
		const char *name = srt_strategy_name(strategy);
		int value;

		if (!name)
			continue;
		value = srt_knob_default(knob, strategy);
		tap_ok(is_said_to_have(row, name) == (value != 0), "whether %s has %s is right", name, row->knob);
		if (!value)
			continue;
		value_text(text, knob, value);
		tap_ok(names(row->defaults, text), "the default %s=%s of %s is there", row->knob, text, name);
	}
}

int main(void)
{
	const char *folder = getenv("top_srcdir");
	char path[4096], line[512];
	struct row row;
	size_t rows = 0, knobs = 0;
	FILE *file;

	tap_plan(0);
	snprintf(path, sizeof(path), "%s/man/scanrt-variant.5", folder ? folder : ".");
	file = fopen(path, "r");
	if (!file)
		tap_bail_out("cannot read %s", path);
	while (fgets(line, sizeof(line), file)) {
		const struct srt_knob *knob;

		if (!read_row(&row, line))
			continue;
		split(&row);
		knob = srt_knob_find(row.knob);
		tap_ok(knob != NULL, "there is a knob %s", row.knob);
		if (!knob)
			continue;
		rows++;
		check_values(&row, knob);
		check_strategies(&row, knob);
	}
	fclose(file);
	while (srt_knobs[knobs].name)
		knobs++;
	tap_is_uint(rows, knobs, "every knob has its row");
	return tap_done();
}
