/* SPDX-License-Identifier: MIT
 *
 * Strategy `lookahead`: persistent CTAs draw tiles from a ticket.  A CTA publishes only its tile's aggregate, never a
 * prefix, so there is no serial chain.  A gather warp keeps `base`, the combination of all full, aligned batches of
 * 32 tiles so far; for its next tile t it folds in, in tile order, the batches up to t/32, then the remainder of t's
 * own batch: a fixed tree.  The result depends on the tile size alone, not on timing or on the number of CTAs.
 *
 * A tile waits only for aggregates of earlier tickets, which running CTAs publish without waiting for anything but
 * their own earlier tiles: progress needs no co-residency.
 *
 * Roles: `warps` compute warps, a publisher, a gather warp and a loader.  Only phase barriers join them.
 * Each role walks the CTA's k-th tile, k = 0, 1, ...; the tile's index is in shared memory, in the ring of stages.
 * The compute warps reduce tile k + ahead before they scan tile k, which hides the exchange between CTAs.
 */
#ifndef SCAN_LOOKAHEAD_CUH
#define SCAN_LOOKAHEAD_CUH

#include "block.cuh"
#include "circuit_warps.cuh"
#include "lookahead_stage.cuh"
#include "tile_state.cuh"

namespace scan {

template <class P> struct scan_strategy<P, strategy::lookahead> {
	using T = typename P::value;
	using input = typename P::input;
	using ring = stage_ring<P>;

	/* Slots of rings in k.  A warp runs ahead of another by up to `ahead` tiles, so totals, written `ahead` tiles
	 * early, need room for twice that; and for a stage each, since it is the release of its stage that tells that
	 * the publisher has read them.  A barrier's waiter may lag by one phase only, so barriers need more than
	 * `ahead`. */
	enum : int { total_slots = 2 * P::ahead + 2 > P::stages ? 2 * P::ahead + 2 : P::stages };
	enum : int { barrier_slots = P::ahead + 2 };
	/* The gather warp writes tile k's prefix once it has seen tile k loaded, so once the stage of tile k - stages
	 * was free: by then all warps have done with the prefix of the tile before that one, which had this slot. */
	enum : int { prefix_slots = P::stages + 1 };
	/* With fewer tiles a CTA than this, a prefetch of the first ones pays: on an H200 it saves 1.0 us of 38.4 at
	 * 2^24 i32 elements (12 rounds), but costs 1.3 of 134.4 at 2^26 (47), where CTAs that start in step stay so. */
	enum : u32 { prefetch_rounds = 24 };
	enum : int { publisher = P::warps, gatherer = P::warps + 1, loader = P::warps + 2 };

	struct shared_storage {
		ring stages;
		phase_barrier has_totals[barrier_slots]; /* every compute warp has reduced its slice of tile k */
		phase_barrier has_prefix[barrier_slots]; /* the gather warp has tile k's prefix */
		T warp_total[total_slots][P::warps];
		T prefix[prefix_slots];
		typename warp_scan<P, P::warp_scan()>::storage scratch[P::warps];
	};

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		extern __shared__ __align__(128) char buffer[];
		__shared__ shared_storage shared;
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
		u32 first = 0;
		if (warp == loader)
			first = begin(arguments, shared, buffer, lane);
		wait_for_previous_launch();
		__syncthreads();
		if (warp < P::warps)
			compute(arguments, shared, buffer, warp, lane);
		else if (warp == publisher)
			publish(arguments, shared, lane);
		else if (warp == gatherer)
			gather(arguments, shared, lane);
		else
			load(arguments, shared, buffer, first, lane);
		leave_epoch(arguments, ticket{0, shared.stages.epoch}.is_last_epoch());
	}

private:
	/* The loader's prologue: the first load is on its way before the block has even met.  Returns its tile. */
	static __device__ __forceinline__ u32 begin(const scan_arguments &arguments, shared_storage &shared,
		char *buffer, int lane)
	{
		u64 word = 0;
		if (lane == 0) {
			if (arguments.tiles < prefetch_rounds * gridDim.x)
				shared.stages.prefetch(arguments, blockIdx.x);
			shared.stages.init();
			for (int i = 0; i < barrier_slots; i++) {
				shared.has_totals[i].init(P::warps);
				shared.has_prefix[i].init(1);
			}
			fence_barrier_init();
			wait_for_previous_launch();
			word = draw_word(arguments, 1);
			shared.stages.epoch = u32(word >> 32);
		}
		__syncwarp();
		return shared.stages.start(arguments, buffer, 0, word, lane);
	}

