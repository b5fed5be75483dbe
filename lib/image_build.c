/* SPDX-License-Identifier: MIT
 *
 * Sources and options to machine code: by NVRTC alone, or by NVRTC and the driver's linker.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "image.h"
#include "recipe.h"
#include "rtc.h"
#include "status.h"
#include "user_undefined.h"

#define ENTRY_SOURCE "scan.cu"
#define USER_SOURCE "user_text.cuh"
#define CHECK_SOURCE "user_check.cu"
#define TEXT_END "the end of the problem's text" /* what user_text.c calls what stands behind the user's text */
#define LINK_LOG_SIZE 4096
/* The kernels use instructions of PTX 8.0 where the architecture has them. */
#define BULK_COPY_CAPABILITY 90
#define BULK_COPY_VERSION 12000

void srt_image_free(struct srt_image *image)
{
	free(image->bytes);
	memset(image, 0, sizeof(*image));
}

/* Of "sm_90" and "compute_90". */
static int capability_of(const char *arch)
{
	const char *number = strchr(arch, '_');

	assert(number);
	return atoi(number + 1);
}

/* The sources of one compilation: ours, and what the problem brings in the place of kernels/user_text.cuh. */
static struct srt_source *make_sources(const struct srt_problem *problem)
{
	struct srt_source *sources;
	size_t count = 0;
	size_t i;

	while (srt_sources[count].name)
		count++;
	sources = calloc(count + 1, sizeof(*sources));
	if (!sources)
		return NULL;
	for (i = 0; i < count; i++) {
		sources[i] = srt_sources[i];
		if (problem->user && strcmp(sources[i].name, USER_SOURCE) == 0) {
			sources[i].text = problem->user->text;
			sources[i].length = strlen(problem->user->text);
		}
	}
	return sources;
}

/* What the first error says, in as few words as do.  A failed assertion of ours is its own message, with the numbers
 * that the compiler found behind it; where in our text it stands helps nobody. */
static int explain(const struct srt_strbuf *log)
{
	const char *message = strstr(srt_error_last()->text, "does not compile: ");
	const char *quote = message ? strstr(message, "static assertion failed with \"") : NULL;
	const char *numbers = strstr(srt_strbuf_text(log), "[with found=");
	unsigned long long found = 0;
	unsigned long long stated = 0;
	char text[512];

	message = message ? strchr(message, ':') + 2 : srt_error_last()->text;
	if (!quote || (strncmp(message, TEXT_END, strlen(TEXT_END)) != 0 &&
			strncmp(message, CHECK_SOURCE, strlen(CHECK_SOURCE)) != 0)) {
		snprintf(text, sizeof(text), "%.500s", message);
	} else {
		quote = strchr(quote, '"') + 1;
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(quote, "\""), quote);
	}
	if (quote && numbers && sscanf(numbers, "[with found=%lluULL, stated=%llu", &found, &stated) == 2)
		return srt_fail_compiler(SCANRT_ERROR_TEXT, srt_error_last()->nvrtc_result,
			"%s: %llu were stated, and the compiler finds %llu", text, stated, found);
	return srt_fail_compiler(SCANRT_ERROR_TEXT, srt_error_last()->nvrtc_result, "the problem's text: %s", text);
}

/* The kernels compile without the text, and the text without the kernels.  What a kernel asserts is about the
 * variant. */
static int explain_clash(const struct srt_error *error)
{
	if (strstr(error->text, "static assertion")) {
		srt_error_restore(error);
		return error->status;
	}
	return srt_fail_compiler(error->status, error->nvrtc_result,
		"the problem's text compiles by itself and not with the kernels, as with a name that both define: %s",
		error->text);
}

/* A function that is called and never defined is found by whoever links, which for PTX would be the driver, or another
 * process: none of them knows a line. */
