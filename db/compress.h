/* SPDX-License-Identifier: MIT
 *
 * Machine code in a third of its room.
 *
 * LZ77 (Ziv and Lempel, 1977) with whole bytes for everything, as in LZ4, since what counts is how fast it is read:
 * some 30 us for a kernel, where inflate() takes 130.  Two things are made for instructions of 16 bytes, most of which
 * are like one a few before in all but a register or two.  Distances that are multiples of 16 take one byte; the last
 * two distances take none, so that a match may be as short as one byte.
 *
 * What is written is a series of
 *
 *   token      bits 7-6 number of literals, 5-2 length of the match minus 1, 1-0 kind of distance
 *   more       of the number of literals where it is 3: bytes that are added to it, up to one that is not 255
 *   literals
 *   distance   of kind 0 the last one, 1 the one before it, 2 a byte b: 16 * (b + 1), 3 two bytes, the lower first
 *   more       of the length where its bits are 15: as above
 *
 * and it ends with the literals or the match that fill the known size.  The distances before the first are 16 and 32.
 */
#ifndef SRT_COMPRESS_H
#define SRT_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Writes at most `size` - 1 bytes to `packed`, which has room for `size`, and returns how many.  0 where it would be
 * no gain, or there is no memory for it: the bytes are then to be stored as they are. */
size_t srt_compress(unsigned char *packed, const unsigned char *bytes, size_t size);

/* False where `packed` is not what srt_compress() makes of `size` bytes.  Never reads or writes beyond either. */
bool srt_decompress(unsigned char *bytes, size_t size, const unsigned char *packed, size_t packed_size);

/* Whether so few bytes can stand for so many: asked before memory is taken on the word of a file. */
bool srt_can_decompress_to(size_t size, size_t packed_size);

#endif
