/* SPDX-License-Identifier: MIT
 *
 * What is not worth its room any more.
 */
#include <string.h>

#include "internal.h"
#include "status.h"

/* Choices of what is reproducible are of the same kernels: "sum f32 reproducible" is made of those of "sum f32". */
#define NAME_OF_KERNELS "replace(p.name, ' reproducible', '')"

/* A kernel is for the exact problem ("sum i32 exclusive"), a choice for the short one ("sum i32"). */
#define IS_OF_A_CHOICE \
	"EXISTS (SELECT 1 FROM choice c JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant " \
	"JOIN device d ON d.id = c.device LEFT JOIN run r ON r.id = kernel.run WHERE v.text = kernel.variant " \
	"AND (" NAME_OF_KERNELS " = kernel.problem OR " NAME_OF_KERNELS " || ' ' = " \
	"substr(kernel.problem, 1, length(" NAME_OF_KERNELS ") + 1)) " \
	"AND 'sm_' || d.capability = rtrim(kernel.arch, 'af') " \
	"AND (r.source_hash IS NULL OR r.source_hash = c.source_hash))"

static int drop_unreferred(struct srt_db *db, int64_t *dropped)
{
	int status = srt_db_execute(db,
		"DELETE FROM image WHERE hash NOT IN (SELECT image FROM kernel WHERE image IS NOT NULL)", "");

	if (status == SCANRT_OK)
		*dropped = sqlite3_changes(db->handle);
	return status;
}

/* The last run's stay: the defaults are among them, which a recheck compares with; and so do those that programs keep,
 * which are bounded where they are put. */
int srt_db_prune_images(struct srt_db *db, int64_t *dropped)
{
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	*dropped = 0;
	if (status == SCANRT_OK)
		status = srt_db_execute(db,
			"UPDATE kernel SET image = NULL WHERE image IS NOT NULL AND run IS NOT NULL "
			"AND run <> (SELECT max(id) FROM run) AND NOT " IS_OF_A_CHOICE,
			"");
	if (status == SCANRT_OK)
		status = drop_unreferred(db, dropped);
	return srt_db_leave(db, is_own, status);
}

#define IS_RECENT "((SELECT count(*) FROM run later WHERE later.device = run.device AND later.id > run.id) < ?1)"

/* What was interrupted since the last complete run, of the kernels of today: the next one goes on from there, however
 * often that has been. */
#define MAY_GO_ON \
	"(run.status <> 'complete' AND run.source_hash = (SELECT source_hash FROM run last " \
	"WHERE last.device = run.device ORDER BY last.id DESC LIMIT 1) AND run.id > (SELECT " \
	"coalesce(max(done.id), 0) FROM run done WHERE done.device = run.device " \
	"AND done.source_hash = run.source_hash AND done.status = 'complete' AND coalesce(done.kind, 'tune') = 'tune'))"

/* Besides those that a choice is of: without them nobody could tell why. */
#define IS_KEPT "(" IS_RECENT " OR " MAY_GO_ON " OR run.id IN (SELECT run FROM choice WHERE run IS NOT NULL))"

/* Runs that are at work are nobody's to take away, whatever their number. */
static int drop_runs(struct srt_db *db, int keep)
{
	return srt_db_execute(db, "DELETE FROM run WHERE status <> 'running' AND NOT " IS_KEPT, "i", keep);
}

/* Of an old run that a choice is of, the finalists are what there is to tell; the other runs went with theirs. */
static int drop_trials(struct srt_db *db, int keep)
{
	return srt_db_execute(db,
		"DELETE FROM trial WHERE stage IS NOT 'final' AND run IN (SELECT id FROM run WHERE status <> 'running' "
		"AND NOT " IS_RECENT " AND NOT " MAY_GO_ON ")", "i", keep);
}

/* Choices of kernels that none of the device's last runs was with. */
static int drop_choices(struct srt_db *db, int keep)
{
	return srt_db_execute(db,
		"DELETE FROM choice WHERE source_hash NOT IN (SELECT source_hash FROM run WHERE run.device = "
		"choice.device AND (SELECT count(*) FROM run later WHERE later.device = run.device AND later.id > "
		"run.id) < ?1)",
		"i", keep);
}

static int count_rows(int64_t *rows, struct srt_db *db, const char *table)
{
	struct srt_strbuf sql = { 0 };
	bool found;
	int status;

	srt_strbuf_printf(&sql, "SELECT count(*) FROM %s", table);
	status = sql.failed ? srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a statement")
			    : srt_db_integer(rows, &found, db, srt_strbuf_text(&sql), "");
	srt_strbuf_free(&sql);
	return status;
}

/* In pages that are in use: what was dropped is room that will be used again, or given back. */
static int measure(int64_t *bytes, struct srt_db *db)
{
	int64_t pages = 0, unused = 0, size = 0;
	bool found;
	int status = srt_db_integer(&pages, &found, db, "PRAGMA page_count", "");

	if (status == SCANRT_OK)
		status = srt_db_integer(&unused, &found, db, "PRAGMA freelist_count", "");
	if (status == SCANRT_OK)
		status = srt_db_integer(&size, &found, db, "PRAGMA page_size", "");
	*bytes = (pages - unused) * size;
	return status;
}

/* Counted before and after: deletions cascade. */
static int count_all(struct srt_db_pruned *rows, struct srt_db *db)
{
	int status = count_rows(&rows->runs, db, "run");

	if (status == SCANRT_OK)
		status = count_rows(&rows->trials, db, "trial");
	if (status == SCANRT_OK)
		status = count_rows(&rows->choices, db, "choice");
	return status == SCANRT_OK ? count_rows(&rows->images, db, "image") : status;
}

