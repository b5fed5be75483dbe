/* SPDX-License-Identifier: MIT */
#include "shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "tap.h"
#include "../lib/status.h"

const struct shape shapes[] = {
	{ .size = 3, .alignment = 1 },
	{ .size = 5, .alignment = 1 },
	{ .size = 12, .alignment = 4 },
	{ .size = 20, .alignment = 4 },
	{ .size = 24, .alignment = 8 },
	{ .size = 36, .alignment = 4 },
	{ .size = 48, .alignment = 16 },
	{ .size = 96, .alignment = 8 },
	{ .size = 100, .alignment = 2 },
	{ .size = 136, .alignment = 8 },
	{ .size = 288, .alignment = 4 },
	{ .size = 512, .alignment = 8 },
	{ .size = 1000, .alignment = 8 },
	{ .size = 1536, .alignment = 16 },
	{ .size = 2080, .alignment = 8 },
	{ .size = 4096, .alignment = 16 },
	{ .size = 0 },
};

/* Words of 16 bytes do not exist: those types are aligned arrays of 8-byte words. */
static size_t word_of(const struct shape *shape)
{
	return shape->alignment < 8 ? shape->alignment : 8;
}

static uint64_t load(const struct shape *shape, const void *element, size_t index)
{
	uint64_t word = 0;

	memcpy(&word, (const char *)element + index * word_of(shape), word_of(shape));
	return word;
}

static void store(const struct shape *shape, void *element, size_t index, uint64_t word)
{
	memcpy((char *)element + index * word_of(shape), &word, word_of(shape));
}

/* ---- On the host ---- */

void shape_apply(void *result, const struct shape *shape, const void *earlier, const void *later)
{
	size_t words = shape->size / word_of(shape);
	size_t i;

	for (i = 0; i < words; i++) {
		uint64_t a = load(shape, earlier, i), b = load(shape, later, i);
		uint64_t slope = i % 2 ? load(shape, later, i - 1) : b;

		if (shape->is_commutative)
			store(shape, result, i, a + b);
		else if (i % 2 == 0 && i + 1 == words)
			store(shape, result, i, b ? b : a);
		else
			store(shape, result, i, i % 2 ? slope * a + b : slope * a);
	}
}

static void make_identity(void *identity, const struct shape *shape)
{
	size_t words = shape->size / word_of(shape);
	size_t i;

	for (i = 0; i < words; i++)
		store(shape, identity, i, !shape->is_commutative && i % 2 == 0 && i + 1 < words);
}

/* Odd slopes: no map forgets what came before it.  A fifth of the words without a partner are zero. */
void shape_fill(void *input, const struct shape *shape, uint64_t seed, uint64_t count)
{
	size_t words = shape->size / word_of(shape);
	uint64_t i;
	size_t w;

	for (i = 0; i < count; i++)
		for (w = 0; w < words; w++) {
			uint64_t random = reference_random(seed, i * words + w);
			bool is_slope = w % 2 == 0 && w + 1 < words;

			store(shape, (char *)input + i * shape->size, w,
				is_slope ? random | 1 : w % 2 == 0 && random % 5 == 0 ? 0 : random);
		}
}

void shape_scan(void *expected, const struct srt_problem *problem, const struct shape *shape, const void *input,
	uint64_t count)
{
	unsigned char *prefix = calloc(2, shape->size);
	unsigned char *next = prefix + shape->size;
	const unsigned char *initial = problem->user->initial;
	bool has_prefix = problem->has_initial;
	uint64_t i;

	if (!prefix)
		abort();
	if (has_prefix)
		memcpy(prefix, initial, shape->size);
	for (i = 0; i < count; i++) {
		const char *element = (const char *)input + i * shape->size;
		char *result = (char *)expected + i * shape->size;

		if (problem->is_exclusive && has_prefix)
			memcpy(result, prefix, shape->size);
		else if (problem->is_exclusive)
			make_identity(result, shape);
		if (has_prefix)
			shape_apply(next, shape, prefix, element);
		else
			memcpy(next, element, shape->size);
		memcpy(prefix, next, shape->size);
		has_prefix = true;
		if (!problem->is_exclusive)
			memcpy(result, prefix, shape->size);
	}
	free(prefix);
}

/* ---- For the compiler ---- */

static const char *word_name(const struct shape *shape)
{
	static const char *const names[] = { "", "unsigned char", "unsigned short", "", "unsigned", "", "", "",
		"unsigned long long" };

	return names[word_of(shape)];
}

static void write_operator(char text[1024], const struct shape *shape, const char *type)
{
	static const char sum[] = "r.word[i] = word(earlier.word[i] + later.word[i]);";
	static const char map[] = "{ word a = earlier.word[i], b = later.word[i];\n"
				  "  if (i % 2 == 0 && i + 1 == words) r.word[i] = b ? b : a;\n"
				  "  else if (i % 2 == 0) r.word[i] = word(b * a);\n"
				  "  else r.word[i] = word(later.word[i - 1] * a + b); }";
	const char *body = shape->is_commutative ? sum : map;

	if (shape->has_result)
		snprintf(text, 1024,
			"void apply(%s &result, const %s &earlier, const %s &later)\n{ %s &r = result;\n"
			"  for (int i = 0; i < words; i++) %s\n}\n", type, type, type, type, body);
	else
		snprintf(text, 1024,
			"%s apply(const %s &earlier, const %s &later)\n{ %s r;\n  for (int i = 0; i < words; i++) %s\n"
			"  return r; }\n", type, type, type, type, body);
}

static void write_type(char text[256], const struct shape *shape)
{
	/* A member may not have the name of its own type. */
	snprintf(text, 256,
		"typedef %s word;\nconstexpr int words = %zu;\n"
		"struct alignas(%zu) element { ::word word[words]; };\n",
		word_name(shape), shape->size / word_of(shape), shape->alignment);
}

void shape_problem(struct srt_problem *problem, const struct shape *shape, bool is_exclusive, bool has_initial)
{
	struct scanrt_problem given = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	unsigned char *identity = calloc(2, shape->size);
	char type_text[256];
	char op_text[1024];

	if (!identity)
		abort();
	make_identity(identity, shape);
	shape_fill(identity + shape->size, shape, 99, 1);
	write_type(type_text, shape);
	write_operator(op_text, shape, "element");
	type.name = "element";
	type.text = type_text;
	type.bytes = shape->size;
	type.alignment = shape->alignment;
	op.name = shape->is_commutative ? "sums" : "maps";
	op.text = op_text;
	op.identity = shape->has_identity ? identity : NULL;
	op.flags = shape->is_commutative ? SCANRT_COMMUTATIVE : 0;
	given.input_type = SCANRT_TYPE_USER;
	given.user_input = &type;
	given.op = SCANRT_OPERATOR_USER;
	given.user_operator = &op;
	given.mode = is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;
	given.max_count = UINT64_C(1) << 34;
	if (has_initial || (is_exclusive && !shape->has_identity))
		given.initial = identity + shape->size;
	if (srt_problem_init(problem, &given))
		tap_bail_out("a shape of %zu bytes: %s", shape->size, srt_error_last()->text);
	free(identity);
}
