/* SPDX-License-Identifier: MIT
 *
 * Strategy `large`: for values that do not fit a thread's registers.  They are operands where they lie in shared
 * memory, and are moved by all threads together.  A scan of one tile touches no global state.
 *
 * A leader is a thread that applies the operator, one in `lanes`; leader g has `items` consecutive elements of the
 * tile, which is far larger than shared memory: the leaders' next elements, one each, arrive in a set of slots while
 * they combine those before.  A tile is read twice, by
 *   reduce()   each leader combines its elements; then a scan over the leaders, and the tile's aggregate goes out
 *   scan()     each leader begins with what comes before its elements, and every step makes a result
 * and the second time it comes from L2, if the tiles of all CTAs fit there, and else as much of it as does: 2 N to 3 N
 * words of memory, and 3 N of L2.
 * About two applications an element.
 *
 * Tiles form groups of `group`; what comes before a tile is the prefix that the last tile before its group publishes,
 * and the aggregates of the group's tiles before it, combined by all leaders like a tile of their own.  A tile waits
 * for earlier tickets only.
 */
#ifndef SCAN_LARGE_CUH
#define SCAN_LARGE_CUH

#include "block.cuh"
#include "large_move.cuh"
#include "large_state.cuh"

namespace scan {

template <class P> struct scan_strategy<P, strategy::large> {
	using T = typename P::value;
	using output = typename P::output;
	using slots = large_slots<P>;
	using chain = large_chain<P>;
	using entries = large_entries<P>;
	using mover = large_mover<P>;
	enum : u32 { group = 32 };

	static_assert(P::tile_words == entries::words, "tile_words: host and device differ");
	static_assert(P::shared_bytes == slots::bytes, "shared_bytes: host and device differ");

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		extern __shared__ __align__(16) char buffer[];
		__shared__ ticket drawn;
		const slots place = {buffer};
		const bool is_alone = arguments.tiles == 1;
		if (threadIdx.x == 0) {
			drawn = is_alone ? ticket{0, 0} : draw_ticket(arguments);
			allow_next_draws(drawn);
		}
		place.clear_ends();
		wait_for_previous_launch();
		__syncthreads();
		const ticket mine = drawn;
		const u64 first = u64(mine.tile) * P::tile;
		const int live = int(min(arguments.count - first, u64(P::tile)));
		const chain tile = {place, slots::totals, live, P::items};
		const mover move = {arguments, place, first, live};
		const bool is_needed = mine.tile + 1 < arguments.tiles; /* by later tiles, or by an exclusive scan */

		reduce(tile, move);
		const int steps = tile.scan();
		const T *prefix = find_prefix(arguments, tile, mine, steps, is_needed);
		scan(tile, move, steps, prefix);
		leave_epoch(arguments, !is_alone && mine.is_last_epoch());
	}

private:
	/* Each leader's elements, from the last to the first: scan() begins with what was read last, which is in L2
	 * even where the tiles of all CTAs do not fit there.  The first step brings them to where totals lie. */
	static __device__ __forceinline__ void reduce(const chain &tile, const mover &move)
	{
		const int steps = tile.steps(), g = leader<P>();
		move.template fetch<way::backward>(slots::totals, 0);
		large_commit();
		fetch<way::backward>(move, 1, steps, slots::start);
#pragma unroll 1
		for (int i = 0; i < steps; i++) {
			large_wait();
			__syncthreads();
			fetch<way::backward>(move, i + 2, steps, slots::start);
			if (i > 0 && i < tile.live_items(g))
				combine_in_memory<P>(tile.at(slots::totals + (i & 1), g),
					tile.at(stage(i, slots::start), g), tile.at(slots::totals + (~i & 1), g));
		}
		__syncthreads();
	}

	/* Three sets in turn: one being read, and two being filled. */
	static __device__ __forceinline__ int stage(int step, int third)
	{
		return step % 3 == 2 ? third : slots::stages + step % 3;
	}

