/* SPDX-License-Identifier: MIT
 *
 * Which database files there are, and the reading of them for one plan.  A file that cannot be read is a remark in the
 * plan's account and never a failure: the database only says which variant is faster.
 */
#include "catalog.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../db/db.h"
#include "status.h"

/* An empty path is a place that does not exist, such as the user's file where there is no HOME. */
static int add_path(struct srt_catalog *catalog, const char *path)
{
	char *copy;

	if (*path == '\0')
		return SCANRT_OK;
	copy = strdup(path);
	if (!copy)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a file name");
	catalog->paths[catalog->count++] = copy;
	return SCANRT_OK;
}

/* The user's own measurements go before the administrator's, and both before what the vendor shipped. */
static int add_standard(struct srt_catalog *catalog)
{
	static void (*const places[])(struct srt_strbuf *) = {
		srt_db_user_path, srt_db_system_path, srt_db_vendor_path,
	};
	struct srt_strbuf path = { 0 };
	int status = SCANRT_OK;
	size_t i;

	for (i = 0; i < SRT_CATALOG_FILES && !status; i++) {
		srt_strbuf_clear(&path);
		places[i](&path);
		status = path.failed ? srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a file name")
				     : add_path(catalog, srt_strbuf_text(&path));
	}
	srt_strbuf_free(&path);
	return status;
}

/* Into the only file that is looked at, or the user's: the others are not ours to write. */
static void choose_cache(struct srt_catalog *catalog, const char *given)
{
	const char *wanted = secure_getenv("SCANRT_WRITE_CACHE");
	struct srt_strbuf path = { 0 };

	if (!wanted || strcmp(wanted, "1") != 0 || (given && strcmp(given, "off") == 0))
		return;
	if (given && *given)
		srt_strbuf_append(&path, given);
	else
		srt_db_user_path(&path);
	if (!path.failed && path.length > 0)
		catalog->cache = strdup(srt_strbuf_text(&path));
	srt_strbuf_free(&path);
}

/* The environment is read when the context is made, so that later changes of it cannot make two plans of one context
 * disagree about where they looked. */
int srt_catalog_init(struct srt_catalog *catalog, const char *given)
{
	int status = SCANRT_OK;

	memset(catalog, 0, sizeof(*catalog));
	if (!given)
		given = secure_getenv("SCANRT_DB");
	if (!given || *given == '\0')
		status = add_standard(catalog);
	else if (strcmp(given, "off") != 0)
		status = add_path(catalog, given);
	if (!status)
		choose_cache(catalog, given);
	if (status)
		srt_catalog_free(catalog);
	return status;
}

void srt_catalog_expect(const struct srt_catalog *catalog)
{
	for (size_t i = 0; i < catalog->count; i++)
		srt_db_expect(catalog->paths[i]);
}

void srt_catalog_free(struct srt_catalog *catalog)
{
	while (catalog->count > 0)
		free(catalog->paths[--catalog->count]);
	free(catalog->cache);
	catalog->cache = NULL;
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

void srt_reading_enter(struct srt_reading *reading)
{
	reading->entered_us = now_us();
}

void srt_reading_leave(struct srt_reading *reading)
{
	reading->spent_us += now_us() - reading->entered_us;
}

void srt_reading_begin(struct srt_reading *reading, const struct srt_catalog *catalog, struct srt_account *account)
{
	memset(reading, 0, sizeof(*reading));
	reading->catalog = catalog;
	reading->waited_ms = srt_db_waited_ms();
	reading->account = account;
}

/* Machine code of a file that others may write is not run: its numbers are still good, and our source is compiled. */
static void judge(struct srt_reading *reading, size_t index)
{
	struct srt_strbuf reason = { 0 };

	reading->files[index].is_trusted = srt_db_is_trusted(reading->files[index].db, &reason);
	if (!reading->files[index].is_trusted)
		srt_account_add(reading->account, "%s: machine code refused: %s", reading->catalog->paths[index],
			srt_strbuf_text(&reason));
	srt_strbuf_free(&reason);
}

static struct srt_db *open_file(struct srt_reading *reading, size_t index)
{
	const char *path = reading->catalog->paths[index];

	reading->files[index].is_tried = true;
	/* The usual case of a missing file should not cost an attempt of SQLite's. */
	if (access(path, F_OK) != 0) {
		srt_account_add(reading->account, "%s: no such file", path);
		return NULL;
	}
	if (srt_db_open(&reading->files[index].db, path, SRT_DB_READ)) {
		srt_account_add(reading->account, "%s: refused: %s", path, srt_error_last()->text);
		reading->files[index].db = NULL;
		return NULL;
	}
	judge(reading, index);
	return reading->files[index].db;
}

/* Most plans find all they need in the first file, and the others are then never touched. */
struct srt_db *srt_reading_file(struct srt_reading *reading, size_t index)
{
	if (!reading->files[index].is_tried) {
		srt_reading_enter(reading);
		reading->files[index].db = open_file(reading, index);
		srt_reading_leave(reading);
	}
	return reading->files[index].db;
}

bool srt_reading_is_trusted(const struct srt_reading *reading, size_t index)
{
	return reading->files[index].is_trusted;
}

/* Nothing stays open: a file may be replaced by scantune, and a lock that we held would keep it waiting. */
struct srt_kept *srt_reading_end(struct srt_reading *reading)
{
	struct srt_kept *kept = reading->kept;
	size_t i;

	srt_reading_enter(reading);
	for (i = 0; i < SRT_CATALOG_FILES; i++)
		srt_db_close(reading->files[i].db);
	srt_reading_leave(reading);
	if (reading->files[0].is_tried)
		srt_account_add(reading->account, "the look-up in databases took %.0f us", reading->spent_us);
	if (srt_db_waited_ms() != reading->waited_ms)
		srt_account_add(reading->account, "waited %u ms for locks", srt_db_waited_ms() - reading->waited_ms);
	memset(reading, 0, sizeof(*reading));
	return kept;
}
