/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "status.h"

/* The columns of struct srt_db_choice, in the order that read_choice takes them. */
#define CHOICE_COLUMNS \
	"c.id, p.name, c.class, c.low_count, c.high_count, c.count, v.text, c.us, c.low_us, c.high_us, c.default_us, " \
	"c.copy_us, d.fingerprint, c.source_hash, c.reason, c.tuned_at, d.is_modelled, c.seal"
#define CHOICE_COLUMN_COUNT 18

static int corrupt(const struct srt_db *db, int64_t id, const char *what)
{
	return srt_fail_database(SCANRT_ERROR_DATABASE_CORRUPT, SQLITE_CORRUPT, "%s: row %lld of choice %s", db->path,
		(long long)id, what);
}

static int read_texts(struct srt_db *db, struct srt_db_choice *choice, sqlite3_stmt *statement)
{
	int status = srt_db_copy(db, choice->problem, sizeof(choice->problem), statement, 1);

	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->klass, sizeof(choice->klass), statement, 2);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->variant, sizeof(choice->variant), statement, 6);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->fingerprint, sizeof(choice->fingerprint), statement, 12);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->source_hash, sizeof(choice->source_hash), statement, 13);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->reason, sizeof(choice->reason), statement, 14);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->tuned_at, sizeof(choice->tuned_at), statement, 15);
	return status;
}

/* Only what the tuner verified and wrote may decide a launch: the seal shows every change made since. */
static int read_choice(struct srt_db *db, struct srt_db_choice *choice, sqlite3_stmt *statement)
{
	char seal[SRT_DB_HASH_TEXT];
	int status;

	memset(choice, 0, sizeof(*choice));
	choice->id = sqlite3_column_int64(statement, 0);
	choice->low_count = (uint64_t)sqlite3_column_int64(statement, 3);
	choice->high_count = (uint64_t)sqlite3_column_int64(statement, 4);
	choice->count = (uint64_t)sqlite3_column_int64(statement, 5);
	choice->us = sqlite3_column_double(statement, 7);
	choice->low_us = sqlite3_column_double(statement, 8);
	choice->high_us = sqlite3_column_double(statement, 9);
	choice->default_us = sqlite3_column_double(statement, 10);
	choice->copy_us = sqlite3_column_double(statement, 11);
	choice->is_modelled = sqlite3_column_int(statement, 16) != 0;
	status = read_texts(db, choice, statement);
	if (status != SCANRT_OK)
		return status;
	srt_db_seal_choice(seal, choice);
	if (strcmp(seal, srt_db_text(statement, 17)) != 0)
		return corrupt(db, choice->id, "has been changed since scantune wrote it");
	return SCANRT_OK;
}

/* ---- writing ---- */

/* What the row will say of its device and problem, as a later reader will find it; the seal covers it. */
static int complete(struct srt_db_choice *choice, struct srt_db *db, int64_t run, int64_t device, int64_t problem)
{
	sqlite3_stmt *statement;
	bool has_row = false;
	int status = srt_db_prepare(&statement, db,
		"SELECT d.fingerprint, p.name, r.source_hash FROM device d, problem p LEFT JOIN run r ON r.id = ?3 "
		"WHERE d.id = ?1 AND p.id = ?2", "lll", device, problem, run);

	if (status == SCANRT_OK)
		status = srt_db_step(&has_row, db, statement);
	if (status == SCANRT_OK && !has_row)
		status = srt_fail_database(SCANRT_ERROR_DATABASE, SQLITE_CONSTRAINT_FOREIGNKEY,
			"%s: no device %lld or no problem %lld", db->path, (long long)device, (long long)problem);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->fingerprint, sizeof(choice->fingerprint), statement, 0);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->problem, sizeof(choice->problem), statement, 1);
	if (status == SCANRT_OK && choice->source_hash[0] == '\0')
		status = srt_db_copy(db, choice->source_hash, sizeof(choice->source_hash), statement, 2);
	sqlite3_finalize(statement);
	return status;
}

/* A time that is not known is NULL in the row, 0 in the structure. */
static double known(double value)
{
	return isfinite(value) ? value : 0;
}

static void normalise(struct srt_db_choice *choice)
{
	if (choice->high_count > INT64_MAX)
		choice->high_count = INT64_MAX;
	choice->low_us = known(choice->low_us);
	choice->high_us = known(choice->high_us);
	choice->default_us = known(choice->default_us);
	choice->copy_us = known(choice->copy_us);
}

static int put_row(struct srt_db *db, const struct srt_db_choice *choice, int64_t run, int64_t device, int64_t problem,
	int64_t variant)
{
	char seal[SRT_DB_HASH_TEXT];

	srt_db_seal_choice(seal, choice);
	return srt_db_execute(db,
		"INSERT INTO choice (device, source_hash, problem, class, low_count, high_count, count, variant, us, low_us, "
		"high_us, default_us, copy_us, reason, run, tuned_at, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
		"?, coalesce(?, " SRT_DB_NOW "), ?) ON CONFLICT (device, source_hash, problem, class) DO UPDATE SET "
		"low_count = excluded.low_count, high_count = excluded.high_count, count = excluded.count, "
		"variant = excluded.variant, us = excluded.us, low_us = excluded.low_us, high_us = excluded.high_us, "
		"default_us = excluded.default_us, copy_us = excluded.copy_us, reason = excluded.reason, run = excluded.run, "
		"tuned_at = excluded.tuned_at, seal = excluded.seal",
		"lslsuuuldDDDDsLSs", device, choice->source_hash, problem, choice->klass, choice->low_count,
		choice->high_count, choice->count, variant, choice->us, choice->low_us, choice->high_us,
		choice->default_us, choice->copy_us, choice->reason, run, choice->tuned_at, seal);
}

