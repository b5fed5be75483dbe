/* SPDX-License-Identifier: MIT
 *
 * JSON lines.
 */
#include <math.h>
#include <stdio.h>

#include "json.h"

void tune_json_begin(struct srt_strbuf *out)
{
	srt_strbuf_append(out, "{");
}

static void quote(struct srt_strbuf *out, const char *text)
{
	srt_strbuf_append(out, "\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			srt_strbuf_printf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			srt_strbuf_printf(out, "\\u%04x", (unsigned)*text);
		else
			srt_strbuf_append_bytes(out, text, 1);
	}
	srt_strbuf_append(out, "\"");
}

static void key_of(struct srt_strbuf *out, const char *key)
{
	if (out->length > 1)
		srt_strbuf_append(out, ",");
	quote(out, key);
	srt_strbuf_append(out, ":");
}

void tune_json_text(struct srt_strbuf *out, const char *key, const char *value)
{
	key_of(out, key);
	if (value)
		quote(out, value);
	else
		srt_strbuf_append(out, "null");
}

void tune_json_integer(struct srt_strbuf *out, const char *key, long long value)
{
	key_of(out, key);
	srt_strbuf_printf(out, "%lld", value);
}

void tune_json_number(struct srt_strbuf *out, const char *key, double value)
{
	key_of(out, key);
	if (isfinite(value))
		srt_strbuf_printf(out, "%.6g", value);
	else
		srt_strbuf_append(out, "null");
}

void tune_json_boolean(struct srt_strbuf *out, const char *key, bool value)
{
	key_of(out, key);
	srt_strbuf_append(out, value ? "true" : "false");
}

void tune_json_print(struct srt_strbuf *out)
{
	srt_strbuf_append(out, "}");
	if (!out->failed)
		puts(srt_strbuf_text(out));
	fflush(stdout);
	srt_strbuf_free(out);
}
