/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "internal.h"
#include "pages.h"
#include "status.h"

/* A library call must not wait for a tuner that commits; a tuner may well wait for another one. */
static const int most_wait_ms[] = { [SRT_DB_READ] = 40, [SRT_DB_WRITE] = 5000, [SRT_DB_KEEP] = 20 };

#define PATIENT_MS 60000

static _Thread_local unsigned waited_ms;

void srt_db_be_patient(struct srt_db *db)
{
	db->is_patient = true;
}

unsigned srt_db_waited_ms(void)
{
	return waited_ms;
}

/* In place of SQLite's own, which does not tell how long it waited.  What counts is what was asked for: a machine that
 * wakes us late is busy, and not locked.  A writer has its patience anew for each lock. */
static int wait_for_lock(void *user, int attempt)
{
	static const int steps_ms[] = { 1, 2, 5, 10, 15, 25, 50, 100 };
	const int last = (int)(sizeof(steps_ms) / sizeof(steps_ms[0])) - 1;
	struct srt_db *db = user;
	int ms = steps_ms[attempt < last ? attempt : last];
	int left;

	if (attempt == 0 && db->access == SRT_DB_WRITE)
		db->waited_ms = 0;
	left = (db->is_patient ? PATIENT_MS : most_wait_ms[db->access]) - db->waited_ms;
	ms = ms < left ? ms : left;
	if (ms <= 0)
		return 0;
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL); /* SQLite's own may sleep whole seconds */
	db->waited_ms += ms;
	waited_ms += (unsigned)ms;
	return 1;
}

/* A look-up reads a dozen pages of small tables and some images of tens of kilobytes: of 4, 8 and 16 kilobytes the
 * least was the fastest. */
#define PAGE_SIZE_PRAGMA "PRAGMA page_size = 4096"

/* What a reader begins with. */
#define READ_SCRIPT "PRAGMA cell_size_check = ON; BEGIN; PRAGMA user_version"

static void harden(sqlite3 *handle, enum srt_db_access access)
{
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, access != SRT_DB_READ, NULL);
	/* Our reads use tables only: a view in place of one is somebody's trick. */
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, access == SRT_DB_WRITE, NULL);
}

/* Private cache, in case the program that uses us shares caches between its own connections. */
static int connect_to(struct srt_db *db)
{
	int mode = db->access == SRT_DB_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
	int code;

	srt_db_count_handle(1);
	code = sqlite3_open_v2(db->path, &db->handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
	if (!db->handle)
		srt_db_count_handle(-1);
	if (!db->handle)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "%s: no memory to open it", db->path);
	sqlite3_busy_handler(db->handle, wait_for_lock, db);
	if (code != SQLITE_OK)
		return srt_db_fail(db, "open it");
	harden(db->handle, db->access);
	return SCANRT_OK;
}

static void close_handle(struct srt_db *db)
{
	if (!db->handle)
		return;
	sqlite3_close_v2(db->handle);
	db->handle = NULL;
	srt_db_count_handle(-1);
}

static void disconnect(struct srt_db *db)
{
	srt_pages_close(db->pages);
	db->pages = NULL;
	close_handle(db);
	srt_db_close_direct(db);
}

/* SQLite would block on a FIFO and say little about a directory. */
static int identify(struct srt_db *db)
{
	struct stat file;

	if (stat(db->path, &file) != 0)
		return srt_fail_database(SCANRT_ERROR_DATABASE, SQLITE_CANTOPEN, "%s: %s", db->path,
			errno == ENOENT ? "there is no such file" : strerror(errno));
	if (!S_ISREG(file.st_mode))
		return srt_fail_database(
			SCANRT_ERROR_DATABASE_FORMAT, SQLITE_CANTOPEN, "%s: is not a regular file", db->path);
	db->filesystem = file.st_dev;
	db->inode = file.st_ino;
	return SCANRT_OK;
}

/* One transaction for the whole visit: one lock, one look for a hot journal, one snapshot.  Reading the version takes
 * the lock, so that a file that cannot be locked is refused here and not in the middle. */
static int open_by_sqlite(struct srt_db *db)
{
	int version;
	int status = identify(db);

	if (status == SCANRT_OK)
		status = connect_to(db);
	if (status == SCANRT_OK)
		status = srt_db_check_header(db, &version);
	if (status == SCANRT_OK)
		status = srt_db_script(db, READ_SCRIPT);
	if (status == SCANRT_OK)
		status = srt_pages_open(db);
	return status;
}

static int open_for_reading(struct srt_db *db)
{
	return srt_db_open_direct(db) ? SCANRT_OK : open_by_sqlite(db);
}

/* SQLite sees what the pages show: the lock that keeps writers away is held all the while. */
int srt_db_need_sql(struct srt_db *db)
{
	int status;

	if (db->handle)
		return SCANRT_OK;
	status = connect_to(db);
	if (status == SCANRT_OK)
		status = srt_db_script(db, READ_SCRIPT);
	if (status != SCANRT_OK)
		close_handle(db);
	return status;
}

/* A commit waits for every reader, even one of nothing. */
static int end_bringing_up(struct srt_db *db, int status)
{
	if (status == SCANRT_OK && db->is_brought_up)
		return srt_db_commit(db);
	srt_db_rollback(db);
	return status;
}

