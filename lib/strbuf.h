/* SPDX-License-Identifier: MIT
 *
 * A growing string.  Zero-initialised is empty and valid.  An allocation failure sets `failed` and drops the text of
 * that and all later calls, so that a run of appends is checked once, at its end.
 */
#ifndef SRT_STRBUF_H
#define SRT_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct srt_strbuf {
	char *text; /* terminated; NULL while empty: read it through srt_strbuf_text() */
	size_t length;
	size_t capacity;
	bool failed;
};

void srt_strbuf_append(struct srt_strbuf *buffer, const char *text);
void srt_strbuf_append_bytes(struct srt_strbuf *buffer, const void *bytes, size_t size);
void srt_strbuf_printf(struct srt_strbuf *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void srt_strbuf_vprintf(struct srt_strbuf *buffer, const char *format, va_list arguments);
const char *srt_strbuf_text(const struct srt_strbuf *buffer); /* never NULL */
void srt_strbuf_clear(struct srt_strbuf *buffer);             /* empty, memory and `failed` kept */
void srt_strbuf_free(struct srt_strbuf *buffer);

#endif
