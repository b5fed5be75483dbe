/* SPDX-License-Identifier: MIT
 *
 * The command line of scantune.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "lists.h"
#include "options.h"
#include "problem.h"
#include "scanrt.h"
#include "spelling.h"
#include "stated.h"

#define JOBS_MAX 64

enum {
	OPTION_DEVICE = 256, OPTION_QUICK, OPTION_THOROUGH, OPTION_TIME, OPTION_TYPE, OPTION_OP, OPTION_MODE,
	OPTION_COUNT, OPTION_ALL, OPTION_DB, OPTION_SYSTEM, OPTION_CODEGEN, OPTION_JOBS, OPTION_SEED, OPTION_RESTART,
	OPTION_DRY_RUN, OPTION_JSON, OPTION_QUIET, OPTION_VERBOSE, OPTION_VARIANT, OPTION_REPEAT, OPTION_COUNTERS,
	OPTION_SWEEP, OPTION_MARKDOWN, OPTION_VARY, OPTION_OUTPUT, OPTION_REQUIRE_QUIET, OPTION_KEEP,
	OPTION_WITH_IMAGES, OPTION_GAINS, OPTION_PROBLEM, OPTION_ELEMENTS,
	OPTION_CHECK_OPERATOR, OPTION_TEXT, OPTION_REPRODUCIBLE, OPTION_IMAGE, OPTION_MAX_SIZE, OPTION_SOURCES
};

#define BIT(option) (UINT64_C(1) << (OPTION_##option - OPTION_DEVICE))

static const struct option long_options[] = {
	{ "device", required_argument, NULL, OPTION_DEVICE }, { "quick", no_argument, NULL, OPTION_QUICK },
	{ "thorough", no_argument, NULL, OPTION_THOROUGH },   { "time", required_argument, NULL, OPTION_TIME },
	{ "type", required_argument, NULL, OPTION_TYPE },     { "op", required_argument, NULL, OPTION_OP },
	{ "mode", required_argument, NULL, OPTION_MODE },     { "count", required_argument, NULL, OPTION_COUNT },
	{ "all", no_argument, NULL, OPTION_ALL },             { "db", required_argument, NULL, OPTION_DB },
	{ "system", no_argument, NULL, OPTION_SYSTEM },       { "codegen", required_argument, NULL, OPTION_CODEGEN },
	{ "jobs", required_argument, NULL, OPTION_JOBS },     { "seed", required_argument, NULL, OPTION_SEED },
	{ "restart", no_argument, NULL, OPTION_RESTART },     { "dry-run", no_argument, NULL, OPTION_DRY_RUN },
	{ "json", no_argument, NULL, OPTION_JSON },           { "quiet", no_argument, NULL, OPTION_QUIET },
	{ "verbose", no_argument, NULL, OPTION_VERBOSE },     { "variant", required_argument, NULL, OPTION_VARIANT },
	{ "repeat", required_argument, NULL, OPTION_REPEAT }, { "counters", no_argument, NULL, OPTION_COUNTERS },
	{ "sweep", no_argument, NULL, OPTION_SWEEP },         { "markdown", no_argument, NULL, OPTION_MARKDOWN },
	{ "vary", required_argument, NULL, OPTION_VARY },
	{ "output", required_argument, NULL, OPTION_OUTPUT }, { "keep", required_argument, NULL, OPTION_KEEP },
	{ "require-quiet", no_argument, NULL, OPTION_REQUIRE_QUIET },
	{ "with-images", no_argument, NULL, OPTION_WITH_IMAGES }, { "gains", no_argument, NULL, OPTION_GAINS },
	{ "problem", required_argument, NULL, OPTION_PROBLEM },
	{ "elements", required_argument, NULL, OPTION_ELEMENTS },
	{ "check-operator", no_argument, NULL, OPTION_CHECK_OPERATOR }, { "text", no_argument, NULL, OPTION_TEXT },
	{ "reproducible", no_argument, NULL, OPTION_REPRODUCIBLE },
	{ "image", required_argument, NULL, OPTION_IMAGE },   { "max-size", required_argument, NULL, OPTION_MAX_SIZE },
	{ "sources", required_argument, NULL, OPTION_SOURCES },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },                { NULL, 0, NULL, 0 }
};

/* What is put together only when the whole line is known. */
struct pending {
	uint64_t seen; /* a bit for each OPTION_ */
	const char *types;
	const char *ops;
	const char *problem;
	const char *elements;
	bool has_modes;
	bool is_all;
	bool wants_help;
	bool wants_version;
};

const char *tune_effort_name(enum tune_effort effort)
{
	return effort == TUNE_QUICK ? "quick" : effort == TUNE_THOROUGH ? "thorough" : "normal";
}

