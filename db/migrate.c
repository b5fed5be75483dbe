/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "pages.h"
#include "status.h"

#define FIRST_VERSION 1

/* Step n takes a file from format n + 1 to format n + 2; a new file gets schema.sql at once.  A later format appends
 * its step here and leaves the earlier ones as they were released.  What a step adds must stand in schema.sql where
 * SQLite puts it, behind the other columns, and word for word: only blanks may differ.  Views are made anew anyway. */
static const char *const steps[] = {
	"ALTER TABLE run ADD COLUMN kind TEXT CHECK (kind IN ('tune', 'recheck', 'import'));"
	"ALTER TABLE run ADD COLUMN seed TEXT;"
	"ALTER TABLE run ADD COLUMN clock_mhz INTEGER CHECK (clock_mhz > 0);"
	"ALTER TABLE run ADD COLUMN foreign_processes INTEGER CHECK (foreign_processes >= 0);"
	"ALTER TABLE run ADD COLUMN note TEXT;"
	"ALTER TABLE trial ADD COLUMN stage TEXT CHECK (stage IN ('race', 'final'));"
	"ALTER TABLE trial ADD COLUMN ratio REAL CHECK (ratio > 0);"
	"ALTER TABLE trial ADD COLUMN low_ratio REAL CHECK (low_ratio > 0);"
	"ALTER TABLE trial ADD COLUMN high_ratio REAL CHECK (high_ratio > 0);"
	"ALTER TABLE choice ADD COLUMN border TEXT CHECK (border IN ('measured', 'middle', 'reach', 'open'));"
	/* More classes.  Only the text of a constraint changes, which SQLite's manual lets one do in place: behind the
	 * added columns, whose place in the text it moves, and read anew at once. */
	"PRAGMA writable_schema = ON;"
	"UPDATE sqlite_schema SET sql = replace(sql, '''tile'', ''small'', ''medium'', ''large''',"
	" '''tile'', ''few'', ''small'', ''wave'', ''waves'', ''medium'', ''large''')"
	" WHERE name IN ('trial', 'choice');"
	"PRAGMA writable_schema = RESET;",
	"CREATE TABLE board ("
	"id INTEGER PRIMARY KEY,"
	"device INTEGER NOT NULL REFERENCES device ON DELETE CASCADE,"
	"uuid TEXT NOT NULL CHECK (uuid <> ''),"
	"seen_at TEXT NOT NULL CHECK (seen_at GLOB '????" "-??" "-??T??:??:??Z')," /* apart: a trigraph */
	"UNIQUE (uuid, device));"
	"INSERT INTO board (device, uuid, seen_at) SELECT id, uuid, seen_at FROM device WHERE uuid <> ''"
	" ORDER BY seen_at;"
	"ALTER TABLE kernel ADD COLUMN verified INTEGER CHECK (verified IN (0, 1));"
	"UPDATE kernel SET verified = run IS NOT NULL;",
	/* Another class, in the same way. */
	"PRAGMA writable_schema = ON;"
	"UPDATE sqlite_schema SET sql = replace(sql, '''waves'', ''medium''', '''waves'', ''swell'', ''medium''')"
	" WHERE name IN ('trial', 'choice');"
	"PRAGMA writable_schema = RESET;",
	/* What is stored may be compressed now; what is there stays as it is. */
	"PRAGMA writable_schema = ON;"
	"UPDATE sqlite_schema SET sql = replace(sql, '(size > 0 AND size = length(bytes))',"
	" '(size >= length(bytes) AND length(bytes) > 0)') WHERE name = 'image';"
	"PRAGMA writable_schema = RESET;",
};

int srt_db_newest_version(void)
{
	return FIRST_VERSION + (int)(sizeof(steps) / sizeof(steps[0]));
}

