/* SPDX-License-Identifier: MIT
 *
 * The race; decision.c says what came of it.
 */
#include "knockout.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"

#define SLOW 1.5              /* times the best after the first samples: out */
#define MORE_SAMPLES 10
#define LEAST_ROUNDS 12       /* before a decision may be taken */
#define ROUNDS_BETWEEN 6      /* looks at who is beaten: with fewer rounds there is no interval */

static bool runs(const struct tune_entry *entry)
{
	return !entry->is_out && entry->values->count > 0;
}

static bool is_pinned(const struct tune_entry *entry)
{
	return entry->is_default || entry->is_previous || entry->is_related;
}

/* A clock that says the same three times is a model, and will say it again. */
static bool is_constant(const struct tune_values *values)
{
	for (int i = 1; i < values->count; i++)
		if (values->list[i] != values->list[0])
			return false;
	return values->count >= TUNE_MODEL_VALUES;
}

static int sample(double *us, struct tune_knockout *knockout, size_t entry, int samples)
{
	int taken = knockout->sample(knockout->user, entry, us, samples);

	if (taken < 0)
		knockout->entries[entry].is_out = true;
	return taken;
}

/* ---- Before the finals ---- */

static double best_of(const struct tune_knockout *knockout)
{
	double best = 0;

	for (size_t i = 0; i < knockout->count; i++) {
		double us = runs(&knockout->entries[i]) ? tune_summarise(knockout->entries[i].values).median : 0;

		if (us > 0 && (best == 0 || us < best))
			best = us;
	}
	return best;
}

static void drop_slower(struct tune_knockout *knockout, double factor)
{
	double best = best_of(knockout);

	for (size_t i = 0; i < knockout->count; i++) {
		struct tune_entry *entry = &knockout->entries[i];

		if (runs(entry) && !is_pinned(entry) && tune_summarise(entry->values).median > factor * best)
			entry->is_out = true;
	}
}

static void sample_more(struct tune_knockout *knockout)
{
	double us[MORE_SAMPLES];

	for (size_t i = 0; i < knockout->count && !knockout->must_stop(knockout->user); i++) {
		struct tune_entry *entry = &knockout->entries[i];
		int taken = runs(entry) && !is_constant(entry->values) ? sample(us, knockout, i, MORE_SAMPLES) : 0;

		for (int k = 0; k < taken; k++)
			tune_values_add(entry->values, us[k]);
	}
}

struct merit {
	size_t entry;
	double us;
};

static int compare_merits(const void *left, const void *right)
{
	const struct merit *a = left, *b = right;

	return (a->us > b->us) - (a->us < b->us);
}

/* The pinned ones, and the fastest of the rest.  No factor decides here: where times scatter, the true best may well
 * look 5 % slower than what looks best. */
static void choose_finalists(struct tune_knockout *knockout)
{
	struct merit *order = calloc(knockout->count + 1, sizeof *order);
	size_t count = 0, fast = 0, pinned = 0;

	knockout->finalist_count = 0;
	for (size_t i = 0; order && i < knockout->count; i++)
		if (runs(&knockout->entries[i]))
			order[count++] = (struct merit){ i, tune_summarise(knockout->entries[i].values).median };
	if (order)
		qsort(order, count, sizeof *order, compare_merits);
	for (size_t i = 0; i < count; i++) {
		bool has_pin = is_pinned(&knockout->entries[order[i].entry]);

		if (has_pin ? pinned++ < TUNE_PINNED_MAX : fast++ < TUNE_FINALISTS_MAX) {
			struct tune_finalist *finalist = &knockout->finalists[knockout->finalist_count++];

			memset(finalist, 0, sizeof *finalist);
			finalist->entry = order[i].entry;
		}
	}
	free(order);
}

/* ---- Rounds ---- */

static bool is_open(const struct tune_knockout *knockout, const struct tune_finalist *finalist)
{
	return !finalist->is_retired && !knockout->entries[finalist->entry].is_out;
}

static struct tune_summary times_of(const struct tune_finalist *finalist, int rounds)
{
	struct tune_values values = {0};

	for (int i = 0; i < rounds; i++)
		if (finalist->us[i] > 0)
			tune_values_add(&values, finalist->us[i]);
	return tune_summarise(&values);
}

static struct tune_summary ratio_of(const struct tune_finalist *of, const struct tune_finalist *to, int rounds)
{
	struct tune_values ratios = {0};

	for (int i = 0; i < rounds; i++)
		if (of->us[i] > 0 && to->us[i] > 0)
			tune_values_add(&ratios, of->us[i] / to->us[i]);
	return tune_summarise(&ratios);
}

static const struct tune_finalist *find(const struct tune_knockout *knockout, size_t entry)
{
	for (size_t i = 0; i < knockout->finalist_count; i++)
		if (knockout->finalists[i].entry == entry)
			return &knockout->finalists[i];
	return NULL;
}

struct tune_summary tune_knockout_times(const struct tune_knockout *knockout, size_t entry)
{
	const struct tune_finalist *finalist = find(knockout, entry);

