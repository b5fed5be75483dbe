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
#include "twin.h"

#define BATCH_MAX 16
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
	tune_record_resume(search);
	if (!options->is_dry_run && !tune_search_is_complete(search))
		tune_candidates_compile(search);
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

/* ---- Trials ---- */

static enum tune_verdict time_class(struct tune_search *search, struct tune_candidate *candidate, size_t klass)
{
	const struct tune_timing *timing = &search->classes[klass].timing;
	struct tune_summary summary;
	double us[TUNE_SAMPLES_MAX];
	int taken;

	if (!tune_candidate_serves(candidate, &search->classes[klass])) {
		candidate->is_out[klass] = true;
		return TUNE_OK;
	}
	taken = tune_race_sample(us, search, candidate, timing, timing->samples);
	for (int i = 0; i < taken; i++)
		tune_values_add(&candidate->values[klass], us[i]);
	if (taken < 0)
		return candidate->verdict;
	if (taken == 0)
		return TUNE_OK;
	summary = tune_summarise(&candidate->values[klass]);
	return tune_race_is_plausible(search, candidate, klass, summary.median) ? TUNE_OK : TUNE_IMPLAUSIBLE;
}

static void show_best(const struct tune_search *search)
{
	size_t klass = search->class_count - 1;
	const struct tune_candidate *best = NULL;
	double best_us = 0;
	char text[96];

	for (size_t i = 0; i < search->candidate_count; i++) {
		struct tune_summary summary = tune_summarise(&search->candidates[i].values[klass]);

		if (summary.count && !search->candidates[i].is_out[klass] &&
			(best == NULL || summary.median < best_us)) {
			best = &search->candidates[i];
			best_us = summary.median;
		}
	}
	if (best == NULL)
		return;
	snprintf(text, sizeof text, "%.0f GB/s %.60s", (double)search->classes[klass].timing.count * 1e-3 *
		(double)tune_moved_bytes(&search->problem) / best_us, best->build.text);
	tune_report_best(text);
}

static void tell(const struct tune_search *search, const struct tune_candidate *candidate)
{
	struct srt_strbuf text = {0};

	for (size_t i = 0; i < search->class_count; i++)
		if (candidate->values[i].count)
			srt_strbuf_printf(&text, " %s %.2f us", search->classes[i].name,
				tune_summarise(&candidate->values[i]).median);
	if (candidate->verdict == TUNE_PRUNED)
		srt_strbuf_printf(&text, " %s", candidate->note);
	tune_report_line("  %s: %s:%s", candidate->build.text, tune_verdict_name(candidate->verdict),
		srt_strbuf_text(&text));
	srt_strbuf_free(&text);
}

static bool is_pinned(const struct tune_candidate *candidate)
{
	for (size_t i = 0; i < TUNE_CLASS_MAX; i++)
		if (candidate->is_default[i] || candidate->is_fallback[i] || candidate->is_related[i])
			return true;
	return false;
}

/* The one of two that was tried first stands for both, unless the second has to be heard. */
static bool is_twin(struct tune_search *search, struct tune_candidate *candidate, char *note)
{
	const struct srt_image *image = &candidate->build.job.image;

	if (!tune_build_compile(search, &candidate->build) || candidate->build.job.status)
		return false;
	candidate->code = tune_code_hash(image->bytes, image->size);
	for (size_t i = 0; candidate->code && !is_pinned(candidate) && i < search->candidate_count; i++) {
		const struct tune_candidate *other = &search->candidates[i];

		if (other == candidate || other->code != candidate->code ||
			!tune_is_launched_alike(&other->build.variant, &candidate->build.variant))
			continue;
		snprintf(note, TUNE_NOTE_SIZE, "the same machine code as %s", other->build.text);
		return true;
	}
	return false;
}

/* Verified before it is timed, always. */
static void try_candidate(struct tune_search *search, struct tune_candidate *candidate)
{
	char note[TUNE_NOTE_SIZE] = "";
	enum tune_verdict verdict = is_twin(search, candidate, note) ? TUNE_PRUNED :
		tune_build_verify(search, &candidate->build, note);

	if (verdict == TUNE_OK) {
		candidate->verdict = TUNE_OK;
		for (size_t i = 0; verdict == TUNE_OK && i < search->class_count; i++)
			verdict = time_class(search, candidate, i);
		if (verdict == TUNE_RUNNING)
			candidate->verdict = TUNE_RUNNING;
	} else {
		tune_candidate_fail(search, candidate, verdict, note);
	}
	if (search->session->options->is_verbose)
		tell(search, candidate);
	show_best(search);
}

/* What is tried next: the default first, then one after another; a suspect alone. */
static size_t next_batch(struct tune_search *search, struct tune_candidate *batch[BATCH_MAX], size_t *next)
{
	size_t used = 0;

	for (; *next < search->candidate_count && used < BATCH_MAX; ++*next) {
		struct tune_candidate *candidate = &search->candidates[*next];

		if (candidate->is_known)
			continue;
		if (candidate->is_suspect && used > 0)
			break;
		batch[used++] = candidate;
		if (candidate->is_suspect) {
			++*next;
			break;
		}
	}
	return used;
}

static void announce(struct tune_search *search, struct tune_candidate *const *batch, size_t length)
{
	char note[TUNE_NOTE_SIZE];

	tune_record_group(search->session);
	for (size_t i = 0; i < length; i++) {
		note[0] = '\0';
		if (batch[i]->is_suspect)
			tune_resume_alone_note(note, batch[i]->attempts + 1);
		tune_record_trial(search, batch[i], NULL, TUNE_RUNNING, NULL, note[0] ? note : NULL);
	}
	tune_record_commit(search->session);
}

/* A variant that was not reached keeps its row of `running`, for the next run to try. */
static void conclude(struct tune_search *search, struct tune_candidate *const *batch, size_t length)
{
	tune_record_group(search->session);
	for (size_t i = 0; i < length; i++) {
		const struct tune_candidate *candidate = batch[i];

		if (candidate->verdict == TUNE_RUNNING)
			continue;
		tune_record_trial(search, candidate, NULL, candidate->verdict, NULL,
			candidate->note[0] ? candidate->note : NULL);
		for (size_t k = 0; k < search->class_count; k++) {
			struct tune_summary summary = tune_summarise(&candidate->values[k]);

			if (summary.count)
				tune_record_trial(
					search, candidate, &search->classes[k], candidate->verdict, &summary, NULL);
		}
	}
	tune_record_commit(search->session);
}

static void try_all(struct tune_search *search)
{
	struct tune_candidate *batch[BATCH_MAX];
	size_t next = 0, length;

	while (!tune_should_stop(search->session) && (length = next_batch(search, batch, &next)) > 0) {
		announce(search, batch, length);
		for (size_t i = 0; i < length && !tune_should_stop(search->session); i++) {
			try_candidate(search, batch[i]);
			tune_report_done((int)(batch[i] - search->candidates) + 1);
		}
		conclude(search, batch, length);
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
	try_all(search);
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
