/* SPDX-License-Identifier: MIT
 *
 * The last tests of those that won: every mode that shares the choice, operators that show the order of operands, and
 * the large counts themselves.  Who fails is out, and the class is raced again among the rest.  Then choices, and the
 * images of winners and defaults, go into the database together.
 */
#include <stdio.h>
#include <string.h>

#include "record.h"
#include "resume.h"
#include "search.h"

/* ---- Further builds of a candidate's variant ---- */

static bool is_same_problem(const struct srt_problem *a, const struct srt_problem *b)
{
	return a->input_type == b->input_type && a->op == b->op && a->is_exclusive == b->is_exclusive;
}

static struct tune_build *find_extra(struct tune_search *search, const struct tune_build *like,
	const struct srt_problem *problem)
{
	for (size_t i = 0; i < search->extra_count; i++)
		if (strcmp(search->extras[i].text, like->text) == 0 &&
		    is_same_problem(&search->extras[i].problem, problem))
			return &search->extras[i];
	return NULL;
}

struct tune_build *tune_build_extra(struct tune_search *search, const struct tune_build *like,
	const struct srt_problem *problem)
{
	struct tune_build *build = find_extra(search, like, problem);

	if (build || search->extra_count == TUNE_EXTRA_MAX)
		return build;
	build = &search->extras[search->extra_count];
	build->problem = *problem;
	build->is_described = search->is_described;
	build->variant = like->variant;
	memcpy(build->text, like->text, sizeof build->text);
	build->slot = TUNE_SLOTS_MAX - TUNE_EXTRA_MAX + (int)search->extra_count++;
	build->generation = -1;
	tune_build_request(search->session, build);
	if (!tune_record_find_image(search->session, build))
		tune_pool_submit_first(search->session->pool, &build->job);
	return build;
}

static struct srt_problem in_mode(const struct tune_search *search, size_t mode)
{
	struct srt_problem problem = search->problem;

	problem.is_exclusive = search->session->options->modes[mode] == SCANRT_EXCLUSIVE;
	return problem;
}

static int unsigned_of(int type)
{
	switch (srt_type_size(type)) {
	case 1: return SCANRT_U8;
	case 2: return SCANRT_U16;
	case 4: return SCANRT_U32;
	default: return SCANRT_U64;
	}
}

/* The checks of order: the same variant, on a type of the same size.  A quick run makes do with the stricter one. */
static size_t order_problems(struct srt_problem problems[2], const struct tune_search *search)
{
	int type = unsigned_of(search->problem.input_type);
	size_t count = 0;

	/* What is rechecked has passed them already, and its images are at hand; what a file describes is held to its
	 * own operator. */
	if (search->session->options->task == TUNE_TASK_RECHECK || search->is_described)
		return 0;
	if (srt_problem_init_simple(&problems[count], type, SRT_OP_AFFINE) == SCANRT_OK)
		count++;
	if (search->session->options->effort != TUNE_QUICK &&
	    srt_problem_init_simple(&problems[count], type, SRT_OP_LAST) == SCANRT_OK)
		count++;
	return count;
}

/* ---- Confirmation ---- */

static bool fail(struct tune_search *search, struct tune_candidate *candidate, const struct srt_problem *problem,
	enum tune_verdict verdict, const char *note)
{
	struct srt_strbuf name = {0};
	char text[TUNE_NOTE_SIZE];

	if (verdict == TUNE_RUNNING)
		return false;
	srt_problem_format(&name, problem, true);
	snprintf(text, sizeof text, "%s%.40s: %.180s", problem->op >= SRT_OP_LAST ? "order of operands, by " : "",
		srt_strbuf_text(&name), note);
	srt_strbuf_free(&name);
	tune_candidate_fail(search, candidate, verdict, text);
	tune_record_trial(search, candidate, NULL, verdict, NULL, text);
	return false;
}

static bool confirm_build(struct tune_search *search, struct tune_candidate *candidate,
	const struct srt_problem *problem)
{
	struct tune_build *build = tune_build_extra(search, &candidate->build, problem);
	char note[TUNE_NOTE_SIZE] = "";
	enum tune_verdict verdict;

	if (build == NULL)
		return fail(search, candidate, problem, TUNE_PRUNED, "no room for one more build");
	if (build->is_verified)
		return true;
	verdict = tune_build_verify(search, build, note);
	tune_build_drop(search, build);
	return verdict == TUNE_OK || fail(search, candidate, problem, verdict, note);
}

static bool confirm_modes(struct tune_search *search, struct tune_candidate *candidate)
{
	for (size_t i = 1; i < search->session->options->mode_count; i++) {
		struct srt_problem problem = in_mode(search, i);

		if (!confirm_build(search, candidate, &problem))
			return false;
	}
	return true;
}

