/* SPDX-License-Identifier: MIT
 *
 * Numbers and layouts in the words of scanrt-problem(5).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"
#include "problem_file.h"
#include "strbuf.h"

#define REPEAT_MAX TUNE_PROBLEM_FILE_BYTES

char *tune_next_word(char **rest)
{
	char *word = *rest + strspn(*rest, " \t\r");
	size_t length = strcspn(word, " \t\r");

	*rest = word + length;
	if (length == 0 || *word == '#') {
		*rest = word + strlen(word);
		return NULL;
	}
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

int tune_any_type(const char *name)
{
	for (int type = 1; type < SCANRT_TYPE_USER; type++)
		if (srt_type_name(type) && strcmp(srt_type_name(type), name) == 0)
			return type;
	return 0;
}

/* "4*word": the 4, and *word behind it; 1 where there is no star; 0: not a number that makes sense. */
static size_t take_repeat(char **word)
{
	char *star = strchr(*word, '*');
	char *end;
	unsigned long long count;

	if (star == NULL)
		return 1;
	errno = 0;
	count = strtoull(*word, &end, 10);
	if (**word < '0' || **word > '9' || end != star || errno || count > REPEAT_MAX)
		return 0;
	*word = star + 1;
	return (size_t)count;
}

/* ---- Numbers ---- */

static bool real_bytes(unsigned char bytes[8], int type, const char *word)
{
	char *end;
	double value = strtod(word, &end);
	float narrow = (float)value;
	uint16_t half = type == SCANRT_F16 ? tune_to_f16(narrow) : tune_to_bf16(narrow);

	if (type == SCANRT_F64)
		memcpy(bytes, &value, sizeof value);
	else if (type == SCANRT_F32)
		memcpy(bytes, &narrow, sizeof narrow);
	else
		memcpy(bytes, &half, sizeof half);
	return *word && *end == '\0';
}

static bool integer_bytes(unsigned char bytes[8], int type, const char *word)
{
	int bits = (int)(8 * srt_type_size(type));
	uint64_t largest = UINT64_MAX >> (64 - bits);
	bool is_negative = *word == '-';
	unsigned long long value;
	char *end;

	word += is_negative;
	/* strtoull() alone would take blanks and a second sign. */
	if (*word < '0' || *word > '9' || (is_negative && !srt_type_is_signed(type)))
		return false;
	errno = 0;
	value = strtoull(word, &end, 0);
	if (srt_type_is_signed(type))
		largest = (largest >> 1) + is_negative;
	if (errno || *end || value > largest)
		return false;
	value = is_negative ? 0 - value : value;
	memcpy(bytes, &value, sizeof value);
	return true;
}

static const char *add_number(struct srt_strbuf *bytes, int type, char *word, size_t most)
{
	size_t size = srt_type_size(type);
	size_t repeat = take_repeat(&word);
	unsigned char number[8] = {0};

	if (repeat == 0)
		return "has a number of repetitions that is none";
	if (!(srt_type_is_float(type) ? real_bytes : integer_bytes)(number, type, word))
		return "has a word that is no number of its type";
	if (repeat > (most - bytes->length) / size)
		return "has more bytes than there may be";
	while (repeat-- > 0)
		srt_strbuf_append_bytes(bytes, number, size);
	return bytes->failed ? "is too much for the memory" : NULL;
}

static const char *fill(struct srt_strbuf *bytes, size_t wanted)
{
	static const char zeros[64];

	if (wanted == 0)
		return "has ... where nobody knows how many bytes there are";
	while (bytes->length < wanted && !bytes->failed)
		srt_strbuf_append_bytes(bytes, zeros,
			wanted - bytes->length < sizeof zeros ? wanted - bytes->length : sizeof zeros);
	return bytes->failed ? "is too much for the memory" : NULL;
}

const char *tune_values_parse(struct srt_strbuf *bytes, char *words, size_t wanted)
{
	const char *wrong = NULL;
	int type = 0, named;
	char *word;

	while (!wrong && (word = tune_next_word(&words)) != NULL) {
		if (strcmp(word, "...") == 0) {
			wrong = tune_next_word(&words) ? "has something behind ..." : fill(bytes, wanted);
			break;
		}
		if (srt_type_parse(&named, word) == SCANRT_OK)
			type = named;
		else if (type == 0)
			wrong = "does not begin with the type of its numbers, as in \"f32 1 0\"";
		else
			wrong = add_number(bytes, type, word, wanted ? wanted : TUNE_PROBLEM_FILE_BYTES);
	}
	if (!wrong && bytes->length < (wanted ? wanted : 1))
		wrong = "has fewer bytes than the type; ... fills up with zeros";
	return wrong;
}

/* ---- Layouts ---- */

/* ":low:high", or nothing. */
static bool take_range(double *low, double *high, const char *text)
{
	char *end;

	if (*text == '\0')
		return true;
	*low = strtod(text + 1, &end);
	if (end == text + 1 || *end != ':')
		return false;
	text = end;
	*high = strtod(text + 1, &end);
	return end > text + 1 && *end == '\0' && isfinite(*low) && isfinite(*high) && *low < *high;
}

/* A range of integers has to be one of the type's own numbers. */
static bool holds(int type, double low, double high)
{
	int bits = (int)(8 * srt_type_size(type));
	double most = ldexp(1, srt_type_is_signed(type) ? bits - 1 : bits);

	if (low == high || srt_type_is_float(type))
		return true;
	return low == floor(low) && high == floor(high) && high < most &&
	       low >= (srt_type_is_signed(type) ? -most : 0);
}

static const char *add_field(struct tune_layout *layout, char *word)
{
	size_t repeat = take_repeat(&word);
	char *colon = word + strcspn(word, ":");
	double low = 0, high = 0;
	char range[64];
	int type = 0;
	bool is_pad;

	if (repeat == 0 || repeat > SCANRT_USER_BYTES_MAX)
		return "has a number of repetitions that is none";
	if (strlen(colon) >= sizeof range)
		return "has a range that is none: LOW:HIGH are";
	strcpy(range, colon);
	*colon = '\0';
	is_pad = strcmp(word, "pad") == 0;
	if (!is_pad && srt_type_parse(&type, word) != SCANRT_OK)
		return "has a word that is no type: i8 to u64, f16, bf16, f32, f64 and pad are";
	if (srt_type_is_float(type))
		low = -1, high = 1;
	if ((is_pad && *range) || !take_range(&low, &high, range) || !holds(type, low, high))
		return "has a range that is none, or not of its type: LOW:HIGH are";
	if (!tune_layout_add(layout, type, repeat, low, high))
		return "has too many words";
	return NULL;
}

const char *tune_layout_parse(struct tune_layout *layout, char *words)
{
	const char *wrong = NULL;
	char *word;

	memset(layout, 0, sizeof *layout);
	while (!wrong && (word = tune_next_word(&words)) != NULL)
		wrong = add_field(layout, word);
	return wrong;
}
