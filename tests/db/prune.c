/* SPDX-License-Identifier: MIT */
/* What is dropped so that a file stops growing, and what has to stay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixture.h"
#include "internal.h"
#include "tests/tap.h"

static int64_t begin_run(struct srt_db *db, const struct fixture *fixture, const char *status)
{
	struct srt_db_run run = { .device = fixture->device, .toolchain = fixture->toolchain,
		.source_hash = FIXTURE_SOURCE, .effort = "quick", .arguments = "", .version = "0", .boot_id = "b" };
	struct srt_db_trial trial = { .problem = fixture->problem, .klass = "small", .count = 1000, .status = "ok",
		.samples = 5, .us = 1, .low_us = 1, .high_us = 1 };

	fixture_must(srt_db_begin_run(db, &run), "begin a run");
	for (int i = 0; i < 5; i++) {
		char variant[32];

		snprintf(variant, sizeof(variant), "lookback,items=%d", 1 + i);
		trial.run = run.id;
		trial.variant = variant;
		trial.stage = i == 0 ? "final" : "race";
		fixture_must(srt_db_put_trial(db, &trial), "put a trial");
	}
	if (strcmp(status, "running") != 0)
		fixture_must(srt_db_finish_run(db, run.id, status), "finish a run");
	return run.id;
}

static void choose(struct srt_db *db, const struct fixture *fixture, int64_t run)
{
	struct srt_db_choice choice = { .low_count = 1, .high_count = 1000, .count = 1000, .us = 1 };
	int64_t id;

	strcpy(choice.klass, "small");
	strcpy(choice.variant, "lookback,items=1");
	fixture_must(srt_db_put_choice(&id, db, run, fixture->device, fixture->problem, &choice), "choose");
}

/* Drops, and compares how many runs and trials went. */
static void drops(struct srt_db *db, int keep, int runs, int trials, const char *sentence)
{
	struct srt_db_bounds bounds = { .runs = keep };
	struct srt_db_pruned pruned;

	fixture_must(srt_db_prune(db, &bounds, true, &pruned), "rehearse");
	tap_is_int(pruned.runs, runs, "%s: runs", sentence);
	tap_is_int(pruned.trials, trials, "%s: trials", sentence);
	tap_is_int(pruned.choices, 0, "%s: no choice of these kernels", sentence);
	fixture_must(srt_db_bound(db, &bounds), "drop");
	fixture_must(srt_db_prune(db, &bounds, true, &pruned), "rehearse");
	tap_is_int(pruned.runs + pruned.trials, 0, "%s: and nothing more the second time", sentence);
}

static int64_t answer(struct srt_db *db, const char *sql)
{
	int64_t value = -1;
	bool found;

	fixture_must(srt_db_integer(&value, &found, db, sql, ""), sql);
	return value;
}

static int64_t file_size(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 ? (int64_t)file.st_size : -1;
}

#define OLDER_SOURCE "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define WHOLE "SELECT count(*) FROM kernel k JOIN image i ON i.hash = k.image"

/* The fixture's twelve choices have an image each; thirty more of a run's defaults, and as many that programs kept. */
static void test_bytes(const char *path)
{
	struct srt_db_bounds bounds = { .runs = 8 };
	struct srt_db_pruned pruned;
	struct fixture fixture;
	struct srt_db_image image;
	struct srt_db *db;
	int64_t choices, before;

	fixture_fill(path);
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_begin(&fixture, db);
	fixture_must(srt_db_finish_run(db, fixture.run, "complete"), "finish");
	for (int i = 0; i < 60; i++) {
		fixture_image(&image, 1000 + i, "sum i32", "lookback,items=3");
		fixture_must(i < 30 ? srt_db_put_image(db, fixture.run, &image) : srt_db_keep_image(db, &image), "put");
		free(image.bytes);
	}
	for (int i = 0; i < 4; i++)
		begin_run(db, &fixture, "complete");
	choices = answer(db, "SELECT count(*) FROM choice");
	fixture_must(srt_db_prune(db, &bounds, false, &pruned), "prune");
	before = file_size(path);
	tap_is_int(pruned.images, 30, "without a bound, what a run before the last compiled and nobody chose goes");
	bounds.bytes = before;
	fixture_must(srt_db_prune(db, &bounds, false, &pruned), "prune");
	tap_is_int(pruned.runs + pruned.trials + pruned.images, 0, "a file within its bound is left as it is");
	bounds.bytes = before * 3 / 4;
	fixture_must(srt_db_prune(db, &bounds, false, &pruned), "prune");
	tap_ok(file_size(path) <= bounds.bytes, "a file of %d bytes becomes one of at most %d: %d", (int)before,
		(int)bounds.bytes, (int)file_size(path));
	tap_ok(pruned.images > 0 && pruned.images < 30, "of what programs kept no more goes than must: %d of 30",
		(int)pruned.images);
	tap_is_int(answer(db, "SELECT min(id) > (SELECT max(id) FROM kernel WHERE run IS NOT NULL) + 1 FROM kernel "
		"WHERE run IS NULL"), 1, "the oldest");
	bounds.bytes = 1;
	fixture_must(srt_db_prune(db, &bounds, false, &pruned), "prune");
	tap_is_int(answer(db, "SELECT count(*) FROM choice"), choices, "however small the bound, choices stay");
	tap_is_int(answer(db, WHOLE), 12, "and so does their machine code, and no more");
	tap_is_int(answer(db, "SELECT count(*) FROM trial WHERE stage IS NOT 'final'"), 0, "who lost goes");
	srt_db_close(db);
}