static bool confirm_large(struct tune_search *search, struct tune_candidate *candidate)
{
	char note[TUNE_NOTE_SIZE] = "";

	for (size_t i = 0; i < search->class_count; i++) {
		enum tune_verdict verdict;

		if (search->results[i].winner != candidate || !search->classes[i].is_streaming)
			continue;
		verdict = tune_build_verify_large(search, &candidate->build, search->classes[i].timing.count, note);
		if (verdict != TUNE_OK)
			return fail(search, candidate, &search->problem, verdict, note);
	}
	return true;
}

bool tune_winner_confirm(struct tune_search *search, struct tune_candidate *candidate)
{
	struct srt_problem problems[2];
	size_t count = order_problems(problems, search);

	if (!confirm_large(search, candidate) || !confirm_modes(search, candidate))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!confirm_build(search, candidate, &problems[i]))
			return false;
	candidate->is_confirmed = true;
	return true;
}

static void race_again(struct tune_search *search, const struct tune_candidate *failed)
{
	for (size_t i = 0; i < search->class_count; i++)
		if (search->results[i].winner == failed) {
			/* Those that were out were so by what the failed one took. */
			for (size_t k = 0; k < search->candidate_count; k++)
				search->candidates[k].is_out[i] = false;
			tune_race(search, i);
		}
}

/* All that will be wanted is sent to the compilers at once; what comes of it is looked at one by one. */
static void compile_ahead(struct tune_search *search)
{
	struct srt_problem problems[2];
	size_t orders = order_problems(problems, search);

	for (size_t i = 0; i < search->candidate_count; i++)
		for (size_t mode = 1; mode < search->session->options->mode_count; mode++) {
			struct srt_problem problem = in_mode(search, mode);

			if (search->candidates[i].build.is_default && search->candidates[i].verdict == TUNE_OK)
				tune_build_extra(search, &search->candidates[i].build, &problem);
		}
	for (size_t i = 0; i < search->class_count; i++) {
		const struct tune_result *result = &search->results[i];

		for (size_t mode = 1; mode < search->session->options->mode_count; mode++) {
			struct srt_problem problem = in_mode(search, mode);

			if (result->winner)
				tune_build_extra(search, &result->winner->build, &problem);
		}
		for (size_t k = 0; result->winner && k < orders; k++)
			tune_build_extra(search, &result->winner->build, &problems[k]);
	}
}

/* Every winner passes, or gives way to the next. */
static bool confirm_winners(struct tune_search *search)
{
	for (size_t i = 0; i < search->class_count; i++) {
		struct tune_candidate *winner = search->results[i].winner;

		if (tune_must_stop(search->session))
			return false;
		if (winner == NULL || (winner->is_confirmed && winner->verdict == TUNE_OK))
			continue;
		/* It may have failed since, in a fresh worker or at a count between classes. */
		if (winner->verdict != TUNE_OK || !tune_winner_confirm(search, winner)) {
			if (winner->verdict == TUNE_OK)
				return false;
			race_again(search, winner);
			/* The race may have changed the winner of a class that was looked at. */
			i = (size_t)-1;
		}
	}
	return true;
}

/* A recheck is a fresh process to what was chosen before: only what it would change has to hold once more. */
static bool is_to_be_repeated(const struct tune_search *search, size_t klass)
{
	const struct tune_candidate *winner = search->results[klass].winner;

	return winner && tune_race_has_scatter(search, klass) &&
	       (search->session->options->task != TUNE_TASK_RECHECK || !winner->is_previous[klass]);
}

/* What holds only in the process that it was found in, say by the luck of where its buffers lie, does not hold. */
static void repeat_in_fresh_worker(struct tune_search *search, bool is_first)
{
	bool is_replaced = false;

	for (size_t i = 0; i < search->class_count && !tune_should_stop(search->session); i++) {
		if (!is_to_be_repeated(search, i) || (!is_first && !tune_race_is_close(search, i)))
			continue;
		if (!is_replaced)
			tune_session_replace_worker(search->session);
		is_replaced = true;
		tune_race_repeat(search, i);
	}
}

/* Where two are nearly as fast, one process more tells better which of them holds. */
static void repeat(struct tune_search *search)
{
	static const int processes[] = { [TUNE_QUICK] = 1, [TUNE_NORMAL] = 2, [TUNE_THOROUGH] = 4 };

	tune_report_phase("repetition");
	for (int i = 0; i < processes[search->session->options->effort]; i++)
		repeat_in_fresh_worker(search, i == 0);
}

/* A default that fails has no image, and a row that says why. */
static void confirm_defaults(struct tune_search *search)
{
	for (size_t i = 0; i < search->candidate_count && !tune_must_stop(search->session); i++) {
		struct tune_candidate *candidate = &search->candidates[i];

		if (candidate->build.is_default && candidate->verdict == TUNE_OK && !candidate->is_confirmed)
			confirm_modes(search, candidate);
	}
}

/* ---- The database ---- */

