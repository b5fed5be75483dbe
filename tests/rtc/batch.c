/* SPDX-License-Identifier: MIT */
#include "batch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "tests/tap.h"

#define THREADS 2

const struct srt_rtc *batch_compiler(void)
{
	const struct srt_rtc *rtc;

	if (srt_rtc_open(&rtc) == SCANRT_ERROR_NO_COMPILER)
		tap_skip_all("no NVRTC: %s", srt_error_last()->text);
	else if (srt_error_last()->status)
		tap_bail_out("NVRTC does not load: %s", srt_error_last()->text);
	/* Such a compiler serves older devices only, and the checks are about all of them. */
	if (srt_rtc_version(rtc) < 12000)
		tap_skip_all("%s is older than CUDA 12.0", srt_rtc_toolchain(rtc));
	tap_diag("%s, %s", srt_rtc_toolchain(rtc), srt_rtc_path(rtc));
	return rtc;
}

bool batch_is_long(void)
{
	const char *wanted = getenv("SCANRT_LONG");

	return wanted && strcmp(wanted, "1") == 0;
}

void batch_add(struct batch *batch, const struct srt_problem *problem, const struct srt_variant *variant,
	const char *arch)
{
	struct compilation *added;

	if (batch->count == batch->capacity) {
		batch->capacity = batch->capacity ? 2 * batch->capacity : 64;
		batch->list = realloc(batch->list, batch->capacity * sizeof(*batch->list));
		if (!batch->list)
			tap_bail_out("no memory for %zu compilations", batch->capacity);
	}
	added = &batch->list[batch->count++];
	memset(added, 0, sizeof(*added));
	added->problem = *problem;
	added->variant = *variant;
	snprintf(added->arch, sizeof(added->arch), "%s", arch);
}

struct work {
	struct batch *batch;
	const struct srt_rtc *rtc;
	atomic_size_t next;
};

static void *run_some(void *user)
{
	struct work *work = user;
	struct compilation *one;
	size_t i;

	while ((i = atomic_fetch_add(&work->next, 1)) < work->batch->count) {
		one = &work->batch->list[i];
		one->status = srt_image_compile(&one->bytes, &one->size, work->rtc, &one->problem, &one->variant,
			one->arch,
			&one->log);
		if (one->status)
			snprintf(one->failure, sizeof(one->failure), "%s", srt_error_last()->text);
	}
	return NULL;
}

void batch_run(struct batch *batch, const struct srt_rtc *rtc)
{
	struct work work = { .batch = batch, .rtc = rtc };
	pthread_t threads[THREADS];
	int started = 0;

	while (started < THREADS && pthread_create(&threads[started], NULL, run_some, &work) == 0)
		started++;
	run_some(&work);
	while (started > 0)
		pthread_join(threads[--started], NULL);
}

static void report(const struct compilation *one)
{
	struct srt_strbuf name = { 0 };
	bool is_clean = one->status == SCANRT_OK && one->size > 0 && one->log.length == 0;

	srt_problem_format(&name, &one->problem, true);
	srt_strbuf_append(&name, ", ");
	srt_variant_format(&name, &one->variant);
	if (!tap_ok(is_clean, "%s compiles for %s without a word", srt_strbuf_text(&name), one->arch)) {
		tap_diag("status %d, %s", one->status, one->failure);
		tap_diag("%.2000s", srt_strbuf_text(&one->log));
	}
	srt_strbuf_free(&name);
}

void batch_report(const struct batch *batch)
{
	size_t i;

	for (i = 0; i < batch->count; i++)
		report(&batch->list[i]);
}

void batch_free(struct batch *batch)
{
	size_t i;

	for (i = 0; i < batch->count; i++) {
		srt_strbuf_free(&batch->list[i].log);
		free(batch->list[i].bytes);
	}
	free(batch->list);
	memset(batch, 0, sizeof(*batch));
}

void turned_variant(struct srt_variant *variant, const struct srt_problem *problem, int strategy, unsigned turn)
{
	static const int blocks[] = { 128, 256, 32, 512, 384 };
	static const int stages[] = { 4, 2, 6, 3 };
	const struct srt_knob *knob;

	srt_variant_init(variant, (enum srt_strategy)strategy);
	/* The periods 5, 3, 2, 4 and the shifts of the bits keep the knobs from moving together. */
	variant->block = blocks[turn % 5];
	variant->items = srt_problem_vector(problem) * (int)(1 + turn / 3 % 3);
	variant->warp_scan = turn % 2 ? SRT_WARP_SHARED : SRT_WARP_SHUFFLE;
	variant->load = turn / 2 % 2 ? SRT_ACCESS_PLAIN : SRT_ACCESS_STREAM;
	variant->store = turn / 4 % 2 ? SRT_ACCESS_PLAIN : SRT_ACCESS_STREAM;
	variant->residency = 1 + (int)(turn / 5 % 2);
	if (variant->circuit && turn % 4 == 0) { /* 0: the strategy has none */
		variant->circuit = SRT_CIRCUIT_WARPS + 1;
		variant->circuit += (int)(turn / 4) % (SRT_CIRCUIT_END - SRT_CIRCUIT_WARPS - 1);
		variant->fan = variant->circuit == SRT_CIRCUIT_RAKING ? 2 + (int)(turn / 16 % 6) : variant->fan;
	}
	if (strategy == SRT_CLUSTER) {
		variant->cluster = 2 << turn / 2 % 4;
		variant->exchange = turn / 3 % 2 ? SRT_EXCHANGE_BLOCK : SRT_EXCHANGE_WARP;
	}
	for (knob = srt_knobs; knob->name; knob++)
		if (srt_knob_default(knob, strategy) == 0)
			srt_knob_set(knob, variant, 0); /* the strategy has none */
	if (strategy == SRT_LOOKAHEAD) {
		variant->stages = stages[turn % 4];
		variant->ahead = variant->stages - 1 - (int)(turn / 4 % 2) * (variant->stages > 2);
		variant->gather = 1 << turn / 2 % 4;
	}
	if (strategy == SRT_TOTALS)
		variant->gather = 1 << turn / 2 % 4;
	/* What the strategy has no knob for is 0. */
	for (knob = srt_knobs; knob->name; knob++)
		if (!srt_knob_default(knob, strategy))
			srt_knob_set(knob, variant, 0);
	/* A circuit's arrays of a large tile are refused, not compiled. */
	if (variant->circuit > SRT_CIRCUIT_WARPS && srt_variant_check(variant, problem, NULL))
		variant->block = 128;
	srt_error_clear();
}