static bool parse_number(uint64_t *number, const char *text, uint64_t low, uint64_t high)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && value >= low && value <= high) {
		*number = value;
		return true;
	}
	fprintf(stderr, "scantune: \"%s\" is no number from %llu to %llu\n", text, (unsigned long long)low,
		(unsigned long long)high);
	return false;
}

static bool parse_int(int *number, const char *text, int high)
{
	uint64_t value;

	if (!parse_number(&value, text, 1, (uint64_t)high))
		return false;
	*number = (int)value;
	return true;
}

static bool parse_codegen(int *codegen, const char *text)
{
	*codegen = strcmp(text, "ptx") == 0 ? SRT_CODEGEN_PTX : SRT_CODEGEN_SASS;
	if (*codegen == SRT_CODEGEN_PTX || strcmp(text, "sass") == 0)
		return true;
	fprintf(stderr, "scantune: \"%s\" is no way to make machine code: sass and ptx are\n", text);
	return false;
}

/* A variable of the shell that was not set must not become the user's own file. */
static bool take_database(struct tune_options *options, const char *value)
{
	options->database = value;
	if (*value == '\0')
		fputs("scantune: --db wants a path, not an empty text\n", stderr);
	return *value != '\0';
}

/* The options that are mere values. */
static bool take_value(struct tune_options *options, struct pending *pending, int option, const char *value)
{
	switch (option) {
	case OPTION_DEVICE: options->device = value; return true;
	case OPTION_TIME: return tune_parse_seconds(&options->seconds, value);
	case OPTION_TYPE: pending->types = value; return true;
	case OPTION_OP: pending->ops = value; return true;
	case OPTION_PROBLEM: pending->problem = value; return true;
	case OPTION_ELEMENTS: pending->elements = value; return true;
	case OPTION_MODE: pending->has_modes = true; return tune_parse_modes(options, value);
	case OPTION_COUNT: return tune_parse_counts(options, value);
	case OPTION_DB: return take_database(options, value);
	case OPTION_CODEGEN: return parse_codegen(&options->codegen, value);
	case OPTION_JOBS: return parse_int(&options->jobs, value, JOBS_MAX);
	case OPTION_SEED: return parse_number(&options->seed, value, 0, UINT64_MAX);
	case OPTION_KEEP: return parse_int(&options->keep, value, 1000000);
	case OPTION_MAX_SIZE: return tune_parse_bytes(&options->most_bytes, value);
	case OPTION_SOURCES: options->sources = value; return true;
	case OPTION_IMAGE: options->image = value; return true;
	case OPTION_OUTPUT: options->output = value; return true;
	case OPTION_VARY: options->vary = value; return true;
	case OPTION_VARIANT: options->variant = value; return true;
	case OPTION_REPEAT: return parse_int(&options->repeat, value, 1000000);
	default: return false;
	}
}

static bool take(struct tune_options *options, struct pending *pending, int option, const char *value)
{
	switch (option) {
	case OPTION_QUICK: options->effort = TUNE_QUICK; return true;
	case OPTION_THOROUGH: options->effort = TUNE_THOROUGH; return true;
	case OPTION_ALL: pending->is_all = true; return true;
	case OPTION_SYSTEM: options->is_system = true; return true;
	case OPTION_CHECK_OPERATOR: options->checks_operator = true; return true;
	case OPTION_RESTART: options->is_restart = true; return true;
	case OPTION_DRY_RUN: options->is_dry_run = true; return true;
	case OPTION_JSON: options->is_json = true; return true;
	case OPTION_QUIET: options->is_quiet = true; return true;
	case OPTION_VERBOSE: options->is_verbose = true; return true;
	case OPTION_COUNTERS: options->is_counting = true; return true;
	case OPTION_SWEEP: options->is_sweeping = true; return true;
	case OPTION_REQUIRE_QUIET: options->requires_quiet = true; return true;
	case OPTION_WITH_IMAGES: options->with_images = true; return true;
	case OPTION_GAINS: options->wants_gains = true; return true;
	case OPTION_TEXT: options->wants_text = true; return true;
	case OPTION_REPRODUCIBLE: options->is_reproducible = true; return true;
	case OPTION_MARKDOWN: options->is_markdown = true; return true;
	case 'h': pending->wants_help = true; return true;
	case 'V': pending->wants_version = true; return true;
	default: return take_value(options, pending, option, value);
	}
}

