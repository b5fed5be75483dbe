/* SPDX-License-Identifier: MIT */
#include "ahead.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "rtc.h"

/* NVRTC compiles in several threads at once; where there is one processor, that gains nothing. */
bool srt_ahead_is_useful(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

static int build(struct srt_ahead_job *job)
{
	const struct srt_rtc *rtc = NULL;
	int status = srt_rtc_open(&rtc);

	if (status)
		return status;
	if (job->wants_ptx || !srt_rtc_has_arch(rtc, job->capability))
		return srt_image_build_ptx(&job->image, rtc, job->problem, &job->variant, job->capability, &job->log);
	return srt_image_build(&job->image, rtc, NULL, job->problem, &job->variant, job->capability, SRT_CODEGEN_SASS,
		&job->log);
}

/* The record of errors is the thread's own, and has to leave it. */
static void *run(void *argument)
{
	struct srt_ahead_job *job = argument;

	job->status = build(job);
	srt_error_save(&job->error);
	return NULL;
}

/* Signals are for the threads of the program: one of ours that took one would run a handler that does not know it. */
static bool start(struct srt_ahead_job *job)
{
	sigset_t all;
	sigset_t before;
	int result;

	sigfillset(&all);
	if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
		return false;
	result = pthread_create(&job->thread, NULL, run, job);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result == 0;
}

/* Variants are nothing but ints, so that bytes can be compared. */
static struct srt_ahead_job *find(struct srt_ahead *ahead, const struct srt_variant *variant)
{
	size_t i;

	for (i = 0; i < ahead->count; i++)
		if (ahead->jobs[i].is_running && memcmp(&ahead->jobs[i].variant, variant, sizeof(*variant)) == 0)
			return &ahead->jobs[i];
	return NULL;
}

bool srt_ahead_knows(const struct srt_ahead *ahead, const struct srt_variant *variant)
{
	size_t i;

	for (i = 0; i < ahead->count; i++)
		if (memcmp(&ahead->jobs[i].variant, variant, sizeof(*variant)) == 0)
			return true;
	return false;
}

void srt_ahead_start(struct srt_ahead *ahead, const struct srt_problem *problem, const struct srt_variant *variant,
	int capability, bool wants_ptx)
{
	struct srt_ahead_job *job = &ahead->jobs[ahead->count];

	if (ahead->count == SRT_AHEAD_MOST || srt_ahead_knows(ahead, variant))
		return;
	memset(job, 0, sizeof(*job));
	job->variant = *variant;
	job->problem = problem;
	job->capability = capability;
	job->wants_ptx = wants_ptx;
	job->is_running = start(job);
	ahead->count += job->is_running;
}

static void join(struct srt_ahead_job *job)
{
	pthread_join(job->thread, NULL);
	job->is_running = false;
}

static void drop(struct srt_ahead_job *job)
{
	srt_image_free(&job->image);
	srt_strbuf_free(&job->log);
}

/* What was begun as machine code is no use to a device that turned out to want PTX; linking needs the driver's context,
 * which the thread did not have. */
bool srt_ahead_take(int *status, struct srt_image *image, struct srt_strbuf *log, struct srt_ahead *ahead,
	const struct srt_driver *driver, const struct srt_variant *variant, bool wants_ptx)
{
	struct srt_ahead_job *job = find(ahead, variant);

	if (!job)
		return false;
	join(job);
	if (wants_ptx != job->wants_ptx) {
		drop(job);
		return false;
	}
	*status = job->status;
	*image = job->image;
	memset(&job->image, 0, sizeof(job->image));
	srt_strbuf_append(log, srt_strbuf_text(&job->log));
	drop(job);
	if (*status)
		srt_error_restore(&job->error);
	else if (strcmp(image->codegen, "ptx") == 0)
		*status = srt_image_link(image, driver, log);
	return true;
}

/* NVRTC cannot be interrupted, so a job that nobody wants any more is waited for all the same. */
void srt_ahead_end(struct srt_ahead *ahead)
{
	size_t i;

	for (i = 0; i < ahead->count; i++) {
		if (ahead->jobs[i].is_running)
			join(&ahead->jobs[i]);
		drop(&ahead->jobs[i]);
	}
	ahead->count = 0;
}
