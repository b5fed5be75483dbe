/* SPDX-License-Identifier: MIT
 *
 * scantune list and show: what is in the database.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "db.h"
#include "fixed_order.h"
#include "gains.h"
#include "image.h"
#include "json.h"
#include "problem.h"
#include "record.h"
#include "stated.h"
#include "status.h"
#include "tune.h"

struct listing {
	const struct tune_options *options;
	bool is_detailed;
	size_t rows;
	char device[160];
	struct tune_columns columns;
	struct tune_gains gains; /* where only these are asked for */
};

static double rate_of(const struct srt_db_choice *choice)
{
	return (double)choice->count * choice->moved_bytes / choice->us * 1e-3;
}

static bool is_stale(const struct srt_db_choice *choice)
{
	return strcmp(choice->source_hash, srt_source_hash()) != 0;
}

static void print_json(const struct srt_db_choice *choice, const char *device)
{
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "device", device);
	tune_json_text(&out, "fingerprint", choice->fingerprint);
	tune_json_text(&out, "problem", choice->problem);
	tune_json_text(&out, "class", choice->klass);
	tune_json_integer(&out, "low_count", (long long)choice->low_count);
	tune_json_integer(&out, "high_count", (long long)choice->high_count);
	tune_json_integer(&out, "count", (long long)choice->count);
	tune_json_text(&out, "variant", choice->variant);
	tune_json_number(&out, "us", choice->us);
	tune_json_number(&out, "low_us", choice->low_us);
	tune_json_number(&out, "high_us", choice->high_us);
	tune_json_number(&out, "default_us", choice->default_us);
	tune_json_number(&out, "copy_us", choice->copy_us);
	tune_json_text(&out, "reason", choice->reason);
	tune_json_text(&out, "tuned_at", choice->tuned_at);
	tune_json_boolean(&out, "is_modelled", choice->is_modelled);
	tune_json_boolean(&out, "is_stale", is_stale(choice));
	tune_json_print(&out);
}

static void print_device(struct listing *listing, const struct srt_db_choice *choice, const char *device)
{
	char title[sizeof listing->device];

	snprintf(title, sizeof title, "%s%s", device, choice->is_modelled ? " (modelled)" : "");
	if (strcmp(title, listing->device) == 0)
		return;
	snprintf(listing->device, sizeof listing->device, "%s", title);
	printf("%s%s\n", listing->rows ? "\n" : "", title);
	if (!listing->is_detailed)
		printf("%-*s %-6s %11s  %-*s %10s %8s %6s %6s\n", listing->columns.problem, "problem", "class", "count",
			listing->columns.variant, "variant", "us", "GB/s", "copy", "gain");
}

static void print_row(const struct tune_columns *columns, const struct srt_db_choice *choice)
{
	printf("%-*s %-6s %11" PRIu64 "  %-*s %10.2f %8.1f", columns->problem, choice->problem, choice->klass,
		choice->count, columns->variant, choice->variant, choice->us, rate_of(choice));
	if (choice->copy_us > 0)
		printf(" %5.0f%%", 100 * choice->copy_us / choice->us);
	else
		printf(" %6s", "-");
	if (choice->default_us > 0)
		printf(" %5.2fx", choice->default_us / choice->us);
	else
		printf(" %6s", "-");
	puts(is_stale(choice) ? "  stale" : "");
}

static void print_details(const struct srt_db_choice *choice)
{
	printf("  %s: counts %" PRIu64 " to %" PRIu64 ", measured at %" PRIu64 "%s\n", choice->klass, choice->low_count,
		choice->high_count, choice->count, is_stale(choice) ? " (stale: the kernels have changed)" : "");
	printf("    variant  %s\n", choice->variant);
	printf("    time     %.3f us (%.3f to %.3f), %.1f GB/s\n", choice->us, choice->low_us, choice->high_us,
		rate_of(choice));
	if (choice->copy_us > 0)
		printf("    copy     %.3f us, %.1f %%\n", choice->copy_us, 100 * choice->copy_us / choice->us);
	if (choice->default_us > 0)
		printf("    default  %.3f us, %.3f times as long\n", choice->default_us,
			choice->default_us / choice->us);
	printf("    reason   %s\n    tuned    %s\n", choice->reason, choice->tuned_at);
}

