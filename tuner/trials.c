/* SPDX-License-Identifier: MIT
 *
 * What becomes of each candidate: compiled, held against its twins, verified, and timed in every class that it serves.
 */
#include <stdio.h>
#include <string.h>

#include "record.h"
#include "resume.h"
#include "search.h"
#include "twin.h"

#define BATCH_MAX 16
#define HOPELESS 2.0 /* times the best so far: whoever needs as long for a scan is not sampled any further */

/* ---- One ---- */

/* The race knows a fast one by its first samples, and drops at 1.5 times the best.  What is heard to the end is timed
 * in any case. */
static double limit_of(const struct tune_search *search, const struct tune_candidate *candidate, size_t klass)
{
	if (candidate->is_default[klass] || candidate->is_fallback[klass] || candidate->is_previous[klass] ||
		candidate->is_related[klass])
		return 0;
	return HOPELESS * search->best_us[klass];
}

static enum tune_verdict time_class(struct tune_search *search, struct tune_candidate *candidate, size_t klass)
{
	struct tune_timing timing = search->classes[klass].timing;
	struct tune_summary summary;
	double us[TUNE_SAMPLES_MAX];
	int taken;

	candidate->is_out[klass] |= !tune_candidate_serves(candidate, &search->classes[klass]);
	if (candidate->is_out[klass])
		return TUNE_OK;
	timing.limit_us = limit_of(search, candidate, klass);
	taken = tune_race_sample(us, search, candidate, &timing, timing.samples);
	for (int i = 0; i < taken; i++)
		tune_values_add(&candidate->values[klass], us[i]);
	if (taken < 0)
		return candidate->verdict;
	if (taken == 0)
		return TUNE_OK;
	summary = tune_summarise(&candidate->values[klass]);
	if (!tune_race_is_plausible(search, candidate, klass, summary.median))
		return TUNE_IMPLAUSIBLE;
	if (search->best_us[klass] == 0 || summary.median < search->best_us[klass])
		search->best_us[klass] = summary.median;
	return TUNE_OK;
}

static void show_best(const struct tune_search *search)
{
	size_t klass = search->class_count - 1;
	const struct tune_candidate *best = NULL;
	double best_us = 0;
	char text[96];

	for (size_t i = 0; i < search->candidate_count; i++) {
		struct tune_summary summary = tune_summarise(&search->candidates[i].values[klass]);

		if (summary.count && !search->candidates[i].is_out[klass] &&
			(best == NULL || summary.median < best_us)) {
			best = &search->candidates[i];
			best_us = summary.median;
		}
	}
	if (best == NULL)
		return;
	snprintf(text, sizeof text, "%.0f GB/s %.60s", (double)search->classes[klass].timing.count * 1e-3 *
		(double)tune_moved_bytes(&search->problem) / best_us, best->build.text);
	tune_report_best(text);
}

static void tell(const struct tune_search *search, const struct tune_candidate *candidate)
{
	struct srt_strbuf text = {0};

	for (size_t i = 0; i < search->class_count; i++)
		if (candidate->values[i].count)
			srt_strbuf_printf(&text, " %s %.2f us", search->classes[i].name,
				tune_summarise(&candidate->values[i]).median);
	if (candidate->verdict == TUNE_PRUNED)
		srt_strbuf_printf(&text, " %s", candidate->note);
	tune_report_line("  %s: %s:%s", candidate->build.text, tune_verdict_name(candidate->verdict),
		srt_strbuf_text(&text));
	srt_strbuf_free(&text);
}

static bool is_pinned(const struct tune_candidate *candidate)
{
	for (size_t i = 0; i < TUNE_CLASS_MAX; i++)
		if (candidate->is_default[i] || candidate->is_fallback[i] || candidate->is_related[i])
			return true;
	return false;
}

