/* SPDX-License-Identifier: MIT
 *
 * A choice and what it was up against.
 */
#include <string.h>

#include "internal.h"
#include "status.h"

#define FIRST_WITH_RATIOS 2 /* format */

static void read_rival(struct srt_db_rival *rival, sqlite3_stmt *statement)
{
	rival->device = srt_db_text(statement, 0);
	rival->is_modelled = sqlite3_column_int(statement, 1) != 0;
	rival->klass = srt_db_text(statement, 2);
	rival->variant = srt_db_text(statement, 3);
	rival->status = srt_db_text(statement, 4);
	rival->stage = srt_db_text(statement, 5);
	rival->reason = srt_db_text(statement, 6);
	rival->is_chosen = sqlite3_column_int(statement, 7) != 0;
	rival->samples = sqlite3_column_int(statement, 8);
	rival->registers = sqlite3_column_int(statement, 9);
	rival->clock_mhz = sqlite3_column_int(statement, 10);
	rival->count = (uint64_t)sqlite3_column_int64(statement, 11);
	rival->us = sqlite3_column_double(statement, 12);
	rival->low_us = sqlite3_column_double(statement, 13);
	rival->high_us = sqlite3_column_double(statement, 14);
	rival->ratio = sqlite3_column_double(statement, 15);
	rival->low_ratio = sqlite3_column_double(statement, 16);
	rival->high_ratio = sqlite3_column_double(statement, 17);
}

/* Tables only: a reader has no views.  The ratio of one that was in no finals is that of the medians.  The winner's
 * own times are those of the choice, taken last. */
static const char rivals_sql[] =
	"SELECT d.name, d.is_modelled, c.class, v.text, coalesce(f.status, t.status), t.stage, "
	"CASE WHEN t.variant = c.variant THEN c.reason ELSE coalesce(f.note, t.note) END, t.variant = c.variant, "
	"t.samples, t.registers, t.clock_mhz, c.count, CASE WHEN t.variant = c.variant THEN c.us ELSE t.us END, "
	"CASE WHEN t.variant = c.variant THEN c.low_us ELSE t.low_us END, "
	"CASE WHEN t.variant = c.variant THEN c.high_us ELSE t.high_us END, "
	"CASE WHEN t.variant = c.variant THEN 1.0 ELSE coalesce(t.ratio, t.us / c.us) END, t.low_ratio, t.high_ratio "
	"FROM choice c JOIN problem p ON p.id = c.problem JOIN device d ON d.id = c.device "
	/* A recheck has no rivals: those of the search that the choice came from are what it was up against. */
	"JOIN trial t ON t.run = coalesce((SELECT max(r.id) FROM run r JOIN trial x ON x.run = r.id WHERE "
	"r.device = c.device AND r.source_hash = c.source_hash AND r.kind IS NOT 'recheck' AND x.problem = c.problem "
	"AND x.class = c.class AND x.variant = c.variant AND x.us > 0), c.run) AND t.problem = c.problem AND "
	"(t.class = c.class OR t.class = '' AND t.status <> 'ok' AND NOT EXISTS (SELECT 1 FROM trial y WHERE "
	"y.run = t.run AND y.problem = t.problem AND y.variant = t.variant AND y.class = c.class)) "
	/* What had times and failed a later test is told with both. */
	"LEFT JOIN trial f ON f.id = (SELECT max(z.id) FROM trial z WHERE z.run = t.run AND z.problem = t.problem AND "
	"z.variant = t.variant AND z.class = '' AND z.status NOT IN ('ok', 'running')) "
	"JOIN variant v ON v.id = t.variant WHERE c.source_hash = ?1 AND p.name = ?2 "
	/* Below the first range and above the last the nearest one serves. */
	"AND c.id = (SELECT n.id FROM choice n WHERE n.device = c.device AND n.source_hash = c.source_hash "
	"AND n.problem = c.problem ORDER BY ?3 NOT BETWEEN n.low_count AND n.high_count, abs(n.count - ?3) LIMIT 1) "
	"ORDER BY d.id, t.variant <> c.variant, t.us IS NULL, t.stage IS NOT 'final', "
	"coalesce(t.ratio, t.us / c.us), v.text";

int srt_db_each_rival(struct srt_db *db, const char *source_hash, const char *problem, uint64_t count,
	srt_db_rival_function each, void *user)
{
	sqlite3_stmt *statement;
	bool has_row;
	int64_t version = 0;
	int status = srt_db_integer(&version, &has_row, db, "PRAGMA user_version", "");

	if (status == SCANRT_OK && version < FIRST_WITH_RATIOS)
		return srt_fail_database(SCANRT_ERROR_DATABASE_FORMAT, SQLITE_ERROR,
			"%s: has the older format %d, which does not tell; scantune brings it up when it tunes",
			srt_db_path(db), (int)version);
	if (status != SCANRT_OK)
		return status;
	status = srt_db_prepare(&statement, db, rivals_sql, "ssu", source_hash, problem, count);

	while (status == SCANRT_OK) {
		struct srt_db_rival rival;

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		read_rival(&rival, statement);
		if (each(user, &rival) != 0)
			break;
	}
	sqlite3_finalize(statement);
	return status;
}
