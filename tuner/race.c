/* SPDX-License-Identifier: MIT
 *
 * The race of one class.  Few samples rule out the slow; more samples choose finalists; the finalists and the
 * incumbent then run in rounds, each once a round in random order, so that whatever the clock does it does to all of
 * them alike.  The incumbent, which is the previous choice or else the default, is replaced only by what is better
 * beyond doubt and by enough to matter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "search.h"

#define SLOW 1.5              /* times the best after the first samples: out */
#define NEAR 1.05             /* times the best after more: into the finals */
#define MORE_SAMPLES 10
#define FINALISTS_MAX 8
#define PINNED_MAX 4
#define LEAST_ROUNDS 12       /* before a decision may be taken */
#define DECIDED 0.005         /* half width of the ratio's interval that is narrow enough */
#define LEAST_GAIN 0.01

struct finals {
	struct tune_candidate *list[FINALISTS_MAX + PINNED_MAX];
	struct tune_values values[FINALISTS_MAX + PINNED_MAX];
	size_t count;
};

static bool runs(const struct tune_candidate *candidate, size_t klass)
{
	return candidate->verdict == TUNE_OK && candidate->build.is_verified && !candidate->is_out[klass] &&
	       candidate->values[klass].count > 0;
}

static bool is_pinned(const struct tune_candidate *candidate, size_t klass)
{
	return candidate->is_default[klass] || candidate->is_previous[klass];
}

static double median_of(const struct tune_candidate *candidate, size_t klass)
{
	return tune_summarise(&candidate->values[klass]).median;
}

static double best_of(const struct tune_search *search, size_t klass)
{
	double best = 0;

	for (size_t i = 0; i < search->candidate_count; i++) {
		const struct tune_candidate *candidate = &search->candidates[i];

		if (runs(candidate, klass) && (best == 0 || median_of(candidate, klass) < best))
			best = median_of(candidate, klass);
	}
	return best;
}

static void drop_slower(struct tune_search *search, size_t klass, double factor)
{
	double best = best_of(search, klass);

	for (size_t i = 0; i < search->candidate_count; i++) {
		struct tune_candidate *candidate = &search->candidates[i];

		if (runs(candidate, klass) && !is_pinned(candidate, klass) &&
		    median_of(candidate, klass) > factor * best)
			candidate->is_out[klass] = true;
	}
}

/* A clock that says the same three times is a model, and will say it again. */
static bool is_constant(const struct tune_values *values)
{
	for (int i = 1; i < values->count; i++)
		if (values->list[i] != values->list[0])
			return false;
	return values->count >= TUNE_MODEL_VALUES;
}

static void sample_all(struct tune_search *search, size_t klass, int samples)
{
	for (size_t i = 0; i < search->candidate_count && !tune_should_stop(search->session); i++)
		if (runs(&search->candidates[i], klass) && !is_constant(&search->candidates[i].values[klass]))
			tune_candidate_time(search, &search->candidates[i], klass, samples);
}

/* ---- Finals ---- */

struct merit {
	struct tune_candidate *candidate;
	double us;
};

static int compare_medians(const void *left, const void *right)
{
	const struct merit *a = left, *b = right;

	return (a->us > b->us) - (a->us < b->us);
}

/* The pinned ones, and the fastest of the rest. */
static bool choose_finalists(struct finals *finals, struct tune_search *search, size_t klass)
{
	struct merit *order = calloc(search->candidate_count, sizeof *order);
	size_t count = 0, fast = 0;

	if (order == NULL)
		return false;
	for (size_t i = 0; i < search->candidate_count; i++)
		if (runs(&search->candidates[i], klass)) {
			order[count].candidate = &search->candidates[i];
			order[count++].us = median_of(&search->candidates[i], klass);
		}
	qsort(order, count, sizeof *order, compare_medians);
	for (size_t i = 0; i < count && finals->count < FINALISTS_MAX + PINNED_MAX; i++) {
		bool is_kept = is_pinned(order[i].candidate, klass);

		if (!is_kept && fast < FINALISTS_MAX)
			is_kept = ++fast > 0;
		if (is_kept)
			finals->list[finals->count++] = order[i].candidate;
	}
	free(order);
	return finals->count > 0;
}

static int incumbent_of(const struct finals *finals, size_t klass)
{
	int incumbent = -1;

	for (size_t i = 0; i < finals->count; i++) {
		if (!runs(finals->list[i], klass))
			continue;
		if (finals->list[i]->is_previous[klass])
			return (int)i;
		if (finals->list[i]->is_default[klass])
			incumbent = (int)i;
	}
	return incumbent;
}

static int leader_of(const struct finals *finals, size_t klass)
{
	int leader = -1;
	double best = 0;

	for (size_t i = 0; i < finals->count; i++) {
		double us = tune_summarise(&finals->values[i]).median;

		if (runs(finals->list[i], klass) && finals->values[i].count && (leader < 0 || us < best)) {
			leader = (int)i;
			best = us;
		}
	}
	return leader;
}

/* Of the times of two finalists, round by round. */
static struct tune_summary ratio_of(const struct finals *finals, int of, int to)
{
	struct tune_values ratios = {0};
	const struct tune_values *a = &finals->values[of], *b = &finals->values[to];
	int rounds = a->count < b->count ? a->count : b->count;

