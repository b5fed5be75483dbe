/* SPDX-License-Identifier: MIT */
#include "strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `extra` bytes and the terminator. */
static bool reserve(struct srt_strbuf *buffer, size_t extra)
{
	size_t capacity = buffer->capacity ? buffer->capacity : 64;
	char *text;

	if (buffer->failed)
		return false;
	if (extra >= SIZE_MAX / 2 - buffer->length)
		goto fail;
	while (capacity < buffer->length + extra + 1)
		capacity *= 2;
	if (capacity == buffer->capacity)
		return true;
	text = realloc(buffer->text, capacity);
	if (!text)
		goto fail;
	buffer->text = text;
	buffer->capacity = capacity;
	return true;
fail:
	buffer->failed = true;
	return false;
}

void srt_strbuf_append_bytes(struct srt_strbuf *buffer, const void *bytes, size_t size)
{
	/* memcpy takes no null pointer, not even for nothing. */
	if (size == 0 || !reserve(buffer, size))
		return;
	memcpy(buffer->text + buffer->length, bytes, size);
	buffer->length += size;
	buffer->text[buffer->length] = '\0';
}

void srt_strbuf_append(struct srt_strbuf *buffer, const char *text)
{
	srt_strbuf_append_bytes(buffer, text, strlen(text));
}

void srt_strbuf_vprintf(struct srt_strbuf *buffer, const char *format, va_list arguments)
{
	va_list again;
	int length;

	/* The length is asked for first: a text is written whole or not at all. */
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0) {
		buffer->failed = true;
		return;
	}
	if (!reserve(buffer, (size_t)length))
		return;
	vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, arguments);
	buffer->length += (size_t)length;
}

void srt_strbuf_printf(struct srt_strbuf *buffer, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	srt_strbuf_vprintf(buffer, format, arguments);
	va_end(arguments);
}

const char *srt_strbuf_text(const struct srt_strbuf *buffer)
{
	return buffer->text ? buffer->text : "";
}

void srt_strbuf_clear(struct srt_strbuf *buffer)
{
	buffer->length = 0;
	if (buffer->text)
		buffer->text[0] = '\0';
}

void srt_strbuf_free(struct srt_strbuf *buffer)
{
	free(buffer->text);
	memset(buffer, 0, sizeof(*buffer));
}