int srt_db_migrate(struct srt_db *db, int version)
{
	char stamp[64];
	int status = SCANRT_OK;

	if (version == srt_db_newest_version())
		return SCANRT_OK;
	db->is_brought_up = true;
	if (version == 0) {
		status = srt_db_script(db, srt_schema);
		version = srt_db_newest_version();
	}
	/* Steps may change the schema's own text, which nothing else may. */
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	for (; version < srt_db_newest_version() && status == SCANRT_OK; version++)
		status = srt_db_script(db, steps[version - FIRST_VERSION]);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	if (status != SCANRT_OK)
		return status;
	snprintf(stamp, sizeof(stamp), "PRAGMA user_version = %d", srt_db_newest_version());
	return srt_db_script(db, stamp);
}

int srt_db_check_pages(struct srt_db *db)
{
	sqlite3_stmt *statement;
	bool has_row;
	int status = srt_db_prepare(&statement, db, "PRAGMA integrity_check(1)", "");

	if (status == SCANRT_OK)
		status = srt_db_step(&has_row, db, statement);
	if (status == SCANRT_OK && (!has_row || strcmp(srt_db_text(statement, 0), "ok") != 0))
		status = srt_pages_corrupt(db,
			has_row ? srt_db_text(statement, 0) : "no answer to the integrity check");
	sqlite3_finalize(statement);
	return status;
}

/* A view has no data: another build's, or a damaged one, gives way to ours. */
static int renew_view(struct srt_db *db, const char *name, const char *sql)
{
	struct srt_strbuf script = { 0 };
	int status;

	db->is_brought_up = true;
	srt_strbuf_printf(&script, "DROP VIEW IF EXISTS \"%s\"; %s", name, sql);
	status = script.failed ? srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for the view %s", name)
			       : srt_db_script(db, srt_strbuf_text(&script));
	srt_strbuf_free(&script);
	return status;
}

#define WITHOUT_BLANKS(text) "replace(replace(replace(" text ", ' ', ''), char(9), ''), char(10), '')"

/* Every table, index and view of `reference` is in the file: views to the letter, since they are easily renewed, the
 * others but for blanks, of which a step of migration leaves others.  More, say somebody's own view, may be there. */
static int compare_schemas(struct srt_db *db, sqlite3_stmt *reference)
{
	while (sqlite3_step(reference) == SQLITE_ROW) {
		int64_t matches;
		bool found;
		int status = srt_db_integer(&matches, &found, db,
			"SELECT count(*) FROM sqlite_master WHERE name = ?1 AND (sql = ?2 OR (type <> 'view' AND "
			WITHOUT_BLANKS("sql") " = " WITHOUT_BLANKS("?2") "))", "ss",
			srt_db_text(reference, 0), srt_db_text(reference, 1));

		if (status == SCANRT_OK && matches != 1)
			status = strcmp(srt_db_text(reference, 2), "view") == 0 ?
				renew_view(db, srt_db_text(reference, 0), srt_db_text(reference, 1)) :
				srt_pages_corrupt(db, "a table or index differs from this version's");
		if (status != SCANRT_OK)
			return status;
	}
	return SCANRT_OK;
}

/* A flipped bit in the text of a schema survives the integrity check: a memory database tells what it should be. */
static int check_schema(struct srt_db *db)
{
	sqlite3_stmt *statement = NULL;
	sqlite3 *memory = NULL;
	int status;

	if (sqlite3_open_v2(":memory:", &memory, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		goto out;
	if (sqlite3_exec(memory, srt_schema, NULL, NULL, NULL) != SQLITE_OK)
		goto out;
	sqlite3_prepare_v2(memory, "SELECT name, sql, type FROM sqlite_master WHERE sql IS NOT NULL", -1, &statement,
		NULL);
out:
	status = statement ? compare_schemas(db, statement)
			   : srt_fail_database(SCANRT_ERROR_DATABASE, SQLITE_ERROR, "cannot make the schema: %s",
				     memory ? sqlite3_errmsg(memory) : "out of memory");
	sqlite3_finalize(statement);
	sqlite3_close(memory);
	return status;
}

int srt_db_check_integrity(struct srt_db *db)
{
	int status = srt_db_check_pages(db);

	return status == SCANRT_OK ? check_schema(db) : status;
}
