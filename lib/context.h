/* SPDX-License-Identifier: MIT
 *
 * A device that is open: its driver, its facts, where its database is, and the plans of scanrt_scan().
 */
#ifndef SRT_CONTEXT_H
#define SRT_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "catalog.h"
#include "device.h"
#include "kernel.h"
#include "log.h"
#include "pool.h"

struct srt_driver;
struct srt_memo;

/* Called for every kernel that was compiled rather than found, before it may be used, in place of the self-test of what
 * is to be kept; a failure refuses it.  For tests on devices that compute nothing. */
typedef int (*srt_kernel_check_function)(void *user, const struct srt_kernel *kernel);

/* Constant after creation, but for the last group. */
struct scanrt_context {
	const struct srt_driver *driver;
	void *cuda_context;        /* CUcontext */
	int cuda_device;           /* CUdevice */
	bool is_retained;          /* we hold the device's primary context */
	struct srt_device device;  /* its clocks are unknown: see srt_context_fingerprint() */
	struct srt_strbuf family;
	struct srt_catalog catalog;
	struct srt_log log;
	srt_kernel_check_function check;
	void *check_user;
	void *warm;                /* srt_warm_memory() */

	struct srt_pool pool;
	atomic_bool takes_code;    /* the device has taken machine code once: there is no need to see first */
	atomic_bool wants_ptx;     /* the device has refused machine code once: the linker's way from then on */
	pthread_mutex_t clock_lock;
	struct srt_strbuf fingerprint; /* once it was asked for */
	pthread_mutex_t memo_lock;
	struct srt_memo *memo;     /* scan.c */
};

/* The device's fingerprint, for which the driver is asked for the clocks the first time: a millisecond of an H200's,
 * and as much as all the rest of a context and a plan.  `context` is a struct scanrt_context; "": out of memory. */
const char *srt_context_fingerprint(void *context);

/* Destroys the plans that scanrt_scan() made. */
void srt_memo_free(struct srt_memo *memo);

#endif
