/* SPDX-License-Identifier: MIT
 *
 * The variants around a variant.
 */
#ifndef TUNE_NEIGHBOURS_H
#define TUNE_NEIGHBOURS_H

#include "device.h"
#include "problem.h"
#include "variant.h"

/* One step away in one knob, or in two that make up for each other; the likely ones first, none twice, none that
 * srt_variant_check() refuses.  Returns how many there are. */
size_t tune_neighbours(struct srt_variant *variants, size_t capacity, const struct srt_variant *from,
	const struct srt_problem *problem, const struct srt_device *device);

#endif
