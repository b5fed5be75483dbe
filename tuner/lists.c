/* SPDX-License-Identifier: MIT
 *
 * Lists and quantities on the command line.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heuristic.h"
#include "lists.h"
#include "problem.h"

#define TEXT_SIZE 256
#define BYTES_MAX   1e15
#define SECONDS_MAX 1e9 /* so that what is left of them, in seconds, is an int */

/* What is tuned when nothing is asked for.  A problem without a row of its own takes that of its type size and class
 * of operator, so these dozen cover the rest well. */
static const struct { int type, op; } default_targets[] = {
	{ SCANRT_I32, SCANRT_SUM },  { SCANRT_F32, SCANRT_SUM }, { SCANRT_I64, SCANRT_SUM }, { SCANRT_F64, SCANRT_SUM },
	{ SCANRT_I8, SCANRT_SUM },   { SCANRT_I16, SCANRT_SUM }, { SCANRT_F16, SCANRT_SUM }, { SCANRT_I32, SCANRT_MAX },
	{ SCANRT_F32, SCANRT_MAX },  { SCANRT_F64, SCANRT_MAX }, { SCANRT_F32, SCANRT_PROD }, { SCANRT_U32, SCANRT_OR },
};

/* strtod() alone would take blanks, signs and hexadecimal digits, too.  Where nothing is read, *end is the text. */
static double read_number(char **end, const char *text)
{
	size_t digits = strspn(text, "0123456789");

	*end = (char *)text;
	return digits == 0 || text[digits] == 'x' || text[digits] == 'X' ? 0 : strtod(text, end);
}

bool tune_parse_count(uint64_t *count, const char *text)
{
	static const struct { const char *suffix; double factor; } units[] = {
		{ "", 1 }, { "Ki", 1024 }, { "Mi", 1048576 }, { "Gi", 1073741824 },
		{ "k", 1e3 }, { "M", 1e6 }, { "G", 1e9 },
	};
	const char *power;
	char *end;
	double value = read_number(&end, text);

	if (end != text && *end == '^') {
		power = end + 1;
		value = pow(value, read_number(&end, power));
		/* A power that is missing makes the whole no count, and not the first power. */
		if (end == power)
			end = (char *)text;
	}
	for (size_t i = 0; end != text && i < sizeof units / sizeof units[0]; i++) {
		double scaled = value * units[i].factor;

		if (strcmp(end, units[i].suffix) == 0 && scaled >= 1 && scaled <= 0x1p52 && scaled == floor(scaled)) {
			*count = (uint64_t)scaled;
			return true;
		}
	}
	fprintf(stderr, "scantune: \"%s\" is no count: 1000, 1e6, 2^20, 64Ki and 1M are\n", text);
	return false;
}

bool tune_parse_seconds(double *seconds, const char *text)
{
	char *end;
	double value = read_number(&end, text);
	double factor = *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;

	if (*end == 'h' || *end == 'm' || *end == 's')
		end++;
	if (end == text || *end != '\0' || !(value > 0) || value * factor > SECONDS_MAX) {
		fprintf(stderr, "scantune: \"%s\" is no duration: 90, 90s, 10m and 1h are\n", text);
		return false;
	}
	*seconds = value * factor;
	return true;
}

bool tune_parse_bytes(int64_t *bytes, const char *text)
{
	char *end;
	double value = read_number(&end, text);
	double factor = *end == 'G' ? 1e9 : *end == 'M' ? 1e6 : *end == 'k' ? 1e3 : 1;

	if (factor > 1)
		end++;
	if (end == text || *end != '\0' || !(value * factor >= 1) || value * factor > BYTES_MAX) {
		fprintf(stderr, "scantune: \"%s\" is no size: 4000000, 4k, 4M and 1G are\n", text);
		return false;
	}
	*bytes = (int64_t)(value * factor);
	return true;
}

/* Calls `each` for every comma-separated word. */
static bool each_word(const char *list, bool (*each)(void *user, const char *word), void *user)
{
	char text[TEXT_SIZE];
	char *rest = text, *word;

	if (strlen(list) >= sizeof text) {
		fprintf(stderr, "scantune: a list of more than %d characters\n", TEXT_SIZE - 1);
		return false;
	}
	strcpy(text, list);
	while ((word = strsep(&rest, ",")) != NULL)
		if (!each(user, word))
			return false;
	return true;
}

static bool add_count(void *user, const char *word)
{
	struct tune_options *options = user;

	if (options->count_count == TUNE_CLASS_MAX) {
		fprintf(stderr, "scantune: --count takes at most %d counts, one a size class\n", TUNE_CLASS_MAX);
		return false;
	}
	return tune_parse_count(&options->counts[options->count_count++], word);
}

bool tune_parse_counts(struct tune_options *options, const char *list)
{
	options->count_count = 0;
	return each_word(list, add_count, options);
}

static bool add_mode(void *user, const char *word)
{
	struct tune_options *options = user;
	int mode = strcmp(word, "exclusive") == 0 ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;

	if (mode == SCANRT_INCLUSIVE && strcmp(word, "inclusive") != 0) {
		fprintf(stderr, "scantune: \"%s\" is no mode: inclusive and exclusive are\n", word);
		return false;
	}
	for (size_t i = 0; i < options->mode_count; i++)
		if (options->modes[i] == mode)
			return true;
	options->modes[options->mode_count++] = mode;
	return true;
}

