/* SPDX-License-Identifier: MIT
 *
 * One thing asked of a worker for one build, and what is to be made of the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem_file.h"
#include "record.h"
#include "search.h"

#define LOAD_SECONDS 60.0
#define FIRST_SECONDS 60.0       /* for the defaults, which everything else is measured by */
#define LEAST_SECONDS 2.0
#define WATCHDOG_FACTOR 50.0     /* times what the default took */
#define LARGE_SECONDS 60.0      /* with the making of the reference on the host */
#define NO_BINARY_FOR_GPU 209    /* CUDA_ERROR_NO_BINARY_FOR_GPU: cuda.h stays behind the driver */

static double patience(double default_seconds, bool is_default)
{
	const char *wanted = getenv("SCANTUNE_PATIENCE");
	double least = wanted != NULL && atof(wanted) > 0 ? atof(wanted) : LEAST_SECONDS;
	double seconds = WATCHDOG_FACTOR * default_seconds;

	if (default_seconds <= 0 || is_default)
		return FIRST_SECONDS;
	return seconds < least ? least : seconds;
}

/* What an exchange that failed, or a reply that reports a failure, says of the variant. */
static enum tune_verdict judge(
	struct tune_session *session, enum tune_answer answer, const struct tune_slot_reply *reply, char *note)
{
	switch (answer) {
	case TUNE_TIMED_OUT: return TUNE_TIMEOUT;
	case TUNE_DIED: return TUNE_CRASH;
	case TUNE_GIVEN_UP: return TUNE_RUNNING;
	case TUNE_ANSWERED: break;
	}
	if (reply->note[0])
		memcpy(note, reply->note, TUNE_NOTE_SIZE);
	if (reply->is_lost)
		tune_session_replace_worker(session);
	return (enum tune_verdict)reply->verdict;
}

/* A worker that somebody has killed says nothing of the variant that it was at: that is asked once more. */
static bool is_worth_another(const struct tune_session *session, enum tune_answer answer, int *tries)
{
	return answer == TUNE_DIED && session->gpu.was_killed && (*tries)++ == 0;
}

/* ---- Compile and load ---- */

void tune_build_request(const struct tune_session *session, struct tune_build *build)
{
	const struct tune_described *described = session->options->described;
	struct tune_compile_request *request = &build->job.request;

	request->problem = build->problem;
	request->variant = build->variant;
	request->capability = session->device.capability;
	request->is_ptx = session->is_ptx;
	request->is_described = build->is_described;
	build->job.text = build->is_described ? described->text : NULL;
	build->job.text_bytes = build->is_described ? described->length : 0;
}

bool tune_build_compile(struct tune_search *search, struct tune_build *build)
{
	struct tune_session *session = search->session;
	double began = tune_now();
	bool is_done;

	if (build->job.state == TUNE_JOB_NEW && !tune_record_find_image(session, build)) {
		tune_build_request(session, build);
		tune_pool_submit_first(session->pool, &build->job);
	}
	is_done = tune_wait_job(session, &build->job);
	tune_report_waited(tune_now() - began);
	return is_done;
}

/* The worker has linked PTX: from now on the machine code is what counts. */
static bool take_linked(struct tune_build *build, const struct tune_slot_reply *reply, const struct tune_frame *frame)
{
	size_t size = frame->size - sizeof *reply;
	void *bytes;

	if (size == 0)
		return true;
	bytes = malloc(size);
	if (bytes == NULL)
		return false;
	memcpy(bytes, frame->bytes + sizeof *reply, size);
	free(build->job.image.bytes);
	build->job.image = reply->image;
	build->job.image.bytes = bytes;
	build->job.image.size = size;
	return true;
}

