/* SPDX-License-Identifier: MIT
 *
 * SCANRT_WRITE_CACHE=1: what a plan had to compile is kept in the user's database, so that the next process finds it.
 * Written when the plan is made and no file is open any more: a writer would wait for this process's own readers.
 * Whatever fails here is a remark in the plan's account, and no more.
 */
#ifndef SRT_KEEP_H
#define SRT_KEEP_H

#include "catalog.h"
#include "image.h"
#include "kernel.h"

struct srt_kept;

/* Takes the image's bytes, where images are to be kept at all. */
void srt_keep_image(struct srt_reading *reading, struct srt_image *image, const struct srt_kernel *kernel);
/* Writes what was taken, in one transaction, or drops it where the plan has failed; then all of it is freed. */
void srt_keep_end(struct srt_kept *kept, const char *path, struct srt_account *account, bool is_wanted);

#endif
