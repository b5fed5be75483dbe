/* SPDX-License-Identifier: MIT
 *
 * Device memory that a context has at hand for the workspaces of its plans.  Allocating takes a driver a tenth of a
 * millisecond or two, where it has to map memory for it, and as long as loading a kernel: once a context, and before
 * the first plan is asked for, instead of in every first scan.
 */
#ifndef SRT_POOL_H
#define SRT_POOL_H

#include <pthread.h>
#include <stdint.h>

#include "kernel.h"

struct srt_driver;

struct srt_pool {
	pthread_mutex_t lock;
	uint64_t address; /* device pointer; 0: there is no memory, and workspaces are allocated one by one */
	void *stream;     /* CUstream, which waits for no other */
	uint64_t used;    /* a bit for each piece that a workspace has */
	uint64_t dirty;   /* for each that has been in use */
	bool is_clearing; /* nobody has waited for the first clearing yet */
};

/* The context is current.  Without memory to spare the pool stays empty, which is no failure. */
void srt_pool_open(struct srt_pool *pool, const struct srt_driver *driver);
void srt_pool_close(struct srt_pool *pool, const struct srt_driver *driver);

/* As srt_workspace_create(): zeros, in the pool where they fit.  srt_workspace_destroy() gives them back.  Threads may
 * call at once. */
int srt_pool_take(struct srt_workspace *workspace, struct srt_pool *pool, const struct srt_driver *driver, size_t size);
void srt_pool_give_back(struct srt_pool *pool, uint64_t address, size_t size);

#endif
