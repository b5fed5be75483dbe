/* SPDX-License-Identifier: MIT
 *
 * The search for one problem, from candidates to choices.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "fixed_order.h"
#include "record.h"
#include "resume.h"
#include "search.h"
#include "stated.h"
#include "status.h"

#define COPY_SAMPLES 25
#define COPY_SECONDS 60.0
#define VERIFY_BYTES ((uint64_t)24 << 20) /* of input, at most, in one launch of a verification */
#define VERIFY_COUNT ((uint64_t)1 << 24)
#define DESCRIBED_COUNT ((uint64_t)1 << 22) /* of a problem whose reference takes its time */
#define WORKSPACE_SLACK ((uint64_t)1 << 20)

/* ---- Opening ---- */

static bool fail_open(const struct tune_search *search)
{
	tune_report_error("%s: %s", search->name, srt_error_last()->status ? srt_error_last()->text : "no memory");
	return false;
}

bool tune_search_open(struct tune_search *search, struct tune_session *session, const struct tune_target *target,
	size_t index)
{
	const struct tune_options *options = session->options;
	struct srt_strbuf name = {0};

	memset(search, 0, sizeof *search);
	search->session = session;
	search->index = index;
	search->is_described = target->type == 0;
	search->is_reproducible = target->is_reproducible;
	if (tune_problem_of(&search->problem, options, target, options->modes[0]) != SCANRT_OK)
		return fail_open(search);
	tune_problem_name(&name, &search->problem, search->is_reproducible);
	snprintf(search->name, sizeof search->name, "%s", srt_strbuf_text(&name));
	srt_strbuf_free(&name);
	search->class_count = tune_classes(search->classes, &session->device, tune_element_bytes(&search->problem),
		options->counts, options->count_count, session->pace);
	if (options->task != TUNE_TASK_TUNE)
		tune_candidates_fit_classes(search);
	search->extras = calloc(TUNE_EXTRA_MAX, sizeof *search->extras);
	if (search->extras == NULL || !tune_candidates_make(search) ||
		(search->candidate_count == 0 && options->task != TUNE_TASK_VERIFY))
		return fail_open(search);
	tune_record_problem(search);
	tune_record_resume(search, 0);
	if (!options->is_dry_run && !tune_search_is_complete(search))
		tune_candidates_compile(search, 0);
	return true;
}

bool tune_search_is_complete(const struct tune_search *search)
{
	for (size_t i = 0; i < search->class_count; i++)
		if (!search->is_chosen[i])
			return false;
	return true;
}

/* Jobs that nobody waits for any more are taken back; one at work is let finish, or ended with the pool. */
static void clear_job(struct tune_session *session, struct tune_job *job)
{
	if (job->state == TUNE_JOB_QUEUED)
		tune_pool_forget(session->pool, job);
	while (job->state == TUNE_JOB_AT_WORK && !tune_must_stop(session))
		if (!tune_wait_job(session, job))
			break;
	if (job->state == TUNE_JOB_AT_WORK)
		tune_pool_abandon(session->pool, job);
	tune_job_clear(job);
}

void tune_search_close(struct tune_search *search)
{
	for (size_t i = 0; search->candidates && i < search->candidate_count; i++)
		clear_job(search->session, &search->candidates[i].build.job);
	for (size_t i = 0; search->extras && i < search->extra_count; i++)
		clear_job(search->session, &search->extras[i].job);
	for (size_t i = 0; i < search->class_count; i++)
		tune_race_free(search, i);
	free(search->candidates);
	free(search->extras);
	memset(search, 0, sizeof *search);
}

/* ---- The worker's preparation ---- */

static uint64_t workspace_bytes(const struct tune_search *search, uint64_t max_count)
{
	struct srt_workspace_need need = { 0, 0 };

	for (size_t i = 0; i < search->candidate_count; i++)
		srt_workspace_need_add(&need, &search->candidates[i].build.variant, &search->problem, max_count);
	return srt_workspace_need_bytes(&need) + WORKSPACE_SLACK;
}

