/* SPDX-License-Identifier: MIT */
/* Several processes at one file, and processes that die. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

#define WRITERS 2
#define TRIALS  150
#define KILLS   40

static void sleep_us(long us)
{
	struct timespec pause = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&pause, NULL);
}

static int count_trial(void *user, const struct srt_db_trial *trial)
{
	int *count = user;

	(void)trial;
	++*count;
	return 0;
}

static int count_trials(const char *path)
{
	struct srt_db *db;
	int count = 0;

	fixture_must(srt_db_open(&db, path, SRT_DB_READ), "open");
	fixture_must(srt_db_each_trial(db, 1, FIXTURE_SOURCE, 1, count_trial, &count), "list trials");
	srt_db_close(db);
	return count;
}

/* ---- writing at once ---- */

static void write_trials(const char *path, int who)
{
	struct fixture fixture;
	struct srt_db *db;
	char variant[64];
	int i;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_begin(&fixture, db);
	for (i = 0; i < TRIALS; i++) {
		snprintf(variant, sizeof(variant), "lookback,block=%d,items=%d", who, i);
		fixture_trial(db, &fixture, variant, "small", "ok", 1 + i);
	}
	srt_db_close(db);
}

static void test_at_once(const char *path)
{
	pid_t children[WRITERS];
	int failures = 0;
	int i;

	for (i = 0; i < WRITERS; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			write_trials(path, i);
			_exit(0);
		}
	}
	for (i = 0; i < WRITERS; i++) {
		int status;

		failures += waitpid(children[i], &status, 0) != children[i] || status != 0;
	}
	tap_is_int(failures, 0, "%d writers that make one file and write to it at once all succeed", WRITERS);
	tap_is_int(count_trials(path), WRITERS * TRIALS, "and none of their rows is lost");
}

/* ---- locks ---- */

