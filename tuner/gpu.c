/* SPDX-License-Identifier: MIT
 *
 * The GPU worker's context, memory and inputs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "status.h"

/* Rounded data is compared in long double, and operators of other checks share the problem's memory budget. */
#define ROUNDED_COUNT ((uint64_t)1 << 16)
#define CHECK_COUNT ((uint64_t)1 << 20)

/* ---- The context ---- */

int tune_gpu_open(struct tune_gpu *gpu, const char *device)
{
	int ordinal;
	int status = srt_driver_open(&gpu->driver, &ordinal, device);

	if (!status)
		status = srt_device_query(&gpu->device, gpu->driver, ordinal);
	if (!status)
		status = SRT_CALL(gpu->driver, cuDeviceGet, (&gpu->handle, ordinal));
	if (!status)
		status = SRT_CALL(gpu->driver, cuDevicePrimaryCtxRetain, (&gpu->context, gpu->handle));
	if (!status)
		status = SRT_CALL(gpu->driver, cuCtxSetCurrent, (gpu->context));
	if (!status)
		status = SRT_CALL(gpu->driver, cuStreamCreate, (&gpu->stream, CU_STREAM_NON_BLOCKING));
	if (!status)
		status = SRT_CALL(gpu->driver, cuEventCreate, (&gpu->before, CU_EVENT_DEFAULT));
	if (!status)
		status = SRT_CALL(gpu->driver, cuEventCreate, (&gpu->after, CU_EVENT_DEFAULT));
	if (!status) {
		size_t available = 0, total = 0;

		status = SRT_CALL(gpu->driver, cuMemGetInfo, (&available, &total));
		gpu->device.memory_free = available;
	}
	return status;
}

/* ---- What belongs to one problem ---- */

static void free_address(struct tune_gpu *gpu, CUdeviceptr *address)
{
	if (*address)
		gpu->driver->cuMemFree(*address);
	*address = 0;
}

static void forget_residents(struct tune_gpu *gpu)
{
	for (size_t i = 0; i < gpu->resident_count; i++) {
		if (!gpu->resident[i].is_arena)
			free_address(gpu, &gpu->resident[i].input);
		tune_data_free(&gpu->resident[i].data);
	}
	gpu->resident_count = 0;
	free(gpu->large);
	gpu->large = NULL;
	gpu->large_count = 0;
}

static void release(struct tune_gpu *gpu)
{
	for (int i = 0; i < TUNE_SLOTS_MAX; i++)
		tune_gpu_drop(gpu, i);
	forget_residents(gpu);
	free_address(gpu, &gpu->input);
	free_address(gpu, &gpu->output);
	free_address(gpu, &gpu->spare);
	tune_described_close_gpu(gpu);
	if (gpu->workspace.address)
		srt_workspace_destroy(&gpu->workspace, gpu->driver);
	if (gpu->staging)
		gpu->driver->cuMemFreeHost(gpu->staging);
	gpu->staging = NULL;
}

void tune_gpu_close(struct tune_gpu *gpu)
{
	if (gpu->context == NULL)
		return;
	release(gpu);
	gpu->driver->cuDevicePrimaryCtxRelease(gpu->handle);
	gpu->context = NULL;
}

static int allocate(struct tune_gpu *gpu, const struct tune_problem_request *request)
{
	void *staging = NULL;
	int status = SRT_CALL(gpu->driver, cuMemAlloc, (&gpu->input, request->arena_bytes + TUNE_GUARD_BYTES));

	gpu->arena_bytes = request->arena_bytes;
	if (!status)
		status = SRT_CALL(gpu->driver, cuMemAlloc, (&gpu->output, request->arena_bytes + 4 * TUNE_GUARD_BYTES));
	if (!status)
		status = SRT_CALL(gpu->driver, cuMemAlloc, (&gpu->spare, TUNE_SPARE_BYTES));
	if (!status)
		status = srt_workspace_create(&gpu->workspace, gpu->driver, request->workspace_bytes);
	if (!status)
		status = SRT_CALL(gpu->driver, cuMemHostAlloc, (&staging, TUNE_STAGING_BYTES, 0));
	gpu->staging = staging;
	return status;
}

