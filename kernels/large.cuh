/* SPDX-License-Identifier: MIT
 *
 * Strategy `large`: for values that do not fit a thread's registers.  A tile stays in shared memory from its load to
 * its store; values are operands where they lie, and are moved by all threads together.  One tile a CTA, decoupled
 * look-back, a window of entries combined as a tree.  A scan of one tile touches no global state.
 *
 * A leader is a thread that applies the operator, one in `lanes`; leader g has `items` consecutive elements and a slot
 * to spare, since a result must not overwrite an operand.  Which of its slots holds what follows from how far the
 * scan has come; nothing is copied to make room.
 */
#ifndef SCAN_LARGE_CUH
#define SCAN_LARGE_CUH

#include "block.cuh"
#include "large_state.cuh"

namespace scan {

template <class P> struct scan_strategy<P, strategy::large> {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;
	using slots = large_slots<P>;
	using entries = large_entries<P>;

	static_assert(P::tile_words == entries::words, "tile_words: host and device differ");
	static_assert(P::shared_bytes == slots::bytes, "shared_bytes: host and device differ");

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		extern __shared__ __align__(16) char buffer[];
		__shared__ ticket drawn;
		const bool is_alone = arguments.tiles == 1;
		if (threadIdx.x == 0) {
			drawn = is_alone ? ticket{0, 0} : draw_ticket(arguments);
			allow_next_draws(drawn);
		}
		wait_for_previous_launch();
		__syncthreads();
		const ticket mine = drawn;
		const u64 first = u64(mine.tile) * P::tile;
		const slots tile = {buffer, int(min(arguments.count - first, u64(P::tile)))};
		load(arguments, tile, first);
		__syncthreads();
		scan_items(tile);
		__syncthreads();
		const int steps = scan_totals(tile);
		const T *prefix = find_prefix(arguments, tile, mine, steps, is_alone);
		store(arguments, tile, first, steps, prefix);
		leave_epoch(arguments, !is_alone && mine.is_last_epoch());
	}

private:
	static __device__ __forceinline__ bool is_leader() { return threadIdx.x % P::lanes == 0; }
	static __device__ __forceinline__ int leader() { return threadIdx.x / P::lanes; }

	/* ---- Load ---- */

	/* The tile's bytes, in units of `unit`, by all threads. */
	template <int unit> static __device__ __forceinline__ void copy_tile(const slots &tile, const char *from)
	{
		constexpr int per_value = int(sizeof(T)) / unit;
		using C = chunk<unit>;
#pragma unroll 4
		for (int i = threadIdx.x; i < tile.live * per_value; i += P::block) {
			const int element = i / per_value, part = i % per_value;
			reinterpret_cast<C *>(tile.at(element / P::items, element % P::items))[part] =
				reinterpret_cast<const C *>(from)[i];
		}
	}

	static __device__ __forceinline__ void load(const scan_arguments &arguments, const slots &tile, u64 first)
	{
		const input *in = static_cast<const input *>(arguments.in) + first;
		if constexpr (same_type<input, T>::value && !user_facts::has_load) {
			constexpr int widest = unit_of<int(sizeof(T)) | slots::stride>();
			if (address_of(in) % widest == 0)
				copy_tile<widest>(tile, reinterpret_cast<const char *>(in));
			else
				copy_tile<unit_of<int(alignof(T))>()>(tile, reinterpret_cast<const char *>(in));
		} else {
			for (int i = threadIdx.x; i < tile.live; i += P::block)
				new (place{}, tile.at(i / P::items, i % P::items)) T(load_element<P>(in[i], first + i));
		}
	}

	/* ---- Scan ---- */

	/* Each leader's elements. */
	static __device__ __forceinline__ void scan_items(const slots &tile)
	{
		if (!is_leader())
			return;
		const int items = tile.live_items(leader());
#pragma unroll 1
		for (int k = 1; k < items; k++)
			combine_in_memory<P>(tile.scanned(leader(), k), tile.scanned(leader(), k - 1),
				tile.at(leader(), k));
	}

	/* Kogge-Stone over the leaders' totals; returns the number of steps.  Ends with a block barrier. */
	static __device__ __forceinline__ int scan_totals(const slots &tile)
	{
		const int live = tile.live_leaders(), g = leader();
		int step = 0;
#pragma unroll 1
		for (int reach = 1; reach < live; reach *= 2, step++) {
			if (is_leader() && g >= reach && g < live)
				combine_in_memory<P>(tile.free_slot(g, step), tile.total(g - reach, step),
					tile.total(g, step));
			__syncthreads(); /* each total is read and written by different threads in turn */
		}
		return step;
	}

	/* ---- Prefix ---- */

	/* What comes before the tile, or null; by warp 0, published to the other tiles unless there are none.  Ends
	 * with a block barrier. */
	static __device__ __forceinline__ const T *find_prefix(const scan_arguments &arguments, const slots &tile,
		ticket mine, int steps, bool is_alone)
	{
		__shared__ const T *found;
		if (threadIdx.x < warp_size) {
			const int lane = threadIdx.x;
			const T *total = tile.total(tile.live_leaders() - 1, steps);
			const entries others(arguments, mine.epoch);
			const T *prefix = mine.tile > 0 ? exchange(others, tile, mine.tile, total, steps, lane) :
				initial(arguments, tile, lane);
			if (!is_alone) {
				if (prefix == nullptr)
					copy_value<T>(others.value(mine.tile, mark_prefix), total, lane, warp_size);
				else if (lane == 0)
					combine_in_memory<P>(others.value(mine.tile, mark_prefix), prefix, total);
				others.publish(mine.tile, mark_prefix, lane);
			}
			if (lane == 0)
				found = prefix;
		}
		__syncthreads();
		return found;
	}

