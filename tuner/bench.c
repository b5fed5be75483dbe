/* SPDX-License-Identifier: MIT
 *
 * scantune bench: the library's plan as a program gets it, database and all, beside a copy of the same bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"
#include "counters.h"
#include "gpu.h"
#include "json.h"
#include "rtc.h"
#include "stated.h"
#include "statistics.h"
#include "status.h"
#include "tune.h"

#define SAMPLES 41
#define BASE_BYTES ((uint64_t)24 << 20)

/* One case: a problem at a count. */
struct bench {
	const struct tune_options *options;
	struct tune_gpu *gpu;
	struct scanrt_context *context;
	struct scanrt_plan *plan;
	struct srt_problem problem;
	struct tune_timing timing;
	struct scanrt_plan_description description;
	struct tune_summary summary;
	struct tune_copy_reply copy;
	struct srt_image copy_image;
};

static int fail(int status)
{
	fprintf(stderr, "scantune: %s\n", srt_error_last()->text);
	return status;
}

/* ---- One case ---- */

static int make_plan(struct bench *bench)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	int status;

	if (bench->gpu->described) {
		bench->gpu->described->op.state = (const void *)(uintptr_t)bench->gpu->state.address;
		problem = bench->gpu->described->given;
	} else {
		problem.input_type = bench->problem.input_type;
		problem.op = bench->problem.op;
	}
	problem.mode = bench->problem.is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;
	problem.max_count = bench->timing.count;
	options.variant = bench->options->variant;
	options.flags = (bench->options->codegen == SRT_CODEGEN_PTX ? SCANRT_CODEGEN_PTX : 0) |
		(bench->options->is_reproducible ? SCANRT_REPRODUCIBLE : 0);
	status = scanrt_plan_create(&bench->plan, bench->context, &problem, &options);
	bench->description = description;
	if (!status)
		status = scanrt_plan_describe(bench->plan, bench->timing.count, &bench->description, NULL, 0);
	return status;
}

/* The worker's part in this process: a problem of its own, since the GPU's side frees what it is given. */
static int prepare_described(struct bench *bench, const struct tune_problem_request *request)
{
	const struct tune_described *from = bench->options->described;
	bool is_ptx = bench->gpu->device.is_emulated == 1 || bench->options->codegen == SRT_CODEGEN_PTX;
	struct tune_described *described = calloc(1, sizeof *described);
	const struct srt_rtc *rtc = NULL;
	struct srt_image image = {0};
	int status = described ? srt_rtc_open(&rtc) : SCANRT_ERROR_OUT_OF_MEMORY;

	if (!status)
		status = tune_described_parse(described, from->name, from->text, from->length);
	if (!status && from->element_count)
		status = tune_described_copy_elements(described, from->elements,
			from->element_count * srt_problem_size(&from->problem, SRT_INPUT));
	if (!status)
		status = srt_image_build_tool(&image, rtc, &described->problem, "reference.cu",
			bench->gpu->device.capability, is_ptx, NULL);
	if (!status && is_ptx)
		status = srt_image_link(&image, bench->gpu->driver, NULL);
	if (!status) {
		status = tune_gpu_prepare_described(bench->gpu, request, described, &image);
	} else if (described) {
		tune_described_free(described);
		free(described);
	}
	srt_image_free(&image);
	return status;
}

static int prepare(struct bench *bench, const struct tune_class *klass)
{
	size_t element = tune_element_bytes(&bench->problem);
	struct tune_problem_request request = { .problem = bench->problem, .seed = bench->options->seed,
						.workspace_bytes = 4096 };

	bench->timing = klass->timing;
	bench->timing.samples = SAMPLES;
	request.base_count = klass->timing.count < BASE_BYTES / element ? klass->timing.count : BASE_BYTES / element;
	request.arena_bytes = tune_classes_bytes(klass, 1, element);
	if (bench->options->described)
		return prepare_described(bench, &request);
	return tune_gpu_prepare(bench->gpu, &request, NULL);
}

