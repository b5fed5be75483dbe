/* SPDX-License-Identifier: MIT
 *
 * The GPU worker's part in checking an operator: random elements, and the caller's own where there are any.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "operator_check.h"
#include "status.h"

#define RANDOM_COUNT 512
#define SCALES_MAX (SCANRT_USER_BYTES_MAX / 2)

static double deviation(void *user, const void *wanted, const void *seen, const void *const *operands, size_t count)
{
	const struct tune_described *described = user;
	const struct tune_layout *layout = &described->layouts[SRT_ACCUMULATOR];
	double scale[SCALES_MAX] = {0};

	for (size_t i = 0; i < count; i++)
		tune_layout_grow(scale, layout, operands[i]);
	return tune_layout_deviation(layout, wanted, seen, scale);
}

static void print(void *user, char *text, size_t size, const void *value)
{
	const struct tune_described *described = user;

	tune_layout_print(text, size, &described->layouts[SRT_ACCUMULATOR], value);
}

/* ---- One array of elements ---- */

static int check_elements(struct srt_check_report *report, struct tune_gpu *gpu, struct tune_described *described,
	const struct srt_image *image, const void *elements, uint64_t count, const struct srt_workspace *state)
{
	const struct srt_comparison comparison = { deviation, print, described, described->tolerance };
	size_t size = srt_problem_size(&described->problem, SRT_INPUT);
	struct srt_workspace in = {0};
	int status = srt_workspace_create(&in, gpu->driver, count * size);

	if (!status)
		status = srt_workspace_write(&in, gpu->driver, elements, count * size);
	if (!status)
		status = srt_operator_check(report, gpu->driver, &described->problem, image,
			(const void *)(uintptr_t)state->address, in.address, count, &comparison);
	srt_workspace_destroy(&in, gpu->driver);
	return status;
}

static int check_random(struct srt_check_report *report, struct tune_gpu *gpu, struct tune_described *described,
	const struct srt_image *image, const struct srt_workspace *state, uint64_t seed)
{
	size_t size = srt_problem_size(&described->problem, SRT_INPUT);
	unsigned char *elements = malloc(RANDOM_COUNT * size);
	int status;

	if (elements == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for %d elements", RANDOM_COUNT);
	for (size_t i = 0; i < RANDOM_COUNT; i++)
		tune_layout_random(elements + i * size, &described->layouts[SRT_INPUT], &seed);
	status = check_elements(report, gpu, described, image, elements, RANDOM_COUNT, state);
	free(elements);
	return status;
}

/* ---- Both ---- */

static void add(struct tune_check_reply *reply, struct srt_strbuf *text, struct srt_check_report *report,
	const char *what)
{
	reply->is_good = report->is_good;
	reply->triples += report->triples;
	if (report->deviation > reply->deviation)
		reply->deviation = report->deviation;
	if (!report->is_good)
		srt_strbuf_printf(text, "on %s: %s", what, srt_strbuf_text(&report->text));
	srt_strbuf_free(&report->text);
}

static int check(struct tune_check_reply *reply, struct srt_strbuf *text, struct tune_gpu *gpu,
	struct tune_described *described, const struct srt_image *image, uint64_t seed)
{
	struct srt_check_report report = { .is_good = true };
	struct srt_workspace state = {0};
	int status = srt_workspace_create(&state, gpu->driver, described->state_bytes);

	if (!status && described->state_bytes)
		status = srt_workspace_write(&state, gpu->driver, described->state, described->state_bytes);
	if (!status && described->element_count >= 3) {
		status = check_elements(
			&report, gpu, described, image, described->elements, described->element_count, &state);
		add(reply, text, &report, "the elements that are given");
	}
	if (!status && report.is_good) {
		status = check_random(&report, gpu, described, image, &state, seed);
		add(reply, text, &report, "random elements");
	}
	srt_workspace_destroy(&state, gpu->driver);
	return status;
}

int tune_gpu_check(struct tune_check_reply *reply, struct srt_strbuf *text, struct tune_gpu *gpu,
	const struct tune_problem_request *request, const void *tail)
{
	struct tune_described *described;
	struct srt_image image;
	int status = tune_gpu_take_described(&described, &image, gpu, request, tail);

	if (status)
		return status;
	status = check(reply, text, gpu, described, &image, request->seed);
	srt_image_free(&image);
	tune_described_free(described);
	free(described);
	return status;
}
