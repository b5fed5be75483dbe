/* SPDX-License-Identifier: MIT
 *
 * Where choices are looked at again: files that are looked into, and images that are there already.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "record.h"
#include "status.h"

#define LOOKS 50         /* at a file that is being written to, */
#define LOOK_MS 100      /* so far apart */

struct srt_db *tune_look_into(const char *path)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	struct srt_db *db = NULL;
	int status = SCANRT_ERROR_DATABASE_BUSY;

	for (int i = 0; i < LOOKS && status == SCANRT_ERROR_DATABASE_BUSY; i++) {
		if (i > 0)
			nanosleep(&pause, NULL);
		status = srt_db_open(&db, path, SRT_DB_READ);
	}
	return db;
}

static bool take_image(struct tune_build *build, struct srt_db_image *row)
{
	struct srt_image *image = &build->job.image;

	memset(image, 0, sizeof *image);
	snprintf(image->recipe, sizeof image->recipe, "%s", row->recipe);
	snprintf(image->key, sizeof image->key, "%s", row->key);
	snprintf(image->entry, sizeof image->entry, "%s", row->entry);
	snprintf(image->codegen, sizeof image->codegen, "%s", row->codegen);
	snprintf(image->arch, sizeof image->arch, "%s", row->arch);
	snprintf(image->toolchain, sizeof image->toolchain, "%s", row->toolchain);
	snprintf(build->job.toolchain, sizeof build->job.toolchain, "%s", row->toolchain);
	image->bytes = row->bytes;
	image->size = row->size;
	build->job.status = SCANRT_OK;
	build->job.state = TUNE_JOB_DONE;
	return true;
}

static bool find_image(struct tune_session *session, struct tune_build *build, struct srt_db *db)
{
	char recipe[SRT_HASH_TEXT], entry[40];
	struct srt_db_image row;
	bool is_found = false;

	return srt_image_recipe(recipe, entry, &build->problem, &build->variant, session->device.capability) ==
			SCANRT_OK &&
		srt_db_is_trusted(db, NULL) &&
		srt_db_find_image(db, recipe, session->is_ptx ? "ptx" : NULL, &row, &is_found) == SCANRT_OK &&
		is_found && take_image(build, &row);
}

static bool find_image_in(struct tune_session *session, struct tune_build *build, const char *path)
{
	struct srt_db *db = path ? tune_look_into(path) : NULL;
	bool is_found = db && find_image(session, build, db);

	srt_db_close(db);
	return is_found;
}

bool tune_record_find_image(struct tune_session *session, struct tune_build *build)
{
	const struct tune_options *options = session->options;
	bool is_found;

	if (options->task == TUNE_TASK_TUNE || build->job.state != TUNE_JOB_NEW)
		return false;
	is_found = session->db && find_image(session, build, session->db);
	if (!is_found && (options->with_images || options->task == TUNE_TASK_DIFF ||
		options->task == TUNE_TASK_VERIFY))
		is_found = find_image_in(session, build, session->import) ||
			find_image_in(session, build, session->against);
	srt_error_clear();
	return is_found;
}
