/* SPDX-License-Identifier: MIT */
/* Files that are not what they should be: each has its status and its sentence; none but ours is touched. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "internal.h"
#include "status.h"
#include "tests/tap.h"

/* Where SQLite's file format keeps what the tests change. */
#define OFFSET_WRITE_VERSION  18
#define OFFSET_USER_VERSION   63
#define OFFSET_APPLICATION_ID 68

static void refuses(const char *path, enum srt_db_access access, int status, const char *part, const char *sentence)
{
	struct srt_db *db;

	srt_error_clear();
	tap_is_int(srt_db_open(&db, path, access), status, "%s", sentence);
	tap_ok(db == NULL, "%s: no handle is left", sentence);
	tap_contains(srt_error_last()->text, part, "%s: the sentence tells why", sentence);
	srt_db_close(db);
}

static mode_t mode_of(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 ? file.st_mode & 07777 : 0;
}

/* How many files of the directory begin with `start`, and how many of those hold "corrupt". */
static int count_files(const char *directory, const char *start)
{
	DIR *listing = opendir(directory);
	struct dirent *entry;
	int count = 0;

	while (listing && (entry = readdir(listing)))
		count += strncmp(entry->d_name, start, strlen(start)) == 0;
	if (listing)
		closedir(listing);
	return count;
}

static void test_new(void)
{
	const char *path = fixture_path("new/deep/tune.db");
	mode_t mask = umask(0);
	struct srt_db *db;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	tap_is_string(srt_db_path(db), path, "a database tells its path");
	tap_is_string(srt_db_moved_to(db), "", "nothing was moved away for a new file");
	srt_db_close(db);
	tap_is_int(mode_of(path), 0600, "a new file is its owner's alone, whatever the umask");
	tap_is_int(mode_of(fixture_path("new/deep")), 0700, "a new directory is its owner's alone");
	tap_is_int(mode_of(fixture_path("new")), 0700, "so is one above it");
	umask(0777);
	fixture_must(srt_db_open(&db, fixture_path("masked/tune.db"), SRT_DB_WRITE), "open under a umask of 0777");
	srt_db_close(db);
	umask(mask);
	tap_is_int(mode_of(fixture_path("masked/tune.db")), 0600, "a umask of 0777 makes no file that cannot be read");
}

static void test_no_file(void)
{
	refuses(fixture_path("none.db"), SRT_DB_READ, SCANRT_ERROR_DATABASE, "no such file",
		"a missing file is refused");
	tap_ok(access(fixture_path("none.db"), F_OK) != 0, "a reader makes no file");
	refuses(fixture_directory(), SRT_DB_READ, SCANRT_ERROR_DATABASE_FORMAT, "not a regular file",
		"a directory is refused");
	refuses(fixture_directory(), SRT_DB_WRITE, SCANRT_ERROR_DATABASE_FORMAT, "not a regular file",
		"a directory is refused to a writer");
	if (mkfifo(fixture_path("fifo"), 0600) == 0)
		refuses(fixture_path("fifo"), SRT_DB_READ, SCANRT_ERROR_DATABASE_FORMAT, "not a regular file",
			"a FIFO is refused and does not block");
	refuses("/dev/null/tune.db", SRT_DB_WRITE, SCANRT_ERROR_DATABASE, "", "a file below a file cannot be made");
}

/* Both a reader and a writer refuse it, and it is as before. */
static void stays_foreign(const char *path, const char *part, const char *sentence)
{
	size_t size_before;
	size_t size_after;
	void *before = fixture_read(path, &size_before);
	void *after;

	tap_case("as a reader");
	refuses(path, SRT_DB_READ, SCANRT_ERROR_DATABASE_FORMAT, part, sentence);
	tap_case("as a writer");
	refuses(path, SRT_DB_WRITE, SCANRT_ERROR_DATABASE_FORMAT, part, sentence);
	tap_case("%s", "");
	after = fixture_read(path, &size_after);
	tap_ok(size_after == size_before && memcmp(before, after, size_before) == 0, "%s: the file is as before",
		sentence);
	free(before);
	free(after);
}

static void patch(const char *path, const char *from, size_t offset, unsigned char value)
{
	size_t size;
	unsigned char *bytes = fixture_read(from, &size);

	bytes[offset] = value;
	fixture_write(path, bytes, size);
	free(bytes);
}

static void test_foreign(const char *good)
{
	const char *path = fixture_path("foreign.db");

	fixture_write(path, "Dear diary, this is a text and no database at all.\n", 51);
	stays_foreign(path, "is not a tuning database", "a short text is refused");
	fixture_write(path, "x", 1);
	stays_foreign(path, "is not a tuning database", "a file of one byte is refused, which SQLite calls empty");
	patch(path, good, OFFSET_APPLICATION_ID, 'X');
	stays_foreign(path, "of another program", "a database of another program is refused");
	patch(path, good, OFFSET_USER_VERSION, 77);
	stays_foreign(path, "newer", "a file of a newer version is refused");
	patch(path, good, OFFSET_USER_VERSION, (unsigned char)(srt_db_newest_version() + 1));
	stays_foreign(path, "newer", "and so is one of the very next");
}

