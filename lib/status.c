/* SPDX-License-Identifier: MIT */
#include "status.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A record a thread: what one thread's call failed with is never told to another, and takes no lock. */
static _Thread_local struct srt_error last_error;

/* One row per status: the text is a clause that may follow a colon. */
static const struct {
	int status;
	const char *text;
} status_texts[] = {
	{ SCANRT_OK, "no error" },
	{ SCANRT_ERROR_NULL_POINTER, "a required pointer is null" },
	{ SCANRT_ERROR_MISALIGNED, "a device pointer is not aligned to its element size" },
	{ SCANRT_ERROR_OVERLAP, "input and output overlap without being equal" },
	{ SCANRT_ERROR_COUNT, "the count exceeds the plan's bound or the address space" },
	{ SCANRT_ERROR_TYPE, "an unknown type, or one that the operator does not take" },
	{ SCANRT_ERROR_OPERATOR, "an unknown operator, or one that lacks what is asked of it" },
	{ SCANRT_ERROR_MODE, "an unknown mode, direction, segment kind or layout" },
	{ SCANRT_ERROR_STRUCT_SIZE, "a structure's size is too small, or its unknown tail is not zero" },
	{ SCANRT_ERROR_VARIANT, "a variant that does not parse, or that the problem or device excludes" },
	{ SCANRT_ERROR_CONTEXT, "a stream or memory of another context, or of none" },
	{ SCANRT_ERROR_FLAGS, "unknown flag bits" },
	{ SCANRT_ERROR_ENVIRONMENT, "a variable of the environment is set to what it cannot be" },
	{ SCANRT_ERROR_TEXT, "the caller's text does not compile, or is not as described" },
	{ SCANRT_ERROR_OUT_OF_MEMORY, "out of host memory" },
	{ SCANRT_ERROR_DEVICE_MEMORY, "out of device memory" },
	{ SCANRT_ERROR_NO_DRIVER, "the CUDA driver library could not be loaded" },
	{ SCANRT_ERROR_DRIVER_TOO_OLD, "the CUDA driver lacks a function that is needed" },
	{ SCANRT_ERROR_DRIVER_STUB, "the CUDA driver library is the toolkit's stub, for linking only" },
	{ SCANRT_ERROR_DRIVER, "a call of the CUDA driver failed" },
	{ SCANRT_ERROR_NO_DEVICE, "no such device" },
	{ SCANRT_ERROR_DEVICE_UNSUPPORTED, "the device is older than compute capability 7.5" },
	{ SCANRT_ERROR_DEVICE_LOST, "the device's context is in an error state that stays" },
	{ SCANRT_ERROR_NO_COMPILER, "the kernel must be compiled and NVRTC could not be loaded" },
	{ SCANRT_ERROR_COMPILER_TOO_OLD, "NVRTC lacks a function that is needed" },
	{ SCANRT_ERROR_COMPILER, "NVRTC failed" },
	{ SCANRT_ERROR_COMPILE, "the kernel does not compile" },
	{ SCANRT_ERROR_LINK, "the driver's linker refused the kernel" },
	{ SCANRT_ERROR_IMAGE, "the machine code does not load" },
	{ SCANRT_ERROR_LAUNCH, "the driver refused the launch" },
	{ SCANRT_ERROR_CAPTURE, "the call allocates or compiles, and the stream is being captured" },
	{ SCANRT_ERROR_WORKSPACE, "the workspace is too small or misaligned" },
	{ SCANRT_ERROR_UNSUPPORTED, "legal, but not built yet" },
	{ SCANRT_ERROR_DATABASE, "the tuning database could not be opened, read or written" },
	{ SCANRT_ERROR_DATABASE_FORMAT, "the file is no tuning database, or of another version" },
	{ SCANRT_ERROR_DATABASE_CORRUPT, "the tuning database is damaged" },
	{ SCANRT_ERROR_DATABASE_BUSY, "another process holds the tuning database" },
};

/* The record is one line: a compiler's log has many.  What a damaged or a stranger's file has in it reaches a terminal
 * as text, not as a command. */
static void fold_lines(char *text)
{
	for (; *text; text++)
		if (*text == '\n' || *text == '\r' || *text == '\t')
			*text = ' ';
		else if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = '?';
}

/* The text goes through a buffer of its own, since an argument may point into the record that it replaces. */
static int record(int status, const char *format, va_list arguments)
{
	char text[sizeof(last_error.text)];

	assert(status != SCANRT_OK);
	vsnprintf(text, sizeof(text), format, arguments);
	fold_lines(text);
	memset(&last_error, 0, sizeof(last_error));
	last_error.status = status;
	memcpy(last_error.text, text, strlen(text) + 1);
	return status;
}

int srt_fail(int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(status, format, arguments);
	va_end(arguments);
	return status;
}

int srt_fail_driver(int status, int cuda_result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(status, format, arguments);
	va_end(arguments);
	last_error.cuda_result = cuda_result;
	return status;
}

int srt_fail_compiler(int status, int nvrtc_result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(status, format, arguments);
	va_end(arguments);
	last_error.nvrtc_result = nvrtc_result;
	return status;
}

int srt_fail_database(int status, int sqlite_code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	record(status, format, arguments);
	va_end(arguments);
	last_error.sqlite_code = sqlite_code;
	return status;
}

void srt_error_clear(void)
{
	/* Every call begins with this: what is behind the end of the text need not be written for it. */
	last_error.status = 0;
	last_error.cuda_result = 0;
	last_error.nvrtc_result = 0;
	last_error.sqlite_code = 0;
	last_error.text[0] = '\0';
}

const struct srt_error *srt_error_last(void)
{
	return &last_error;
}

void srt_error_save(struct srt_error *into)
{
	*into = last_error;
}

void srt_error_restore(const struct srt_error *from)
{
	last_error = *from;
}

const char *scanrt_last_error(void)
{
	return last_error.text;
}

/* Asking about a failure must not replace it, but asking wrongly is a failure of its own: a status with the sentence of
 * another one would lead astray. */
int scanrt_last_error_details(struct scanrt_error *error)
{
	if (!error)
		return srt_fail(SCANRT_ERROR_NULL_POINTER, "the structure for the error's details is null");
	if (error->size < sizeof(*error))
		return srt_fail(SCANRT_ERROR_STRUCT_SIZE, "struct scanrt_error has size %zu, and %zu is the least",
			error->size, sizeof(*error));
	error->status = last_error.status;
	error->cuda_result = last_error.cuda_result;
	error->nvrtc_result = last_error.nvrtc_result;
	error->sqlite_code = last_error.sqlite_code;
	memcpy(error->text, last_error.text, sizeof(error->text));
	return SCANRT_OK;
}

const char *scanrt_strerror(int status)
{
	size_t i;

	for (i = 0; i < sizeof(status_texts) / sizeof(status_texts[0]); i++)
		if (status_texts[i].status == status)
			return status_texts[i].text;
	return "an unknown status";
}

int scanrt_version(void)
{
	return SCANRT_VERSION_MAJOR * 10000 + SCANRT_VERSION_MINOR * 100 + SCANRT_VERSION_PATCH;
}