static int check_undefined(int status, const struct srt_rtc_job *job, const struct srt_problem *problem, void **ptx)
{
	const char *output = status == SCANRT_OK ? *ptx : srt_error_last()->text;
	int result = status == SCANRT_OK ? 0 : srt_error_last()->nvrtc_result;
	struct srt_user_undefined found;

	if (!problem->user || (status && status != SCANRT_ERROR_COMPILE) || (!status && !job->is_ptx) ||
			!srt_user_find_undefined(&found, output, problem->user->text))
		return status;
	if (!status) {
		free(*ptx);
		*ptx = NULL;
	}
	return srt_fail_compiler(SCANRT_ERROR_TEXT, result,
		"the problem's text: %s(%d): error: function %s is declared and called, but not defined", found.part,
		found.line, found.name);
}

/* A kernel that does not compile, of a text of the caller's: if the text alone does not either, that is what is told,
 * without what surrounds it.  A text that is good is compiled once. */
static int check_user(int status, const struct srt_rtc *rtc, const struct srt_rtc_job *job,
	const struct srt_problem *problem, const char *arch, struct srt_strbuf *log)
{
	char target[40];
	const char *options[] = { target, "--std=c++17", "--device-as-default-execution-space" };
	struct srt_strbuf messages = { 0 };
	struct srt_rtc_job alone = { .sources = job->sources, .entry = CHECK_SOURCE, .options = options,
		.option_count = sizeof(options) / sizeof(options[0]), .is_ptx = true };
	struct srt_error error;
	void *ptx = NULL;
	size_t size = 0;

	if (status != SCANRT_ERROR_COMPILE || !problem->user)
		return status;
	srt_error_save(&error);
	snprintf(target, sizeof(target), "--gpu-architecture=compute_%d", capability_of(arch));
	status = srt_rtc_compile(&ptx, &size, rtc, &alone, &messages);
	free(ptx);
	if (status == SCANRT_ERROR_COMPILE) {
		status = explain(&messages);
		if (log) {
			srt_strbuf_clear(log);
			srt_strbuf_append(log, srt_strbuf_text(&messages));
		}
	} else {
		status = explain_clash(&error);
	}
	srt_strbuf_free(&messages);
	return status;
}

static int compile(void **bytes, size_t *size, const struct srt_rtc *rtc, const struct srt_problem *problem,
	const struct srt_variant *variant, const char *arch, const char *entry, struct srt_strbuf *log)
{
	struct srt_options options;
	struct srt_source *sources;
	struct srt_rtc_job job = { .entry = ENTRY_SOURCE };
	int status;

	if (capability_of(arch) >= BULK_COPY_CAPABILITY && srt_rtc_version(rtc) < BULK_COPY_VERSION)
		return srt_fail(SCANRT_ERROR_COMPILER_TOO_OLD, "%s is too old for %s: CUDA 12.0 or newer is needed",
			srt_rtc_toolchain(rtc), arch);
	sources = make_sources(problem);
	if (!sources)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory to compile a kernel");
	srt_options_make(&options, problem, variant, arch, entry);
	job.sources = sources;
	job.options = options.list;
	job.option_count = options.count;
	job.is_ptx = strncmp(arch, "compute_", 8) == 0;
	status = srt_rtc_compile(bytes, size, rtc, &job, log);
	status = check_undefined(status, &job, problem, bytes);
	status = check_user(status, rtc, &job, problem, arch, log);
	free(sources);
	return status;
}

