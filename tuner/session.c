/* SPDX-License-Identifier: MIT
 *
 * The parent's side of the workers: it waits for all of them at once, so that compilers are fed while the GPU works.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem_file.h"
#include "report.h"
#include "session.h"

#define HELLO_SECONDS 120.0   /* a first context after boot can take long; so can an emulator's start */
#define PREPARE_SECONDS 300.0
#define DESCRIBED_SECONDS 120.0 /* the reference of a few million elements takes some */
#define LOSSES_MAX 3
#define TICK_MS 200           /* how often the status line moves while nothing else happens */
#define DESCRIPTORS_MAX 80

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

void tune_catch_signals(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof action);
	action.sa_handler = on_signal;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	/* A file that may not grow is an error of the database, as a full disk is. */
	sigaction(SIGXFSZ, &action, NULL);
}

bool tune_is_interrupted(void)
{
	return interrupted != 0;
}

bool tune_must_stop(const struct tune_session *session)
{
	return interrupted || session->is_given_up || session->is_unrecorded || session->is_disturbed;
}

bool tune_should_stop(const struct tune_session *session)
{
	return tune_must_stop(session) || (!session->is_finishing && session->ends > 0 && tune_now() >= session->ends);
}

/* Sleeps until something arrives from any worker, or a tick has passed; then feeds the compilers. */
static void wait_for_any(struct tune_session *session, bool with_gpu, double until)
{
	struct pollfd descriptors[DESCRIPTORS_MAX];
	size_t used = tune_pool_descriptors(session->pool, descriptors, DESCRIPTORS_MAX - 1);
	double left = until > 0 ? (until - tune_now()) * 1e3 : TICK_MS;
	int timeout = left < 0 ? 0 : left < TICK_MS ? (int)left + 1 : TICK_MS;

	if (with_gpu)
		descriptors[used++] = (struct pollfd){ .fd = session->gpu.from, .events = POLLIN };
	poll(descriptors, used, timeout);
	tune_pool_pump(session->pool);
	tune_report_tick();
}

bool tune_wait_job(struct tune_session *session, const struct tune_job *job)
{
	while (job->state != TUNE_JOB_DONE) {
		if (job->state == TUNE_JOB_NEW || tune_should_stop(session))
			return false;
		wait_for_any(session, false, 0);
	}
	return true;
}

/* ---- The GPU's worker ---- */

static void lose_worker(struct tune_session *session, char *note, const char *what)
{
	char how[96];

	if (!tune_child_stop(&session->gpu, how, sizeof how)) {
		/* It sits in the driver and cannot even be killed: nothing more can be asked of this device. */
		session->is_given_up = true;
		snprintf(session->device_note, sizeof session->device_note, "a worker of the device cannot be ended");
	}
	if (note)
		snprintf(note, TUNE_NOTE_SIZE, "%s: %s", what, how);
	session->gpu.pid = 0;
	session->generation++;
	if (++session->losses >= LOSSES_MAX && !session->is_given_up) {
		session->is_given_up = true;
		snprintf(session->device_note, sizeof session->device_note,
			"%d workers in a row were lost, the last: %.150s", session->losses, how);
	}
}

void tune_session_replace_worker(struct tune_session *session)
{
	int losses = session->losses;

	/* It did answer: that is no loss of the device. */
	lose_worker(session, NULL, "");
	session->losses = losses;
}

/* The reply is waited for while compilers are fed. */
static enum tune_answer receive(struct tune_session *session, struct tune_frame *frame, double seconds,
	bool is_dispensable, char *note)
{
	double until = tune_now() + seconds;

	for (;;) {
		switch (tune_wire_receive(frame, &session->gpu.reader, session->gpu.from)) {
		case TUNE_WIRE_FRAME: return TUNE_ANSWERED;
		case TUNE_WIRE_CLOSED:
			session->gpu.has_ended = true;
			lose_worker(session, note, "the worker ended");
			return TUNE_DIED;
		case TUNE_WIRE_DAMAGED: lose_worker(session, note, "a damaged reply"); return TUNE_DIED;
		case TUNE_WIRE_MORE: break;
		}
		/* A worker that starts, or fills its arrays, may take minutes; nothing of it is worth waiting for. */
		if (interrupted && is_dispensable) {
			lose_worker(session, NULL, "");
			snprintf(note, TUNE_NOTE_SIZE, "interrupted");
			return TUNE_TIMED_OUT;
		}
		if (tune_now() >= until) {
			lose_worker(session, NULL, "");
			snprintf(note, TUNE_NOTE_SIZE, "no answer within %.1f s", seconds);
			return TUNE_TIMED_OUT;
		}
		wait_for_any(session, true, until);
	}
}

