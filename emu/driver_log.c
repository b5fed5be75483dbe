/* SPDX-License-Identifier: MIT
 *
 * The log, and the last fault.
 */
#include "driver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char fault[1024];
static bool is_fault_printed;

/* A file that cannot be written is said once for each variable: every launch would say it again. */
static void complain(const char *variable, const char *path)
{
	static const char *said[2];
	size_t i = 0;

	while (i < 2 && said[i] != NULL && strcmp(said[i], variable) != 0)
		i++;
	if (i == 2 || said[i] != NULL)
		return;
	said[i] = variable;
	fprintf(stderr, "scanrt-emu: %s: cannot write %s: %s\n", variable, path, strerror(errno));
}

FILE *emu_open_named(const char *variable, bool *is_writable)
{
	const char *path = getenv(variable);
	FILE *file;

	if (path == NULL || *path == '\0' || strcmp(path, "off") == 0)
		return NULL;
	if (strcmp(path, "stderr") == 0)
		return stderr;
	file = fopen(path, "ae");
	if (file == NULL)
		complain(variable, path);
	if (file == NULL && is_writable != NULL)
		*is_writable = false;
	return file;
}

static bool is_asked_for(void)
{
	const char *path = getenv("SCANRT_EMU_LOG");

	return path != NULL && *path != '\0';
}

static void write_line(FILE *file, const char *text)
{
	fprintf(file, "scanrt-emu: %s\n", text);
	if (file != stderr)
		fclose(file);
}

/* Remarks are for whoever asked for a log. */
void emu_log(const char *format, ...)
{
	FILE *file = emu_open_named("SCANRT_EMU_LOG", NULL);
	char text[1024];
	va_list arguments;

	if (file == NULL)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	write_line(file, text);
}

/* The first fault of a process is said even where nobody asked: a bare CUDA_ERROR_LAUNCH_FAILED helps no one. */
void emu_fault_report(const char *text)
{
	FILE *file = is_asked_for() ? emu_open_named("SCANRT_EMU_LOG", NULL) : is_fault_printed ? NULL : stderr;

	snprintf(fault, sizeof(fault), "%s", text);
	if (file == NULL)
		return;
	is_fault_printed = true;
	write_line(file, text);
}

void emu_fault_forget(void)
{
	fault[0] = '\0';
	is_fault_printed = false;
}

const char *scanrtEmuFault(void)
{
	return fault;
}
