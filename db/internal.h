/* SPDX-License-Identifier: MIT
 *
 * What the files of db/ share.  Only they include this, and sqlite3.h.
 */
#ifndef SRT_DB_INTERNAL_H
#define SRT_DB_INTERNAL_H

#include <sqlite3.h>
#include <sys/types.h>

#include "db.h"

#define SRT_DB_APPLICATION_ID 0x53434e52 /* "SCNR"; schema.sql sets the same number */
#define SRT_DB_HASH_TEXT      33         /* 32 hexadecimal digits of XXH3-128, and the terminator */

/* UTC now, in the form of every time of day in the schema. */
#define SRT_DB_NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"

struct srt_pages; /* pages.h */

struct srt_db {
	sqlite3 *handle; /* NULL for a reader that has not needed SQL yet */
	int descriptor;  /* of a reader that does without SQLite; -1 */
	char *path;
	char *moved_to; /* where a damaged file went; NULL */
	enum srt_db_access access;
	bool is_patient;
	bool is_brought_up; /* opening has changed something: the format, or a view */
	int waited_ms; /* for locks: all of a reader's visit, the last one's of a writer */
	struct srt_pages *pages; /* of a reader: lookups go through these and not through SQL; NULL for a writer */
	dev_t filesystem;        /* which file was opened: the trust rules must judge that one */
	ino_t inode;
};

extern const char srt_schema[]; /* schema.sql */

/* ---- statement.c ---- */

/* Records what SQLite has to say about the last call and returns the status that it amounts to. */
int srt_db_fail(const struct srt_db *db, const char *doing);

/* Prepares `sql` and binds its parameters in order, one letter each: s text, i int, l int64_t, u uint64_t (beyond
 * INT64_MAX: that), d double.  A capital letter binds NULL in place of 0, of a number that is not finite, or of "".
 * A null text is NULL in any case.  Texts must live until the statement is finalised. */
int srt_db_prepare(sqlite3_stmt **statement, struct srt_db *db, const char *sql, const char *types, ...);
/* One step; *has_row false at the end.  On failure the record is set. */
int srt_db_step(bool *has_row, struct srt_db *db, sqlite3_stmt *statement);
/* The same for a statement without results, and for one that gives one integer (0 and found false: no row). */
int srt_db_execute(struct srt_db *db, const char *sql, const char *types, ...);
int srt_db_integer(int64_t *value, bool *found, struct srt_db *db, const char *sql, const char *types, ...);
/* Several statements without parameters. */
int srt_db_script(struct srt_db *db, const char *sql);

/* Puts that take several statements are one transaction: their own, or the caller's where one is open. */
int srt_db_enter(struct srt_db *db, bool *is_own);
int srt_db_leave(struct srt_db *db, bool is_own, int status); /* commits, or rolls back; returns the status */

/* A column as text, "" for NULL. */
const char *srt_db_text(sqlite3_stmt *statement, int column);

/* One value of a row, however it was read.  Bytes are not terminated. */
struct srt_cell {
	enum { SRT_CELL_NULL, SRT_CELL_INTEGER, SRT_CELL_REAL, SRT_CELL_TEXT, SRT_CELL_BLOB } kind;
	int64_t integer;
	double real; /* of an integer too */
	const unsigned char *bytes;
	size_t size;
	bool is_split; /* pages.h: only a part of the bytes lies there */
};

/* The current row; valid until the next step. */
void srt_db_cells(struct srt_cell *cells, int count, sqlite3_stmt *statement);
/* Copies a text into a field of a result, "" for NULL; one that does not fit is damage. */
int srt_db_copy(const struct srt_db *db, char *field, size_t size, const struct srt_cell *cell);
bool srt_db_is_text(const struct srt_cell *cell, const char *text);

/* ---- direct.c: files by the system's own calls ---- */

/* Opens a reader's file, locks it and finds its tables.  False, with nothing opened and no error recorded, where the
 * case is not plain: SQLite is then to be asked. */
bool srt_db_open_direct(struct srt_db *db);
void srt_db_close_direct(struct srt_db *db);
/* Of the open file, by whatever opened it; SQLite's codes. */
int srt_db_read_at(const struct srt_db *db, void *bytes, size_t size, sqlite3_int64 offset);
int srt_db_file_size(const struct srt_db *db, sqlite3_int64 *size);
/* 1 before SQLite opens a file, -1 after it has closed it. */
void srt_db_count_handle(int change);

