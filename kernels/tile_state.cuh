/* SPDX-License-Identifier: MIT
 *
 * What CTAs tell each other: the ticket that hands out tiles, and the tile words that carry aggregates and prefixes.
 * abi.h has the layout.  Nothing is cleared between launches, because every word carries the launch's epoch.
 */
#ifndef SCAN_TILE_STATE_CUH
#define SCAN_TILE_STATE_CUH

#include "memory.cuh"
#include "warp_scan.cuh"

namespace scan {

enum tile_mark : u32 { mark_none = 0, mark_aggregate = 1, mark_prefix = 2 };

struct ticket {
	u32 tile;
	u32 epoch;
	__device__ __forceinline__ bool is_last_epoch() const { return epoch >= SCAN_EPOCH_LIMIT - 1; }
};

/* Draws `number` tickets and returns the ticket word before it; one thread.  Tickets, not block indices, order the
 * tiles: a CTA then waits only for tiles that running CTAs hold, whatever order the hardware starts them in. */
__device__ __forceinline__ u64 draw_word(const scan_arguments &arguments, u32 number)
{
	return atomicAdd(arguments.control, u64(number));
}

/* What a drawn word says.  Whoever drew the last ticket of the launch makes the word ready for the next launch; nobody
 * draws after that.  The next launch may begin to draw while this one still runs: only once all blocks of this one have
 * allowed it to, each after its last draw, and the fence has then put the word where atomics find it. */
__device__ __forceinline__ ticket read_word(const scan_arguments &arguments, u64 word, u32 number)
{
	ticket first = {u32(word), u32(word >> 32)};
	if (first.tile + number == arguments.draws && !first.is_last_epoch()) {
		store_relaxed(arguments.control, u64(first.epoch + 1) << 32);
		__threadfence();
	}
	return first;
}

/* By a thread that has drawn the block's last ticket.  The last epoch ends with a cleared word, so that nobody may draw
 * before the end of that launch. */
__device__ __forceinline__ void allow_next_draws(ticket drawn)
{
	if (!drawn.is_last_epoch())
		allow_next_launch();
}

__device__ __forceinline__ ticket draw_ticket(const scan_arguments &arguments)
{
	return read_word(arguments, draw_word(arguments, 1), 1);
}

/* The end of the last epoch: tags are about to repeat, so the last CTA to leave clears all tile words and starts
 * over.  The next launch draws as soon as all have left, before it waits for anything: hence the fence at the end.
 * Called by the whole block, converged, after its last access to tile words. */
__device__ __forceinline__ void leave_epoch(const scan_arguments &arguments, bool is_last_epoch)
{
	if (!is_last_epoch)
		return;
	__shared__ bool is_last_block;
	__syncthreads();
	if (threadIdx.x == 0) {
		/* This block's reads of tile words come before the count that lets another clear them. */
		__threadfence();
		is_last_block = atomicAdd(arguments.control + 1, 1ull) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (!is_last_block)
		return;
	for (u64 i = threadIdx.x; i < arguments.tile_word_capacity; i += blockDim.x)
		store_relaxed(arguments.tile_words + i, 0);
	if (threadIdx.x < 2)
		store_relaxed(arguments.control + threadIdx.x, 0);
	__threadfence();
}

template <class P> struct tile_words {
	using T = typename P::value;
	struct entry {
		T value;
		u32 mark; /* mark_none unless all words of the value are there */
	};

	u64 *word;
	u32 tag; /* of this epoch, with mark bits zero; never 0, so that fresh words match nothing */

	__device__ __forceinline__ tile_words(const scan_arguments &arguments, u32 epoch)
	    : word(arguments.tile_words), tag((epoch + 1) << 2)
	{
	}

	/* One thread.  Each word is valid by itself, so relaxed stores in any order will do. */
	__device__ __forceinline__ void publish(u32 tile, T value, tile_mark mark) const
	{
		u32 part[P::tile_words];
		part[P::tile_words - 1] = 0;
		memcpy(part, &value, sizeof value);
#pragma unroll
		for (int i = 0; i < P::tile_words; i++)
			store_relaxed(word + u64(tile) * P::tile_words + i, u64(tag | mark) << 32 | part[i]);
	}

	/* A poll, not a wait.  Words of two publications of one tile (aggregate, then prefix) never make one entry. */
	__device__ __forceinline__ entry poll(u32 tile) const
	{
		u32 part[P::tile_words];
		entry found;
		found.mark = mark_none;
		u64 seen[P::tile_words];
		load_relaxed(seen, word + u64(tile) * P::tile_words);
#pragma unroll
		for (int i = 0; i < P::tile_words; i++) {
			u64 w = seen[i];
			u32 mark = u32(w >> 32) ^ tag;
			mark = mark < 4 ? mark : u32(mark_none);
			found.mark = i == 0 || mark == found.mark ? mark : u32(mark_none);
			part[i] = u32(w);
		}
		memcpy(&found.value, part, sizeof found.value);
		return found;
	}
};

} // namespace scan

#endif
