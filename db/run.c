/* SPDX-License-Identifier: MIT */
#include "internal.h"
#include "status.h"

int srt_db_begin_run(struct srt_db *db, struct srt_db_run *run)
{
	int status = srt_db_execute(db,
		"INSERT INTO run (device, toolchain, source_hash, effort, arguments, version, boot_id, pid, "
		"start_ticks, "
		"kind, seed, status, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', " SRT_DB_NOW ")",
		"llsssssllSS", run->device, run->toolchain, run->source_hash, run->effort, run->arguments, run->version,
		run->boot_id, run->pid, run->start_ticks, run->kind, run->seed);

	if (status == SCANRT_OK)
		run->id = sqlite3_last_insert_rowid(db->handle);
	return status;
}

int srt_db_finish_run(struct srt_db *db, int64_t run, const char *status_text)
{
	return srt_db_execute(
		db, "UPDATE run SET status = ?, finished_at = " SRT_DB_NOW " WHERE id = ?", "sl", status_text, run);
}

int srt_db_note_run(struct srt_db *db, int64_t run, int clock_mhz, int foreign_processes, const char *note)
{
	return srt_db_execute(db,
		"UPDATE run SET clock_mhz = coalesce(?, clock_mhz), foreign_processes = "
		"max(coalesce(foreign_processes, 0), ?), note = coalesce(?, note) WHERE id = ?",
		"IiSl", clock_mhz, foreign_processes, note, run);
}

int srt_db_running(struct srt_db *db, int64_t device, struct srt_db_running *rows, size_t capacity, size_t *count)
{
	sqlite3_stmt *statement;
	bool has_row = false;
	int status;

	*count = 0;
	status = srt_db_prepare(&statement, db,
		"SELECT id, pid, start_ticks, boot_id FROM run WHERE device = ? AND status = 'running' ORDER BY id",
		"l", device);
	while (status == SCANRT_OK && *count < capacity) {
		struct srt_db_running *row = &rows[*count];
		struct srt_cell cells[4];

		status = srt_db_step(&has_row, db, statement);
		if (status != SCANRT_OK || !has_row)
			break;
		srt_db_cells(cells, 4, statement);
		row->id = cells[0].integer;
		row->pid = cells[1].integer;
		row->start_ticks = cells[2].integer;
		status = srt_db_copy(db, row->boot_id, sizeof(row->boot_id), &cells[3]);
		*count += status == SCANRT_OK;
	}
	sqlite3_finalize(statement);
	return status;
}

int srt_db_put_roofline(struct srt_db *db, int64_t run, uint64_t bytes, double copy_us, const char *method)
{
	return srt_db_execute(db,
		"INSERT INTO roofline (run, bytes, copy_us, method) VALUES (?, ?, ?, ?) "
		"ON CONFLICT (run, bytes, method) DO UPDATE SET copy_us = excluded.copy_us",
		"luds", run, bytes, copy_us, method);
}
