/* SPDX-License-Identifier: MIT
 *
 * The search among the variants of SCANRT_REPRODUCIBLE.
 */
#ifndef TUNE_FIXED_ORDER_H
#define TUNE_FIXED_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device.h"
#include "problem.h"
#include "strbuf.h"
#include "variant.h"

enum { TUNE_OP_CLASS_SIZE = 64 };

/* What a problem is called in databases, "sum f32" or "sum f32 reproducible", and its class of operators; both are the
 * library's names for them, too. */
void tune_problem_name(struct srt_strbuf *name, const struct srt_problem *problem, bool is_reproducible);
const char *tune_op_class(char text[TUNE_OP_CLASS_SIZE], const struct srt_problem *problem, bool is_reproducible);

/* What the library would take without a database. */
int tune_default_at(struct srt_variant *variant, const struct srt_problem *problem, const struct srt_device *device,
	uint64_t count, bool is_reproducible);

/* The points of that space that the device takes, the likely ones first; returns how many, up to `wanted`. */
size_t tune_space_fixed(struct srt_variant *variants, size_t wanted, const struct srt_problem *problem,
	const struct srt_device *device);

bool tune_is_in_order(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

#endif
