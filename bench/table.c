/* SPDX-License-Identifier: MIT
 *
 * bench/table: see table.h.  Exit status: 0 every target is met, 1 one is missed, 2 something failed or a result is
 * wrong, 3 the time was up before the last row.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../tuner/lists.h"
#include "status.h"
#include "table.h"

#define SECONDS 150.0
#define QUICK_SECONDS 45.0
#define GRACE 1.25       /* times the budget after which no further row begins */
#define ROWS_MAX 1024

static const char usage_text[] =
	"usage: table [--quick] [--time 150s] [--only SECTIONS] [--types TYPES] [--device N|emu]\n"
	"             [--json FILE|-] [--results FOLDER] [--commit ID] [--judge] [--list] [--spoil]\n"
	"\n"
	"  --quick            the most telling rows, in 45 seconds\n"
	"  --time DURATION    what the rows share\n"
	"  --only SECTIONS    only these, separated by commas\n"
	"  --types TYPES      of their rows only those of these types, as the table has them\n"
	"  --json FILE        a line a row is added to it; -: to standard output, and no table\n"
	"  --results FOLDER   the same, into FOLDER/<gpu>/<date>-table.jsonl\n"
	"  --commit ID        for the key commit\n"
	"  --judge            targets count on an emulated device, too\n"
	"  --list             say what would be measured\n"
	"  --spoil            for tests: falsify a byte of each result before it is checked\n"
	"\n"
	"Exit status: 0 every target is met, 1 one is missed, 2 something failed or is wrong, 3 the time was up.\n";

/* ---- Options ---- */

static bool take(struct bench_options *options, int option, const char *value)
{
	switch (option) {
	case 'd': options->device = value; return true;
	case 'q': options->is_quick = true; return true;
	case 't': return tune_parse_seconds(&options->seconds, value);
	case 'o': options->only = value; return true;
	case 'T': options->types = value; return true;
	case 'j': options->json = value; return true;
	case 'r': options->results = value; return true;
	case 'c': options->commit = value; return true;
	case 'J': options->is_judged = true; return true;
	case 'l': options->is_list = true; return true;
	case 'S': options->is_spoiling = true; return true;
	default: return false;
	}
}

static bool parse_options(struct bench_options *options, int argc, char **argv)
{
	static const struct option known[] = {
		{ "device", required_argument, NULL, 'd' }, { "quick", no_argument, NULL, 'q' },
		{ "time", required_argument, NULL, 't' },   { "only", required_argument, NULL, 'o' },
		{ "types", required_argument, NULL, 'T' },
		{ "json", required_argument, NULL, 'j' },   { "results", required_argument, NULL, 'r' },
		{ "commit", required_argument, NULL, 'c' }, { "judge", no_argument, NULL, 'J' },
		{ "list", no_argument, NULL, 'l' },         { "spoil", no_argument, NULL, 'S' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 }
	};
	int option;

	*options = (struct bench_options){ .device = "0", .commit = getenv("SCANTUNE_COMMIT") };
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (!take(options, option, optarg)) {
			fputs(usage_text, option == 'h' ? stdout : stderr);
			exit(option == 'h' ? 0 : 2);
		}
	if (options->seconds <= 0)
		options->seconds = options->is_quick ? QUICK_SECONDS : SECONDS;
	return optind == argc;
}

/* Whether a list of words with commas between them has this one; NULL has all. */
static bool is_listed(const char *list, const char *word)
{
	const char *at = list;
	size_t length = strlen(word);

	while (at) {
		if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
			return true;
		at = strchr(at, ',');
		at = at ? at + 1 : NULL;
	}
	return list == NULL;
}

static bool is_wanted(const struct bench *bench, const char *section)
{
	return is_listed(bench->options.only, section);
}

/* ---- Rows ---- */

/* Of all types, not of scalars only; 0 for one that this library does not have. */
static int type_of(const char *name)
{
	for (int type = 1; type < SCANRT_TYPE_USER; type++)
		if (srt_type_name(type) && strcmp(srt_type_name(type), name) == 0)
			return type;
	return 0;
}

/* "i32", or "i8>i32>i32"; false for a type that this library does not have. */
static bool parse_types(struct scanrt_problem *problem, const char *text)
{
	int *codes[] = { &problem->input_type, &problem->accumulator_type, &problem->output_type };
	char copy[40], *rest = copy, *word;
	bool is_known = true;
	size_t used = 0;

	snprintf(copy, sizeof copy, "%s", text);
	while (used < 3 && (word = strsep(&rest, ">")) != NULL)
		is_known &= (*codes[used++] = type_of(word)) != 0;
	return is_known;
}

