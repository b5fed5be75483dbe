/* SPDX-License-Identifier: MIT */
/* Files of every earlier format: read as they are by the library, brought up by a writer, with nothing lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

#define NEWEST 5

/* The shell's answer, in a text that the next call overwrites. */
static const char *ask(const char *path, const char *sql)
{
	static char answer[8192];
	char command[8192];
	size_t size;
	FILE *shell;

	snprintf(command, sizeof(command), "sqlite3 '%s' \"%s\" 2>&1", path, sql);
	shell = popen(command, "r");
	size = shell ? fread(answer, 1, sizeof(answer) - 1, shell) : 0;
	answer[size] = '\0';
	if (shell)
		pclose(shell);
	return answer;
}

static const char *source_directory(void)
{
	const char *directory = getenv("top_srcdir");

	return directory ? directory : "..";
}

/* What scantune of that format would have left: the rows of today's fixture in the tables of then. */
static void make_old(const char *path, const char *today, int format)
{
	static const char *const tables[] = { "device", "toolchain", "problem", "variant", "run", "roofline", "trial",
		"choice", "image", "kernel", "poison" };
	char sql[4096];
	size_t i;

	snprintf(sql, sizeof(sql), ".read %s/tests/db/format-%d.sql", source_directory(), format);
	tap_is_string(ask(path, sql), "", "the schema of format %d is still read", format);
	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char columns[1024];

		snprintf(sql, sizeof(sql), "SELECT group_concat(name, ', ') FROM pragma_table_info('%s')", tables[i]);
		snprintf(columns, sizeof(columns), "%s", ask(path, sql));
		columns[strcspn(columns, "\n")] = '\0';
		snprintf(sql, sizeof(sql), "ATTACH '%s' AS t; INSERT OR IGNORE INTO %s (%s) SELECT %s FROM t.%s", today,
			tables[i], columns, columns, tables[i]);
		tap_is_string(ask(path, sql), "", "table %s is filled", tables[i]);
	}
	/* What is compressed no format before 5 takes. */
	tap_is_string(ask(path, "UPDATE kernel SET image = NULL WHERE image NOT IN (SELECT hash FROM image);"
		"SELECT count(*) FROM image"), "3\n", "images that are not compressed are in it");
	snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", format);
	ask(path, sql);
	chmod(path, 0600);
}

static void finds_all(const char *path, enum srt_db_access access, const char *how)
{
	struct srt_db_choice rows[8];
	struct srt_db_lookup lookup;
	struct srt_db_image image;
	struct srt_db *db;
	char recipe[33];
	size_t count = 0;
	bool found = false;

	if (tap_is_int(srt_db_open(&db, path, access), SCANRT_OK, "%s: it opens", how)) {
		fixture_lookup(&lookup);
		srt_db_find_choices(db, &lookup, rows, 8, &count);
		tap_is_uint(count, 4, "%s: its choices are found", how);
		lookup.problem = "min i32";
		srt_db_find_choices(db, &lookup, rows, 8, &count);
		tap_ok(count == 4 && rows[0].is_similar, "%s: and similar ones", how);
		fixture_recipe(recipe, 7); /* one that cannot be compressed */
		tap_is_int(srt_db_find_image(db, recipe, NULL, &image, &found), SCANRT_OK, "%s: its images are whole",
			how);
		tap_ok(found, "%s: and found", how);
		if (found)
			free(image.bytes);
	}
	srt_db_close(db);
}

/* As scantune doctor and scantune export --image look. */
static void is_looked_at(const char *path)
{
	struct srt_db_health health;
	struct srt_db_image image;
	struct srt_db *db;
	const char *key = ask(path, "SELECT min(key) FROM kernel WHERE image IS NOT NULL");
	bool found = false;
	char first[33];

	snprintf(first, sizeof(first), "%.32s", key);
	first[strcspn(first, "\n")] = '\0';
	fixture_must(srt_db_open(&db, path, SRT_DB_READ), "open");
	tap_is_int(srt_db_check(db, &health), SCANRT_OK, "an older file is in good health");
	tap_is_int(srt_db_find_kernel(db, first, &image, &found), SCANRT_OK, "a kernel in it is found by its key");
	tap_ok(found && image.size > 0, "with its machine code");
	free(image.bytes);
	srt_db_close(db);
}

static void test(const char *today, int format)
{
	char name[64], before[8192], sql[4096];
	const char *path;
	struct srt_db *db;

	snprintf(name, sizeof(name), "format-%d.db", format);
	path = fixture_path(name);
	make_old(path, today, format);
	snprintf(before, sizeof(before), "%s", ask(path, "SELECT * FROM tuned"));
	finds_all(path, SRT_DB_READ, "an older file, read");
	is_looked_at(path);
	snprintf(name, sizeof(name), "%d\n", format);
	tap_is_string(ask(path, "PRAGMA user_version"), name, "a reader changes nothing");
	finds_all(path, SRT_DB_WRITE, "an older file, written");
	snprintf(name, sizeof(name), "%d\n", NEWEST);
	tap_is_string(ask(path, "PRAGMA user_version"), name, "a writer brings it up to the newest format");
	finds_all(path, SRT_DB_READ, "a file that was brought up, read");
	tap_is_string(ask(path, "SELECT * FROM tuned"), before, "people see the same choices");
	tap_is_string(ask(path, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n", "it is whole");
	snprintf(sql, sizeof(sql), "ATTACH '%s' AS t; SELECT count(*) FROM t.sqlite_master a WHERE type = 'view' AND "
		"NOT EXISTS (SELECT 1 FROM main.sqlite_master b WHERE b.name = a.name AND b.sql = a.sql)", today);
	tap_is_string(ask(path, sql), "0\n", "its views are today's");
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open a second time");
	tap_is_string(srt_db_moved_to(db), "", "a second writer finds nothing damaged");
	srt_db_close(db);
}

int main(void)
{
	const char *today = fixture_path("today.db");
	int format;

	if (system("sqlite3 --version >/dev/null 2>&1") != 0)
		tap_skip_all("there is no sqlite3 shell");
	tap_plan(0);
	fixture_fill(today);
	for (format = 1; format < NEWEST; format++)
		test(today, format);
	return tap_done();
}
