/* SPDX-License-Identifier: MIT
 *
 * Choices with all that a stranger wants to know of them, for a text; and what makes a file the same each time that it
 * is made of one.
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "status.h"

#define FIRST_WITH_BORDERS 2 /* format */

/* Of several kernels' choices for a device those that were made last.  What a run measured is its own kernels, also
 * where a choice is offered to others. */
static const char measured_sql[] =
	"SELECT c.id, p.name, c.class, c.low_count, c.high_count, c.count, v.text, c.us, c.low_us, c.high_us, "
	"c.default_us, c.copy_us, d.fingerprint, c.source_hash, c.reason, c.tuned_at, d.is_modelled, c.seal, c.border, "
	"d.family, d.name, d.capability, d.sm_count, d.l2_bytes, d.memory_bytes, "
	"coalesce(r.source_hash, c.source_hash), coalesce(t.compiler, 'unknown'), coalesce(t.driver_version, 0), "
	"coalesce(r.effort, 'normal'), coalesce(r.version, 'unknown') "
	"FROM choice c JOIN device d ON d.id = c.device JOIN problem p ON p.id = c.problem "
	"JOIN variant v ON v.id = c.variant LEFT JOIN run r ON r.id = c.run "
	"LEFT JOIN toolchain t ON t.id = r.toolchain "
	"WHERE c.source_hash = (SELECT source_hash FROM choice n WHERE n.device = c.device "
	"ORDER BY n.tuned_at DESC, n.id DESC LIMIT 1) "
	"ORDER BY d.name, d.fingerprint, p.id, c.low_count";

static int read(struct srt_db_measured *row, const struct srt_db *db, sqlite3_stmt *statement)
{
	struct srt_cell cells[SRT_CHOICE_CELLS + 1];
	int status;

	memset(row, 0, sizeof(*row));
	srt_db_cells(cells, SRT_CHOICE_CELLS + 1, statement);
	status = srt_db_read_choice(db, &row->choice, cells);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, row->choice.border, sizeof(row->choice.border), &cells[SRT_CHOICE_CELLS]);
	row->device.fingerprint = row->choice.fingerprint;
	row->device.family = srt_db_text(statement, 19);
	row->device.name = srt_db_text(statement, 20);
	row->device.uuid = "";
	row->device.capability = sqlite3_column_int(statement, 21);
	row->device.sm_count = sqlite3_column_int(statement, 22);
	row->device.l2_bytes = sqlite3_column_int64(statement, 23);
	row->device.memory_bytes = sqlite3_column_int64(statement, 24);
	row->device.is_modelled = row->choice.is_modelled;
	row->kernels = srt_db_text(statement, 25);
	row->compiler = srt_db_text(statement, 26);
	row->driver_version = sqlite3_column_int(statement, 27);
	row->effort = srt_db_text(statement, 28);
	row->version = srt_db_text(statement, 29);
	return status;
}

int srt_db_each_measured(struct srt_db *db, srt_db_measured_function each, void *user)
{
	sqlite3_stmt *statement;
	bool has_row;
	int64_t version = 0;
	int status = srt_db_integer(&version, &has_row, db, "PRAGMA user_version", "");

	if (status == SCANRT_OK && version < FIRST_WITH_BORDERS)
		return srt_fail_database(SCANRT_ERROR_DATABASE_FORMAT, SQLITE_ERROR,
			"%s: has the older format %d, which lacks what is wanted; scantune brings it up when it tunes",
			srt_db_path(db), (int)version);
	if (status != SCANRT_OK)
		return status;
	status = srt_db_prepare(&statement, db, measured_sql, "");
	while (status == SCANRT_OK) {
		struct srt_db_measured row;

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		status = read(&row, db, statement);
		if (status == SCANRT_OK && each(user, &row) != 0)
			break;
	}
	sqlite3_finalize(statement);
	return status;
}

/* The database of a build must not depend on the day of the build, or no two would be alike. */
int srt_db_set_dates(struct srt_db *db)
{
	return srt_db_script(db,
		"UPDATE run SET started_at = coalesce((SELECT min(tuned_at) FROM choice WHERE run = run.id), "
		"started_at), finished_at = coalesce((SELECT max(tuned_at) FROM choice WHERE run = run.id), "
		"finished_at);"
		"UPDATE trial SET tried_at = (SELECT finished_at FROM run WHERE id = trial.run);"
		"UPDATE device SET seen_at = coalesce((SELECT max(finished_at) FROM run WHERE device = device.id), "
		"seen_at)");
}