static uint64_t count_of(const struct bench *bench, const struct bench_point *point)
{
	return point->count < bench->most_count ? point->count : bench->most_count;
}

/* The next point of a family that is to be measured; on an emulated device, which bounds the counts, several become
 * one. */
static const struct bench_point *next_point(const struct bench *bench, const struct bench_point *point, uint64_t before)
{
	while (point->count &&
	       ((bench->options.is_quick && !point->is_quick) || count_of(bench, point) == before))
		point++;
	return point->count ? point : NULL;
}

/* One problem's rows: all its counts in one mode. */
static void add_rows(struct bench_row *rows, size_t *used, const struct bench *bench, const struct bench_family *family,
	const char *type, const struct scanrt_problem *published)
{
	const struct bench_point *point = next_point(bench, family->points, 0);
	struct bench_row row = { .family = family };
	size_t first = *used;

	snprintf(row.type, sizeof row.type, "%s", type);
	if (srt_problem_init(&row.problem, published)) {
		srt_error_clear(); /* an operator that the type does not take */
		return;
	}
	for (; point && *used < ROWS_MAX; point = next_point(bench, point + 1, row.count)) {
		row.point = point;
		row.count = count_of(bench, point);
		if (bench->is_modelled && !bench_fits(bench, &row.problem, row.count))
			row.count = bench->capacity / 2 / srt_problem_size(&row.problem, SRT_INPUT);
		srt_user_share(row.problem.user);
		rows[(*used)++] = row;
	}
	for (size_t i = first; i < *used; i++) {
		rows[i].least = rows[first].count;
		rows[i].most = rows[*used - 1].count;
	}
	srt_problem_free(&row.problem);
}

static void add_problem(struct bench_row *rows, size_t *used, const struct bench *bench,
	const struct bench_family *family, const char *type, const char *op)
{
	struct scanrt_problem published = SCANRT_PROBLEM_INIT;

	if (bench_user_find(type, op)) {
		bench_user_publish(&published, bench_user_find(type, op));
	} else if (!parse_types(&published, type) || srt_op_parse(&published.op, op) != SCANRT_OK) {
		srt_error_clear();
		return;
	}
	for (int mode = 0; mode <= (family->has_exclusive ? 1 : 0); mode++) {
		published.mode = mode ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;
		add_rows(rows, used, bench, family, type, &published);
	}
}

static void add_family(struct bench_row *rows, size_t *used, const struct bench *bench,
	const struct bench_family *family)
{
	char types[256], ops[128], *type, *op, *more_types = types;

	snprintf(types, sizeof types, "%s", family->types);
	while ((type = strsep(&more_types, " ")) != NULL) {
		char *more_ops = ops;

		if (!is_listed(bench->options.types, type))
			continue;
		snprintf(ops, sizeof ops, "%s", family->ops);
		while ((op = strsep(&more_ops, " ")) != NULL)
			add_problem(rows, used, bench, family, type, op);
	}
}

/* What a section has measured with other libraries beside it, the sum of i32 say, is not measured again in another. */
static bool is_repeated(const struct bench_row *rows, size_t count, const struct bench_row *row)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].type, row->type) == 0 && rows[i].problem.op == row->problem.op &&
		    rows[i].problem.is_exclusive == row->problem.is_exclusive && rows[i].count == row->count &&
		    rows[i].family->layout == row->family->layout && rows[i].family->flags == row->family->flags)
			return true;
	return false;
}

static size_t list_rows(struct bench_row *rows, const struct bench *bench)
{
	size_t used = 0, kept = 0;

	for (const struct bench_family *family = bench_families; family->section; family++)
		if (is_wanted(bench, family->section))
			add_family(rows, &used, bench, family);
	for (size_t i = 0; i < used; i++)
		if (is_repeated(rows, kept, &rows[i]))
			srt_problem_free(&rows[i].problem);
		else
			rows[kept++] = rows[i];
	return kept;
}

/* ---- Everything ---- */

static bool is_time_up(const struct bench *bench)
{
	double begun = bench->ends - bench->options.seconds;

	return tune_contest_now() > begun + GRACE * bench->options.seconds;
}

/* What ends one row does not end the run, unless the device is gone. */
static int outcome(struct bench *bench, int status, const char *what)
{
	if (status == SCANRT_OK)
		return SCANRT_OK;
	bench_note(bench, "%-29s FAILED: %s", what, srt_error_last()->text);
	bench->wrong_count++;
	return status == SCANRT_ERROR_DEVICE_LOST ? status : SCANRT_OK;
}

