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

/* The bytes of the UTF-8 character that begins here, or 0 where none does: JSON has no others, while paths and the
 * texts of a damaged database may hold any. */
static size_t character_bytes(const unsigned char *at)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t bytes = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf8 ? 4 : 0;
	unsigned int code = bytes > 1 ? at[0] & (0x7fu >> bytes) : at[0];

	for (size_t i = 1; i < bytes; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	if (bytes > 1 && (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)))
		return 0;
	return bytes;
}

static void quote(struct srt_strbuf *out, const char *text)
{
	size_t bytes;

	srt_strbuf_append(out, "\"");
	for (; *text; text += bytes ? bytes : 1) {
		bytes = character_bytes((const unsigned char *)text);
		if (*text == '"' || *text == '\\')
			srt_strbuf_printf(out, "\\%c", *text);
		else if (bytes == 0)
			srt_strbuf_append(out, "\\ufffd"); /* the replacement character */
		else if ((unsigned char)*text < 0x20)
			srt_strbuf_printf(out, "\\u%04x", (unsigned)*text);
		else
			srt_strbuf_append_bytes(out, text, bytes);
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
