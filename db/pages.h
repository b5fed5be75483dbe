/* SPDX-License-Identifier: MIT
 *
 * Rows straight from the pages of an SQLite file, for the library's look-up.
 *
 * SQLite parses the text of every table and view of a file before it runs a first statement.  Here that is 300 us,
 * ten times what it takes to find and read the rows that are wanted, so a reader finds them itself: in the tables and
 * indexes that SQLite keeps, by the published file format (https://www.sqlite.org/fileformat2.html), under the lock
 * that SQLite holds for it.  Every number from the file is checked before it is used; a wrong one is damage.
 */
#ifndef SRT_PAGES_H
#define SRT_PAGES_H

#include "internal.h"

/* The trees that a look-up reads. */
enum srt_tree {
	SRT_TREE_SCHEMA,
	SRT_TREE_DEVICE,
	SRT_TREE_DEVICE_BY_FINGERPRINT,
	SRT_TREE_PROBLEM,
	SRT_TREE_PROBLEM_BY_NAME,
	SRT_TREE_VARIANT,
	SRT_TREE_CHOICE,
	SRT_TREE_CHOICE_BY_SUBJECT,
	SRT_TREE_IMAGE,
	SRT_TREE_IMAGE_BY_HASH,
	SRT_TREE_KERNEL,
	SRT_TREE_KERNEL_BY_RECIPE,
	SRT_TREE_BOARD, /* the only one that a file of an older format lacks */
	SRT_TREE_COUNT
};

/* Within a read transaction: sets db->pages. */
int srt_pages_open(struct srt_db *db);
void srt_pages_close(struct srt_pages *pages); /* NULL is fine */

bool srt_pages_has(const struct srt_db *db, enum srt_tree tree);

/* A row and where the rest of a long one lies.  The cells point into pages that live until close. */
struct srt_row {
	int64_t rowid;
	int count;
	struct srt_cell cells[24];
	const unsigned char *local; /* the part of the record in the tree */
	size_t local_size;
	uint64_t total_size;
	uint32_t overflow; /* the first page of the rest */
};

/* The row of a table by its number. */
int srt_pages_seek(struct srt_row *row, bool *found, const struct srt_db *db, enum srt_tree table, int64_t rowid);
/* The numbers of the rows whose index entries begin with `keys`, in the order of the index; the last `capacity` of
 * them where there are more. */
int srt_pages_match(int64_t *rowids, size_t capacity, size_t *count, const struct srt_db *db, enum srt_tree index,
	const struct srt_cell *keys, int key_count);
/* Every row of a table in the order of their numbers, until `each` returns another status than SCANRT_OK. */
typedef int srt_row_function(void *user, const struct srt_row *row);
int srt_pages_each(const struct srt_db *db, enum srt_tree table, srt_row_function *each, void *user);
/* What reading found is not what SQLite writes: records it, and returns the status. */
int srt_pages_corrupt(const struct srt_db *db, const char *what);
/* All bytes of a cell, which may be split, in memory that the caller frees. */
int srt_pages_bytes(void **bytes, const struct srt_db *db, const struct srt_row *row, int cell);

#endif