static int run_rows(struct bench *bench, const struct bench_row *rows, size_t count)
{
	const char *section = "";
	int status = SCANRT_OK;

	for (size_t i = 0; !status && i < count; i++) {
		const struct bench_row *row = &rows[i];
		char what[64];

		snprintf(what, sizeof what, "%s %s", srt_problem_op_name(&row->problem), row->type);
		if (strcmp(section, row->family->section) != 0)
			bench_print_section(bench, section = row->family->section);
		if (is_time_up(bench))
			bench->skipped++;
		else if (!bench_fits(bench, &row->problem, row->count))
			bench_note(bench, "%-29s not enough memory for 2 x %llu elements", what,
				(unsigned long long)row->count);
		else if (bench->options.is_list)
			bench_note(bench, "%-29s %llu%s", what, (unsigned long long)row->count,
				row->problem.is_exclusive ? " exclusive" : "");
		else
			status = outcome(bench, bench_run_row(bench, row), what);
	}
	return status;
}

static const struct {
	const char *section;
	int (*run)(struct bench *bench);
	double weight;
} specials[] = {
	{ "host", bench_run_host, 0 }, { "steps", bench_run_steps, 6 }, { "flat", bench_run_flat, 2 },
};

static int run_specials(struct bench *bench)
{
	int status = SCANRT_OK;

	for (size_t i = 0; !status && i < sizeof specials / sizeof specials[0]; i++) {
		if (!is_wanted(bench, specials[i].section) || bench->options.is_list)
			continue;
		bench_print_section(bench, specials[i].section);
		status = outcome(bench, specials[i].run(bench), specials[i].section);
	}
	return status;
}

static int run_all(struct bench *bench)
{
	struct bench_row *rows = calloc(ROWS_MAX, sizeof *rows);
	size_t count;
	int status;

	if (rows == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for the rows");
	count = list_rows(rows, bench);
	bench->weight_left = (double)count;
	for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
		if (is_wanted(bench, specials[i].section))
			bench->weight_left += specials[i].weight;
	/* The few that tell of the host and of all counts come first: they are never what time runs out on. */
	status = run_specials(bench);
	if (!status)
		status = run_rows(bench, rows, count);
	for (size_t i = 0; i < count; i++)
		srt_problem_free(&rows[i].problem);
	free(rows);
	return status;
}

/* ---- Results ---- */

/* "NVIDIA H200" is the folder h200. */
static void gpu_folder(char *folder, size_t size, const char *name)
{
	size_t used = 0;

	if (strncmp(name, "NVIDIA ", 7) == 0)
		name += 7;
	for (; *name && used + 1 < size; name++) {
		char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;

		folder[used++] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '-';
	}
	folder[used] = '\0';
}

static bool open_results(struct bench *bench)
{
	char gpu[64], date[32], path[4096];
	time_t now = time(NULL);
	struct tm utc;

	if (bench->options.json && strcmp(bench->options.json, "-") == 0) {
		bench->json = stdout;
		return true;
	}
	snprintf(path, sizeof path, "%s", bench->options.json ? bench->options.json : "");
	if (bench->options.results) {
		mkdir(bench->options.results, 0777);
		gpu_folder(gpu, sizeof gpu, bench->device.name);
		strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
		snprintf(path, sizeof path, "%s/%s", bench->options.results, gpu);
		mkdir(path, 0777);
		snprintf(path, sizeof path, "%s/%s/%s-table.jsonl", bench->options.results, gpu, date);
	}
	bench->json = path[0] ? fopen(path, "a") : NULL;
	if (path[0] && bench->json == NULL)
		fprintf(stderr, "table: %s: %s\n", path, strerror(errno));
	return !path[0] || bench->json;
}

int main(int argc, char **argv)
{
	struct bench *bench = calloc(1, sizeof *bench);
	int status, ended;

	if (bench == NULL || !parse_options(&bench->options, argc, argv)) {
		fputs(usage_text, stderr);
		return 2;
	}
	status = bench_open(bench);
	if (!status && !open_results(bench))
		return 2;
	if (!status) {
		bench_print_head(bench);
		bench->ends = tune_contest_now() + bench->options.seconds;
		status = run_all(bench);
	}
	ended = bench_finish(bench, status);
	if (bench->json && bench->json != stdout)
		fclose(bench->json);
	bench_close(bench);
	free(bench);
	return ended;
}
