/* SPDX-License-Identifier: MIT
 *
 * scantune why: the finalists side by side, and the rule that decided between them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "db.h"
#include "fixed_order.h"
#include "image.h"
#include "json.h"
#include "problem.h"
#include "record.h"
#include "stated.h"
#include "status.h"
#include "tune.h"

#define LOSERS_MAX 10 /* lines of those that were in no finals */

struct why {
	const struct tune_options *options;
	char device[128]; /* the one whose rows are being printed */
	size_t rows;
	size_t stale;     /* choices that are of other kernels */
	size_t losers;    /* of this device */
	size_t failures;
	struct tune_columns columns;
};

static void print_json(const struct srt_db_rival *rival)
{
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "device", rival->device);
	tune_json_text(&out, "class", rival->klass);
	tune_json_integer(&out, "count", (long long)rival->count);
	tune_json_text(&out, "variant", rival->variant);
	tune_json_boolean(&out, "is_chosen", rival->is_chosen);
	tune_json_text(&out, "status", rival->status);
	tune_json_text(&out, "stage", rival->stage);
	tune_json_number(&out, "us", rival->us);
	tune_json_number(&out, "low_us", rival->low_us);
	tune_json_number(&out, "high_us", rival->high_us);
	tune_json_number(&out, "ratio", rival->ratio);
	tune_json_number(&out, "low_ratio", rival->low_ratio);
	tune_json_number(&out, "high_ratio", rival->high_ratio);
	tune_json_integer(&out, "samples", rival->samples);
	tune_json_integer(&out, "registers", rival->registers);
	tune_json_integer(&out, "clock_mhz", rival->clock_mhz);
	tune_json_text(&out, "reason", rival->reason);
	tune_json_print(&out);
}

static void interval(char *text, size_t size, const char *format, double low, double high)
{
	text[0] = '\0';
	if (low > 0 && low < high)
		snprintf(text, size, format, low, high);
}

static void print_row(const struct why *why, const struct srt_db_rival *rival)
{
	bool is_out = !rival->is_chosen && strcmp(rival->status, "ok") != 0;
	char times[40], ratios[40];

	interval(times, sizeof times, "%.3f to %.3f", rival->low_us, rival->high_us);
	interval(ratios, sizeof ratios, "%.3f to %.3f", rival->low_ratio, rival->high_ratio);
	printf("%c %-*s %10.3f  %-20s %7.3f  %-16s %4d %7d  %s%s%s\n", rival->is_chosen ? '*' : ' ',
		why->columns.variant, rival->variant,
		rival->us, times, rival->ratio, ratios, rival->registers, rival->samples,
		is_out ? rival->status : rival->is_chosen ? "chosen" : rival->stage, is_out ? ": " : "",
		is_out ? rival->reason : "");
}

static void end_device(const struct why *why)
{
	if (why->losers > LOSERS_MAX)
		printf("  and %zu more that were slower\n", why->losers - LOSERS_MAX);
	if (why->failures)
		printf("  and %zu that could not be used; \"scantune why --json\" and the view failures have them\n",
			why->failures);
}

/* The winner comes first, and with it the rule. */
static void begin_device(struct why *why, const struct srt_db_rival *rival)
{
	if (why->device[0])
		end_device(why);
	printf("%s%s%s: class %s, measured at %" PRIu64 "\n", why->device[0] ? "\n" : "", rival->device,
		rival->is_modelled ? " (modelled)" : "", rival->klass, rival->count);
	printf("decided: %s\n\n", rival->reason);
	printf("  %-*s %10s  %-20s %7s  %-16s %4s %7s\n", why->columns.variant, "variant", "us",
		"95 % interval", "ratio", "95 % interval", "regs", "samples");
	snprintf(why->device, sizeof why->device, "%s", rival->device);
	why->losers = why->failures = 0;
}

static int take(void *user, const struct srt_db_rival *rival)
{
	struct why *why = user;

	why->rows++;
	if (why->options->is_json) {
		print_json(rival);
		return 0;
	}
	if (strcmp(why->device, rival->device) != 0)
		begin_device(why, rival);
	if (rival->us <= 0)
		why->failures++;
	else if (rival->is_chosen || strcmp(rival->stage, "final") == 0 || why->losers++ < LOSERS_MAX)
		print_row(why, rival);
	return 0;
}

static int fit(void *user, const struct srt_db_rival *rival)
{
	struct why *why = user;

	if (rival->us > 0)
		tune_columns_fit(&why->columns, "", rival->variant);
	return 0;
}