/* An option without effect would be taken for one that had its effect: "list --device 1" lists all devices. */
static uint64_t options_of(const char *command)
{
	const uint64_t json = BIT(JSON), database = BIT(DB) | BIT(SYSTEM);
	const uint64_t stated = BIT(PROBLEM) | BIT(ELEMENTS);
	const uint64_t work = BIT(DEVICE) | BIT(TYPE) | BIT(OP) | BIT(ALL) | BIT(MODE) | BIT(COUNT) | BIT(DB) |
		BIT(CODEGEN) | BIT(SEED) | json;
	const uint64_t drawing = BIT(SWEEP) | BIT(MARKDOWN) | BIT(VARY) | BIT(OUTPUT);
	const uint64_t again = (work & ~(BIT(ALL) | BIT(MODE) | BIT(COUNT))) | BIT(JOBS) | BIT(QUIET) | BIT(VERBOSE) |
		BIT(REQUIRE_QUIET) | BIT(SYSTEM) | stated;

	if (strcmp(command, "bench") == 0)
		return work | stated | BIT(VARIANT) | BIT(REPEAT) | BIT(COUNTERS) | BIT(REPRODUCIBLE);
	if (strcmp(command, "compare") == 0)
		return work | BIT(SWEEP) | BIT(MARKDOWN) | BIT(VARY);
	if (strcmp(command, "plot") == 0)
		return database | BIT(TYPE) | BIT(OP) | BIT(OUTPUT);
	if (strcmp(command, "tune") == 0)
		return ~(BIT(VARIANT) | BIT(REPEAT) | BIT(COUNTERS) | BIT(KEEP) | BIT(WITH_IMAGES) | BIT(GAINS) |
			BIT(TEXT) | BIT(IMAGE) | BIT(MAX_SIZE) | BIT(SOURCES) | drawing);
	if (strcmp(command, "verify") == 0 || strcmp(command, "recheck") == 0)
		return again;
	if (strcmp(command, "diff") == 0)
		return again & ~(BIT(DB) | BIT(SYSTEM));
	if (strcmp(command, "import") == 0)
		return again | BIT(WITH_IMAGES);
	if (strcmp(command, "export") == 0)
		return database | BIT(WITH_IMAGES) | BIT(TEXT) | BIT(IMAGE);
	if (strcmp(command, "vendor") == 0)
		return BIT(OUTPUT) | BIT(QUIET) | BIT(SOURCES);
	if (strcmp(command, "list") == 0)
		return json | database | BIT(GAINS);
	if (strcmp(command, "prune") == 0)
		return json | BIT(DB) | BIT(KEEP) | BIT(MAX_SIZE) | BIT(DRY_RUN);
	if (strcmp(command, "show") == 0 || strcmp(command, "why") == 0)
		return json | database | BIT(PROBLEM) | BIT(REPRODUCIBLE);
	return strcmp(command, "devices") == 0 ? json : json | database;
}

static bool check_options(const char *command, uint64_t seen)
{
	uint64_t refused = seen & ~options_of(command);

	for (const struct option *option = long_options; refused && option->name; option++) {
		if (option->val < OPTION_DEVICE || !(refused & UINT64_C(1) << (option->val - OPTION_DEVICE)))
			continue;
		fprintf(stderr, "scantune: --%s is no option of %s\n", option->name,
			strcmp(command, "tune") == 0 ? "a tuning run" : command);
		return false;
	}
	return true;
}

static void set_defaults(struct tune_options *options)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	memset(options, 0, sizeof *options);
	options->command = "tune";
	options->effort = TUNE_NORMAL;
	options->modes[0] = SCANRT_INCLUSIVE;
	options->modes[1] = SCANRT_EXCLUSIVE;
	options->mode_count = 2;
	options->jobs = cpus < 1 ? 1 : cpus > 16 ? 16 : (int)cpus;
	options->seed = 1;
	options->repeat = 1;
	options->keep = 2;
}

static void keep_line(struct tune_options *options, int argc, char **argv)
{
	size_t used = 0;

	for (int i = 1; i < argc && used + strlen(argv[i]) + 2 < sizeof options->line; i++)
		used += (size_t)sprintf(options->line + used, "%s%s", i > 1 ? " " : "", argv[i]);
}

/* What makes sense only with the whole line read.  One problem is compared unless more are asked for: the one that all
 * books have. */
static bool finish_drawing(struct tune_options *options, const struct pending *pending)
{
	bool is_plot = strcmp(options->command, "plot") == 0;

	if (is_plot && options->output == NULL) {
		fputs("scantune: plot wants -o FILE.svg or -o FILE.png\n", stderr);
		return false;
	}
	if (!is_plot && options->file && !options->is_markdown) {
		fputs("scantune: compare measures; with --markdown, it makes a table of the lines in a file\n", stderr);
		return false;
	}
	if (pending->is_all)
		return tune_parse_targets(options, pending->types, pending->ops, true);
	return tune_parse_targets(options, pending->types ? pending->types : "i32", pending->ops ? pending->ops : "sum",
		false);
}