/* The one of two that was tried first stands for both, unless the second has to be heard. */
static bool is_twin(struct tune_search *search, struct tune_candidate *candidate, char *note)
{
	const struct srt_image *image = &candidate->build.job.image;

	if (!tune_build_compile(search, &candidate->build) || candidate->build.job.status)
		return false;
	candidate->code = tune_code_hash(image->bytes, image->size);
	for (size_t i = 0; candidate->code && !is_pinned(candidate) && i < search->candidate_count; i++) {
		const struct tune_candidate *other = &search->candidates[i];

		if (other == candidate || other->code != candidate->code ||
			!tune_is_launched_alike(&other->build.variant, &candidate->build.variant))
			continue;
		snprintf(note, TUNE_NOTE_SIZE, "the same machine code as %s", other->build.text);
		return true;
	}
	return false;
}

/* Verified before it is timed, always. */
static void try_candidate(struct tune_search *search, struct tune_candidate *candidate)
{
	char note[TUNE_NOTE_SIZE] = "";
	enum tune_verdict verdict = is_twin(search, candidate, note) ? TUNE_PRUNED :
		tune_build_verify(search, &candidate->build, note);

	if (verdict == TUNE_OK) {
		candidate->verdict = TUNE_OK;
		for (size_t i = 0; verdict == TUNE_OK && i < search->class_count; i++)
			verdict = time_class(search, candidate, i);
		if (verdict == TUNE_RUNNING)
			candidate->verdict = TUNE_RUNNING;
	} else {
		tune_candidate_fail(search, candidate, verdict, note);
	}
	if (search->session->options->is_verbose)
		tell(search, candidate);
	show_best(search);
}

/* ---- All ---- */

/* What is tried next: the default first, then one after another; a suspect alone. */
static size_t next_batch(struct tune_search *search, struct tune_candidate *batch[BATCH_MAX], size_t *next)
{
	size_t used = 0;

	for (; *next < search->candidate_count && used < BATCH_MAX; ++*next) {
		struct tune_candidate *candidate = &search->candidates[*next];

		if (candidate->is_known)
			continue;
		if (candidate->is_suspect && used > 0)
			break;
		batch[used++] = candidate;
		if (candidate->is_suspect) {
			++*next;
			break;
		}
	}
	return used;
}

static void announce(struct tune_search *search, struct tune_candidate *const *batch, size_t length)
{
	char note[TUNE_NOTE_SIZE];

	tune_record_group(search->session);
	for (size_t i = 0; i < length; i++) {
		note[0] = '\0';
		if (batch[i]->is_suspect)
			tune_resume_alone_note(note, batch[i]->attempts + 1);
		tune_record_trial(search, batch[i], NULL, TUNE_RUNNING, NULL, note[0] ? note : NULL);
	}
	tune_record_commit(search->session);
}

/* A variant that was not reached keeps its row of `running`, for the next run to try. */
static void conclude(struct tune_search *search, struct tune_candidate *const *batch, size_t length)
{
	tune_record_group(search->session);
	for (size_t i = 0; i < length; i++) {
		const struct tune_candidate *candidate = batch[i];

		if (candidate->verdict == TUNE_RUNNING)
			continue;
		tune_record_trial(search, candidate, NULL, candidate->verdict, NULL,
			candidate->note[0] ? candidate->note : NULL);
		for (size_t k = 0; k < search->class_count; k++) {
			struct tune_summary summary = tune_summarise(&candidate->values[k]);

			if (summary.count)
				tune_record_trial(
					search, candidate, &search->classes[k], candidate->verdict, &summary, NULL);
		}
	}
	tune_record_commit(search->session);
}

void tune_trials(struct tune_search *search, size_t first)
{
	struct tune_candidate *batch[BATCH_MAX];
	size_t next = first, length;

	while (!tune_should_stop(search->session) && (length = next_batch(search, batch, &next)) > 0) {
		announce(search, batch, length);
		for (size_t i = 0; i < length && !tune_should_stop(search->session); i++) {
			try_candidate(search, batch[i]);
			tune_report_done((int)(batch[i] - search->candidates) + 1);
		}
		conclude(search, batch, length);
	}
}
