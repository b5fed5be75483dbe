/* SPDX-License-Identifier: MIT
 *
 * Where the values of strategy `large` lie, in shared memory and in the workspace, and how they are combined and copied
 * there.
 */
#ifndef SCAN_LARGE_STATE_CUH
#define SCAN_LARGE_STATE_CUH

#include "slice.cuh"
#include "tile_state.cuh"

namespace scan {

/* The slots in shared memory. */
template <class P> struct large_slots {
	using T = typename P::value;

	enum : int { leaders = P::block / P::lanes };
	/* A conversion of the caller's wants the value that it converts to lie somewhere. */
	enum : int { per_leader = P::items + 1 + user_facts::has_store };
	enum : int { count = leaders * per_leader + 2 };
	/* An odd number of words from slot to slot: leaders that walk their slots side by side then meet no banks. */
	enum : int { unit = alignof(T) > 4 ? alignof(T) : 4 };
	enum : int { stride = (int(sizeof(T) + unit - 1) / unit | 1) * unit };
	enum : int { bytes = count * stride };

	char *buffer;
	int live; /* elements of the tile */

	__device__ __forceinline__ T *at(int leader, int k) const
	{
		return reinterpret_cast<T *>(buffer + (k * leaders + leader) * stride);
	}
	/* Two that belong to nobody. */
	__device__ __forceinline__ T *extra(int i) const
	{
		return reinterpret_cast<T *>(buffer + (leaders * per_leader + i) * stride);
	}
	__device__ __forceinline__ T *scratch(int leader) const { return at(leader, P::items + 1); }

	__device__ __forceinline__ int live_leaders() const { return (live + P::items - 1) / P::items; }
	/* A leader's elements; not positive where it has none. */
	__device__ __forceinline__ int live_items(int leader) const { return min(P::items, live - leader * P::items); }

	/* Where the leader's own inclusive scan up to its element k lies, once it has been made: the first stays where
	 * it was loaded, the second went to the spare slot, and each later one to where its predecessor's element
	 * was. */
	__device__ __forceinline__ T *scanned(int leader, int k) const
	{
		return at(leader, k == 0 ? 0 : k == 1 ? P::items : k - 1);
	}
	/* The slot that is free then. */
	__device__ __forceinline__ T *spare(int leader) const
	{
		const int items = live_items(leader);
		return at(leader, items < 2 ? P::items : items - 1);
	}

	/* After `steps` steps of the scan of the leaders' totals, step s with reach 2^s: a leader's total has changed
	 * places with the spare slot in each step that reached back from it. */
	static __device__ __forceinline__ bool has_swapped(int leader, int steps)
	{
		const int swaps = min(steps, 32 - __clz(leader));
		return swaps & 1;
	}
	__device__ __forceinline__ T *total(int leader, int steps) const
	{
		return has_swapped(leader, steps) ? spare(leader) : scanned(leader, live_items(leader) - 1);
	}
	__device__ __forceinline__ T *free_slot(int leader, int steps) const
	{
		if (live_items(leader) <= 0)
			return at(leader, P::items);
		return has_swapped(leader, steps) ? scanned(leader, live_items(leader) - 1) : spare(leader);
	}
};

/* The operator on values in memory.  *result is none of the operands. */
template <class P>
__device__ __forceinline__ void combine_in_memory(typename P::value *result, const typename P::value *earlier,
	const typename P::value *later)
{
	if constexpr (same_type<typename P::op, op_user>::value)
		apply_into(result, earlier, later);
	else
		*result = P::op::apply(*earlier, *later);
}

template <class C>
__device__ __forceinline__ void copy_units(void *to, const void *from, int count, int thread, int threads)
{
#pragma unroll 4
	for (int i = thread; i < count; i += threads)
		static_cast<C *>(to)[i] = static_cast<const C *>(from)[i];
}

/* Copies a value by `threads` threads, of which this is number `thread`. */
template <class T> __device__ __forceinline__ void copy_value(void *to, const void *from, int thread, int threads)
{
	constexpr int sure = int(alignof(T)), likely = sure < 4 ? unit_of<int(sizeof(T)) | 4>() : sure;
	if (likely > sure && (address_of(to) | address_of(from)) % likely == 0)
		copy_units<chunk<likely>>(to, from, int(sizeof(T)) / likely, thread, threads);
	else
		copy_units<chunk<sure>>(to, from, int(sizeof(T)) / sure, thread, threads);
}

/* A tile's entry in the workspace: a word that tells what of it is there, then the tile's aggregate and its prefix
 * (with the tile itself), each of whole 16-byte vectors. */
template <class P> struct large_entries {
	using T = typename P::value;
	enum : int { value_words = int(sizeof(T) + 15) / 16 * 2 };
	enum : int { words = 2 + 2 * value_words };

	u64 *word;
	u32 tag;

	__device__ __forceinline__ large_entries(const scan_arguments &arguments, u32 epoch)
	    : word(arguments.tile_words), tag((epoch + 1) << 2)
	{
	}

	__device__ __forceinline__ T *value(u32 tile, tile_mark mark) const
	{
		return reinterpret_cast<T *>(word + u64(tile) * words + 2 + (mark == mark_prefix ? value_words : 0));
	}

	/* Called by a full warp whose lanes have written the value: the barrier and lane 0's fence put all of that
	 * before the word that tells of it. */
	__device__ __forceinline__ void publish(u32 tile, tile_mark mark, int lane) const
	{
		__syncwarp();
		if (lane == 0) {
			__threadfence();
			store_relaxed(word + u64(tile) * words, u64(tag | mark) << 32);
		}
	}

	/* A poll.  Before the value is read comes a fence. */
	__device__ __forceinline__ u32 poll(u32 tile) const
	{
		u32 mark = u32(load_relaxed(word + u64(tile) * words) >> 32) ^ tag;
		return mark < 4 ? mark : u32(mark_none);
	}
};

} // namespace scan

#endif
