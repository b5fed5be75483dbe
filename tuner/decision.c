/* SPDX-License-Identifier: MIT
 *
 * What came of a race: the incumbent is replaced only by what is better beyond doubt and by enough to matter.
 */
#include <stdio.h>
#include <string.h>

#include "knockout.h"

#define LEAST_GAIN 0.01
#define LEAST_ROUNDS 6 /* with fewer there is no interval */

static bool has_times(const struct tune_knockout *knockout, size_t entry)
{
	return !knockout->entries[entry].is_out && tune_knockout_times(knockout, entry).count > 0;
}

/* The previous choice, or else the default; -1 where neither runs. */
static int incumbent_of(const struct tune_knockout *knockout)
{
	int incumbent = -1;

	for (size_t i = 0; i < knockout->finalist_count; i++) {
		size_t entry = knockout->finalists[i].entry;

		if (!has_times(knockout, entry))
			continue;
		if (knockout->entries[entry].is_previous)
			return (int)entry;
		if (knockout->entries[entry].is_default)
			incumbent = (int)entry;
	}
	return incumbent;
}

/* Without a spread, as of a modelled clock, the median is all there is. */
static bool beats(const struct tune_summary *ratio)
{
	return ratio->count > 0 && ratio->high > 0 && ratio->high < 1 && ratio->median <= 1 - LEAST_GAIN;
}

static bool is_as_fast(const struct tune_knockout *knockout, const struct tune_finalist *finalist, int leader)
{
	struct tune_summary ratio = tune_knockout_ratio(knockout, finalist->entry, (size_t)leader);

	return !finalist->is_retired && has_times(knockout, finalist->entry) && ratio.low <= 1 &&
	       ratio.median <= 1 + TUNE_DECIDED;
}

static bool is_simpler(const struct tune_entry *a, const struct tune_entry *b)
{
	if (a->is_default != b->is_default)
		return a->is_default;
	return a->registers != b->registers ? a->registers < b->registers : a->tile < b->tile;
}

/* Of those that are as fast as the leader, and beat the incumbent as it does, the simplest. */
static int simplest(const struct tune_knockout *knockout, int leader, int incumbent)
{
	int best = leader;

	for (size_t i = 0; i < knockout->finalist_count; i++) {
		const struct tune_finalist *finalist = &knockout->finalists[i];

		if (!is_as_fast(knockout, finalist, leader) ||
			!is_simpler(&knockout->entries[finalist->entry], &knockout->entries[best]))
			continue;
		if (incumbent >= 0) {
			struct tune_summary ratio =
				tune_knockout_ratio(knockout, finalist->entry, (size_t)incumbent);

			if (!beats(&ratio))
				continue;
		}
		best = (int)finalist->entry;
	}
	return best;
}

/* "0.912 (0.908 to 0.915, 30 rounds)"; a modelled clock has no spread to tell. */
static void format_ratio(char *text, size_t size, const struct tune_summary *ratio)
{
	if (ratio->low < ratio->high)
		snprintf(text, size, "%.3f (%.3f to %.3f, %d rounds)", ratio->median, ratio->low, ratio->high,
			ratio->count);
	else
		snprintf(text, size, "%.3f", ratio->median);
}

static const char *role_of(const struct tune_knockout *knockout, const struct tune_decision *decision)
{
	if (decision->incumbent < 0)
		return "leader";
	return knockout->entries[decision->incumbent].is_previous ? "previous choice" : "default";
}

/* One sentence for people; the database keeps it. */
static void explain(struct tune_decision *decision, const struct tune_knockout *knockout)
{
	static const char *const forms[] = {
		[TUNE_RULE_NONE] = "",
		[TUNE_RULE_FASTEST] = "fastest of the finalists; no default takes part",
		[TUNE_RULE_STAYS] = "the %1$s is fastest",
		[TUNE_RULE_FASTER] = "takes %2$s of the time of the %1$s",
		[TUNE_RULE_SIMPLER] = "takes %2$s of the time of the %1$s; simplest of those as fast",
		[TUNE_RULE_TIE] = "the %1$s stays: the best takes %2$s of its time, which is no clear gain",
		[TUNE_RULE_WITHDRAWN] = "the %1$s stays: in a fresh process the best took %2$s of its time",
	};
	char text[64];

	format_ratio(text, sizeof text, &decision->ratio);
	snprintf(decision->reason, sizeof decision->reason, forms[decision->rule], role_of(knockout, decision), text);
}

void tune_knockout_decide(struct tune_decision *decision, const struct tune_knockout *knockout)
{
	int leader = tune_knockout_leader(knockout);
	int winner = leader;

	memset(decision, 0, sizeof *decision);
	decision->winner = decision->incumbent = -1;
	if (leader < 0)
		return;
	decision->incumbent = incumbent_of(knockout);
	if (decision->incumbent >= 0)
		decision->ratio = tune_knockout_ratio(knockout, (size_t)leader, (size_t)decision->incumbent);
	if (leader == decision->incumbent) {
		decision->rule = TUNE_RULE_STAYS;
	} else if (decision->incumbent >= 0 && !beats(&decision->ratio)) {
		decision->rule = TUNE_RULE_TIE;
		winner = decision->incumbent;
	} else {
		int other = decision->incumbent >= 0 ? decision->incumbent : leader;

		winner = simplest(knockout, leader, decision->incumbent);
		decision->rule = winner != leader	  ? TUNE_RULE_SIMPLER
			: decision->incumbent >= 0 ? TUNE_RULE_FASTER
						   : TUNE_RULE_FASTEST;
		decision->ratio = tune_knockout_ratio(knockout, (size_t)winner, (size_t)other);
	}
	decision->winner = winner;
	explain(decision, knockout);
}

/* ---- The second time ---- */

/* What won, what it won against, and the default, which the gain is told against. */
static void keep_few(struct tune_knockout *knockout, const struct tune_decision *decision)
{
	size_t used = 0;

	for (size_t i = 0; i < knockout->finalist_count; i++) {
		size_t entry = knockout->finalists[i].entry;

		if ((int)entry != decision->winner && (int)entry != decision->incumbent &&
			!knockout->entries[entry].is_default)
			continue;
		memset(&knockout->finalists[used], 0, sizeof knockout->finalists[used]);
		knockout->finalists[used++].entry = entry;
	}
	knockout->finalist_count = used;
	knockout->rounds_run = 0;
}

void tune_knockout_repeat(struct tune_decision *decision, struct tune_knockout *knockout, int rounds)
{
	uint64_t random = ~knockout->seed;
	struct tune_summary ratio;

	keep_few(knockout, decision);
	while (knockout->rounds_run < rounds && !knockout->must_stop(knockout->user))
		tune_knockout_round(knockout, &random);
	if (decision->incumbent < 0 || decision->winner == decision->incumbent)
		return;
	ratio = tune_knockout_ratio(knockout, (size_t)decision->winner, (size_t)decision->incumbent);
	if (!has_times(knockout, (size_t)decision->incumbent) || ratio.count < LEAST_ROUNDS ||
		ratio.median <= 1 - LEAST_GAIN / 2)
		return;
	decision->rule = TUNE_RULE_WITHDRAWN;
	decision->ratio = ratio;
	decision->winner = decision->incumbent;
	explain(decision, knockout);
}