int srt_image_build_tool(struct srt_image *image, const struct srt_rtc *rtc, const struct srt_problem *problem,
	const char *file, int capability, bool is_ptx, struct srt_strbuf *log)
{
	struct srt_source *sources = make_sources(problem);
	struct srt_rtc_job job = { .sources = sources, .entry = file, .is_ptx = is_ptx };
	struct srt_options options;
	char arch[24];
	int status;

	memset(image, 0, sizeof(*image));
	if (!sources)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory to compile a kernel");
	snprintf(arch, sizeof(arch), "%s_%d", is_ptx ? "compute" : "sm", srt_rtc_nearest_arch(rtc, capability));
	snprintf(image->entry, sizeof(image->entry), "%s", file);
	snprintf(image->codegen, sizeof(image->codegen), is_ptx ? "ptx" : "sass");
	snprintf(image->toolchain, sizeof(image->toolchain), "%s", srt_rtc_toolchain(rtc));
	srt_options_make_plain(&options, problem, arch);
	job.options = options.list;
	job.option_count = options.count;
	status = srt_rtc_compile(&image->bytes, &image->size, rtc, &job, log);
	status = check_undefined(status, &job, problem, &image->bytes);
	status = check_user(status, rtc, &job, problem, arch, log);
	free(sources);
	return status;
}

int srt_image_compile(void **bytes, size_t *size, const struct srt_rtc *rtc, const struct srt_problem *problem,
	const struct srt_variant *variant, const char *arch, struct srt_strbuf *log)
{
	char recipe[SRT_HASH_TEXT];
	char entry[40];
	int status = srt_image_recipe(recipe, entry, problem, variant, capability_of(arch));

	if (status)
		return status;
	return compile(bytes, size, rtc, problem, variant, arch, entry, log);
}

/* ---- The driver's linker ---- */

struct link_log {
	char text[LINK_LOG_SIZE];
	CUjit_option names[2];
	void *values[2];
};

/* The options point into the log and are read until the link state is destroyed. */
static void prepare_log(struct link_log *log)
{
	log->text[0] = '\0';
	log->names[0] = CU_JIT_ERROR_LOG_BUFFER;
	log->values[0] = log->text;
	log->names[1] = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
	log->values[1] = (void *)(uintptr_t)sizeof(log->text);
}

static int fail_link(const struct srt_driver *driver, CUresult result, const char *call,
	const struct link_log *messages, struct srt_strbuf *log)
{
	if (log)
		srt_strbuf_append(log, messages->text);
	/* The linker's words say more than the name of the result, where there are any. */
	if (messages->text[0] == '\0' || srt_driver_is_sticky(result))
		return srt_driver_fail(driver, SCANRT_ERROR_LINK, result, call);
	return srt_fail_driver(SCANRT_ERROR_LINK, (int)result, "%s: %.*s", call, (int)strcspn(messages->text, "\n"),
		messages->text);
}

static int copy_cubin(struct srt_image *image, const void *cubin, size_t size)
{
	image->bytes = malloc(size);
	if (!image->bytes)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a kernel of %zu bytes", size);
	memcpy(image->bytes, cubin, size);
	image->size = size;
	return SCANRT_OK;
}

/* The terminator is part of PTX that is given as data. */
static int link_ptx(struct srt_image *image, const struct srt_driver *driver, const char *ptx, size_t size,
	struct srt_strbuf *log)
{
	struct link_log messages;
	const char *call = "cuLinkCreate";
	CUlinkState state = NULL;
	void *cubin = NULL;
	size_t cubin_size = 0;
	CUresult result;
	int status;

	prepare_log(&messages);
	result = driver->cuLinkCreate(2, messages.names, messages.values, &state);
	if (result == CUDA_SUCCESS) {
		call = "cuLinkAddData";
		result = driver->cuLinkAddData(
			state, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, size + 1, image->entry, 0, NULL, NULL);
	}
	if (result == CUDA_SUCCESS) {
		call = "cuLinkComplete";
		result = driver->cuLinkComplete(state, &cubin, &cubin_size);
	}
	/* The cubin belongs to the link state. */
	if (result == CUDA_SUCCESS)
		status = copy_cubin(image, cubin, cubin_size);
	else
		status = fail_link(driver, result, call, &messages, log);
	if (state)
		driver->cuLinkDestroy(state);
	return status;
}

/* ---- Both ways ---- */

