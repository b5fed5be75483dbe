/* SPDX-License-Identifier: MIT */
#include "dry_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image.h"
#include "json.h"
#include "record.h"
#include "report.h"
#include "search.h"
#include "status.h"
#include "tune.h"

#define EMULATED_PACE 5e6 /* elements a second, about what one core gets through */

/* An emulated device gets the same counts on every host, however busy: what is chosen there should repeat.  Tests of
 * the tuner itself, on a device without kernels, say what they want to be taken for. */
double tune_pace(const struct tune_session *session, double measured)
{
	const char *wanted = getenv("SCANTUNE_PACE");

	if (wanted && strtod(wanted, NULL) > 0)
		return strtod(wanted, NULL);
	return session->device.is_emulated == 1 ? EMULATED_PACE : measured;
}

/* For reading, as nothing is to be changed; null where a run would begin with an empty one, or with its upkeep. */
static bool open_database(struct srt_db **db, const struct tune_session *session)
{
	struct srt_strbuf path = {0};
	bool has_path = tune_database_path(&path, session->options, true);

	*db = NULL;
	if (has_path && access(srt_strbuf_text(&path), F_OK) != 0)
		tune_report_line("%s is not there yet", srt_strbuf_text(&path));
	else if (has_path && srt_db_open(db, srt_strbuf_text(&path), SRT_DB_READ) != SCANRT_OK)
		tune_report_line("nothing of the database is used: %s", srt_error_last()->text);
	srt_strbuf_free(&path);
	return has_path;
}

/* What the library would find for this very problem and device. */
static size_t find_choices(struct srt_db_choice rows[TUNE_CLASS_MAX], struct srt_db *db,
	const struct tune_search *search)
{
	struct srt_strbuf fingerprint = {0};
	char op_class[TUNE_OP_CLASS_SIZE];
	struct srt_db_lookup lookup = { .source_hash = srt_source_hash(), .problem = search->name,
					.op_class = tune_op_class(op_class, &search->problem, search->is_reproducible),
					.type_bytes = (int)tune_element_bytes(&search->problem),
					.moved_bytes = (int)tune_moved_bytes(&search->problem) };
	size_t count = 0;

	srt_device_fingerprint(&fingerprint, &search->session->device);
	lookup.fingerprint = srt_strbuf_text(&fingerprint);
	if (db && srt_db_find_choices(db, &lookup, rows, TUNE_CLASS_MAX, &count) != SCANRT_OK)
		count = 0;
	srt_strbuf_free(&fingerprint);
	return count;
}

static const char *chosen_for(const struct srt_db_choice *rows, size_t count, uint64_t elements)
{
	for (size_t i = 0; i < count; i++)
		if (!rows[i].is_similar && rows[i].low_count <= elements && elements <= rows[i].high_count)
			return rows[i].variant;
	return "";
}

static void print_class(const struct tune_search *search, const struct tune_class *klass, const char *chosen)
{
	struct srt_strbuf out = {0};
	size_t count = 0;

	for (size_t k = 0; k < search->candidate_count; k++)
		count += tune_candidate_serves(&search->candidates[k], klass);
	if (!search->session->options->is_json) {
		tune_report_line("%-16s %-6s %11" PRIu64 "  %zu variants%s%s", search->name, klass->name,
			klass->timing.count, count, *chosen ? "; chosen so far: " : "", chosen);
		return;
	}
	tune_json_begin(&out);
	tune_json_text(&out, "event", "plan");
	tune_json_text(&out, "problem", search->name);
	tune_json_text(&out, "class", klass->name);
	tune_json_integer(&out, "count", (long long)klass->timing.count);
	tune_json_integer(&out, "variants", (long long)count);
	if (*chosen)
		tune_json_text(&out, "chosen", chosen);
	tune_json_print(&out);
}

static void print_plan(const struct tune_search *search, struct srt_db *db)
{
	struct srt_db_choice rows[TUNE_CLASS_MAX];
	size_t count = find_choices(rows, db, search);

	for (size_t i = 0; i < search->class_count; i++)
		print_class(search, &search->classes[i],
			chosen_for(rows, count, search->classes[i].timing.count));
	for (size_t k = 0; search->session->options->is_verbose && k < search->candidate_count; k++)
		tune_report_line("    %s", search->candidates[k].build.text);
}

int tune_dry_run(struct tune_session *session)
{
	struct tune_search search;
	struct srt_db *db;
	int status = TUNE_EXIT_COMPLETE;

	if (!open_database(&db, session))
		return TUNE_EXIT_DATABASE;
	/* A GPU's counts follow from its facts, an emulated device's from its pace, which needs no kernel either. */
	session->pace = session->device.is_emulated == 1 ? tune_pace(session, 0) : 0;
	for (size_t i = 0; i < session->options->target_count && status == TUNE_EXIT_COMPLETE; i++) {
		if (!tune_search_open(&search, session, &session->options->targets[i], i)) {
			status = TUNE_EXIT_DEVICE;
			continue;
		}
		print_plan(&search, db);
		tune_search_close(&search);
	}
	srt_db_close(db);
	return status;
}
