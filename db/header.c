/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/stat.h>

#include "record.h"
#include "status.h"

#define HEADER_SIZE 100

/* Through SQLite's own descriptor where it has one, so that no other needs to be opened and closed (see direct.c). */
static int read_header(struct srt_db *db, unsigned char header[HEADER_SIZE], sqlite3_int64 *size)
{
	int code = srt_db_file_size(db, size);

	memset(header, 0, HEADER_SIZE);
	if (code == SQLITE_OK && *size >= HEADER_SIZE)
		code = srt_db_read_at(db, header, HEADER_SIZE, 0);
	if (code != SQLITE_OK)
		return srt_fail_database(SCANRT_ERROR_DATABASE, code, "%s: cannot read its header", db->path);
	return SCANRT_OK;
}

/* SQLite tells a file of one byte as empty, for the sake of a file system that made such files of empty ones. */
static bool has_a_byte(const struct srt_db *db)
{
	struct stat facts;

	return stat(db->path, &facts) == 0 && facts.st_size > 0;
}

static int refuse(const struct srt_db *db, int status, const char *why)
{
	return srt_fail_database(status, status == SCANRT_ERROR_DATABASE_CORRUPT ? SQLITE_CORRUPT : SQLITE_NOTADB,
		"%s: %s", db->path, why);
}

/* A damaged file of ours is told from a stranger's by what else in the header is ours. */
static int check_identity(const struct srt_db *db, const unsigned char *header, sqlite3_int64 size)
{
	bool is_sqlite = size >= HEADER_SIZE && memcmp(header, "SQLite format 3", 16) == 0;
	bool is_ours = size >= HEADER_SIZE && srt_big_endian(header + 68, 4) == SRT_DB_APPLICATION_ID;

	if (is_sqlite && is_ours)
		return SCANRT_OK;
	if (is_sqlite)
		return refuse(db, SCANRT_ERROR_DATABASE_FORMAT, "is a database of another program");
	if (is_ours)
		return refuse(db, SCANRT_ERROR_DATABASE_CORRUPT, "its header is damaged");
	return refuse(db, SCANRT_ERROR_DATABASE_FORMAT, "is not a tuning database");
}

/* Older formats are read as they are: what a reader wants has kept its place since format 1.  A WAL file cannot be
 * read without writing beside it. */
static int check_readable(const struct srt_db *db, const unsigned char *header)
{
	if (header[18] == 2 || header[19] == 2)
		return refuse(db, SCANRT_ERROR_DATABASE_FORMAT,
			"is in WAL mode, which cannot be read without writing; scantune puts that right");
	return SCANRT_OK;
}

int srt_db_check_header(struct srt_db *db, int *version)
{
	unsigned char header[HEADER_SIZE];
	sqlite3_int64 size = 0;
	int status = read_header(db, header, &size);

	*version = 0;
	if (status != SCANRT_OK)
		return status;
	if (size == 0 && !has_a_byte(db))
		return db->access != SRT_DB_READ ? SCANRT_OK
						  : refuse(db, SCANRT_ERROR_DATABASE_FORMAT, "is empty: zero bytes");
	status = check_identity(db, header, size);
	if (status != SCANRT_OK)
		return status;
	*version = (int)(srt_big_endian(header + 60, 4) & 0x7fffffff);
	if (*version > srt_db_newest_version())
		return srt_fail_database(SCANRT_ERROR_DATABASE_FORMAT, SQLITE_NOTADB,
			"%s: has format %d of a newer scanrt; this one knows up to %d", db->path, *version,
			srt_db_newest_version());
	if (*version == 0)
		return refuse(db, SCANRT_ERROR_DATABASE_CORRUPT, "lacks its format number");
	return db->access == SRT_DB_READ ? check_readable(db, header) : SCANRT_OK;
}
