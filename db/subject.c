/* SPDX-License-Identifier: MIT */
/* What was measured, and on what: rows that are found or made, and then referred to by number. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "status.h"

/* `insert` makes the row or leaves it; `find` gives its number. Both take the same first parameters. */
static int find_id(int64_t *id, struct srt_db *db, const char *find, const char *types, const char *key, int number)
{
	bool found;
	int status = types[1] ? srt_db_integer(id, &found, db, find, types, key, number)
			      : srt_db_integer(id, &found, db, find, types, key);

	if (status == SCANRT_OK && !found)
		status = srt_fail_database(SCANRT_ERROR_DATABASE_CORRUPT, SQLITE_CORRUPT,
			"%s: a row is not where it was just put", db->path);
	return status;
}

#define MOST_BOARDS "256"

/* Replaced and not updated: the board that was seen last is the one with the highest number. */
int srt_db_put_board(struct srt_db *db, int64_t device, const char *uuid)
{
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"INSERT OR REPLACE INTO board (device, uuid, seen_at) VALUES (?, ?, " SRT_DB_NOW ")", "ls",
			device, uuid);
	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"DELETE FROM board WHERE id <= (SELECT id FROM board ORDER BY id DESC LIMIT 1 OFFSET "
			MOST_BOARDS ")", "");
	return srt_db_leave(db, is_own, status);
}

/* What identifies a device stays; its name and unique number are those of the board that was seen last. */
int srt_db_put_device(int64_t *id, struct srt_db *db, const struct srt_db_device *device)
{
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"INSERT INTO device (fingerprint, family, name, uuid, capability, sm_count, l2_bytes, "
			"memory_bytes, "
			"is_modelled, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, " SRT_DB_NOW ") "
			"ON CONFLICT (fingerprint) DO UPDATE SET name = excluded.name, uuid = excluded.uuid, "
			"memory_bytes = excluded.memory_bytes, seen_at = excluded.seen_at",
			"ssssiILLi", device->fingerprint, device->family, device->name, device->uuid,
			device->capability, device->sm_count, device->l2_bytes, device->memory_bytes,
			(int)device->is_modelled);
	if (status == SCANRT_OK)
		status = find_id(id, db, "SELECT id FROM device WHERE fingerprint = ?", "s", device->fingerprint, 0);
	if (status == SCANRT_OK && device->uuid[0])
		status = srt_db_put_board(db, *id, device->uuid);
	return srt_db_leave(db, is_own, status);
}

int srt_db_put_toolchain(int64_t *id, struct srt_db *db, const char *compiler, int driver_version)
{
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"INSERT INTO toolchain (compiler, driver_version) VALUES (?, ?) "
			"ON CONFLICT DO NOTHING",
			"si", compiler, driver_version);
	if (status == SCANRT_OK)
		status = find_id(id, db, "SELECT id FROM toolchain WHERE compiler = ? AND driver_version = ?", "si",
			compiler, driver_version);
	return srt_db_leave(db, is_own, status);
}

/* Types are named by their bits: i8, bf16, f32, c128.  A name of another form counts as `otherwise` bytes. */
static int bytes_of_type(const char *type, int otherwise)
{
	const char *digits = type + strspn(type, "abcdefghijklmnopqrstuvwxyz");
	int bits = isdigit((unsigned char)*digits) ? atoi(digits) : 0;

	return digits - type <= 2 && bits >= 8 && bits <= 128 ? bits / 8 : otherwise;
}

int srt_db_put_problem(int64_t *id, struct srt_db *db, const struct srt_db_problem *problem)
{
	int moved_bytes = problem->moved_bytes ? problem->moved_bytes
		: bytes_of_type(problem->input_type, problem->type_bytes) +
			bytes_of_type(problem->output_type, problem->type_bytes);
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"INSERT INTO problem (name, op, op_class, input_type, accumulator_type, output_type, "
			"type_bytes, "
			"moved_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
			"ssssssii", problem->name, problem->op, problem->op_class, problem->input_type,
			problem->accumulator_type, problem->output_type, problem->type_bytes, moved_bytes);
	if (status == SCANRT_OK)
		status = find_id(id, db, "SELECT id FROM problem WHERE name = ?", "s", problem->name, 0);
	return srt_db_leave(db, is_own, status);
}

/* The strategy is the text up to the first comma. */
int srt_db_put_variant(int64_t *id, struct srt_db *db, const char *text)
{
	int status = srt_db_execute(db,
		"INSERT INTO variant (text, strategy) VALUES "
		"(?1, CASE instr(?1, ',') WHEN 0 THEN ?1 ELSE substr(?1, 1, instr(?1, ',') - 1) END) "
		"ON CONFLICT (text) DO NOTHING",
		"s", text);

	return status == SCANRT_OK ? find_id(id, db, "SELECT id FROM variant WHERE text = ?", "s", text, 0) : status;
}