/* A time without a right result is worth nothing. */
static int check(struct bench *bench)
{
	struct tune_gpu *gpu = bench->gpu;
	CUdeviceptr out = gpu->output + TUNE_GUARD_BYTES;
	enum tune_verdict verdict = TUNE_OK;
	char note[TUNE_NOTE_SIZE];
	int status = scanrt_plan_execute(bench->plan, (void *)(uintptr_t)out, (const void *)(uintptr_t)gpu->input,
		bench->timing.count, gpu->stream);

	if (!status)
		status = SRT_CALL(gpu->driver, cuStreamSynchronize, (gpu->stream));
	if (!status)
		status = tune_check_output(&verdict, note, gpu, bench->timing.count, bench->problem.is_exclusive);
	if (!status && verdict != TUNE_OK)
		status = srt_fail(SCANRT_ERROR_IMAGE, "%s: %s", bench->description.variant, note);
	return status;
}

/* PTX is linked here; where there is no compiler, the driver's copy is the ceiling. */
static const struct srt_image *copy_image(struct bench *bench)
{
	struct srt_image *image = &bench->copy_image;
	bool is_ptx = bench->gpu->device.is_emulated == 1 || bench->options->codegen == SRT_CODEGEN_PTX;

	if (image->bytes == NULL) {
		if (tune_compile_copy(image, bench->gpu->device.capability, is_ptx) != SCANRT_OK ||
		    (is_ptx && srt_image_link(image, bench->gpu->driver, NULL) != SCANRT_OK))
			srt_image_free(image);
	}
	return image->bytes ? image : NULL;
}

/* One launch under the eyes of the emulated device, in place of many that are timed. */
static int count_launch(struct bench *bench)
{
	struct tune_counters counters;
	int status;

	if (bench->gpu->device.is_emulated != 1)
		return srt_fail(SCANRT_ERROR_UNSUPPORTED, "only the emulated device counts what a launch does");
	if (!tune_counters_begin(&counters))
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no temporary file for the counters");
	status = check(bench);
	tune_counters_end(&counters);
	if (!status && bench->options->is_json) {
		printf("%s\n", counters.line ? counters.line : "");
	} else if (!status) {
		printf("%s %s%s %" PRIu64 " by %s\n", srt_problem_op_name(&bench->problem),
			srt_problem_type_name(&bench->problem, SRT_INPUT),
			bench->problem.is_exclusive ? " exclusive" : "",
			bench->timing.count, bench->description.variant);
		tune_counters_print(&counters, bench->timing.count);
	}
	tune_counters_free(&counters);
	return status;
}

static int measure(struct bench *bench)
{
	struct tune_values values = {0};
	double us[TUNE_SAMPLES_MAX];
	int status;

	memset(&bench->copy, 0, sizeof bench->copy);
	status = tune_measure_copy(&bench->copy, bench->gpu, &bench->timing, copy_image(bench));
	if (!status)
		status = tune_measure_plan(us, bench->gpu, bench->plan, &bench->timing);
	for (int i = 0; !status && i < bench->timing.samples; i++)
		tune_values_add(&values, us[i]);
	bench->summary = tune_summarise(&values);
	return status;
}

/* ---- Output ---- */

static void print_json(const struct bench *bench)
{
	const struct srt_problem *problem = &bench->problem;
	const struct srt_rtc *rtc = NULL;
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "gpu", bench->gpu->device.name);
	tune_json_integer(&out, "driver", bench->gpu->device.driver_version);
	tune_json_text(&out, "nvrtc", srt_rtc_open(&rtc) == SCANRT_OK ? srt_rtc_toolchain(rtc) : NULL);
	tune_json_text(&out, "commit", getenv("SCANTUNE_COMMIT"));
	tune_json_text(&out, "type", srt_problem_type_name(problem, SRT_INPUT));
	tune_json_text(&out, "op", srt_problem_op_name(problem));
	tune_json_text(&out, "mode", problem->is_exclusive ? "exclusive" : "inclusive");
	tune_json_integer(&out, "count", (long long)bench->timing.count);
	tune_json_text(&out, "layout", "contiguous");
	tune_json_text(&out, "variant", bench->description.variant);
	tune_json_text(&out, "origin", tune_origin_name(bench->description.origin));
	tune_json_number(&out, "us", bench->summary.median);
	tune_json_number(&out, "low_us", bench->summary.low);
	tune_json_number(&out, "high_us", bench->summary.high);
	tune_json_number(&out, "copy_us", bench->copy.us);
	tune_json_number(&out, "share", bench->copy.us / bench->summary.median);
	tune_json_text(&out, "peer", NULL);
	tune_json_text(&out, "peer_us", NULL);
	tune_json_text(&out, "ratio", NULL);
	tune_json_print(&out);
}

