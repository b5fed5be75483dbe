/* SPDX-License-Identifier: MIT */
/* Which devices a file knows, and by which boards. */
#include <assert.h>

#include "internal.h"
#include "pages.h"
#include "status.h"

/* Positions of the columns, as in schema.sql. */
enum { FINGERPRINT = 1, LAST_UUID = 4 };
enum { BOARD_DEVICE = 1, BOARD_UUID };

struct listing {
	const struct srt_db *db;
	bool has_boards; /* a table of them, which formats 1 and 2 do not have */
	srt_db_board_function each;
	void *user;
};

static int tell(const struct listing *listing, const struct srt_cell *fingerprint, const struct srt_cell *uuid)
{
	struct srt_db_board board = { .uuid = "" };
	int status = srt_db_copy(listing->db, board.fingerprint, sizeof(board.fingerprint), fingerprint);

	if (status == SCANRT_OK && uuid)
		status = srt_db_copy(listing->db, board.uuid, sizeof(board.uuid), uuid);
	if (status == SCANRT_OK)
		listing->each(listing->user, &board);
	return status;
}

/* Before there was a table of boards, a device's row had the one that was seen last. */
static int tell_device(void *user, const struct srt_row *row)
{
	const struct listing *listing = user;

	if (row->count <= LAST_UUID)
		return srt_pages_corrupt(listing->db, "a device lacks a column");
	return tell(listing, &row->cells[FINGERPRINT], listing->has_boards ? NULL : &row->cells[LAST_UUID]);
}

static int tell_board(void *user, const struct srt_row *row)
{
	const struct listing *listing = user;
	struct srt_row device;
	bool found;
	int status;

	if (row->count <= BOARD_UUID)
		return srt_pages_corrupt(listing->db, "a board lacks a column");
	status = srt_pages_seek(&device, &found, listing->db, SRT_TREE_DEVICE, row->cells[BOARD_DEVICE].integer);
	if (status == SCANRT_OK && (!found || device.count <= FINGERPRINT))
		status = srt_pages_corrupt(listing->db, "the device of a board is missing");
	return status == SCANRT_OK ? tell(listing, &device.cells[FINGERPRINT], &row->cells[BOARD_UUID]) : status;
}

int srt_db_each_board(struct srt_db *db, srt_db_board_function each, void *user)
{
	struct listing listing = { db, srt_pages_has(db, SRT_TREE_BOARD), each, user };
	int status;

	assert(db->pages);
	status = srt_pages_each(db, SRT_TREE_DEVICE, tell_device, &listing);
	if (status == SCANRT_OK && listing.has_boards)
		status = srt_pages_each(db, SRT_TREE_BOARD, tell_board, &listing);
	return status;
}
