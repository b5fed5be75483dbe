/* SPDX-License-Identifier: MIT
 *
 * The tuner's child processes: this binary again, with a hidden argument that says which part it plays.
 */
#ifndef TUNE_PROCESS_H
#define TUNE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire.h"

struct tune_child {
	pid_t pid;  /* 0: not running */
	int to;     /* the pipe that the child reads */
	int from;   /* the pipe that it writes; non-blocking here */
	struct tune_reader reader;
	bool has_ended;  /* its pipe is closed: a short wait gives its own end, and no signal of ours is needed */
	bool was_killed; /* by a signal that nothing of ours raises: somebody's kill, or the system's for want of
			  * memory */
};

/* The descriptors of a child: stdin is /dev/null, stdout is stderr, so that no library's chatter gets into a frame. */
enum { TUNE_CHILD_READS = 3, TUNE_CHILD_WRITES = 4 };

/* Starts `scantune --worker=ROLE` in a process group of its own, to be killed with this process. */
bool tune_child_start(struct tune_child *child, const char *role);
/* Kills the group and reaps the child; `how`, of size bytes and possibly NULL, gets what became of it ("killed by
 * signal 11", "exit status 3").  False where the child cannot be reaped: its device is then to be given up. */
bool tune_child_stop(struct tune_child *child, char *how, size_t size);

/* Who we are, for the database's one-tuner-per-device rule: the boot, and when a process of that boot started. */
void tune_boot_id(char *out, size_t size);
int64_t tune_start_ticks(pid_t pid); /* 0: no such process */

double tune_now(void); /* seconds, monotonic */

#endif