	/* After a barrier that all who read step - 3 have passed. */
	template <way direction>
	static __device__ __forceinline__ void fetch(const mover &move, int step, int steps, int third)
	{
		if (step < steps)
			move.template fetch<direction>(stage(step, third), step);
		large_commit();
	}

	/* ---- Prefix ---- */

	/* What comes before the tile, or null.  By the whole block; ends with its barrier.
	 *
	 * Only the groups' prefixes are a chain: what the last tile of a group does between the prefix that it waits
	 * for and the one that it publishes is to combine once, with what it knows of its group by then. */
	static __device__ __forceinline__ const T *find_prefix(const scan_arguments &arguments, const chain &tile,
		ticket mine, int steps, bool is_needed)
	{
		const entries others(arguments, mine.epoch);
		const bool is_last = mine.tile % group == group - 1;
		const T *total = tile.total(tile.lanes() - 1, steps);
		if (is_needed && !is_last)
			publish(others, mine.tile, total);
		const T *inside = gather(arguments, others, tile, mine.tile);
		T *both = tile.extra(1);
		if (is_needed && is_last && leader<P>() == 0)
			combine_in_memory<P>(both, inside, total); /* other tiles of the group came before it */
		T *next = tile.at(slots::stages, 0);
		const T *before = bring_before(arguments, others, inside ? next : tile.extra(0), mine.tile);
		if (is_needed && is_last) {
			T *to = tile.at(slots::stages + 1, 0);
			if (before != nullptr && leader<P>() == 0)
				combine_in_memory<P>(to, before, both);
			__syncthreads();
			publish(others, mine.tile, before != nullptr ? to : both);
		}
		if (before == nullptr || inside == nullptr)
			return before == nullptr ? inside : before;
		if (leader<P>() == 0)
			combine_in_memory<P>(both, before, inside);
		__syncthreads();
		return both;
	}

	/* Once a tile: its aggregate, or, by the last of a group, its prefix and aggregate combined. */
	static __device__ __forceinline__ void publish(const entries &others, u32 tile, const T *value)
	{
		copy_value<T>(others.value(tile), value, threadIdx.x, P::block);
		__threadfence(); /* what each thread has written comes before the word that tells of it */
		__syncthreads();
		if (threadIdx.x == 0)
			others.tell(tile);
	}

	/* Combines the aggregates of the group's tiles before this one: null where there are none, else in extra(0). */
	static __device__ __forceinline__ const T *gather(const scan_arguments &arguments, const entries &others,
		const chain &tile, u32 index)
	{
		const u32 begin = index - index % group;
		const int count = int(index - begin);
		if (count == 0) /* the same in all threads */
			return nullptr;
		for (u32 i = begin + threadIdx.x; i < index; i += P::block)
			others.wait(i);
		__threadfence(); /* the words come before the values that are read next */
		__syncthreads();
		const chain list = {tile.place, slots::stages, count, (count + slots::leaders - 1) / slots::leaders};
		const int g = leader<P>();
#pragma unroll 1
		for (int i = 0; i < list.steps(); i++) {
			const int set = i == 0 ? slots::stages : slots::start;
			bring(others, list, set, i, begin);
			__syncthreads();
			if (i > 0 && i < list.live_items(g))
				combine_in_memory<P>(tile.at(slots::stages + (i & 1), g),
					tile.at(slots::stages + (~i & 1), g), tile.at(set, g));
			__syncthreads();
		}
		const T *prefix = list.total(list.lanes() - 1, list.scan());
		copy_value<T>(tile.extra(0), prefix, threadIdx.x, P::block);
		__syncthreads();
		return tile.extra(0);
	}

