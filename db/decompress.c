/* SPDX-License-Identifier: MIT
 *
 * The half that programs need, at each look-up.
 */
#include <stdint.h>
#include <string.h>

#include "compress.h"

struct reader {
	const unsigned char *next;
	const unsigned char *end;
};

struct writer {
	unsigned char *bytes;
	size_t used;
	size_t size;
};

/* Each byte of a number adds at most 255 bytes. */
bool srt_can_decompress_to(size_t size, size_t packed_size)
{
	return size / 256 <= packed_size;
}

static bool take_byte(struct reader *from, size_t *value)
{
	if (from->next == from->end)
		return false;
	*value = *from->next++;
	return true;
}

/* A number that did not fit into its bits goes on. */
static bool take_number(struct reader *from, size_t *number, size_t most)
{
	size_t more = 255;

	if (*number < most)
		return true;
	while (more == 255) {
		if (!take_byte(from, &more))
			return false;
		*number += more;
	}
	return true;
}

/* Most copies are short ones, for which a constant size, one instruction, is several times as fast. */
#define SHORT 16

static bool take_literals(struct writer *to, struct reader *from, size_t count)
{
	size_t left = (size_t)(from->end - from->next), room = to->size - to->used;

	if (count > left || count > room)
		return false;
	if (count <= SHORT && left >= SHORT && room >= SHORT)
		memcpy(to->bytes + to->used, from->next, SHORT);
	else
		memcpy(to->bytes + to->used, from->next, count);
	from->next += count;
	to->used += count;
	return true;
}

/* distances[0] becomes the one that is meant. */
static bool take_distance(size_t distances[2], struct reader *from, size_t kind)
{
	size_t distance = distances[kind & 1];
	size_t high;

	if (kind == 0)
		return true;
	if (kind >= 2 && !take_byte(from, &distance))
		return false;
	if (kind == 2)
		distance = 16 * (distance + 1);
	if (kind == 3) {
		if (!take_byte(from, &high))
			return false;
		distance += high << 8;
	}
	distances[1] = distances[0];
	distances[0] = distance;
	return distance > 0;
}

/* A match may reach into what it writes itself, which then repeats: in steps that do not. */
static bool copy_match(struct writer *to, size_t distance, size_t length)
{
	if (distance > to->used || length > to->size - to->used)
		return false;
	if (length <= SHORT && distance >= SHORT && to->size - to->used >= SHORT) {
		memcpy(to->bytes + to->used, to->bytes + to->used - distance, SHORT);
		to->used += length;
		return true;
	}
	while (length > 0) {
		size_t step = length < distance ? length : distance;

		memcpy(to->bytes + to->used, to->bytes + to->used - distance, step);
		to->used += step;
		length -= step;
	}
	return true;
}

bool srt_decompress(unsigned char *bytes, size_t size, const unsigned char *packed, size_t packed_size)
{
	struct reader from = { .next = packed, .end = packed + packed_size };
	struct writer to = { .bytes = bytes, .size = size };
	size_t distances[2] = { 16, 32 };

	while (to.used < size) {
		size_t token, literals, length;

		if (!take_byte(&from, &token))
			return false;
		literals = token >> 6;
		if (!take_number(&from, &literals, 3) || !take_literals(&to, &from, literals))
			return false;
		if (to.used == size)
			break;
		length = (token >> 2 & 15) + 1;
		if (!take_distance(distances, &from, token & 3) || !take_number(&from, &length, 16) ||
			!copy_match(&to, distances[0], length))
			return false;
	}
	return from.next == from.end;
}