static enum tune_verdict load(struct tune_session *session, struct tune_build *build, struct tune_slot_reply *reply,
	char *note)
{
	struct tune_load_request request = { .slot = build->slot, .problem = build->problem, .variant = build->variant,
					     .image = build->job.image };
	bool is_unlinked = strcmp(request.image.codegen, "ptx") == 0 && request.image.key[0] == '\0';
	struct tune_frame frame = {0};
	enum tune_answer answer;
	enum tune_verdict verdict;
	int tries = 0;

	request.image.bytes = NULL;
	do {
		answer = tune_ask(session, TUNE_LOAD, &request, sizeof request, build->job.image.bytes,
			build->job.image.size + is_unlinked, LOAD_SECONDS, reply, sizeof *reply, &frame, note);
	} while (is_worth_another(session, answer, &tries));
	verdict = judge(session, answer, reply, note);
	if (verdict == TUNE_OK && !take_linked(build, reply, &frame)) {
		snprintf(note, TUNE_NOTE_SIZE, "no memory for an image");
		verdict = TUNE_LAUNCH_FAILED;
	}
	tune_frame_free(&frame);
	if (verdict != TUNE_OK)
		return verdict;
	build->generation = session->generation;
	build->registers = reply->registers;
	build->local_bytes = reply->local_bytes;
	build->shared_bytes = reply->shared_bytes;
	return TUNE_OK;
}

/* Once one image is refused for what it is, all that are not compiled yet go through PTX. */
static bool wants_ptx(struct tune_session *session, struct tune_build *build, const struct tune_slot_reply *reply)
{
	if (reply->cuda_result != NO_BINARY_FOR_GPU || build->job.request.is_ptx ||
	    session->options->codegen == SRT_CODEGEN_SASS)
		return false;
	session->is_ptx = true;
	tune_job_clear(&build->job);
	return true;
}

static enum tune_verdict compile_and_load(struct tune_search *search, struct tune_build *build,
	struct tune_slot_reply *reply, char *note)
{
	memset(reply, 0, sizeof *reply);
	if (!tune_build_compile(search, build))
		return TUNE_RUNNING;
	if (build->job.status) {
		memcpy(note, build->job.note, TUNE_NOTE_SIZE);
		return TUNE_COMPILE_FAILED;
	}
	return load(search->session, build, reply, note);
}

enum tune_verdict tune_build_get(struct tune_search *search, struct tune_build *build, char *note)
{
	struct tune_slot_reply reply;
	enum tune_verdict verdict;

	if (build->generation == search->session->generation && search->session->gpu.pid)
		return TUNE_OK;
	verdict = compile_and_load(search, build, &reply, note);
	if (verdict == TUNE_LAUNCH_FAILED && wants_ptx(search->session, build, &reply))
		verdict = compile_and_load(search, build, &reply, note);
	/* What only checks the order of operands is not shipped, and may spill. */
	if (verdict == TUNE_OK && build->local_bytes > 0 && build->problem.op < SRT_OP_LAST) {
		snprintf(note, TUNE_NOTE_SIZE, "spills: %d bytes of local memory a thread", build->local_bytes);
		return TUNE_PRUNED;
	}
	return verdict;
}

/* ---- Verify ---- */

static enum tune_verdict verify(struct tune_search *search, struct tune_build *build, uint32_t kind, uint64_t count,
	double seconds, char *note)
{
	struct tune_verify_request request = { .slot = build->slot, .max_count = count };
	struct tune_slot_reply reply;
	enum tune_verdict verdict;
	enum tune_answer answer;
	int tries = 0;

	do {
		verdict = tune_build_get(search, build, note);
		if (verdict != TUNE_OK)
			return verdict;
		answer = tune_ask(search->session, kind, &request, sizeof request, NULL, 0, seconds, &reply,
			sizeof reply, NULL, note);
	} while (is_worth_another(search->session, answer, &tries));
	verdict = judge(search->session, answer, &reply, note);
	if (verdict == TUNE_OK && build->is_default && reply.seconds > search->verify_seconds)
		search->verify_seconds = reply.seconds;
	return verdict;
}

