/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "status.h"

/* The columns of struct srt_db_choice, in the order that srt_db_read_choice takes them. */
#define CHOICE_COLUMNS \
	"c.id, p.name, c.class, c.low_count, c.high_count, c.count, v.text, c.us, c.low_us, c.high_us, c.default_us, " \
	"c.copy_us, d.fingerprint, c.source_hash, c.reason, c.tuned_at, d.is_modelled, c.seal"

static int corrupt(const struct srt_db *db, int64_t id, const char *what)
{
	return srt_fail_database(SCANRT_ERROR_DATABASE_CORRUPT, SQLITE_CORRUPT, "%s: row %lld of choice %s", db->path,
		(long long)id, what);
}

static int read_texts(const struct srt_db *db, struct srt_db_choice *choice, const struct srt_cell *cells)
{
	int status = srt_db_copy(db, choice->problem, sizeof(choice->problem), &cells[1]);

	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->klass, sizeof(choice->klass), &cells[2]);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->variant, sizeof(choice->variant), &cells[6]);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->fingerprint, sizeof(choice->fingerprint), &cells[12]);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->source_hash, sizeof(choice->source_hash), &cells[13]);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->reason, sizeof(choice->reason), &cells[14]);
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->tuned_at, sizeof(choice->tuned_at), &cells[15]);
	return status;
}

/* Only what the tuner verified and wrote may decide a launch: the seal shows every change made since. */
int srt_db_read_choice(const struct srt_db *db, struct srt_db_choice *choice, const struct srt_cell *cells)
{
	char seal[SRT_DB_HASH_TEXT];
	int status;

	memset(choice, 0, sizeof(*choice));
	choice->id = cells[0].integer;
	choice->low_count = (uint64_t)cells[3].integer;
	choice->high_count = (uint64_t)cells[4].integer;
	choice->count = (uint64_t)cells[5].integer;
	choice->us = cells[7].real;
	choice->low_us = cells[8].real;
	choice->high_us = cells[9].real;
	choice->default_us = cells[10].real;
	choice->copy_us = cells[11].real;
	choice->is_modelled = cells[16].integer != 0;
	status = read_texts(db, choice, cells);
	if (status != SCANRT_OK)
		return status;
	srt_db_seal_choice(seal, choice);
	if (!srt_db_is_text(&cells[17], seal))
		return corrupt(db, choice->id, "has been changed since scantune wrote it");
	return SCANRT_OK;
}

/* ---- writing ---- */

/* What the row will say of its device and problem, as a later reader will find it; the seal covers it. */
static int complete(struct srt_db_choice *choice, struct srt_db *db, int64_t run, int64_t device, int64_t problem)
{
	struct srt_cell cells[3];
	sqlite3_stmt *statement;
	bool has_row = false;
	int status = srt_db_prepare(&statement, db,
		"SELECT d.fingerprint, p.name, r.source_hash FROM device d, problem p LEFT JOIN run r ON r.id = ?3 "
		"WHERE d.id = ?1 AND p.id = ?2",
		"lll", device, problem, run);

	if (status == SCANRT_OK)
		status = srt_db_step(&has_row, db, statement);
	if (status == SCANRT_OK && !has_row)
		status = srt_fail_database(SCANRT_ERROR_DATABASE, SQLITE_CONSTRAINT_FOREIGNKEY,
			"%s: no device %lld or no problem %lld", db->path, (long long)device, (long long)problem);
	if (status == SCANRT_OK) {
		srt_db_cells(cells, 3, statement);
		status = srt_db_copy(db, choice->fingerprint, sizeof(choice->fingerprint), &cells[0]);
	}
	if (status == SCANRT_OK)
		status = srt_db_copy(db, choice->problem, sizeof(choice->problem), &cells[1]);
	if (status == SCANRT_OK && choice->source_hash[0] == '\0')
		status = srt_db_copy(db, choice->source_hash, sizeof(choice->source_hash), &cells[2]);
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
		"INSERT INTO choice (device, source_hash, problem, class, low_count, high_count, count, variant, us, "
		"low_us, "
		"high_us, default_us, copy_us, reason, run, tuned_at, seal, border) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
		"?, ?, ?, "
		"?, coalesce(?, " SRT_DB_NOW "), ?, ?) ON CONFLICT (device, source_hash, problem, class) DO UPDATE SET "
		"low_count = excluded.low_count, high_count = excluded.high_count, count = excluded.count, "
		"variant = excluded.variant, us = excluded.us, low_us = excluded.low_us, high_us = excluded.high_us, "
		"default_us = excluded.default_us, copy_us = excluded.copy_us, reason = excluded.reason, run = "
		"excluded.run, "
		"tuned_at = excluded.tuned_at, seal = excluded.seal, border = excluded.border",
		"lslsuuuldDDDDsLSsS", device, choice->source_hash, problem, choice->klass, choice->low_count,
		choice->high_count, choice->count, variant, choice->us, choice->low_us, choice->high_us,
		choice->default_us, choice->copy_us, choice->reason, run, choice->tuned_at, seal, choice->border);
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
			"SELECT id FROM choice WHERE device = ? AND source_hash = ? AND problem = ? AND class = ?",
			"lsls", device, row.source_hash, problem, row.klass);
	return srt_db_leave(db, is_own, status);
}

