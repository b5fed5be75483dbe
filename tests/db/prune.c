/* SPDX-License-Identifier: MIT */
/* What is dropped so that a file stops growing, and what has to stay. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"
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
	struct srt_db_pruned pruned;

	fixture_must(srt_db_prune(db, keep, true, &pruned), "rehearse");
	tap_is_int(pruned.runs, runs, "%s: runs", sentence);
	tap_is_int(pruned.trials, trials, "%s: trials", sentence);
	tap_is_int(pruned.choices, 0, "%s: no choice of these kernels", sentence);
	fixture_must(srt_db_bound(db, keep), "drop");
	fixture_must(srt_db_prune(db, keep, true, &pruned), "rehearse");
	tap_is_int(pruned.runs + pruned.trials, 0, "%s: and nothing more the second time", sentence);
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
	return tap_done();
}
