/* SPDX-License-Identifier: MIT
 *
 * Messages for whoever debugs a program: to the caller's function, or to the file that SCANRT_LOG names.  Without
 * either the library is silent.
 */
#ifndef SRT_LOG_H
#define SRT_LOG_H

#include <stdio.h>

#include "scanrt.h"
#include "strbuf.h"

struct srt_log {
	scanrt_log_function function; /* NULL: nobody listens */
	void *user;
	FILE *file;                   /* owned; NULL where the function is the caller's, or writes to stderr */
};

/* A file that was asked for and cannot be opened is a failure: nobody would hear of it otherwise. */
int srt_log_open(struct srt_log *log, scanrt_log_function function, void *user);
void srt_log_close(struct srt_log *log);
void srt_log_line(const struct srt_log *log, const char *line);

/* The account of one plan: each remark is kept as a line, for scanrt_plan_describe(), and logged as it is made. */
struct srt_account {
	struct srt_strbuf text;
	const struct srt_log *log;
};

void srt_account_add(struct srt_account *account, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
