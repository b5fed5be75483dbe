/* SPDX-License-Identifier: MIT
 *
 * What a misspelt word may have meant.
 */
#ifndef TUNE_SPELLING_H
#define TUNE_SPELLING_H

#include <stddef.h>

/* Begins as { .word = WORD }; `best` is then the name nearest to it of those that were tried, or NULL where none is
 * near enough to be meant.  Names are not copied. */
struct tune_spelling {
	const char *word;
	const char *best;
	size_t distance;
};

void tune_spelling_try(struct tune_spelling *spelling, const char *name);

#endif
