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
#include "lookahead_compute.cuh"
#include "lookahead_shared.cuh"
#include "lookahead_wide.cuh"
#include "tile_state.cuh"

namespace scan {

template <class P> struct scan_strategy<P, strategy::lookahead> {
	using T = typename P::value;

	/* Of wide values, the gather warps follow the compute warps: a warp's number decides what it shares a scheduler
	 * with, and these are the busy ones. */
	enum : int { gatherer = P::is_wide ? P::warps * P::teams : P::warps + 1 };
	enum : int { publisher = P::is_wide ? gatherer + P::gather_warps : P::warps };
	enum : int { loader = P::is_wide ? publisher + 1 : P::warps + 2, storer };

	using shared_storage = lookahead_shared<P>;

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
		if constexpr (P::is_wide) {
			const lookahead_wide<P> roles = {arguments, shared, lane};
			if (warp < P::warps * P::teams)
				roles.compute(buffer, warp);
			else if (warp < publisher)
				roles.gather(warp - gatherer);
			else if (warp == publisher)
				roles.publish();
			else if (warp == loader)
				load(arguments, shared, buffer, first, lane);
			else
				roles.store(buffer);
		} else if (warp < P::warps)
			lookahead_compute<P>{arguments, shared, buffer, warp, lane}.run();
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
			if (P::rakes || shared.stages.has_few_rounds(arguments))
				shared.stages.prefetch(arguments, blockIdx.x);
			word = draw_word(arguments, 1);
			shared.init();
			fence_barrier_init();
			shared.stages.epoch = u32(word >> 32);
		}
		__syncwarp();
		return shared.stages.start(arguments, buffer, 0, word, lane, [] { wait_for_previous_launch(); });
	}

	/* Role of the loader: fills each stage again as soon as it is free.  Each ticket is drawn when its load can
	 * start: a tile held back by a CTA that has no room for it holds back all later tiles.  Each CTA draws one
	 * ticket too many; that is how the last draw of all is known. */
	static __device__ __forceinline__ void load(const scan_arguments &arguments, shared_storage &shared,
		char *buffer, u32 tile, int lane)
	{
		for (u32 k = 1; tile < arguments.tiles; k++) {
			const u64 word = P::is_wide ? draw_early(arguments, shared, k, lane) : 0;
			shared.stages.wait_free(k);
			if (k == 1)
				shared.stages.fall_out_of_step(arguments);
			tile = shared.stages.start(arguments, buffer, k,
				P::is_wide ? word : lane == 0 ? draw_word(arguments, 1) : 0, lane);
		}
		allow_next_draws(ticket{0, shared.stages.epoch});
	}

	/* Of wide values a stage is as good as free once its results are there: the storing warp waits for nobody else,
	 * and its copy's reads take as long as a ticket.  Of 96 bytes a stage was empty for 0.7 us of 16.7. */
	static __device__ __forceinline__ u64 draw_early(
		const scan_arguments &arguments, shared_storage &shared, u32 k, int lane)
	{
		if (k >= P::stages)
			shared.wait_for_results(k - P::stages);
		return lane == 0 ? draw_word(arguments, 1) : 0;
	}

	/* Role of the publisher: tile k's aggregate goes out as soon as its warps have reduced it. */
	static __device__ __forceinline__ void publish(const scan_arguments &arguments, shared_storage &shared,
		int lane)
	{
		for (u32 k = 0;; k++) {
			u32 tile = shared.stages.wait(k);
			if (tile >= arguments.tiles)
				break;
			shared.wait_for_totals(k);
			int live = live_warps<P, false>(tile_count<P>(arguments, tile));
			T total;
			if (lane < live)
				total = shared.warp_total[k % shared.total_slots][lane];
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
				shared.prefix[k % shared.prefix_slots] = combine<P>(base, {value, rest > 0}).value;
				shared.has_prefix[k % shared.barrier_slots].arrive();
			}
		}
	}

	/* What has not come is asked for again a while later: polls of all CTAs, which ask for the same few lines, hold
	 * up the stores that they wait for.  On an H200 2^22 i32 take 11.5 us in place of 12.05, 1.8 million 7.8 in
	 * place of 8.0; 40 or 500 ns make no difference that counts. */
	static __device__ __forceinline__ bool pause_polls()
	{
		__nanosleep(150);
		return true;
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
		} while (!__all_sync(full_warp, is_ready) && pause_polls());
#pragma unroll
		for (int i = 0; i < P::gather; i++) {
			if (i < left) { /* the same in all lanes */
				const T batch_total = warp_reduce<P>(seen[i].value, warp_size, lane);
				if (is_reduced(lane))
					base = combine<P>(base, {batch_total, true});
			}
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
		} while (__any_sync(full_warp, lane < count && seen.mark == mark_none) &&
			pause_polls());
		return seen.value;
	}
};

} // namespace scan

#endif