static int build_sass(struct srt_image *image, const struct srt_rtc *rtc, const struct srt_problem *problem,
	const struct srt_variant *variant, struct srt_strbuf *log)
{
	snprintf(image->codegen, sizeof(image->codegen), "sass");
	snprintf(image->toolchain, sizeof(image->toolchain), "%s", srt_rtc_toolchain(rtc));
	return compile(&image->bytes, &image->size, rtc, problem, variant, image->arch, image->entry, log);
}

int srt_image_link(struct srt_image *image, const struct srt_driver *driver, struct srt_strbuf *log)
{
	char *ptx = image->bytes;
	size_t size = image->size;
	size_t length = strlen(image->toolchain);
	int status;

	image->bytes = NULL;
	status = link_ptx(image, driver, ptx, size, log);
	free(ptx);
	/* The machine code is the driver's: another driver makes other code of the same PTX. */
	snprintf(image->toolchain + length, sizeof(image->toolchain) - length, " jit %d", driver->version);
	if (!status)
		srt_key_make(image->key, image->recipe, image->toolchain, image->codegen, image->arch);
	return status;
}

int srt_image_build_ptx(struct srt_image *image, const struct srt_rtc *rtc, const struct srt_problem *problem,
	const struct srt_variant *variant, int capability, struct srt_strbuf *log)
{
	int nearest = srt_rtc_nearest_arch(rtc, capability);
	struct srt_image made = { 0 };
	char arch[24];
	int status = srt_image_recipe(made.recipe, made.entry, problem, variant, capability);

	if (status)
		return status;
	snprintf(made.arch, sizeof(made.arch), "sm_%d", capability);
	if (nearest == 0)
		return srt_fail(SCANRT_ERROR_COMPILER, "%s makes no code for %s", srt_rtc_toolchain(rtc), made.arch);
	snprintf(made.codegen, sizeof(made.codegen), "ptx");
	snprintf(made.toolchain, sizeof(made.toolchain), "%s", srt_rtc_toolchain(rtc));
	snprintf(arch, sizeof(arch), "compute_%d", nearest);
	status = compile(&made.bytes, &made.size, rtc, problem, variant, arch, made.entry, log);
	if (!status)
		*image = made;
	return status;
}

static int build_linked(struct srt_image *image, const struct srt_rtc *rtc, const struct srt_driver *driver,
	const struct srt_problem *problem, const struct srt_variant *variant, int capability, struct srt_strbuf *log)
{
	int status;

	if (!driver)
		return srt_fail(SCANRT_ERROR_COMPILER,
			"%s makes no machine code for %s, and there is no driver to do so", srt_rtc_toolchain(rtc),
			image->arch);
	status = srt_image_build_ptx(image, rtc, problem, variant, capability, log);
	if (!status)
		status = srt_image_link(image, driver, log);
	return status;
}

int srt_image_build(struct srt_image *image, const struct srt_rtc *rtc, const struct srt_driver *driver,
	const struct srt_problem *problem, const struct srt_variant *variant, int capability, int codegen,
	struct srt_strbuf *log)
{
	int nearest = srt_rtc_nearest_arch(rtc, capability);
	struct srt_image made = { 0 };
	int status;

	status = srt_image_recipe(made.recipe, made.entry, problem, variant, capability);
	if (status)
		return status;
	snprintf(made.arch, sizeof(made.arch), "sm_%d", capability);
	if (nearest == 0 || (codegen == SRT_CODEGEN_SASS && nearest != capability))
		return srt_fail(SCANRT_ERROR_COMPILER, "%s makes no code for %s", srt_rtc_toolchain(rtc), made.arch);
	if (nearest == capability && codegen != SRT_CODEGEN_PTX)
		status = build_sass(&made, rtc, problem, variant, log);
	else
		status = build_linked(&made, rtc, driver, problem, variant, capability, log);
	if (status) {
		srt_image_free(&made);
		return status;
	}
	srt_key_make(made.key, made.recipe, made.toolchain, made.codegen, made.arch);
	*image = made;
	return SCANRT_OK;
}
