/* SPDX-License-Identifier: MIT
 *
 * Machine code that programs kept under SCANRT_WRITE_CACHE: what nobody has verified yet, and what came of it.
 */
#include "internal.h"
#include "status.h"

#define FIRST_WITH_VERIFIED 3 /* format; before it programs kept nothing */

int srt_db_each_kept(struct srt_db *db, srt_db_kept_function each, void *user)
{
	sqlite3_stmt *statement;
	bool has_row;
	int64_t version = 0;
	int status = srt_db_integer(&version, &has_row, db, "PRAGMA user_version", "");

	if (status != SCANRT_OK || version < FIRST_WITH_VERIFIED)
		return status;
	status = srt_db_prepare(&statement, db,
		"SELECT key, recipe, problem, variant FROM kernel WHERE verified = 0 AND image IS NOT NULL ORDER BY id",
		"");
	while (status == SCANRT_OK) {
		struct srt_db_kept kept;

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		kept.key = srt_db_text(statement, 0);
		kept.recipe = srt_db_text(statement, 1);
		kept.problem = srt_db_text(statement, 2);
		kept.variant = srt_db_text(statement, 3);
		if (each(user, &kept) != 0)
			break;
	}
	sqlite3_finalize(statement);
	return status;
}

int srt_db_judge_kept(struct srt_db *db, const char *key, bool is_right)
{
	bool is_own;
	int status;

	if (is_right)
		return srt_db_execute(db, "UPDATE kernel SET verified = 1 WHERE key = ? AND verified = 0", "s", key);
	status = srt_db_enter(db, &is_own);
	if (status == SCANRT_OK)
		status = srt_db_execute(db, "DELETE FROM kernel WHERE key = ? AND verified = 0", "s", key);
	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"DELETE FROM image WHERE hash NOT IN (SELECT image FROM kernel WHERE image IS NOT NULL)", "");
	return srt_db_leave(db, is_own, status);
}