	for (int i = 0; i < rounds; i++)
		tune_values_add(&ratios, a->list[i] / b->list[i]);
	return tune_summarise(&ratios);
}

static void run_round(struct finals *finals, struct tune_search *search, size_t klass, uint64_t *random)
{
	size_t order[FINALISTS_MAX + PINNED_MAX];

	for (size_t i = 0; i < finals->count; i++) {
		size_t j = tune_random(random) % (i + 1);

		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; i < finals->count; i++) {
		struct tune_candidate *candidate = finals->list[order[i]];

		if (runs(candidate, klass) && tune_candidate_time(search, candidate, klass, 1) == TUNE_OK)
			tune_values_add(&finals->values[order[i]],
				candidate->values[klass].list[candidate->values[klass].count - 1]);
	}
}

static bool is_decided(const struct finals *finals, size_t klass)
{
	int leader = leader_of(finals, klass), incumbent = incumbent_of(finals, klass);
	struct tune_summary ratio;

	/* All that were ever taken: then one round told what there is to know. */
	if (leader < 0 || is_constant(&finals->list[leader]->values[klass]))
		return true;
	if (finals->values[leader].count < LEAST_ROUNDS)
		return false;
	/* Against itself, or without an incumbent, the leader's own interval decides. */
	if (incumbent < 0 || incumbent == leader) {
		ratio = tune_summarise(&finals->values[leader]);
		return ratio.count >= LEAST_ROUNDS && ratio.high - ratio.low <= 2 * DECIDED * ratio.median;
	}
	ratio = ratio_of(finals, leader, incumbent);
	return ratio.high - ratio.low <= 2 * DECIDED;
}

static void run_finals(struct finals *finals, struct tune_search *search, size_t klass)
{
	static const int most[] = { [TUNE_QUICK] = 30, [TUNE_NORMAL] = 60, [TUNE_THOROUGH] = 200 };
	int rounds = search->session->is_finishing ? LEAST_ROUNDS : most[search->session->options->effort];
	uint64_t random = search->session->options->seed + klass;

	for (int i = 0; i < rounds && !tune_must_stop(search->session) && (i == 0 || !is_decided(finals, klass)); i++)
		run_round(finals, search, klass, &random);
}

/* ---- The decision ---- */

/* "0.912 (0.908 to 0.915, 30 rounds)"; a modelled clock has no spread to tell. */
static void format_ratio(char *text, size_t size, const struct tune_summary *ratio)
{
	if (ratio->low > 0)
		snprintf(text, size, "%.3f (%.3f to %.3f, %d rounds)", ratio->median, ratio->low, ratio->high,
			ratio->count);
	else
		snprintf(text, size, "%.3f", ratio->median);
}

/* Whether the leader takes the incumbent's place. */
static bool beats(const struct finals *finals, int leader, int incumbent, size_t klass, const char *role, char *reason,
	size_t size)
{
	struct tune_summary ratio = ratio_of(finals, leader, incumbent);
	bool is_certain = ratio.high < 1 || is_constant(&finals->list[leader]->values[klass]);
	bool is_better = is_certain && ratio.median <= 1 - LEAST_GAIN;
	char text[64];

	format_ratio(text, sizeof text, &ratio);
	if (is_better)
		snprintf(reason, size, "takes %s of the time of the %s", text, role);
	else
		snprintf(reason, size, "the %s stays: the best takes %s of its time, which is no clear gain", role,
			text);
	return is_better;
}

static void decide(struct tune_search *search, const struct finals *finals, size_t klass)
{
	struct tune_result *result = &search->results[klass];
	int leader = leader_of(finals, klass), incumbent = incumbent_of(finals, klass);
	bool is_previous = incumbent >= 0 && finals->list[incumbent]->is_previous[klass];
	const char *role = is_previous ? "previous choice" : "default";

	if (leader < 0)
		return;
	if (incumbent < 0)
		snprintf(result->reason, sizeof result->reason, "fastest of %zu finalists; no default takes part",
			finals->count);
	else if (incumbent == leader)
		snprintf(result->reason, sizeof result->reason, "the %s is fastest", role);
	else if (!beats(finals, leader, incumbent, klass, role, result->reason, sizeof result->reason))
		leader = incumbent;
	result->winner = finals->list[leader];
	result->summary = tune_summarise(&finals->values[leader]);
	if (is_constant(&result->winner->values[klass]))
		result->summary = tune_summarise(&result->winner->values[klass]);
}

static void find_default(struct tune_search *search, const struct finals *finals, size_t klass)
{
	for (size_t i = 0; i < finals->count; i++)
		if (finals->list[i]->is_default[klass] && runs(finals->list[i], klass))
			search->results[klass].default_us = tune_summarise(&finals->values[i]).median;
}

void tune_race(struct tune_search *search, size_t klass)
{
	struct finals *finals = calloc(1, sizeof *finals);

	search->results[klass].winner = NULL;
	if (finals == NULL)
		return;
	tune_report_phase("race");
	drop_slower(search, klass, SLOW);
	if (!search->session->is_finishing)
		sample_all(search, klass, MORE_SAMPLES);
	drop_slower(search, klass, NEAR);
	if (choose_finalists(finals, search, klass)) {
		run_finals(finals, search, klass);
		decide(search, finals, klass);
		find_default(search, finals, klass);
	}
	free(finals);
}
