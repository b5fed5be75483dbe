/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "internal.h"
#include "status.h"

/* A verdict that a later run must know of, and not only of an unlucky moment. */
static bool is_poison(const char *status)
{
	return strcmp(status, "wrong") == 0 || strcmp(status, "timeout") == 0 || strcmp(status, "crash") == 0;
}

static int put_row(struct srt_db *db, const struct srt_db_trial *trial, int64_t variant)
{
	return srt_db_execute(db,
		"INSERT INTO trial (run, problem, variant, class, count, status, samples, us, low_us, high_us, "
		"clock_mhz, "
		"registers, note, stage, ratio, low_ratio, high_ratio, tried_at) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " SRT_DB_NOW ") "
		"ON CONFLICT (run, problem, variant, class) DO UPDATE SET count = excluded.count, status = "
		"excluded.status, "
		"samples = excluded.samples, us = excluded.us, low_us = excluded.low_us, high_us = excluded.high_us, "
		"clock_mhz = excluded.clock_mhz, registers = excluded.registers, note = excluded.note, "
		"tried_at = excluded.tried_at, stage = excluded.stage, ratio = excluded.ratio, "
		"low_ratio = excluded.low_ratio, high_ratio = excluded.high_ratio",
		"lllsUsiDDDIISSDDD", trial->run, trial->problem, variant, trial->klass ? trial->klass : "",
		trial->count, trial->status, trial->samples, trial->us, trial->low_us, trial->high_us, trial->clock_mhz,
		trial->registers, trial->note, trial->stage, trial->ratio, trial->low_ratio, trial->high_ratio);
}

/* A variant that later proves to work, say tried again alone, is no longer marked. */
static int mark(struct srt_db *db, const struct srt_db_trial *trial, int64_t variant)
{
	if (strcmp(trial->status, "ok") == 0)
		return srt_db_execute(db,
			"DELETE FROM poison WHERE problem = ?2 AND variant = ?3 AND (device, source_hash) = "
			"(SELECT device, source_hash FROM run WHERE id = ?1)",
			"lll", trial->run, trial->problem, variant);
	if (!is_poison(trial->status))
		return SCANRT_OK;
	return srt_db_execute(db,
		"INSERT INTO poison (device, source_hash, problem, variant, status, note, found_at) "
		"SELECT device, source_hash, ?2, ?3, ?4, ?5, " SRT_DB_NOW " FROM run WHERE id = ?1 "
		"ON CONFLICT (device, source_hash, problem, variant) DO UPDATE SET status = excluded.status, "
		"note = excluded.note, found_at = excluded.found_at",
		"lllsS", trial->run, trial->problem, variant, trial->status, trial->note);
}

int srt_db_put_trial(struct srt_db *db, const struct srt_db_trial *trial)
{
	int64_t variant;
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	if (status == SCANRT_OK)
		status = srt_db_put_variant(&variant, db, trial->variant);
	if (status == SCANRT_OK)
		status = put_row(db, trial, variant);
	if (status == SCANRT_OK)
		status = mark(db, trial, variant);
	return srt_db_leave(db, is_own, status);
}

static void read_trial(struct srt_db_trial *trial, sqlite3_stmt *statement)
{
	trial->run = sqlite3_column_int64(statement, 0);
	trial->problem = sqlite3_column_int64(statement, 1);
	trial->variant = srt_db_text(statement, 2);
	trial->klass = srt_db_text(statement, 3);
	trial->count = (uint64_t)sqlite3_column_int64(statement, 4);
	trial->status = srt_db_text(statement, 5);
	trial->samples = sqlite3_column_int(statement, 6);
	trial->us = sqlite3_column_double(statement, 7);
	trial->low_us = sqlite3_column_double(statement, 8);
	trial->high_us = sqlite3_column_double(statement, 9);
	trial->clock_mhz = sqlite3_column_int(statement, 10);
	trial->registers = sqlite3_column_int(statement, 11);
	trial->note = srt_db_text(statement, 12);
}

/* The unary plus keeps the order out of the index, so that all rows are gathered before the first is handed out and
 * `each` may write trials of its own. */
int srt_db_each_trial(struct srt_db *db, int64_t device, const char *source_hash, int64_t problem,
	srt_db_trial_function each, void *user)
{
	sqlite3_stmt *statement;
	bool has_row = true;
	int status = srt_db_prepare(&statement, db,
		"SELECT t.run, t.problem, v.text, t.class, t.count, t.status, t.samples, t.us, t.low_us, t.high_us, "
		"t.clock_mhz, t.registers, t.note FROM run r JOIN trial t ON t.run = r.id JOIN variant v ON v.id = "
		"t.variant "
		"WHERE r.device = ?1 AND r.source_hash = ?2 AND t.problem = ?3 AND r.id > (SELECT coalesce(max(id), 0) "
		"FROM run WHERE device = ?1 AND source_hash = ?2 AND status = 'complete' "
		"AND coalesce(kind, 'tune') = 'tune') ORDER BY +t.id",
		"lsl", device, source_hash, problem);

	while (status == SCANRT_OK) {
		struct srt_db_trial trial = { 0 };

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		read_trial(&trial, statement);
		if (each(user, &trial) != 0)
			break;
	}
	sqlite3_finalize(statement);
	return status;
}

int srt_db_find_poison(struct srt_db *db, int64_t device, const char *source_hash, int64_t problem, const char *variant,
	bool *found, struct srt_strbuf *note)
{
	sqlite3_stmt *statement;
	int status = srt_db_prepare(&statement, db,
		"SELECT p.status, p.note FROM poison p JOIN variant v ON v.id = p.variant WHERE p.device = ? "
		"AND p.source_hash = ? AND p.problem = ? AND v.text = ?",
		"lsls", device, source_hash, problem, variant);

	*found = false;
	if (status == SCANRT_OK)
		status = srt_db_step(found, db, statement);
	if (status == SCANRT_OK && *found && note)
		srt_strbuf_printf(note, "%s: %s", srt_db_text(statement, 0), srt_db_text(statement, 1));
	sqlite3_finalize(statement);
	return status;
}
