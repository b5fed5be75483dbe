/* SPDX-License-Identifier: MIT
 *
 * The compile pool.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"
#include "process.h"
#include "scanrt.h"

struct worker {
	struct tune_child child;
	struct tune_job *job; /* NULL: idle */
};

struct tune_pool {
	struct tune_job *first;
	struct tune_job **end;
	int count;
	struct worker workers[];
};

void tune_job_clear(struct tune_job *job)
{
	srt_image_free(&job->image);
	job->state = TUNE_JOB_NEW;
}

struct tune_pool *tune_pool_create(int workers)
{
	struct tune_pool *pool = calloc(1, sizeof *pool + (size_t)workers * sizeof pool->workers[0]);

	if (pool) {
		pool->end = &pool->first;
		pool->count = workers;
	}
	return pool;
}

void tune_pool_destroy(struct tune_pool *pool)
{
	if (pool == NULL)
		return;
	for (int i = 0; i < pool->count; i++) {
		/* Nobody waits for what it compiles any more. */
		if (pool->workers[i].job)
			pool->workers[i].job->state = TUNE_JOB_NEW;
		tune_child_stop(&pool->workers[i].child, NULL, 0);
	}
	free(pool);
}

static void finish(struct worker *worker, int status, const char *note)
{
	worker->job->status = status;
	if (note)
		snprintf(worker->job->note, sizeof worker->job->note, "%s", note);
	worker->job->state = TUNE_JOB_DONE;
	worker->job = NULL;
}

static void put_first(struct tune_pool *pool, struct tune_job *job)
{
	job->state = TUNE_JOB_QUEUED;
	job->next = pool->first;
	if (pool->first == NULL)
		pool->end = &job->next;
	pool->first = job;
}

static void end(struct worker *worker, const char *what)
{
	char how[96], note[TUNE_NOTE_SIZE];

	tune_child_stop(&worker->child, how, sizeof how);
	snprintf(note, sizeof note, "%s: %s", what, how);
	if (worker->job)
		finish(worker, SCANRT_ERROR_COMPILER, note);
}

/* A process may be killed by somebody, say for memory that another one wants: only the second death is the job's. */
static void lose(struct tune_pool *pool, struct worker *worker, const char *what)
{
	struct tune_job *job = worker->job;

	if (job && job->deaths++ == 0) {
		worker->job = NULL;
		put_first(pool, job);
	}
	end(worker, what);
}

static void take_reply(struct tune_pool *pool, struct worker *worker, const struct tune_frame *frame)
{
	struct tune_compile_reply reply;
	size_t size = frame->size - sizeof reply;

	if (frame->kind != TUNE_REPLY || frame->size < sizeof reply) {
		lose(pool, worker, "the compiler process answered out of turn");
		return;
	}
	memcpy(&reply, frame->bytes, sizeof reply);
	memcpy(worker->job->toolchain, reply.toolchain, sizeof reply.toolchain);
	if (reply.status == SCANRT_OK) {
		worker->job->image = reply.image;
		worker->job->image.bytes = malloc(size);
		if (worker->job->image.bytes == NULL) {
			finish(worker, SCANRT_ERROR_OUT_OF_MEMORY, "no memory for an image");
			return;
		}
		memcpy(worker->job->image.bytes, frame->bytes + sizeof reply, size);
	}
	finish(worker, reply.status, reply.note);
}

static void listen(struct tune_pool *pool, struct worker *worker)
{
	struct tune_frame frame;

	switch (tune_wire_receive(&frame, &worker->child.reader, worker->child.from)) {
	case TUNE_WIRE_FRAME:
		take_reply(pool, worker, &frame);
		tune_frame_free(&frame);
		break;
	case TUNE_WIRE_CLOSED: lose(pool, worker, "the compiler process ended"); break;
	case TUNE_WIRE_DAMAGED: lose(pool, worker, "the compiler process sent a damaged reply"); break;
	case TUNE_WIRE_MORE: break;
	}
}

static struct tune_job *dequeue(struct tune_pool *pool)
{
	struct tune_job *job = pool->first;

	pool->first = job->next;
	if (pool->first == NULL)
		pool->end = &pool->first;
	job->next = NULL;
	return job;
}

/* Workers are started when there is work for them: a run that finds all images in its database starts none. */
static void give(struct tune_pool *pool, struct worker *worker)
{
	worker->job = dequeue(pool);
	worker->job->state = TUNE_JOB_AT_WORK;
	if (worker->child.pid == 0 && !tune_child_start(&worker->child, "compile")) {
		finish(worker, SCANRT_ERROR_COMPILER, "no process could be started to compile in");
		return;
	}
	if (!tune_wire_send(worker->child.to, TUNE_COMPILE, &worker->job->request, sizeof worker->job->request,
		worker->job->text, worker->job->text_bytes))
		lose(pool, worker, "the compiler process is gone");
}

void tune_pool_pump(struct tune_pool *pool)
{
	for (int i = 0; i < pool->count; i++) {
		struct worker *worker = &pool->workers[i];

		if (worker->job)
			listen(pool, worker);
		if (worker->job == NULL && pool->first)
			give(pool, worker);
	}
}

size_t tune_pool_descriptors(const struct tune_pool *pool, struct pollfd *descriptors, size_t capacity)
{
	size_t used = 0;

	for (int i = 0; i < pool->count && used < capacity; i++)
		if (pool->workers[i].job)
			descriptors[used++] = (struct pollfd){ .fd = pool->workers[i].child.from, .events = POLLIN };
	return used;
}

void tune_pool_submit(struct tune_pool *pool, struct tune_job *job)
{
	job->state = TUNE_JOB_QUEUED;
	job->next = NULL;
	*pool->end = job;
	pool->end = &job->next;
	tune_pool_pump(pool);
}

void tune_pool_submit_first(struct tune_pool *pool, struct tune_job *job)
{
	put_first(pool, job);
	tune_pool_pump(pool);
}

void tune_pool_forget(struct tune_pool *pool, struct tune_job *job)
{
	struct tune_job **at = &pool->first;

	while (*at && *at != job)
		at = &(*at)->next;
	if (*at == NULL)
		return;
	*at = job->next;
	if (*at == NULL)
		pool->end = at;
	job->next = NULL;
	job->state = TUNE_JOB_NEW;
}

void tune_pool_abandon(struct tune_pool *pool, struct tune_job *job)
{
	for (int i = 0; i < pool->count; i++)
		if (pool->workers[i].job == job)
			end(&pool->workers[i], "given up");
}
