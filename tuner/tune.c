/* SPDX-License-Identifier: MIT
 *
 * scantune --device N: all problems, one after another, with the next one's kernels compiling meanwhile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "dry_run.h"
#include "heuristic.h"
#include "json.h"
#include "problem_file.h"
#include "record.h"
#include "search.h"
#include "stated.h"
#include "status.h"
#include "tune.h"

#define PROBE_COUNT 4096
#define PROBE_BYTES ((uint64_t)1 << 20)

/* ---- The first kernel ---- */

/* The default of the first problem is compiled, loaded and timed before anything is planned: this tells the compiler's
 * name, whether the device takes machine code or wants PTX, and how slow it is, if it is an emulated one. */
struct probe {
	struct tune_search search;
	struct tune_candidate candidate;
};

/* What a large element, or a tile state of one, takes beyond what all others do with. */
static void fit_probe(struct tune_problem_request *request, const struct tune_build *build)
{
	uint64_t element = tune_element_bytes(&build->problem);
	uint64_t workspace = srt_variant_workspace(&build->variant, &build->problem, PROBE_COUNT);

	if (request->arena_bytes < PROBE_COUNT * element)
		request->arena_bytes = PROBE_COUNT * element;
	if (request->workspace_bytes < workspace)
		request->workspace_bytes = workspace;
}

static bool prepare_probe(struct tune_session *session, struct probe *probe)
{
	struct tune_problem_request request = { .base_count = PROBE_COUNT, .arena_bytes = PROBE_BYTES,
						.workspace_bytes = PROBE_BYTES };
	const struct tune_target *target = &session->options->targets[0];
	struct tune_build *build = &probe->candidate.build;
	char note[TUNE_NOTE_SIZE];

	probe->search.session = session;
	probe->search.class_count = 1;
	probe->search.classes[0].timing = (struct tune_timing){ .count = PROBE_COUNT, .scans = 1, .pairs = 1 };
	build->is_described = target->type == 0;
	if (tune_problem_of(&build->problem, session->options, target, session->options->modes[0]) != SCANRT_OK ||
	    (!tune_candidates_known(&build->variant, session, &build->problem, PROBE_COUNT) &&
		srt_heuristic_at(&build->variant, &build->problem, &session->device, PROBE_COUNT) != SCANRT_OK)) {
		tune_report_error("%s", srt_error_last()->text);
		return false;
	}
	build->generation = -1;
	build->is_default = true;
	request.problem = build->problem;
	request.is_described = build->is_described;
	fit_probe(&request, build);
	if (tune_session_prepare(session, &request, note) == SCANRT_OK)
		return true;
	tune_report_error("%s", note);
	return false;
}

/* The first sample makes the graph, and the first launch may load half of the driver: the second counts. */
static bool time_probe(struct tune_session *session, struct probe *probe)
{
	enum tune_verdict verdict = TUNE_OK;
	struct tune_slot_reply reply;

	for (int i = 0; i < 2 && verdict == TUNE_OK; i++) {
		probe->search.time_seconds = 0;
		verdict = tune_candidate_time(&reply, &probe->search, &probe->candidate,
			&probe->search.classes[0].timing, 1);
	}
	if (verdict == TUNE_OK && probe->search.time_seconds > 0)
		session->pace = tune_pace(session, PROBE_COUNT / probe->search.time_seconds);
	return verdict == TUNE_OK;
}

/* A cluster that does not fit, which only the compiled kernel tells, is what the library would go without, too. */
static bool try_probe(struct tune_session *session, struct probe *probe)
{
	struct tune_build *build = &probe->candidate.build;
	struct srt_device device = session->device;

	if (time_probe(session, probe))
		return true;
	device.has_clusters = false;
	if (probe->candidate.verdict != TUNE_PRUNED || !session->device.has_clusters ||
		srt_heuristic_at(&build->variant, &build->problem, &device, PROBE_COUNT) != SCANRT_OK)
		return false;
	tune_job_clear(&build->job);
	build->generation = -1;
	return time_probe(session, probe);
}

