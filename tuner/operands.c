/* SPDX-License-Identifier: MIT
 *
 * The command of a command line, and what it takes.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "lists.h"
#include "options.h"
#include "problem.h"
#include "scanrt.h"
#include "spelling.h"

/* Either order: problems are called "sum i32", but options come as --type and --op; one word tells. */
static void take_problem(const char **types, const char **ops, char **words)
{
	int code;
	bool is_swapped = srt_op_parse(&code, words[0]) == SCANRT_OK || srt_type_parse(&code, words[1]) == SCANRT_OK;

	*types = words[is_swapped ? 1 : 0];
	*ops = words[is_swapped ? 0 : 1];
}

struct command {
	const char *name;
	int least, most; /* operands */
	const char *takes;
};

static const struct command commands[] = {
	{ "devices", 0, 0, "no operand" }, { "list", 0, 0, "no operand" },
	{ "show", 2, 2, "a type and an operator" }, { "bench", 0, 0, "no operand" },
	{ "compare", 0, 1, "at most one file" }, { "plot", 0, 1, "at most one file" },
	{ "why", 3, 3, "a type, an operator and a count" }, { "verify", 0, 0, "no operand" },
	{ "recheck", 0, 0, "no operand" }, { "export", 1, 1, "a file" }, { "import", 1, 1, "a file" },
	{ "diff", 2, 2, "two databases" }, { "vendor", 1, INT_MAX, "one text or more" },
	{ "prune", 0, 0, "no operand" }, { "doctor", 0, 0, "no operand" },
};

static const struct command *find(const char *name)
{
	struct tune_spelling spelling = { .word = name };

	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
		tune_spelling_try(&spelling, commands[i].name);
	fprintf(stderr, "scantune: there is no command \"%s\"%s%s%s; there are devices, list, show, why, verify, "
		"recheck, diff, bench, compare, plot, export, vendor, import, prune, doctor and help, and --device N "
		"to tune\n", name, spelling.best ? " (did you mean " : "", spelling.best ? spelling.best : "",
		spelling.best ? "?)" : "");
	return NULL;
}

static bool is_two_databases(const struct command *command)
{
	return strcmp(command->name, "diff") == 0;
}

bool tune_take_operands(struct tune_options *options, const char **types, const char **ops, bool has_problem, int argc,
	char **argv)
{
	const struct command *command = argc > 0 ? find(argv[0]) : NULL;
	bool is_stated;
	int count;

	if (command == NULL)
		return argc == 0;
	options->command = command->name;
	is_stated = has_problem && command->least >= 2 && !is_two_databases(command);
	count = argc - 1 + 2 * is_stated;
	if (count < command->least || count > command->most) {
		fprintf(stderr, "scantune: %s takes %s%s\n", argv[0], command->takes,
			is_stated ? ", of which --problem states the first two" : "");
		return false;
	}
	if (command->least == 3 && !tune_parse_counts(options, argv[argc - 1]))
		return false;
	options->operands = argv + 1;
	options->operand_count = (size_t)argc - 1;
	if (is_two_databases(command)) {
		options->file = argv[1];
		options->against = argv[2];
	} else if (command->least >= 2 && !is_stated) {
		take_problem(types, ops, argv + 1);
	} else if (command->most == 1 && argc == 2) {
		options->file = argv[1];
	}
	return true;
}
