/* SPDX-License-Identifier: MIT
 *
 * NVRTC's functions, and the only file that knows nvrtc.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv, dladdr */
#endif
#include "rtc.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_id.h"
#include "rtc_library.h"
#include "status.h"

#define LEAST_VERSION 11070 /* the first that knows __grid_constant__ */
#define MOST_ARCHS 64
/* From here on NVRTC keeps a cache of its own on disk, which is of no use beside ours. */
#define CACHE_VERSION 12090

/* The functions have the types that nvrtc.h declares, without naming the declared symbols: nothing links to NVRTC. */
struct functions {
#define FN(name) __typeof__(name) *name;
#include "rtc.def"
#undef FN
};

struct srt_rtc {
	struct functions call;
	int version;
	int archs[MOST_ARCHS];
	int arch_count;
	char toolchain[64];
	char path[256];
	struct srt_rtc *next;
	char asked[]; /* what SCANRT_LIBNVRTC was, or "" */
};

static const struct {
	const char *name;
	size_t offset;
} rows[] = {
#define FN(name) { #name, offsetof(struct functions, name) },
#include "rtc.def"
#undef FN
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct srt_rtc *list;

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Opening ---- */

static void describe(struct srt_rtc *rtc)
{
	char build[SRT_BUILD_ID_SIZE];
	Dl_info info;
	void *address;

	memcpy(&address, &rtc->call.nvrtcVersion, sizeof(address));
	srt_build_id(build, address);
	snprintf(rtc->toolchain, sizeof(rtc->toolchain), "nvrtc %d.%d build %s", rtc->version / 1000,
		rtc->version % 1000 / 10, build);
	if (dladdr(address, &info) && info.dli_fname)
		snprintf(rtc->path, sizeof(rtc->path), "%s", info.dli_fname);
}

static int fail_call(const struct srt_rtc *rtc, nvrtcResult result, const char *call)
{
	int status = result == NVRTC_ERROR_OUT_OF_MEMORY ? SCANRT_ERROR_OUT_OF_MEMORY : SCANRT_ERROR_COMPILER;

	return srt_fail_compiler(status, (int)result, "%s: %s (%d)", call, rtc->call.nvrtcGetErrorString(result),
		(int)result);
}

static int find_functions(struct srt_rtc *rtc, void *library)
{
	void *address;
	size_t i;

	for (i = 0; i < COUNT_OF(rows); i++) {
		address = dlsym(library, rows[i].name);
		if (!address)
			return srt_fail(SCANRT_ERROR_COMPILER_TOO_OLD,
				"NVRTC has no function %s: CUDA 11.7 or newer is needed", rows[i].name);
		memcpy((char *)&rtc->call + rows[i].offset, &address, sizeof(address));
	}
	return SCANRT_OK;
}

static int ask_version(struct srt_rtc *rtc)
{
	int major;
	int minor;
	nvrtcResult result = rtc->call.nvrtcVersion(&major, &minor);

	if (result != NVRTC_SUCCESS)
		return fail_call(rtc, result, "nvrtcVersion");
	rtc->version = major * 1000 + minor * 10;
	if (rtc->version < LEAST_VERSION)
		return srt_fail(SCANRT_ERROR_COMPILER_TOO_OLD, "NVRTC is of CUDA %d.%d, and 11.7 or newer is needed",
			major, minor);
	return SCANRT_OK;
}

static int ask_archs(struct srt_rtc *rtc)
{
	nvrtcResult result = rtc->call.nvrtcGetNumSupportedArchs(&rtc->arch_count);

	if (result != NVRTC_SUCCESS)
		return fail_call(rtc, result, "nvrtcGetNumSupportedArchs");
	if (rtc->arch_count < 0 || rtc->arch_count > MOST_ARCHS)
		return srt_fail(SCANRT_ERROR_COMPILER, "NVRTC claims %d architectures", rtc->arch_count);
	result = rtc->call.nvrtcGetSupportedArchs(rtc->archs);
	if (result != NVRTC_SUCCESS)
		return fail_call(rtc, result, "nvrtcGetSupportedArchs");
	return SCANRT_OK;
}

static int load(struct srt_rtc **loaded, const char *asked)
{
	struct srt_rtc *rtc;
	void *library;
	int status = srt_rtc_library_open(&library, asked);

	if (status)
		return status;
	rtc = calloc(1, sizeof(*rtc) + strlen(asked) + 1);
	if (!rtc)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory to load NVRTC");
	memcpy(rtc->asked, asked, strlen(asked) + 1);
	status = find_functions(rtc, library);
	if (!status)
		status = ask_version(rtc);
	if (!status)
		status = ask_archs(rtc);
	if (status) {
		free(rtc);
		return status;
	}
	describe(rtc);
	srt_rtc_library_open_builtins(rtc->path, rtc->version / 1000, rtc->version % 1000 / 10);
	*loaded = rtc;
	return SCANRT_OK;
}

int srt_rtc_open(const struct srt_rtc **rtc)
{
	const char *asked = secure_getenv("SCANRT_LIBNVRTC");
	struct srt_rtc *found;
	int status = SCANRT_OK;

	if (!asked)
		asked = "";
	else if (!asked[0])
		asked = "/"; /* set to nothing means that there is none, and dlopen("") would be this program */
	pthread_mutex_lock(&list_lock);
	for (found = list; found && strcmp(found->asked, asked) != 0; found = found->next)
		;
	if (!found) {
		status = load(&found, asked);
		if (!status) {
			found->next = list;
			list = found;
		}
	}
	pthread_mutex_unlock(&list_lock);
	if (!status)
		*rtc = found;
	return status;
}

int srt_rtc_version(const struct srt_rtc *rtc)
{
	return rtc->version;
}

const char *srt_rtc_toolchain(const struct srt_rtc *rtc)
{
	return rtc->toolchain;
}

const char *srt_rtc_path(const struct srt_rtc *rtc)
{
	return rtc->path;
}

int srt_rtc_arch_at(const struct srt_rtc *rtc, int index)
{
	return index >= 0 && index < rtc->arch_count ? rtc->archs[index] : 0;
}

int srt_rtc_nearest_arch(const struct srt_rtc *rtc, int capability)
{
	int nearest = 0;
	int i;

	for (i = 0; i < rtc->arch_count; i++)
		if (rtc->archs[i] <= capability && rtc->archs[i] > nearest)
			nearest = rtc->archs[i];
	return nearest;
}

bool srt_rtc_has_arch(const struct srt_rtc *rtc, int capability)
{
	return capability > 0 && srt_rtc_nearest_arch(rtc, capability) == capability;
}

/* ---- Compiling ---- */

static int create_program(nvrtcProgram *program, const struct srt_rtc *rtc, const struct srt_rtc_job *job)
{
	const char **texts = NULL;
	const char **names = NULL;
	const char *entry = NULL;
	const struct srt_source *source;
	nvrtcResult result;
	size_t count = 0;
	int status = SCANRT_OK;

	for (source = job->sources; source->name; source++)
		count++;
	texts = calloc(count + 1, sizeof(*texts));
	names = calloc(count + 1, sizeof(*names));
	if (!texts || !names) {
		status = srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory to compile a kernel");
		goto out;
	}
	count = 0;
	for (source = job->sources; source->name; source++) {
		if (strcmp(source->name, job->entry) == 0) {
			entry = source->text;
			continue;
		}
		texts[count] = source->text;
		names[count++] = source->name;
	}
	if (!entry) {
		status = srt_fail(SCANRT_ERROR_COMPILE, "there is no kernel source %s", job->entry);
		goto out;
	}
	result = rtc->call.nvrtcCreateProgram(program, entry, job->entry, (int)count, texts, names);
	if (result != NVRTC_SUCCESS)
		status = fail_call(rtc, result, "nvrtcCreateProgram");
out:
	free(names);
	free(texts);
	return status;
}

static void fetch_log(struct srt_strbuf *log, const struct srt_rtc *rtc, nvrtcProgram program)
{
	size_t size = 0;
	char *text;

	if (rtc->call.nvrtcGetProgramLogSize(program, &size) != NVRTC_SUCCESS || size <= 1)
		return;
	text = calloc(size + 1, 1);
	if (text && rtc->call.nvrtcGetProgramLog(program, text) == NVRTC_SUCCESS)
		srt_strbuf_append(log, text);
	free(text);
}

/* The first line that says "error", or else the first line: the record has no room for more. */
static int fail_compile(nvrtcResult result, const struct srt_rtc_job *job, const char *log)
{
	const char *line = strstr(log, "error");

	while (line && line > log && line[-1] != '\n')
		line--;
	if (!line)
		line = log;
	return srt_fail_compiler(SCANRT_ERROR_COMPILE, (int)result, "%s does not compile: %.*s", job->entry,
		(int)strcspn(line, "\n"), line[0] ? line : "the compiler gave no reason");
}

static int compile_program(const struct srt_rtc *rtc, nvrtcProgram program, const struct srt_rtc_job *job,
	struct srt_strbuf *log)
{
	struct srt_strbuf messages = { 0 };
	const char **options = calloc(job->option_count + 1, sizeof(*options));
	size_t count = job->option_count;
	nvrtcResult result;
	int status = SCANRT_OK;

	if (!options)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory to compile a kernel");
	if (count)
		memcpy(options, job->options, count * sizeof(*options));
	if (rtc->version >= CACHE_VERSION)
		options[count++] = "--no-cache";
	result = rtc->call.nvrtcCompileProgram(program, (int)count, options);
	fetch_log(&messages, rtc, program);
	if (log)
		srt_strbuf_append(log, srt_strbuf_text(&messages));
	if (result == NVRTC_ERROR_COMPILATION)
		status = fail_compile(result, job, srt_strbuf_text(&messages));
	else if (result != NVRTC_SUCCESS)
		status = fail_call(rtc, result, "nvrtcCompileProgram");
	srt_strbuf_free(&messages);
	free(options);
	return status;
}

static int fetch_output(void **bytes, size_t *size, const struct srt_rtc *rtc, nvrtcProgram program, bool is_ptx)
{
	const char *call = is_ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
	nvrtcResult result;
	size_t length = 0;
	char *text;

	result = (is_ptx ? rtc->call.nvrtcGetPTXSize : rtc->call.nvrtcGetCUBINSize)(program, &length);
	if (result != NVRTC_SUCCESS)
		return fail_call(rtc, result, call);
	/* Size 0 is how NVRTC says that the architecture was a virtual one, which has no machine code. */
	if (length == 0)
		return srt_fail(SCANRT_ERROR_COMPILER, "%s gave nothing", call);
	text = malloc(length);
	if (!text)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a kernel of %zu bytes", length);
	result = (is_ptx ? rtc->call.nvrtcGetPTX : rtc->call.nvrtcGetCUBIN)(program, text);
	if (result != NVRTC_SUCCESS) {
		free(text);
		return fail_call(rtc, result, call);
	}
	*bytes = text;
	*size = is_ptx ? length - 1 : length;
	return SCANRT_OK;
}

int srt_rtc_compile(void **bytes, size_t *size, const struct srt_rtc *rtc, const struct srt_rtc_job *job,
	struct srt_strbuf *log)
{
	nvrtcProgram program = NULL;
	int status = create_program(&program, rtc, job);

	if (status)
		return status;
	status = compile_program(rtc, program, job, log);
	if (!status)
		status = fetch_output(bytes, size, rtc, program, job->is_ptx);
	rtc->call.nvrtcDestroyProgram(&program);
	return status;
}
