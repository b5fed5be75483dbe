/* SPDX-License-Identifier: MIT
 *
 * The error model: a thread-local record, cleared on entry of a public call and set by the lowest layer that fails,
 * through one function that returns the status.  Upper layers pass the status on and leave the record alone.
 */
#ifndef SRT_STATUS_H
#define SRT_STATUS_H

#include "scanrt.h"

struct srt_error {
	int status;
	int cuda_result;
	int nvrtc_result;
	int sqlite_code;
	char text[1024];
};

/* Each records and returns `status`; the text is one sentence without a full stop, line breaks folded to spaces. */
int srt_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
int srt_fail_driver(int status, int cuda_result, const char *format, ...) __attribute__((format(printf, 3, 4)));
int srt_fail_compiler(int status, int nvrtc_result, const char *format, ...) __attribute__((format(printf, 3, 4)));
int srt_fail_database(int status, int sqlite_code, const char *format, ...) __attribute__((format(printf, 3, 4)));

void srt_error_clear(void);
const struct srt_error *srt_error_last(void); /* the calling thread's; never NULL */

/* Saves the thread's record while a fallback is tried, and puts it back. */
void srt_error_save(struct srt_error *into);
void srt_error_restore(const struct srt_error *from);

#endif
