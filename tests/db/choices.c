/* SPDX-License-Identifier: MIT */
/* Choices that are put are found again: by a writer through SQL, by a reader through the pages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

#define OTHER_SOURCE "ffffffffffffffffffffffffffffffff"

static struct srt_db_choice sample_choice(void)
{
	struct srt_db_choice choice = { .low_count = 7,
		.high_count = UINT64_MAX,
		.count = 1u << 28,
		.us = 514.0625,
		.low_us = 513.5,
		.high_us = 514.75,
		.default_us = 600.125,
		.copy_us = 509.3 };

	strcpy(choice.klass, "large");
	strcpy(choice.variant, "lookahead,block=384,items=24,stages=6,ahead=4");
	strcpy(choice.reason, "16.7 % faster than the default");
	strcpy(choice.tuned_at, "2026-08-01T12:34:56Z");
	return choice;
}

static void compare_choice(const struct srt_db_choice *seen, const struct srt_db_choice *wanted, const char *who)
{
	tap_case("as %s finds it", who);
	tap_is_string(seen->problem, "sum i32", "a choice tells its problem");
	tap_is_string(seen->klass, wanted->klass, "a choice tells its class");
	tap_is_uint(seen->low_count, wanted->low_count, "a choice tells its lowest count");
	tap_is_uint(seen->high_count, INT64_MAX, "a choice without a highest count has the largest that SQLite holds");
	tap_is_uint(seen->count, wanted->count, "a choice tells the count that was timed");
	tap_is_string(seen->variant, wanted->variant, "a choice tells its variant");
	tap_is_double(seen->us, wanted->us, "a choice tells its time");
	tap_is_double(seen->low_us, wanted->low_us, "a choice tells its interval's low end");
	tap_is_double(seen->high_us, wanted->high_us, "a choice tells its interval's high end");
	tap_is_double(seen->default_us, wanted->default_us, "a choice tells the default's time");
	tap_is_double(seen->copy_us, wanted->copy_us, "a choice tells the copy's time");
	tap_is_string(seen->fingerprint, FIXTURE_FINGERPRINT, "a choice tells its device");
	tap_is_string(seen->source_hash, FIXTURE_SOURCE, "a choice has the source hash of its run");
	tap_is_string(seen->reason, wanted->reason, "a choice tells its reason");
	tap_is_string(seen->tuned_at, wanted->tuned_at, "a choice keeps a time of day that it is given");
	tap_ok(!seen->is_modelled && !seen->is_similar,
		"a choice of a real device for this very problem is neither "
		"modelled nor similar");
	tap_case("%s", "");
}

static void test_choice(struct srt_db *db, struct fixture *fixture)
{
	struct srt_db_choice wanted = sample_choice();
	struct srt_db_choice seen[4];
	struct srt_db_lookup lookup;
	size_t count;
	int64_t first;
	int64_t second;

	fixture_lookup(&lookup);
	wanted.us = 700;
	fixture_must(srt_db_put_choice(&first, db, fixture->run, fixture->device, fixture->problem, &wanted), "choose");
	wanted = sample_choice();
	fixture_must(
		srt_db_put_choice(&second, db, fixture->run, fixture->device, fixture->problem, &wanted), "choose");
	tap_is_int(second, first, "a new choice takes the row of the one that it replaces");
	fixture_must(srt_db_find_choices(db, &lookup, seen, 4, &count), "find choices");
	tap_is_uint(count, 1, "a replaced choice is gone");
	tap_is_int(seen[0].id, second, "a choice tells its row");
	compare_choice(&seen[0], &wanted, "the writer");
	wanted.low_count = 9;
	wanted.high_count = 8;
	tap_ok(srt_db_put_choice(&second, db, fixture->run, fixture->device, fixture->problem, &wanted) != SCANRT_OK,
		"a choice for an empty range of counts is refused");
	strcpy(wanted.klass, "huge");
	wanted.high_count = 10;
	tap_ok(srt_db_put_choice(&second, db, fixture->run, fixture->device, fixture->problem, &wanted) != SCANRT_OK,
		"a choice of an unknown class is refused");
	tap_ok(srt_db_put_choice(&second, db, fixture->run, 99, fixture->problem, &wanted) != SCANRT_OK,
		"a choice for no device is refused");
}

/* Both ways to a row must give the same answer, to the byte. */
static void find_twice(struct srt_db_choice *rows, size_t *count, struct srt_db *writer, const char *path,
	const struct srt_db_lookup *lookup, size_t capacity)
{
	struct srt_db_choice again[8];
	struct srt_db *reader;
	size_t count_again;

	memset(rows, 0, 8 * sizeof(*rows));
	memset(again, 0, sizeof(again));
	fixture_must(srt_db_find_choices(writer, lookup, rows, capacity, count), "find choices as a writer");
	fixture_must(srt_db_open(&reader, path, SRT_DB_READ), "open as a reader");
	fixture_must(srt_db_find_choices(reader, lookup, again, capacity, &count_again), "find choices as a reader");
	srt_db_close(reader);
	tap_is_uint(count_again, *count, "a reader finds as many choices for %s as a writer", lookup->problem);
	tap_is_bytes(again, rows, sizeof(again), "a reader finds the same choices for %s as a writer", lookup->problem);
}

