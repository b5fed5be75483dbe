/* SPDX-License-Identifier: MIT
 *
 * The GPU's worker: the one process that has a context.  It does one thing at a time, so that a hang or a crash is
 * that of the variant that it was asked about.
 */
#include <assert.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "gpu.h"
#include "process.h"
#include "status.h"

#define LAUNCH_TIMEOUT 702 /* CUDA_ERROR_LAUNCH_TIMEOUT: cuda.h stays behind the driver */

const char *tune_verdict_name(enum tune_verdict verdict)
{
	static const char *const names[] = {
		[TUNE_RUNNING] = "running",
		[TUNE_OK] = "ok",
		[TUNE_PRUNED] = "pruned",
		[TUNE_COMPILE_FAILED] = "compile",
		[TUNE_LAUNCH_FAILED] = "launch",
		[TUNE_WRONG] = "wrong",
		[TUNE_TIMEOUT] = "timeout",
		[TUNE_CRASH] = "crash",
		[TUNE_NOISY] = "noisy",
		[TUNE_IMPLAUSIBLE] = "implausible",
	};

	return names[verdict];
}

bool tune_verdict_is_wrong(enum tune_verdict verdict)
{
	return verdict == TUNE_WRONG || verdict == TUNE_CRASH || verdict == TUNE_TIMEOUT;
}

enum tune_verdict tune_verdict_parse(const char *name)
{
	for (int i = TUNE_RUNNING; i <= TUNE_IMPLAUSIBLE; i++)
		if (strcmp(tune_verdict_name((enum tune_verdict)i), name) == 0)
			return (enum tune_verdict)i;
	return TUNE_RUNNING;
}

/* What a failed call says about the variant.  Some devices watch their kernels themselves. */
static enum tune_verdict verdict_of(int status, int cuda_result)
{
	if (cuda_result == LAUNCH_TIMEOUT)
		return TUNE_TIMEOUT;
	switch (status) {
	case SCANRT_OK: return TUNE_OK;
	case SCANRT_ERROR_VARIANT: return TUNE_PRUNED;
	case SCANRT_ERROR_DEVICE_LOST: return TUNE_CRASH;
	default: return TUNE_LAUNCH_FAILED;
	}
}

static void note_failure(struct tune_slot_reply *reply, int status)
{
	const struct srt_error *error = srt_error_last();

	reply->status = status;
	if (status == SCANRT_OK)
		return;
	reply->verdict = verdict_of(status, error->cuda_result);
	reply->cuda_result = error->cuda_result;
	reply->is_lost = status == SCANRT_ERROR_DEVICE_LOST || srt_driver_is_sticky((CUresult)error->cuda_result);
	snprintf(reply->note, sizeof reply->note, "%.*s", TUNE_NOTE_SIZE - 1, error->text);
}

static bool send_slot(const struct tune_slot_reply *reply, const void *bytes, size_t size)
{
	return tune_wire_send(TUNE_CHILD_WRITES, TUNE_REPLY, reply, sizeof *reply, bytes, size);
}

/* ---- One function a message ---- */

static bool is_equal(const struct srt_device *a, const struct srt_device *b)
{
	struct srt_strbuf texts[2] = { {0}, {0} };
	bool is_same;

	srt_device_fingerprint(&texts[0], a);
	srt_device_fingerprint(&texts[1], b);
	is_same = !texts[0].failed && !texts[1].failed &&
		strcmp(srt_strbuf_text(&texts[0]), srt_strbuf_text(&texts[1])) == 0;
	srt_strbuf_free(&texts[0]);
	srt_strbuf_free(&texts[1]);
	return is_same;
}