/* ---- open.c ---- */

/* Lets SQLite have the file as well, where a reader has done without. */
int srt_db_need_sql(struct srt_db *db);

/* ---- header.c ---- */

/* Is the open file one of ours?  Looks at its first 100 bytes, without a lock.  *version is the file's, 0 for an
 * empty one, which only a writer accepts. */
int srt_db_check_header(struct srt_db *db, int *version);

/* ---- migrate.c ---- */

int srt_db_newest_version(void);
/* Within a transaction: brings an accepted file from `version` to the newest. */
int srt_db_migrate(struct srt_db *db, int version);
int srt_db_check_pages(struct srt_db *db); /* every page and index, as SQLite checks them */
/* Within a transaction: every page, index, constraint and schema text is as it should be. */
int srt_db_check_integrity(struct srt_db *db);

/* ---- file.c ---- */

/* Makes the file and its directories where they are missing: 0600 and 0700. */
int srt_db_create_file(const char *path);
/* Makes the directories above a path, those that are missing with this mode. */
int srt_db_make_parents(const char *path, mode_t mode);
/* Records errno with what could not be done, and returns the status. */
int srt_db_fail_errno(const char *path, const char *doing);
bool srt_db_has_journal(const struct srt_db *db);
/* Moves the closed file of this handle out of the way, as PATH.corrupt-TIME; two such are kept. */
int srt_db_quarantine(struct srt_db *db);

/* ---- subject.c ---- */

/* The rowid of a variant's text, made where it is new. */
int srt_db_put_variant(int64_t *id, struct srt_db *db, const char *text);

/* ---- choice.c, image.c: what the two ways to a row share ---- */

#define SRT_CHOICE_CELLS 18
/* Checks the cells of a choice, in the order of CHOICE_COLUMNS, and makes the structure of them. */
int srt_db_read_choice(const struct srt_db *db, struct srt_db_choice *choice, const struct srt_cell *cells);

#define SRT_IMAGE_CELLS 15
/* The same for a kernel row: recipe to local_bytes, then the hash of the image, the seal, whether it was verified, and
 * the size of the machine code.  `image` has the bytes as they are stored, and then those that were compiled. */
int srt_db_read_image(
	const struct srt_db *db, struct srt_db_image *image, const char *recipe, const struct srt_cell *cells);

/* Of kernels k and images i.  A column that formats before 3 lack is looked for in the table first, and else null: an
 * inner query sees the names of the one around it. */
#define SRT_SELECT_IMAGE \
	"SELECT k.recipe, k.key, k.entry, k.codegen, k.arch, k.toolchain, k.problem, k.variant, k.registers, " \
	"k.shared_bytes, k.local_bytes, k.image, k.seal, (SELECT verified FROM kernel same WHERE same.id = k.id), " \
	"i.size, i.bytes FROM (SELECT NULL AS verified) CROSS JOIN kernel k CROSS JOIN image i ON i.hash = k.image "

/* From the current row of such a query: those, and the bytes, which are copied; the caller frees them in any case. */
int srt_db_take_image(struct srt_db *db, struct srt_db_image *image, const char *recipe, sqlite3_stmt *statement);

/* ---- lookup.c: the same answers as the statements of choice.c and image.c, without SQL ---- */

int srt_lookup_choices(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count);
/* Of a device and a problem by their row numbers. */
int srt_lookup_pair(struct srt_db *db, const char *source_hash, int64_t device, int64_t problem,
	struct srt_db_choice *rows, size_t capacity, size_t *count);
/* similar.c: where there are none for the device and problem themselves. */
int srt_lookup_similar(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count);
int srt_lookup_image(
	struct srt_db *db, const char *recipe, const char *codegen, struct srt_db_image *image, bool *found);

/* ---- seal.c ---- */

/* XXH3-128 of some bytes, as text. */
void srt_db_hash(char text[SRT_DB_HASH_TEXT], const void *bytes, size_t size);
/* What ties a row together: a change of one value, or an index that leads to another row, shows. */
void srt_db_seal_choice(char seal[SRT_DB_HASH_TEXT], const struct srt_db_choice *choice);
void srt_db_seal_image(char seal[SRT_DB_HASH_TEXT], const struct srt_db_image *image, const char *hash);

#endif