/* The plain exchange, with a worker that runs. */
static enum tune_answer exchange(struct tune_session *session, uint32_t kind, const void *head, size_t head_size,
	const void *tail, size_t tail_size, double seconds, void *reply, size_t reply_size, struct tune_frame *frame,
	char *note)
{
	struct tune_frame own;
	enum tune_answer answer;

	if (frame == NULL)
		frame = &own;
	memset(frame, 0, sizeof *frame);
	if (!tune_wire_send(session->gpu.to, kind, head, head_size, tail, tail_size)) {
		session->gpu.has_ended = true;
		lose_worker(session, note, "the worker is gone");
		return TUNE_DIED;
	}
	answer = receive(session, frame, seconds, kind == TUNE_HELLO || kind == TUNE_PROBLEM, note);
	if (answer != TUNE_ANSWERED)
		return answer;
	if (frame->kind != TUNE_REPLY || frame->size < reply_size) {
		tune_frame_free(frame);
		lose_worker(session, note, "a reply out of turn");
		return TUNE_DIED;
	}
	memcpy(reply, frame->bytes, reply_size);
	if (frame == &own)
		tune_frame_free(frame);
	return TUNE_ANSWERED;
}

static bool say_hello(struct tune_session *session)
{
	struct tune_hello_request request = {0};
	struct tune_hello_reply reply;
	char note[TUNE_NOTE_SIZE];

	snprintf(request.device, sizeof request.device, "%s", session->options->device);
	if (exchange(session, TUNE_HELLO, &request, sizeof request, NULL, 0, HELLO_SECONDS, &reply, sizeof reply, NULL,
	    note) != TUNE_ANSWERED) {
		snprintf(session->device_note, sizeof session->device_note, "%s", note);
		return false;
	}
	if (reply.status) {
		snprintf(session->device_note, sizeof session->device_note, "%s", reply.note);
		return false;
	}
	session->device = reply.device;
	session->board_count = reply.board_count;
	memcpy(session->boards, reply.boards, sizeof session->boards);
	return true;
}

bool tune_described_tail(struct srt_strbuf *tail, struct tune_problem_request *request,
	const struct tune_described *described, const struct srt_image *image)
{
	if (!request->is_described)
		return true;
	request->text_bytes = described->length;
	request->element_bytes = described->element_count * srt_problem_size(&described->problem, SRT_INPUT);
	/* The terminator of PTX travels with it. */
	request->image_bytes = image->size + (strcmp(image->codegen, "ptx") == 0);
	request->image = *image;
	request->image.bytes = NULL;
	srt_strbuf_append_bytes(tail, described->text, request->text_bytes);
	srt_strbuf_append_bytes(tail, described->elements, request->element_bytes);
	srt_strbuf_append_bytes(tail, image->bytes, request->image_bytes);
	return !tail->failed;
}

/* An operator of the caller's that does not come to an end does so at once, and would do so in every worker. */
static double preparation_seconds(const struct tune_session *session)
{
	const char *patience = getenv("SCANTUNE_PATIENCE");

	if (!session->problem.is_described)
		return PREPARE_SECONDS;
	return patience && atof(patience) > 0 ? atof(patience) : DESCRIBED_SECONDS;
}

bool tune_never_ended(enum tune_answer answer, int status, const char *note)
{
	return answer == TUNE_TIMED_OUT ? !interrupted :
		answer == TUNE_ANSWERED && status && strstr(note, "CUDA_ERROR_LAUNCH_TIMEOUT");
}

static void give_up_operator(struct tune_session *session, const char *note)
{
	if (!session->problem.is_described)
		return;
	session->is_given_up = true;
	snprintf(session->device_note, sizeof session->device_note,
		"%.80s: operator %.40s does not come to an end: %.60s", session->options->described->name,
		srt_problem_op_name(&session->options->described->problem), note);
}

static bool prepare(struct tune_session *session, int *status, char *note)
{
	struct srt_strbuf tail = {0};
	struct tune_slot_reply reply;
	enum tune_answer answer = TUNE_DIED;

	if (tune_described_tail(
		&tail, &session->problem, session->options->described, &session->reference_job.image))
		answer = exchange(session, TUNE_PROBLEM, &session->problem, sizeof session->problem,
			srt_strbuf_text(&tail), tail.length, preparation_seconds(session), &reply, sizeof reply, NULL,
			note);
	srt_strbuf_free(&tail);
	if (answer == TUNE_ANSWERED && reply.status)
		memcpy(note, reply.note, sizeof reply.note);
	*status = answer == TUNE_ANSWERED ? reply.status : SCANRT_OK;
	if (tune_never_ended(answer, *status, note)) {
		give_up_operator(session, note);
		return false;
	}
	return answer == TUNE_ANSWERED;
}