	/* The step-th values of the list's leaders to a set, by the whole block.  The list begins with the entry of
	 * tile `from`. */
	static __device__ __forceinline__ void bring(
		const entries &others, const chain &list, int set, int step, u32 from)
	{
		constexpr int unit = unit_of<int(sizeof(T)) | slots::stride>(), parts = int(sizeof(T)) / unit;
#pragma unroll 4
		for (int i = threadIdx.x; i < list.lanes() * parts; i += P::block) {
			const int l = i / parts, part = i % parts;
			if (step < list.live_items(l))
				large_copy<unit>(unit * part + reinterpret_cast<char *>(list.at(set, l)),
					unit * part + reinterpret_cast<char *>(
						others.value(from + l * list.items + step)));
		}
		large_commit();
		large_commit(); /* an empty group, so that all others are waited for */
		large_wait();
	}

	/* What comes before the tile's group, to a slot: what the last tile before published, or the initial value;
	 * null where there is neither.  Ends with a block barrier, or does nothing. */
	static __device__ __forceinline__ const T *bring_before(
		const scan_arguments &arguments, const entries &others, T *to, u32 index)
	{
		const u32 begin = index - index % group;
		if (begin == 0 && !P::has_initial)
			return nullptr;
		if (begin > 0) {
			if (threadIdx.x == 0)
				others.wait(begin - 1);
			__threadfence(); /* the word comes before the value */
			__syncthreads();
			copy_value<T>(to, others.value(begin - 1), threadIdx.x, P::block);
		} else if (threadIdx.x < warp_size) {
			bring_initial(arguments, to);
		}
		__syncthreads();
		return to;
	}

	static __device__ __forceinline__ void bring_initial(const scan_arguments &arguments, T *to)
	{
		constexpr int held = sizeof(T) < SCAN_INITIAL_BYTES ? sizeof(T) : SCAN_INITIAL_BYTES;
		if (arguments.initial_on_device)
			copy_value<T>(to, arguments.initial_on_device, threadIdx.x, warp_size);
		else if (threadIdx.x == 0)
			memcpy(to, arguments.initial, held);
	}

	/* ---- Results ---- */

	/* The set that holds what comes before the leaders' step-th elements. */
	static __device__ __forceinline__ int running(int step) { return step & 1 ? slots::totals : slots::start; }

	static __device__ __forceinline__ void scan(const chain &tile, const mover &move, int before, const T *prefix)
	{
		const int steps = tile.steps(), g = leader<P>(), items = tile.live_items(g);
		const bool has_start = g > 0 || prefix != nullptr;
		constexpr int shift = P::is_exclusive;
		fetch<way::forward>(move, 0, steps, slots::totals + 1);
		fetch<way::forward>(move, 1, steps, slots::totals + 1);
		begin(tile, before, prefix);
#pragma unroll 1
		for (int i = 0; i < steps; i++) {
			large_wait();
			__syncthreads();
			fetch<way::forward>(move, i + 2, steps, slots::totals + 1);
			T *value = tile.at(stage(i, slots::totals + 1), g), *next = tile.at(running(i + 1), g);
			if (i + shift < items && (i > 0 || has_start))
				combine_in_memory<P>(next, tile.at(running(i), g), value);
			else if (i + shift < items)
				copy_value<T>(next, value, 0, 1);
			if (P::is_exclusive || i > 0)
				move.emit(running(i), i + shift - 1);
		}
		if constexpr (!P::is_exclusive) {
			__syncthreads();
			move.emit(running(steps), steps - 1);
		}
	}

	/* What comes before each leader's first element; where nothing does, an exclusive scan of all has the
	 * identity. */
	static __device__ __forceinline__ void begin(const chain &tile, int steps, const T *prefix)
	{
		const int g = leader<P>();
		T *start = tile.at(slots::start, g);
		if (tile.live_items(g) <= 0)
			return;
		if (g > 0 && prefix != nullptr)
			combine_in_memory<P>(start, prefix, tile.total(g - 1, steps));
		else if (g > 0)
			copy_value<T>(start, tile.total(g - 1, steps), 0, 1);
		else if (prefix != nullptr)
			copy_value<T>(start, prefix, 0, 1);
		else if constexpr (P::is_exclusive && !P::has_initial)
			*start = P::op::template identity<T>();
	}
};

} // namespace scan

#endif
