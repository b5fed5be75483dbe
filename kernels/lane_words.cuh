/* SPDX-License-Identifier: MIT
 *
 * Words of shared memory that begin within a vector or within a word: moved by one lane in its registers, or by a warp.
 */
#ifndef SCAN_LANE_WORDS_CUH
#define SCAN_LANE_WORDS_CUH

#include "memory.cuh"

namespace scan {

/* A lane's own words, whole vectors of them. */
template <int count> __device__ __forceinline__ void load_words(u32 (&word)[count], const char *from)
{
#pragma unroll
	for (int i = 0; i < count; i += 4) {
		u32 four[4];
		load_vector<access::plain>(four, reinterpret_cast<const u32 *>(from) + i);
		memcpy(word + i, four, sizeof four);
	}
}

template <int count> __device__ __forceinline__ void store_words(char *to, const u32 (&word)[count])
{
#pragma unroll
	for (int i = 0; i < count; i += 4) {
		u32 four[4];
		memcpy(four, word + i, sizeof four);
		store_vector<access::plain>(reinterpret_cast<u32 *>(to) + i, four);
	}
}

/* All words of another array from `from` on, to the place `at`.  Of one array: to an earlier place. */
template <int count, int given>
__device__ __forceinline__ void set_words(u32 (&word)[count], int at, const u32 (&source)[given], int from = 0)
{
#pragma unroll
	for (int i = 0; i + from < given; i++)
		word[at + i] = source[from + i];
}

template <int alignment, int skip, int count>
__device__ __forceinline__ void shift_words_by(u32 (&word)[count], const u32 (&from)[count + 4], u32 bytes)
{
#pragma unroll
	for (int i = 0; i < count; i++)
		word[i] = alignment % 4 == 0 ? from[i + skip] :
			__funnelshift_r(from[i + skip], from[i + skip + 1], 8 * bytes);
}

/* The words that begin `shift` < 16 bytes, which is the same in all lanes, into others; the shift is a multiple of
 * `alignment`, that of the elements, which may be less than their size.  Registers cannot be indexed, so each number of
 * whole words has code of its own. */
template <int alignment, int count>
__device__ __forceinline__ void shift_words(u32 (&word)[count], const u32 (&from)[count + 4], u32 shift)
{
	switch (shift / 4) {
	case 0:
		return shift_words_by<alignment, 0>(word, from, shift % 4);
	case 1:
		return shift_words_by<alignment, 1>(word, from, shift % 4);
	case 2:
		return shift_words_by<alignment, 2>(word, from, shift % 4);
	default:
		return shift_words_by<alignment, 3>(word, from, shift % 4);
	}
}

enum : int { word_batch = 4 }; /* words a lane moves at once */

/* Every 32nd word from `first` on, or rather those that begin `skip` < 4 bytes later.  No word after `last` is touched;
 * what would need it comes out wrong. */
__device__ __forceinline__ void read_words(u32 (&word)[word_batch], const char *from, u32 first, u32 skip, u32 last)
{
	const u32 *words = reinterpret_cast<const u32 *>(from);
#pragma unroll
	for (int b = 0; b < word_batch; b++) {
		const u32 at = first + b * warp_size;
		word[b] = words[at < last ? at : last];
	}
	if (skip > 0) { /* the same in all lanes */
#pragma unroll
		for (int b = 0; b < word_batch; b++) {
			const u32 next = first + b * warp_size + 1;
			word[b] = __funnelshift_r(word[b], words[next < last ? next : last], 8 * skip);
		}
	}
}

/* Moves `count` words that begin `shift` bytes, 0 < shift < 16, behind this place to it; `last` is the last word that
 * they touch.  A full, converged warp. */
__device__ __forceinline__ void move_words(char *place, u32 count, u32 last, u32 shift, int lane)
{
#pragma unroll 1
	for (u32 first = lane; first - lane < count; first += word_batch * warp_size) {
		u32 word[word_batch];
		read_words(word, place, first + shift / 4, shift % 4, last);
		__syncwarp(); /* all lanes have read what is overwritten now */
#pragma unroll
		for (int b = 0; b < word_batch; b++)
			if (first + b * warp_size < count)
				reinterpret_cast<u32 *>(place)[first + b * warp_size] = word[b];
	}
	__syncwarp();
}

} // namespace scan

#endif
