/* SPDX-License-Identifier: MIT
 *
 * Is all as it was written?
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "status.h"

static int count_choice(void *user, const struct srt_db_choice *choice, const char *device_name)
{
	struct srt_db_health *health = user;

	(void)choice;
	(void)device_name;
	health->choices++;
	return 0;
}

/* Each image is read as the library would read it, hash and seal and all. */
static int check_images(struct srt_db *db, struct srt_db_health *health)
{
	sqlite3_stmt *statement;
	bool has_row;
	int status = srt_db_prepare(&statement, db, SRT_SELECT_IMAGE, "");

	while (status == SCANRT_OK) {
		struct srt_db_image image = { .bytes = NULL };

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		status = srt_db_take_image(db, &image, srt_db_text(statement, 0), statement);
		free(image.bytes);
		health->images++;
	}
	sqlite3_finalize(statement);
	return status;
}

int srt_db_check(struct srt_db *db, struct srt_db_health *health)
{
	int64_t pages = 0, size = 0, version = 0;
	bool found;
	int status;

	memset(health, 0, sizeof(*health));
	status = srt_db_integer(&version, &found, db, "PRAGMA user_version", "");
	if (status == SCANRT_OK)
		status = srt_db_integer(&pages, &found, db, "PRAGMA page_count", "");
	if (status == SCANRT_OK)
		status = srt_db_integer(&size, &found, db, "PRAGMA page_size", "");
	health->version = (int)version;
	health->bytes = pages * size;
	if (status == SCANRT_OK)
		status = srt_db_check_pages(db);
	if (status == SCANRT_OK)
		status = srt_db_each_choice(db, NULL, count_choice, health);
	return status == SCANRT_OK ? check_images(db, health) : status;
}
