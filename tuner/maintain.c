/* SPDX-License-Identifier: MIT
 *
 * scantune export and prune.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "choices_text.h"
#include "db.h"
#include "json.h"
#include "record.h"
#include "status.h"
#include "tune.h"

static int fail(void)
{
	fprintf(stderr, "scantune: %s\n", srt_error_last()->text);
	return TUNE_EXIT_DATABASE;
}

static struct srt_db *open_named(const struct tune_options *options, enum srt_db_access access)
{
	struct srt_strbuf path = {0};
	struct srt_db *db = NULL;

	if (tune_database_path(&path, options, false) && srt_db_open(&db, srt_strbuf_text(&path), access) != SCANRT_OK)
		fail();
	srt_strbuf_free(&path);
	return db;
}

typedef int fill_function(FILE *file, struct srt_db *db, const char *what);

/* Beside its place first: what a full disk has cut is not to replace what was whole. */
static int write_aside(struct srt_db *db, const char *path, fill_function *fill, const char *what)
{
	struct srt_strbuf aside = { 0 };
	int status = SCANRT_OK;
	FILE *file;

	srt_strbuf_printf(&aside, "%s.new-%ld", path, (long)getpid());
	file = fopen(srt_strbuf_text(&aside), "w");
	if (file == NULL) {
		status = srt_fail(SCANRT_ERROR_DATABASE, "%s: %s", srt_strbuf_text(&aside), strerror(errno));
		goto out;
	}
	status = fill(file, db, what);
	if (!status && ferror(file))
		status = srt_fail(SCANRT_ERROR_DATABASE, "%s: cannot be written", path);
	if ((fclose(file) != 0 || (!status && rename(srt_strbuf_text(&aside), path) != 0)) && !status)
		status = srt_fail(SCANRT_ERROR_DATABASE, "%s: %s", path, strerror(errno));
	if (status)
		unlink(srt_strbuf_text(&aside));
out:
	srt_strbuf_free(&aside);
	return status;
}

static int write_text(FILE *file, struct srt_db *db, const char *what)
{
	struct tune_choices_writer writer = { .file = file };
	int status = srt_db_each_measured(db, tune_choices_write, &writer);

	(void)what;
	if (!status && (writer.head.failed || writer.problem.failed))
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a text of choices");
	if (!status && writer.count == 0)
		status = srt_fail(SCANRT_ERROR_DATABASE, "%s: has no choices%s", srt_db_path(db),
			writer.skipped ? " but of problems that only --problem can state" : "");
	if (!status && writer.skipped)
		fprintf(stderr, "scantune: %zu choices are of problems that only --problem can state: left out\n",
			writer.skipped);
	tune_choices_end(&writer);
	return status;
}

static int write_image(FILE *file, struct srt_db *db, const char *key)
{
	struct srt_db_image image;
	bool found;
	int status = srt_db_find_kernel(db, key, &image, &found);

	if (!status && !found)
		status = srt_fail(SCANRT_ERROR_DATABASE, "%s: machine code of a kernel with the key %s, and of no "
			"other, is not there", srt_db_path(db), key);
	if (!status)
		fwrite(image.bytes, 1, image.size, file);
	free(image.bytes);
	return status;
}

static int export_to(struct srt_db *db, const struct tune_options *options)
{
	if (options->image)
		return write_aside(db, options->file, write_image, options->image);
	if (options->wants_text)
		return write_aside(db, options->file, write_text, NULL);
	return srt_db_export(db, options->file, options->with_images);
}

int tune_command_export(const struct tune_options *options)
{
	struct srt_db *db = open_named(options, SRT_DB_READ);
	int status;

	if (db == NULL)
		return TUNE_EXIT_DATABASE;
	status = export_to(db, options);
	srt_db_close(db);
	return status == SCANRT_OK ? TUNE_EXIT_COMPLETE : fail();
}

static int64_t size_of(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 ? (int64_t)file.st_size : 0;
}

static void print(const struct tune_options *options, const struct srt_db_pruned *pruned, int64_t before, int64_t after)
{
	struct srt_strbuf out = {0};

	if (!options->is_json) {
		printf("%s %" PRId64 " runs, %" PRId64 " trials, %" PRId64 " choices of older kernels, %" PRId64
			" images\n", options->is_dry_run ? "would drop" : "dropped", pruned->runs, pruned->trials,
			pruned->choices, pruned->images);
		if (!options->is_dry_run)
			printf("%.2f MB before, %.2f MB now%s\n", (double)before * 1e-6, (double)after * 1e-6,
				options->most_bytes && after > options->most_bytes ? ": choices need that much" : "");
		return;
	}
	tune_json_begin(&out);
	tune_json_boolean(&out, "is_dry_run", options->is_dry_run);
	tune_json_integer(&out, "runs", pruned->runs);
	tune_json_integer(&out, "trials", pruned->trials);
	tune_json_integer(&out, "choices", pruned->choices);
	tune_json_integer(&out, "images", pruned->images);
	tune_json_integer(&out, "bytes_before", before);
	tune_json_integer(&out, "bytes_after", after);
	tune_json_print(&out);
}

int tune_command_prune(const struct tune_options *options)
{
	struct srt_db *db = open_named(options, SRT_DB_WRITE);
	struct srt_db_bounds bounds = { .runs = options->keep, .bytes = options->most_bytes };
	struct srt_db_pruned pruned;
	int64_t before;
	int status;

	if (db == NULL)
		return TUNE_EXIT_DATABASE;
	before = size_of(srt_db_path(db));
	status = srt_db_prune(db, &bounds, options->is_dry_run, &pruned);
	if (status == SCANRT_OK)
		print(options, &pruned, before, size_of(srt_db_path(db)));
	srt_db_close(db);
	return status == SCANRT_OK ? TUNE_EXIT_COMPLETE : fail();
}
