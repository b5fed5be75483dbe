/* SPDX-License-Identifier: MIT
 *
 * Medians and their intervals.
 */
#ifndef TUNE_STATISTICS_H
#define TUNE_STATISTICS_H

enum { TUNE_VALUES_MAX = 256, TUNE_MODEL_VALUES = 3 };

/* Values in the order in which they were taken. */
struct tune_values {
	double list[TUNE_VALUES_MAX];
	int count;
};

struct tune_summary {
	int count;
	double median;
	double low;  /* the 95 % interval of the median, from order statistics; both 0 below 6 values that differ */
	double high;
};

/* A full list forgets its oldest value. */
void tune_values_add(struct tune_values *values, double value);
struct tune_summary tune_summarise(const struct tune_values *values);

#endif