/* In the order of the stream: the plain copy from pageable memory may return before the device has it all, and our
 * stream would not wait for that. */
int tune_gpu_upload(const struct tune_gpu *gpu, CUdeviceptr to, const void *from, size_t size)
{
	return SRT_CALL(gpu->driver, cuMemcpyHtoDAsync, (to, from, size, gpu->stream));
}

/* The whole arena holds the base data again and again: never zeros, which memory and arithmetic have an easy time
 * with. */
static int fill_arena(struct tune_gpu *gpu, const struct tune_data *data)
{
	size_t base = data->count * data->element;
	int status = tune_gpu_upload(gpu, gpu->input, data->input, base);

	for (size_t at = base; !status && at < gpu->arena_bytes; at += base) {
		size_t left = gpu->arena_bytes - at;

		status = SRT_CALL(gpu->driver, cuMemcpyDtoDAsync,
			(gpu->input + at, gpu->input, left < base ? left : base, gpu->stream));
	}
	return status;
}

static int prepare(struct tune_gpu *gpu, const struct tune_problem_request *request, const struct srt_image *image)
{
	const struct tune_resident *main_data;
	int status = SCANRT_OK;

	gpu->seed = request->seed;
	gpu->base_count = request->base_count;
	if (gpu->described)
		status = tune_described_open_gpu(gpu, image);
	if (!status)
		status = allocate(gpu, request);
	if (!status)
		status = tune_gpu_resident(&main_data, gpu, gpu->problem.input_type, gpu->problem.op, true);
	if (!status)
		status = fill_arena(gpu, &main_data->data);
	if (!status)
		status = SRT_CALL(gpu->driver, cuCtxSynchronize, ());
	return status;
}

int tune_gpu_prepare_described(struct tune_gpu *gpu, const struct tune_problem_request *request,
	struct tune_described *described, const struct srt_image *image)
{
	const void *expected;
	int status;

	release(gpu);
	gpu->described = described;
	gpu->problem = tune_described_in_mode(described,
		request->problem.is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE);
	status = prepare(gpu, request, image);
	/* If the operator does not come to an end, it is now. */
	if (!status)
		status = tune_described_expect(&expected, gpu, gpu->problem.is_exclusive);
	return status;
}

int tune_gpu_take_described(struct tune_described **described, struct srt_image *image, const struct tune_gpu *gpu,
	const struct tune_problem_request *request, const void *tail)
{
	struct tune_described *made = calloc(1, sizeof *made);
	const char *text = tail;
	int status;

	*described = NULL;
	if (made == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a problem");
	status = tune_described_parse(made, "the problem", text, request->text_bytes);
	if (!status && request->element_bytes)
		status = tune_described_copy_elements(made, text + request->text_bytes, request->element_bytes);
	if (!status)
		status = tune_gpu_take_image(image, gpu, &request->image,
			text + request->text_bytes + request->element_bytes, request->image_bytes);
	if (!status) {
		*described = made;
		return SCANRT_OK;
	}
	tune_described_free(made);
	free(made);
	return status;
}

int tune_gpu_prepare(struct tune_gpu *gpu, const struct tune_problem_request *request, const void *tail)
{
	struct tune_described *described;
	struct srt_image image;
	int status;

	if (!request->is_described) {
		release(gpu);
		gpu->problem = request->problem;
		return prepare(gpu, request, NULL);
	}
	status = tune_gpu_take_described(&described, &image, gpu, request, tail);
	if (status)
		return status;
	status = tune_gpu_prepare_described(gpu, request, described, &image);
	srt_image_free(&image);
	return status;
}

/* ---- Verification data ---- */

static int make_resident(struct tune_resident *resident, struct tune_gpu *gpu, int type, int op, bool is_exact)
{
	bool is_main = gpu->resident_count == 0;
	uint64_t most = is_main ? gpu->base_count : is_exact ? CHECK_COUNT : ROUNDED_COUNT;
	uint64_t count = gpu->base_count < most ? gpu->base_count : most;
	int status;

	memset(resident, 0, sizeof *resident);
	if (gpu->described) {
		resident->is_arena = true;
		resident->input = gpu->input;
		return tune_described_data(&resident->data, gpu, count);
	}
	if (!tune_data_init(&resident->data, type, op, count, gpu->seed, is_exact)) {
		tune_data_free(&resident->data);
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for %llu elements of verification data",
			(unsigned long long)count);
	}
	resident->is_arena = is_main;
	resident->input = gpu->input;
	if (is_main)
		return SCANRT_OK;
	status = SRT_CALL(gpu->driver, cuMemAlloc, (&resident->input, count * resident->data.element));
	if (!status)
		status = tune_gpu_upload(gpu, resident->input, resident->data.input, count * resident->data.element);
	if (status)
		tune_data_free(&resident->data);
	return status;
}

