/* SPDX-License-Identifier: MIT
 *
 * Results of an operator as numbers of one type, or as bytes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "operator_check.h"

void srt_bytes_print(char *text, size_t size, const void *bytes, size_t count)
{
	const unsigned char *from = bytes;
	size_t used = 0;
	size_t i;

	text[0] = '\0';
	for (i = 0; i < count && used + 8 < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%02x", i ? " " : "", from[i]);
	if (i < count)
		snprintf(text + used, size - used, " ...");
}

static double word_at(const void *value, size_t index, int type)
{
	float narrow;
	double wide;

	if (type == SCANRT_F64) {
		memcpy(&wide, (const char *)value + index * sizeof(wide), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, (const char *)value + index * sizeof(narrow), sizeof(narrow));
	return (double)narrow;
}

/* Of one word; the scale is that of the word in the operands. */
static double word_deviation(double wanted, double seen, const void *const *operands, size_t count, size_t index,
	int type)
{
	double scale = fabs(wanted);
	size_t i;

	if (wanted == seen || (isnan(wanted) && isnan(seen)))
		return 0;
	if (!isfinite(wanted) || !isfinite(seen))
		return INFINITY;
	for (i = 0; i < count; i++)
		scale = fmax(scale, fabs(word_at(operands[i], index, type)));
	return scale > 0 ? fabs(wanted - seen) / scale : INFINITY;
}

static double compare_words(void *user, const void *wanted, const void *seen, const void *const *operands, size_t count)
{
	const struct srt_words *words = user;
	size_t size = words->type == SCANRT_F64 ? sizeof(double) : sizeof(float);
	double worst = 0;
	size_t i;

	if (memcmp(wanted, seen, words->bytes) == 0)
		return 0;
	if (words->type == SCANRT_TYPE_DEFAULT)
		return INFINITY;
	for (i = 0; i < words->bytes / size; i++)
		worst = fmax(worst, word_deviation(word_at(wanted, i, words->type), word_at(seen, i, words->type),
			operands, count, i, words->type));
	return worst;
}

struct srt_comparison srt_comparison_of_words(struct srt_words *words, double tolerance)
{
	return (struct srt_comparison){ .deviation = compare_words, .user = words, .tolerance = tolerance };
}
