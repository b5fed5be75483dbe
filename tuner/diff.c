/* SPDX-License-Identifier: MIT
 *
 * scantune diff: two databases of one device, say of two days.  Times of different runs cannot be compared, so where
 * the winners differ both are verified and timed here, in turn.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diff.h"
#include "json.h"
#include "search.h"

#define ROUNDS 31
#define MODEL_ROUNDS 3 /* a modelled clock says the same every time */
#define ALIKE 0.01     /* of the time, which nobody tunes for */

enum verdict { SAME, ALIKE_IN_TIME, FIRST_FASTER, SECOND_FASTER, FAILED, VERDICTS };

static const char *const verdicts[VERDICTS] = { "same", "alike", "first", "second", "failed" };

/* Of all problems; there is one such command in a process. */
static int totals[VERDICTS];

struct difference {
	const struct tune_class *klass;
	struct tune_candidate *sides[2];
	struct tune_values us[2];
	struct tune_summary ratio; /* of the second's times to the first's, round by round */
	enum verdict verdict;
};

static struct tune_candidate *find(struct tune_search *search, const struct srt_db_choice *rows, size_t count,
	const char *klass)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < search->candidate_count && strcmp(rows[i].klass, klass) == 0; k++)
			if (strcmp(search->candidates[k].build.text, rows[i].variant) == 0)
				return &search->candidates[k];
	return NULL;
}

/* Verified first, as everything that is timed. */
static bool is_right(struct tune_search *search, struct tune_candidate *candidate)
{
	char note[TUNE_NOTE_SIZE] = "";
	enum tune_verdict verdict;

	if (candidate->verdict == TUNE_RUNNING) {
		verdict = tune_build_verify(search, &candidate->build, note);
		candidate->verdict = verdict;
		if (verdict != TUNE_OK)
			tune_candidate_fail(search, candidate, verdict, note);
	}
	return candidate->verdict == TUNE_OK;
}

/* Each goes first in every other round. */
static bool time_round(struct tune_search *search, struct difference *difference, struct tune_values *ratios, int round)
{
	double us[2];

	for (int i = 0; i < 2; i++) {
		int side = (i + round) % 2;
		int taken = tune_race_sample(
			&us[side], search, difference->sides[side], &difference->klass->timing, 1);

		if (taken < 1)
			return taken == 0;
	}
	tune_values_add(&difference->us[0], us[0]);
	tune_values_add(&difference->us[1], us[1]);
	tune_values_add(ratios, us[1] / us[0]);
	return true;
}

static void time_both(struct tune_search *search, struct difference *difference)
{
	int rounds = difference->klass->timing.scans == 1 ? MODEL_ROUNDS : ROUNDS;
	struct tune_values ratios = {0};
	bool goes_on = is_right(search, difference->sides[0]) && is_right(search, difference->sides[1]);

	for (int i = 0; goes_on && i < rounds && !tune_should_stop(search->session); i++)
		goes_on = time_round(search, difference, &ratios, i);
	difference->ratio = tune_summarise(&ratios);
	if (!goes_on || ratios.count == 0)
		difference->verdict = FAILED;
	else if (fabs(difference->ratio.median - 1) <= ALIKE)
		difference->verdict = ALIKE_IN_TIME;
	else
		difference->verdict = difference->ratio.median > 1 ? FIRST_FASTER : SECOND_FASTER;
}

static void print_json(const struct tune_search *search, const struct difference *difference)
{
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "event", "difference");
	tune_json_text(&out, "problem", search->name);
	tune_json_text(&out, "class", difference->klass->name);
	tune_json_integer(&out, "count", (long long)difference->klass->timing.count);
	tune_json_text(&out, "first", difference->sides[0]->build.text);
	tune_json_text(&out, "second", difference->sides[1]->build.text);
	tune_json_text(&out, "verdict", verdicts[difference->verdict]);
	if (difference->ratio.count) {
		tune_json_number(&out, "first_us", tune_summarise(&difference->us[0]).median);
		tune_json_number(&out, "second_us", tune_summarise(&difference->us[1]).median);
		tune_json_number(&out, "ratio", difference->ratio.median);
		tune_json_number(&out, "low_ratio", difference->ratio.low);
		tune_json_number(&out, "high_ratio", difference->ratio.high);
	}
	tune_json_print(&out);
}

static void print(const struct tune_search *search, const struct difference *difference)
{
	const struct tune_summary *ratio = &difference->ratio;
	struct srt_strbuf text = {0};

	if (search->session->options->is_json) {
		print_json(search, difference);
		return;
	}
	srt_strbuf_printf(&text, "%-16s %-6s %11" PRIu64 "  %s", search->name, difference->klass->name,
		difference->klass->timing.count, difference->sides[0]->build.text);
	if (difference->verdict != SAME)
		srt_strbuf_printf(&text, " | %s", difference->sides[1]->build.text);
	if (ratio->count)
		srt_strbuf_printf(&text, ": %.2f us | %.2f us, ratio %.3f", tune_summarise(&difference->us[0]).median,
			tune_summarise(&difference->us[1]).median, ratio->median);
	if (ratio->low > 0)
		srt_strbuf_printf(&text, " (%.3f to %.3f)", ratio->low, ratio->high);
	tune_report_line("%s: %s", srt_strbuf_text(&text), verdicts[difference->verdict]);
	srt_strbuf_free(&text);
}

bool tune_search_diff(struct tune_search *search)
{
	struct tune_session *session = search->session;
	struct srt_db_choice rows[2][TUNE_CHOICES_MAX];
	size_t counts[2];
	bool is_alike = true;

	counts[0] = tune_candidates_chosen(rows[0], search, session->import);
	counts[1] = tune_candidates_chosen(rows[1], search, session->against);
	for (size_t i = 0; i < search->class_count && !tune_should_stop(session); i++) {
		struct difference difference = { .klass = &search->classes[i] };

		for (int side = 0; side < 2; side++)
			difference.sides[side] = find(search, rows[side], counts[side], search->classes[i].name);
		/* What only one of them has been tuned for is no difference. */
		if (!difference.sides[0] || !difference.sides[1])
			continue;
		if (difference.sides[0] != difference.sides[1])
			time_both(search, &difference);
		if (difference.verdict == FAILED && tune_must_stop(session))
			break;
		totals[difference.verdict]++;
		is_alike &= difference.verdict <= ALIKE_IN_TIME;
		print(search, &difference);
	}
	return is_alike && !tune_should_stop(session);
}

void tune_diff_close(bool is_json)
{
	struct srt_strbuf out = {0};
	int count = 0;

	for (int i = 0; i < VERDICTS; i++)
		count += totals[i];
	if (is_json) {
		tune_json_begin(&out);
		tune_json_text(&out, "event", "differences");
		for (int i = 0; i < VERDICTS; i++)
			tune_json_integer(&out, verdicts[i], totals[i]);
		tune_json_print(&out);
	}
	tune_report_line("of %d classes that both have, %d with the same winner, %d with winners within 1 %% in time; "
		"%d faster in the first, %d in the second, %d failed", count, totals[SAME], totals[ALIKE_IN_TIME],
		totals[FIRST_FASTER], totals[SECOND_FASTER], totals[FAILED]);
}
