/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "compress.h"
#include "internal.h"
#include "status.h"

static int corrupt(const struct srt_db *db, const char *recipe, const char *what)
{
	return srt_fail_database(
		SCANRT_ERROR_DATABASE_CORRUPT, SQLITE_CORRUPT, "%s: the image of recipe %s %s", db->path, recipe, what);
}

/* ---- writing ---- */

/* The bytes are written again where the hash is known already: that mends a row whose bytes were damaged. */
static int put_bytes(struct srt_db *db, const struct srt_db_image *image, const char *hash)
{
	unsigned char *packed = malloc(image->size);
	size_t packed_size = packed ? srt_compress(packed, image->bytes, image->size) : 0;
	sqlite3_stmt *statement;
	bool has_row;
	int status = srt_db_prepare(&statement, db,
		"INSERT INTO image (hash, size, bytes) VALUES (?1, ?2, ?3) "
		"ON CONFLICT (hash) DO UPDATE SET size = excluded.size, bytes = excluded.bytes",
		"slS", hash, (int64_t)image->size, NULL);

	if (status == SCANRT_OK &&
		sqlite3_bind_blob64(statement, 3, packed_size ? packed : image->bytes,
			packed_size ? packed_size : image->size, SQLITE_STATIC))
		status = srt_db_fail(db, "bind an image");
	if (status == SCANRT_OK)
		status = srt_db_step(&has_row, db, statement);
	sqlite3_finalize(statement);
	free(packed);
	return status;
}

/* Replaced and not updated: the newest image of a recipe is the one with the highest number. */
static int put_kernel(
	struct srt_db *db, int64_t run, const struct srt_db_image *image, const char *hash, bool is_verified)
{
	char seal[SRT_DB_HASH_TEXT];

	srt_db_seal_image(seal, image, hash);
	return srt_db_execute(db,
		"INSERT OR REPLACE INTO kernel (key, recipe, entry, codegen, arch, toolchain, problem, variant, "
		"registers, "
		"shared_bytes, local_bytes, image, run, built_at, seal, verified) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, " SRT_DB_NOW ", ?, ?)",
		"ssssssssiiisLsi", image->key, image->recipe, image->entry, image->codegen, image->arch,
		image->toolchain, image->problem, image->variant, image->registers, image->shared_bytes,
		image->local_bytes, hash, run, seal, (int)is_verified);
}

static int put(struct srt_db *db, int64_t run, const struct srt_db_image *image, bool is_verified)
{
	char hash[SRT_DB_HASH_TEXT];
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	srt_db_hash(hash, image->bytes, image->size);
	if (status == SCANRT_OK)
		status = put_bytes(db, image, hash);
	if (status == SCANRT_OK)
		status = put_kernel(db, run, image, hash, is_verified);
	return srt_db_leave(db, is_own, status);
}

int srt_db_put_image(struct srt_db *db, int64_t run, const struct srt_db_image *image)
{
	return put(db, run, image, true);
}

#define MOST_KEPT "256"

/* What fell out of use is not known here; what was kept longest ago is the best guess. */
int srt_db_keep_image(struct srt_db *db, const struct srt_db_image *image)
{
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	if (status == SCANRT_OK)
		status = put(db, 0, image, false);
	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"DELETE FROM kernel WHERE run IS NULL AND id <= (SELECT id FROM kernel WHERE run IS NULL "
			"ORDER BY id DESC LIMIT 1 OFFSET " MOST_KEPT ")",
			"");
	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"DELETE FROM image WHERE hash NOT IN (SELECT image FROM kernel WHERE image IS NOT NULL)", "");
	return srt_db_leave(db, is_own, status);
}

/* ---- reading ---- */

struct field {
	size_t offset;
	size_t size;
};

#define FIELD(name) \
	{ \
		offsetof(struct srt_db_image, name), sizeof(((struct srt_db_image *)0)->name) \
	}

/* In the order of the columns that srt_db_find_image selects. */
static const struct field texts[] = { FIELD(recipe), FIELD(key), FIELD(entry), FIELD(codegen), FIELD(arch),
	FIELD(toolchain), FIELD(problem), FIELD(variant) };
#define TEXT_COUNT (int)(sizeof(texts) / sizeof(texts[0]))

static int read_texts(const struct srt_db *db, struct srt_db_image *image, const struct srt_cell *cells)
{
	int status = SCANRT_OK;
	int i;

	for (i = 0; i < TEXT_COUNT && status == SCANRT_OK; i++)
		status = srt_db_copy(db, (char *)image + texts[i].offset, texts[i].size, &cells[i]);
	return status;
}

/* In place of the bytes that are stored come those that were compiled.  What is wrong with them the hash tells best. */
static int decompress(const struct srt_db *db, struct srt_db_image *image, const char *recipe, size_t size)
{
	unsigned char *bytes;

	if (size <= image->size || !srt_can_decompress_to(size, image->size))
		return size == image->size ? SCANRT_OK : corrupt(db, recipe, "has another size than is said");
	bytes = malloc(size);
	if (!bytes)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "%s: no memory for an image of %zu bytes", db->path, size);
	if (!srt_decompress(bytes, size, image->bytes, image->size)) {
		free(bytes);
		return corrupt(db, recipe, "cannot be decompressed");
	}
	free(image->bytes);
	image->bytes = bytes;
	image->size = size;
	return SCANRT_OK;
}