/* What is tuned on one board of a machine serves all that are like it. */
static void list_boards(struct tune_hello_reply *reply, const struct tune_gpu *gpu)
{
	struct srt_device other;
	int count = 0;

	if (gpu->driver->cuDeviceGetCount(&count) != CUDA_SUCCESS)
		return;
	for (int i = 0; i < count && reply->board_count < TUNE_BOARDS_MAX; i++)
		if (i != gpu->device.ordinal && srt_device_query(&other, gpu->driver, i) == SCANRT_OK &&
			other.uuid[0] && is_equal(&other, &gpu->device))
			snprintf(reply->boards[reply->board_count++], sizeof reply->boards[0], "%.32s", other.uuid);
	srt_error_clear();
}

static bool serve_hello(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	const struct tune_hello_request *request = (const void *)frame->bytes;
	struct tune_hello_reply reply = {0};

	reply.status = tune_gpu_open(gpu, request->device);
	if (reply.status)
		snprintf(reply.note, sizeof reply.note, "%.*s", TUNE_NOTE_SIZE - 1, srt_error_last()->text);
	else
		list_boards(&reply, gpu);
	reply.device = gpu->device;
	return tune_wire_send(TUNE_CHILD_WRITES, TUNE_REPLY, &reply, sizeof reply, NULL, 0);
}

/* What a request says that follows it, does. */
static bool is_whole(const struct tune_frame *frame)
{
	const struct tune_problem_request *request = (const void *)frame->bytes;

	return frame->size - sizeof *request == request->text_bytes + request->element_bytes + request->image_bytes;
}

static bool serve_check(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	const struct tune_problem_request *request = (const void *)frame->bytes;
	struct tune_check_reply reply = {0};
	struct srt_strbuf text = {0};
	bool is_sent;

	if (!is_whole(frame))
		return false;
	reply.status = tune_gpu_check(&reply, &text, gpu, request, request + 1);
	if (reply.status)
		snprintf(reply.note, sizeof reply.note, "%.*s", TUNE_NOTE_SIZE - 1, srt_error_last()->text);
	is_sent = tune_wire_send(
		TUNE_CHILD_WRITES, TUNE_REPLY, &reply, sizeof reply, srt_strbuf_text(&text), text.length + 1);
	srt_strbuf_free(&text);
	return is_sent;
}

static bool serve_problem(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	struct tune_slot_reply reply = { .verdict = TUNE_OK };

	const struct tune_problem_request *request = (const void *)frame->bytes;

	if (!is_whole(frame))
		return false;
	note_failure(&reply, tune_gpu_prepare(gpu, request, request + 1));
	return send_slot(&reply, NULL, 0);
}

static bool serve_copy(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	const struct tune_copy_request *request = (const void *)frame->bytes;
	size_t size = frame->size - sizeof *request;
	struct tune_copy_reply reply = {0};
	struct srt_image image = {0};

	if (size)
		reply.status = tune_gpu_take_image(&image, gpu, &request->image, request + 1, size);
	if (!reply.status)
		reply.status = tune_measure_copy(&reply, gpu, &request->timing, size ? &image : NULL);
	if (reply.status)
		snprintf(reply.note, sizeof reply.note, "%.*s", TUNE_NOTE_SIZE - 1, srt_error_last()->text);
	srt_image_free(&image);
	return tune_wire_send(TUNE_CHILD_WRITES, TUNE_REPLY, &reply, sizeof reply, NULL, 0);
}

static void describe_kernel(struct tune_slot_reply *reply, const struct srt_kernel *kernel)
{
	reply->registers = kernel->registers;
	reply->local_bytes = kernel->local_bytes;
	reply->shared_bytes = kernel->static_shared + (int)kernel->dynamic_shared;
	reply->blocks_per_sm = kernel->blocks_per_sm;
}

