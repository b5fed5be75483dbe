/* SPDX-License-Identifier: MIT
 *
 * scantune verify, second part: the machine code that programs kept of what they had to compile.  What is right is
 * marked as verified, what is wrong is dropped, and a program will compile it anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "json.h"
#include "kept.h"
#include "record.h"
#include "stated.h"
#include "status.h"

struct row {
	char key[SRT_HASH_TEXT];
	char recipe[SRT_HASH_TEXT];
	char problem[96];
	char variant[160];
};

struct rows {
	struct row list[TUNE_KEPT_MAX];
	size_t count;
};

static int collect(void *user, const struct srt_db_kept *kept)
{
	struct rows *rows = user;
	struct row *row = &rows->list[rows->count];

	snprintf(row->key, sizeof row->key, "%s", kept->key);
	snprintf(row->recipe, sizeof row->recipe, "%s", kept->recipe);
	snprintf(row->problem, sizeof row->problem, "%s", kept->problem);
	snprintf(row->variant, sizeof row->variant, "%s", kept->variant);
	return ++rows->count == TUNE_KEPT_MAX;
}

static struct rows *collect_all(const struct tune_session *session)
{
	struct srt_db *db = session->import ? tune_look_into(session->import) : session->db;
	struct rows *rows = calloc(1, sizeof *rows);

	if (rows && db)
		srt_db_each_kept(db, collect, rows);
	if (session->import)
		srt_db_close(db);
	srt_error_clear();
	return rows;
}

/* "sum i32 exclusive".  A recipe of this problem and variant for this device is another's where the row's is one of
 * other kernels, of another device, or of what the name does not tell, such as an initial value. */
static bool take(struct srt_problem *problem, struct tune_target *target, struct tune_build *like,
	const struct row *row, int capability)
{
	static const char exclusive[] = " exclusive";
	char name[sizeof row->problem], recipe[SRT_HASH_TEXT], entry[40];
	size_t length = strlen(row->problem), tail = sizeof exclusive - 1;
	bool is_exclusive = length > tail && strcmp(row->problem + length - tail, exclusive) == 0;

	snprintf(name, sizeof name, "%.*s", (int)(is_exclusive ? length - tail : length), row->problem);
	if (!tune_target_of(target, name) || srt_problem_init_simple(problem, target->type, target->op) != SCANRT_OK ||
		srt_variant_parse(&like->variant, row->variant) != SCANRT_OK)
		return false;
	problem->is_exclusive = is_exclusive;
	snprintf(like->text, sizeof like->text, "%s", row->variant);
	return srt_image_recipe(recipe, entry, problem, &like->variant, capability) == SCANRT_OK &&
	       strcmp(recipe, row->recipe) == 0;
}

void tune_kept_targets(
	const struct tune_session *session, void (*add)(void *user, const struct tune_target *target), void *user)
{
	struct rows *rows = collect_all(session);
	struct tune_build *like = calloc(1, sizeof *like);

	for (size_t i = 0; rows && like && i < rows->count; i++) {
		struct tune_target target;
		struct srt_problem problem;

		if (take(&problem, &target, like, &rows->list[i], session->device.capability))
			add(user, &target);
	}
	srt_error_clear();
	free(like);
	free(rows);
}

static bool is_of(const struct tune_search *search, const struct srt_problem *problem)
{
	return !search->is_described && !search->is_reproducible && problem->input_type == search->problem.input_type &&
	       problem->op == search->problem.op;
}

/* Only the choices among the candidates are to be compiled where they are not at hand. */
void tune_kept_candidates(struct tune_search *search, size_t most)
{
	struct rows *rows = collect_all(search->session);
	struct tune_build *like = calloc(1, sizeof *like);
	size_t added = 0;

	for (size_t i = 0; rows && like && i < rows->count && added < most; i++) {
		size_t before = search->candidate_count;
		struct tune_target target;
		struct srt_problem problem;

		if (!take(&problem, &target, like, &rows->list[i], search->session->device.capability) ||
			!is_of(search, &problem) || !tune_candidate_add(search, &like->variant))
			continue;
		if (search->candidate_count > before) {
			search->candidates[before].is_known = true;
			added++;
		}
	}
	srt_error_clear();
	free(like);
	free(rows);
}

static void report(const struct tune_search *search, const struct row *row, enum tune_verdict verdict, const char *note)
{
	struct tune_columns columns = TUNE_COLUMNS_INIT;
	bool is_right = verdict == TUNE_OK;
	struct srt_strbuf out = { 0 };

	for (size_t i = 0; i < search->candidate_count; i++)
		tune_columns_fit(&columns, row->problem, search->candidates[i].build.text);
	if (!search->session->options->is_json) {
		tune_report_line("%-*s %-6s %-*s  %s%s%s", columns.problem, row->problem, "kept", columns.variant,
			row->variant,
			is_right ? "right" : tune_verdict_name(verdict), is_right ? "" : ": ", is_right ? "" : note);
		return;
	}
	tune_json_begin(&out);
	tune_json_text(&out, "event", "kept");
	tune_json_text(&out, "problem", row->problem);
	tune_json_text(&out, "variant", row->variant);
	tune_json_text(&out, "key", row->key);
	tune_json_boolean(&out, "is_right", is_right);
	tune_json_text(&out, "note", is_right ? "" : note);
	tune_json_print(&out);
}

static bool is_room_for(const struct tune_search *search, const struct tune_build *like)
{
	for (size_t i = 0; i < search->candidate_count; i++)
		if (strcmp(search->candidates[i].build.text, like->text) == 0)
			return true;
	return false;
}

/* Of a recipe that was kept twice the newest is what programs load. */
static bool is_at_hand(const struct tune_build *build, const struct row *row)
{
	return build && build->job.state == TUNE_JOB_DONE && strcmp(build->job.image.key, row->key) == 0;
}

/* False: the device or the run has come to its end. */
static bool check(struct tune_search *search, const struct row *row, struct tune_build *build, bool *is_right)
{
	struct tune_session *session = search->session;
	char note[TUNE_NOTE_SIZE] = "";
	enum tune_verdict verdict = tune_build_verify(search, build, note);

	tune_build_drop(search, build);
	if (verdict == TUNE_RUNNING)
		return false;
	report(search, row, verdict, note);
	*is_right &= verdict == TUNE_OK;
	if (verdict != TUNE_OK && !tune_verdict_is_wrong(verdict))
		return true;
	if (session->db && srt_db_judge_kept(session->db, row->key, verdict == TUNE_OK) != SCANRT_OK)
		tune_report_error("%s", srt_error_last()->text);
	return true;
}

bool tune_kept_audit(struct tune_search *search)
{
	struct tune_session *session = search->session;
	struct rows *rows = collect_all(session);
	struct tune_build *like = calloc(1, sizeof *like);
	bool is_right = true, goes_on = true;

	for (size_t i = 0; rows && like && goes_on && i < rows->count; i++) {
		struct tune_target target;
		struct srt_problem problem;
		struct tune_build *build;

		if (!take(&problem, &target, like, &rows->list[i], session->device.capability) ||
			!is_of(search, &problem) || !is_room_for(search, like))
			continue;
		build = tune_build_extra(search, like, &problem);
		if (is_at_hand(build, &rows->list[i]))
			goes_on = check(search, &rows->list[i], build, &is_right) && !tune_must_stop(session);
	}
	srt_error_clear();
	free(like);
	free(rows);
	return is_right && goes_on;
}
