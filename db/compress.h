/* SPDX-License-Identifier: MIT
 *
 * Machine code in less than a third of its room, as frames of Zstandard (RFC 8878), each with its size and without a
 * dictionary.
 */
#ifndef SRT_COMPRESS_H
#define SRT_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes at most `size` - 1 bytes to `packed`, which has room for `size`, and returns how many.  0 where it would be
 * no gain, or there is no memory for it: the bytes are then to be stored as they are. */
size_t srt_compress(unsigned char *packed, const unsigned char *bytes, size_t size);

/* False where `packed` is not a frame of `size` bytes.  Never reads or writes beyond either. */
bool srt_decompress(unsigned char *bytes, size_t size, const unsigned char *packed, size_t packed_size);

/* Whether srt_compress() makes so few bytes of so many: asked before memory is taken on the word of a file. */
bool srt_can_decompress_to(size_t size, size_t packed_size);

#endif
