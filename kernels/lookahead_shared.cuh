/* SPDX-License-Identifier: MIT
 *
 * What the roles of a lookahead CTA share: the ring of stages, and rings of totals and prefixes, indexed by k, the
 * number of the tile among the CTA's own.
 */
#ifndef SCAN_LOOKAHEAD_SHARED_CUH
#define SCAN_LOOKAHEAD_SHARED_CUH

#include "lookahead_stage.cuh"
#include "warp_scan.cuh"

namespace scan {

/* Elements of a tile. */
template <class P> __device__ __forceinline__ int tile_count(const scan_arguments &arguments, u32 tile)
{
	u64 left = arguments.count - u64(tile) * P::tile;
	return left < P::tile ? int(left) : P::tile;
}

template <class P> struct lookahead_shared {
	using T = typename P::value;

	/* Slots of rings in k.  A warp runs ahead of another by up to `ahead` tiles, so totals, written `ahead` tiles
	 * early, need room for twice that; and for a stage each, since it is the release of its stage that tells that
	 * the publisher has read them.  A barrier's waiter may lag by one phase only, so barriers need more than
	 * `ahead`. */
	enum : int { total_slots = 2 * P::ahead + 2 > P::stages ? 2 * P::ahead + 2 : P::stages };
	enum : int { barrier_slots = P::teams > 1 && P::stages > P::ahead + 2 ? P::stages : P::ahead + 2 };
	/* The gather warp writes tile k's prefix once it has seen tile k loaded, so once the stage of tile k - stages
	 * was free: by then all warps have done with the prefix of the tile before that one, which had this slot. */
	enum : int { prefix_slots = P::is_wide ? 1 : P::stages + 1 };

	enum : u32 { all_warps = P::warps * phase_barrier::warp_arrivals };
	enum : u32 { prefix_arrivals = P::is_wide ? u32(phase_barrier::warp_arrivals) : 1 }; /* who writes it */

	stage_ring<P> stages;
	phase_barrier has_totals[barrier_slots]; /* every compute warp has reduced its slice of tile k */
	phase_barrier has_prefix[barrier_slots]; /* the gather warp has tile k's prefix */
	phase_barrier has_scan[barrier_slots];   /* of wide values: the publisher has scanned tile k's totals */
	phase_barrier has_results[P::stages];    /* likewise: every compute warp has scanned its slice of tile k */
	T warp_total[total_slots][P::warps];
	T prefix[prefix_slots];
	typename warp_scan<P, P::warp_scan()>::storage scratch[P::warps];

	/* One thread, before the block barrier that precedes all use. */
	__device__ __forceinline__ void init()
	{
		stages.init();
		for (int i = 0; i < barrier_slots; i++) {
			has_totals[i].init(all_warps);
			has_prefix[i].init(prefix_arrivals);
			has_scan[i].init(phase_barrier::warp_arrivals);
		}
		for (int i = 0; i < P::stages; i++)
			has_results[i].init(all_warps);
	}

	__device__ __forceinline__ void wait_for_totals(u32 k)
	{
		has_totals[k % barrier_slots].wait(k / barrier_slots & 1, all_warps);
	}

	__device__ __forceinline__ void wait_for_scan(u32 k)
	{
		has_scan[k % barrier_slots].wait(k / barrier_slots & 1, phase_barrier::warp_arrivals);
	}

	__device__ __forceinline__ void wait_for_results(u32 k)
	{
		has_results[k % P::stages].wait(k / P::stages & 1, all_warps);
	}

	__device__ __forceinline__ void wait_for_prefix(u32 k)
	{
		has_prefix[k % barrier_slots].wait(k / barrier_slots & 1, prefix_arrivals);
	}
};

} // namespace scan

#endif
