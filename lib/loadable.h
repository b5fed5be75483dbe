/* SPDX-License-Identifier: MIT
 *
 * What the two loaders ask before they hand a file to the dynamic one.
 */
#ifndef SRT_LOADABLE_H
#define SRT_LOADABLE_H

#include <stdbool.h>

/* False for a path to something that is there but is no regular file: opening a FIFO would wait for a writer, for ever.
 * A name without a slash is searched for by the dynamic loader, and what is not there it reports best itself. */
bool srt_is_loadable(const char *path);

#endif