/* Three claims: the row is the one that was asked for, it was not changed, and these are its bytes.  An index whose
 * entry leads to another row passes only without them. */
int srt_db_read_image(
	const struct srt_db *db, struct srt_db_image *image, const char *recipe, const struct srt_cell *cells)
{
	char hash[SRT_DB_HASH_TEXT];
	char seal[SRT_DB_HASH_TEXT];
	int status = read_texts(db, image, cells);

	if (status != SCANRT_OK)
		return status;
	image->registers = (int)cells[TEXT_COUNT].integer;
	image->shared_bytes = (int)cells[TEXT_COUNT + 1].integer;
	image->local_bytes = (int)cells[TEXT_COUNT + 2].integer;
	status = decompress(db, image, recipe, (size_t)cells[TEXT_COUNT + 6].integer);
	if (status != SCANRT_OK)
		return status;
	srt_db_hash(hash, image->bytes, image->size);
	if (!srt_db_is_text(&cells[TEXT_COUNT + 3], hash))
		return corrupt(db, recipe, "does not have the hash that it was stored with");
	srt_db_seal_image(seal, image, hash);
	if (!srt_db_is_text(&cells[TEXT_COUNT + 4], seal) || strcmp(image->recipe, recipe) != 0)
		return corrupt(db, recipe, "has been changed since it was stored");
	image->is_unverified = cells[TEXT_COUNT + 5].kind == SRT_CELL_INTEGER && cells[TEXT_COUNT + 5].integer == 0;
	return SCANRT_OK;
}

int srt_db_take_image(struct srt_db *db, struct srt_db_image *image, const char *recipe, sqlite3_stmt *statement)
{
	struct srt_cell cells[SRT_IMAGE_CELLS + 1];
	const struct srt_cell *bytes = &cells[SRT_IMAGE_CELLS];

	srt_db_cells(cells, SRT_IMAGE_CELLS + 1, statement);
	if (bytes->kind != SRT_CELL_BLOB || bytes->size == 0)
		return corrupt(db, recipe, "has no bytes");
	image->bytes = malloc(bytes->size);
	if (!image->bytes)
		return srt_fail(
			SCANRT_ERROR_OUT_OF_MEMORY, "%s: no memory for an image of %zu bytes", db->path, bytes->size);
	memcpy(image->bytes, bytes->bytes, bytes->size);
	image->size = bytes->size;
	return srt_db_read_image(db, image, recipe, cells);
}

/* For a writer; a reader has lookup.c. */
static int find_by_statement(
	struct srt_db *db, const char *recipe, const char *codegen, struct srt_db_image *image, bool *found)
{
	sqlite3_stmt *statement;
	int status = srt_db_prepare(&statement, db,
		SRT_SELECT_IMAGE "WHERE k.recipe = ?1 AND (?2 IS NULL OR k.codegen = ?2) ORDER BY k.id DESC LIMIT 1",
		"ss", recipe, codegen);

	if (status == SCANRT_OK)
		status = srt_db_step(found, db, statement);
	if (status == SCANRT_OK && *found)
		status = srt_db_take_image(db, image, recipe, statement);
	sqlite3_finalize(statement);
	return status;
}

int srt_db_find_image(
	struct srt_db *db, const char *recipe, const char *codegen, struct srt_db_image *image, bool *found)
{
	int status;

	memset(image, 0, sizeof(*image));
	*found = false;
	if (db->pages)
		status = srt_lookup_image(db, recipe, codegen, image, found);
	else
		status = find_by_statement(db, recipe, codegen, image, found);
	if (status != SCANRT_OK) {
		free(image->bytes);
		memset(image, 0, sizeof(*image));
		*found = false;
	}
	return status;
}

int srt_db_find_kernel(struct srt_db *db, const char *key, struct srt_db_image *image, bool *found)
{
	sqlite3_stmt *statement = NULL;
	int64_t matches = 0;
	int status = srt_db_need_sql(db);

	memset(image, 0, sizeof(*image));
	*found = false;
	if (status == SCANRT_OK)
		status = srt_db_integer(&matches, found, db,
			"SELECT count(*) FROM kernel WHERE substr(key, 1, length(?1)) = ?1 AND image IS NOT NULL", "s",
			key);
	*found = matches == 1;
	if (status != SCANRT_OK || !*found)
		return status;
	status = srt_db_prepare(&statement, db, SRT_SELECT_IMAGE "WHERE substr(k.key, 1, length(?1)) = ?1", "s", key);
	if (status == SCANRT_OK)
		status = srt_db_step(found, db, statement);
	if (status == SCANRT_OK && *found)
		status = srt_db_take_image(db, image, srt_db_text(statement, 0), statement);
	sqlite3_finalize(statement);
	return status;
}
