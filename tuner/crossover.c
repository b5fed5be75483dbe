/* SPDX-License-Identifier: MIT
 *
 * Where one class's winner overtakes the next one's: measured between the two counts, by halving the ratio of counts,
 * both variants in turn at each step.  A count that both need as long for is a good border, wherever it lies exactly.
 */
#include <math.h>

#include "search.h"

#define ROUNDS 9
#define MODEL_ROUNDS 1 /* a modelled clock says the same every time */

static int steps_of(const struct tune_search *search)
{
	static const int steps[2][3] = { { 4, 5, 6 }, { 2, 4, 5 } };
	bool is_slow = search->classes[search->class_count - 1].timing.scans == 1;

	return steps[is_slow][search->session->options->effort];
}

/* The time of the upper class's winner in terms of the lower's; 0 where there is none. */
static double ratio_at(struct tune_search *search, size_t klass, uint64_t count)
{
	size_t element = tune_element_bytes(&search->problem);
	struct tune_timing timing =
		tune_class_between(&search->classes[klass], count, &search->session->device, element);
	int rounds = tune_race_has_scatter(search, klass) ? ROUNDS : MODEL_ROUNDS;
	struct tune_values ratios = {0};

	for (int i = 0; i < rounds && !tune_should_stop(search->session); i++) {
		double lower, upper;

		if (tune_race_sample(&lower, search, search->results[klass].winner, &timing, 1) == 1 &&
			tune_race_sample(&upper, search, search->results[klass + 1].winner, &timing, 1) == 1)
			tune_values_add(&ratios, upper / lower);
	}
	return tune_summarise(&ratios).median;
}

/* Counts are multiples of a warp's worth; what lies between them is no border that anybody would notice. */
static uint64_t middle_of(uint64_t low, uint64_t high)
{
	uint64_t middle = (uint64_t)sqrt((double)low * (double)high);

	return middle > 64 ? middle / 32 * 32 : middle;
}

/* Two choices that a recheck leaves have their border already, unless it is the mere middle of their counts. */
static bool keep(struct tune_search *search, size_t klass)
{
	struct tune_class *lower = &search->classes[klass], *upper = lower + 1;
	uint64_t border = search->earlier_high[klass];

	if (search->session->options->task != TUNE_TASK_RECHECK ||
		!search->results[klass].winner->is_previous[klass] ||
		!search->results[klass + 1].winner->is_previous[klass + 1])
		return false;
	if (border == lower->high || border < lower->timing.count || border >= upper->timing.count)
		return false;
	lower->high = border;
	upper->low = border + 1;
	lower->is_crossover_measured = true;
	return true;
}

static void measure(struct tune_search *search, size_t klass)
{
	struct tune_class *lower = &search->classes[klass], *upper = lower + 1;
	uint64_t most = srt_variant_max_count(&search->results[klass].winner->build.variant);
	uint64_t low = lower->timing.count, high = upper->timing.count;

	if (high > most)
		high = most;
	for (int i = 0; i < steps_of(search) && low < high; i++) {
		uint64_t middle = middle_of(low, high);
		double ratio = middle > low && middle < high ? ratio_at(search, klass, middle) : 0;

		if (ratio == 0)
			return;
		if (ratio < 1)
			high = middle;
		else
			low = middle;
	}
	lower->high = middle_of(low, high);
	/* What serves up to its own end does so where the next was slower at every step. */
	if (high == most)
		lower->high = most;
	upper->low = lower->high + 1;
	lower->is_crossover_measured = true;
}

void tune_crossovers(struct tune_search *search)
{
	tune_report_phase("crossovers");
	for (size_t i = 0; i + 1 < search->class_count; i++) {
		const struct tune_result *result = &search->results[i];

		if (result[0].winner && result[1].winner && result[0].winner != result[1].winner &&
			!keep(search, i) && !tune_should_stop(search->session))
			measure(search, i);
	}
}