/* The copy kernel is a help, not a need: without it the driver's copy is the ceiling. */
static void compile_copy(struct tune_session *session)
{
	session->copy_job.request.is_copy = true;
	session->copy_job.request.is_ptx = session->is_ptx;
	session->copy_job.request.capability = session->device.capability;
	tune_pool_submit(session->pool, &session->copy_job);
	session->has_copy = tune_wait_job(session, &session->copy_job) && session->copy_job.status == SCANRT_OK;
	if (!session->has_copy && !tune_should_stop(session))
		tune_report_line("the copy kernel does not compile: %s", session->copy_job.note);
}

static bool run_probe(struct tune_session *session, char toolchain[64])
{
	struct probe *probe = calloc(1, sizeof *probe);
	bool is_ready = session->options->described == NULL ||
			tune_compile_tool(session, &session->reference_job, "reference.cu");
	bool is_done = probe && is_ready && prepare_probe(session, probe) &&
		       try_probe(session, probe);

	if (probe && !is_done && probe->candidate.note[0])
		tune_report_error("the first kernel: %s", probe->candidate.note);
	if (probe) {
		memcpy(toolchain, probe->candidate.build.job.toolchain, 64);
		if (probe->candidate.build.job.state == TUNE_JOB_AT_WORK)
			tune_pool_abandon(session->pool, &probe->candidate.build.job);
		tune_pool_forget(session->pool, &probe->candidate.build.job);
		tune_job_clear(&probe->candidate.build.job);
	}
	free(probe);
	if (is_done)
		compile_copy(session);
	return is_done;
}

/* ---- All problems ---- */

static void keep_choices(struct tune_search *search)
{
	tune_report_line("[%zu/%zu] %s: complete since the interrupted run", search->index + 1,
		search->session->options->target_count, search->name);
}

/* Two searches are open at a time: the one that has the GPU, and the one that has the compilers. */
static bool run_problems(struct tune_session *session)
{
	const struct tune_options *options = session->options;
	struct tune_search *searches = calloc(2, sizeof *searches);
	bool is_open[2] = { false, false };
	bool is_complete = searches != NULL;

	for (size_t i = 0; searches && i < options->target_count && !tune_should_stop(session); i++) {
		struct tune_search *search = &searches[i % 2];

		for (size_t ahead = i; ahead <= i + 1 && ahead < options->target_count; ahead++)
			if (!is_open[ahead % 2])
				is_open[ahead % 2] = tune_search_open(&searches[ahead % 2], session,
					&options->targets[ahead], ahead);
		if (is_open[i % 2] && tune_search_is_complete(search))
			keep_choices(search);
		else
			is_complete &= is_open[i % 2] && tune_search_run(search);
		if (is_open[i % 2])
			tune_search_close(search);
		is_open[i % 2] = false;
	}
	for (int i = 0; i < 2; i++)
		if (is_open[i])
			tune_search_close(&searches[i]);
	free(searches);
	return is_complete && !tune_should_stop(session);
}

/* ---- The command ---- */

static int exit_status(const struct tune_session *session, bool is_complete)
{
	if (session->is_unrecorded)
		return TUNE_EXIT_DATABASE;
	if (session->is_given_up)
		return TUNE_EXIT_LOST;
	return is_complete ? TUNE_EXIT_COMPLETE : TUNE_EXIT_BUDGET;
}

static const char *run_status(const struct tune_session *session, bool is_complete)
{
	/* One that only looks is at its end whatever it has found. */
	const bool is_looking = session->options->task == TUNE_TASK_VERIFY || session->options->task == TUNE_TASK_DIFF;

	if (is_complete || (is_looking && !tune_should_stop(session)))
		return "complete";
	if (session->is_given_up || session->is_unrecorded)
		return "failed";
	return session->ends > 0 && tune_now() >= session->ends && !tune_is_interrupted() ? "budget" : "interrupted";
}

