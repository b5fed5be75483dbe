/* SPDX-License-Identifier: MIT
 *
 * Logging, which is silent unless somebody asks for it.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "status.h"

/* One call of stdio a line, so that lines of several threads do not mix. */
static void write_line(void *user, const char *line)
{
	FILE *file = user;

	fprintf(file, "scanrt: %s\n", line);
	fflush(file);
}

/* A FIFO without a reader would hold the program up for ever, and a full one until somebody reads: neither is waited
 * for.  For plain files that makes no difference. */
static FILE *open_to_append(const char *path)
{
	int descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "a");

	if (descriptor >= 0 && !file)
		close(descriptor);
	return file;
}

/* A program that runs with more rights than its caller must not write where the caller says: hence secure_getenv. */
int srt_log_open(struct srt_log *log, scanrt_log_function function, void *user)
{
	const char *path = secure_getenv("SCANRT_LOG");

	memset(log, 0, sizeof(*log));
	if (function) {
		log->function = function;
		log->user = user;
	} else if (path && strcmp(path, "stderr") == 0) {
		log->function = write_line;
		log->user = stderr;
	} else if (path && *path) {
		log->file = open_to_append(path);
		if (!log->file)
			return srt_fail(SCANRT_ERROR_ENVIRONMENT, "SCANRT_LOG: %s cannot be written: %s", path,
				strerror(errno));
		log->function = write_line;
		log->user = log->file;
	}
	return SCANRT_OK;
}

void srt_log_close(struct srt_log *log)
{
	if (log->file)
		fclose(log->file);
	memset(log, 0, sizeof(*log));
}

/* Nobody listening is the usual case, and costs one comparison. */
void srt_log_line(const struct srt_log *log, const char *line)
{
	if (log->function)
		log->function(log->user, line);
}

void srt_account_add(struct srt_account *account, const char *format, ...)
{
	size_t before = account->text.length;
	va_list arguments;

	va_start(arguments, format);
	srt_strbuf_vprintf(&account->text, format, arguments);
	va_end(arguments);
	/* Out of memory costs the remark, and nothing else. */
	if (account->text.length > before)
		srt_log_line(account->log, account->text.text + before);
	srt_strbuf_append(&account->text, "\n");
}