static void test_empty(void)
{
	const char *path = fixture_path("empty.db");
	struct srt_db *db;

	fixture_write(path, "", 0);
	refuses(path, SRT_DB_READ, SCANRT_ERROR_DATABASE_FORMAT, "empty",
		"a file of zero bytes is refused to a reader");
	tap_is_int(
		srt_db_open(&db, path, SRT_DB_WRITE), SCANRT_OK, "a writer makes a database of a file of zero bytes");
	srt_db_close(db);
	tap_is_int(srt_db_open(&db, path, SRT_DB_READ), SCANRT_OK, "which a reader then opens");
	srt_db_close(db);
}

static void test_wal(const char *good)
{
	const char *path = fixture_path("wal.db");
	struct srt_db *db;

	patch(path, good, OFFSET_WRITE_VERSION, 2);
	patch(path, path, OFFSET_WRITE_VERSION + 1, 2);
	refuses(path, SRT_DB_READ, SCANRT_ERROR_DATABASE_FORMAT, "WAL", "a file in WAL mode is refused to a reader");
	tap_is_int(count_files(fixture_directory(), "wal.db"), 1, "a reader leaves nothing beside a file in WAL mode");
	tap_is_int(srt_db_open(&db, path, SRT_DB_WRITE), SCANRT_OK, "a writer takes a file out of WAL mode");
	srt_db_close(db);
	tap_is_int(srt_db_open(&db, path, SRT_DB_READ), SCANRT_OK, "so that a reader opens it");
	srt_db_close(db);
}

static void test_read_only(const char *good)
{
	const char *path = fixture_path("closed.db");

	if (geteuid() == 0) {
		tap_skip(3, "root may write to every file");
		return;
	}
	patch(path, good, 0, 'S');
	chmod(path, 0400);
	refuses(path, SRT_DB_WRITE, SCANRT_ERROR_DATABASE, "not writable", "a file that may not be written is refused");
}

/* ---- damage ---- */

static void mends(const char *path, const char *sentence)
{
	struct srt_db_lookup lookup;
	struct srt_db_choice rows[4];
	struct srt_db *db;
	size_t count = 1;
	int before = count_files(fixture_directory(), strrchr(path, '/') + 1);

	srt_error_clear();
	tap_is_int(srt_db_open(&db, path, SRT_DB_WRITE), SCANRT_OK, "%s: a writer starts anew", sentence);
	if (!db)
		return;
	tap_ok(access(srt_db_moved_to(db), F_OK) == 0, "%s: the damaged file is kept", sentence);
	tap_contains(srt_db_moved_to(db), ".corrupt-2", "%s: it is named by the time", sentence);
	tap_is_int(count_files(fixture_directory(), strrchr(path, '/') + 1), before + 1, "%s: one file more", sentence);
	tap_is_int(srt_error_last()->status, SCANRT_OK, "%s: no failure is left on record", sentence);
	fixture_lookup(&lookup);
	fixture_must(srt_db_find_choices(db, &lookup, rows, 4, &count), "find choices");
	tap_is_uint(count, 0, "%s: the new file is empty", sentence);
	srt_db_close(db);
}

static void test_damage(const char *good)
{
	const char *path = fixture_path("cut.db");
	size_t size;
	unsigned char *bytes = fixture_read(good, &size);
	struct srt_db *db;

	fixture_write(path, bytes, size / 2);
	refuses(path, SRT_DB_READ, SCANRT_ERROR_DATABASE_CORRUPT, "",
		"a file that was cut short is refused to a reader");
	tap_is_int(count_files(fixture_directory(), "cut.db"), 1, "a reader moves nothing away");
	mends(path, "a file that was cut short");

	path = fixture_path("header.db");
	patch(path, good, 0, 'X');
	refuses(path, SRT_DB_READ, SCANRT_ERROR_DATABASE_CORRUPT, "header",
		"a file of ours with a damaged header is refused to a reader");
	mends(path, "a damaged header");

	path = fixture_path("version.db");
	patch(path, good, OFFSET_USER_VERSION, 0);
	refuses(path, SRT_DB_READ, SCANRT_ERROR_DATABASE_CORRUPT, "format number",
		"a file without a format is refused");
	mends(path, "a file without its format number");

	/* Past the schema: the reader may not even notice, the writer's integrity check must. */
	path = fixture_path("middle.db");
	memset(bytes + size / 2, 0xa5, 8192);
	memset(bytes + 4 * 8192, 0xa5, 8192);
	fixture_write(path, bytes, size);
	mends(path, "damage in the middle");
	free(bytes);
	tap_is_int(srt_db_open(&db, good, SRT_DB_WRITE), SCANRT_OK, "an undamaged file is opened");
	tap_is_string(srt_db_moved_to(db), "", "an undamaged file is not moved away");
	srt_db_close(db);
}

