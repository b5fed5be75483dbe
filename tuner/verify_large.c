/* SPDX-License-Identifier: MIT
 *
 * Whether scans of many elements are right, as large as the arena: their results are fetched piece by piece.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "reference.h"
#include "status.h"

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The arena repeats the base data, so the reference takes the base data again and again. */
static int make_large(struct tune_gpu *gpu, uint64_t count)
{
	const struct tune_data *data = &gpu->resident[0].data;
	struct tune_prefix prefix = {0};

	if (gpu->large && gpu->large_count >= count)
		return SCANRT_OK;
	free(gpu->large);
	gpu->large_count = 0;
	gpu->large = malloc(count * data->element);
	if (gpu->large == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a reference of %llu elements",
			(unsigned long long)count);
	gpu->large_count = count;
	for (uint64_t at = 0; at < count; at += data->count)
		tune_reference_scan(gpu->large + at * data->element, &prefix, data->input,
			least(count - at, data->count), data->type, data->op);
	return SCANRT_OK;
}

/* A piece of the output; `at` is its first element, *index the first that is wrong, or TUNE_SAME. */
static int compare_piece(uint64_t *index, struct tune_gpu *gpu, bool is_exclusive, uint64_t at, uint64_t length)
{
	struct tune_data piece = gpu->resident[0].data;
	size_t element = piece.element;
	uint64_t shift = is_exclusive && at > 0 ? 1 : 0;
	int status = SRT_CALL(gpu->driver, cuMemcpyDtoH,
		(gpu->staging, gpu->output + TUNE_GUARD_BYTES + at * element, length * element));

	piece.inclusive = gpu->large + (at - shift) * element;
	*index = status ? TUNE_SAME : tune_data_compare(&piece, gpu->staging, length, is_exclusive && at == 0, 0);
	if (*index != TUNE_SAME)
		*index += at;
	return status;
}

static int check_data(uint64_t *index, struct tune_gpu *gpu, uint64_t count, bool is_exclusive)
{
	uint64_t step = TUNE_STAGING_BYTES / gpu->resident[0].data.element;
	int status = make_large(gpu, count);

	for (uint64_t at = 0; !status && *index == TUNE_SAME && at < count; at += step)
		status = compare_piece(index, gpu, is_exclusive, at, least(step, count - at));
	return status;
}

int tune_check_output(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, uint64_t count,
	bool is_exclusive)
{
	uint64_t index = TUNE_SAME;
	int status = gpu->described ? tune_described_check(&index, gpu, count, is_exclusive)
				    : check_data(&index, gpu, count, is_exclusive);

	*verdict = index == TUNE_SAME ? TUNE_OK : TUNE_WRONG;
	if (index != TUNE_SAME)
		snprintf(note, TUNE_NOTE_SIZE, "a scan of %llu elements: a wrong result at %llu",
			(unsigned long long)count, (unsigned long long)index);
	return status;
}

int tune_verify_large(enum tune_verdict *verdict, char note[TUNE_NOTE_SIZE], struct tune_gpu *gpu, int slot,
	uint64_t count)
{
	const struct srt_kernel *kernel = &gpu->slots[slot].kernel;
	size_t bytes = count * gpu->resident[0].data.result;
	int status = SRT_CALL(gpu->driver, cuMemsetD8Async,
		(gpu->output, TUNE_POISON, bytes + 2 * TUNE_GUARD_BYTES, gpu->stream));

	if (!status)
		status = srt_kernel_launch(kernel, gpu->driver, &gpu->workspace, gpu->output + TUNE_GUARD_BYTES,
			gpu->input, count, 0, gpu->stream);
	if (!status)
		status = SRT_CALL(gpu->driver, cuStreamSynchronize, (gpu->stream));
	if (!status)
		status = tune_check_output(verdict, note, gpu, count, kernel->problem.is_exclusive);
	return status;
}
