/* SPDX-License-Identifier: MIT
 *
 * scantune verify, recheck, import and diff: the search again, but over what is known already.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kept.h"
#include "problem_file.h"
#include "record.h"
#include "search.h"
#include "stated.h"
#include "status.h"
#include "tune.h"

struct again {
	struct tune_options options; /* with the problems that there are choices for */
	struct tune_options asked;
	struct srt_strbuf fingerprint;
	struct srt_strbuf family;
	size_t left_out; /* choices of problems whose text only their files have */
};

static bool is_asked_for(const struct tune_options *asked, const struct tune_target *target)
{
	if (asked->described)
		return target->type == 0;
	for (size_t i = 0; i < asked->target_count; i++)
		if (asked->targets[i].type == target->type && asked->targets[i].op == target->op)
			return true;
	return asked->target_count == 0;
}

/* The one that a file describes is known by the whole name, mark and all. */
static bool is_described(const struct tune_options *asked, const char *name)
{
	struct srt_strbuf own = {0};
	bool is_own;

	if (asked->described == NULL)
		return false;
	srt_problem_format(&own, &asked->described->problem, false);
	is_own = strcmp(srt_strbuf_text(&own), name) == 0;
	srt_strbuf_free(&own);
	return is_own;
}

/* Of another board of the family only what is imported: its own choices are that device's business. */
static bool is_of_device(const struct again *again, const struct srt_db_choice *choice)
{
	if (strcmp(choice->source_hash, srt_source_hash()) != 0)
		return false;
	if (strcmp(choice->fingerprint, srt_strbuf_text(&again->fingerprint)) == 0)
		return true;
	return again->options.task == TUNE_TASK_IMPORT && !choice->is_modelled &&
	       strncmp(choice->fingerprint, srt_strbuf_text(&again->family), again->family.length) == 0 &&
	       choice->fingerprint[again->family.length] == ' ';
}

static void add_target(void *user, const struct tune_target *target)
{
	struct again *again = user;

	if (!is_asked_for(&again->asked, target) || again->options.target_count == TUNE_TARGET_MAX)
		return;
	for (size_t i = 0; i < again->options.target_count; i++)
		if (again->options.targets[i].type == target->type && again->options.targets[i].op == target->op &&
			again->options.targets[i].is_reproducible == target->is_reproducible)
			return;
	again->options.targets[again->options.target_count++] = *target;
}

static int take_choice(void *user, const struct srt_db_choice *choice, const char *device)
{
	struct again *again = user;
	struct tune_target target = { 0 };

	(void)device;
	if (!is_of_device(again, choice))
		return 0;
	if (is_described(&again->asked, choice->problem) || tune_target_of(&target, choice->problem))
		add_target(again, &target);
	else
		again->left_out++;
	return 0;
}

static bool find_targets(struct again *again, const struct tune_session *session)
{
	struct srt_db *db = session->import ? tune_look_into(session->import) : session->db;
	bool is_read;

	srt_device_fingerprint(&again->fingerprint, &session->device);
	srt_device_family(&again->family, &session->device);
	again->options.target_count = 0;
	is_read = db && srt_db_each_choice(db, NULL, take_choice, again) == SCANRT_OK;
	if (!is_read)
		tune_report_error("%s", srt_error_last()->text);
	if (session->import)
		srt_db_close(db);
	if (is_read && again->options.task == TUNE_TASK_VERIFY && !again->asked.described)
		tune_kept_targets(session, add_target, again);
	return is_read;
}

/* What cannot be used is better known before anything is compiled. */
static bool check_file(const char *path, bool is_to_be_trusted)
{
	struct srt_db *db = tune_look_into(path);
	struct srt_strbuf reason = {0};
	bool is_good = db != NULL;

	if (!is_good)
		tune_report_error("%s", srt_error_last()->text);
	else if (is_to_be_trusted && !srt_db_is_trusted(db, &reason)) {
		tune_report_error("machine code is not taken from that file: %s", srt_strbuf_text(&reason));
		is_good = false;
	}
	srt_strbuf_free(&reason);
	srt_db_close(db);
	return is_good;
}

static bool open_files(struct tune_session *session)
{
	const struct tune_options *options = session->options;

	session->import = options->file;
	session->against = options->against;
	return (!options->file || check_file(options->file, options->with_images)) &&
		(!options->against || check_file(options->against, false));
}

/* To look is all that verify needs: a file that is the system's, the vendor's or somebody else's is verified without
 * being written to.  True where it is so; *path is the session's from then on. */
static bool looks_only(struct srt_strbuf *path, struct tune_session *session)
{
	const struct tune_options *options = session->options;
	const char *text;

	if (options->task != TUNE_TASK_VERIFY || !tune_database_path(path, options, false))
		return false;
	text = srt_strbuf_text(path);
	if (access(text, F_OK) != 0 || (!options->is_system && access(text, W_OK) == 0))
		return false;
	session->import = text;
	tune_report_line("%s is only looked at", text);
	return true;
}

static bool open_database(struct srt_strbuf *path, struct tune_session *session)
{
	if (session->options->task == TUNE_TASK_DIFF)
		return true;
	if (looks_only(path, session))
		return check_file(session->import, false);
	return tune_record_open(session);
}

static int run(struct again *again, struct tune_session *session, struct srt_strbuf *path)
{
	if (!open_files(session) || !open_database(path, session) || !find_targets(again, session))
		return TUNE_EXIT_DATABASE;
	if (again->left_out && !again->asked.described && again->asked.target_count == 0)
		tune_report_line("%zu choices are of problems that only --problem can state: left as they are",
			again->left_out);
	if (again->options.target_count == 0) {
		tune_report_line("there is no choice for this device and these kernels in %s",
			session->import ? session->import : srt_db_path(session->db));
		return TUNE_EXIT_COMPLETE;
	}
	tune_report_open(&again->options, again->options.target_count);
	return tune_run(session);
}

int tune_command_again(const struct tune_options *options)
{
	struct tune_session *session = calloc(1, sizeof *session);
	struct again again = { .options = *options, .asked = *options };
	struct srt_strbuf path = {0};
	int status = TUNE_EXIT_DEVICE;

	if (session == NULL)
		return TUNE_EXIT_LOST;
	/* What is known is looked at as it stands, whatever an interrupted run was about. */
	again.options.is_restart = true;
	tune_catch_signals();
	tune_report_open(&again.options, 0);
	if (tune_session_open(session, &again.options))
		status = run(&again, session, &path);
	else
		tune_report_error("%s", session->device_note);
	tune_session_close(session);
	srt_db_close(session->db);
	srt_strbuf_free(&again.fingerprint);
	srt_strbuf_free(&again.family);
	srt_strbuf_free(&path);
	free(session);
	return status;
}