	static __device__ __forceinline__ const T *initial(const scan_arguments &arguments, const slots &tile, int lane)
	{
		if constexpr (!P::has_initial)
			return nullptr;
		if (arguments.initial_on_device)
			return static_cast<const T *>(arguments.initial_on_device);
		constexpr int held = sizeof(T) < SCAN_INITIAL_BYTES ? sizeof(T) : SCAN_INITIAL_BYTES;
		if (lane == 0)
			memcpy(tile.extra(0), arguments.initial, held);
		__syncwarp();
		return tile.extra(0);
	}

	/* Publishes this tile's aggregate, and combines what comes before it.  The result lies in an extra slot. */
	static __device__ __forceinline__ const T *exchange(const entries &others, const slots &tile, u32 index,
		const T *total, int steps, int lane)
	{
		copy_value<T>(others.value(index, mark_aggregate), total, lane, warp_size);
		others.publish(index, mark_aggregate, lane);
		int held = 0; /* the extra slot with what lies between the window and the tile */
		for (u32 nearest = index - 1;; nearest -= window) {
			u32 prefixes;
			const T *part = combine_window(others, tile, nearest, prefixes, steps, lane);
			__syncwarp();
			if (nearest == index - 1) {
				copy_value<T>(tile.extra(held), part, lane, warp_size);
			} else {
				if (lane == 0)
					combine_in_memory<P>(tile.extra(1 - held), part, tile.extra(held));
				held = 1 - held;
			}
			__syncwarp(); /* the next window uses the free slots again */
			if (prefixes)
				return tile.extra(held);
		}
	}

	/* As many tiles as there are free slots for their tree, 32 at most. */
	enum : int { window = slots::leaders >= 32 ? 32 : slots::leaders >= 16 ? 16 : slots::leaders >= 8 ? 8 :
		slots::leaders >= 4 ? 4 : slots::leaders >= 2 ? 2 : 1 };

	/* Waits for the entries of up to `window` tiles back from the nearest, as far as to one with a prefix, and
	 * combines them.  Lane 0 has the nearest.  Tile 0 always has a prefix, so that entries before it are never
	 * needed. */
	static __device__ __forceinline__ const T *combine_window(const entries &others, const slots &tile, u32 nearest,
		u32 &prefixes, int steps, int lane)
	{
		u32 mark;
		int left; /* entries that are still to be combined; lane i has the i-th, from the nearest back */
		do {
			mark = mark_none;
			if (lane < window && u32(lane) <= nearest)
				mark = others.poll(nearest - lane);
			prefixes = __ballot_sync(full_warp, mark == mark_prefix);
			left = prefixes ? __ffs(prefixes) : window;
		} while (__any_sync(full_warp, lane < left && mark == mark_none));
		__threadfence(); /* the marks come before the values that are read next */
		__syncwarp();
		const T *part = others.value(nearest - lane, tile_mark(mark));
		int used = 0;
#pragma unroll 1
		while (left > 1) {
			const T *later = shuffle_value<shuffle::from>(part, 2 * lane);
			const T *earlier = shuffle_value<shuffle::from>(part, 2 * lane + 1);
			part = later;
			if (2 * lane + 1 < left) {
				T *result = tile.free_slot(used + lane, steps);
				combine_in_memory<P>(result, earlier, later);
				part = result;
			}
			used += left / 2;
			left = (left + 1) / 2;
			__syncwarp();
		}
		return shuffle_value<shuffle::from>(part, 0);
	}

	/* ---- Store ---- */

	/* One result: `before` (or nothing) combined with `value`. */
	static __device__ __forceinline__ void put(output *out, const slots &tile, const T *before, const T *value)
	{
		if constexpr (same_type<output, T>::value && !user_facts::has_store) {
			if (before)
				combine_in_memory<P>(out, before, value);
			else
				copy_value<T>(out, value, 0, 1);
		} else {
			if (before) {
				combine_in_memory<P>(tile.scratch(leader()), before, value);
				value = tile.scratch(leader());
			}
			new (place{}, out) output(store_element<P>(*value));
		}
	}

	/* The first result of an exclusive scan of all. */
	static __device__ __forceinline__ void put_identity(output *out, const slots &tile)
	{
		if constexpr (P::is_exclusive && !P::has_initial) {
			T *value = tile.extra(0);
			*value = P::op::template identity<T>();
			put(out, tile, nullptr, value);
		}
	}

	/* The whole of the tile has been read by now: out may be in. */
	static __device__ __forceinline__ void store(const scan_arguments &arguments, const slots &tile, u64 first,
		int steps, const T *prefix)
	{
		const int g = leader(), items = tile.live_items(g);
		output *out = static_cast<output *>(arguments.out) + first + g * P::items;
		if (!is_leader() || items <= 0)
			return;
		const T *before = g > 0 ? tile.total(g - 1, steps) : prefix;
		if (g > 0 && prefix) {
			combine_in_memory<P>(tile.free_slot(g, steps), prefix, before);
			before = tile.free_slot(g, steps);
		}
		if constexpr (P::is_exclusive) {
			if (before)
				put(out, tile, nullptr, before);
			else
				put_identity(out, tile);
		}
		constexpr int shift = P::is_exclusive;
#pragma unroll 1
		for (int k = 0; k + 1 < items; k++)
			put(out + k + shift, tile, before, tile.scanned(g, k));
		if constexpr (!P::is_exclusive)
			put(out + items - 1, tile, prefix, tile.total(g, steps));
	}
};

} // namespace scan

#endif
