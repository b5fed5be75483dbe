/* SPDX-License-Identifier: MIT
 *
 * Choices as a text, which people review and a build makes the vendor's database of.  scanrt-db(5) has the form.
 */
#ifndef TUNE_CHOICES_TEXT_H
#define TUNE_CHOICES_TEXT_H

#include <stdio.h>

#include "db.h"

/* Writes one choice after another; begins zero-initialised but for `file`. */
struct tune_choices_writer {
	FILE *file;
	struct srt_strbuf head;    /* of the device and run of the latest */
	struct srt_strbuf problem;
	size_t count;
	size_t skipped; /* of problems that only a file states: nobody else could name them */
};
int tune_choices_write(void *writer, const struct srt_db_measured *measured); /* a srt_db_measured_function */
void tune_choices_end(struct tune_choices_writer *writer);

/* Reads a file: `take` gets each choice as it was given to the writer, and the number of its line.  SCANRT_ERROR_TEXT
 * names the file and the line; what `take` returns, where that is not 0, is returned. */
typedef int (*tune_choices_function)(void *user, const struct srt_db_measured *measured, int line);
/* A file as it is, without zeros, of 4 MB at most; the caller frees the text in any case. */
int tune_text_read(struct srt_strbuf *text, const char *path);
int tune_choices_read(const char *path, tune_choices_function take, void *user);

#endif
