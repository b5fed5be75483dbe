/* SPDX-License-Identifier: MIT
 *
 * What an interrupted run left.  Its verdicts stand; its times spare the slow half of the variants a second look; and
 * the variants that were at work when it died are tried one by one, so that the one that brings the tuner down is
 * found: a row that is still `running` although it was tried alone has died once more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"
#include "resume.h"
#include "status.h"

#define DEATHS_MAX 3 /* alone; once or twice may be somebody's kill -9 */

static const char alone_note[] = "alone, attempt ";
static const char chosen_note[] = "chosen, ";

void tune_resume_alone_note(char note[TUNE_NOTE_SIZE], int attempt)
{
	snprintf(note, TUNE_NOTE_SIZE, "%s%d", alone_note, attempt);
}

void tune_resume_chosen_note(char note[TUNE_NOTE_SIZE], enum tune_effort effort, const char *reason)
{
	snprintf(note, TUNE_NOTE_SIZE, "%s%s: %s", chosen_note, tune_effort_name(effort), reason);
}

/* "chosen, normal: ...": the effort, or -1. */
static int chosen_effort(const char *note)
{
	if (note == NULL || strncmp(note, chosen_note, sizeof chosen_note - 1) != 0)
		return -1;
	for (int effort = TUNE_QUICK; effort <= TUNE_THOROUGH; effort++) {
		const char *name = tune_effort_name((enum tune_effort)effort);

		if (strncmp(note + sizeof chosen_note - 1, name, strlen(name)) == 0)
			return effort;
	}
	return -1;
}

struct resumption {
	struct tune_search *search;
	size_t first; /* candidates before it have been looked at, and tried since */
};

static struct tune_candidate *find(const struct resumption *resumption, const char *variant)
{
	struct tune_search *search = resumption->search;

	for (size_t i = resumption->first; i < search->candidate_count; i++)
		if (strcmp(search->candidates[i].build.text, variant) == 0)
			return &search->candidates[i];
	return NULL;
}

static void take_verdict(struct tune_candidate *candidate, const struct srt_db_trial *trial)
{
	bool was_alone = trial->note && strncmp(trial->note, alone_note, sizeof alone_note - 1) == 0;

	candidate->verdict = tune_verdict_parse(trial->status);
	candidate->is_suspect = candidate->verdict == TUNE_RUNNING;
	if (candidate->is_suspect && was_alone)
		candidate->attempts = atoi(trial->note + sizeof alone_note - 1);
	candidate->is_known = candidate->verdict != TUNE_RUNNING && candidate->verdict != TUNE_OK;
	snprintf(candidate->note, sizeof candidate->note, "%s", trial->note ? trial->note : "");
}

static void take_times(struct tune_search *search, struct tune_candidate *candidate, const struct srt_db_trial *trial)
{
	for (size_t i = 0; i < search->class_count; i++) {
		if (strcmp(search->classes[i].name, trial->klass) != 0 ||
			search->classes[i].timing.count != trial->count)
			continue;
		candidate->earlier[i] =
			(struct tune_summary){ trial->samples, trial->us, trial->low_us, trial->high_us };
		if (strcmp(trial->status, "ok") != 0)
			candidate->earlier[i].count = 0;
		if (chosen_effort(trial->note) >= (int)search->session->options->effort)
			search->is_chosen[i] = true;
	}
}

static int take(void *user, const struct srt_db_trial *trial)
{
	const struct resumption *resumption = user;
	struct tune_candidate *candidate = find(resumption, trial->variant);

	/* Another effort's or seed's candidate. */
	if (candidate == NULL)
		return 0;
	if (trial->klass[0] == '\0')
		take_verdict(candidate, trial);
	else
		take_times(resumption->search, candidate, trial);
	return 0;
}

/* One that died alone too often is given up.  The default is what there is to fall back on: it is always tried. */
static void judge_suspect(struct tune_search *search, struct tune_candidate *candidate)
{
	if (candidate->build.is_default) {
		candidate->is_known = false;
	} else if (candidate->is_suspect && candidate->attempts >= DEATHS_MAX) {
		candidate->is_known = true;
		candidate->verdict = TUNE_CRASH;
		snprintf(candidate->note, sizeof candidate->note, "the tuner died with it, %d times alone",
			candidate->attempts);
		tune_record_trial(search, candidate, NULL, TUNE_CRASH, NULL, candidate->note);
		tune_report_failure(
			search->name, candidate->build.text, tune_verdict_name(TUNE_CRASH), candidate->note);
	}
}

static double best_earlier(const struct tune_search *search, size_t klass)
{
	double best = 0;

	for (size_t i = 0; i < search->candidate_count; i++) {
		const struct tune_summary *summary = &search->candidates[i].earlier[klass];

		if (summary->count && (best == 0 || summary->median < best))
			best = summary->median;
	}
	return best;
}

/* One that was beaten in all classes needs no second compilation. */
static void skip_slow(struct tune_search *search, struct tune_candidate *candidate)
{
	bool is_slow = candidate->verdict == TUNE_OK && !candidate->build.is_default;

	for (size_t i = 0; i < search->class_count; i++) {
		if (!tune_candidate_serves(candidate, &search->classes[i]))
			continue;
		if (candidate->is_previous[i] || candidate->earlier[i].count == 0 ||
		    candidate->earlier[i].median <= 1.5 * best_earlier(search, i))
			is_slow = false;
	}
	candidate->is_known |= is_slow;
}

/* What hung or crashed in any earlier run is tried again, since drivers get better, but alone. */
static void isolate_poison(struct tune_search *search, size_t first)
{
	struct tune_session *session = search->session;

	for (size_t i = first; i < search->candidate_count; i++) {
		struct tune_candidate *candidate = &search->candidates[i];
		struct srt_strbuf note = {0};
		bool is_poison = false;

		if (srt_db_find_poison(session->db, session->device_row, srt_source_hash(), search->problem_row,
		    candidate->build.text, &is_poison, &note) == SCANRT_OK && is_poison)
			candidate->is_suspect |= strncmp(srt_strbuf_text(&note), "wrong", 5) != 0;
		srt_strbuf_free(&note);
	}
}

void tune_record_resume(struct tune_search *search, size_t first)
{
	struct tune_session *session = search->session;
	struct resumption resumption = { search, first };

	if (session->db == NULL || session->is_unrecorded)
		return;
	isolate_poison(search, first);
	if (session->options->is_restart)
		return;
	if (srt_db_each_trial(session->db, session->device_row, srt_source_hash(), search->problem_row, take,
		    &resumption) != SCANRT_OK) {
		tune_report_error("%s", srt_error_last()->text);
		return;
	}
	for (size_t i = first; i < search->candidate_count; i++) {
		judge_suspect(search, &search->candidates[i]);
		skip_slow(search, &search->candidates[i]);
	}
}