static void test_exact(struct srt_db *db, const char *path)
{
	static const char *const classes[] = { "tile", "small", "medium", "large" };
	struct srt_db_choice rows[8];
	struct srt_db_lookup lookup;
	size_t count;
	size_t i;

	fixture_lookup(&lookup);
	find_twice(rows, &count, db, path, &lookup, 8);
	tap_is_uint(count, 4, "all four classes are found");
	for (i = 0; i < count; i++)
		tap_is_string(rows[i].klass, classes[i], "classes come in the order of their counts");
	tap_is_uint(rows[1].low_count, rows[0].high_count + 1, "a class begins where the one before it ends");
	find_twice(rows, &count, db, path, &lookup, 2);
	tap_is_uint(count, 2, "no more classes come than there is room for");
	tap_is_string(rows[1].klass, "small", "where there is no room the classes of large counts are left out");
	lookup.source_hash = OTHER_SOURCE;
	find_twice(rows, &count, db, path, &lookup, 8);
	tap_is_uint(count, 0, "other kernels have no choices");
}

static void put_relative(struct srt_db *db, const char *fingerprint, const char *family, bool is_modelled,
	const char *op, const char *type, const char *variant)
{
	struct srt_db_device device = { .fingerprint = fingerprint,
		.family = family,
		.name = "relative",
		.uuid = "",
		.capability = 90,
		.is_modelled = is_modelled };
	struct srt_db_choice choice = sample_choice();
	int64_t id;

	snprintf(choice.variant, sizeof(choice.variant), "%s", variant);
	strcpy(choice.source_hash, FIXTURE_SOURCE);
	fixture_must(srt_db_put_device(&id, db, &device), "put a relative");
	fixture_must(srt_db_put_choice(&id, db, 0, id, fixture_problem(db, op, "arithmetic", type, 4), &choice),
		"put a relative's choice");
}

static void wants(struct srt_db *db, const char *path, const struct srt_db_lookup *lookup, const char *problem,
	const char *variant, const char *sentence)
{
	struct srt_db_choice rows[8];
	size_t count;

	find_twice(rows, &count, db, path, lookup, 8);
	if (!variant) {
		tap_is_uint(count, 0, "%s", sentence);
		return;
	}
	tap_is_string(count > 0 ? rows[0].variant : "", variant, "%s", sentence);
	tap_is_string(count > 0 ? rows[0].problem : "", problem, "%s: the problem", sentence);
	tap_ok(count > 0 && rows[0].is_similar, "%s: it is marked as similar", sentence);
}

/* The fixture has sum i32, sum f32 and max f32 of one device. */
static void test_similar(struct srt_db *db, const char *path)
{
	struct srt_db_lookup lookup;

	fixture_lookup(&lookup);
	lookup.problem = "sum u32";
	wants(db, path, &lookup, "sum i32", "block,block=512", "a sum takes the choices of the sum of the same size");
	lookup.problem = "max i32";
	lookup.op_class = "order";
	wants(db, path, &lookup, "max f32", "block,block=512", "a maximum takes those of the maximum of the same size");
	lookup.type_bytes = 8;
	wants(db, path, &lookup, NULL, NULL, "nothing of another size is similar");
	lookup.type_bytes = 4;
	lookup.moved_bytes = 5;
	wants(db, path, &lookup, NULL, NULL, "nothing of another size of input is similar");
	fixture_lookup(&lookup);
	lookup.fingerprint = "cc90 another board";
	wants(db, path, &lookup, "sum i32", "block,block=512", "a device takes the choices of a relative");
	lookup.family = NULL;
	wants(db, path, &lookup, NULL, NULL, "without a family there are no relatives");
	lookup.family = "cc90 modelled";
	put_relative(db, "cc90 emu", "cc90 modelled", true, "sum", "i32", "lookback,items=1");
	wants(db, path, &lookup, NULL, NULL, "a modelled device is nobody's relative");
	put_relative(db, "cc90 other", "cc90 modelled", false, "sum", "f32", "lookback,items=2");
	wants(db, path, &lookup, "sum f32", "lookback,items=2", "a relative's similar problem is the last resort");
	put_relative(db, "cc90 another board", "cc90 modelled", false, "prod", "f32", "lookback,items=3");
	wants(db, path, &lookup, "prod f32", "lookback,items=3",
		"a similar problem of the device itself goes before a relative");
	put_relative(db, "cc90 another board", "cc90 modelled", false, "sum", "u32", "lookback,items=4");
	wants(db, path, &lookup, "sum u32", "lookback,items=4",
		"of similar problems the one with the same operator wins");
}

