/* SPDX-License-Identifier: MIT
 *
 * JSON lines.
 */
#ifndef TUNE_JSON_H
#define TUNE_JSON_H

#include "strbuf.h"

/* An object in the making: begin, members, end.  A NULL text and a number that is not finite become null. */
void tune_json_begin(struct srt_strbuf *out);
void tune_json_text(struct srt_strbuf *out, const char *key, const char *value);
void tune_json_integer(struct srt_strbuf *out, const char *key, long long value);
void tune_json_number(struct srt_strbuf *out, const char *key, double value);
void tune_json_boolean(struct srt_strbuf *out, const char *key, bool value);
/* Closes the object, prints it as a line on stdout and frees the buffer. */
void tune_json_print(struct srt_strbuf *out);

#endif
