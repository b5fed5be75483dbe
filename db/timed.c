/* SPDX-License-Identifier: MIT
 *
 * What was timed, whatever came of the race: for comparisons of strategies, of which the losers are of interest too.
 */
#include "internal.h"
#include "status.h"

static void read_timed(struct srt_db_timed *timed, sqlite3_stmt *statement)
{
	timed->variant = srt_db_text(statement, 0);
	timed->count = (uint64_t)sqlite3_column_int64(statement, 1);
	timed->us = sqlite3_column_double(statement, 2);
	timed->low_us = sqlite3_column_double(statement, 3);
	timed->high_us = sqlite3_column_double(statement, 4);
	timed->device = srt_db_text(statement, 5);
	timed->is_modelled = sqlite3_column_int(statement, 6) != 0;
}

int srt_db_each_timed(struct srt_db *db, const char *fingerprint, const char *source_hash, const char *problem,
	srt_db_timed_function each, void *user)
{
	sqlite3_stmt *statement;
	bool has_row = true;
	int status = srt_db_prepare(&statement, db,
		"SELECT v.text, t.count, t.us, t.low_us, t.high_us, d.name, d.is_modelled FROM trial t "
		"JOIN run r ON r.id = t.run JOIN device d ON d.id = r.device JOIN problem p ON p.id = t.problem "
		"JOIN variant v ON v.id = t.variant WHERE t.status = 'ok' AND t.us > 0 AND t.count > 0 "
		"AND (?1 IS NULL OR d.fingerprint = ?1) AND r.source_hash = ?2 AND p.name = ?3 "
		"ORDER BY d.id, t.count, t.us",
		"sss", fingerprint, source_hash, problem);

	while (status == SCANRT_OK) {
		struct srt_db_timed timed;

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		read_timed(&timed, statement);
		if (each(user, &timed) != 0)
			break;
	}
	sqlite3_finalize(statement);
	return status;
}
