/* SPDX-License-Identifier: MIT
 *
 * Contenders timed against each other: each is a graph of back-to-back scans (or copies) over buffers that take turns,
 * and the graphs are replayed in rounds, another one first in each.  What changes in the course of a run, such as the
 * clock, then meets all of them alike.
 */
#ifndef TUNE_CONTEST_H
#define TUNE_CONTEST_H

#include <stdbool.h>

#include "driver.h"
#include "statistics.h"

/* Enqueues one scan on the stream: a status, with the record of what failed. */
typedef int (*tune_enqueue_function)(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream);

/* Where the scans of one contender go.  A stride of 0 uses the same bytes again. */
struct tune_ring {
	CUdeviceptr out;
	CUdeviceptr in;
	size_t out_stride; /* bytes from one slot to the next */
	size_t in_stride;
	int slots;
	int scans;         /* of one graph */
};

struct tune_contender {
	tune_enqueue_function enqueue;
	void *user;
	CUgraphExec exec;  /* from here on: made by tune_contender_prepare() */
	int scans;
	int nodes;         /* of one scan: launches, and memory sets where it has some; 0: the driver does not tell */
	struct tune_values values; /* microseconds a scan */
};

struct tune_contest {
	const struct srt_driver *driver;
	CUstream stream;
	CUevent before;
	CUevent after;
	bool is_modelled;  /* no replay needs another to go before */
};

/* Captures the graph and replays it `warm` times. */
int tune_contender_prepare(
	struct tune_contender *contender, const struct tune_contest *contest, const struct tune_ring *ring, int warm);
void tune_contender_free(struct tune_contender *contender, const struct tune_contest *contest);

/* At least `least` rounds; then more until `seconds` have passed since the call, at most `most`. */
int tune_contest_run(const struct tune_contest *contest, struct tune_contender *const *contenders, size_t count,
	int least, int most, double seconds);

/* Seconds of a clock that only goes forward. */
double tune_contest_now(void);

#endif
