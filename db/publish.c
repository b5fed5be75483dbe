/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "status.h"

/* A rename is on the disk once its directory is. */
static int synchronise(const char *path, int flags)
{
	int descriptor = open(path, flags | O_CLOEXEC);
	int status = SCANRT_OK;

	if (descriptor < 0 || fsync(descriptor) != 0)
		status = srt_db_fail_errno(path, "write it to the disk");
	if (descriptor >= 0)
		close(descriptor);
	return status;
}

static int synchronise_parent(const char *path)
{
	char *directory = strdup(path);
	char *slash = directory ? strrchr(directory, '/') : NULL;
	int status = SCANRT_OK;

	if (slash) {
		*slash = '\0';
		status = synchronise(slash == directory ? "/" : directory, O_RDONLY | O_DIRECTORY);
	}
	free(directory);
	return status;
}

/* Of a copy that failed SQLite may leave a journal. */
static void discard(const char *aside)
{
	struct srt_strbuf journal = { 0 };

	unlink(aside);
	srt_strbuf_printf(&journal, "%s-journal", aside);
	if (!journal.failed)
		unlink(srt_strbuf_text(&journal));
	srt_strbuf_free(&journal);
}

/* VACUUM INTO copies one state of the database, without the holes, and without its lock for longer than that takes. */
static int copy_to(struct srt_db *db, const char *aside)
{
	int status;

	discard(aside); /* an earlier process of the same number may have died here */
	status = srt_db_execute(db, "VACUUM INTO ?", "s", aside);
	if (status) /* SQLite knows the source only, and it may be the other disk that is full */
		return srt_fail(status, "no copy in %s: %s", aside, srt_error_last()->text);
	if (chmod(aside, 0644) != 0)
		status = srt_db_fail_errno(aside, "set its mode");
	return status == SCANRT_OK ? synchronise(aside, O_RDONLY) : status;
}

static int make_copy(struct srt_db *db, const char *path, int (*fill)(struct srt_db *db, const char *aside))
{
	struct srt_strbuf aside = { 0 };
	int status = srt_db_need_sql(db);

	/* A reader's transaction has seen to it that the file can be read; a copy is a transaction of its own. */
	if (status == SCANRT_OK && db->access == SRT_DB_READ && !sqlite3_get_autocommit(db->handle))
		status = srt_db_commit(db);
	srt_strbuf_printf(&aside, "%s.new-%ld", path, (long)getpid());
	if (status == SCANRT_OK && aside.failed)
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "%s: no memory to write it", path);
	if (status == SCANRT_OK)
		status = fill(db, srt_strbuf_text(&aside));
	if (status == SCANRT_OK && rename(srt_strbuf_text(&aside), path) != 0)
		status = srt_db_fail_errno(path, "replace it");
	if (status == SCANRT_OK)
		status = synchronise_parent(path);
	else if (!aside.failed)
		discard(srt_strbuf_text(&aside));
	srt_strbuf_free(&aside);
	return status;
}

int srt_db_publish(struct srt_db *db, const char *path)
{
	int status = srt_db_make_parents(path, 0755);

	return status == SCANRT_OK ? make_copy(db, path, copy_to) : status;
}

/* ---- What is given away: who ran the tuner and how is nobody's business ---- */

static int strip(const char *path, const char *sql)
{
	struct srt_db *copy;
	int status = srt_db_open(&copy, path, SRT_DB_WRITE);

	if (status == SCANRT_OK)
		status = srt_db_script(copy, sql);
	srt_db_close(copy);
	return status;
}

static const char without_images[] =
	"BEGIN; DELETE FROM kernel; DELETE FROM image; DELETE FROM poison; DELETE FROM trial; DELETE FROM roofline; "
	"DELETE FROM board; UPDATE device SET uuid = ''; UPDATE run SET arguments = '', boot_id = '', pid = 0, "
	"start_ticks = 0; COMMIT; VACUUM";
static const char with_all[] =
	"BEGIN; DELETE FROM poison; DELETE FROM trial; DELETE FROM roofline; DELETE FROM board; "
	"UPDATE device SET uuid = ''; "
	"UPDATE run SET arguments = '', boot_id = '', pid = 0, start_ticks = 0; COMMIT; VACUUM";

static int fill_numbers(struct srt_db *db, const char *aside)
{
	int status = copy_to(db, aside);

	return status == SCANRT_OK ? strip(aside, without_images) : status;
}

static int fill_all(struct srt_db *db, const char *aside)
{
	int status = copy_to(db, aside);

	return status == SCANRT_OK ? strip(aside, with_all) : status;
}

int srt_db_export(struct srt_db *db, const char *path, bool with_images)
{
	return make_copy(db, path, with_images ? fill_all : fill_numbers);
}
