/* SPDX-License-Identifier: MIT
 *
 * How wide the columns of a table have to be, known before its first line is printed: names of the caller's types and
 * variants with many knobs are longer than most.
 */
#ifndef TUNE_COLUMNS_H
#define TUNE_COLUMNS_H

#include <string.h>

struct tune_columns {
	int problem;
	int variant;
};

#define TUNE_COLUMNS_INIT { 16, 44 } /* what most names take */

static inline void tune_columns_fit(struct tune_columns *columns, const char *problem, const char *variant)
{
	if ((int)strlen(problem) > columns->problem)
		columns->problem = (int)strlen(problem);
	if ((int)strlen(variant) > columns->variant)
		columns->variant = (int)strlen(variant);
}

#endif
