/* SPDX-License-Identifier: MIT
 *
 * Callers' structures that begin with their own size, as the caller's header knew it.
 */
#ifndef SRT_VERSIONED_H
#define SRT_VERSIONED_H

#include <stddef.h>

/* Reads a caller's structure `from`, whose first member is its size_t size, into `into` of `known` bytes.  `least` is
 * its size in the first version of the library.  A smaller one and one with a tail that we do not know and that is
 * not zero are refused; members that the caller does not know become zero; the size becomes `known`.  `name` is for
 * the message. */
int srt_versioned_read(void *into, size_t known, const void *from, size_t least, const char *name);

#endif
