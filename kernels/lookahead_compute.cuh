/* SPDX-License-Identifier: MIT
 *
 * Role of a compute warp of the lookahead strategy: it reduces its slice of tile k + ahead, then scans and stores its
 * slice of tile k.
 *
 * A slice is scanned in one of four ways.  Whether slices are raked is the variant's; what else it depends on makes no
 * difference to the tree in which elements are combined:
 *   raked      with bulk stores: in the stage, each lane its own elements (raked_slice.cuh)
 *   part       the same of the array's last slice, where it is not full (raked_lane.cuh); of paired scans it is filled
 *              with identities, and then as good as full
 *   full       full slices of aligned arrays otherwise: by rows, all of it in registers (slice.cuh)
 *   any        the rest, in the same tree: a few rows after the others, which takes few registers
 */
#ifndef SCAN_LOOKAHEAD_COMPUTE_CUH
#define SCAN_LOOKAHEAD_COMPUTE_CUH

#include "circuit_warps.cuh"
#include "lookahead_shared.cuh"
#include "raked_slice.cuh"
#include "staged_slice.cuh"

namespace scan {

template <class P> struct lookahead_compute {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;

	const scan_arguments &arguments;
	lookahead_shared<P> &shared;
	char *buffer; /* the stages */
	int warp, lane;

	__device__ __forceinline__ void run() const
	{
		u32 next = 0, end = ~0u; /* the tile to be reduced next; the number of tiles, once it is known */
		raked_part<T> held[P::ahead + 1]; /* what reduce() left for the scan of tiles k .. k + ahead */
#pragma unroll 1
		for (u32 k = 0;; k++) {
			for (; next <= k + P::ahead; next++) {
#pragma unroll
				for (int i = 0; i < P::ahead; i++)
					held[i] = held[i + 1];
				if (next < end && !reduce(held[P::ahead], next))
					end = next;
			}
			if (k == end)
				break;
			scan(k, held[0]);
		}
		if (P::rakes && lane == 0)
			wait_for_bulk_stores();
	}

private:
	/* Leaves the total of this warp's slice of the CTA's k-th tile in warp_total; false where there is no such
	 * tile. */
	__device__ __forceinline__ bool reduce(raked_part<T> &held, u32 k) const
	{
		const u32 tile = shared.stages.wait(k);
		if (tile >= arguments.tiles)
			return false;
		const int count = slice_count<P>(tile_count<P>(arguments, tile), warp);
		const bool rakes = P::rakes && is_raked_whole(count);
		T total;
		if constexpr (P::rakes) {
			if (rakes)
				held = reduce_raked(total, k, tile, count);
			else if (!raked_slice<P>::is_paired && count > 0)
				held = reduce_part(total, k, tile, count);
		} else {
			reduce_rows(total, k, tile, count);
		}
		if (lane == (rakes ? warp_size - 1 : 0) && count > 0)
			shared.warp_total[k % shared.total_slots][warp] = total;
		/* Every lane's: the arrival also tells the others that it has read the totals of earlier tiles. */
		shared.has_totals[k % shared.barrier_slots].arrive_warp(lane);
		return true;
	}

	__device__ __forceinline__ void reduce_rows(T &total, u32 k, u32 tile, int count) const
	{
		const staged_slice<P> source(arguments, buffer, k, tile, warp);
		if (count == P::slice && source.is_aligned)
			total = source.template reduce<true>(lane, count);
		else if (count > 0)
			total = source.template reduce<false>(lane, count);
	}

	__device__ __forceinline__ void scan(u32 k, const raked_part<T> &held) const
	{
		const u32 tile = shared.stages.tile_of(k);
		const int count = slice_count<P>(tile_count<P>(arguments, tile), warp);
		if constexpr (P::rakes) {
			if (is_raked_whole(count))
				scan_raked(k, tile, held, count);
			else
				scan_part(k, tile, held, count);
		} else if (count == P::slice && (P::has_initial || tile > 0) && are_aligned()) {
			scan_full(k, tile);
		} else {
			scan_any(k, tile, count);
		}
	}

	/* Parts of paired scans are filled, and then are. */
	__device__ __forceinline__ bool is_raked_whole(int count) const
	{
		if (raked_slice<P>::is_paired)
			return count > 0;
		return !raked_slice<P>::is_rolled && count == P::slice;
	}

	__device__ __forceinline__ bool are_aligned() const
	{
		return address_of(arguments.in) % 16 == 0 && is_aligned<P>(static_cast<output *>(arguments.out));
	}

	__device__ __forceinline__ raked_slice<P> raked(u32 k) const
	{
		char *const begin = stage_of<P>(buffer, arguments, k) + warp * slice_stride<P>(arguments);
		if (P::scans_in_place)
			return {begin, begin, lane};
		return {begin, buffer + P::stages * P::stage_bytes + results_offset() +
			warp * P::slice * u32(sizeof(output)), lane};
	}

	/* Results lie otherwise than in memory modulo 128, though by whole sectors of 32 bytes, which is faster: on an
	 * H200 at 2^28, sums of i32 take 508.7 us in place of 519.0, of i64 1015 in place of 1035, of i16 258.3 in
	 * place of 263.0, and of i8 133.2 in place of 135.0.  Each line is then written by two requests; why that is
	 * faster has not been found out.  With two blocks a multiprocessor it is slower. */
	enum : u32 { shear = has_bulk_copies() && P::residency == 1 ? 64 : 0 };

	__device__ __forceinline__ u32 results_offset() const
	{
		return (line_offset<P::tile * sizeof(output)>(arguments.out) + shear) % copy_line;
	}

	/* The bytes by which results are behind their place. */
	__device__ __forceinline__ u32 turn() const
	{
		const u32 out = u32(address_of(arguments.out));
		return P::scans_in_place ? (out - stage_offset<P>(arguments) + shear) % copy_line : out % 16;
	}

	__device__ __forceinline__ raked_store<P> stored(u32 k) const { return {raked(k).results, lane}; }

	__device__ __forceinline__ u32 in_shift() const
	{
		return slice_gap<P>(arguments) > 0 ? u32(address_of(arguments.in)) % 16 : 0;
	}

	__device__ __forceinline__ raked_part<T> reduce_raked(T &total, u32 k, u32 tile, int count) const
	{
		if constexpr (raked_slice<P>::is_paired)
			if (count < P::slice)
				raked(k).own().fill(in_shift(), count);
		return raked(k).reduce(total, &shared.scratch[warp], first_of(tile), in_shift());
	}

	/* The stage is free again when what is copied from it has been read: its slot is worth more than the wait. */
	__device__ __forceinline__ void scan_raked(u32 k, u32 tile, const raked_part<T> &held, int count) const
	{
		const bool is_part = raked_slice<P>::is_paired && count < P::slice;
		const u32 by = is_part ? 0 : turn();
		raked(k).scan(wait_for_prefix(k, tile), held, first_of(tile), in_shift(), by);
		if (is_part)
			stored(k).store_part(output_of(tile), count);
		else
			stored(k).store_all(output_of(tile), by);
		shared.stages.release(k, lane);
	}

	__device__ __forceinline__ raked_part<T> reduce_part(T &total, u32 k, u32 tile, int count) const
	{
		return raked(k).reduce_part(total, &shared.scratch[warp], first_of(tile), in_shift(), count);
	}

	__device__ __forceinline__ void scan_part(u32 k, u32 tile, const raked_part<T> &held, int count) const
	{
		const maybe<T> before = wait_for_prefix(k, tile);
		if constexpr (!raked_slice<P>::is_paired) {
			raked(k).scan_part(before, held, first_of(tile), count);
			stored(k).store_part(output_of(tile), count);
		}
		if constexpr (raked_slice<P>::is_rolled)
			fence_before_copies(); /* a later tile may come to where this one was read and written */
		shared.stages.release(k, lane);
	}

	__device__ __forceinline__ void scan_full(u32 k, u32 tile) const
	{
		slice<P, true> mine(lane, P::slice);
		staged_slice<P>(arguments, buffer, k, tile, warp).load(mine, 0);
		shared.stages.release(k, lane);
		mine.scan(&shared.scratch[warp]);
		mine.store(output_of(tile), wait_for_prefix(k, tile));
	}

	__device__ __forceinline__ void scan_any(u32 k, u32 tile, int count) const
	{
		using group = row_group<P>;
		const maybe<T> before = wait_for_prefix(k, tile);
		maybe<T> rows = {before.value, false}; /* those of this slice so far */
		const staged_slice<P> source(arguments, buffer, k, tile, warp);
		output *out = output_of(tile);
#pragma unroll 1
		for (int done = 0; done < count; done += group::slice) {
			slice<group, false> part(lane, count - done < group::slice ? count - done : group::slice);
			source.load(part, done);
			part.scan(&shared.scratch[warp], rows);
			part.store(out + done, before);
			rows = {part.total, true};
		}
		shared.stages.release(k, lane);
	}

	/* What comes before this warp's slice.  The prefix says nothing about this tile's other warps: wait for their
	 * totals too. */
	__device__ __forceinline__ maybe<T> wait_for_prefix(u32 k, u32 tile) const
	{
		shared.wait_for_totals(k);
		shared.wait_for_prefix(k);
		const maybe<T> prefix = {shared.prefix[k % shared.prefix_slots], tile > 0 || P::has_initial};
		const int live = live_warps<P, false>(tile_count<P>(arguments, tile));
		const warp_totals<P> block(shared.warp_total[k % shared.total_slots], live, warp, lane);
		return combine<P>(prefix, block.earlier);
	}

	__device__ __forceinline__ output *output_of(u32 tile) const
	{
		return static_cast<output *>(arguments.out) + first_of(tile);
	}

	/* The index of the slice's first element in the whole array. */
	__device__ __forceinline__ u64 first_of(u32 tile) const { return u64(tile) * P::tile + warp * P::slice; }
};

} // namespace scan

#endif