static bool serve_load(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	const struct tune_load_request *request = (const void *)frame->bytes;
	struct tune_slot_reply reply = { .verdict = TUNE_OK };
	struct srt_image image;
	bool was_linked, is_sent;
	int status;

	assert(request->slot >= 0 && request->slot < TUNE_SLOTS_MAX);
	status = tune_gpu_take_image(&image, gpu, &request->image, request + 1, frame->size - sizeof *request);
	was_linked = status == SCANRT_OK && strcmp(image.key, request->image.key) != 0;
	if (!status)
		status = tune_gpu_load(gpu, request->slot, request, &image);
	note_failure(&reply, status);
	if (!status)
		describe_kernel(&reply, &gpu->slots[request->slot].kernel);
	reply.image = image;
	is_sent = send_slot(&reply, image.bytes, was_linked ? image.size : 0);
	srt_image_free(&image);
	return is_sent;
}

static bool serve_verify(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	const struct tune_verify_request *request = (const void *)frame->bytes;
	struct tune_slot_reply reply = { .verdict = TUNE_OK };
	enum tune_verdict verdict = TUNE_OK;
	double start = tune_now();
	int status;

	if (frame->kind == TUNE_VERIFY)
		status = tune_verify(&verdict, reply.note, gpu, request->slot, request->max_count);
	else
		status = tune_verify_large(&verdict, reply.note, gpu, request->slot, request->max_count);
	reply.verdict = (int)verdict;
	note_failure(&reply, status);
	reply.seconds = tune_now() - start;
	return send_slot(&reply, NULL, 0);
}

static bool serve_time(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	const struct tune_time_request *request = (const void *)frame->bytes;
	struct tune_slot_reply reply = { .verdict = TUNE_OK };
	double start = tune_now();

	note_failure(&reply, tune_measure(reply.us, &reply.sample_count, gpu, request->slot, &request->timing));
	for (int i = 0; i < reply.sample_count && tune_fault_is("fast", gpu->slots[request->slot].text); i++)
		reply.us[i] *= 0.2;
	reply.seconds = tune_now() - start;
	return send_slot(&reply, NULL, 0);
}

static bool serve_drop(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	const struct tune_drop_request *request = (const void *)frame->bytes;
	struct tune_slot_reply reply = { .verdict = TUNE_OK };

	tune_gpu_drop(gpu, request->slot);
	return send_slot(&reply, NULL, 0);
}

static bool serve(struct tune_gpu *gpu, const struct tune_frame *frame)
{
	static const struct {
		size_t size;
		bool (*serve)(struct tune_gpu *gpu, const struct tune_frame *frame);
	} services[] = {
		[TUNE_HELLO] = { sizeof(struct tune_hello_request), serve_hello },
		[TUNE_PROBLEM] = { sizeof(struct tune_problem_request), serve_problem },
		[TUNE_COPY] = { sizeof(struct tune_copy_request), serve_copy },
		[TUNE_LOAD] = { sizeof(struct tune_load_request), serve_load },
		[TUNE_VERIFY] = { sizeof(struct tune_verify_request), serve_verify },
		[TUNE_VERIFY_LARGE] = { sizeof(struct tune_verify_request), serve_verify },
		[TUNE_TIME] = { sizeof(struct tune_time_request), serve_time },
		[TUNE_CHECK] = { sizeof(struct tune_problem_request), serve_check },
		[TUNE_DROP] = { sizeof(struct tune_drop_request), serve_drop },
	};

	if (frame->kind >= sizeof services / sizeof services[0] || services[frame->kind].serve == NULL ||
	    frame->size < services[frame->kind].size)
		return false;
	srt_error_clear();
	return services[frame->kind].serve(gpu, frame);
}

int tune_gpu_worker(void)
{
	struct tune_gpu *gpu = calloc(1, sizeof *gpu);
	struct tune_reader reader = {0};
	struct tune_frame frame;
	bool goes_on = gpu != NULL;

	while (goes_on && tune_wire_wait(&frame, &reader, TUNE_CHILD_READS) == TUNE_WIRE_FRAME) {
		goes_on = serve(gpu, &frame);
		tune_frame_free(&frame);
	}
	tune_reader_free(&reader);
	if (gpu)
		tune_gpu_close(gpu);
	free(gpu);
	return 0;
}
