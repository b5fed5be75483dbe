/* SPDX-License-Identifier: MIT
 *
 * The GPU worker's part in problems that a file describes: what goes in, and what has to come out, which is computed
 * on the device with the caller's own operator (kernels/reference.cu).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/abi.h"
#include "gpu.h"
#include "status.h"

#define SEQUENTIAL_COUNT ((uint64_t)1 << 15) /* elements that one thread scans, before chunks may help */
#define LEAST_CHUNK ((uint64_t)256)
#define PIECE_COUNT ((uint64_t)1 << 20)
#define PIECE_BYTES ((uint64_t)16 << 20)
#define BLOCK 128
#define FLOATS_MAX (SCANRT_USER_BYTES_MAX / 2) /* of an element */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* ---- Opening ---- */

static int find_kernels(struct tune_reference *reference, const struct srt_driver *driver,
	const struct srt_image *image)
{
	int status = SRT_CALL(driver, cuModuleLoadData, (&reference->module, image->bytes));

	if (!status)
		status = SRT_CALL(driver, cuModuleGetFunction,
			(&reference->chunks, reference->module, "reference_chunks"));
	if (!status)
		status = SRT_CALL(driver, cuModuleGetFunction,
			(&reference->carry, reference->module, "reference_carry"));
	if (!status)
		status = SRT_CALL(driver, cuModuleGetFunction,
			(&reference->finish, reference->module, "reference_finish"));
	return status;
}

static int allocate_pieces(struct tune_gpu *gpu)
{
	struct tune_reference *reference = &gpu->reference;
	size_t value = srt_problem_size(&gpu->problem, SRT_ACCUMULATOR);
	size_t result = srt_problem_size(&gpu->problem, SRT_OUTPUT);
	size_t widest = value > result ? value : result;
	int status;

	reference->piece = least(PIECE_COUNT, PIECE_BYTES / widest);
	status = SRT_CALL(gpu->driver, cuMemAlloc, (&reference->values, reference->piece * value));
	if (!status)
		status = SRT_CALL(gpu->driver, cuMemAlloc,
			(&reference->carries, (reference->piece / LEAST_CHUNK + 2) * value));
	if (!status)
		status = SRT_CALL(gpu->driver, cuMemAlloc, (&reference->expected, reference->piece * result));
	return status;
}

/* The initial value lies on the device for the reference, and, if it is large, for the kernels, too. */
static int place_values(struct tune_gpu *gpu)
{
	const struct tune_described *described = gpu->described;
	struct srt_problem *problem = &gpu->problem;
	size_t value = srt_problem_size(problem, SRT_ACCUMULATOR);
	const void *initial = value > sizeof problem->initial ? problem->user->initial : problem->initial;
	int status = SCANRT_OK;

	if (described->state_bytes) {
		status = srt_workspace_create(&gpu->state, gpu->driver, described->state_bytes);
		if (!status)
			status = srt_workspace_write(&gpu->state, gpu->driver, described->state,
				described->state_bytes);
	}
	if (status || !problem->has_initial)
		return status;
	status = srt_workspace_create(&gpu->initial, gpu->driver, value);
	if (!status)
		status = srt_workspace_write(&gpu->initial, gpu->driver, initial, value);
	if (value > sizeof problem->initial)
		problem->initial_on_device = (const void *)(uintptr_t)gpu->initial.address;
	return status;
}

int tune_described_open_gpu(struct tune_gpu *gpu, const struct srt_image *image)
{
	int status = find_kernels(&gpu->reference, gpu->driver, image);

	if (!status)
		status = allocate_pieces(gpu);
	if (!status)
		status = place_values(gpu);
	return status;
}

