/* SPDX-License-Identifier: MIT
 *
 * What the defaults of all strategies are made of: for the files named heuristic, and nobody else.
 */
#ifndef SRT_HEURISTIC_PARTS_H
#define SRT_HEURISTIC_PARTS_H

#include "device.h"
#include "problem.h"
#include "variant.h"

/* Bulk copies, which make look-ahead the fastest, and launches that overlap came with this compute capability. */
#define SRT_DEFAULT_BULK_CAPABILITY 90

/* A variant of the strategy's own defaults but for these two. */
struct srt_variant srt_default_make(enum srt_strategy strategy, int block, int items);

/* Bytes of the widest of the three types. */
size_t srt_default_widest(const struct srt_problem *problem);

/* Elements a thread in so many 16-byte vectors of the widest type; at least one vector of what is moved. */
int srt_default_items(const struct srt_problem *problem, int vectors);

/* Fewer items, threads and blocks where a thread would lack registers, beside `role_threads` that hold few. */
void srt_default_limit_block(struct srt_variant *variant, const struct srt_problem *problem, int role_threads);

/* Whether the operator costs so much that few copies of it should be compiled. */
bool srt_default_is_heavy(const struct srt_problem *problem);

/* srt_variant_check() as a claim; the refusal stays recorded. */
bool srt_default_is_fit(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

/* The ring of large counts; false where the device or the problem is better off with another strategy. */
bool srt_default_lookahead(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device);

#endif
