/* SPDX-License-Identifier: MIT
 *
 * The tuner's writes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"
#include "report.h"
#include "status.h"

#define VERSION_TEXT_SIZE 32

/* Above it, a run's end leaves no machine code of defaults that were not chosen: a recheck compiles them again. */
#define SLIM_BYTES 4000000

/* Without anybody's asking: who tunes every night should not fill the disk. */
static const struct srt_db_bounds bounds = { .runs = 8, .bytes = 16000000 };

bool tune_database_path(struct srt_strbuf *path, const struct tune_options *options, bool is_for_tuning)
{
	const char *named = options->database ? options->database : getenv("SCANRT_DB");

	if (options->is_system && !is_for_tuning)
		srt_db_system_path(path);
	else if (named && *named)
		srt_strbuf_append(path, named);
	else
		srt_db_user_path(path);
	if (strcmp(srt_strbuf_text(path), "off") == 0) {
		tune_report_error("SCANRT_DB=off leaves no database: name one with --db");
		return false;
	}
	if (path->length == 0)
		tune_report_error("there is no HOME to keep a database in: name one with --db");
	return path->length > 0;
}

static bool check(struct tune_session *session, int status)
{
	if (status == SCANRT_OK)
		return true;
	if (!session->is_unrecorded)
		tune_report_error("%s", srt_error_last()->text);
	session->is_unrecorded = true;
	return false;
}

static bool writes(const struct tune_session *session)
{
	return session->db != NULL && !session->is_unrecorded;
}

/* Better to know now than after minutes of tuning: the nearest folder that exists has to be writable. */
static bool can_publish(void)
{
	struct srt_strbuf path = {0};
	bool is_writable = false;
	struct stat folder;
	char *slash;

	srt_db_system_path(&path);
	while ((slash = strrchr(path.text, '/')) != NULL && slash != path.text) {
		*slash = '\0';
		if (stat(path.text, &folder) != 0)
			continue;
		is_writable = S_ISDIR(folder.st_mode) && access(path.text, W_OK) == 0;
		break;
	}
	if (!is_writable)
		tune_report_error("%s is not writable: --system is for the administrator", path.text);
	srt_strbuf_free(&path);
	return is_writable;
}

bool tune_record_open(struct tune_session *session)
{
	struct srt_strbuf path = {0};
	bool is_open = (!session->options->is_system || can_publish()) &&
		       tune_database_path(&path, session->options, true) &&
		       check(session, srt_db_open(&session->db, srt_strbuf_text(&path), SRT_DB_WRITE));

	srt_strbuf_free(&path);
	/* Somebody's list that goes through a pager, or a shell, may keep a reader open for a while. */
	if (is_open)
		srt_db_be_patient(session->db);
	if (is_open && srt_db_moved_to(session->db)[0])
		tune_report_error("the database was damaged; it is now %s, and a new one begins",
			srt_db_moved_to(session->db));
	return is_open;
}

/* ---- The run ---- */

static bool is_alive(const struct srt_db_running *row)
{
	char boot[64];

	tune_boot_id(boot, sizeof boot);
	return strcmp(boot, row->boot_id) == 0 && tune_start_ticks((pid_t)row->pid) == row->start_ticks;
}

/* Runs that were killed are marked as what they are; a living one keeps the device. */
static bool claim(struct tune_session *session)
{
	struct srt_db_running rows[16];
	size_t count = 0;

	if (!check(session, srt_db_running(session->db, session->device_row, rows, 16, &count)))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (is_alive(&rows[i])) {
			tune_report_error("process %lld is tuning this device into %s", (long long)rows[i].pid,
				srt_db_path(session->db));
			return false;
		}
		if (!check(session, srt_db_finish_run(session->db, rows[i].id, "interrupted")))
			return false;
	}
	return true;
}

static bool put_device(struct tune_session *session)
{
	const struct srt_device *device = &session->device;
	struct srt_strbuf fingerprint = {0}, family = {0};
	struct srt_db_device row = { .name = device->name, .uuid = device->uuid, .capability = device->capability,
				     .sm_count = device->sm_count, .l2_bytes = device->l2_bytes,
				     .memory_bytes = (int64_t)device->memory_bytes,
				     .is_modelled = device->is_emulated == 1 };
	bool is_put;

	srt_device_fingerprint(&fingerprint, device);
	srt_device_family(&family, device);
	row.fingerprint = srt_strbuf_text(&fingerprint);
	row.family = srt_strbuf_text(&family);
	is_put = check(session, srt_db_put_device(&session->device_row, session->db, &row));
	for (int i = 0; i < session->board_count && is_put; i++)
		is_put = check(session, srt_db_put_board(session->db, session->device_row, session->boards[i]));
	srt_strbuf_free(&fingerprint);
	srt_strbuf_free(&family);
	return is_put;
}

