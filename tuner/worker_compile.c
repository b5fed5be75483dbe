/* SPDX-License-Identifier: MIT
 *
 * A compile worker: problem and variant in, image out.  NVRTC may crash or eat memory; then it takes this process with
 * it and nothing else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "problem_file.h"
#include "process.h"
#include "rtc.h"
#include "source.h"
#include "status.h"

static int build_copy(struct srt_image *image, const struct srt_rtc *rtc, const struct tune_compile_request *request,
	struct srt_strbuf *log)
{
	char arch[48];
	const char *options[] = { arch, "--std=c++17" };
	struct srt_rtc_job job = { .sources = srt_sources, .entry = "copy.cu", .options = options, .option_count = 2,
				   .is_ptx = request->is_ptx };

	snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", request->is_ptx ? "compute" : "sm",
		srt_rtc_nearest_arch(rtc, request->capability));
	memset(image, 0, sizeof *image);
	snprintf(image->entry, sizeof image->entry, "scan_copy");
	snprintf(image->codegen, sizeof image->codegen, request->is_ptx ? "ptx" : "sass");
	return srt_rtc_compile(&image->bytes, &image->size, rtc, &job, log);
}

int tune_compile_copy(struct srt_image *image, int capability, bool is_ptx)
{
	struct tune_compile_request request = { .capability = capability, .is_ptx = is_ptx };
	const struct srt_rtc *rtc;
	int status = srt_rtc_open(&rtc);

	return status ? status : build_copy(image, rtc, &request, NULL);
}

/* An architecture that this NVRTC does not know goes through PTX, unasked. */
static int build(struct srt_image *image, char toolchain[64], struct tune_compile_request *request,
	struct srt_strbuf *log)
{
	const struct srt_rtc *rtc;
	int status = srt_rtc_open(&rtc);

	if (status)
		return status;
	snprintf(toolchain, 64, "%s", srt_rtc_toolchain(rtc));
	request->is_ptx |= !srt_rtc_has_arch(rtc, request->capability);
	if (request->is_copy)
		return build_copy(image, rtc, request, log);
	if (request->tool[0])
		return srt_image_build_tool(image, rtc, &request->problem, request->tool, request->capability,
			request->is_ptx, log);
	if (request->is_ptx)
		return srt_image_build_ptx(image, rtc, &request->problem, &request->variant, request->capability, log);
	return srt_image_build(image, rtc, NULL, &request->problem, &request->variant, request->capability,
		SRT_CODEGEN_SASS, log);
}

/* The problem that the last request described: it is the same for all kernels, and its text was found good once. */
static struct tune_described described;

static int take_problem(struct tune_compile_request *request, const char *text, size_t length)
{
	int status = SCANRT_OK;

	request->problem.user = NULL; /* the parent's */
	if (!request->is_described)
		return SCANRT_OK;
	if (described.length != length || memcmp(described.text, text, length) != 0) {
		tune_described_free(&described);
		status = tune_described_parse(&described, "the problem", text, length);
	}
	if (!status)
		request->problem = tune_described_in_mode(&described,
			request->problem.is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE);
	return status;
}

static bool serve(const struct tune_frame *frame)
{
	struct tune_compile_request request;
	struct tune_compile_reply reply;
	struct srt_strbuf log = {0};
	size_t size;
	bool is_sent;

	if (frame->kind != TUNE_COMPILE || frame->size < sizeof request)
		return false;
	memcpy(&request, frame->bytes, sizeof request);
	memset(&reply, 0, sizeof reply);
	reply.status = take_problem(
		&request, (const char *)frame->bytes + sizeof request, frame->size - sizeof request);
	if (!reply.status)
		reply.status = build(&reply.image, reply.toolchain, &request, &log);
	if (reply.status)
		snprintf(reply.note, sizeof reply.note, "%.*s", TUNE_NOTE_SIZE - 1, srt_error_last()->text);
	/* The terminator of PTX travels with it. */
	size = reply.status ? 0 : reply.image.size + (strcmp(reply.image.codegen, "ptx") == 0);
	is_sent = tune_wire_send(TUNE_CHILD_WRITES, TUNE_REPLY, &reply, sizeof reply, reply.image.bytes, size);
	srt_image_free(&reply.image);
	srt_strbuf_free(&log);
	return is_sent;
}

int tune_compile_worker(void)
{
	struct tune_reader reader = {0};
	struct tune_frame frame;
	bool goes_on = true;

	while (goes_on && tune_wire_wait(&frame, &reader, TUNE_CHILD_READS) == TUNE_WIRE_FRAME) {
		goes_on = serve(&frame);
		tune_frame_free(&frame);
	}
	tune_described_free(&described);
	tune_reader_free(&reader);
	return 0;
}
