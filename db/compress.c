/* SPDX-License-Identifier: MIT
 *
 * The half that scantune needs, and a program that keeps what it had to compile: some milliseconds for a kernel.
 *
 * The cheapest series of literals and matches is looked for from the front (dynamic programming, as in Storer and
 * Szymanski, 1982): at each byte stands the least that its predecessors cost, and how it was reached.  Which distances
 * take no byte depends on the way, and the best way so far has the word, which is a heuristic, and a good one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compress.h"

#define HASH_BITS    14
#define FURTHEST     65535
#define CHAIN        8    /* earlier places that are tried */
#define LONGEST      1024 /* a longer match is several */
#define LONG_ENOUGH  128  /* no better one is looked for within such a match */
#define MOST_LITERAL 3
#define MOST_LENGTH  16
#define LARGEST      (1 << 22) /* cubins have tens of kilobytes; what is larger than this is left as it is */

/* The best way to come to a byte: by `length` bytes from `distance` before, or by a literal, of length 0. */
struct place {
	uint32_t cost;
	uint32_t literals; /* since the last match */
	uint32_t length;
	uint32_t distance;
	uint32_t distances[2]; /* the last ones */
};

struct search {
	const unsigned char *bytes;
	size_t size;
	struct place *places; /* size + 1 */
	uint32_t *earlier;    /* the last place with the same hash, plus 1 */
	uint32_t newest[1 << HASH_BITS];
};

/* Bytes that a number takes beside its bits. */
static uint32_t more_bytes(size_t number, size_t most)
{
	return number < most ? 0 : 1 + (uint32_t)((number - most) / 255);
}

static int kind_of(const struct place *at, uint32_t distance)
{
	if (distance == at->distances[0])
		return 0;
	if (distance == at->distances[1])
		return 1;
	return distance % 16 == 0 && distance <= 4096 ? 2 : 3;
}

static void reach_by_literal(struct search *search, size_t at)
{
	const struct place *from = &search->places[at];
	struct place *to = &search->places[at + 1];
	uint32_t literals = from->literals + 1;
	uint32_t cost = from->cost + 1 + more_bytes(literals, MOST_LITERAL) - more_bytes(literals - 1, MOST_LITERAL);

	if (cost > to->cost)
		return;
	*to = *from;
	to->cost = cost;
	to->literals = literals;
	to->length = 0;
}

static void reach_by_match(struct search *search, size_t at, uint32_t distance, size_t length, uint32_t cost)
{
	const struct place *from = &search->places[at];
	struct place *to = &search->places[at + length];

	cost += from->cost + more_bytes(length, MOST_LENGTH);
	if (cost >= to->cost)
		return;
	to->cost = cost;
	to->literals = 0;
	to->length = (uint32_t)length;
	to->distance = distance;
	to->distances[0] = distance;
	to->distances[1] = distance == from->distances[0] ? from->distances[1] : from->distances[0];
}

static size_t match_length(const struct search *search, size_t at, uint32_t distance)
{
	size_t most = search->size - at < LONGEST ? search->size - at : LONGEST;
	const unsigned char *bytes = search->bytes + at;
	size_t length = 0;

	while (length < most && bytes[length] == bytes[length - distance])
		length++;
	return length;
}

/* longest[n] is what can be had at n bytes for the distance, or for fewer: shorter matches are no news. */
static void try_distance(struct search *search, size_t at, uint32_t distance, size_t longest[3])
{
	static const uint32_t distance_bytes[4] = { 0, 0, 1, 2 };
	uint32_t bytes = distance_bytes[kind_of(&search->places[at], distance)];
	size_t length;

	if (distance > at)
		return;
	length = match_length(search, at, distance);
	for (size_t shorter = longest[bytes] + 1; shorter < length && shorter <= LONG_ENOUGH; shorter++)
		reach_by_match(search, at, distance, shorter, 1 + bytes);
	if (length > longest[bytes])
		reach_by_match(search, at, distance, length, 1 + bytes);
	for (; bytes < 3; bytes++)
		if (longest[bytes] < length)
			longest[bytes] = length;
}

static uint32_t *newest_of(struct search *search, size_t at)
{
	const unsigned char *bytes = search->bytes + at;
	uint32_t three = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;

	return &search->newest[three * 2654435761u >> (32 - HASH_BITS)];
}