static void print_stale_json(const struct srt_db_choice *choice, const char *device)
{
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "device", device);
	tune_json_text(&out, "class", choice->klass);
	tune_json_integer(&out, "count", (long long)choice->count);
	tune_json_text(&out, "variant", choice->variant);
	tune_json_text(&out, "status", "stale");
	tune_json_text(&out, "kernels", choice->source_hash);
	tune_json_text(&out, "kernels_now", srt_source_hash());
	tune_json_text(&out, "tuned_at", choice->tuned_at);
	tune_json_print(&out);
}

/* Where there is no choice to explain: what was chosen once, and why that is no longer used. */
static int take_stale(void *user, const struct srt_db_choice *choice, const char *device)
{
	struct why *why = user;

	if (strcmp(choice->source_hash, srt_source_hash()) == 0)
		return 0;
	if (why->options->is_json) {
		print_stale_json(choice, device);
	} else {
		if (why->stale == 0)
			printf("the choices for %s are stale: the kernels have changed since, and these are not used\n"
				"until scantune --device N tunes them again:\n", choice->problem);
		printf("  %-7s %s, chosen %s on %s with kernels %.8s, now %.8s\n", choice->klass, choice->variant,
			choice->tuned_at, device, choice->source_hash, srt_source_hash());
	}
	why->stale++;
	return 0;
}

/* *has_rows: something was printed; of_stale: choices that are not used, in place of those that are. */
static int explain(bool *has_rows, const struct tune_options *options, const char *path, const char *problem,
	bool of_stale)
{
	struct why why = { .options = options, .columns = TUNE_COLUMNS_INIT };
	struct srt_db *db = NULL;
	int status = srt_db_open(&db, path, SRT_DB_READ);

	if (status == SCANRT_OK && of_stale)
		status = srt_db_each_choice(db, problem, take_stale, &why);
	if (status == SCANRT_OK && !of_stale)
		status = srt_db_each_rival(db, srt_source_hash(), problem, options->counts[0], fit, &why);
	if (status == SCANRT_OK && !of_stale)
		status = srt_db_each_rival(db, srt_source_hash(), problem, options->counts[0], take, &why);
	srt_db_close(db);
	*has_rows = why.rows + why.stale > 0;
	if (status != SCANRT_OK) {
		fprintf(stderr, "scantune: %s\n", srt_error_last()->text);
		return TUNE_EXIT_DATABASE;
	}
	if (why.device[0])
		end_device(&why);
	return TUNE_EXIT_COMPLETE;
}

/* Where no file is named, those that scans look at, in their order: the first that has the problem tells. */
static int explain_any(bool *has_rows, const struct tune_options *options, const char *problem, bool of_stale)
{
	static void (*const places[])(struct srt_strbuf *) = { srt_db_user_path, srt_db_system_path,
		srt_db_vendor_path };
	int status = TUNE_EXIT_COMPLETE;

	*has_rows = false;
	for (size_t i = 0; i < sizeof places / sizeof places[0] && !*has_rows; i++) {
		struct srt_strbuf path = {0};

		places[i](&path);
		if (path.length > 0 && access(srt_strbuf_text(&path), F_OK) == 0 &&
			explain(has_rows, options, srt_strbuf_text(&path), problem, of_stale) != TUNE_EXIT_COMPLETE)
			status = TUNE_EXIT_DATABASE;
		if (*has_rows && !options->is_json)
			printf("\nof %s\n", srt_strbuf_text(&path));
		srt_strbuf_free(&path);
	}
	return status;
}

int tune_command_why(const struct tune_options *options)
{
	const char *named = options->database ? options->database : getenv("SCANRT_DB");
	struct srt_strbuf name = {0}, path = {0};
	struct srt_problem problem;
	bool has_rows = false, is_named;
	int status = TUNE_EXIT_DATABASE;

	if (tune_problem_of(&problem, options, &options->targets[0], SCANRT_INCLUSIVE) != SCANRT_OK)
		return TUNE_EXIT_USAGE;
	tune_problem_name(&name, &problem, options->is_reproducible);
	is_named = (named && *named) || options->is_system;
	if (!is_named || tune_database_path(&path, options, false))
		status = TUNE_EXIT_COMPLETE;
	for (int of_stale = 0; of_stale < 2 && !has_rows && status == TUNE_EXIT_COMPLETE; of_stale++)
		status = is_named ? explain(&has_rows, options, srt_strbuf_text(&path), srt_strbuf_text(&name),
			of_stale) : explain_any(&has_rows, options, srt_strbuf_text(&name), of_stale);
	if (status == TUNE_EXIT_COMPLETE && !has_rows && !options->is_json)
		printf("nothing is tuned for %s%s%s: scans use what is compiled in, or what is tuned for a problem "
			"like it\n", srt_strbuf_text(&name), path.length ? " in " : "", srt_strbuf_text(&path));
	srt_strbuf_free(&name);
	srt_strbuf_free(&path);
	return status;
}
