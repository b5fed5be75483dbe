/* SPDX-License-Identifier: MIT */
/* A database is published for all users, whole or not at all. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

static mode_t mode_of(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 ? file.st_mode & 07777 : 0;
}

static void finds(const char *path, size_t wanted, const char *sentence)
{
	struct srt_db_choice rows[8];
	struct srt_db_lookup lookup;
	struct srt_db_image image;
	struct srt_db *db;
	char recipe[33];
	size_t count;
	bool found;

	fixture_lookup(&lookup);
	fixture_must(srt_db_open(&db, path, SRT_DB_READ), "open what was published");
	fixture_must(srt_db_find_choices(db, &lookup, rows, 8, &count), "find choices");
	tap_is_uint(count, wanted, "%s", sentence);
	fixture_recipe(recipe, 4);
	fixture_must(srt_db_find_image(db, recipe, NULL, &image, &found), "find an image");
	tap_is_int(found, wanted > 0, "%s: images as well", sentence);
	free(image.bytes);
	tap_ok(srt_db_is_trusted(db, NULL), "%s: and it is trusted", sentence);
	srt_db_close(db);
}

int main(void)
{
	const char *path = fixture_path("var/lib/scanrt/tune.db");
	mode_t mask = umask(077);
	struct srt_db *empty;
	struct srt_db *db;

	tap_plan(13);
	fixture_fill(fixture_path("tune.db"));
	fixture_must(srt_db_open(&db, fixture_path("tune.db"), SRT_DB_WRITE), "open");
	fixture_must(srt_db_open(&empty, fixture_path("empty.db"), SRT_DB_WRITE), "open");
	tap_is_int(srt_db_publish(empty, path), SCANRT_OK, "an empty database is published");
	finds(path, 0, "the published file answers nothing");
	tap_is_int(srt_db_publish(db, path), SCANRT_OK, "a database replaces the one that was published before");
	finds(path, 4, "the published file answers what the database does");
	umask(mask);
	tap_is_int(mode_of(path), 0644, "all may read the published file, whatever the umask");
	tap_is_int(mode_of(fixture_path("var/lib/scanrt")), 0755, "and find it");
	fixture_must(srt_db_begin(db), "begin");
	tap_ok(srt_db_publish(db, path) != SCANRT_OK, "nothing is published in the middle of a transaction");
	srt_db_rollback(db);
	mkdir(fixture_path("directory"), 0700);
	tap_ok(srt_db_publish(db, fixture_path("directory")) != SCANRT_OK, "a directory is not replaced");
	tap_ok(rmdir(fixture_path("directory")) == 0 && access(path, F_OK) == 0,
		"a failure leaves everything as it was");
	srt_db_close(empty);
	srt_db_close(db);
	return tap_done();
}
