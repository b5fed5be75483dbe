/* SPDX-License-Identifier: MIT
 *
 * The database files that a context looks into, and one reading of them: files are opened when first asked, and none
 * stays open after the reading.
 */
#ifndef SRT_CATALOG_H
#define SRT_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "log.h"

struct srt_db;
struct srt_kept; /* keep.h */

#define SRT_CATALOG_FILES 3

struct srt_catalog {
	char *paths[SRT_CATALOG_FILES]; /* owned */
	size_t count;
	char *cache; /* owned: where what had to be compiled is kept; NULL: nowhere */
};

/* `given` is the context's option: a path (only this file), "off", or NULL for SCANRT_DB and else the user's, the
 * system's and the vendor's files. */
int srt_catalog_init(struct srt_catalog *catalog, const char *given);
/* Has the system read them, if they are not in memory, while a context is made. */
void srt_catalog_expect(const struct srt_catalog *catalog);
void srt_catalog_free(struct srt_catalog *catalog);

struct srt_reading {
	const struct srt_catalog *catalog;
	struct srt_account *account;
	double entered_us; /* when the database was last entered, on the monotonic clock */
	double spent_us;   /* in the database, all told */
	unsigned waited_ms; /* for locks of others, by this thread before */
	struct srt_kept *kept; /* images for the cache */
	struct {
		struct srt_db *db;
		bool is_tried;
		bool is_trusted;
		bool has_answered; /* it had a choice for this very device */
	} files[SRT_CATALOG_FILES];
};

/* Stand around each use of a file: the account of a plan ends with what the look-up took. */
void srt_reading_enter(struct srt_reading *reading);
void srt_reading_leave(struct srt_reading *reading);

void srt_reading_begin(struct srt_reading *reading, const struct srt_catalog *catalog, struct srt_account *account);
/* NULL where the file is missing or refused; the account has the reason. */
struct srt_db *srt_reading_file(struct srt_reading *reading, size_t index);
/* Whether machine code from an opened file may be run. */
bool srt_reading_is_trusted(const struct srt_reading *reading, size_t index);
/* Closes the files, and hands out what is to be kept. */
struct srt_kept *srt_reading_end(struct srt_reading *reading);

#endif