	/* Role of the loader: fills each stage again as soon as it is free.  Each ticket is drawn when its load can
	 * start: a tile held back by a CTA that has no room for it holds back all later tiles.  Each CTA draws one
	 * ticket too many; that is how the last draw of all is known. */
	static __device__ __forceinline__ void load(const scan_arguments &arguments, shared_storage &shared,
		char *buffer, u32 tile, int lane)
	{
		for (u32 k = 1; tile < arguments.tiles; k++) {
			shared.stages.wait_free(k);
			tile = shared.stages.start(arguments, buffer, k, lane == 0 ? draw_word(arguments, 1) : 0, lane);
		}
	}

	static __device__ __forceinline__ int tile_count(const scan_arguments &arguments, u32 tile)
	{
		u64 left = arguments.count - u64(tile) * P::tile;
		return left < P::tile ? int(left) : P::tile;
	}

	static __device__ __forceinline__ void wait(phase_barrier *slots, u32 k, u32 expected)
	{
		slots[k % barrier_slots].wait(k / barrier_slots & 1, expected);
	}

	/* Role of the publisher: tile k's aggregate goes out as soon as its warps have reduced it. */
	static __device__ __forceinline__ void publish(const scan_arguments &arguments, shared_storage &shared,
		int lane)
	{
		for (u32 k = 0;; k++) {
			u32 tile = shared.stages.wait(k);
			if (tile >= arguments.tiles)
				break;
			wait(shared.has_totals, k, P::warps);
			int live = live_warps<P, false>(tile_count(arguments, tile));
			T total;
			if (lane < live)
				total = shared.warp_total[k % total_slots][lane];
			shared.stages.release(k, lane); /* the totals, too, have been read: their slot may be reused */
			total = warp_reduce<P>(total, live, lane);
			if (lane == 0)
				tile_words<P>(arguments, shared.stages.epoch).publish(tile, total, mark_aggregate);
		}
	}

	/* Role of the gather warp: the prefix of each of the CTA's tiles. */
	static __device__ __forceinline__ void gather(const scan_arguments &arguments, shared_storage &shared, int lane)
	{
		maybe<T> base = initial_value<P>(arguments); /* meaningful in lane 0 */
		u32 folded = 0;                              /* batches in base */
		for (u32 k = 0;; k++) {
			u32 tile = shared.stages.wait(k);
			if (tile >= arguments.tiles)
				break;
			const tile_words<P> words(arguments, shared.stages.epoch);
			shared.stages.release(k, lane);
			for (; folded < tile / warp_size; folded = min(folded + P::gather, tile / warp_size))
				fold(base, words, folded, tile / warp_size - folded, lane);
			int rest = tile % warp_size;
			T value = wait_for_batch(words, tile / warp_size, rest, lane);
			value = warp_reduce<P>(value, rest, lane);
			if (lane == 0) {
				shared.prefix[k % prefix_slots] = combine<P>(base, {value, rest > 0}).value;
				shared.has_prefix[k % barrier_slots].arrive();
			}
		}
	}

	/* Folds up to `gather` of the next `left` batches into base; their loads are in flight together. */
	static __device__ __forceinline__ void fold(
		maybe<T> &base, const tile_words<P> &words, u32 batch, u32 left, int lane)
	{
		typename tile_words<P>::entry seen[P::gather];
		bool is_ready;
		do {
			is_ready = true;
#pragma unroll
			for (int i = 0; i < P::gather; i++) {
				if (i < left)
					seen[i] = words.poll((batch + i) * warp_size + lane);
				is_ready &= i >= left || seen[i].mark != mark_none;
			}
		} while (!__all_sync(full_warp, is_ready));
#pragma unroll
		for (int i = 0; i < P::gather; i++) {
			if (i < left) /* the same in all lanes */
				base = combine<P>(base, {warp_reduce<P>(seen[i].value, warp_size, lane), true});
		}
	}

