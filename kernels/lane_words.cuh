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
	for (int i = 0; i + from < given && at + i < count; i++)
		word[at + i] = source[from + i];
}

/* The words that begin `shift` < 16 bytes, which is the same in all lanes, into others; the shift is a multiple of
 * `alignment`, that of the elements, which may be less than their size.  Registers cannot be indexed, and a copy for
 * each number of whole words would hold the words twice: so they move where they are, by two, by one, and by bytes. */
template <int alignment, int count>
__device__ __forceinline__ void shift_words(u32 (&word)[count], u32 (&from)[count + 4], u32 shift)
{
	if (shift & 8) {
#pragma unroll
		for (int i = 0; i < count + 2; i++)
			from[i] = from[i + 2];
	}
	if (alignment % 8 != 0 && (shift & 4)) {
#pragma unroll
		for (int i = 0; i < count + 1; i++)
			from[i] = from[i + 1];
	}
#pragma unroll
	for (int i = 0; i < count; i++)
		word[i] = alignment % 4 == 0 ? from[i] : __funnelshift_r(from[i], from[i + 1], 8 * (shift % 4));
}

/* A lane's `bytes` bytes that begin anywhere, into as many words; no word is touched that has none of them. */
template <u32 bytes> __device__ __forceinline__ void load_bytes(u32 (&word)[(bytes + 3) / 4], const char *from)
{
	constexpr u32 count = (bytes + 3) / 4;
	const u32 skip = shared_address(from) % 4, needed = (skip + bytes + 3) / 4;
	const u32 *const words = reinterpret_cast<const u32 *>(from - skip);
	u32 next = words[0];
#pragma unroll
	for (u32 i = 0; i < count; i++) {
		const u32 low = next;
		next = i + 1 < needed ? words[i + 1] : 0;
		word[i] = __funnelshift_r(low, next, 8 * skip);
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
