/* SPDX-License-Identifier: MIT
 *
 * A compiler for quick_machine.c: its "PTX" is the list of its options, its machine code an empty ELF file.  A program
 * with an option that SCANTUNE_TEST_REFUSES names does not compile; one with the option of SCANTUNE_TEST_KILLS takes
 * the compiler down.
 */
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct _nvrtcProgram {
	char text[4096];
	char log[128];
};

const char *nvrtcGetErrorString(nvrtcResult result)
{
	return result == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
	*major = 13;
	*minor = getenv("SCANTUNE_TEST_NVRTC_MINOR") ? atoi(getenv("SCANTUNE_TEST_NVRTC_MINOR")) : 0;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
	*count = 5;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
	static const int known[] = { 75, 80, 90, 100, 120 };

	memcpy(archs, known, sizeof known);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
	const char *const *texts, const char *const *names)
{
	(void)source, (void)name, (void)count, (void)texts, (void)names;
	*program = calloc(1, sizeof **program);
	return *program ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
	free(*program);
	*program = NULL;
	return NVRTC_SUCCESS;
}

static int is_named(const char *variable, const char *option)
{
	const char *value = getenv(variable);

	return value && strcmp(value, option) == 0;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
	size_t used = (size_t)sprintf(program->text, ".version 9.0\n.target sm_75\n");

	for (int i = 0; i < count; i++) {
		if (is_named("SCANTUNE_TEST_KILLS", options[i]))
			_exit(9);
		if (is_named("SCANTUNE_TEST_REFUSES", options[i])) {
			snprintf(program->log, sizeof program->log, "scan.cu(1): error: as the test wants it\n");
			return NVRTC_ERROR_COMPILATION;
		}
		used += (size_t)snprintf(program->text + used, sizeof program->text - used, "%s\n", options[i]);
	}
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *size)
{
	*size = strlen(program->text) + 1;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *text)
{
	strcpy(text, program->text);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
	(void)program;
	*size = 64;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *image)
{
	(void)program;
	memset(image, 0, 64);
	memcpy(image, "\177ELF", 4);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *size)
{
	*size = strlen(program->log) + 1;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
	strcpy(log, program->log);
	return NVRTC_SUCCESS;
}
