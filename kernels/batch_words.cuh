/* SPDX-License-Identifier: MIT
 *
 * The words in which CTAs tell each other aggregates of tiles and of batches of 32 tiles, where values are wide.  Every
 * word carries its own tag, as in tile_state.cuh, and only aggregates are ever told.
 *
 * The words of a batch's tiles lie side by side, those of one number after those of the one before, in pairs where they
 * pair up: what the lanes of a warp ask for together are neighbours.  Behind them lie those of the batch.
 */
#ifndef SCAN_BATCH_WORDS_CUH
#define SCAN_BATCH_WORDS_CUH

#include "tile_state.cuh"

namespace scan {

template <class P> struct batch_words {
	using T = typename P::value;
	enum : int { count = P::tile_words, width = count % 2 == 0 ? 2 : 1, rows = count / width };
	enum : int { batch_size = (warp_size + 1) * count }; /* words of a batch, and its tiles */

	/* Where a value's words are: those of a row together, rows a stride apart. */
	struct entry {
		u64 *word;
		u32 stride;
	};

	u64 *first;
	u32 tag;

	__device__ __forceinline__ batch_words(const scan_arguments &arguments, u32 epoch)
	    : first(arguments.tile_words), tag((epoch + 1) << 2 | mark_aggregate)
	{
	}

	__device__ __forceinline__ entry of_tile(u32 tile) const
	{
		return {first + u64(tile / warp_size) * batch_size + tile % warp_size * width, warp_size * width};
	}

	__device__ __forceinline__ entry of_batch(u32 batch) const
	{
		return {first + u64(batch) * batch_size + warp_size * count, width};
	}

	/* One thread.  Each word is valid by itself, so relaxed stores in any order will do. */
	__device__ __forceinline__ void publish(entry to, const T &value) const
	{
		u32 part[count];
		part[count - 1] = 0;
		memcpy(part, &value, sizeof value);
#pragma unroll
		for (int i = 0; i < count; i++)
			store_relaxed(to.word + i / width * to.stride + i % width, u64(tag) << 32 | part[i]);
	}

	/* Whether some of it is there. */
	__device__ __forceinline__ bool has_begun(entry from) const
	{
		return u32(load_relaxed(from.word) >> 32) == tag;
	}

	/* False where a word is missing yet. */
	__device__ __forceinline__ bool read(T &value, entry from) const
	{
		u32 part[count];
		bool is_there = true;
#pragma unroll
		for (int r = 0; r < rows; r++) {
			u64 seen[width];
			load_relaxed(seen, from.word + r * from.stride);
#pragma unroll
			for (int i = 0; i < width; i++) {
				is_there = is_there && u32(seen[i] >> 32) == tag;
				part[r * width + i] = u32(seen[i]);
			}
		}
		memcpy(&value, part, sizeof value);
		return is_there;
	}
};

} // namespace scan

#endif
