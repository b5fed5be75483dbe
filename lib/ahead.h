/* SPDX-License-Identifier: MIT
 *
 * Kernels of one plan that are compiled at the same time, each in a thread that ends with it.  A plan for every count
 * has several, and NVRTC takes a few tenths of a second for each; the plan then waits for the longest and not for all.
 */
#ifndef SRT_AHEAD_H
#define SRT_AHEAD_H

#include <pthread.h>

#include "image.h"
#include "status.h"

struct srt_driver;

#define SRT_AHEAD_MOST 8

struct srt_ahead_job {
	struct srt_variant variant;
	const struct srt_problem *problem;
	int capability;
	bool wants_ptx;
	bool is_running;
	pthread_t thread;
	/* What came of it: */
	int status;
	struct srt_error error;
	struct srt_image image; /* PTX is still to be linked, where the context is */
	struct srt_strbuf log;
};

/* Zero-initialised: nothing is compiled.  The problem outlives it. */
struct srt_ahead {
	struct srt_ahead_job jobs[SRT_AHEAD_MOST];
	size_t count;
	bool is_needed; /* something had to be compiled: the rest probably has to be, too */
};

/* Whether that is worth it here. */
bool srt_ahead_is_useful(void);

bool srt_ahead_knows(const struct srt_ahead *ahead, const struct srt_variant *variant);

/* Where no thread is to be had, or there are too many, nothing happens: whoever needs the image compiles it. */
void srt_ahead_start(struct srt_ahead *ahead, const struct srt_problem *problem, const struct srt_variant *variant,
	int capability, bool wants_ptx);

/* Waits for the kernel of a variant, and hands it over as srt_image_build() would have: status and record of a failure
 * too.  False: it is not being compiled, or not in the way that is wanted by now. */
bool srt_ahead_take(int *status, struct srt_image *image, struct srt_strbuf *log, struct srt_ahead *ahead,
	const struct srt_driver *driver, const struct srt_variant *variant, bool wants_ptx);

/* Waits for all that nobody took. */
void srt_ahead_end(struct srt_ahead *ahead);

#endif
