/* SPDX-License-Identifier: MIT */
#include "strbuf.h"

#include <stdint.h>
#include <string.h>

#include "tests/tap.h"

static void test_appending(void)
{
	struct srt_strbuf buffer = { 0 };
	char wanted[4001];
	int i;

	tap_is_string(srt_strbuf_text(&buffer), "", "a zero-initialised buffer reads as the empty string");
	srt_strbuf_append(&buffer, "");
	tap_is_string(srt_strbuf_text(&buffer), "", "appending nothing to an empty buffer leaves it empty");
	srt_strbuf_append(&buffer, "one");
	srt_strbuf_printf(&buffer, " %d %s", 2, "three");
	tap_is_string(srt_strbuf_text(&buffer), "one 2 three", "appends and formats follow each other");
	tap_is_uint(buffer.length, 11, "the length counts the text without its terminator");
	srt_strbuf_append_bytes(&buffer, "a\0b", 3);
	tap_is_uint(buffer.length, 14, "bytes are counted, zeros among them");
	tap_is_bytes(buffer.text + 11, "a\0b", 4, "bytes are kept as they are, and a terminator follows");

	srt_strbuf_clear(&buffer);
	tap_is_string(srt_strbuf_text(&buffer), "", "a cleared buffer is empty");
	for (i = 0; i < 4000; i++)
		srt_strbuf_printf(&buffer, "%d", i % 10);
	for (i = 0; i < 4000; i++)
		wanted[i] = (char)('0' + i % 10);
	wanted[4000] = '\0';
	tap_is_string(srt_strbuf_text(&buffer), wanted,
		"4000 appends of one character each grow the buffer without loss");
	srt_strbuf_free(&buffer);
	tap_is_uint(buffer.capacity, 0, "a freed buffer holds nothing");
	srt_strbuf_append(&buffer, "again");
	tap_is_string(srt_strbuf_text(&buffer), "again", "a freed buffer can be used again");
	srt_strbuf_free(&buffer);
}

static void test_formats_of_every_length(void)
{
	struct srt_strbuf buffer = { 0 };
	bool is_right = true;
	int length;

	/* The lengths around the doublings of the capacity are where a terminator gets lost. */
	for (length = 0; length < 300 && is_right; length++) {
		srt_strbuf_free(&buffer);
		srt_strbuf_printf(&buffer, "%*s", length, length ? "x" : "");
		tap_case("length %d", length);
		is_right = buffer.length == (size_t)length && strlen(srt_strbuf_text(&buffer)) == (size_t)length;
	}
	tap_ok(is_right, "a formatted text of every length below 300 is whole and terminated");
	tap_case("%s", "");
	srt_strbuf_free(&buffer);
}

static void test_failure(void)
{
	struct srt_strbuf buffer = { 0 };

	srt_strbuf_append(&buffer, "kept");
	srt_strbuf_append_bytes(&buffer, "", SIZE_MAX - 2);
	tap_ok(buffer.failed, "an append that no memory can hold marks the buffer as failed");
	srt_strbuf_append(&buffer, " lost");
	srt_strbuf_printf(&buffer, " %d", 1);
	tap_is_string(srt_strbuf_text(&buffer), "kept", "a failed buffer drops the text of later calls");
	srt_strbuf_clear(&buffer);
	tap_ok(buffer.failed, "clearing keeps the mark, so that one check at the end is enough");
	srt_strbuf_free(&buffer);
	tap_ok(!buffer.failed, "freeing takes the mark away");
}

int main(void)
{
	tap_plan(0);
	test_appending();
	test_formats_of_every_length();
	test_failure();
	return tap_done();
}