/* A file in WAL mode is brought back to DELETE: WAL corrupts on network homes.  With IMMEDIATE an interrupted write is
 * rolled back before anything is judged. */
static int lock_and_bring_up(struct srt_db *db)
{
	int version;
	int status = srt_db_script(db, PAGE_SIZE_PRAGMA "; PRAGMA cell_size_check = ON; PRAGMA journal_mode = DELETE");

	if (status == SCANRT_OK)
		status = srt_db_begin(db);
	if (status == SCANRT_OK)
		status = srt_db_check_header(db, &version);
	if (status == SCANRT_OK)
		status = srt_db_migrate(db, version);
	if (status == SCANRT_OK && version > 0)
		status = srt_db_check_integrity(db);
	return end_bringing_up(db, status);
}

/* Our own place in the user's cache: whatever lies there under our name is ours to move away. */
static bool is_user_path(const struct srt_db *db)
{
	struct srt_strbuf user = { 0 };
	bool is_same;

	srt_db_user_path(&user);
	is_same = user.length > 0 && strcmp(srt_strbuf_text(&user), db->path) == 0;
	srt_strbuf_free(&user);
	return is_same;
}

/* A stranger's file is looked at without a lock first, and left as it is.  Where a -journal lies beside, that look
 * could deceive. */
static int open_existing(struct srt_db *db)
{
	int version;
	int status = identify(db);

	if (status == SCANRT_OK)
		status = connect_to(db);
	if (status == SCANRT_OK && sqlite3_db_readonly(db->handle, "main"))
		status = srt_fail_database(SCANRT_ERROR_DATABASE, SQLITE_READONLY, "%s: is not writable", db->path);
	if (status == SCANRT_OK && !srt_db_has_journal(db)) {
		status = srt_db_check_header(db, &version);
		if (status == SCANRT_ERROR_DATABASE_FORMAT && version == 0 && is_user_path(db))
			status = SCANRT_ERROR_DATABASE_CORRUPT;
	}
	return status == SCANRT_OK ? lock_and_bring_up(db) : status;
}

/* A file that is there is taken as it is, if it is of the newest format; its damage is for scantune to find. */
static int open_for_keeping(struct srt_db *db)
{
	int version = 0;
	int status = srt_db_create_file(db->path);

	if (status == SCANRT_OK)
		status = identify(db);
	if (status == SCANRT_OK)
		status = connect_to(db);
	if (status == SCANRT_OK)
		status = srt_db_script(db, PAGE_SIZE_PRAGMA "; PRAGMA cell_size_check = ON");
	if (status == SCANRT_OK)
		status = srt_db_begin(db);
	if (status == SCANRT_OK)
		status = srt_db_check_header(db, &version);
	if (status == SCANRT_OK && version == 0)
		status = srt_db_migrate(db, version);
	else if (status == SCANRT_OK && version != srt_db_newest_version())
		status = srt_fail_database(SCANRT_ERROR_DATABASE_FORMAT, SQLITE_NOTADB,
			"%s: has the older format %d; scantune brings it up to %d", db->path, version,
			srt_db_newest_version());
	return end_bringing_up(db, status);
}

/* Tuning costs minutes and a database is a cache: a damaged one is put aside and made anew, once. */
static int open_for_writing(struct srt_db *db)
{
	struct srt_error before;
	int status;

	srt_error_save(&before);
	status = srt_db_create_file(db->path);

	if (status == SCANRT_OK)
		status = open_existing(db);
	if (status != SCANRT_ERROR_DATABASE_CORRUPT)
		return status;
	disconnect(db);
	status = srt_db_quarantine(db);
	if (status == SCANRT_OK)
		status = srt_db_create_file(db->path);
	if (status == SCANRT_OK)
		status = open_existing(db);
	if (status == SCANRT_OK)
		srt_error_restore(&before);
	return status;
}

/* SQLite gives names like ":memory:" and "file:..." a meaning; none begins with a dot and a slash. */
static char *plain_path(const char *path)
{
	struct srt_strbuf buffer = { 0 };

	srt_strbuf_printf(&buffer, "%s%s", path[0] == '/' ? "" : "./", path);
	if (!buffer.failed)
		return buffer.text;
	srt_strbuf_free(&buffer);
	return NULL;
}

int srt_db_open(struct srt_db **db, const char *path, enum srt_db_access access)
{
	struct srt_db *made = calloc(1, sizeof(*made));
	int status;

	assert(path && *path);
	*db = NULL;
	if (made)
		made->path = plain_path(path);
	if (!made || !made->path) {
		free(made);
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "%s: no memory to open it", path);
	}
	made->descriptor = -1;
	made->access = access;
	status = access == SRT_DB_READ	? open_for_reading(made)
		: access == SRT_DB_KEEP ? open_for_keeping(made)
					: open_for_writing(made);
	if (status == SCANRT_OK)
		*db = made;
	else
		srt_db_close(made);
	return status;
}

void srt_db_close(struct srt_db *db)
{
	if (!db)
		return;
	disconnect(db);
	free(db->moved_to);
	free(db->path);
	free(db);
}

const char *srt_db_path(const struct srt_db *db)
{
	return db->path;
}

const char *srt_db_moved_to(const struct srt_db *db)
{
	return db->moved_to ? db->moved_to : "";
}