/* Only the device's facts tell which class a count belongs to. */
static bool check_counts(const struct tune_session *session)
{
	const struct tune_options *options = session->options;
	struct tune_class classes[TUNE_CLASS_MAX];

	for (size_t i = 0; i < options->target_count && options->count_count; i++) {
		struct srt_problem problem;
		size_t element;

		if (tune_problem_of(&problem, options, &options->targets[i], options->modes[0]) != SCANRT_OK)
			continue;
		element = tune_element_bytes(&problem);
		if (tune_classes(classes, &session->device, element, options->counts, options->count_count, 0) ==
		    options->count_count)
			continue;
		tune_report_error("two of the counts belong to one size class of %s: tune for them in two runs",
			srt_problem_type_name(&problem, SRT_INPUT));
		return false;
	}
	return true;
}

static const char *verb_of(enum tune_task task)
{
	return task == TUNE_TASK_TUNE ? "tuning" : task == TUNE_TASK_VERIFY ? "verifying what was chosen for"
		: task == TUNE_TASK_RECHECK ? "rechecking" : task == TUNE_TASK_DIFF ? "comparing on" : "importing for";
}

/* Time that is up, or Ctrl-C, says nothing of the device. */
static int end_without_probe(const struct tune_session *session)
{
	if (session->is_given_up)
		tune_report_error("%s", session->device_note);
	if (tune_is_interrupted())
		return TUNE_EXIT_BUDGET;
	if (session->is_given_up)
		return TUNE_EXIT_LOST;
	if (!tune_should_stop(session))
		return TUNE_EXIT_DEVICE;
	tune_report_error("time is up, before the first kernel was tried");
	return TUNE_EXIT_BUDGET;
}

int tune_run(struct tune_session *session)
{
	char toolchain[64] = "";
	bool is_complete;

	if (session->options->described && !tune_check_operator(session))
		return tune_is_interrupted() || !session->is_given_up ? TUNE_EXIT_BUDGET : TUNE_EXIT_LOST;
	if (session->options->checks_operator)
		return TUNE_EXIT_COMPLETE;
	if (!run_probe(session, toolchain))
		return end_without_probe(session);
	if (!tune_session_look(session))
		return TUNE_EXIT_DEVICE;
	if (session->options->task != TUNE_TASK_VERIFY && !tune_record_begin(session, toolchain))
		return TUNE_EXIT_DATABASE;
	tune_report_line("%s %s%s with %s", verb_of(session->options->task), session->device.name,
		session->device.is_emulated ? " (modelled)" : "",
		toolchain);
	is_complete = run_problems(session);
	tune_record_finish(session, run_status(session, is_complete));
	if (!tune_must_stop(session))
		tune_record_publish(session);
	if (session->options->task == TUNE_TASK_DIFF)
		tune_diff_close(session->options->is_json);
	tune_report_close(run_status(session, is_complete));
	if (session->is_given_up)
		tune_report_error("the device is lost: %s", session->device_note);
	else if (!is_complete && !session->is_unrecorded && session->options->task == TUNE_TASK_TUNE)
		tune_report_line("the same command goes on from here");
	return exit_status(session, is_complete);
}

int tune_command_tune(const struct tune_options *options)
{
	struct tune_session *session = calloc(1, sizeof *session);
	int status = TUNE_EXIT_DEVICE;

	if (session == NULL)
		return TUNE_EXIT_LOST;
	tune_catch_signals();
	tune_report_open(options, options->target_count);
	if (!tune_session_open(session, options)) {
		tune_report_error("%s", session->device_note);
		if (tune_is_interrupted())
			status = TUNE_EXIT_BUDGET;
	} else if (!check_counts(session))
		status = TUNE_EXIT_USAGE;
	else if (options->is_dry_run)
		status = tune_dry_run(session);
	else if (options->checks_operator)
		status = tune_run(session);
	else if (!tune_record_open(session))
		status = TUNE_EXIT_DATABASE;
	else
		status = tune_run(session);
	tune_session_close(session);
	srt_db_close(session->db);
	free(session);
	return status;
}