/* A worker that runs, with the current problem prepared. */
static bool ensure_worker(struct tune_session *session)
{
	char note[TUNE_NOTE_SIZE];
	int status;

	while (session->gpu.pid == 0 && !session->is_given_up) {
		if (!tune_child_start(&session->gpu, "gpu")) {
			session->is_given_up = true;
			snprintf(session->device_note, sizeof session->device_note, "no process could be started: %s",
				strerror(errno));
		} else if (!say_hello(session)) {
			if (interrupted)
				return false; /* which is no fault of the device */
			session->is_given_up = true;
		} else if (session->has_problem && prepare(session, &status, note) && status) {
			session->is_given_up = true;
			snprintf(session->device_note, sizeof session->device_note, "%s", note);
		}
	}
	return !session->is_given_up;
}

enum tune_answer tune_ask(struct tune_session *session, uint32_t kind, const void *head, size_t head_size,
	const void *tail, size_t tail_size, double seconds, void *reply, size_t reply_size, struct tune_frame *frame,
	char *note)
{
	enum tune_answer answer;

	if (!ensure_worker(session)) {
		snprintf(note, TUNE_NOTE_SIZE, "%s", session->device_note);
		return TUNE_GIVEN_UP;
	}
	answer = exchange(session, kind, head, head_size, tail, tail_size, seconds, reply, reply_size, frame, note);
	if (answer == TUNE_ANSWERED)
		session->losses = 0;
	return answer;
}

int tune_session_prepare(struct tune_session *session, const struct tune_problem_request *request, char *note)
{
	int status = SCANRT_OK;

	session->problem = *request;
	session->has_problem = true;
	/* A worker that is started here prepares it on its way. */
	if (session->gpu.pid == 0)
		return ensure_worker(session) ? SCANRT_OK : SCANRT_ERROR_DEVICE_LOST;
	session->generation++;
	if (!prepare(session, &status, note))
		return ensure_worker(session) ? SCANRT_OK : SCANRT_ERROR_DEVICE_LOST;
	return status;
}

bool tune_session_look(struct tune_session *session)
{
	struct tune_conditions now = {0};
	int foreign;

	if (session->device.is_emulated == 1 && !getenv("SCANTUNE_LIBNVML"))
		return true;
	if (session->monitor == NULL) {
		if (session->options->requires_quiet)
			tune_report_error("without NVML nobody can tell whether the device is quiet");
		session->is_disturbed = session->options->requires_quiet;
		return !session->is_disturbed;
	}
	tune_monitor_read(&now, session->monitor);
	/* One of them is our own worker: by number and not by name, since a container has names of its own. */
	foreign = now.processes - (session->gpu.pid != 0);
	if (foreign > session->foreign)
		session->foreign = foreign;
	if (now.note[0])
		snprintf(session->remark, sizeof session->remark, "%s", now.note);
	if ((foreign <= 0 && !now.is_slowed) || !session->options->requires_quiet)
		return true;
	tune_report_error("the device is not quiet: %d other processes%s%s", foreign < 0 ? 0 : foreign,
		now.note[0] ? ", " : "", now.note);
	session->is_disturbed = true;
	return false;
}

bool tune_session_open(struct tune_session *session, const struct tune_options *options)
{
	memset(session, 0, sizeof *session);
	session->options = options;
	session->started = tune_now();
	session->ends = options->seconds > 0 ? session->started + options->seconds : 0;
	session->is_ptx = options->codegen == SRT_CODEGEN_PTX;
	session->pool = tune_pool_create(options->jobs);
	if (session->pool == NULL) {
		snprintf(session->device_note, sizeof session->device_note, "no memory");
		return false;
	}
	if (!ensure_worker(session))
		return false;
	session->monitor = session->device.is_emulated == 1 && !getenv("SCANTUNE_LIBNVML") ?
		NULL : tune_monitor_open(session->device.uuid);
	return true;
}

void tune_session_close(struct tune_session *session)
{
	tune_child_stop(&session->gpu, NULL, 0);
	tune_pool_destroy(session->pool);
	session->pool = NULL;
	tune_job_clear(&session->copy_job);
	tune_job_clear(&session->reference_job);
	tune_monitor_close(session->monitor);
	session->monitor = NULL;
}
