/* SPDX-License-Identifier: MIT
 *
 * A kernel for a variant, from wherever it can be had: machine code of a trusted database, else a fresh compilation.
 */
#ifndef SRT_FETCH_H
#define SRT_FETCH_H

#include "ahead.h"
#include "catalog.h"
#include "image.h"
#include "kernel.h"

struct scanrt_context;

struct srt_fetched {
	struct srt_kernel kernel;
	char image_key[SRT_HASH_TEXT];
	bool is_compiled;
};

/* The context's CUDA context is current.  `wants_ptx`: only by way of PTX and the driver's linker.  What has to be
 * compiled may be so already, or in progress. */
int srt_fetch(struct srt_fetched *fetched, struct scanrt_context *context, struct srt_reading *reading,
	struct srt_ahead *ahead, const struct srt_problem *problem, const struct srt_variant *variant, bool wants_ptx);

/* Begins to compile what no database has. */
void srt_fetch_ahead(struct srt_ahead *ahead, struct scanrt_context *context, struct srt_reading *reading,
	const struct srt_problem *problem, const struct srt_variant *variant, bool wants_ptx);

/* Whether the last error is one of the machine code itself, which PTX and the driver's own compiler may get round. */
bool srt_is_refusal_of_code(void);

#endif
