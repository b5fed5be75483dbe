/* SPDX-License-Identifier: MIT
 *
 * Whether the operator of a file's problem is one that a scan can use: before anything is tuned for it, and for
 * --check-operator, after which nothing is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "problem_file.h"
#include "report.h"
#include "session.h"
#include "stated.h"
#include "tune.h"

#define CHECK_SECONDS 60.0

/* An emulated device takes PTX only; others are asked for what they will run. */
bool tune_compile_tool(struct tune_session *session, struct tune_job *job, const char *file)
{
	const struct tune_described *described = session->options->described;
	char note[TUNE_NOTE_SIZE + 160];

	job->request = (struct tune_compile_request){ .is_described = true,
		.capability = session->device.capability,
		.is_ptx = session->is_ptx || session->device.is_emulated == 1 };
	snprintf(job->request.tool, sizeof job->request.tool, "%s", file);
	job->text = described->text;
	job->text_bytes = described->length;
	tune_pool_submit(session->pool, job);
	if (!tune_wait_job(session, job))
		return false;
	if (job->status == SCANRT_OK)
		return true;
	tune_described_locate(note, sizeof note, described, job->note);
	tune_report_error("%s", note);
	return false;
}

static double patience(void)
{
	const char *wanted = getenv("SCANTUNE_PATIENCE");

	return wanted && atof(wanted) > 0 ? atof(wanted) : CHECK_SECONDS;
}

static void tell_good(const struct tune_session *session, const struct tune_check_reply *reply)
{
	const char *name = srt_problem_op_name(&session->options->described->problem);
	struct srt_strbuf out = {0};

	if (session->options->is_json) {
		tune_json_begin(&out);
		tune_json_text(&out, "event", "checked");
		tune_json_text(&out, "operator", name);
		tune_json_integer(&out, "triples", (long long)reply->triples);
		tune_json_number(&out, "deviation", reply->deviation);
		tune_json_print(&out);
	} else if (reply->deviation > 0) {
		tune_report_line("operator %s was tried on %llu triples: it is associative to within %.1e", name,
			(unsigned long long)reply->triples, reply->deviation);
	} else {
		tune_report_line("operator %s was tried on %llu triples: it is exact", name,
			(unsigned long long)reply->triples);
	}
}

/* What the worker found, or what became of it. */
static bool judge(const struct tune_session *session, enum tune_answer answer, const struct tune_check_reply *reply,
	const struct tune_frame *frame, const char *note)
{
	const struct tune_described *described = session->options->described;
	bool is_answered = answer == TUNE_ANSWERED;

	if (is_answered && reply->status)
		note = reply->note;
	if (tune_never_ended(answer, is_answered ? reply->status : SCANRT_OK, note))
		tune_report_error("%s: operator %s does not come to an end: %s", described->name,
			srt_problem_op_name(&described->problem), note);
	else if (!is_answered)
		tune_report_error("%s: operator %s: %s", described->name, srt_problem_op_name(&described->problem),
			note);
	else if (reply->status)
		tune_report_error("%s: %s", described->name, note);
	else if (!reply->is_good)
		tune_report_error("%s: %s", described->name, (const char *)(frame->bytes + sizeof *reply));
	else
		return true;
	return false;
}

bool tune_check_operator(struct tune_session *session)
{
	const struct tune_described *described = session->options->described;
	struct tune_problem_request request = { .is_described = true, .seed = session->options->seed };
	struct tune_job job = {0};
	struct tune_check_reply reply = {0};
	struct tune_frame frame = {0};
	struct srt_strbuf tail = {0};
	enum tune_answer answer = TUNE_GIVEN_UP;
	char note[TUNE_NOTE_SIZE] = "no memory";
	bool is_good = false;

	if (tune_compile_tool(session, &job, "user_try.cu")) {
		if (tune_described_tail(&tail, &request, described, &job.image))
			answer = tune_ask(session, TUNE_CHECK, &request, sizeof request, srt_strbuf_text(&tail),
				tail.length, patience(), &reply, sizeof reply, &frame, note);
		is_good = judge(session, answer, &reply, &frame, note);
	}
	if (is_good && (session->options->checks_operator || reply.deviation > 0))
		tell_good(session, &reply);
	if (job.state == TUNE_JOB_AT_WORK)
		tune_pool_abandon(session->pool, &job);
	tune_pool_forget(session->pool, &job);
	tune_job_clear(&job);
	tune_frame_free(&frame);
	srt_strbuf_free(&tail);
	return is_good;
}
