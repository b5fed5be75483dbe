/* SPDX-License-Identifier: MIT
 *
 * The variants that are worth trying.
 */
#ifndef TUNE_SPACE_H
#define TUNE_SPACE_H

#include "device.h"
#include "options.h"
#include "problem.h"
#include "variant.h"

/* Fills variants, the likely ones first, none twice; all of them pass srt_variant_check().  Of the effort's number,
 * what the known good points leave is drawn at random from the whole space, by the seed. */
size_t tune_space(struct srt_variant *variants, size_t capacity, const struct srt_problem *problem,
	const struct srt_device *device, size_t wanted, uint64_t seed);

/* How many variants an effort tries for a problem; fewer on a slow device. */
size_t tune_space_size(enum tune_effort effort, bool is_slow);

/* Whether it is a variant that the space would have for this problem, and not only one that can run it. */
bool tune_space_has(const struct srt_variant *variant, const struct srt_problem *problem);

bool tune_variant_is_equal(const struct srt_variant *a, const struct srt_variant *b);

#endif