void tune_described_close_gpu(struct tune_gpu *gpu)
{
	struct tune_reference *reference = &gpu->reference;
	const CUdeviceptr addresses[] = { reference->values, reference->carries, reference->expected };

	for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++)
		if (addresses[i])
			gpu->driver->cuMemFree(addresses[i]);
	if (reference->module)
		gpu->driver->cuModuleUnload(reference->module);
	memset(reference, 0, sizeof *reference);
	if (gpu->state.address)
		srt_workspace_destroy(&gpu->state, gpu->driver);
	if (gpu->initial.address)
		srt_workspace_destroy(&gpu->initial, gpu->driver);
	if (gpu->described)
		tune_described_free(gpu->described);
	free(gpu->described);
	gpu->described = NULL;
}

/* ---- What goes in ---- */

int tune_described_data(struct tune_data *data, const struct tune_gpu *gpu, uint64_t count)
{
	const struct tune_described *described = gpu->described;
	uint64_t state = gpu->seed;
	unsigned char *to;

	memset(data, 0, sizeof *data);
	data->count = count;
	data->element = srt_problem_size(&gpu->problem, SRT_INPUT);
	data->result = srt_problem_size(&gpu->problem, SRT_OUTPUT);
	data->is_exact = true;
	data->input = to = malloc(count * data->element);
	if (to == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for %llu elements", (unsigned long long)count);
	for (uint64_t i = 0; i < count; i++, to += data->element)
		if (described->element_count)
			memcpy(to, described->elements + i % described->element_count * data->element, data->element);
		else
			tune_layout_random(to, &described->layouts[SRT_INPUT], &state);
	return SCANRT_OK;
}

/* ---- What must come out ---- */

static int launch(const struct tune_gpu *gpu, CUfunction function, uint64_t threads,
	struct scan_reference_arguments *arguments)
{
	void *parameters[] = { arguments };
	CUresult result = gpu->driver->cuLaunchKernel(function, (unsigned)((threads + BLOCK - 1) / BLOCK), 1, 1,
		threads < BLOCK ? (unsigned)threads : BLOCK, 1, 1, 0, gpu->stream, parameters, NULL);

	if (result != CUDA_SUCCESS)
		return srt_driver_fail(gpu->driver, SCANRT_ERROR_LAUNCH, result, "cuLaunchKernel");
	return SCANRT_OK;
}

static int begin(const struct tune_gpu *gpu, size_t value)
{
	if (!gpu->problem.has_initial)
		return SCANRT_OK;
	return SRT_CALL(gpu->driver, cuMemcpyDtoDAsync,
		(gpu->reference.carries, gpu->initial.address, value, gpu->stream));
}

/* The first piece is scanned by one thread, as the definition of a scan has it. */
int tune_reference_piece(uint64_t *length, struct tune_gpu *gpu, CUdeviceptr in, uint64_t at, bool is_exclusive)
{
	const struct tune_reference *reference = &gpu->reference;
	size_t value = srt_problem_size(&gpu->problem, SRT_ACCUMULATOR);
	struct scan_reference_arguments arguments = {0};
	uint64_t chunks;
	int status = at == 0 ? begin(gpu, value) : SCANRT_OK;

	*length = least(*length, at == 0 ? least(reference->piece, SEQUENTIAL_COUNT) : reference->piece);
	arguments.out = (void *)(uintptr_t)reference->expected;
	arguments.in = (const void *)(uintptr_t)(in + at * srt_problem_size(&gpu->problem, SRT_INPUT));
	arguments.values = (void *)(uintptr_t)reference->values;
	arguments.carries = (void *)(uintptr_t)reference->carries;
	arguments.first = at;
	arguments.count = *length;
	arguments.chunk = at == 0 ? *length : LEAST_CHUNK;
	arguments.state = (const void *)(uintptr_t)gpu->state.address;
	arguments.has_carry = at > 0 || gpu->problem.has_initial;
	arguments.is_exclusive = is_exclusive;
	chunks = (*length + arguments.chunk - 1) / arguments.chunk;
	if (!status)
		status = launch(gpu, reference->chunks, chunks, &arguments);
	if (!status)
		status = launch(gpu, reference->carry, 1, &arguments);
	if (!status)
		status = launch(gpu, reference->finish, *length, &arguments);
	if (!status)
		status = SRT_CALL(gpu->driver, cuMemcpyDtoDAsync,
			(reference->carries, reference->carries + chunks * value, value, gpu->stream));
	return status;
}

static int fetch_all(unsigned char *to, struct tune_gpu *gpu, bool is_exclusive)
{
	const struct tune_data *data = &gpu->resident[0].data;
	int status = SCANRT_OK;
	uint64_t length;

	for (uint64_t at = 0; at < data->count && !status; at += length) {
		length = data->count - at;
		status = tune_reference_piece(&length, gpu, gpu->input, at, is_exclusive);
		if (!status)
			status = SRT_CALL(gpu->driver, cuMemcpyDtoHAsync, (to + at * data->result,
				gpu->reference.expected, length * data->result, gpu->stream));
		if (!status)
			status = SRT_CALL(gpu->driver, cuStreamSynchronize, (gpu->stream));
	}
	return status;
}

int tune_described_expect(const void **expected, struct tune_gpu *gpu, bool is_exclusive)
{
	struct tune_data *data = &gpu->resident[0].data;
	void **kept = is_exclusive ? &data->exclusive : &data->inclusive;
	int status;

	*expected = *kept;
	if (*kept)
		return SCANRT_OK;
	*kept = malloc(data->count * data->result);
	if (*kept == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for %llu results",
			(unsigned long long)data->count);
	status = fetch_all(*kept, gpu, is_exclusive);
	if (status) {
		free(*kept);
		*kept = NULL;
	}
	*expected = *kept;
	return status;
}

/* ---- Comparison ---- */

int tune_described_judge(uint64_t *index, char *text, size_t size, struct tune_gpu *gpu, const void *seen,
	uint64_t count, bool is_exclusive)
{
	const struct tune_layout *layout = &gpu->described->layouts[SRT_OUTPUT];
	double scale[FLOATS_MAX] = {0};
	char want[80], have[80];
	const void *expected;
	int status = tune_described_expect(&expected, gpu, is_exclusive);

	*index = TUNE_SAME;
	if (status)
		return status;
	*index = tune_layout_find_off(layout, expected, seen, count, scale, gpu->described->tolerance);
	if (*index == TUNE_SAME)
		return SCANRT_OK;
	tune_layout_print(want, sizeof want, layout, (const char *)expected + *index * layout->bytes);
	tune_layout_print(have, sizeof have, layout, (const char *)seen + *index * layout->bytes);
	snprintf(text, size, "wanted %s, saw %s", want, have);
	return SCANRT_OK;
}

/* Piece by piece, the reference first: both halves of the staging memory have one. */
int tune_described_check(uint64_t *index, struct tune_gpu *gpu, uint64_t count, bool is_exclusive)
{
	const struct tune_layout *layout = &gpu->described->layouts[SRT_OUTPUT];
	const CUdeviceptr out = gpu->output + TUNE_GUARD_BYTES;
	unsigned char *wanted = gpu->staging, *seen = gpu->staging + TUNE_STAGING_BYTES / 2;
	size_t size = gpu->resident[0].data.result;
	double scale[FLOATS_MAX] = {0};
	int status = SCANRT_OK;
	uint64_t length;

	*index = TUNE_SAME;
	for (uint64_t at = 0; at < count && !status && *index == TUNE_SAME; at += length) {
		length = count - at;
		status = tune_reference_piece(&length, gpu, gpu->input, at, is_exclusive);
		if (!status)
			status = SRT_CALL(gpu->driver, cuStreamSynchronize, (gpu->stream));
		if (!status)
			status = SRT_CALL(gpu->driver, cuMemcpyDtoH, (wanted, gpu->reference.expected, length * size));
		if (!status)
			status = SRT_CALL(gpu->driver, cuMemcpyDtoH, (seen, out + at * size, length * size));
		if (!status)
			*index = tune_layout_find_off(layout, wanted, seen, length, scale, gpu->described->tolerance);
		if (!status && *index != TUNE_SAME)
			*index += at;
	}
	return status;
}