/* The run before was with other kernels, which another installed version may still have. */
static void test_older_choices(const char *path)
{
	struct srt_db_bounds bounds = { .runs = 2, .bytes = 1 };
	struct srt_db_pruned pruned;
	struct fixture fixture;
	struct srt_db *db;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_begin(&fixture, db);
	choose(db, &fixture, fixture.run);
	fixture_must(srt_db_finish_run(db, fixture.run, "complete"), "finish");
	fixture_must(srt_db_script(db, "UPDATE run SET source_hash = '" OLDER_SOURCE "'; "
		"UPDATE choice SET source_hash = '" OLDER_SOURCE "'"), "make it older");
	begin_run(db, &fixture, "complete");
	fixture_must(srt_db_prune(db, &bounds, false, &pruned), "prune");
	tap_is_int(pruned.choices, 0, "a bound in bytes drops no choice that the bound in runs lets stay");
	fixture_must(srt_db_prune(db, &bounds, false, &pruned), "prune");
	tap_is_int(pruned.choices, 0, "nor the second time");
	bounds.runs = 1;
	fixture_must(srt_db_prune(db, &bounds, false, &pruned), "prune");
	tap_is_int(pruned.choices, 1, "the bound in runs does");
	srt_db_close(db);
}

static void test_tidy(const char *path)
{
	struct srt_db_image image;
	struct srt_db *db;
	int64_t before;

	fixture_fill(path);
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	before = file_size(path);
	fixture_must(srt_db_tidy(db), "tidy");
	tap_is_int(file_size(path), before, "a file without much room in it is left alone");
	for (int i = 0; i < 40; i++) {
		fixture_image(&image, 1000 + i, "sum i32", "lookback,items=3");
		fixture_must(srt_db_keep_image(db, &image), "put");
		free(image.bytes);
	}
	fixture_must(srt_db_script(db, "DELETE FROM kernel WHERE run IS NULL; DELETE FROM image WHERE hash NOT IN "
		"(SELECT image FROM kernel WHERE image IS NOT NULL)"), "drop");
	tap_ok(file_size(path) > before * 3 / 2, "what is dropped leaves room in the file");
	fixture_must(srt_db_tidy(db), "tidy");
	tap_ok(file_size(path) <= before, "which is given back where it is much");
	srt_db_close(db);
}

static void test_slim(const char *path)
{
	struct fixture fixture;
	struct srt_db_image image;
	struct srt_db *db;

	fixture_fill(path);
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_begin(&fixture, db);
	for (int i = 0; i < 20; i++) {
		fixture_image(&image, 1000 + i, "sum i32", "lookback,items=3");
		fixture_must(i < 10 ? srt_db_put_image(db, fixture.run, &image) : srt_db_keep_image(db, &image), "put");
		free(image.bytes);
	}
	fixture_must(srt_db_slim(db, file_size(path)), "slim");
	tap_is_int(answer(db, WHOLE), 12 + 10 + 10, "a small file keeps the machine code of the last run's defaults");
	fixture_must(srt_db_slim(db, file_size(path) - 4096), "slim");
	tap_is_int(answer(db, WHOLE), 12 + 10, "a larger one that of choices, and what programs kept");
	srt_db_close(db);
}

int main(void)
{
	struct fixture fixture;
	struct srt_db *db;

	fixture_must(srt_db_open(&db, fixture_path("tune.db"), SRT_DB_WRITE), "open");
	fixture_begin(&fixture, db);
	fixture_must(srt_db_finish_run(db, fixture.run, "complete"), "finish");
	tap_plan(0);
	for (int i = 0; i < 6; i++) {
		int64_t run = begin_run(db, &fixture, "complete");

		if (i == 1)
			choose(db, &fixture, run);
	}
	for (int i = 0; i < 4; i++)
		begin_run(db, &fixture, "interrupted");
	drops(db, 2, 6, 5 * 5 + 4, "beside the last two, those to go on from, and the finalists that a choice is of");
	begin_run(db, &fixture, "complete");
	drops(db, 2, 3, 3 * 5, "once a run is complete there is nothing to go on from");
	begin_run(db, &fixture, "running");
	begin_run(db, &fixture, "complete");
	begin_run(db, &fixture, "complete");
	drops(db, 2, 2, 2 * 5, "a run that is at work is nobody's to take away");
	srt_db_close(db);
	test_bytes(fixture_path("bytes.db"));
	test_older_choices(fixture_path("older.db"));
	test_tidy(fixture_path("tidy.db"));
	test_slim(fixture_path("slim.db"));
	return tap_done();
}