int srt_db_put_choice(int64_t *id, struct srt_db *db, int64_t run, int64_t device, int64_t problem,
	const struct srt_db_choice *choice)
{
	struct srt_db_choice row = *choice;
	int64_t variant;
	bool is_own;
	bool found;
	int status = srt_db_enter(db, &is_own);

	normalise(&row);
	if (status == SCANRT_OK)
		status = complete(&row, db, run, device, problem);
	if (status == SCANRT_OK)
		status = srt_db_put_variant(&variant, db, row.variant);
	if (status == SCANRT_OK)
		status = put_row(db, &row, run, device, problem, variant);
	if (status == SCANRT_OK)
		status = srt_db_integer(id, &found, db,
			"SELECT id FROM choice WHERE device = ? AND source_hash = ? AND problem = ? AND class = ?", "lsls",
			device, row.source_hash, problem, row.klass);
	return srt_db_leave(db, is_own, status);
}

/* ---- reading ---- */

/* Reads the rows of the first (rank, device, problem) that the statement gives: classes of different answers never
 * mix. */
static int read_best(struct srt_db *db, sqlite3_stmt *statement, struct srt_db_choice *rows, size_t capacity,
	size_t *count)
{
	int64_t best[3] = { 0, 0, 0 };
	bool has_row;
	int status = SCANRT_OK;

	while (status == SCANRT_OK && *count < capacity) {
		int64_t next[3];
		int i;

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		for (i = 0; i < 3; i++)
			next[i] = sqlite3_column_int64(statement, CHOICE_COLUMN_COUNT + i);
		if (*count > 0 && memcmp(best, next, sizeof(best)) != 0)
			break;
		memcpy(best, next, sizeof(best));
		status = read_choice(db, &rows[*count], statement);
		rows[*count].is_similar = best[0] > 0;
		*count += status == SCANRT_OK;
	}
	return status;
}

/* The usual case has a statement of its own: three unique indexes, in this order, and no planning. */
static int find_exact(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count)
{
	sqlite3_stmt *statement;
	int status = srt_db_prepare(&statement, db,
		"SELECT " CHOICE_COLUMNS ", 0, 0, 0 FROM device d CROSS JOIN problem p CROSS JOIN choice c "
		"CROSS JOIN variant v WHERE d.fingerprint = ? AND p.name = ? AND c.device = d.id AND c.source_hash = ? "
		"AND c.problem = p.id AND v.id = c.variant ORDER BY c.low_count",
		"sss", lookup->fingerprint, lookup->problem, lookup->source_hash);

	if (status == SCANRT_OK)
		status = read_best(db, statement, rows, capacity, count);
	sqlite3_finalize(statement);
	return status;
}

/* Ranks: 1 another problem, 2 another device, 3 both.  Among equals the same operator first, then the device that was
 * seen last.  A modelled device has no relatives: its times say nothing about a real one. */
static int find_similar(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count)
{
	sqlite3_stmt *statement;
	int status = srt_db_prepare(&statement, db,
		"SELECT " CHOICE_COLUMNS ", (d.fingerprint <> ?1) * 2 + (p.name <> ?4) AS rank, d.id, p.id "
		"FROM device d JOIN choice c ON c.device = d.id JOIN problem p ON p.id = c.problem "
		"JOIN variant v ON v.id = c.variant "
		"WHERE (d.fingerprint = ?1 OR (d.family = ?2 AND d.is_modelled = 0)) AND c.source_hash = ?3 "
		"AND (p.name = ?4 OR (p.op_class = ?5 AND p.type_bytes = ?6)) "
		"ORDER BY rank, p.op || ' ' <> substr(?4, 1, length(p.op) + 1), d.seen_at DESC, d.id, p.id, c.low_count",
		"sssssi", lookup->fingerprint, lookup->family, lookup->source_hash, lookup->problem, lookup->op_class,
		lookup->type_bytes);

	if (status == SCANRT_OK)
		status = read_best(db, statement, rows, capacity, count);
	sqlite3_finalize(statement);
	return status;
}

int srt_db_find_choices(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count)
{
	int status;

	*count = 0;
	status = find_exact(db, lookup, rows, capacity, count);
	if (status == SCANRT_OK && *count == 0)
		status = find_similar(db, lookup, rows, capacity, count);
	if (status != SCANRT_OK)
		*count = 0;
	return status;
}

int srt_db_each_choice(struct srt_db *db, const char *problem, srt_db_choice_function each, void *user)
{
	struct srt_db_choice choice;
	sqlite3_stmt *statement;
	bool has_row;
	int status = srt_db_prepare(&statement, db,
		"SELECT " CHOICE_COLUMNS ", d.name FROM choice c JOIN device d ON d.id = c.device "
		"JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant "
		"WHERE ?1 IS NULL OR p.name = ?1 ORDER BY d.name, d.id, p.id, c.low_count, c.source_hash", "s", problem);

	while (status == SCANRT_OK) {
		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		status = read_choice(db, &choice, statement);
		if (status == SCANRT_OK && each(user, &choice, srt_db_text(statement, CHOICE_COLUMN_COUNT)) != 0)
			break;
	}
	sqlite3_finalize(statement);
	return status;
}
