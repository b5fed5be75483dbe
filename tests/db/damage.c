/* SPDX-License-Identifier: MIT */
/* Bits flip anywhere in the file: nothing crashes, and what is found is what was put.  An argument sets the seed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

#define FLIP_ROUNDS     1500
#define SCRIBBLE_ROUNDS 300
#define CUT_ROUNDS      100
#define WRITER_ROUNDS   40
#define IMAGES          12
#define CHOICES         12

static struct srt_db_image images[IMAGES];
static struct srt_db_choice choices[3][4];
static const char *const problems[] = { "sum i32", "sum f32", "max f32" };
static uint64_t state;

/* xorshift64: any stream of numbers that a seed repeats will do. */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* What came of one damaged file. */
struct outcome {
	int found;
	int refused;
	int wrong;
};

/* The unsealed parts, reason and date, are for people only. */
static bool is_same_choice(const struct srt_db_choice *seen, const struct srt_db_choice *put)
{
	return strcmp(seen->problem, put->problem) == 0 && strcmp(seen->klass, put->klass) == 0 &&
		strcmp(seen->variant, put->variant) == 0 && seen->low_count == put->low_count &&
		seen->high_count == put->high_count && seen->count == put->count && seen->us == put->us &&
		strcmp(seen->fingerprint, put->fingerprint) == 0 && strcmp(seen->source_hash, put->source_hash) == 0;
}

/* A damaged index may hide a problem, and a similar one comes in its place: marked so, and whole. */
static bool is_some_choice(const struct srt_db_choice *seen)
{
	size_t i;

	for (i = 0; i < CHOICES; i++)
		if (is_same_choice(seen, &choices[i / 4][i % 4]))
			return true;
	return false;
}

static void look_for_choices(struct outcome *outcome, struct srt_db *db, int problem)
{
	struct srt_db_choice seen[8];
	struct srt_db_lookup lookup;
	size_t count;
	size_t i;

	fixture_lookup(&lookup);
	lookup.problem = problems[problem];
	lookup.op_class = problem == 2 ? "order" : "arithmetic";
	if (srt_db_find_choices(db, &lookup, seen, 8, &count) != SCANRT_OK) {
		outcome->refused++;
		outcome->wrong += count != 0;
		return;
	}
	for (i = 0; i < count; i++)
		if (!is_some_choice(&seen[i]) ||
			(!seen[i].is_similar && strcmp(seen[i].problem, problems[problem]) != 0))
			outcome->wrong++;
	outcome->found += count == 4;
}

static void look_for_image(struct outcome *outcome, struct srt_db *db, const struct srt_db_image *put)
{
	struct srt_db_image seen;
	bool found;

	if (srt_db_find_image(db, put->recipe, NULL, &seen, &found) != SCANRT_OK) {
		outcome->refused++;
		outcome->wrong += found || seen.bytes != NULL;
		return;
	}
	if (!found)
		return;
	outcome->found++;
	if (seen.size != put->size || memcmp(seen.bytes, put->bytes, put->size) != 0 ||
		strcmp(seen.recipe, put->recipe) != 0 || strcmp(seen.entry, put->entry) != 0 ||
		strcmp(seen.variant, put->variant) != 0)
		outcome->wrong++;
	free(seen.bytes);
}

static void visit(struct outcome *outcome, const char *path, enum srt_db_access access)
{
	struct srt_db *db;
	int i;

	if (srt_db_open(&db, path, access) != SCANRT_OK) {
		outcome->refused++;
		return;
	}
	for (i = 0; i < 3; i++)
		look_for_choices(outcome, db, i);
	for (i = 0; i < IMAGES; i++)
		look_for_image(outcome, db, &images[i]);
	srt_db_close(db);
}

static void load_truth(const char *path)
{
	struct srt_db *db;
	size_t count;
	int i;

	fixture_must(srt_db_open(&db, path, SRT_DB_READ), "open");
	for (i = 0; i < 3; i++) {
		struct srt_db_lookup lookup;

		fixture_lookup(&lookup);
		lookup.problem = problems[i];
		lookup.family = NULL;
		fixture_must(srt_db_find_choices(db, &lookup, choices[i], 4, &count), "find choices");
	}
	for (i = 0; i < IMAGES; i++) {
		char recipe[33];
		bool found;

		/* The fixture's problems are rows 1, 2 and 3, with four images each. */
		fixture_recipe(recipe, 4 + i);
		fixture_must(srt_db_find_image(db, recipe, NULL, &images[i], &found), "find an image");
		if (!found)
			tap_bail_out("the fixture lacks image %d", i);
	}
	srt_db_close(db);
}

enum kind { FLIP, SCRIBBLE, CUT };

/* Half of the damage goes to the first pages, where the schema and the small tables are. */
static size_t somewhere(size_t size)
{
	return (size_t)(next_random() % (next_random() % 2 ? size : size / 8));
}

