/* SPDX-License-Identifier: MIT
 *
 * scantune list --gains: what tuning won, a row a problem and a column a class.
 */
#include "gains.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "image.h"

static const char *const names[TUNE_CLASS_MAX] = {
	"tile", "few", "small", "wave", "waves", "swell", "medium", "large" };

static void print_row(const struct tune_gains *gains)
{
	double sum = 0;
	int known = 0;

	if (gains->problem[0] == '\0')
		return;
	printf("%-*s", gains->width, gains->problem);
	for (int i = 0; i < TUNE_CLASS_MAX; i++) {
		if (gains->times[i] > 0)
			printf(" %6.2fx", gains->times[i]);
		else
			printf(" %7s", "-");
		sum += gains->times[i] > 0 ? log(gains->times[i]) : 0;
		known += gains->times[i] > 0;
	}
	if (known > 0)
		printf(" %6.2fx\n", exp(sum / known));
	else
		puts("");
}

static void print_head(const char *device, int width)
{
	printf("%s: the default's time in terms of the chosen variant's\n%-*s", device, width, "problem");
	for (int i = 0; i < TUNE_CLASS_MAX; i++)
		printf(" %7s", names[i]);
	printf(" %7s\n", "mean");
}

void tune_gains_add(struct tune_gains *gains, const struct srt_db_choice *choice, const char *device)
{
	char title[sizeof gains->device];

	/* What other kernels' choices won is of no use to anybody any more. */
	if (strcmp(choice->source_hash, srt_source_hash()) != 0)
		return;
	snprintf(title, sizeof title, "%s%s", device, choice->is_modelled ? " (modelled)" : "");
	if (strcmp(title, gains->device) != 0 || strcmp(choice->problem, gains->problem) != 0) {
		tune_gains_end(gains);
		snprintf(gains->problem, sizeof gains->problem, "%s", choice->problem);
	}
	if (strcmp(title, gains->device) != 0)
		print_head(title, gains->width);
	memcpy(gains->device, title, sizeof title);
	for (int i = 0; i < TUNE_CLASS_MAX; i++)
		if (strcmp(choice->klass, names[i]) == 0 && choice->default_us > 0)
			gains->times[i] = choice->default_us / choice->us;
}

void tune_gains_end(struct tune_gains *gains)
{
	print_row(gains);
	memset(gains->times, 0, sizeof gains->times);
	gains->problem[0] = '\0';
}
