/* SPDX-License-Identifier: MIT */
/* What people see in the sqlite3 shell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

/* The shell's answer to a statement, in a text that the next call overwrites. */
static const char *ask(const char *path, const char *sql)
{
	static char answer[65536];
	char command[8192];
	size_t length;
	FILE *shell;

	snprintf(command, sizeof(command), "sqlite3 -readonly '%s' \"%s\" 2>&1", path, sql);
	shell = popen(command, "r");
	if (!shell)
		tap_bail_out("cannot start a shell");
	length = fread(answer, 1, sizeof(answer) - 1, shell);
	answer[length] = '\0';
	pclose(shell);
	return answer;
}

static void test_tuned(const char *path)
{
	const char *answer = ask(path, "SELECT * FROM tuned WHERE problem = 'sum i32' AND class = 'large'");

	tap_contains(answer,
		"sum i32|large|16777217 and more|lookahead,block=384,items=24,stages=6,ahead=4|514.25|4176|"
		"97.5 %|+25.0 %|2",
		"tuned reads as problem, class, counts, variant, us, GB/s, share of copy, gain, when");
	tap_contains(answer, "|NVIDIA H200\n", "and ends with the device");
	tap_is_string(
		ask(path, "SELECT group_concat(class, ' ') FROM (SELECT class FROM tuned WHERE problem = 'max f32')"),
		"tile small medium large\n", "tuned lists the classes in the order of their counts");
	tap_is_string(ask(path, "SELECT group_concat(name, '|') FROM pragma_table_info('tuned')"),
		"problem|class|counts|variant|us|GB/s|of copy|gain|when|device\n",
		"the columns of tuned have their names");
}

static void test_why(const char *path)
{
	const char *answer = ask(path, "SELECT * FROM why WHERE problem = 'sum i32' AND class = 'small'");

	tap_contains(
		answer, "sum i32|small|chosen|lookback,block=128,items=8|3.25|", "why begins with what was chosen");
	tap_contains(answer, "|ok|lookback|4.06|4.02 to 4.10|1.250||||", "why lists what it was up against");
	tap_lacks(answer, "|ok|lookback||", "a variant that was timed is not listed as verified, too");
	tap_contains(
		answer, "|pruned|lookback,items=64||||||as the test says|", "why tells what was never timed, and why");
}

static void test_others(const char *path)
{
	tap_is_string(ask(path, "SELECT * FROM coverage"), "1|sum i32|4|2|1|1|0|tile small medium large|NVIDIA H200\n",
		"coverage counts variants: tried, ok, pruned, failed, unfinished");
	tap_contains(ask(path, "SELECT * FROM failures"), "sum i32|lookahead,items=32|large|wrong|as the test says|1|",
		"failures tells what went wrong");
	tap_is_string(ask(path, "SELECT * FROM stale"), "", "nothing is stale after a run");
	tap_contains(ask(path, "SELECT * FROM runs"), "|complete|quick|tune|5|12|4282|nvrtc 13.0 build 1|13000|",
		"runs tells how a run ended and what came of it");
	tap_contains(ask(path, "SELECT * FROM kernels"),
		"sum i32|block,block=512|sm_90|sass|40|8192|0|23908 bytes|by scantune|",
		"kernels tells registers, memory, the image's size, and that it was verified");
	tap_contains(
		ask(path, "SELECT * FROM help"), "tuned|what is used on this machine", "help tells what tuned answers");
	tap_is_string(ask(path,
			      "SELECT count(*) FROM sqlite_master m WHERE type = 'view' "
			      "AND name NOT IN (SELECT view FROM help)"),
		"0\n", "help names every view");
}

/* Another run, with another driver and for another problem only. */
static void test_stale(const char *path)
{
	struct srt_db_run run = { .device = 1,
		.source_hash = FIXTURE_SOURCE,
		.effort = "normal",
		.arguments = "",
		.version = "0.1.0",
		.boot_id = "b",
		.pid = 1,
		.start_ticks = 1 };
	struct srt_db *db;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_must(srt_db_put_toolchain(&run.toolchain, db, "nvrtc 13.0 build 1", 13010), "put a toolchain");
	fixture_must(srt_db_begin_run(db, &run), "begin a run");
	srt_db_close(db);
	tap_is_string(ask(path, "SELECT count(*), reason FROM stale GROUP BY 2"),
		"12|tuned with driver 13000, now 13010: still used\n",
		"choices of an older driver are stale and still used");
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	run.source_hash = "ffffffffffffffffffffffffffffffff";
	fixture_must(srt_db_begin_run(db, &run), "begin a run");
	srt_db_close(db);
	tap_is_string(ask(path, "SELECT count(*), reason FROM stale GROUP BY 2"),
		"12|kernels have changed: no longer used\n", "choices of older kernels are stale and no longer used");
}

static void test_file(const char *path)
{
	tap_is_string(ask(path, "PRAGMA integrity_check"), "ok\n", "the file passes SQLite's integrity check");
	tap_is_string(ask(path, "PRAGMA foreign_key_check"), "", "no reference leads nowhere");
	tap_is_string(ask(path, "PRAGMA journal_mode"), "delete\n", "the journal mode is DELETE");
	tap_is_string(ask(path, "PRAGMA application_id"), "1396919890\n", "the application id is ours");
	tap_is_string(ask(path, "PRAGMA user_version"), "5\n", "the format is 5");
	tap_is_string(ask(path, "SELECT count(*) FROM sqlite_master WHERE sql LIKE '%STRICT%'"), "0\n",
		"no table needs a newer SQLite than 3.34");
	tap_contains(ask(path, "UPDATE choice SET us = 1"), "readonly", "the test itself changes nothing");
}

int main(void)
{
	const char *path = fixture_path("tune.db");

	if (system("sqlite3 --version >/dev/null 2>&1") != 0)
		tap_skip_all("there is no sqlite3 shell");
	tap_plan(0);
	fixture_fill(path);
	test_tuned(path);
	test_why(path);
	test_others(path);
	test_file(path);
	test_stale(path);
	return tap_done();
}
