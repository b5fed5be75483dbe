/* SPDX-License-Identifier: MIT
 *
 * From the rules to a plan's size classes, each with a kernel that was had.
 */
#ifndef SRT_CLASSES_H
#define SRT_CLASSES_H

#include "plan.h"
#include "resolve.h"
#include "status.h"

/* A plan in the making. */
struct srt_builder {
	struct scanrt_plan *plan;
	struct srt_reading reading;
	struct srt_request request;
	struct srt_error error; /* the latest refusal of an answer */
	bool wants_ptx;
	struct srt_ahead ahead; /* kernels that are being compiled */
};

/* Fills the plan's classes from min_count to max_count without gaps; the context's CUDA context is current. */
int srt_builder_fill(struct srt_builder *builder);

#endif
