/* SPDX-License-Identifier: MIT
 *
 * Contenders in rounds.
 */
#include <string.h>
#include <time.h>

#include "contest.h"
#include "status.h"

#define LEAD_US 1000.0 /* a graph that takes longer makes up for a launch */

double tune_contest_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int enqueue_all(
	const struct tune_contender *contender, const struct tune_contest *contest, const struct tune_ring *ring)
{
	int status = SCANRT_OK;

	for (int i = 0; !status && i < ring->scans; i++) {
		size_t slot = (size_t)(i % ring->slots);

		status = contender->enqueue(contender->user, ring->out + slot * ring->out_stride,
			ring->in + slot * ring->in_stride, contest->stream);
	}
	return status;
}

/* A capture is ended even where it failed, or the stream stays in it. */
static int capture(CUgraph *graph, const struct tune_contender *contender, const struct tune_contest *contest,
	const struct tune_ring *ring)
{
	const struct srt_driver *driver = contest->driver;
	int status = SRT_CALL(driver, cuStreamBeginCapture, (contest->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
	struct srt_error error;
	CUresult ended;

	if (status)
		return status;
	status = enqueue_all(contender, contest, ring);
	/* The first failure tells more than that of the capture which it broke. */
	srt_error_save(&error);
	ended = driver->cuStreamEndCapture(contest->stream, graph);
	if (!status)
		return srt_driver_status(driver, ended, "cuStreamEndCapture");
	srt_error_restore(&error);
	return status;
}

static void count_nodes(struct tune_contender *contender, const struct tune_contest *contest, CUgraph graph)
{
	size_t nodes = 0;

	if (contest->driver->cuGraphGetNodes &&
	    contest->driver->cuGraphGetNodes(graph, NULL, &nodes) == CUDA_SUCCESS)
		contender->nodes = (int)(nodes / (size_t)contender->scans);
}

static int replay(const struct tune_contender *contender, const struct tune_contest *contest)
{
	return SRT_CALL(contest->driver, cuGraphLaunch, (contender->exec, contest->stream));
}

int tune_contender_prepare(
	struct tune_contender *contender, const struct tune_contest *contest, const struct tune_ring *ring, int warm)
{
	const struct srt_driver *driver = contest->driver;
	CUgraph graph = NULL;
	int status = capture(&graph, contender, contest, ring);

	contender->scans = ring->scans;
	contender->values.count = 0;
	if (!status) {
		count_nodes(contender, contest, graph);
		status = SRT_CALL(driver, cuGraphInstantiateWithFlags, (&contender->exec, graph, 0));
	}
	if (graph)
		driver->cuGraphDestroy(graph);
	for (int i = 0; !status && i < warm; i++)
		status = replay(contender, contest);
	if (!status)
		status = SRT_CALL(driver, cuStreamSynchronize, (contest->stream));
	return status;
}

void tune_contender_free(struct tune_contender *contender, const struct tune_contest *contest)
{
	if (contender->exec)
		contest->driver->cuGraphExecDestroy(contender->exec);
	contender->exec = NULL;
}

/* A short graph goes twice, and the second is timed: else the device, done with the event, would wait for the host to
 * launch the graph, and the wait would be in the time. */
static bool wants_lead(const struct tune_contender *contender, const struct tune_contest *contest)
{
	const struct tune_values *values = &contender->values;

	if (contest->is_modelled || values->count == 0)
		return !contest->is_modelled;
	return values->list[values->count - 1] * contender->scans < LEAD_US;
}

static int sample(struct tune_contender *contender, const struct tune_contest *contest)
{
	const struct srt_driver *driver = contest->driver;
	float milliseconds = 0;
	int status = wants_lead(contender, contest) ? replay(contender, contest) : SCANRT_OK;

	if (!status)
		status = SRT_CALL(driver, cuEventRecord, (contest->before, contest->stream));
	if (!status)
		status = replay(contender, contest);
	if (!status)
		status = SRT_CALL(driver, cuEventRecord, (contest->after, contest->stream));
	if (!status)
		status = SRT_CALL(driver, cuEventSynchronize, (contest->after));
	if (!status)
		status = SRT_CALL(driver, cuEventElapsedTime, (&milliseconds, contest->before, contest->after));
	if (!status)
		tune_values_add(&contender->values, (double)milliseconds * 1e3 / contender->scans);
	return status;
}

int tune_contest_run(const struct tune_contest *contest, struct tune_contender *const *contenders, size_t count,
	int least, int most, double seconds)
{
	double ends = tune_contest_now() + seconds;
	int status = SCANRT_OK;

	for (int round = 0; !status && round < most && (round < least || tune_contest_now() < ends); round++)
		/* Another one begins each round, so that none always runs in another's wake. */
		for (size_t i = 0; !status && i < count; i++)
			status = sample(contenders[(i + (size_t)round) % count], contest);
	return status;
}