static void print(const struct bench *bench)
{
	double bytes = (double)bench->timing.count * (double)tune_moved_bytes(&bench->problem);
	char name[160];

	if (bench->options->is_json) {
		print_json(bench);
		return;
	}
	snprintf(name, sizeof name, "%s %s%s", srt_problem_op_name(&bench->problem),
		srt_problem_type_name(&bench->problem, SRT_INPUT),
		bench->problem.is_exclusive ? " exclusive" : "");
	printf("%-18s %11" PRIu64 "  %-44s %-8s %10.2f us %8.1f GB/s %5.1f %% of a copy\n", name, bench->timing.count,
		bench->description.variant, tune_origin_name(bench->description.origin), bench->summary.median,
		bytes / bench->summary.median * 1e-3, 100 * bench->copy.us / bench->summary.median);
	fflush(stdout);
}

/* ---- All cases ---- */

static int run_case(struct bench *bench, const struct tune_class *klass)
{
	int status = prepare(bench, klass);

	if (!status)
		status = make_plan(bench);
	if (!status)
		status = bench->options->is_counting ? count_launch(bench) : check(bench);
	for (int i = 0; !status && !bench->options->is_counting && i < bench->options->repeat; i++) {
		status = measure(bench);
		if (!status)
			print(bench);
	}
	scanrt_plan_destroy(bench->plan);
	bench->plan = NULL;
	return status;
}

/* How a count is timed goes by the class that it belongs to. */
static int run_problem(struct bench *bench)
{
	const struct tune_options *options = bench->options;
	const struct srt_device *device = &bench->gpu->device;
	size_t element = tune_element_bytes(&bench->problem);
	double pace = device->is_emulated == 1 ? 1e5 : 0;
	struct tune_class classes[TUNE_CLASS_MAX];
	int status = SCANRT_OK;
	size_t used;

	for (size_t i = 0; !status && i < options->count_count; i++) {
		tune_classes(classes, device, element, &options->counts[i], 1, pace);
		status = run_case(bench, &classes[0]);
	}
	if (options->count_count)
		return status;
	used = tune_classes(classes, device, element, NULL, 0, pace);
	for (size_t i = 0; !status && i < used; i++)
		status = run_case(bench, &classes[i]);
	return status;
}

static int run_all(struct bench *bench)
{
	const struct tune_options *options = bench->options;
	int status = SCANRT_OK;

	for (size_t i = 0; !status && i < options->target_count; i++)
		for (size_t mode = 0; !status && mode < options->mode_count; mode++) {
			status = tune_problem_of(
				&bench->problem, options, &options->targets[i], options->modes[mode]);
			if (!status)
				status = run_problem(bench);
		}
	return status;
}

int tune_command_bench(const struct tune_options *options)
{
	struct scanrt_context_options context_options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct bench bench = { .options = options, .gpu = calloc(1, sizeof *bench.gpu) };
	int status = bench.gpu ? tune_gpu_open(bench.gpu, options->device) : SCANRT_ERROR_OUT_OF_MEMORY;

	context_options.device = options->device;
	context_options.database = options->database;
	if (!status)
		status = scanrt_context_create(&bench.context, &context_options);
	if (!status)
		status = run_all(&bench);
	if (status)
		fail(status);
	scanrt_context_destroy(bench.context);
	srt_image_free(&bench.copy_image);
	if (bench.gpu)
		tune_gpu_close(bench.gpu);
	free(bench.gpu);
	return tune_exit_of(status);
}
