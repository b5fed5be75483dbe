/* SPDX-License-Identifier: MIT
 *
 * Keeping images that had to be compiled.
 */
#include "keep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../db/db.h"
#include "status.h"

struct srt_kept {
	struct srt_kept *next;
	struct srt_db_image row;
};

static void describe(struct srt_db_image *row, const struct srt_image *image, const struct srt_kernel *kernel)
{
	struct srt_strbuf text = { 0 };

	memcpy(row->recipe, image->recipe, sizeof(row->recipe));
	memcpy(row->key, image->key, sizeof(row->key));
	memcpy(row->entry, image->entry, sizeof(row->entry));
	memcpy(row->codegen, image->codegen, sizeof(row->codegen));
	memcpy(row->arch, image->arch, sizeof(row->arch));
	memcpy(row->toolchain, image->toolchain, sizeof(row->toolchain));
	row->registers = kernel->registers;
	row->shared_bytes = kernel->static_shared + (int)kernel->dynamic_shared;
	row->local_bytes = kernel->local_bytes;
	srt_problem_format(&text, &kernel->problem, true);
	snprintf(row->problem, sizeof(row->problem), "%s", srt_strbuf_text(&text));
	srt_strbuf_clear(&text);
	srt_variant_format(&text, &kernel->variant);
	snprintf(row->variant, sizeof(row->variant), "%s", srt_strbuf_text(&text));
	srt_strbuf_free(&text);
}

void srt_keep_image(struct srt_reading *reading, struct srt_image *image, const struct srt_kernel *kernel)
{
	struct srt_kept *kept = reading->catalog->cache ? calloc(1, sizeof(*kept)) : NULL;

	if (!kept)
		return;
	describe(&kept->row, image, kernel);
	kept->row.bytes = image->bytes;
	kept->row.size = image->size;
	image->bytes = NULL;
	kept->next = reading->kept;
	reading->kept = kept;
}

static int write_all(const struct srt_kept *kept, struct srt_db *db)
{
	int status = srt_db_begin(db);

	for (; kept && !status; kept = kept->next)
		status = srt_db_keep_image(db, &kept->row);
	if (!status)
		status = srt_db_commit(db);
	if (status)
		srt_db_rollback(db);
	return status;
}

static void write(const struct srt_kept *kept, const char *path, struct srt_account *account)
{
	struct srt_db *db = NULL;
	int status = srt_db_open(&db, path, SRT_DB_KEEP);

	if (!status)
		status = write_all(kept, db);
	if (status)
		srt_account_add(account, "%s: nothing is kept: %s", path, srt_error_last()->text);
	for (; kept && !status; kept = kept->next)
		srt_account_add(account, "%s: image %s is kept", path, kept->row.key);
	srt_db_close(db);
}

void srt_keep_end(struct srt_kept *kept, const char *path, struct srt_account *account, bool is_wanted)
{
	if (kept && is_wanted)
		write(kept, path, account);
	while (kept) {
		struct srt_kept *next = kept->next;

		free(kept->row.bytes);
		free(kept);
		kept = next;
	}
}
