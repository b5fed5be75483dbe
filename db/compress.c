/* SPDX-License-Identifier: MIT */
#include <zstd.h>

#include "compress.h"

/* Of 218 kernels 0.278 are left in 0.9 ms each; by level 19 0.258 in 14, which a tuner that records them waits for. */
#define LEVEL 9
/* Machine code shrinks to a quarter or a tenth; what shrinks further than this is stored as it is, so that a few
 * hostile bytes cannot make a program take gigabytes. */
#define RATIO_MAX 1024

size_t srt_compress(unsigned char *packed, const unsigned char *bytes, size_t size)
{
	size_t used = size > 1 ? ZSTD_compress(packed, size - 1, bytes, size, LEVEL) : 0;

	return ZSTD_isError(used) || !srt_can_decompress_to(size, used) ? 0 : used;
}

bool srt_decompress(unsigned char *bytes, size_t size, const unsigned char *packed, size_t packed_size)
{
	return ZSTD_getFrameContentSize(packed, packed_size) == size &&
		ZSTD_decompress(bytes, size, packed, packed_size) == size;
}

bool srt_can_decompress_to(size_t size, size_t packed_size)
{
	return size / RATIO_MAX <= packed_size;
}
