/* SPDX-License-Identifier: MIT
 *
 * The race of one class, on the device: knockout.c decides, and this takes its samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "record.h"
#include "search.h"

#define NOISY_CLOCK 0.75   /* of the run's median SM clock: a sample taken at less is worth nothing */
#define PLAUSIBLE 1.05      /* times the copy's speed; faster has not moved all the data */
#define CLOCK_SECONDS 0.02 /* between two readings of it */
#define NOISY_LEAST 8      /* samples, before a variant is given up as noisy */

struct tune_race {
	struct tune_knockout knockout;
	struct tune_search *search;
	size_t klass;
	double until; /* rounds end then, decided or not */
	struct tune_entry entries[];
};

/* Of every class; a noisy machine could make the finals as long as it likes. */
static double seconds_of(enum tune_effort effort)
{
	return effort == TUNE_QUICK ? 0.6 : effort == TUNE_NORMAL ? 4 : 20;
}

static int rounds_of(const struct tune_session *session)
{
	static const int most[] = { [TUNE_QUICK] = 30, [TUNE_NORMAL] = 100, [TUNE_THOROUGH] = TUNE_ROUNDS_MAX };

	return session->is_finishing ? 12 : most[session->options->effort];
}

static bool must_stop(void *user)
{
	const struct tune_race *race = user;

	return tune_should_stop(race->search->session) || (race->until > 0 && tune_now() >= race->until);
}

/* Asking can take longer than a sample of a small count does; the clock is not that quick to change. */
static int clock_of(struct tune_session *session)
{
	double now = tune_now();

	if (session->monitor && now - session->clock_read >= CLOCK_SECONDS) {
		session->clock_read = now;
		session->clock_mhz = tune_monitor_clock(session->monitor);
	}
	return session->clock_mhz;
}

/* A sample at a clock far below the usual one says something of the clock, and nothing of the variant. */
static bool is_slowed(struct tune_session *session, int clock_mhz)
{
	double usual;

	if (clock_mhz <= 0)
		return false;
	tune_values_add(&session->clocks, clock_mhz);
	usual = tune_summarise(&session->clocks).median;
	return clock_mhz < NOISY_CLOCK * usual;
}

int tune_race_sample(double *us, struct tune_search *search, struct tune_candidate *candidate,
	const struct tune_timing *timing, int samples)
{
	struct tune_slot_reply reply;
	enum tune_verdict verdict = tune_candidate_time(&reply, search, candidate, timing, samples);
	char note[TUNE_NOTE_SIZE];
	int mhz;

	if (verdict != TUNE_OK)
		return -1;
	mhz = clock_of(search->session);
	candidate->clock_mhz = mhz ? mhz : candidate->clock_mhz;
	candidate->samples += reply.sample_count;
	if (!is_slowed(search->session, mhz)) {
		memcpy(us, reply.us, (size_t)reply.sample_count * sizeof *us);
		return reply.sample_count;
	}
	candidate->slowed += reply.sample_count;
	if (candidate->samples < NOISY_LEAST || 2 * candidate->slowed <= candidate->samples)
		return 0;
	snprintf(note, sizeof note,
		"%d of %d samples at a clock below three quarters of the usual one, the last at %d MHz",
		candidate->slowed, candidate->samples, mhz);
	tune_candidate_fail(search, candidate, TUNE_NOISY, note);
	return -1;
}

/* The copy is a ceiling only where the data comes from memory. */
bool tune_race_is_plausible(struct tune_search *search, struct tune_candidate *candidate, size_t klass, double us)
{
	double copy_us = search->results[klass].copy_us;
	char note[TUNE_NOTE_SIZE];

	if (!search->classes[klass].is_streaming || us * PLAUSIBLE >= copy_us)
		return true;
	snprintf(note, sizeof note, "%.2f us for %s, where a copy takes %.2f us", us, search->classes[klass].name,
		copy_us);
	tune_candidate_fail(search, candidate, TUNE_IMPLAUSIBLE, note);
	tune_record_trial(search, candidate, NULL, TUNE_IMPLAUSIBLE, NULL, note);
	return false;
}

static int sample(void *user, size_t entry, double *us, int samples)
{
	struct tune_race *race = user;
	struct tune_search *search = race->search;

	return tune_race_sample(us, search, &search->candidates[entry], &search->classes[race->klass].timing, samples);
}

static void enter(struct tune_entry *entry, struct tune_candidate *candidate, size_t klass)
{
	entry->values = &candidate->values[klass];
	entry->is_out = candidate->verdict != TUNE_OK || !candidate->build.is_verified || candidate->is_out[klass];
	entry->is_default = candidate->is_default[klass];
	entry->is_previous = candidate->is_previous[klass];
	entry->is_related = candidate->is_related[klass];
	entry->registers = candidate->build.registers;
	entry->tile = srt_variant_tile(&candidate->build.variant);
}

