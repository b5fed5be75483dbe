/* SPDX-License-Identifier: MIT */
/* A tuner that goes on gets the trials of unfinished runs, and of no others. */
#include <string.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

struct seen {
	char text[1024];
	struct srt_db_trial last;
	struct srt_db *db; /* to write to from within, or NULL */
	const struct fixture *fixture;
	int most; /* stop after so many; 0: never */
	int count;
};

static int see(void *user, const struct srt_db_trial *trial)
{
	struct seen *seen = user;

	if (seen->text[0])
		strcat(seen->text, " ");
	strcat(seen->text, trial->variant);
	strcat(seen->text, ":");
	strcat(seen->text, trial->status);
	seen->last = *trial;
	if (seen->db)
		fixture_trial(seen->db, seen->fixture, "written,from=within", "small", "ok", 1);
	return ++seen->count == seen->most;
}

static const char *list(struct seen *seen, struct srt_db *db, const struct fixture *fixture, const char *source)
{
	seen->text[0] = '\0';
	seen->count = 0;
	fixture_must(srt_db_each_trial(db, fixture->device, source, fixture->problem, see, seen), "list trials");
	return seen->text;
}

static void begin_run(struct fixture *fixture, struct srt_db *db, const char *source)
{
	struct srt_db_run run = { .device = fixture->device,
		.toolchain = fixture->toolchain,
		.source_hash = source,
		.effort = "normal",
		.arguments = "",
		.version = "0.1.0",
		.boot_id = "b",
		.pid = 1,
		.start_ticks = 1 };

	fixture_must(srt_db_begin_run(db, &run), "begin a run");
	fixture->run = run.id;
}

static void test_values(struct srt_db *db, const struct fixture *fixture)
{
	struct srt_db_trial trial = { .run = fixture->run,
		.problem = fixture->problem,
		.variant = "lookback,items=9",
		.klass = "large",
		.count = 1u << 28,
		.status = "noisy",
		.samples = 30,
		.us = 512.25,
		.low_us = 510.5,
		.high_us = 514.75,
		.clock_mhz = 1755,
		.registers = 96,
		.note = "the clock moved" };
	struct seen seen = { 0 };

	fixture_must(srt_db_put_trial(db, &trial), "put a trial");
	/* Strings have gone by now; what matters of them is in the text. */
	tap_is_string(
		list(&seen, db, fixture, FIXTURE_SOURCE), "lookback,items=9:noisy", "a trial tells what it tried");
	tap_is_int(seen.last.run, trial.run, "a trial tells its run");
	tap_is_uint(seen.last.count, trial.count, "a trial tells its count");
	tap_is_int(seen.last.samples, trial.samples, "a trial tells how many samples it took");
	tap_is_double(seen.last.us, trial.us, "a trial tells its time");
	tap_is_double(seen.last.low_us, trial.low_us, "a trial tells its interval's low end");
	tap_is_double(seen.last.high_us, trial.high_us, "a trial tells its interval's high end");
	tap_is_int(seen.last.clock_mhz, trial.clock_mhz, "a trial tells its clock");
	tap_is_int(seen.last.registers, trial.registers, "a trial tells its registers");
	trial.status = "finished";
	tap_ok(srt_db_put_trial(db, &trial) != SCANRT_OK, "an unknown status of a trial is refused");
	trial.status = "pruned";
	trial.us = trial.low_us = trial.high_us = 0;
	trial.count = 0;
	trial.clock_mhz = trial.registers = trial.samples = 0;
	trial.note = NULL;
	fixture_must(srt_db_put_trial(db, &trial), "put the trial again");
	tap_is_string(list(&seen, db, fixture, FIXTURE_SOURCE), "lookback,items=9:pruned",
		"a trial that is put again replaces the first");
	tap_is_double(seen.last.us, 0, "a time that was not taken is 0");
	tap_is_uint(seen.last.count, 0, "a count that was not timed is 0");
}

static void test_runs(struct srt_db *db, struct fixture *fixture)
{
	struct seen seen = { 0 };
	int64_t first = fixture->run;

	fixture_must(srt_db_finish_run(db, first, "interrupted"), "finish");
	begin_run(fixture, db, FIXTURE_SOURCE);
	fixture_trial(db, fixture, "block", "tile", "ok", 1.5);
	fixture_trial(db, fixture, "lookback", "", "running", 0);
	tap_is_string(list(&seen, db, fixture, FIXTURE_SOURCE), "lookback,items=9:pruned block:ok lookback:running",
		"trials of interrupted runs are handed on, in the order written");
	tap_is_string(list(&seen, db, fixture, "ffffffffffffffffffffffffffffffff"), "",
		"trials of other kernels are not handed on");
	begin_run(fixture, db, "ffffffffffffffffffffffffffffffff");
	fixture_must(srt_db_finish_run(db, fixture->run, "complete"), "finish");
	tap_ok(strstr(list(&seen, db, fixture, FIXTURE_SOURCE), "block:ok") != NULL,
		"a complete run of other kernels ends nothing");
	begin_run(fixture, db, FIXTURE_SOURCE);
	fixture_trial(db, fixture, "lookahead", "large", "ok", 500);
	fixture_must(srt_db_finish_run(db, fixture->run, "complete"), "finish");
	tap_is_string(
		list(&seen, db, fixture, FIXTURE_SOURCE), "", "after a complete run there is nothing to go on with");
	begin_run(fixture, db, FIXTURE_SOURCE);
	fixture_trial(db, fixture, "lookahead", "large", "ok", 501);
	fixture_trial(db, fixture, "lookahead", "small", "ok", 5);
	fixture_must(srt_db_finish_run(db, fixture->run, "budget"), "finish");
	tap_is_string(list(&seen, db, fixture, FIXTURE_SOURCE), "lookahead:ok lookahead:ok",
		"a run that ended with its budget is gone on with, class by class");
}

static void test_callback(struct srt_db *db, struct fixture *fixture)
{
	struct seen seen = { .most = 1 };

	list(&seen, db, fixture, FIXTURE_SOURCE);
	tap_is_int(seen.count, 1, "a listing ends where it is told to");
	seen.most = 0;
	seen.db = db;
	seen.fixture = fixture;
	list(&seen, db, fixture, FIXTURE_SOURCE);
	tap_is_int(seen.count, 2, "trials written during a listing do not come up in it");
	seen.db = NULL;
	list(&seen, db, fixture, FIXTURE_SOURCE);
	tap_is_int(seen.count, 3, "trials written during a listing are there afterwards");
}

int main(void)
{
	struct fixture fixture;
	struct srt_db *db;

	tap_plan(21);
	fixture_must(srt_db_open(&db, fixture_path("tune.db"), SRT_DB_WRITE), "open");
	fixture_begin(&fixture, db);
	test_values(db, &fixture);
	test_runs(db, &fixture);
	test_callback(db, &fixture);
	srt_db_close(db);
	return tap_done();
}
