/* SPDX-License-Identifier: MIT
 *
 * The device of bench/table, and what lives as long as the program.
 */
#include <string.h>

#include "image.h"
#include "rtc.h"
#include "source.h"
#include "status.h"
#include "table.h"

#define SLACK 4096              /* behind either arena, for arrays that begin off a boundary */
#define MOST_BYTES ((size_t)33 << 30)
#define QUICK_BYTES ((size_t)17 << 30)
#define MEMORY_SHARE 0.42       /* of what is free, for each arena */
#define MODEL_BYTES ((size_t)1 << 20)
#define MODEL_COUNT 3000

static int open_driver(struct bench *bench)
{
	int ordinal;
	int status = srt_driver_open(&bench->driver, &ordinal, bench->options.device);

	if (!status)
		status = srt_device_query(&bench->device, bench->driver, ordinal);
	if (!status)
		status = SRT_CALL(bench->driver, cuDeviceGet, (&bench->handle, ordinal));
	if (!status)
		status = SRT_CALL(bench->driver, cuDevicePrimaryCtxRetain, (&bench->cuda_context, bench->handle));
	/* Current from here on: the library and other libraries' runtime find it. */
	if (!status)
		status = SRT_CALL(bench->driver, cuCtxSetCurrent, (bench->cuda_context));
	bench->is_modelled = bench->device.is_emulated == 1;
	return status;
}

static int open_contest(struct bench *bench)
{
	struct tune_contest *contest = &bench->contest;
	const struct srt_rtc *rtc = NULL;
	int status;

	contest->driver = bench->driver;
	contest->is_modelled = bench->is_modelled;
	bench->toolchain = srt_rtc_open(&rtc) == SCANRT_OK ? srt_rtc_toolchain(rtc) : NULL;
	status = SRT_CALL(bench->driver, cuStreamCreate, (&contest->stream, CU_STREAM_NON_BLOCKING));
	if (!status)
		status = SRT_CALL(bench->driver, cuEventCreate, (&contest->before, CU_EVENT_DEFAULT));
	if (!status)
		status = SRT_CALL(bench->driver, cuEventCreate, (&contest->after, CU_EVENT_DEFAULT));
	return status;
}

static int open_memory(struct bench *bench)
{
	size_t available = 0, total = 0, wanted = bench->options.is_quick ? QUICK_BYTES : MOST_BYTES;
	int status = SRT_CALL(bench->driver, cuMemGetInfo, (&available, &total));

	bench->capacity = (size_t)(MEMORY_SHARE * (double)available) / SLACK * SLACK;
	if (bench->capacity > wanted)
		bench->capacity = wanted;
	bench->most_count = UINT64_MAX;
	if (bench->is_modelled) {
		bench->capacity = MODEL_BYTES;
		bench->most_count = MODEL_COUNT;
	}
	if (!status)
		status = SRT_CALL(bench->driver, cuMemAlloc, (&bench->in, bench->capacity + SLACK));
	if (!status)
		status = SRT_CALL(bench->driver, cuMemAlloc, (&bench->out, bench->capacity + SLACK));
	if (!status)
		status = SRT_CALL(bench->driver, cuMemAlloc, (&bench->wrong, 2 * sizeof(uint64_t)));
	return status;
}

/* An emulated device executes PTX, and a GPU machine code; an architecture that this NVRTC does not know goes through
 * PTX, too. */
int bench_compile(struct srt_image *image, const struct bench *bench, const struct srt_source *sources,
	const char *entry, const char *const *options, size_t count)
{
	const char *all[8];
	struct srt_rtc_job job = { .sources = sources, .entry = entry, .options = all, .option_count = count + 2,
				   .is_ptx = bench->is_modelled };
	struct srt_strbuf log = {0};
	const struct srt_rtc *rtc;
	char arch[48];
	int status = srt_rtc_open(&rtc);

	if (status)
		return status;
	job.is_ptx |= !srt_rtc_has_arch(rtc, bench->device.capability);
	snprintf(arch, sizeof arch, "--gpu-architecture=%s_%d", job.is_ptx ? "compute" : "sm",
		srt_rtc_nearest_arch(rtc, bench->device.capability));
	all[0] = arch;
	all[1] = "--std=c++17";
	for (size_t i = 0; i < count; i++)
		all[2 + i] = options[i];
	snprintf(image->codegen, sizeof image->codegen, job.is_ptx ? "ptx" : "sass");
	status = srt_rtc_compile(&image->bytes, &image->size, rtc, &job, &log);
	if (!status && job.is_ptx)
		status = srt_image_link(image, bench->driver, NULL);
	if (status == SCANRT_ERROR_COMPILE)
		fprintf(stderr, "%s\n", srt_strbuf_text(&log));
	srt_strbuf_free(&log);
	return status;
}

static int open_copy(struct bench *bench)
{
	struct srt_image image = {0};
	int status = bench_compile(&image, bench, srt_sources, "copy.cu", NULL, 0);

	if (!status)
		status = SRT_CALL(bench->driver, cuModuleLoadData, (&bench->copy_module, image.bytes));
	if (!status)
		status = SRT_CALL(
			bench->driver, cuModuleGetFunction, (&bench->copy_kernel, bench->copy_module, "scan_copy"));
	srt_image_free(&image);
	return status;
}

int bench_open(struct bench *bench)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	int status = open_driver(bench);

	options.device = bench->options.device;
	if (!status)
		status = open_contest(bench);
	if (!status)
		status = scanrt_context_create(&bench->context, &options);
	if (!status)
		status = open_memory(bench);
	if (!status)
		status = open_copy(bench);
	bench->no_peers = "they run on GPUs only";
	if (!status && !bench->is_modelled)
		bench->peers = tune_peers_open(&bench->no_peers);
	if (!status && !bench->is_modelled)
		bench->user_peers = tune_peers_open_user();
	return status;
}

void bench_close(struct bench *bench)
{
	if (bench->cuda_context == NULL)
		return;
	scanrt_plan_destroy(bench->plan);
	scanrt_context_destroy(bench->context);
	for (size_t i = 0; i < bench->module_count; i++)
		bench->driver->cuModuleUnload(bench->modules[i].module);
	if (bench->copy_module)
		bench->driver->cuModuleUnload(bench->copy_module);
	bench->driver->cuMemFree(bench->in);
	bench->driver->cuMemFree(bench->out);
	bench->driver->cuMemFree(bench->wrong);
	if (bench->contest.stream)
		bench->driver->cuStreamDestroy(bench->contest.stream);
	bench->driver->cuDevicePrimaryCtxRelease(bench->handle);
}