static struct tune_race *create(struct tune_search *search, size_t klass)
{
	struct tune_session *session = search->session;
	struct tune_race *race = calloc(1, sizeof *race + search->candidate_count * sizeof race->entries[0]);

	if (race == NULL)
		return NULL;
	race->search = search;
	race->klass = klass;
	race->until = tune_now() + seconds_of(session->options->effort);
	for (size_t i = 0; i < search->candidate_count; i++)
		enter(&race->entries[i], &search->candidates[i], klass);
	race->knockout.entries = race->entries;
	race->knockout.count = search->candidate_count;
	race->knockout.sample = sample;
	race->knockout.must_stop = must_stop;
	race->knockout.user = race;
	race->knockout.seed = session->options->seed + klass;
	race->knockout.rounds = rounds_of(session);
	return race;
}

/* What is known of a finalist beside the one that was chosen. */
static void keep_ratios(struct tune_search *search, const struct tune_race *race, int winner)
{
	for (size_t i = 0; i < search->candidate_count; i++) {
		struct tune_candidate *candidate = &search->candidates[i];

		candidate->final[race->klass] = tune_knockout_times(&race->knockout, i);
		candidate->ratio[race->klass] = tune_knockout_ratio(&race->knockout, i, (size_t)winner);
	}
}

static void take(struct tune_search *search, const struct tune_race *race, const struct tune_decision *decision)
{
	struct tune_result *result = &search->results[race->klass];

	result->winner = decision->winner < 0 ? NULL : &search->candidates[decision->winner];
	result->decision = *decision;
	if (result->winner == NULL)
		return;
	result->summary = tune_knockout_times(&race->knockout, (size_t)decision->winner);
	snprintf(result->reason, sizeof result->reason, "%s", decision->reason);
	for (size_t i = 0; i < search->candidate_count; i++)
		if (race->entries[i].is_default && tune_knockout_times(&race->knockout, i).count)
			result->default_us = tune_knockout_times(&race->knockout, i).median;
}

static void run(struct tune_search *search, size_t klass)
{
	struct tune_race *race = create(search, klass);
	struct tune_decision decision;

	tune_race_free(search, klass);
	search->results[klass].winner = NULL;
	if (race == NULL)
		return;
	tune_report_phase("race");
	tune_knockout_run(&race->knockout);
	tune_knockout_decide(&decision, &race->knockout);
	take(search, race, &decision);
	if (decision.winner >= 0)
		keep_ratios(search, race, decision.winner);
	search->results[klass].race = race;
}

/* The finals may tell what the first samples did not. */
void tune_race(struct tune_search *search, size_t klass)
{
	const struct tune_result *result = &search->results[klass];

	do
		run(search, klass);
	while (result->winner && !tune_race_is_plausible(search, result->winner, klass, result->summary.median));
}

/* Those of the finals, which were of the one that had been chosen. */
static void refer_ratios_to(struct tune_search *search, size_t klass, const struct tune_candidate *winner)
{
	double by = winner->ratio[klass].median;

	for (size_t i = 0; by > 0 && i < search->candidate_count; i++) {
		struct tune_summary *ratio = &search->candidates[i].ratio[klass];

		ratio->median /= by;
		ratio->low /= by;
		ratio->high /= by;
	}
}

/* For a worker that knows nothing of the first time.  A modelled clock would say the same again. */
void tune_race_repeat(struct tune_search *search, size_t klass)
{
	static const int rounds[] = { [TUNE_QUICK] = 9, [TUNE_NORMAL] = 15, [TUNE_THOROUGH] = 30 };
	struct tune_race *race = search->results[klass].race;
	struct tune_decision decision = search->results[klass].decision;
	int before = decision.winner;

	race->until = 0;
	tune_knockout_repeat(&decision, &race->knockout, rounds[search->session->options->effort]);
	if (tune_knockout_times(&race->knockout, (size_t)decision.winner).count == 0)
		return;
	take(search, race, &decision);
	if (decision.winner != before)
		refer_ratios_to(search, klass, &search->candidates[decision.winner]);
}

bool tune_race_is_close(const struct tune_search *search, size_t klass)
{
	const struct tune_result *result = &search->results[klass];

	return result->race && tune_knockout_is_close(&result->race->knockout, &result->decision);
}

bool tune_race_has_scatter(const struct tune_search *search, size_t klass)
{
	const struct tune_summary *summary = &search->results[klass].summary;

	return search->results[klass].race && summary->low < summary->high;
}

void tune_race_free(struct tune_search *search, size_t klass)
{
	free(search->results[klass].race);
	search->results[klass].race = NULL;
}