static bool put_run(struct tune_session *session)
{
	char boot[64], version[VERSION_TEXT_SIZE], seed[24];
	struct srt_db_run run = { .device = session->device_row,
		.toolchain = session->toolchain_row,
		.source_hash = srt_source_hash(),
		.effort = tune_effort_name(session->options->effort),
		.arguments = session->options->line,
		.version = version,
		.boot_id = boot,
		.pid = getpid(),
		.start_ticks = tune_start_ticks(getpid()),
		.kind = session->options->task == TUNE_TASK_IMPORT ? "import"
			: session->options->task == TUNE_TASK_TUNE ? "tune" : "recheck",
		.seed = seed };

	tune_boot_id(boot, sizeof boot);
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)session->options->seed);
	snprintf(version, sizeof version, "%d.%d.%d", SCANRT_VERSION_MAJOR, SCANRT_VERSION_MINOR, SCANRT_VERSION_PATCH);
	if (!check(session, srt_db_begin_run(session->db, &run)))
		return false;
	session->run_row = run.id;
	return true;
}

/* One transaction, so that of two tuners that start together one sees the other.  Images are pruned now rather than at
 * the end, so that those of this run's defaults stay until the next. */
bool tune_record_begin(struct tune_session *session, const char *toolchain)
{
	if (session->db == NULL)
		return true;
	if (!check(session, srt_db_begin(session->db)))
		return false;
	if (put_device(session) && claim(session) &&
	    check(session, srt_db_put_toolchain(&session->toolchain_row, session->db, toolchain,
		session->device.driver_version)) && put_run(session) &&
	    (session->options->task != TUNE_TASK_TUNE ||
		check(session, srt_db_bound(session->db, &bounds))) &&
	    check(session, srt_db_commit(session->db)))
		return true;
	srt_db_rollback(session->db);
	session->run_row = 0;
	return false;
}

void tune_record_finish(struct tune_session *session, const char *status)
{
	int mhz = session->clocks.count ? (int)tune_summarise(&session->clocks).median : 0;

	if (session->db == NULL || session->run_row == 0)
		return;
	check(session, srt_db_note_run(session->db, session->run_row, mhz, session->foreign,
		session->remark[0] ? session->remark : NULL));
	check(session, srt_db_finish_run(session->db, session->run_row, status));
	if (session->options->task == TUNE_TASK_TUNE)
		srt_db_slim(session->db, SLIM_BYTES);
	srt_db_tidy(session->db); /* no harm where it fails: a reader that stays, or a full disk */
	srt_error_clear();
}

void tune_record_publish(struct tune_session *session)
{
	struct srt_strbuf path = {0};

	if (session->db == NULL || !session->options->is_system || session->is_unrecorded)
		return;
	srt_db_system_path(&path);
	if (check(session, srt_db_publish(session->db, srt_strbuf_text(&path))))
		tune_report_line("published as %s", srt_strbuf_text(&path));
	srt_strbuf_free(&path);
}

void tune_record_group(struct tune_session *session)
{
	if (writes(session))
		check(session, srt_db_begin(session->db));
}

void tune_record_commit(struct tune_session *session)
{
	if (session->db == NULL)
		return;
	if (session->is_unrecorded)
		srt_db_rollback(session->db);
	else
		check(session, srt_db_commit(session->db));
}

/* ---- Rows ---- */

void tune_problem_facts(struct srt_db_problem *facts, char op_class[TUNE_OP_CLASS_SIZE], const char *name,
	const struct srt_problem *problem, bool is_reproducible)
{
	*facts = (struct srt_db_problem){ .name = name, .op = srt_problem_op_name(problem),
		.op_class = tune_op_class(op_class, problem, is_reproducible),
		.input_type = srt_problem_type_name(problem, SRT_INPUT),
		.accumulator_type = srt_problem_type_name(problem, SRT_ACCUMULATOR),
		.output_type = srt_problem_type_name(problem, SRT_OUTPUT),
		.type_bytes = (int)tune_element_bytes(problem),
		.moved_bytes = (int)tune_moved_bytes(problem) };
}

void tune_record_problem(struct tune_search *search)
{
	struct tune_session *session = search->session;
	char op_class[TUNE_OP_CLASS_SIZE];
	struct srt_db_problem facts;

	tune_problem_facts(&facts, op_class, search->name, &search->problem, search->is_reproducible);
	if (writes(session))
		check(session, srt_db_put_problem(&search->problem_row, session->db, &facts));
}

void tune_record_roofline(struct tune_session *session, uint64_t bytes, double us, const char *method)
{
	if (writes(session) && us > 0)
		check(session, srt_db_put_roofline(session->db, session->run_row, bytes, us, method));
}

