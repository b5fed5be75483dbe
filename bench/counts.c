/* SPDX-License-Identifier: MIT
 *
 * One plan over many counts: no cliff where one variant gives way to the next, and a time an element that does not
 * depend on the count.  All counts are timed in turn.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "status.h"
#include "table.h"

#define STEP 1.2
#define STEPS_LAST 10000000.0
#define STEPS_MAX 128
#define CLIFF 1.05            /* no count takes longer than the next larger one by more than this */
#define PAIR_ROUNDS 61
#define STEPS_WEIGHT 6
#define FLAT_FIRST 24
#define FLAT_LAST 32
#define FLATNESS 1.05
#define NO_STEP 1.01          /* from 2^31 and 2^32 to the counts just above */

/* One count of a plan. */
struct entry {
	uint64_t count;
	struct bench_scan scan;
	struct tune_ring ring;
	struct tune_contender contender;
	struct tune_summary summary;
	struct bench_copy copy;
	struct tune_contender copying;
	double copy_us; /* 0: not asked for */
};

struct counts {
	struct bench *bench;
	struct srt_problem problem;
	struct scanrt_plan *plan;
	struct entry *entries;
	size_t used;
	bool has_copies;    /* of the same bytes, in turn with the scans */
};

static void add_count(struct counts *counts, double wanted)
{
	uint64_t most = counts->bench->most_count, count = (uint64_t)wanted;

	count = count > most ? most : count;
	if (counts->used == STEPS_MAX || (counts->used && counts->entries[counts->used - 1].count >= count) ||
	    !bench_fits(counts->bench, &counts->problem, count))
		return;
	counts->entries[counts->used++].count = count;
}

static int prepare_entry(struct counts *counts, struct entry *entry)
{
	struct bench *bench = counts->bench;
	int status;

	entry->scan = (struct bench_scan){ .plan = counts->plan, .count = entry->count, .name = "scanrt" };
	entry->contender.enqueue = bench_enqueue_plan;
	entry->contender.user = &entry->scan;
	entry->ring = bench_ring(bench, &counts->problem, entry->count, BENCH_CONTIGUOUS);
	status = bench_fill(bench, &counts->problem, &entry->ring, entry->count, false);
	if (!status)
		status = bench_check(bench, &counts->problem, &entry->ring, &entry->contender, entry->count);
	if (!status)
		status = tune_contender_prepare(
			&entry->contender, &bench->contest, &entry->ring, bench->is_modelled ? 0 : 2);
	return status;
}

static int prepare_copy(struct counts *counts, struct entry *entry)
{
	struct bench *bench = counts->bench;

	entry->copy = (struct bench_copy){ .bench = bench, .kernel = bench->copy_kernel,
		.bytes = entry->count * srt_type_size(counts->problem.input_type) };
	entry->copying.enqueue = bench_enqueue_copy;
	entry->copying.user = &entry->copy;
	return tune_contender_prepare(&entry->copying, &bench->contest, &entry->ring, bench->is_modelled ? 0 : 2);
}

