/* SPDX-License-Identifier: MIT */
#include "internal.h"
#include "status.h"

/* IMMEDIATE: a transaction that begins by reading and then finds another writer ahead of it could only fail. */
int srt_db_begin(struct srt_db *db)
{
	return srt_db_script(db, "BEGIN IMMEDIATE");
}

int srt_db_commit(struct srt_db *db)
{
	return srt_db_script(db, "COMMIT");
}

/* Some failures have rolled back by themselves. */
void srt_db_rollback(struct srt_db *db)
{
	if (db->handle && !sqlite3_get_autocommit(db->handle))
		sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
}

int srt_db_enter(struct srt_db *db, bool *is_own)
{
	*is_own = sqlite3_get_autocommit(db->handle) != 0;
	return *is_own ? srt_db_begin(db) : SCANRT_OK;
}

int srt_db_leave(struct srt_db *db, bool is_own, int status)
{
	if (!is_own)
		return status;
	if (status == SCANRT_OK)
		status = srt_db_commit(db);
	if (status != SCANRT_OK)
		srt_db_rollback(db);
	return status;
}