static int count_rows(void *user, const struct srt_db_choice *choice, const char *device)
{
	int *rows = user;

	if (choice->id > 0 && strcmp(device, "NVIDIA H200") == 0)
		rows[0]++;
	return rows[0] == rows[1];
}

static void test_each(struct srt_db *db)
{
	int rows[2] = { 0, -1 };

	fixture_must(srt_db_each_choice(db, NULL, count_rows, rows), "list choices");
	tap_is_int(rows[0], 12, "all choices are listed with the name of their device");
	rows[0] = 0;
	fixture_must(srt_db_each_choice(db, "sum f32", count_rows, rows), "list choices");
	tap_is_int(rows[0], 4, "the choices of one problem are listed");
	rows[0] = 0;
	rows[1] = 2;
	fixture_must(srt_db_each_choice(db, NULL, count_rows, rows), "list choices");
	tap_is_int(rows[0], 2, "a listing ends where it is told to");
}

/* Times that are not known are 0 again. */
static void test_unknown_times(struct srt_db *db, const char *path, const struct fixture *fixture)
{
	struct srt_db_choice choice = sample_choice();
	struct srt_db_choice rows[8];
	struct srt_db_lookup lookup;
	size_t count;
	int64_t id;

	fixture_lookup(&lookup);
	lookup.problem = "or u64";
	choice.low_us = choice.high_us = choice.default_us = choice.copy_us = 0;
	choice.tuned_at[0] = '\0';
	strcpy(choice.source_hash, FIXTURE_SOURCE);
	fixture_must(
		srt_db_put_choice(&id, db, 0, fixture->device, fixture_problem(db, "or", "bit", "u64", 8), &choice),
		"put a choice without a run");
	find_twice(rows, &count, db, path, &lookup, 8);
	tap_is_double(rows[0].low_us + rows[0].high_us + rows[0].default_us + rows[0].copy_us, 0,
		"times that are not known stay unknown");
	tap_is_uint(strlen(rows[0].tuned_at), strlen("2026-08-01T12:34:56Z"), "a choice is dated where it has no date");
}

/* Enough rows for trees of three levels, so that every kind of page is read. */
static void test_many(struct srt_db *db, const char *path, const struct fixture *fixture)
{
	struct srt_db_choice rows[2][8];
	struct srt_db_lookup lookup;
	struct srt_db *reader;
	size_t count[2];
	char name[96];
	int differences = 0;
	int i;

	fixture_lookup(&lookup);
	lookup.problem = name;
	fixture_must(srt_db_begin(db), "begin");
	for (i = 0; i < 600; i++) {
		char op[16];

		snprintf(op, sizeof(op), "op%d", i * 7919 % 600);
		snprintf(name, sizeof(name), "%s i32", op);
		fixture_choose(db, fixture, fixture_problem(db, op, "arithmetic", "i32", 4), NULL);
	}
	fixture_must(srt_db_commit(db), "commit");
	fixture_must(srt_db_open(&reader, path, SRT_DB_READ), "open");
	for (i = 0; i < 600; i++) {
		memset(rows, 0, sizeof(rows));
		snprintf(name, sizeof(name), "op%d i32", i);
		fixture_must(srt_db_find_choices(reader, &lookup, rows[1], 8, &count[1]), "find choices");
		differences += count[1] != 4 || rows[1][0].is_similar || strcmp(rows[1][0].problem, name) != 0;
		/* The writer's SQL takes a hundred times as long. */
		if (i % 8 != 0)
			continue;
		fixture_must(srt_db_find_choices(db, &lookup, rows[0], 8, &count[0]), "find choices");
		differences += count[0] != 4 || memcmp(rows[0], rows[1], sizeof(rows[0])) != 0;
	}
	srt_db_close(reader);
	tap_is_int(differences, 0, "a reader finds the right choices, and the same as a writer, among 2400");
}

int main(void)
{
	const char *path = fixture_path("tune.db");
	struct fixture fixture;
	struct srt_db *db;

	tap_plan(0);
	fixture_must(srt_db_open(&db, fixture_path("one.db"), SRT_DB_WRITE), "open");
	fixture_begin(&fixture, db);
	test_choice(db, &fixture);
	test_unknown_times(db, fixture_path("one.db"), &fixture);
	srt_db_close(db);

	fixture_fill(path);
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	test_exact(db, path);
	test_each(db);
	test_similar(db, path);
	srt_db_close(db);

	path = fixture_path("many.db");
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_begin(&fixture, db);
	test_many(db, path, &fixture);
	srt_db_close(db);
	return tap_done();
}
