/* SPDX-License-Identifier: MIT
 *
 * The same launch again and again, as a graph of one kernel: an H200's driver takes 1.1 us of the host for it, 1.3 with
 * other arguments, where a launch takes it 2.4.  What it costs is that two such launches do not overlap on the device,
 * which only short scans are worth: those that, overlap or not, take less time than the host's launch.
 */
#ifndef SRT_REPLAY_H
#define SRT_REPLAY_H

#include <stdbool.h>

#include "kernel.h"

struct scan_arguments; /* kernels/abi.h */

/* For a kernel of one launch; NULL: it is launched in the usual way for ever, for lack of memory or in the driver. */
struct srt_replay *srt_replay_create(const struct srt_driver *driver);
void srt_replay_destroy(struct srt_replay *replay, const struct srt_driver *driver);

/* Where the context is gone, and the driver's part with it; NULL is fine. */
void srt_replay_forget(struct srt_replay *replay);

/* Launches, and returns a CUresult: in the usual way for the first ones, for another number of blocks than the ones
 * before, for what a stream captures, where another thread launches, too, and where the driver refuses a graph. */
int srt_replay_launch(const struct srt_kernel *kernel, const struct srt_driver *driver, const struct srt_launch *launch,
	const struct scan_arguments *arguments, void *stream);

/* Whether there is a graph; for tests.  NULL has none. */
bool srt_replay_is_in_use(const struct srt_replay *replay);

/* One launch in the usual way; kernel_launch.c.  Returns a CUresult. */
int srt_launch_once(const struct srt_kernel *kernel, const struct srt_driver *driver,
	const struct srt_launch *launch, const struct scan_arguments *arguments, void *stream);

#endif
