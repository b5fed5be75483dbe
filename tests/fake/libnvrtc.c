/* SPDX-License-Identifier: MIT
 *
 * The scripted compiler: "SASS entry" or "PTX entry" for whatever it is given.
 */
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

struct fake_compiler *fake_compiler_script(void);

struct _nvrtcProgram {
	char entry[40];
	bool has_failed;
};

static struct fake_compiler script;

/* Counts a call, and fails it where the script says so. */
static nvrtcResult enter(const char *name)
{
	if (++script.calls != script.fail_at)
		return NVRTC_SUCCESS;
	snprintf(script.failed, sizeof(script.failed), "%s", name);
	return (nvrtcResult)script.fail_code;
}

#define ENTER() \
	do { \
		nvrtcResult result_ = enter(__func__); \
		if (result_ != NVRTC_SUCCESS) \
			return result_; \
	} while (0)

#define MESSAGE "scan.cu(7): error: as the test wants it\n"

struct fake_compiler *fake_compiler_script(void)
{
	return &script;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
	(void)result;
	return "NVRTC_ERROR_FAKE";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	*major = 13;
	*minor = 0;
	return NVRTC_SUCCESS;
}

static const int archs[] = { 75, 80, 90, 100, 120 };

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
	for (*count = 0; *count < 5 && archs[*count] <= script.newest; ++*count)
		;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *values)
{
	int count;

	nvrtcGetNumSupportedArchs(&count);
	memcpy(values, archs, (size_t)count * sizeof(*values));
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
	const char *const *texts, const char *const *names)
{
	(void)source, (void)name, (void)count, (void)texts, (void)names;
	ENTER();
	*program = calloc(1, sizeof(**program));
	script.programs++;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
	free(*program);
	*program = NULL;
	script.programs--;
	ENTER();
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
	const char *entry = "-DSCAN_ENTRY=";
	int i;

	ENTER();
	script.compilations++;
	program->has_failed = script.fail_option && !*script.fail_option;
	for (i = 0; i < count; i++) {
		if (strncmp(options[i], entry, strlen(entry)) == 0)
			snprintf(program->entry, sizeof(program->entry), "%s", options[i] + strlen(entry));
		if (script.fail_option && strcmp(options[i], script.fail_option) == 0)
			program->has_failed = true;
	}
	return program->has_failed ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
	ENTER();
	*size = strlen(program->entry) + sizeof("PTX ");
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *text)
{
	ENTER();
	sprintf(text, "PTX %s", program->entry);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
	ENTER();
	*size = strlen(program->entry) + sizeof("SASS ");
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *text)
{
	ENTER();
	sprintf(text, "SASS %s", program->entry);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
	ENTER();
	*size = program->has_failed ? sizeof(MESSAGE) : 1;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *text)
{
	ENTER();
	strcpy(text, program->has_failed ? MESSAGE : "");
	return NVRTC_SUCCESS;
}
