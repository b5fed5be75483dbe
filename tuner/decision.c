/* SPDX-License-Identifier: MIT
 *
 * What came of a race: the incumbent is replaced only by what is better beyond doubt and by enough to matter.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "knockout.h"

#define LEAST_GAIN 0.01          /* over the previous choice, so that choices stay */
#define LEAST_DEFAULT_GAIN 0.005 /* over the default: runs that differ in who beats it then differ by less than 1 % */
#define LEAST_ROUNDS 6 /* with fewer there is no interval */
#define NEARLY 0.015    /* of the best's time: what the luck of a process can make up for */
#define EXTRAS 4        /* of those, for a second look */

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

/* By how much the incumbent has to be beaten; where there is none, whoever is judged is judged as by a default. */
static double least_gain(const struct tune_knockout *knockout, int incumbent)
{
	return incumbent >= 0 && knockout->entries[incumbent].is_previous ? LEAST_GAIN : LEAST_DEFAULT_GAIN;
}

/* Without a spread, as of a modelled clock, the median is all there is. */
static bool beats(const struct tune_summary *ratio, double gain)
{
	return ratio->count > 0 && ratio->high > 0 && ratio->high < 1 && ratio->median <= 1 - gain;
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

			if (!beats(&ratio, least_gain(knockout, incumbent)))
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
		[TUNE_RULE_TWICE] = "takes %2$s of the time of the %1$s in a fresh process, and the least in all",
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
	} else if (decision->incumbent >= 0 && !beats(&decision->ratio, least_gain(knockout, decision->incumbent))) {
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

/* ---- Further processes ---- */

/* What won, what it won against, and the default, which the gain is told against; and who was nearly as fast, since a
 * process may favour one by a per cent, say by where its arrays lie. */
static bool is_needed(const struct tune_knockout *knockout, const struct tune_decision *decision, size_t entry)
{
	return (int)entry == decision->winner || entry == knockout->memory.judge ||
	       knockout->entries[entry].is_default;
}

static void forget_samples(struct tune_knockout *knockout)
{
	const struct tune_memory *memory = &knockout->memory;

	for (size_t i = 0; i < memory->count; i++) {
		memset(&knockout->finalists[i], 0, sizeof knockout->finalists[i]);
		knockout->finalists[i].entry = memory->entries[i];
	}
	knockout->finalist_count = memory->count;
	knockout->rounds_run = 0;
}

static void keep_few(struct tune_knockout *knockout, const struct tune_decision *decision)
{
	struct tune_memory *memory = &knockout->memory;
	size_t judge = (size_t)(decision->incumbent >= 0 ? decision->incumbent : decision->winner), extras = 0;
	double best = tune_knockout_ratio(knockout, (size_t)decision->winner, judge).median;
	int leader = tune_knockout_leader(knockout);

	memory->judge = judge;
	if (leader >= 0)
		best = fmin(best, tune_knockout_ratio(knockout, (size_t)leader, judge).median);
	for (size_t i = 0; i < knockout->finalist_count; i++) {
		size_t entry = knockout->finalists[i].entry;
		double ratio = tune_knockout_ratio(knockout, entry, judge).median;
		bool is_near = !knockout->entries[entry].is_out && ratio > 0 && ratio <= best * (1 + NEARLY);

		if (!is_needed(knockout, decision, entry) && (!is_near || extras++ >= EXTRAS))
			continue;
		memory->entries[memory->count] = entry;
		memory->first[memory->count] = ratio > 0 ? log(ratio) : 0;
		memory->fresh[memory->count] = 0;
		memory->processes[memory->count++] = ratio > 0 ? 0 : -1;
	}
}

static void remember(struct tune_knockout *knockout)
{
	struct tune_memory *memory = &knockout->memory;

	for (size_t i = 0; i < memory->count; i++) {
		struct tune_summary ratio = tune_knockout_ratio(knockout, memory->entries[i], memory->judge);

		if (!has_times(knockout, memory->entries[i]) || ratio.count < LEAST_ROUNDS)
			memory->processes[i] = -1;
		if (memory->processes[i] < 0)
			continue;
		memory->fresh[i] += log(ratio.median);
		memory->processes[i]++;
	}
}

static double mean_of(const struct tune_memory *memory, size_t i)
{
	return exp((memory->first[i] + memory->fresh[i]) / (memory->processes[i] + 1));
}

bool tune_knockout_is_close(const struct tune_knockout *knockout, const struct tune_decision *decision)
{
	const struct tune_memory *memory = &knockout->memory;
	double winner = 0;

	for (size_t i = 0; i < memory->count; i++)
		if ((int)memory->entries[i] == decision->winner && memory->processes[i] >= 0)
			winner = mean_of(memory, i);
	for (size_t i = 0; i < memory->count; i++)
		if ((int)memory->entries[i] != decision->winner && memory->processes[i] >= 0 &&
			fabs(mean_of(memory, i) / winner - 1) <= NEARLY)
			return winner > 0;
	return false;
}

/* The ratio to the judge over the processes; 0 where it is not to be chosen.  What had won already has to keep half of
 * the least gain since, what had not has to have all of it, on the whole, and to be faster here beyond doubt. */
static double merit(const struct tune_knockout *knockout, const struct tune_decision *decision, size_t i)
{
	const struct tune_memory *memory = &knockout->memory;
	double gain = least_gain(knockout, decision->incumbent);
	double all = mean_of(memory, i);

	if (memory->entries[i] == memory->judge || memory->processes[i] <= 0)
		return 0;
	if ((int)memory->entries[i] == decision->winner)
		return exp(memory->fresh[i] / memory->processes[i]) <= 1 - gain / 2 ? all : 0;
	return all <= 1 - gain && tune_knockout_ratio(knockout, memory->entries[i], memory->judge).high < 1 ? all : 0;
}

/* The best over all processes; the one that won stays where it is as good. */
static int best_of_all(const struct tune_knockout *knockout, const struct tune_decision *decision)
{
	const struct tune_memory *memory = &knockout->memory;
	double best = 0, own = 0;
	int winner = -1;

	for (size_t i = 0; i < memory->count; i++) {
		double value = merit(knockout, decision, i);

		if ((int)memory->entries[i] == decision->winner)
			own = value;
		if (value > 0 && (winner < 0 || value < best)) {
			winner = (int)memory->entries[i];
			best = value;
		}
	}
	return own > 0 && own <= best * (1 + TUNE_DECIDED) ? decision->winner : winner;
}

void tune_knockout_repeat(struct tune_decision *decision, struct tune_knockout *knockout, int rounds)
{
	uint64_t random = ~knockout->seed - (uint64_t)knockout->memory.count;
	int judge, winner;

	if (knockout->memory.count == 0)
		keep_few(knockout, decision);
	judge = (int)knockout->memory.judge;
	forget_samples(knockout);
	while (knockout->rounds_run < rounds && !knockout->must_stop(knockout->user))
		tune_knockout_round(knockout, &random);
	if (!has_times(knockout, (size_t)judge) ||
		tune_knockout_ratio(knockout, (size_t)decision->winner, (size_t)judge).count < LEAST_ROUNDS)
		return;
	remember(knockout);
	winner = best_of_all(knockout, decision);
	if (winner < 0)
		winner = judge;
	if (winner == decision->winner)
		return;
	decision->rule = winner == judge ? TUNE_RULE_WITHDRAWN : TUNE_RULE_TWICE;
	decision->ratio = tune_knockout_ratio(
		knockout, (size_t)(winner == judge ? decision->winner : winner), (size_t)judge);
	decision->winner = winner;
	explain(decision, knockout);
}