static int open_counts(struct counts *counts, struct bench *bench, const char *type)
{
	int code, status = srt_type_parse(&code, type);

	counts->bench = bench;
	counts->entries = calloc(STEPS_MAX, sizeof *counts->entries);
	if (counts->entries == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a list of counts");
	return status ? status : srt_problem_init_simple(&counts->problem, code, SCANRT_SUM);
}

/* All of them in turn; the arrays hold the inputs of one count at a time, and the checks come before. */
static int measure(struct counts *counts, double weight)
{
	struct bench *bench = counts->bench;
	struct tune_contender *list[2 * STEPS_MAX];
	size_t listed = 0;
	int status = bench_plan(&counts->plan, bench, &counts->problem, 0, counts->entries[0].count,
		counts->entries[counts->used - 1].count);

	for (size_t i = 0; !status && i < counts->used; i++) {
		list[listed++] = &counts->entries[i].contender;
		status = prepare_entry(counts, &counts->entries[i]);
		if (!status && counts->has_copies) {
			list[listed++] = &counts->entries[i].copying;
			status = prepare_copy(counts, &counts->entries[i]);
		}
	}
	if (!status)
		status = tune_contest_run(&bench->contest, list, listed, bench_least_rounds(bench),
			bench_most_rounds(bench), bench_spare_seconds(bench, weight));
	for (size_t i = 0; i < counts->used; i++) {
		counts->entries[i].summary = tune_summarise(&counts->entries[i].contender.values);
		counts->entries[i].copy_us = tune_summarise(&counts->entries[i].copying.values).median;
	}
	return status;
}

static int report(struct counts *counts)
{
	size_t element = srt_type_size(counts->problem.input_type);
	int status = SCANRT_OK;

	for (size_t i = 0; !status && i < counts->used; i++) {
		const struct entry *entry = &counts->entries[i];
		struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
		struct bench_result result = { .type = srt_type_name(counts->problem.input_type), .op = "sum",
					       .count = entry->count, .layout = "contiguous",
					       .description = &description, .ours = entry->summary,
					       .copy_us = entry->copy_us,
					       .bytes = 2.0 * (double)element * (double)entry->count };

		status = scanrt_plan_describe(counts->plan, entry->count, &description, NULL, 0);
		if (!status)
			bench_report(counts->bench, &result);
	}
	return status;
}

static void close_counts(struct counts *counts)
{
	for (size_t i = 0; i < counts->used; i++) {
		tune_contender_free(&counts->entries[i].contender, &counts->bench->contest);
		tune_contender_free(&counts->entries[i].copying, &counts->bench->contest);
	}
	free(counts->entries);
	scanrt_plan_destroy(counts->plan);
}

/* ---- No cliff ---- */

static double excess(const struct entry *entry)
{
	return entry[0].summary.median / entry[1].summary.median;
}

/* Among a hundred pairs some stand out by chance: those are timed again, by themselves and longer. */
static int measure_again(struct counts *counts, size_t pair)
{
	struct tune_contender *list[2] = { &counts->entries[pair].contender, &counts->entries[pair + 1].contender };
	int rounds = counts->bench->is_modelled ? 1 : PAIR_ROUNDS;
	int status;

	list[0]->values.count = list[1]->values.count = 0;
	status = tune_contest_run(&counts->bench->contest, list, 2, rounds, rounds, 0);
	for (size_t i = 0; i < 2; i++)
		counts->entries[pair + i].summary = tune_summarise(&list[i]->values);
	return status;
}

static int judge_steps(struct counts *counts)
{
	size_t worst = 0, cliffs = 0;
	int status = SCANRT_OK;

	for (size_t i = 0; !status && i + 1 < counts->used; i++)
		if (excess(&counts->entries[i]) > CLIFF)
			status = measure_again(counts, i);
	for (size_t i = 0; i + 1 < counts->used; i++) {
		cliffs += excess(&counts->entries[i]) > CLIFF;
		if (excess(&counts->entries[i]) > excess(&counts->entries[worst]))
			worst = i;
	}
	if (!status)
		status = report(counts);
	if (!status && counts->used > 1)
		bench_judge(counts->bench, cliffs == 0,
			"no count takes over 5 %% longer than the next larger one; cliffs: %zu, the worst %.3f, from %"
			PRIu64 " to %" PRIu64, cliffs, excess(&counts->entries[worst]), counts->entries[worst].count,
			counts->entries[worst + 1].count);
	return status;
}

int bench_run_steps(struct bench *bench)
{
	struct counts counts = {0};
	int status = open_counts(&counts, bench, "i32");

	for (double count = 1; !status && count < STEPS_LAST; count = count * STEP + 0.5)
		add_count(&counts, count);
	if (!status) {
		add_count(&counts, STEPS_LAST);
		status = measure(&counts, STEPS_WEIGHT);
	}
	if (!status)
		status = judge_steps(&counts);
	close_counts(&counts);
	return status;
}

/* ---- Flat ---- */

static double per_element(const struct entry *entry)
{
	return entry->summary.median / (double)entry->count;
}

static const struct entry *find(const struct counts *counts, uint64_t count)
{
	for (size_t i = 0; i < counts->used; i++)
		if (counts->entries[i].count == count)
			return &counts->entries[i];
	return NULL;
}

/* What a copy's time an element does is a bound of what a scan's can do: beside the target, for whoever judges. */
static void tell_flatness_of_copies(const struct counts *counts)
{
	double least = 0, most = 0;

	for (size_t i = 0; i < counts->used; i++) {
		double each = counts->entries[i].copy_us / (double)counts->entries[i].count;

		least = i == 0 || each < least ? each : least;
		most = each > most ? each : most;
	}
	bench_note(counts->bench, "the copy's time an element is flat within %.1f %%: %.4f ps to %.4f ps",
		least > 0 ? 100 * (most / least - 1) : 0, 1e6 * least, 1e6 * most);
}

static void judge_flat(const struct counts *counts)
{
	const struct entry *least = &counts->entries[0], *most = least;

	for (size_t i = 0; i < counts->used; i++) {
		const struct entry *entry = &counts->entries[i];

		least = per_element(entry) < per_element(least) ? entry : least;
		most = per_element(entry) > per_element(most) ? entry : most;
	}
	bench_judge(counts->bench, per_element(most) <= FLATNESS * per_element(least),
		"time an element is flat within 5 %%: %.4f ps at %" PRIu64 ", %.4f ps at %" PRIu64,
		1e6 * per_element(least), least->count, 1e6 * per_element(most), most->count);
	tell_flatness_of_copies(counts);
	for (int power = 31; power <= 32; power++) {
		const struct entry *at = find(counts, UINT64_C(1) << power);
		const struct entry *above = find(counts, (UINT64_C(1) << power) + 1);

		if (at && above)
			bench_judge(counts->bench, above->summary.median <= NO_STEP * at->summary.median,
				"just above 2^%d there is no step: %.2f us and %.2f us", power, at->summary.median,
				above->summary.median);
	}
}

int bench_run_flat(struct bench *bench)
{
	struct counts counts = { .has_copies = true };
	int last = bench->options.is_quick ? 31 : FLAT_LAST, status = open_counts(&counts, bench, "i32");

	for (int power = FLAT_FIRST; !status && power <= last; power++) {
		add_count(&counts, (double)(UINT64_C(1) << power));
		if (power >= 31) {
			add_count(&counts, (double)(UINT64_C(1) << power) + 1);
			add_count(&counts, (double)(UINT64_C(1) << power) + 4099);
		}
	}
	if (!status)
		status = measure(&counts, 2);
	if (!status)
		status = report(&counts);
	if (!status && counts.used > 1)
		judge_flat(&counts);
	close_counts(&counts);
	return status;
}