/* Of data that is verified on a slow device; that of a problem whose reference runs there is not made in vain. */
static uint64_t least_base(const struct tune_search *search)
{
	return search->is_described ? 4096 : 65536;
}

static bool prepare(struct tune_search *search)
{
	size_t element = tune_element_bytes(&search->problem);
	const struct tune_class *last = &search->classes[search->class_count - 1];
	struct tune_problem_request request = { .problem = search->problem, .seed = search->session->options->seed,
						.is_described = search->is_described };
	char note[TUNE_NOTE_SIZE] = "";
	uint64_t most;

	request.base_count = VERIFY_BYTES / element < VERIFY_COUNT ? VERIFY_BYTES / element : VERIFY_COUNT;
	if (search->is_described && request.base_count > DESCRIBED_COUNT)
		request.base_count = DESCRIBED_COUNT;
	if (!last->is_streaming)
		request.base_count = last->timing.count > least_base(search) ? last->timing.count : least_base(search);
	request.arena_bytes = tune_classes_bytes(search->classes, search->class_count, element);
	if (request.arena_bytes < request.base_count * element)
		request.arena_bytes = request.base_count * element;
	most = last->timing.count > request.base_count ? last->timing.count : request.base_count;
	request.workspace_bytes = workspace_bytes(search, most);
	if (tune_session_prepare(search->session, &request, note) == SCANRT_OK)
		return true;
	tune_report_error("%s: %s", search->name, note);
	return false;
}

static void measure_copies(struct tune_search *search)
{
	struct tune_session *session = search->session;
	uint64_t element = tune_copied_bytes(&search->problem);

	for (size_t i = 0; i < search->class_count && !tune_should_stop(session); i++) {
		struct tune_copy_request request = { .timing = search->classes[i].timing };
		struct tune_result *result = &search->results[i];
		struct tune_copy_reply reply;
		char note[TUNE_NOTE_SIZE];
		size_t size = session->has_copy ? session->copy_job.image.size : 0;

		/* The terminator of PTX travels with it. */
		size += size && strcmp(session->copy_job.image.codegen, "ptx") == 0;
		request.image = session->copy_job.image;
		request.image.bytes = NULL;
		if (search->classes[i].is_streaming)
			request.timing.samples = COPY_SAMPLES;
		if (tune_ask(session, TUNE_COPY, &request, sizeof request, session->copy_job.image.bytes, size,
			    COPY_SECONDS, &reply, sizeof reply, NULL, note) != TUNE_ANSWERED ||
			reply.us <= 0)
			continue;
		result->copy_us = reply.us;
		snprintf(result->copy_method, sizeof result->copy_method, "%s", reply.method);
		tune_record_roofline(session, search->classes[i].timing.count * element, reply.us, reply.method);
	}
}

static bool has_default(const struct tune_search *search)
{
	for (size_t i = 0; i < search->candidate_count; i++)
		if (search->candidates[i].verdict == TUNE_OK && search->candidates[i].build.is_verified)
			return true;
	return false;
}

bool tune_search_run(struct tune_search *search)
{
	struct tune_session *session = search->session;
	bool is_done;

	tune_report_problem(search->name, search->index, (int)search->candidate_count);
	if (!tune_session_look(session) || !prepare(search))
		return false;
	if (session->options->task == TUNE_TASK_VERIFY)
		return tune_search_audit(search);
	if (session->options->task == TUNE_TASK_DIFF)
		return tune_search_diff(search);
	tune_report_phase("copies");
	measure_copies(search);
	tune_report_phase("variants");
	tune_trials(search, 0);
	tune_explore(search);
	if (tune_must_stop(session) || !has_default(search))
		return false;
	/* Out of time: what was measured by now is made usable, and no more. */
	session->is_finishing = tune_should_stop(session);
	for (size_t i = 0; i < search->class_count && !tune_must_stop(session); i++)
		tune_race(search, i);
	is_done = !tune_must_stop(session) && tune_winners(search);
	is_done &= !session->is_finishing;
	session->is_finishing = false;
	tune_report_phases();
	return is_done;
}
