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

/* The slots in shared memory: sets of one a leader, and two that belong to nobody. */
template <class P> struct large_slots {
	using T = typename P::value;

	enum : int { leaders = P::block / P::lanes };
	/* Two sets for elements to come, two for the totals of leaders, and one to begin with. */
	enum : int { stages = 0, totals = 2, start = 4, sets = 5 };
	/* An odd number of words from slot to slot, whole vectors where values are: leaders that walk their slots side
	 * by side then meet no banks. */
	enum : int { unit = sizeof(T) % 16 == 0 && sizeof(T) >= 1024 ? 16 : alignof(T) > 4 ? alignof(T) : 4 };
	enum : int { stride = (int(sizeof(T) + unit - 1) / unit | 1) * unit };
	enum : int { count = sets * leaders + 2, bytes = count * stride };

	/* Leaders stand close together, as many in a warp as one access of shared memory serves, but leave a warp to
	 * those that move elements, unless there is only one. */
	enum : int { others = P::warps > 1 ? P::warps - 1 : 1, served = 128 / unit };
	enum : int { least = (leaders + others - 1) / others };
	enum : int { per_warp = least > served ? least : int(served) };
	enum : int { leading_warps = (leaders + per_warp - 1) / per_warp };
	enum : int { movers = (P::warps > 1 ? P::warps - leading_warps : 1) * warp_size };
	static_assert(per_warp <= warp_size, "lanes: too many leaders for the block");

	char *buffer;

	__device__ __forceinline__ T *at(int set, int leader) const
	{
		return reinterpret_cast<T *>(buffer + (set * leaders + leader) * stride);
	}
	__device__ __forceinline__ T *extra(int i) const
	{
		return reinterpret_cast<T *>(buffer + (sets * leaders + i) * stride);
	}

	/* Padding behind the last member, which no operator writes, is copied with the rest.  By the whole block; ends
	 * without a barrier. */
	__device__ __forceinline__ void clear_ends() const
	{
		for (int i = threadIdx.x; i < count; i += P::block)
			*reinterpret_cast<chunk<alignof(T)> *>(buffer + i * stride + sizeof(T) - alignof(T)) = {};
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

/* This thread's number among the leaders; one that is far too high if it is none. */
template <class P> __device__ __forceinline__ int leader()
{
	using slots = large_slots<P>;
	const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
	const int number = warp * slots::per_warp + lane;
	return lane < slots::per_warp && number < slots::leaders ? number : 1 << 16;
}

/* A sequence of `live` values of which each leader has combined `items` neighbours, step by step: what it has after its
 * first is in set `set`, after its second in the next set, and so on in turn. */
template <class P> struct large_chain {
	using T = typename P::value;
	using slots = large_slots<P>;

	slots place;
	int set;
	int live;
	int items;

	__device__ __forceinline__ T *at(int s, int leader) const { return place.at(s, leader); }
	__device__ __forceinline__ T *extra(int i) const { return place.extra(i); }
	__device__ __forceinline__ int steps() const { return min(items, live); }
	__device__ __forceinline__ int lanes() const { return (live + items - 1) / items; }
	/* A leader's; not positive where it has none. */
	__device__ __forceinline__ int live_items(int leader) const { return min(items, live - leader * items); }

	/* After `steps` steps of the scan over the leaders, step s with reach 2^s: a leader's total has changed places
	 * in each step that reached back from it. */
	__device__ __forceinline__ T *total(int leader, int steps) const
	{
		const int swaps = min(steps, 32 - __clz(leader));
		return at(set + (live_items(leader) - 1 + swaps & 1), leader);
	}

	/* Kogge-Stone over the leaders' totals; returns the number of steps.  Ends with a block barrier. */
	__device__ __forceinline__ int scan() const
	{
		const int g = leader<P>();
		int step = 0;
#pragma unroll 1
		for (int reach = 1; reach < lanes(); reach *= 2, step++) {
			if (g >= reach && g < lanes())
				combine_in_memory<P>(
					total(g, step + 1), total(g - reach, step), total(g, step));
			__syncthreads(); /* each total is read and written by different threads in turn */
		}
		return step;
	}
};

/* A tile's entry in the workspace: a word that tells whether the rest is there, then a value in whole 16-byte
 * vectors. */
template <class P> struct large_entries {
	using T = typename P::value;
	enum : int { words = 2 + int(sizeof(T) + 15) / 16 * 2 };

	u64 *word;
	u32 tag;

	__device__ __forceinline__ large_entries(const scan_arguments &arguments, u32 epoch)
	    : word(arguments.tile_words), tag((epoch + 1) << 2 | mark_aggregate)
	{
	}

	__device__ __forceinline__ T *value(u32 tile) const
	{
		return reinterpret_cast<T *>(word + u64(tile) * words + 2);
	}

	/* One thread, after a block barrier that follows a fence of whoever wrote the value. */
	__device__ __forceinline__ void tell(u32 tile) const
	{
		__threadfence();
		store_relaxed(word + u64(tile) * words, u64(tag) << 32);
	}

	/* Before the value is read comes a fence. */
	__device__ __forceinline__ void wait(u32 tile) const
	{
		while (u32(load_relaxed(word + u64(tile) * words) >> 32) != tag)
			;
	}
};

} // namespace scan

#endif