int tune_gpu_resident(const struct tune_resident **resident, struct tune_gpu *gpu, int type, int op, bool is_exact)
{
	int status;

	for (size_t i = 0; i < gpu->resident_count; i++) {
		const struct tune_data *data = &gpu->resident[i].data;

		*resident = &gpu->resident[i];
		if (gpu->described)
			return SCANRT_OK;
		if (data->type == type && data->op == op && data->is_exact == is_exact)
			return SCANRT_OK;
	}
	if (gpu->resident_count == TUNE_RESIDENT_MAX)
		return srt_fail(
			SCANRT_ERROR_OUT_OF_MEMORY, "more than %d sets of verification data", TUNE_RESIDENT_MAX);
	*resident = &gpu->resident[gpu->resident_count];
	status = make_resident(&gpu->resident[gpu->resident_count], gpu, type, op, is_exact);
	if (!status)
		gpu->resident_count++;
	return status;
}

/* ---- Slots ---- */

/* The image behind a request, its bytes copied; PTX becomes machine code here, where the context is. */
int tune_gpu_take_image(struct srt_image *image, const struct tune_gpu *gpu, const struct srt_image *head,
	const void *bytes, size_t size)
{
	*image = *head;
	image->bytes = malloc(size + 1);
	if (image->bytes == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for an image");
	memcpy(image->bytes, bytes, size);
	if (strcmp(image->codegen, "ptx") != 0 || image->key[0] != '\0')
		return SCANRT_OK;
	image->size = size - 1;
	return srt_image_link(image, gpu->driver, NULL);
}

int tune_gpu_load(struct tune_gpu *gpu, int slot, const struct tune_load_request *request,
	const struct srt_image *image)
{
	struct tune_slot *to = &gpu->slots[slot];
	struct srt_strbuf text = {0};
	struct srt_problem problem;
	int status;

	tune_gpu_drop(gpu, slot);
	srt_variant_format(&text, &request->variant);
	snprintf(to->text, sizeof to->text, "%s", srt_strbuf_text(&text));
	srt_strbuf_free(&text);
	tune_fault_kill("kill-load", to->text);
	problem = request->problem;
	if (gpu->described) {
		problem = gpu->problem; /* with what is the caller's: a request has only the parent's address */
		problem.is_exclusive = request->problem.is_exclusive;
	}
	status = srt_kernel_load(&to->kernel, gpu->driver, &gpu->device, &problem, &request->variant, image);
	to->kernel.state = (const void *)(uintptr_t)gpu->state.address;
	to->is_loaded = status == SCANRT_OK;
	return status;
}

void tune_gpu_drop(struct tune_gpu *gpu, int slot)
{
	struct tune_slot *from = &gpu->slots[slot];

	for (int i = 0; i <= TUNE_CLASS_MAX; i++)
		tune_graph_free(&from->graphs[i], gpu->driver);
	if (from->is_loaded)
		srt_kernel_unload(&from->kernel, gpu->driver);
	from->is_loaded = false;
}
