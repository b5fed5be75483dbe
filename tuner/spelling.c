/* SPDX-License-Identifier: MIT
 *
 * The distance of Levenshtein (1966), by the rows of Wagner and Fischer (1974), where two neighbours that changed
 * places count as one mistake, too, since fingers make it so often.
 */
#include "spelling.h"

#include <string.h>

#define LENGTH_MAX 31 /* of names of options and commands; longer words are no misspelling of one */
#define NEAR 2        /* mistakes, and fewer than half of the letters */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance(const char *a, const char *b)
{
	size_t rows[3][LENGTH_MAX + 1] = {{0}};
	size_t *earlier = rows[0], *before = rows[1], *row = rows[2], *spare;
	size_t length = strlen(b);

	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		spare = earlier;
		earlier = before;
		before = row;
		row = spare;
		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			row[j] = least(before[j - 1] + (a[i - 1] != b[j - 1]), 1 + least(before[j], row[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], earlier[j - 2] + 1);
		}
	}
	return row[length];
}

void tune_spelling_try(struct tune_spelling *spelling, const char *name)
{
	size_t length = strlen(spelling->word);
	size_t mistakes = LENGTH_MAX;

	if (length <= LENGTH_MAX && strlen(name) <= LENGTH_MAX)
		mistakes = distance(spelling->word, name);
	if (mistakes > NEAR || 2 * mistakes >= length || (spelling->best && mistakes >= spelling->distance))
		return;
	spelling->best = name;
	spelling->distance = mistakes;
}