static int drop_beyond(struct srt_db *db, int keep)
{
	int64_t images;
	/* Before the runs: of a kernel without one nobody knows whether the tuner made it or a program kept it. */
	int status = srt_db_prune_images(db, &images);

	if (status == SCANRT_OK)
		status = drop_runs(db, keep);
	if (status == SCANRT_OK)
		status = drop_trials(db, keep);
	if (status == SCANRT_OK)
		status = srt_db_script(db,
			"DELETE FROM poison WHERE source_hash NOT IN (SELECT source_hash FROM run);"
			"DELETE FROM kernel WHERE image IS NULL AND run IS NULL;"
			"DELETE FROM variant WHERE id NOT IN (SELECT variant FROM trial UNION SELECT variant "
			"FROM choice UNION SELECT variant FROM poison)");
	return status;
}

/* The oldest of what programs kept, some at a time. */
static int drop_kept(struct srt_db *db, int64_t bytes)
{
	int64_t used = 0, ignored;
	int status = measure(&used, db);

	while (status == SCANRT_OK && used > bytes) {
		status = srt_db_script(db,
			"DELETE FROM kernel WHERE id IN (SELECT id FROM kernel WHERE run IS NULL "
			"AND NOT " IS_OF_A_CHOICE " ORDER BY id LIMIT 16)");
		if (status == SCANRT_OK && sqlite3_changes(db->handle) == 0)
			break;
		if (status == SCANRT_OK)
			status = drop_unreferred(db, &ignored);
		if (status == SCANRT_OK)
			status = measure(&used, db);
	}
	return status;
}

static int drop_unchosen(struct srt_db *db)
{
	int64_t ignored;
	int status = srt_db_script(db,
		"UPDATE kernel SET image = NULL WHERE run IS NOT NULL AND image IS NOT NULL AND NOT " IS_OF_A_CHOICE);

	return status == SCANRT_OK ? drop_unreferred(db, &ignored) : status;
}

/* What can be missed when only one run of each device is left: who lost, without which a run that was interrupted
 * starts anew, and machine code that no choice is of, which is compiled again where somebody wants it.  Choices, their
 * finalists and their machine code stay, however much they are. */
static int drop_more(struct srt_db *db, int64_t bytes)
{
	int64_t used = 0;
	int status = srt_db_script(db,
		"DELETE FROM trial WHERE stage IS NOT 'final' "
		"AND run IN (SELECT id FROM run WHERE status <> 'running')");

	if (status == SCANRT_OK)
		status = measure(&used, db);
	if (status == SCANRT_OK && used > bytes)
		status = drop_unchosen(db);
	return status == SCANRT_OK ? drop_kept(db, bytes) : status;
}

/* A bound in bytes takes no choice away: with those of the kernels before, another installed version may scan. */
int srt_db_bound(struct srt_db *db, const struct srt_db_bounds *bounds)
{
	int64_t used = 0;
	int runs = bounds->runs;
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	if (status == SCANRT_OK)
		status = drop_choices(db, bounds->runs);
	do {
		if (status == SCANRT_OK)
			status = drop_beyond(db, runs);
		if (status == SCANRT_OK)
			status = measure(&used, db);
	} while (status == SCANRT_OK && bounds->bytes > 0 && used > bounds->bytes && --runs > 0);
	if (status == SCANRT_OK && bounds->bytes > 0 && used > bounds->bytes)
		status = drop_more(db, bounds->bytes);
	return srt_db_leave(db, is_own, status);
}

int srt_db_slim(struct srt_db *db, int64_t bytes)
{
	int64_t used = 0;
	bool is_own;
	int status = srt_db_enter(db, &is_own);

	if (status == SCANRT_OK)
		status = measure(&used, db);
	if (status == SCANRT_OK && used > bytes)
		status = drop_unchosen(db);
	return srt_db_leave(db, is_own, status);
}

/* Where a quarter of the file is room that nothing is in, it is given back. */
int srt_db_tidy(struct srt_db *db)
{
	int64_t pages = 0, unused = 0;
	bool found;
	int status = srt_db_integer(&pages, &found, db, "PRAGMA page_count", "");

	if (status == SCANRT_OK)
		status = srt_db_integer(&unused, &found, db, "PRAGMA freelist_count", "");
	return status == SCANRT_OK && unused > pages / 4 ? srt_db_script(db, "VACUUM") : status;
}

int srt_db_prune(struct srt_db *db, const struct srt_db_bounds *bounds, bool is_rehearsal, struct srt_db_pruned *pruned)
{
	struct srt_db_pruned after;
	int status = srt_db_begin(db);

	memset(pruned, 0, sizeof(*pruned));
	if (status == SCANRT_OK)
		status = count_all(pruned, db);
	if (status == SCANRT_OK)
		status = srt_db_bound(db, bounds);
	if (status == SCANRT_OK)
		status = count_all(&after, db);
	if (status == SCANRT_OK && !is_rehearsal)
		status = srt_db_commit(db);
	if (status != SCANRT_OK || is_rehearsal)
		srt_db_rollback(db);
	if (status != SCANRT_OK)
		return status;
	pruned->runs -= after.runs;
	pruned->trials -= after.trials;
	pruned->choices -= after.choices;
	pruned->images -= after.images;
	return is_rehearsal ? SCANRT_OK : srt_db_script(db, "VACUUM");
}

int srt_db_drop_choice(struct srt_db *db, int64_t choice)
{
	return srt_db_execute(db, "DELETE FROM choice WHERE id = ?", "l", choice);
}