/* A problem of a file, in the place of types and operators. */
static bool finish_stated(struct tune_options *options, const struct pending *pending)
{
	bool names_both = pending->types || pending->ops || pending->is_all;

	if (pending->problem == NULL || names_both) {
		fputs(names_both ? "scantune: a problem is stated by --problem or by --type and --op\n" :
			"scantune: --elements and --check-operator are for a --problem\n", stderr);
		return false;
	}
	return tune_take_problem(options, pending->problem, pending->elements, pending->has_modes);
}

/* What goes through the tuner's search, but over what is known already. */
static void finish_task(struct tune_options *options)
{
	static const struct { const char *command; enum tune_task task; } tasks[] = {
		{ "verify", TUNE_TASK_VERIFY }, { "recheck", TUNE_TASK_RECHECK }, { "import", TUNE_TASK_IMPORT },
		{ "diff", TUNE_TASK_DIFF } };

	for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
		if (strcmp(options->command, tasks[i].command) == 0) {
			options->task = tasks[i].task;
			options->effort = TUNE_QUICK;
		}
}

static bool finish(struct tune_options *options, const struct pending *pending)
{
	bool is_tuning = strcmp(options->command, "tune") == 0;
	bool is_drawing = strcmp(options->command, "compare") == 0 || strcmp(options->command, "plot") == 0;

	if (!check_options(options->command, pending->seen))
		return false;
	if (is_tuning && options->device == NULL) {
		fputs(pending->seen ? "scantune: --device N|emu names what to tune; --help has the other commands\n" :
			tune_usage_text, stderr);
		return false;
	}
	if (options->device == NULL)
		options->device = "0";
	finish_task(options);
	if (strcmp(options->command, "vendor") == 0 && options->output == NULL) {
		fputs("scantune: vendor wants -o FILE\n", stderr);
		return false;
	}
	if (options->wants_text + options->with_images + (options->image != NULL) > 1) {
		fputs("scantune: --text, --with-images and --image are three different files\n", stderr);
		return false;
	}
	if (options->is_system && options->database && !is_tuning && options->task == TUNE_TASK_TUNE) {
		fprintf(stderr, "scantune: --db and --system name two databases\n");
		return false;
	}
	if (!is_tuning && !pending->has_modes && options->task == TUNE_TASK_TUNE)
		options->mode_count = 1;
	if (is_drawing)
		return finish_drawing(options, pending);
	if (pending->problem || pending->elements || options->checks_operator)
		return finish_stated(options, pending);
	if (!is_tuning && strcmp(options->command, "bench") != 0 && pending->types == NULL)
		return true;
	if (!tune_parse_targets(options, pending->types, pending->ops, pending->is_all))
		return false;
	if (is_tuning && (options->is_reproducible || options->effort != TUNE_QUICK))
		tune_add_reproducible(options);
	return true;
}

/* Once getopt has said what is wrong.  What several options begin with is not misspelt. */
static void tell_spelling(const char *argument)
{
	char word[64] = "";
	struct tune_spelling spelling = { .word = word };

	if (optopt != 0 || strncmp(argument, "--", 2) != 0)
		return;
	snprintf(word, sizeof word, "%.*s", (int)strcspn(argument + 2, "="), argument + 2);
	for (const struct option *option = long_options; option->name; option++) {
		if (strncmp(word, option->name, strlen(word)) == 0)
			return;
		tune_spelling_try(&spelling, option->name);
	}
	if (spelling.best)
		fprintf(stderr, "scantune: did you mean --%s?\n", spelling.best);
	else
		fputs("scantune: --help has all options\n", stderr);
}

bool tune_options_parse(struct tune_options *options, int *exit_status, int argc, char **argv)
{
	struct pending pending = {0};
	int option;

	set_defaults(options);
	keep_line(options, argc, argv);
	*exit_status = TUNE_EXIT_USAGE;
	while ((option = getopt_long(argc, argv, "hVo:", long_options, NULL)) != -1) {
		option = option == 'o' ? OPTION_OUTPUT : option;
		if (option == '?')
			tell_spelling(argv[optind - 1]);
		if (!take(options, &pending, option, optarg))
			return false;
		if (option >= OPTION_DEVICE)
			pending.seen |= UINT64_C(1) << (option - OPTION_DEVICE);
	}
	pending.wants_help |= argc - optind == 1 && strcmp(argv[optind], "help") == 0;
	if (pending.wants_help || pending.wants_version) {
		*exit_status = TUNE_EXIT_COMPLETE;
		if (pending.wants_help)
			printf("%s%s", tune_usage_text, tune_help_text);
		else
			printf("scantune %d.%d.%d\n", SCANRT_VERSION_MAJOR, SCANRT_VERSION_MINOR, SCANRT_VERSION_PATCH);
		return false;
	}
	return tune_take_operands(options, &pending.types, &pending.ops, pending.problem != NULL, argc - optind,
		       argv + optind) &&
	       finish(options, &pending);
}
