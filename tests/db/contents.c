/* SPDX-License-Identifier: MIT */
/* Devices, toolchains, problems, runs, rooflines, and the marks of variants that failed. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

#define OTHER_SOURCE "ffffffffffffffffffffffffffffffff"

static void test_subjects(struct srt_db *db, struct fixture *fixture)
{
	struct srt_db_device device = { .fingerprint = FIXTURE_FINGERPRINT,
		.family = FIXTURE_FAMILY,
		.name = "renamed",
		.uuid = "ff",
		.capability = 90 };
	int64_t again;

	fixture_begin(fixture, db);
	fixture_must(srt_db_put_device(&again, db, &device), "put a device again");
	tap_is_int(again, fixture->device, "a device is known by its fingerprint, whatever its name");
	fixture_must(srt_db_put_toolchain(&again, db, "nvrtc 13.0 build 1", 13000), "put a toolchain again");
	tap_is_int(again, fixture->toolchain, "a toolchain is known by compiler and driver");
	fixture_must(srt_db_put_toolchain(&again, db, "nvrtc 13.0 build 1", 13010), "put another toolchain");
	tap_ok(again != fixture->toolchain, "another driver is another toolchain");
	tap_is_int(
		fixture_problem(db, "sum", "arithmetic", "i32", 4), fixture->problem, "a problem is known by its name");
	device.fingerprint = "";
	tap_ok(srt_db_put_device(&again, db, &device) != SCANRT_OK, "a device without a fingerprint is refused");
}

static void test_runs(struct srt_db *db, struct fixture *fixture)
{
	struct srt_db_running rows[4];
	size_t count;

	fixture_must(srt_db_running(db, fixture->device, rows, 4, &count), "list running");
	tap_is_uint(count, 1, "a run that has begun is running");
	tap_is_int(rows[0].pid, 4242, "a running run tells its process");
	tap_is_string(rows[0].boot_id, "6b1d6f0c-2d3c-4a39-a2f5-2b7a6a4a2b1e", "a running run tells its boot");
	tap_is_int(rows[0].start_ticks, 777, "a running run tells when its process started");
	tap_ok(srt_db_finish_run(db, fixture->run, "over") != SCANRT_OK, "an unknown end of a run is refused");
	fixture_must(srt_db_finish_run(db, fixture->run, "budget"), "finish");
	fixture_must(srt_db_running(db, fixture->device, rows, 4, &count), "list running");
	tap_is_uint(count, 0, "a finished run is not running");
	fixture_must(srt_db_put_roofline(db, fixture->run, 1 << 20, 3.5, "vector copy"), "put a roofline");
	fixture_must(srt_db_put_roofline(db, fixture->run, 1 << 20, 3.25, "vector copy"), "put a roofline again");
	tap_ok(srt_db_put_roofline(db, fixture->run, 1 << 20, -1, "none") != SCANRT_OK, "a negative time is refused");
	tap_ok(srt_db_put_roofline(db, 9999, 1 << 20, 1, "none") != SCANRT_OK, "a roofline of no run is refused");
}

static void test_marks(struct srt_db *db, struct fixture *fixture)
{
	struct srt_strbuf note = { 0 };
	bool found;

	fixture_trial(db, fixture, "lookahead,items=32", "", "timeout", 0);
	fixture_must(srt_db_find_poison(db, fixture->device, FIXTURE_SOURCE, fixture->problem, "lookahead,items=32",
			     &found, &note),
		"look for a mark");
	tap_ok(found, "a variant that hung is marked");
	tap_is_string(srt_strbuf_text(&note), "timeout: as the test says", "a mark tells why");
	fixture_must(srt_db_find_poison(
			     db, fixture->device, OTHER_SOURCE, fixture->problem, "lookahead,items=32", &found, NULL),
		"look for a mark");
	tap_ok(!found, "a mark does not outlive the kernels that it was made for");
	fixture_trial(db, fixture, "lookahead,items=32", "", "ok", 0);
	fixture_must(srt_db_find_poison(
			     db, fixture->device, FIXTURE_SOURCE, fixture->problem, "lookahead,items=32", &found, NULL),
		"look for a mark");
	tap_ok(!found, "a variant that works after all is no longer marked");
	fixture_trial(db, fixture, "lookback,items=64", "", "pruned", 0);
	fixture_must(srt_db_find_poison(
			     db, fixture->device, FIXTURE_SOURCE, fixture->problem, "lookback,items=64", &found, NULL),
		"look for a mark");
	tap_ok(!found, "a variant that was only pruned is not marked");
	srt_strbuf_free(&note);
}

struct boards {
	int count;
	int known;
	char last[64];
};

static void count_board(void *user, const struct srt_db_board *board)
{
	struct boards *boards = user;

	boards->count++;
	boards->known += board->uuid[0] != '\0' && strcmp(board->fingerprint, FIXTURE_FINGERPRINT) == 0;
	snprintf(boards->last, sizeof(boards->last), "%s", board->uuid);
}

static struct boards boards_of(const char *path)
{
	struct boards boards = { 0 };
	struct srt_db *reader;

	fixture_must(srt_db_open(&reader, path, SRT_DB_READ), "open");
	fixture_must(srt_db_each_board(reader, count_board, &boards), "list boards");
	srt_db_close(reader);
	return boards;
}

static void test_boards(struct srt_db *db, const char *path, int64_t device)
{
	struct boards boards;
	int i;

	fixture_must(srt_db_put_board(db, device, "b1"), "put a board");
	fixture_must(srt_db_put_board(db, device, "b2"), "put a board");
	fixture_must(srt_db_put_board(db, device, "b1"), "put a board again");
	boards = boards_of(path);
	tap_is_int(boards.known, 4, "a device is known by every board that it was seen with");
	tap_is_string(boards.last, "b1", "the last one that was seen comes last");
	fixture_must(srt_db_begin(db), "begin");
	for (i = 0; i < 300; i++) {
		char uuid[16];

		snprintf(uuid, sizeof(uuid), "c%d", i);
		fixture_must(srt_db_put_board(db, device, uuid), "put a board");
	}
	fixture_must(srt_db_commit(db), "commit");
	boards = boards_of(path);
	tap_is_int(boards.known, 256, "the latest 256 are kept");
	tap_is_int(boards.count, 257, "and the device itself is told once");
	tap_ok(srt_db_put_board(db, device, "") != SCANRT_OK, "a board without a number is refused");
}

int main(void)
{
	struct fixture fixture;
	struct srt_db *db;

	tap_plan(23);
	fixture_must(srt_db_open(&db, fixture_path("tune.db"), SRT_DB_WRITE), "open");
	test_subjects(db, &fixture);
	test_runs(db, &fixture);
	test_marks(db, &fixture);
	test_boards(db, fixture_path("tune.db"), fixture.device);
	srt_db_close(db);
	srt_db_close(NULL);
	return tap_done();
}