bool tune_parse_modes(struct tune_options *options, const char *list)
{
	options->mode_count = 0;
	return each_word(list, add_mode, options);
}

/* ---- Types and operators ---- */

struct codes {
	int codes[32];
	size_t count;
};

static bool holds(const struct codes *codes, int code)
{
	for (size_t i = 0; i < codes->count; i++)
		if (codes->codes[i] == code)
			return true;
	return false;
}

static void add(struct codes *codes, int code)
{
	if (!holds(codes, code) && codes->count < sizeof codes->codes / sizeof codes->codes[0])
		codes->codes[codes->count++] = code;
}

static void list_names(int (*at)(int index), const char *(*name)(int code))
{
	for (int i = 0; at(i); i++)
		fprintf(stderr, " %s", name(at(i)));
	fputs("; --problem FILE states others\n", stderr);
}

static bool add_type(void *user, const char *word)
{
	int type;

	if (srt_type_parse(&type, word) != SCANRT_OK) {
		fprintf(stderr, "scantune: \"%s\" is no type; there are:", word);
		list_names(srt_type_at, srt_type_name);
		return false;
	}
	add(user, type);
	return true;
}

static bool add_op(void *user, const char *word)
{
	int op;

	if (srt_op_parse(&op, word) != SCANRT_OK) {
		fprintf(stderr, "scantune: \"%s\" is no operator; there are:", word);
		list_names(srt_op_at, srt_op_name);
		return false;
	}
	add(user, op);
	return true;
}

static bool has_target(const struct tune_options *options, int type, int op)
{
	for (size_t i = 0; i < options->target_count; i++)
		if (options->targets[i].type == type && options->targets[i].op == op)
			return true;
	return false;
}

static void add_target(struct tune_options *options, int type, int op)
{
	struct srt_problem problem;

	/* The type's own accumulator decides what the operator takes. */
	if (srt_problem_init_simple(&problem, type, op) != SCANRT_OK || has_target(options, type, op))
		return;
	if (options->target_count < TUNE_TARGET_MAX)
		options->targets[options->target_count++] = (struct tune_target){ .type = type, .op = op };
}

static void add_product(struct tune_options *options, const struct codes *types, const struct codes *ops)
{
	for (size_t op = 0; op < ops->count; op++)
		for (size_t type = 0; type < types->count; type++)
			add_target(options, types->codes[type], ops->codes[op]);
}

/* Those of the default problems that have one of the types (or operators), and for one that has none a stand-in: the
 * sum of the type, or the operator on i32. */
static void add_defaults(struct tune_options *options, const struct codes *types, const struct codes *ops)
{
	size_t before;

	for (size_t i = 0; i < sizeof default_targets / sizeof default_targets[0]; i++)
		if ((types->count == 0 || holds(types, default_targets[i].type)) &&
		    (ops->count == 0 || holds(ops, default_targets[i].op)))
			add_target(options, default_targets[i].type, default_targets[i].op);
	before = options->target_count;
	for (size_t i = 0; i < types->count; i++) {
		bool is_there = false;

		for (size_t j = 0; j < before; j++)
			is_there |= options->targets[j].type == types->codes[i];
		if (!is_there)
			add_target(options, types->codes[i], SCANRT_SUM);
	}
	for (size_t i = 0; i < ops->count; i++) {
		bool is_there = false;

		for (size_t j = 0; j < before; j++)
			is_there |= options->targets[j].op == ops->codes[i];
		if (!is_there)
			add_target(options, SCANRT_I32, ops->codes[i]);
	}
}

bool tune_parse_targets(struct tune_options *options, const char *types, const char *ops, bool is_all)
{
	struct codes type_codes = {0}, op_codes = {0};

	if ((types && !each_word(types, add_type, &type_codes)) || (ops && !each_word(ops, add_op, &op_codes)))
		return false;
	options->target_count = 0;
	for (int i = 0; is_all && !types && srt_type_at(i); i++)
		add(&type_codes, srt_type_at(i));
	for (int i = 0; is_all && !ops && srt_op_at(i); i++)
		add(&op_codes, srt_op_at(i));
	if (type_codes.count && op_codes.count)
		add_product(options, &type_codes, &op_codes);
	else
		add_defaults(options, &type_codes, &op_codes);
	if (options->target_count == 0)
		fprintf(stderr, "scantune: no operator of the list takes a type of the list\n");
	return options->target_count > 0;
}

void tune_add_reproducible(struct tune_options *options)
{
	size_t count = options->target_count;

	for (size_t i = 0; i < count && options->target_count < TUNE_TARGET_MAX; i++) {
		struct tune_target target = options->targets[i];
		struct srt_problem problem;

		target.is_reproducible = true;
		if (srt_problem_init_simple(&problem, target.type, target.op) == SCANRT_OK &&
			!srt_problem_is_exact(&problem))
			options->targets[options->target_count++] = target;
	}
}