static const char *border_of(const struct tune_search *search, size_t klass)
{
	const struct tune_class *from = &search->classes[klass];

	if (from->high == srt_variant_max_count(&search->results[klass].winner->build.variant))
		return "reach";
	return from->is_crossover_measured ? "measured" : klass + 1 < search->class_count ? "middle" : "open";
}

/* A block variant ends with its tile, and the next class begins there. */
static void fit_range(struct tune_search *search, size_t klass)
{
	uint64_t most = srt_variant_max_count(&search->results[klass].winner->build.variant);
	struct tune_class *to = &search->classes[klass];

	if (to->high > most)
		to->high = most;
	if (klass + 1 < search->class_count)
		search->classes[klass + 1].low = to->high + 1;
}

static struct tune_row row_of(const struct tune_search *search, size_t klass)
{
	const struct tune_result *result = &search->results[klass];
	const struct tune_class *from = &search->classes[klass];
	struct tune_row row = { .count = from->timing.count, .low = from->low, .high = from->high,
				.us = result->summary.median, .low_us = result->summary.low,
				.high_us = result->summary.high, .copy_us = result->copy_us,
				.default_us = result->default_us };

	snprintf(row.problem, sizeof row.problem, "%s", search->name);
	snprintf(row.klass, sizeof row.klass, "%s", from->name);
	snprintf(row.variant, sizeof row.variant, "%s", result->winner->build.text);
	/* What a recheck leaves as it was is there for the reason that it was chosen for. */
	snprintf(row.reason, sizeof row.reason, "%s",
		search->session->options->task == TUNE_TASK_RECHECK && result->winner->is_previous[klass] &&
			search->earlier_reason[klass][0] ? search->earlier_reason[klass] : result->reason);
	snprintf(row.border, sizeof row.border, "%s", border_of(search, klass));
	row.bytes = 2.0 * (double)row.count * (double)tune_copied_bytes(&search->problem);
	for (size_t i = 0; i < search->candidate_count; i++)
		if (search->candidates[i].is_default[klass]) {
			snprintf(row.default_variant, sizeof row.default_variant, "%s",
				search->candidates[i].build.text);
			/* One that failed its last tests ran in the race, but is nothing that a program could have. */
			if (search->candidates[i].verdict != TUNE_OK)
				row.default_us = 0;
		}
	return row;
}

/* Times as the race left them; the winner's are those of the finals. */
static void record_class(struct tune_search *search, size_t klass)
{
	const struct tune_result *result = &search->results[klass];
	enum tune_effort effort = search->session->options->effort;
	char note[TUNE_NOTE_SIZE];

	for (size_t i = 0; i < search->candidate_count; i++) {
		const struct tune_candidate *candidate = &search->candidates[i];
		struct tune_summary summary = candidate->final[klass].count ? candidate->final[klass]
			: tune_summarise(&candidate->values[klass]);

		if (summary.count && candidate != result->winner && candidate->verdict == TUNE_OK)
			tune_record_trial(search, candidate, &search->classes[klass], TUNE_OK, &summary, NULL);
	}
	tune_resume_chosen_note(note, effort, result->reason);
	/* A class that time ran out on is to be searched again. */
	tune_record_trial(search, result->winner, &search->classes[klass], TUNE_OK, &result->summary,
		search->session->is_finishing ? result->reason : note);
}

static void record_images(struct tune_search *search)
{
	for (size_t i = 0; i < search->candidate_count; i++) {
		struct tune_candidate *candidate = &search->candidates[i];
		bool is_wanted = candidate->build.is_default;

		for (size_t k = 0; k < search->class_count; k++)
			is_wanted |= search->results[k].winner == candidate;
		if (!is_wanted || candidate->verdict != TUNE_OK || !candidate->build.is_verified)
			continue;
		tune_record_image(search->session, &candidate->build);
		for (size_t mode = 1; mode < search->session->options->mode_count; mode++) {
			struct srt_problem problem = in_mode(search, mode);
			struct tune_build *build = find_extra(search, &candidate->build, &problem);

			if (build && build->is_verified)
				tune_record_image(search->session, build);
		}
	}
}

bool tune_winners(struct tune_search *search)
{
	size_t chosen = 0;

	tune_report_phase("winners");
	compile_ahead(search);
	if (!confirm_winners(search))
		return false;
	if (!search->session->is_finishing) {
		repeat(search);
		if (!confirm_winners(search))
			return false;
		tune_crossovers(search);
		if (!confirm_winners(search))
			return false;
	}
	tune_report_phase("record");
	confirm_defaults(search);
	if (tune_must_stop(search->session))
		return false;
	tune_record_group(search->session);
	for (size_t i = 0; i < search->class_count; i++) {
		struct tune_row row;

		if (search->results[i].winner == NULL)
			continue;
		fit_range(search, i);
		row = row_of(search, i);
		tune_record_choice(search, &row);
		record_class(search, i);
		tune_report_choice(&row);
		chosen++;
	}
	record_images(search);
	tune_record_commit(search->session);
	return chosen == search->class_count;
}
