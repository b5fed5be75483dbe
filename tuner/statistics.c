/* SPDX-License-Identifier: MIT
 *
 * Medians and their intervals.  Nothing is assumed of how times are distributed: they have long tails to one side.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

#define LEAST_FOR_INTERVAL 6 /* with fewer, even the range from least to most covers the median in under 95 % */

void tune_values_add(struct tune_values *values, double value)
{
	if (values->count == TUNE_VALUES_MAX) {
		memmove(values->list, values->list + 1, (TUNE_VALUES_MAX - 1) * sizeof values->list[0]);
		values->count--;
	}
	values->list[values->count++] = value;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* How many values from either end lie outside of the interval.  The number of values below the median is binomial with
 * an even chance, so that the r-th smallest and the r-th largest enclose it with probability 1 - 2 P(fewer than r). */
static int rank_of(int n)
{
	double chance = ldexp(1, -n), outside = chance;
	int rank = 0;

	while (2 * outside <= 0.05) {
		rank++;
		chance *= (double)(n - rank + 1) / rank;
		outside += chance;
	}
	return rank > 0 ? rank - 1 : 0;
}

struct tune_summary tune_summarise(const struct tune_values *values)
{
	struct tune_summary summary = { .count = values->count };
	double sorted[TUNE_VALUES_MAX];
	int n = values->count;
	int rank;

	if (n == 0)
		return summary;
	memcpy(sorted, values->list, (size_t)n * sizeof sorted[0]);
	qsort(sorted, (size_t)n, sizeof sorted[0], compare);
	summary.median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	/* A modelled clock says the same every time: there is nothing to be uncertain of. */
	if (n >= TUNE_MODEL_VALUES && sorted[0] == sorted[n - 1])
		summary.low = summary.high = summary.median;
	if (n < LEAST_FOR_INTERVAL)
		return summary;
	rank = rank_of(n);
	summary.low = sorted[rank];
	summary.high = sorted[n - 1 - rank];
	return summary;
}