/* A child that holds the lock of SQLite's commit until it is killed. */
static pid_t hold_exclusive(const char *path)
{
	int ready[2];
	char byte;
	pid_t child;

	if (pipe(ready) != 0)
		tap_bail_out("cannot make a pipe");
	child = fork();
	if (child == 0) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512 };
		int descriptor = open(path, O_RDWR);

		if (descriptor < 0 || fcntl(descriptor, F_SETLKW, &lock) != 0)
			_exit(1);
		(void)!write(ready[1], "x", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		tap_bail_out("the child could not lock %s", path);
	close(ready[0]);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_locked(const char *path)
{
	pid_t child = hold_exclusive(path);
	unsigned before = srt_db_waited_ms();
	struct srt_db *db;

	tap_is_int(
		srt_db_open(&db, path, SRT_DB_READ), SCANRT_ERROR_DATABASE_BUSY, "a locked file is busy to a reader");
	tap_ok(srt_db_waited_ms() - before > 0 && srt_db_waited_ms() - before <= 50,
		"a reader waits for no more than 50 ms");
	tap_contains(srt_error_last()->text, path, "the sentence names the file");
	before = srt_db_waited_ms();
	tap_is_int(
		srt_db_open(&db, path, SRT_DB_WRITE), SCANRT_ERROR_DATABASE_BUSY, "a locked file is busy to a writer");
	tap_ok(srt_db_waited_ms() - before > 3000, "a writer waits for some seconds");
	end(child);
	tap_is_int(srt_db_open(&db, path, SRT_DB_READ), SCANRT_OK, "a lock dies with its process");
	srt_db_close(db);
}

static void test_reader_beside_writer(const char *path)
{
	struct fixture fixture;
	struct srt_db *writer;
	struct srt_db *reader;
	int before = count_trials(path);

	fixture_must(srt_db_open(&writer, path, SRT_DB_WRITE), "open");
	fixture_must(srt_db_begin(writer), "begin");
	fixture_begin(&fixture, writer);
	fixture_trial(writer, &fixture, "lookback,from=writer", "small", "ok", 1);
	tap_is_int(count_trials(path), before, "a reader sees nothing of a transaction that is not committed");
	srt_db_rollback(writer);
	tap_is_int(count_trials(path), before, "nor of one that was rolled back");
	fixture_must(srt_db_open(&reader, path, SRT_DB_READ), "open");
	srt_db_close(reader);
	srt_db_close(writer);
}

/* The byte that a writer of SQLite's locks when it begins. */
#define RESERVED_BYTE 0x40000001

/* Only another process sees a lock of this one. */
static bool is_reserved(const char *path)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = RESERVED_BYTE, .l_len = 1 };
		int file = open(path, O_RDWR);

		_exit(file >= 0 && fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* POSIX drops all locks of a process on a file as soon as it closes any descriptor of it. */
static void test_locks_outlive_readers(const char *path)
{
	struct srt_db *writer;
	struct srt_db *reader;
	int i;

	fixture_must(srt_db_open(&writer, path, SRT_DB_WRITE), "open");
	tap_ok(!is_reserved(path), "a writer that has not begun holds no lock");
	fixture_must(srt_db_begin(writer), "begin");
	tap_ok(is_reserved(path), "one that has begun holds one");
	for (i = 0; i < 3; i++) {
		fixture_must(srt_db_open(&reader, path, SRT_DB_READ), "open");
		srt_db_close(reader);
	}
	tap_ok(is_reserved(path), "which readers of the same process, coming and going, leave to it");
	srt_db_rollback(writer);
	srt_db_close(writer);
	tap_ok(!is_reserved(path), "until it ends");
}

/* ---- death in the middle ---- */

static void put_large_transactions(const char *path, int ready)
{
	struct fixture fixture;
	struct srt_db *db;
	char variant[64];
	int round;
	int i;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	(void)!write(ready, "x", 1);
	for (round = 0;; round++) {
		fixture_must(srt_db_begin(db), "begin");
		fixture_begin(&fixture, db);
		for (i = 0; i < 10; i++) {
			struct srt_db_image image;

			snprintf(variant, sizeof(variant), "lookback,block=%d,items=%d", round, i);
			fixture_trial(db, &fixture, variant, "small", "ok", 1 + i);
			fixture_image(&image, 1000 + round % 4 * 10 + i, "sum i32", variant);
			fixture_must(srt_db_put_image(db, fixture.run, &image), "put an image");
			free(image.bytes);
		}
		fixture_must(srt_db_commit(db), "commit");
	}
}

static void kill_a_writer(const char *path, long after_us)
{
	int ready[2];
	char byte;
	pid_t child;

	if (pipe(ready) != 0)
		tap_bail_out("cannot make a pipe");
	child = fork();
	if (child == 0) {
		close(ready[0]);
		put_large_transactions(path, ready[1]);
		_exit(0);
	}
	close(ready[1]);
	(void)!read(ready[0], &byte, 1);
	close(ready[0]);
	sleep_us(after_us);
	end(child);
}

/* A writer's opening includes the whole integrity check; a damaged file would be moved away. */
static void test_kills(const char *path)
{
	int damaged = 0;
	int refused = 0;
	int halves = 0;
	int i;

	for (i = 0; i < KILLS; i++) {
		struct srt_db *db;

		kill_a_writer(path, 100 + i * 7331 % 60000);
		if (srt_db_open(&db, path, SRT_DB_READ) != SCANRT_OK)
			refused++;
		srt_db_close(db);
		if (srt_db_open(&db, path, SRT_DB_WRITE) != SCANRT_OK || srt_db_moved_to(db)[0])
			damaged++;
		srt_db_close(db);
		halves += count_trials(path) % 10 != 0;
	}
	tap_is_int(damaged, 0, "after each of %d kills the file passes its integrity check", KILLS);
	tap_is_int(halves, 0, "a transaction is there as a whole or not at all");
	tap_diag("%d kills left a journal that readers refused until a writer came; %d trials", refused,
		count_trials(path));
}

/* Enough for SQLite to write to the file before the commit: a journal that must be played back. */
static void test_hot_journal(const char *path)
{
	struct srt_db *db;
	char journal[4200];
	pid_t child;
	int before = count_trials(path);

	child = fork();
	if (child == 0) {
		struct fixture fixture;
		int i;

		fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
		fixture_must(srt_db_begin(db), "begin");
		fixture_begin(&fixture, db);
		fixture_trial(db, &fixture, "lookback,lost=1", "small", "ok", 1);
		for (i = 0; i < 200; i++) {
			struct srt_db_image image;

			fixture_image(&image, 5000 + i, "sum i32", "lookback");
			fixture_must(srt_db_put_image(db, fixture.run, &image), "put an image");
			free(image.bytes);
		}
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	tap_ok(access(journal, F_OK) == 0, "a writer that died left its journal");
	tap_is_int(srt_db_open(&db, path, SRT_DB_READ), SCANRT_ERROR_DATABASE,
		"a reader refuses a file with such a journal");
	tap_contains(srt_error_last()->text, "journal", "and says why");
	tap_ok(access(journal, F_OK) == 0, "a reader leaves the journal where it is");
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	tap_is_string(srt_db_moved_to(db), "", "a writer plays the journal back and finds the file whole");
	srt_db_close(db);
	tap_ok(access(journal, F_OK) != 0, "and the journal is gone");
	tap_is_int(count_trials(path), before, "nothing of the lost transaction is there");
}

int main(void)
{
	const char *path = fixture_path("tune.db");

	tap_plan(23);
	test_at_once(path);
	test_reader_beside_writer(path);
	test_locks_outlive_readers(path);
	test_locked(path);
	test_hot_journal(path);
	test_kills(fixture_path("killed.db"));
	return tap_done();
}