	/* The first `count` aggregates of a batch, one a lane. */
	static __device__ __forceinline__ T wait_for_batch(const tile_words<P> &words, u32 batch, int count, int lane)
	{
		typename tile_words<P>::entry seen;
		do {
			seen.mark = mark_none;
			if (lane < count)
				seen = words.poll(batch * warp_size + lane);
		} while (__any_sync(full_warp, lane < count && seen.mark == mark_none));
		return seen.value;
	}

	/* Role of a compute warp: reduces its slice of tile k + ahead, then scans and stores its slice of tile k. */
	static __device__ __forceinline__ void compute(
		const scan_arguments &arguments, shared_storage &shared, char *buffer, int warp, int lane)
	{
		u32 reduced = 0; /* tiles reduced; one more after the last tile was met */
		bool has_more = true;
#pragma unroll 1
		for (u32 k = 0;; k++) {
			while (has_more && reduced <= k + P::ahead) {
				has_more = reduce(arguments, shared, buffer, reduced, warp, lane);
				reduced += has_more;
			}
			if (k == reduced)
				break;
			scan(arguments, shared, buffer, k, warp, lane);
		}
	}

	/* Leaves the total of this warp's slice of the CTA's k-th tile in warp_total; false where there is no such
	 * tile. */
	static __device__ __forceinline__ bool reduce(
		const scan_arguments &arguments, shared_storage &shared, char *buffer, u32 k, int warp, int lane)
	{
		const u32 tile = shared.stages.wait(k);
		if (tile >= arguments.tiles)
			return false;
		const int count = slice_count<P>(tile_count(arguments, tile), warp);
		staged_slice<P> source(arguments, buffer, k, tile, warp);
		T total;
		if (count == P::slice && source.is_aligned)
			total = source.template reduce<true>(lane, count);
		else if (count > 0)
			total = source.template reduce<false>(lane, count);
		__syncwarp(); /* all lanes have read the totals of earlier tiles: the arrival tells the others that */
		if (lane == 0) {
			if (count > 0)
				shared.warp_total[k % total_slots][warp] = total;
			shared.has_totals[k % barrier_slots].arrive();
		}
		return true;
	}

	static __device__ __forceinline__ void scan(const scan_arguments &arguments, shared_storage &shared,
		char *buffer, u32 k, int warp, int lane)
	{
		const u32 tile = shared.stages.tile_of(k);
		const int count = slice_count<P>(tile_count(arguments, tile), warp);
		const bool is_whole = address_of(arguments.in) % 16 == 0 &&
			is_aligned<P>(static_cast<typename P::output *>(arguments.out));
		if (is_whole && count == P::slice && (P::has_initial || tile > 0))
			scan_slice<true>(arguments, shared, buffer, k, tile, count, warp, lane);
		else
			scan_slice<false>(arguments, shared, buffer, k, tile, count, warp, lane);
	}

	/* is_full: the slice is, something comes before its tile, and the arrays are aligned. */
	template <bool is_full>
	static __device__ __forceinline__ void scan_slice(const scan_arguments &arguments, shared_storage &shared,
		char *buffer, u32 k, u32 tile, int count, int warp, int lane)
	{
		const u64 first = u64(tile) * P::tile + warp * P::slice;
		slice<P, is_full> mine(lane, count, first);
		staged_slice<P>(arguments, buffer, k, tile, warp).load(mine);
		shared.stages.release(k, lane);
		mine.scan(&shared.scratch[warp]);
		/* The prefix says nothing about this tile's other warps: wait for their totals too. */
		wait(shared.has_totals, k, P::warps);
		wait(shared.has_prefix, k, 1);
		maybe<T> prefix = {shared.prefix[k % prefix_slots], tile > 0 || P::has_initial};
		if (mine.has_total()) {
			int live = live_warps<P, false>(tile_count(arguments, tile));
			warp_totals<P> block(shared.warp_total[k % total_slots], live, warp, lane);
			typename P::output *out = static_cast<typename P::output *>(arguments.out);
			mine.store(out + first, combine<P>(prefix, block.earlier));
		}
	}
};

} // namespace scan

#endif