/* The schema's text is not guarded by SQLite's own integrity check. */
static void test_schema_damage(const char *good)
{
	const char *path = fixture_path("schema.db");
	size_t size;
	char *bytes = fixture_read(good, &size);
	char *at = memmem(bytes, size, "tuned_at TEXT", 13);

	if (!at)
		tap_bail_out("no column tuned_at in the schema");
	at[0] = 'l';
	fixture_write(path, bytes, size);
	free(bytes);
	mends(path, "a changed name in the schema");
}

/* Another build's view, say: it holds no data, and is made anew in place. */
static void test_other_view(const char *good)
{
	const char *path = fixture_path("view.db");
	size_t size;
	char *bytes = fixture_read(good, &size);
	char *at = memmem(bytes, size, "CREATE VIEW tuned", 17);
	struct srt_db *db = NULL;

	at = at ? memmem(at, size - (size_t)(at - bytes), "SELECT", 6) : NULL;
	if (!at)
		tap_bail_out("no view tuned in the schema");
	memcpy(at, "select", 6);
	fixture_write(path, bytes, size);
	free(bytes);
	tap_is_int(srt_db_open(&db, path, SRT_DB_WRITE), SCANRT_OK, "a file with another view is opened for writing");
	tap_is_string(srt_db_moved_to(db), "", "it is not moved away");
	srt_db_close(db);
	bytes = fixture_read(path, &size);
	at = memmem(bytes, size, "CREATE VIEW tuned", 17);
	tap_ok(at && memmem(at, size - (size_t)(at - bytes), "SELECT", 6), "the view is as this version has it");
	free(bytes);
}

static void test_two_kept(const char *good)
{
	const char *path = fixture_path("kept/tune.db");
	int i;

	mkdir(fixture_path("kept"), 0700);
	for (i = 0; i < 4; i++) {
		struct srt_db *db;

		patch(path, good, 0, 'X');
		fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open a damaged file");
		srt_db_close(db);
	}
	tap_is_int(count_files(fixture_path("kept"), "tune.db.corrupt-"), 2, "two damaged files are kept, not more");
	tap_is_int(count_files(fixture_path("kept"), "tune.db"), 3, "beside the new one");
}

/* At our own place in the user's cache whatever has our name is ours. */
static void test_user_path(void)
{
	struct srt_strbuf path = { 0 };
	struct srt_db *db;

	setenv("XDG_CACHE_HOME", fixture_path("cache"), 1);
	srt_db_user_path(&path);
	fixture_must(srt_db_open(&db, srt_strbuf_text(&path), SRT_DB_WRITE), "make the user's file");
	srt_db_close(db);
	fixture_write(srt_strbuf_text(&path),
		"all in ruins, not a single byte of a header left, nothing at all, "
		"and one hundred bytes and more of it....",
		105);
	refuses(srt_strbuf_text(&path), SRT_DB_READ, SCANRT_ERROR_DATABASE_FORMAT, "not a tuning database",
		"ruins at the user's path are refused to a reader");
	tap_is_int(srt_db_open(&db, srt_strbuf_text(&path), SRT_DB_WRITE), SCANRT_OK,
		"ruins at the user's path are moved away by a writer");
	tap_contains(db ? srt_db_moved_to(db) : "", ".corrupt-", "and kept");
	srt_db_close(db);
	srt_strbuf_free(&path);
}

/* Services have a HOME that is not there, and a root that made it would surprise. */
static void test_no_home(void)
{
	const char *before = getenv("HOME");
	char *home = before ? strdup(before) : NULL;
	struct srt_db *db;

	setenv("HOME", fixture_path("nobody/home"), 1);
	tap_is_int(srt_db_open(&db, fixture_path("nobody/home/.cache/scanrt/tune.db"), SRT_DB_WRITE),
		SCANRT_ERROR_DATABASE, "a home directory that is not there is not made");
	tap_contains(srt_error_last()->text, "cannot find the home directory", "and the sentence says so");
	tap_ok(access(fixture_path("nobody"), F_OK) != 0, "nor is what it would lie in");
	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
	free(home);
}

/* Names that SQLite gives a meaning of its own. */
static void test_names(void)
{
	struct srt_db *db;
	size_t size;

	if (chdir(fixture_directory()) != 0)
		tap_bail_out("cannot enter %s", fixture_directory());
	fixture_must(srt_db_open(&db, ":memory:", SRT_DB_WRITE), "open :memory:");
	srt_db_close(db);
	free(fixture_read(fixture_path(":memory:"), &size));
	tap_ok(size > 0, "a path is a path: \":memory:\" makes a file");
	fixture_must(srt_db_open(&db, "file:x.db?mode=memory", SRT_DB_WRITE), "open a URI");
	srt_db_close(db);
	free(fixture_read(fixture_path("file:x.db?mode=memory"), &size));
	tap_ok(size > 0, "a path is a path: a URI makes a file");
}

int main(void)
{
	const char *good = fixture_path("good.db");

	tap_plan(0);
	fixture_fill(good);
	test_new();
	test_no_file();
	test_foreign(good);
	test_empty();
	test_wal(good);
	test_read_only(good);
	test_damage(good);
	test_schema_damage(good);
	test_other_view(good);
	test_two_kept(good);
	test_user_path();
	test_no_home();
	test_names();
	return tap_done();
}