/* ---- reading ---- */

/* Reads the rows of the first (rank, device, problem) that the statement gives: classes of different answers never
 * mix. */
static int read_best(
	struct srt_db *db, sqlite3_stmt *statement, struct srt_db_choice *rows, size_t capacity, size_t *count)
{
	int64_t best[3] = { 0, 0, 0 };
	bool has_row;
	int status = SCANRT_OK;

	while (status == SCANRT_OK && *count < capacity) {
		struct srt_cell cells[SRT_CHOICE_CELLS + 3];
		int64_t next[3];
		int i;

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		srt_db_cells(cells, SRT_CHOICE_CELLS + 3, statement);
		for (i = 0; i < 3; i++)
			next[i] = cells[SRT_CHOICE_CELLS + i].integer;
		if (*count > 0 && memcmp(best, next, sizeof(best)) != 0)
			break;
		memcpy(best, next, sizeof(best));
		status = srt_db_read_choice(db, &rows[*count], cells);
		rows[*count].is_similar = best[0] > 0;
		*count += status == SCANRT_OK;
	}
	return status;
}

/* For a writer; a reader has lookup.c and similar.c, which find the same.  Ranks: 1 another problem, 2 another device,
 * 3 both.  Among equals the same operator first, then the device that was seen last.  A modelled device has no
 * relatives: its times say nothing about a real one. */
static int find_by_statement(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count)
{
	sqlite3_stmt *statement;
	int status = srt_db_prepare(&statement, db,
		"SELECT " CHOICE_COLUMNS ", (d.fingerprint <> ?1) * 2 + (p.name <> ?4) AS rank, d.id, p.id "
		"FROM device d JOIN choice c ON c.device = d.id JOIN problem p ON p.id = c.problem "
		"JOIN variant v ON v.id = c.variant "
		"WHERE (d.fingerprint = ?1 OR (d.family = ?2 AND d.is_modelled = 0)) AND c.source_hash = ?3 "
		"AND (p.name = ?4 OR (p.op_class = ?5 AND p.type_bytes = ?6 AND p.moved_bytes = ?7)) "
		"ORDER BY rank, p.op || ' ' <> substr(?4, 1, length(p.op) + 1), d.seen_at DESC, d.id, p.id, "
		"c.low_count",
		"sssssii", lookup->fingerprint, lookup->family, lookup->source_hash, lookup->problem, lookup->op_class,
		lookup->type_bytes, lookup->moved_bytes);

	if (status == SCANRT_OK)
		status = read_best(db, statement, rows, capacity, count);
	sqlite3_finalize(statement);
	return status;
}

/* An index that leads to another row gives one whose seal is whole. */
static int check_answer(const struct srt_db *db, const struct srt_db_lookup *lookup, const struct srt_db_choice *choice)
{
	bool is_exact =
		strcmp(choice->fingerprint, lookup->fingerprint) == 0 && strcmp(choice->problem, lookup->problem) == 0;

	if (strcmp(choice->source_hash, lookup->source_hash) != 0 || is_exact == choice->is_similar)
		return corrupt(db, choice->id, "is not the one that was asked for");
	return SCANRT_OK;
}

int srt_db_find_choices(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count)
{
	size_t i;
	int status;

	*count = 0;
	if (db->pages)
		status = srt_lookup_choices(db, lookup, rows, capacity, count);
	else
		status = find_by_statement(db, lookup, rows, capacity, count);
	if (db->pages && status == SCANRT_OK && *count == 0)
		status = srt_lookup_similar(db, lookup, rows, capacity, count);
	for (i = 0; i < *count && status == SCANRT_OK; i++)
		status = check_answer(db, lookup, &rows[i]);
	if (status != SCANRT_OK)
		*count = 0;
	return status;
}

int srt_db_each_choice(struct srt_db *db, const char *problem, srt_db_choice_function each, void *user)
{
	struct srt_cell cells[SRT_CHOICE_CELLS];
	struct srt_db_choice choice;
	sqlite3_stmt *statement;
	bool has_row;
	int status = srt_db_prepare(&statement, db,
		"SELECT " CHOICE_COLUMNS ", d.name, p.moved_bytes FROM choice c JOIN device d ON d.id = c.device "
		"JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant "
		"WHERE ?1 IS NULL OR p.name = ?1 ORDER BY d.name, d.id, p.id, c.low_count, c.source_hash",
		"s", problem);

	while (status == SCANRT_OK) {
		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		srt_db_cells(cells, SRT_CHOICE_CELLS, statement);
		status = srt_db_read_choice(db, &choice, cells);
		choice.moved_bytes = sqlite3_column_int(statement, SRT_CHOICE_CELLS + 1);
		if (status == SCANRT_OK && each(user, &choice, srt_db_text(statement, SRT_CHOICE_CELLS)) != 0)
			break;
	}
	sqlite3_finalize(statement);
	return status;
}
