/* SPDX-License-Identifier: MIT */
/* Which devices a file knows. */
#include <string.h>

#include "internal.h"
#include "pages.h"
#include "status.h"

/* Positions of the columns, as in schema.sql. */
enum { FINGERPRINT = 1, UUID = 4 };

struct listing {
	const struct srt_db *db;
	struct srt_db_known_device *devices;
	size_t capacity;
	size_t *count;
};

static int add(const struct listing *listing, const struct srt_cell *fingerprint, const struct srt_cell *uuid)
{
	struct srt_db_known_device *device = &listing->devices[*listing->count];
	int status;

	if (*listing->count == listing->capacity)
		return SCANRT_OK;
	status = srt_db_copy(listing->db, device->fingerprint, sizeof(device->fingerprint), fingerprint);
	if (status == SCANRT_OK)
		status = srt_db_copy(listing->db, device->uuid, sizeof(device->uuid), uuid);
	*listing->count += status == SCANRT_OK;
	return status;
}

static int add_row(void *user, const struct srt_row *row)
{
	const struct listing *listing = user;

	if (row->count <= UUID)
		return srt_pages_corrupt(listing->db, "a device lacks a column");
	return add(listing, &row->cells[FINGERPRINT], &row->cells[UUID]);
}

/* For a writer. */
static int list_by_statement(const struct listing *listing, struct srt_db *db)
{
	sqlite3_stmt *statement;
	struct srt_cell cells[2];
	bool has_row = true;
	int status = srt_db_prepare(&statement, db, "SELECT fingerprint, uuid FROM device ORDER BY id", "");

	while (status == SCANRT_OK && has_row) {
		status = srt_db_step(&has_row, db, statement);
		if (status == SCANRT_OK && has_row) {
			srt_db_cells(cells, 2, statement);
			status = add(listing, &cells[0], &cells[1]);
		}
	}
	sqlite3_finalize(statement);
	return status;
}

int srt_db_list_devices(struct srt_db *db, struct srt_db_known_device *devices, size_t capacity, size_t *count)
{
	struct listing listing = { db, devices, capacity, count };

	*count = 0;
	return db->pages ? srt_pages_each(db, SRT_TREE_DEVICE, add_row, &listing) : list_by_statement(&listing, db);
}