/* On a slow device the largest launch of a verification is what a class of it has, not what fills all its SMs. */
static uint64_t verify_count(const struct tune_search *search)
{
	const struct tune_class *last = &search->classes[search->class_count - 1];

	return last->is_streaming || search->session->pace == 0 ? search->session->problem.base_count :
		last->timing.count;
}

enum tune_verdict tune_build_verify(struct tune_search *search, struct tune_build *build, char *note)
{
	enum tune_verdict verdict = verify(search, build, TUNE_VERIFY, verify_count(search),
		patience(search->verify_seconds, build->is_default), note);

	build->is_verified = verdict == TUNE_OK;
	return verdict;
}

enum tune_verdict tune_build_verify_large(struct tune_search *search, struct tune_build *build, uint64_t count,
	char *note)
{
	return verify(search, build, TUNE_VERIFY_LARGE, count, LARGE_SECONDS, note);
}

/* ---- Time ---- */

/* What does not fit is no default: the library goes on to the next. */
static void pass_on_default(struct tune_search *search, struct tune_candidate *from)
{
	for (size_t k = 0; k < search->class_count; k++) {
		for (size_t i = 0; from->is_default[k] && i < search->candidate_count; i++)
			search->candidates[i].is_default[k] |= search->candidates[i].is_fallback[k];
		from->is_default[k] = false;
	}
}

void tune_candidate_fail(struct tune_search *search, struct tune_candidate *candidate, enum tune_verdict verdict,
	const char *note)
{
	candidate->verdict = verdict;
	if (verdict == TUNE_PRUNED && search->is_described)
		pass_on_default(search, candidate);
	snprintf(candidate->note, sizeof candidate->note, "%s", note);
	for (int i = 0; i < TUNE_CLASS_MAX; i++)
		candidate->is_out[i] = true;
	/* The probe of the device belongs to no problem, and is reported as an error. */
	if (search->name[0] && verdict != TUNE_PRUNED && verdict != TUNE_RUNNING)
		tune_report_failure(search->name, candidate->build.text, tune_verdict_name(verdict), note);
}

enum tune_verdict tune_candidate_time(struct tune_slot_reply *reply, struct tune_search *search,
	struct tune_candidate *candidate, const struct tune_timing *timing, int samples)
{
	struct tune_time_request request = { .slot = candidate->build.slot, .timing = *timing };
	char note[TUNE_NOTE_SIZE] = "";
	enum tune_answer answer = TUNE_GIVEN_UP;
	enum tune_verdict verdict;
	int tries = 0;

	request.timing.samples = samples < TUNE_SAMPLES_MAX ? samples : TUNE_SAMPLES_MAX;
	do {
		verdict = tune_build_get(search, &candidate->build, note);
		if (verdict == TUNE_OK)
			answer = tune_ask(search->session, TUNE_TIME, &request, sizeof request, NULL, 0,
				patience(search->time_seconds, candidate->build.is_default), reply, sizeof *reply, NULL,
				note);
	} while (verdict == TUNE_OK && is_worth_another(search->session, answer, &tries));
	if (verdict == TUNE_OK)
		verdict = judge(search->session, answer, reply, note);
	if (verdict != TUNE_OK) {
		if (verdict != TUNE_RUNNING)
			tune_candidate_fail(search, candidate, verdict, note);
		return verdict;
	}
	/* The slowest of the default's classes is what the watchdog goes by. */
	if (candidate->build.is_default && reply->seconds > search->time_seconds)
		search->time_seconds = reply->seconds;
	return TUNE_OK;
}

void tune_build_drop(struct tune_search *search, struct tune_build *build)
{
	struct tune_drop_request request = { .slot = build->slot };
	struct tune_slot_reply reply;
	char note[TUNE_NOTE_SIZE];

	if (build->generation == search->session->generation && search->session->gpu.pid)
		tune_ask(search->session, TUNE_DROP, &request, sizeof request, NULL, 0, LOAD_SECONDS, &reply,
			sizeof reply, NULL, note);
	build->generation = -1;
}