static size_t damage(unsigned char *bytes, size_t size, enum kind kind)
{
	size_t at = somewhere(size);
	int i;

	if (kind == CUT)
		return at;
	if (kind == FLIP) {
		for (i = 1 << (next_random() % 4); i > 0; i--)
			bytes[somewhere(size)] ^= (unsigned char)(1 << (next_random() % 8));
		return size;
	}
	for (i = 0; i < 64 && at + (size_t)i < size; i++)
		bytes[at + (size_t)i] = (unsigned char)next_random();
	return size;
}

static void rounds(struct outcome *total, const char *good, int count, enum kind kind, enum srt_db_access access)
{
	const char *path = fixture_path("damaged/tune.db");
	size_t size;
	unsigned char *bytes = fixture_read(good, &size);
	unsigned char *damaged = malloc(size);
	int i;

	memset(total, 0, sizeof(*total));
	for (i = 0; i < count; i++) {
		struct outcome one = { 0, 0, 0 };
		uint64_t seed = state;

		memcpy(damaged, bytes, size);
		fixture_write(path, damaged, damage(damaged, size, kind));
		visit(&one, path, access);
		total->found += one.found;
		total->refused += one.refused;
		total->wrong += one.wrong;
		if (one.wrong)
			tap_diag("state %" PRIu64 " kind %d: %d wrong answers", seed, (int)kind, one.wrong);
	}
	free(damaged);
	free(bytes);
}

static void test(const char *good, int count, enum kind kind, enum srt_db_access access, const char *sentence)
{
	struct outcome total;

	rounds(&total, good, count, kind, access);
	tap_is_int(total.wrong, 0, "%s: no wrong answer in %d files", sentence, count);
	tap_ok(total.found + total.refused > 0, "%s: %d answers, %d refusals", sentence, total.found, total.refused);
}

static void put_number(unsigned char *to, uint32_t number, int bytes)
{
	while (bytes-- > 0) {
		to[bytes] = (unsigned char)number;
		number >>= 8;
	}
}

#define DEEP 20   /* pages, one below the other, as deep as a reader goes */
#define BRANCHES 9 /* from each to the next */

/* An inner node of a table, all of whose children are the page after it; the last one is a leaf with nothing in it. */
static void put_node(unsigned char *page, unsigned char *node, uint32_t page_size, uint32_t number)
{
	bool is_leaf = number == DEEP;

	put_number(node, is_leaf ? 13 : 5, 1);
	put_number(node + 3, is_leaf ? 0 : BRANCHES - 1, 2);
	put_number(node + 8, number + 1, 4);
	for (uint32_t i = 0; i < BRANCHES - 1 && !is_leaf; i++) {
		uint32_t cell = page_size - 8 * (i + 1);

		put_number(node + 12 + 2 * i, cell, 2);
		put_number(page + cell, number + 1, 4);
		put_number(page + cell + 4, i + 1, 1);
	}
}

/* The schema's tree comes back to its own pages, no deeper than it may be: whoever minds the depth alone would look at
 * more pages than anybody could wait for. */
static void test_branches(const char *good)
{
	const char *path = fixture_path("damaged/tune.db");
	struct outcome outcome = { 0, 0, 0 };
	size_t size;
	unsigned char *bytes = fixture_read(good, &size);
	uint32_t page_size = (uint32_t)bytes[16] << 8 | bytes[17];

	if (size < (size_t)page_size * DEEP)
		tap_bail_out("the fixture has %zu bytes, and pages of %" PRIu32, size, page_size);
	for (uint32_t number = 1; number <= DEEP; number++) {
		unsigned char *page = bytes + (size_t)(number - 1) * page_size;

		put_node(page, number == 1 ? page + 100 : page, page_size, number);
	}
	fixture_write(path, bytes, size);
	alarm(60);
	visit(&outcome, path, SRT_DB_READ);
	alarm(0);
	tap_ok(outcome.found == 0 && outcome.refused > 0, "a tree that comes back to its own pages is left soon");
	free(bytes);
}

int main(int argument_count, char **arguments)
{
	const char *good = fixture_path("damaged/good.db");
	int i;

	state = argument_count > 1 ? strtoull(arguments[1], NULL, 0) : 0x5ca9;
	tap_diag("seed %" PRIu64, state);
	tap_plan(9);
	fixture_fill(good);
	load_truth(good);
	test(good, FLIP_ROUNDS, FLIP, SRT_DB_READ, "flipped bits, read");
	test(good, SCRIBBLE_ROUNDS, SCRIBBLE, SRT_DB_READ, "random bytes, read");
	test(good, CUT_ROUNDS, CUT, SRT_DB_READ, "cut short, read");
	test(good, WRITER_ROUNDS, FLIP, SRT_DB_WRITE, "flipped bits, written");
	test_branches(good);
	for (i = 0; i < IMAGES; i++)
		free(images[i].bytes);
	return tap_done();
}