static int take(void *user, const struct srt_db_choice *choice, const char *device)
{
	struct listing *listing = user;

	if (listing->options->is_json) {
		print_json(choice, device);
	} else if (listing->options->wants_gains) {
		tune_gains_add(&listing->gains, choice, device);
	} else {
		print_device(listing, choice, device);
		if (listing->is_detailed)
			print_details(choice);
		else
			print_row(&listing->columns, choice);
	}
	listing->rows++;
	return 0;
}

static int fit(void *user, const struct srt_db_choice *choice, const char *device)
{
	struct listing *listing = user;

	(void)device;
	tune_columns_fit(&listing->columns, choice->problem, choice->variant);
	return 0;
}

static void tell_nothing(const char *path)
{
	struct srt_strbuf vendor = {0};

	printf("nothing is tuned: there is no %s\n", path);
	srt_db_vendor_path(&vendor);
	if (access(srt_strbuf_text(&vendor), F_OK) == 0)
		printf("on machines like those of %s scans use what was measured there\n", srt_strbuf_text(&vendor));
	srt_strbuf_free(&vendor);
}

static int list(const struct tune_options *options, const char *problem)
{
	struct listing listing = { .options = options, .is_detailed = problem != NULL, .columns = TUNE_COLUMNS_INIT };
	struct srt_strbuf path = {0};
	struct srt_db *db = NULL;
	int status;

	if (!tune_database_path(&path, options, false)) {
		srt_strbuf_free(&path);
		return TUNE_EXIT_DATABASE;
	}
	/* Before anything is tuned there is no file, unless a certain one was asked for. */
	if (options->database == NULL && access(srt_strbuf_text(&path), F_OK) != 0 && errno == ENOENT) {
		if (!options->is_json)
			tell_nothing(srt_strbuf_text(&path));
		srt_strbuf_free(&path);
		return TUNE_EXIT_COMPLETE;
	}
	status = srt_db_open(&db, srt_strbuf_text(&path), SRT_DB_READ);
	if (status == SCANRT_OK)
		status = srt_db_each_choice(db, problem, fit, &listing);
	listing.gains.width = listing.columns.problem;
	if (status == SCANRT_OK)
		status = srt_db_each_choice(db, problem, take, &listing);
	tune_gains_end(&listing.gains);
	if (status != SCANRT_OK)
		fprintf(stderr, "scantune: %s\n", srt_error_last()->text);
	else if (listing.rows == 0 && !options->is_json)
		printf("nothing is tuned%s%s in %s\n", problem ? " for " : "", problem ? problem : "",
			srt_strbuf_text(&path));
	else if (options->wants_gains && listing.gains.device[0] == '\0' && !options->is_json)
		printf("nothing is tuned with these kernels in %s: its choices are of older ones\n",
			srt_strbuf_text(&path));
	srt_db_close(db);
	srt_strbuf_free(&path);
	return status == SCANRT_OK ? TUNE_EXIT_COMPLETE : TUNE_EXIT_DATABASE;
}

int tune_command_list(const struct tune_options *options)
{
	return list(options, NULL);
}

int tune_command_show(const struct tune_options *options)
{
	struct srt_strbuf name = {0};
	struct srt_problem problem;
	int status;

	if (tune_problem_of(&problem, options, &options->targets[0], SCANRT_INCLUSIVE) != SCANRT_OK)
		return TUNE_EXIT_USAGE;
	tune_problem_name(&name, &problem, options->is_reproducible);
	status = list(options, srt_strbuf_text(&name));
	srt_strbuf_free(&name);
	return status;
}
