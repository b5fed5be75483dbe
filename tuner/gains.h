/* SPDX-License-Identifier: MIT
 *
 * A table of what tuning won.  Choices come in the order of srt_db_each_choice(), and rows are printed as they are
 * complete.
 */
#ifndef TUNE_GAINS_H
#define TUNE_GAINS_H

#include "db.h"
#include "options.h"

struct tune_gains {
	char device[160];
	int width;                    /* of the column of names */
	char problem[96];             /* of the row in the making; "": none */
	double times[TUNE_CLASS_MAX]; /* 0: no choice, or nothing to compare it with */
};

void tune_gains_add(struct tune_gains *gains, const struct srt_db_choice *choice, const char *device);
void tune_gains_end(struct tune_gains *gains);

#endif
