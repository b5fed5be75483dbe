/* SPDX-License-Identifier: MIT
 *
 * How far measured ranges reach beyond what was measured.
 */
#ifndef SRT_COVER_H
#define SRT_COVER_H

#include <stddef.h>

#include "heuristic.h"

#define SRT_COVER_MAX 8

/* Widens ordered ranges into the gaps between and around them, each gap going to the nearer side.  No range is carried
 * across the size at which input and output outgrow the L2 cache, unless it is the only one; none beyond what its
 * variant can run; and none below its own start into the counts that by default one block scans by itself or, where the
 * variant has state, one cluster. */
void srt_cover(struct srt_range *ranges, size_t count, const struct srt_problem *problem,
	const struct srt_device *device);

#endif
