/* SPDX-License-Identifier: MIT
 *
 * scantune verify: are the choices still right on this device, with this driver?  One that is not is taken out of the
 * database, and scans use the next best answer.
 */
#include <stdio.h>
#include <string.h>

#include "columns.h"
#include "json.h"
#include "kept.h"
#include "record.h"
#include "search.h"
#include "status.h"

static void report(const struct tune_search *search, size_t klass, const struct tune_candidate *candidate,
	const char *note)
{
	const struct tune_options *options = search->session->options;
	struct tune_columns columns = TUNE_COLUMNS_INIT;
	bool is_right = candidate->verdict == TUNE_OK;
	struct srt_strbuf out = {0};

	for (size_t i = 0; i < search->candidate_count; i++)
		tune_columns_fit(&columns, search->name, search->candidates[i].build.text);
	if (!options->is_json) {
		tune_report_line("%-*s %-6s %-*s  %s%s%s", columns.problem, search->name, search->classes[klass].name,
			columns.variant, candidate->build.text,
			is_right ? "right" : tune_verdict_name(candidate->verdict), is_right ? "" : ": ",
			is_right ? "" : note);
		return;
	}
	tune_json_begin(&out);
	tune_json_text(&out, "event", "verified");
	tune_json_text(&out, "problem", search->name);
	tune_json_text(&out, "class", search->classes[klass].name);
	tune_json_text(&out, "variant", candidate->build.text);
	tune_json_boolean(&out, "is_right", is_right);
	tune_json_text(&out, "note", is_right ? "" : note);
	tune_json_print(&out);
}

static struct tune_candidate *chosen_of(struct tune_search *search, size_t klass)
{
	for (size_t i = 0; i < search->candidate_count; i++)
		if (search->candidates[i].is_previous[klass])
			return &search->candidates[i];
	return NULL;
}

static void check(struct tune_search *search, struct tune_candidate *candidate)
{
	char note[TUNE_NOTE_SIZE] = "";
	enum tune_verdict verdict = tune_build_verify(search, &candidate->build, note);

	candidate->verdict = verdict;
	if (verdict == TUNE_OK)
		tune_winner_confirm(search, candidate);
	else
		snprintf(candidate->note, sizeof candidate->note, "%s", note);
}

bool tune_search_audit(struct tune_search *search)
{
	bool is_right = true;

	for (size_t i = 0; i < search->class_count; i++)
		search->results[i].winner = chosen_of(search, i);
	for (size_t i = 0; i < search->class_count && !tune_must_stop(search->session); i++) {
		struct tune_candidate *candidate = search->results[i].winner;

		if (candidate == NULL)
			continue;
		if (candidate->verdict == TUNE_RUNNING)
			check(search, candidate);
		if (candidate->verdict == TUNE_RUNNING)
			return false;
		report(search, i, candidate, candidate->note);
		is_right &= candidate->verdict == TUNE_OK;
		if (tune_verdict_is_wrong(candidate->verdict))
			tune_record_drop(search, &search->classes[i]);
	}
	is_right &= tune_kept_audit(search);
	return is_right && !tune_must_stop(search->session);
}
