/* SPDX-License-Identifier: MIT
 *
 * Compilers that work ahead of the GPU, each in a process of its own.
 */
#ifndef TUNE_POOL_H
#define TUNE_POOL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "messages.h"

enum tune_job_state { TUNE_JOB_NEW, TUNE_JOB_QUEUED, TUNE_JOB_AT_WORK, TUNE_JOB_DONE };

/* Owned by whoever submits it, and left alone until it is done or the pool is gone. */
struct tune_job {
	struct tune_compile_request request;
	const char *text;           /* of a described problem; not the job's */
	size_t text_bytes;
	enum tune_job_state state;
	int status;                 /* when done: SCANRT_OK and an image, or what failed */
	char note[TUNE_NOTE_SIZE];
	char toolchain[64];
	struct srt_image image;     /* the job's; freed by tune_job_clear */
	int deaths;                 /* of compilers that were at work on it */
	struct tune_job *next;
};

void tune_job_clear(struct tune_job *job); /* not while it is queued or at work */

struct tune_pool;

struct tune_pool *tune_pool_create(int workers); /* NULL: no memory */
void tune_pool_destroy(struct tune_pool *pool);

void tune_pool_submit(struct tune_pool *pool, struct tune_job *job);
void tune_pool_submit_first(struct tune_pool *pool, struct tune_job *job); /* before all that wait */
void tune_pool_forget(struct tune_pool *pool, struct tune_job *job);       /* takes a queued job back */
void tune_pool_abandon(struct tune_pool *pool, struct tune_job *job);      /* ends the process that is at work on it */

/* Descriptors to poll for input, at most `capacity`; and what to do when some may be readable. */
size_t tune_pool_descriptors(const struct tune_pool *pool, struct pollfd *descriptors, size_t capacity);
void tune_pool_pump(struct tune_pool *pool);

#endif