	return finalist ? times_of(finalist, knockout->rounds_run) : (struct tune_summary){0};
}

struct tune_summary tune_knockout_ratio(const struct tune_knockout *knockout, size_t of, size_t to)
{
	const struct tune_finalist *a = find(knockout, of), *b = find(knockout, to);

	return a && b ? ratio_of(a, b, knockout->rounds_run) : (struct tune_summary){0};
}

static const struct tune_finalist *leader_of(const struct tune_knockout *knockout)
{
	const struct tune_finalist *leader = NULL;
	double best = 0;

	for (size_t i = 0; i < knockout->finalist_count; i++) {
		struct tune_summary times = times_of(&knockout->finalists[i], knockout->rounds_run);

		if (is_open(knockout, &knockout->finalists[i]) && times.count && (!leader || times.median < best)) {
			leader = &knockout->finalists[i];
			best = times.median;
		}
	}
	return leader;
}

int tune_knockout_leader(const struct tune_knockout *knockout)
{
	const struct tune_finalist *leader = leader_of(knockout);

	return leader ? (int)leader->entry : -1;
}

void tune_knockout_round(struct tune_knockout *knockout, uint64_t *random)
{
	size_t order[TUNE_FINALISTS_MAX + TUNE_PINNED_MAX];

	for (size_t i = 0; i < knockout->finalist_count; i++) {
		size_t j = tune_random(random) % (i + 1);

		order[i] = i;
		order[i] = order[j];
		order[j] = i;
	}
	for (size_t i = 0; i < knockout->finalist_count; i++) {
		struct tune_finalist *finalist = &knockout->finalists[order[i]];
		double us;

		if (is_open(knockout, finalist) && sample(&us, knockout, finalist->entry, 1) == 1)
			finalist->us[knockout->rounds_run] = us;
	}
	knockout->rounds_run++;
}

/* The pinned ones stay to the end: whoever leads then is compared with them, round by round. */
static void retire_beaten(struct tune_knockout *knockout)
{
	const struct tune_finalist *leader = leader_of(knockout);

	for (size_t i = 0; leader && i < knockout->finalist_count; i++) {
		struct tune_finalist *finalist = &knockout->finalists[i];
		struct tune_summary ratio;

		if (finalist == leader || is_pinned(&knockout->entries[finalist->entry]) ||
			!is_open(knockout, finalist))
			continue;
		ratio = ratio_of(finalist, leader, knockout->rounds_run);
		finalist->is_retired = ratio.low > 1;
	}
}

/* The leader, and whoever is still beside it, are known well enough. */
static bool is_decided(const struct tune_knockout *knockout)
{
	const struct tune_finalist *leader = leader_of(knockout);
	struct tune_summary own;

	if (!leader)
		return true;
	own = times_of(leader, knockout->rounds_run);
	if (own.count < LEAST_ROUNDS || own.high - own.low > 4 * TUNE_DECIDED * own.median)
		return false;
	for (size_t i = 0; i < knockout->finalist_count; i++) {
		struct tune_summary ratio = ratio_of(&knockout->finalists[i], leader, knockout->rounds_run);

		if (&knockout->finalists[i] != leader && is_open(knockout, &knockout->finalists[i]) &&
		    (ratio.low == 0 || ratio.high - ratio.low > 2 * TUNE_DECIDED))
			return false;
	}
	return true;
}

/* Of a modelled clock all is known already: its one time stands for a round. */
static bool take_constants(struct tune_knockout *knockout)
{
	for (size_t i = 0; i < knockout->finalist_count; i++)
		if (!is_constant(knockout->entries[knockout->finalists[i].entry].values))
			return false;
	for (size_t i = 0; i < knockout->finalist_count; i++)
		for (int k = 0; k < TUNE_MODEL_VALUES; k++)
			knockout->finalists[i].us[k] =
				knockout->entries[knockout->finalists[i].entry].values->list[0];
	knockout->rounds_run = TUNE_MODEL_VALUES;
	return true;
}

static void run_finals(struct tune_knockout *knockout)
{
	uint64_t random = knockout->seed;
	int most = knockout->rounds < TUNE_ROUNDS_MAX ? knockout->rounds : TUNE_ROUNDS_MAX;

	knockout->rounds_run = 0;
	if (take_constants(knockout))
		return;
	while (knockout->rounds_run < most &&
		(knockout->rounds_run == 0 || (!knockout->must_stop(knockout->user) && !is_decided(knockout)))) {
		tune_knockout_round(knockout, &random);
		if (knockout->rounds_run % ROUNDS_BETWEEN == 0)
			retire_beaten(knockout);
	}
}

void tune_knockout_run(struct tune_knockout *knockout)
{
	knockout->memory.count = 0;
	drop_slower(knockout, SLOW);
	sample_more(knockout);
	drop_slower(knockout, SLOW);
	choose_finalists(knockout);
	run_finals(knockout);
}