void tune_record_trial(struct tune_search *search, const struct tune_candidate *candidate,
	const struct tune_class *klass, enum tune_verdict verdict, const struct tune_summary *summary, const char *note)
{
	struct tune_session *session = search->session;
	struct srt_db_trial row = { .run = session->run_row, .problem = search->problem_row,
				    .variant = candidate->build.text, .klass = klass ? klass->name : "",
				    .count = klass ? klass->timing.count : 0, .status = tune_verdict_name(verdict),
				    .registers = candidate->build.registers, .note = note };

	if (summary) {
		row.samples = summary->count;
		row.us = summary->median;
		row.low_us = summary->low;
		row.high_us = summary->high;
		row.clock_mhz = candidate->clock_mhz;
		row.stage = "race";
	}
	if (summary && klass && candidate->final[klass - search->classes].count) {
		const struct tune_summary *ratio = &candidate->ratio[klass - search->classes];

		row.stage = "final";
		row.ratio = ratio->median;
		row.low_ratio = ratio->low;
		row.high_ratio = ratio->high;
	}
	if (writes(session) && session->run_row)
		check(session, srt_db_put_trial(session->db, &row));
}

void tune_record_choice(struct tune_search *search, const struct tune_row *row)
{
	struct tune_session *session = search->session;
	struct srt_db_choice choice = { .low_count = row->low, .high_count = row->high, .count = row->count,
					.us = row->us, .low_us = row->low_us, .high_us = row->high_us,
					.default_us = row->default_us, .copy_us = row->copy_us };
	int64_t id;

	snprintf(choice.problem, sizeof choice.problem, "%s", row->problem);
	snprintf(choice.klass, sizeof choice.klass, "%s", row->klass);
	snprintf(choice.variant, sizeof choice.variant, "%s", row->variant);
	snprintf(choice.reason, sizeof choice.reason, "%s", row->reason);
	snprintf(choice.border, sizeof choice.border, "%s", row->border);
	snprintf(choice.source_hash, sizeof choice.source_hash, "%s", srt_source_hash());
	if (writes(session))
		check(session, srt_db_put_choice(&id, session->db, session->run_row, session->device_row,
			search->problem_row, &choice));
}

void tune_record_image(struct tune_session *session, const struct tune_build *build)
{
	const struct srt_image *image = &build->job.image;
	struct srt_strbuf problem = {0};
	struct srt_db_image row = { .registers = build->registers, .shared_bytes = build->shared_bytes,
				    .local_bytes = build->local_bytes, .bytes = image->bytes, .size = image->size };

	srt_problem_format(&problem, &build->problem, true);
	snprintf(row.recipe, sizeof row.recipe, "%s", image->recipe);
	snprintf(row.key, sizeof row.key, "%s", image->key);
	snprintf(row.entry, sizeof row.entry, "%s", image->entry);
	snprintf(row.codegen, sizeof row.codegen, "%s", image->codegen);
	snprintf(row.arch, sizeof row.arch, "%s", image->arch);
	snprintf(row.toolchain, sizeof row.toolchain, "%s", image->toolchain);
	snprintf(row.problem, sizeof row.problem, "%s", srt_strbuf_text(&problem));
	snprintf(row.variant, sizeof row.variant, "%s", build->text);
	if (writes(session) && image->bytes)
		check(session, srt_db_put_image(session->db, session->run_row, &row));
	srt_strbuf_free(&problem);
}

/* ---- What is found wrong ---- */

struct doomed {
	const char *fingerprint;
	const char *klass;
	const char *variant;
	int64_t id;
};

static int find_doomed(void *user, const struct srt_db_choice *choice, const char *device)
{
	struct doomed *doomed = user;

	(void)device;
	if (strcmp(choice->klass, doomed->klass) == 0 && strcmp(choice->variant, doomed->variant) == 0 &&
		strcmp(choice->fingerprint, doomed->fingerprint) == 0 &&
		strcmp(choice->source_hash, srt_source_hash()) == 0)
		doomed->id = choice->id;
	return 0;
}

void tune_record_drop(struct tune_search *search, const struct tune_class *klass)
{
	struct tune_session *session = search->session;
	const struct tune_candidate *candidate = search->results[klass - search->classes].winner;
	struct doomed doomed = { .klass = klass->name, .variant = candidate->build.text };
	struct srt_strbuf fingerprint = {0};

	srt_device_fingerprint(&fingerprint, &session->device);
	doomed.fingerprint = srt_strbuf_text(&fingerprint);
	if (writes(session) && check(session, srt_db_each_choice(session->db, search->name, find_doomed, &doomed)) &&
		doomed.id && check(session, srt_db_drop_choice(session->db, doomed.id)))
		tune_report_line("%s: the choice of class %s is taken out of the database", search->name, klass->name);
	srt_strbuf_free(&fingerprint);
}