/* Returns how far the next search is. */
static size_t reach_from(struct search *search, size_t at)
{
	size_t longest[3] = { 0, 1, 2 }; /* as many literals cost no more */
	const struct place *from = &search->places[at];
	uint32_t *newest;
	int tries = CHAIN;

	reach_by_literal(search, at);
	try_distance(search, at, from->distances[0], longest);
	try_distance(search, at, from->distances[1], longest);
	if (search->size - at < 3)
		return 1;
	newest = newest_of(search, at);
	for (uint32_t earlier = *newest; earlier > 0 && at + 1 - earlier <= FURTHEST && tries-- > 0;
		earlier = search->earlier[earlier - 1])
		try_distance(search, at, (uint32_t)(at + 1 - earlier), longest);
	search->earlier[at] = *newest;
	*newest = (uint32_t)at + 1;
	return longest[2] < LONG_ENOUGH ? 1 : longest[2];
}

/* ---- writing what was found ---- */

static unsigned char *put_more(unsigned char *to, size_t number, size_t most)
{
	if (number < most)
		return to;
	for (number -= most; number >= 255; number -= 255)
		*to++ = 255;
	*to++ = (unsigned char)number;
	return to;
}

/* The literals before `at`, and the match, unless it is of length 0. */
static unsigned char *put_sequence(unsigned char *to, const struct search *search, size_t at, size_t literals,
	const struct place *match)
{
	size_t length = match->length;
	int kind = length > 0 ? kind_of(&search->places[at], match->distance) : 0;
	size_t shown = length > MOST_LENGTH ? MOST_LENGTH : length;

	*to++ = (unsigned char)((literals < MOST_LITERAL ? literals : MOST_LITERAL) << 6 |
		(shown > 0 ? shown - 1 : 0) << 2 | (size_t)kind);
	to = put_more(to, literals, MOST_LITERAL);
	memcpy(to, search->bytes + at - literals, literals);
	to += literals;
	if (kind == 2)
		*to++ = (unsigned char)(match->distance / 16 - 1);
	if (kind == 3) {
		*to++ = (unsigned char)match->distance;
		*to++ = (unsigned char)(match->distance >> 8);
	}
	return length > 0 ? put_more(to, length, MOST_LENGTH) : to;
}

/* From the end backwards it is known how each place was reached: turned round, where each leads to. */
static void turn_round(struct search *search)
{
	uint32_t *next = search->earlier; /* done with */
	size_t at = search->size;

	while (at > 0) {
		size_t step = search->places[at].length > 0 ? search->places[at].length : 1;

		at -= step;
		next[at] = (uint32_t)(at + step);
	}
}

static size_t write_all(unsigned char *packed, struct search *search)
{
	static const struct place none = { 0 };
	unsigned char *to = packed;
	size_t literals = 0;

	turn_round(search);
	for (size_t at = 0; at < search->size; at = search->earlier[at]) {
		const struct place *place = &search->places[search->earlier[at]];

		if (place->length == 0) {
			literals++;
			continue;
		}
		to = put_sequence(to, search, at, literals, place);
		literals = 0;
	}
	if (literals > 0)
		to = put_sequence(to, search, search->size, literals, &none);
	return (size_t)(to - packed);
}

static void look_for_best(struct search *search)
{
	size_t at = 0;

	for (size_t i = 1; i <= search->size; i++)
		search->places[i].cost = UINT32_MAX / 2;
	search->places[0] = (struct place){ .distances = { 16, 32 } };
	while (at < search->size)
		at += reach_from(search, at);
}

size_t srt_compress(unsigned char *packed, const unsigned char *bytes, size_t size)
{
	struct search *search = size > 0 && size <= LARGEST ? calloc(1, sizeof *search) : NULL;
	size_t used = 0;

	if (!search)
		return 0;
	search->bytes = bytes;
	search->size = size;
	search->places = malloc((size + 1) * sizeof search->places[0]);
	search->earlier = malloc(size * sizeof search->earlier[0]);
	if (search->places && search->earlier) {
		look_for_best(search);
		if (search->places[size].cost + 1 < size) /* 1: a token for the last literals */
			used = write_all(packed, search);
	}
	free(search->earlier);
	free(search->places);
	free(search);
	return used;
}
