/* SPDX-License-Identifier: MIT
 *
 * Strategy `cluster`: one thread-block cluster (sm_90 on) scans up to P::cluster tiles, a CTA each, in order of rank.
 * The totals travel through distributed shared memory: no global state, one launch, 2N words of traffic.
 *
 * A CTA has a board with a slot for each total before its own, and an mbarrier that knows how many bytes of them are to
 * come.  Whoever has a total stores it onto the boards of all later CTAs, asynchronously, and each store tells the
 * mbarrier beside the board once it is there.  Nobody polls a slot, and a slot has no bits but the total's:
 *   exchange_kind::warp   every warp posts its own total, and combines all earlier warps' by itself: no block barrier;
 *   exchange_kind::block  one block barrier, then one total a CTA: fewer stores, for many warps and CTAs.
 * The one barrier of the cluster comes before all that: boards are open and their CTAs have started.  It is passed
 * while the elements are on their way.  None is needed at the end: a CTA leaves only after the last store of others to
 * it has arrived.  A cluster of one CTA stores nothing in this way, which its hardware would refuse.
 */
#ifndef SCAN_CLUSTER_CUH
#define SCAN_CLUSTER_CUH

#include "circuit_warps.cuh"
#include "pipeline.cuh"

namespace scan {

template <class P, strategy how> struct scan_strategy;

/* What compilers can say: st.async from CUDA 12.1 on, fences of shared memory alone from 12.8 on. */
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 8)
enum : bool { has_async_stores = true, has_shared_fences = true };
#elif __CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 1
enum : bool { has_async_stores = true, has_shared_fences = false };
#else
enum : bool { has_async_stores = false, has_shared_fences = false };
#endif

__device__ __forceinline__ u32 cluster_rank()
{
	u32 rank;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

/* Every thread of the cluster, warps converged.  Releases nothing: what others are to see of this CTA is its mbarrier,
 * which has a fence of its own. */
__device__ __forceinline__ void arrive_at_cluster()
{
	asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

__device__ __forceinline__ void wait_for_cluster()
{
	asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* The address of the same variable in another CTA of the cluster. */
__device__ __forceinline__ u32 address_at_rank(u32 address, u32 rank)
{
	u32 there;
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
	return there;
}

/* The smallest power of two that is not below count, which is at least 1. */
__device__ __forceinline__ int power_not_below(int count)
{
	return count > 1 ? 2 << (31 - __clz(count - 1)) : 1;
}

/* The combination of lanes 0 .. count-1, in order, in all lanes; count is at least 1, and at most `lanes`.  The lanes
 * beyond power_not_below(count) have the values of those whose seats they share, so that fewer totals take fewer steps.
 * Called by a full, converged warp. */
template <class P, int lanes>
__device__ __forceinline__ typename P::value combine_lanes(typename P::value value, int count, int seat, int lane)
{
#pragma unroll
	for (int reach = 1; reach < lanes; reach *= 2) {
		if (reach >= count)
			break;
		auto other = shuffle_value<shuffle::from>(value, lane ^ reach);
		const bool is_later = lane & reach;
		auto earlier = is_later ? other : value, later = is_later ? value : other;
		/* Where the later half is empty, the earlier one is the combination of both. */
		value = (seat & ~(2 * reach - 1)) + reach < count ? P::op::apply(earlier, later) : earlier;
	}
	return value;
}

/* How many lanes share the work of combining so many totals: a few each, since a step of shuffles takes longer. */
constexpr int board_lanes(int totals)
{
	int lanes = 2;
	while (lanes < warp_size && lanes * 5 < totals)
		lanes *= 2;
	return lanes;
}

/* Stores `count` words at `to` in another CTA, aligned to the largest unit that they divide into; each store tells the
 * mbarrier there its bytes when it has arrived.  Where there are no such stores, an arrival behind the words does. */
template <int count> __device__ __forceinline__ void send_words(u32 to, const u32 (&word)[count], u32 barrier)
{
	constexpr int unit = !has_async_stores || count % 2 == 1 ? 1 : count % 4 == 0 ? 4 : 2;
#pragma unroll
	for (int i = 0; i < count; i += unit) {
		if constexpr (!has_async_stores)
			asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to + i * 4), "r"(word[i]) : "memory");
		else if constexpr (unit == 1)
			asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::
				"r"(to + i * 4), "r"(word[i]), "r"(barrier) : "memory");
		else if constexpr (unit == 2)
			asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 "
				     "[%0], {%1, %2}, [%3];" ::"r"(to + i * 4),
				"r"(word[i]), "r"(word[i + 1]), "r"(barrier) : "memory");
		else
			asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32 "
				     "[%0], {%1, %2, %3, %4}, [%5];" ::"r"(to + i * 4),
				"r"(word[i]), "r"(word[i + 1]), "r"(word[i + 2]), "r"(word[i + 3]), "r"(barrier)
				: "memory");
	}
	if constexpr (!has_async_stores)
		asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/* Whether all that the mbarrier counts has come.  An acquire at cluster scope empties the L1 cache, at each look, so it
 * is left to a fence of shared memory where there is one. */
__device__ __forceinline__ bool has_all(const phase_barrier &barrier)
{
	u32 ended;
	if constexpr (has_shared_fences)
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], 0; "
			     "selp.u32 %0, 1, 0, p; }"
			: "=r"(ended) : "r"(shared_address(&barrier.word)) : "memory");
	else
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; "
			     "selp.u32 %0, 1, 0, p; }"
			: "=r"(ended) : "r"(shared_address(&barrier.word)) : "memory");
	return ended;
}

/* Every lane of a warp, until all has come and can be read. */
__device__ __forceinline__ void wait_for_all(const phase_barrier &barrier)
{
	while (!has_all(barrier))
		;
	if constexpr (has_shared_fences)
		asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
}

template <class P> struct cluster_board {
	using T = typename P::value;

	enum : bool { is_of_warps = P::exchange() == exchange_kind::warp };
	enum : int { totals = is_of_warps ? P::warps : 1 }; /* a CTA posts */
	enum : int { lanes = board_lanes(P::cluster * totals) };
	/* Totals that a lane combines by itself: an odd number, so that lanes read from different banks. */
	enum : int { share = (P::cluster * totals + lanes - 1) / lanes | 1 };
	enum : int { words = P::tile_words }; /* of a total */

	__align__(16) u32 total[lanes * share][words]; /* in order; those of this CTA and later ones stay empty */
	phase_barrier arrived;

	/* One thread of a CTA that has elements, in `live` warps, before the barrier of the cluster.  How many bytes
	 * are to come is told behind that one: a race checker takes an arrival right here for another thread's. */
	__device__ __forceinline__ void open(int rank, int live)
	{
		const int own = is_of_warps ? live : 1;
		arrived.init(has_async_stores ? own : rank * totals + own);
		fence_barrier_init();
	}

	/* Puts a total onto the boards of later CTAs, up to the last, and a warp's onto this one's too, by way of plain
	 * shared memory.  Called by each full warp that has one, after the barrier of the cluster. */
	__device__ __forceinline__ void post(T value, int rank, int last, int warp, int lane)
	{
		const int slot = rank * totals + (is_of_warps ? warp : 0);
		u32 part[words];
		part[words - 1] = 0;
		memcpy(part, &value, sizeof value);
		if (lane < last - rank)
			send_words(address_at_rank(shared_address(total[slot]), rank + 1 + lane), part,
				address_at_rank(shared_address(&arrived.word), rank + 1 + lane));
		if (lane == 0) {
			if (is_of_warps)
				memcpy(total[slot], part, sizeof part);
			/* All earlier tiles are full.  Some bytes may have come already, which does not matter: the
			 * phase does not end before every arrival, this one included. */
			expect_copies(&arrived, has_async_stores && warp == 0 ? rank * totals * sizeof part : 0);
		}
	}

	/* The total of a warp of the only CTA, which no mbarrier counts: a block barrier follows.  One lane. */
	__device__ __forceinline__ void keep(T value, int warp)
	{
		memcpy(total[warp], &value, sizeof value);
	}

	/* Until the first `earlier` totals have come, if there are any.  Every lane of a warp. */
	__device__ __forceinline__ void await(int earlier) const
	{
		if (earlier > 0)
			wait_for_all(arrived);
	}

	/* How many lanes share the work of combining so many totals, and which of them this one is; the lanes beyond do
	 * the same again.  Reckoned ahead of the wait. */
	struct sharing {
		int sharers, seat;

		__device__ __forceinline__ sharing(int earlier, int lane)
		    : sharers((earlier + share - 1) / share), seat(lane & (power_not_below(sharers) - 1))
		{
		}
	};

	/* The combination of the first `earlier` totals, which have come.  Few are one lane's work, and take no step
	 * between lanes.  Called by a full warp. */
	__device__ __forceinline__ maybe<T> before(int earlier, sharing lanes_of, int lane) const
	{
		const int mine = earlier - lanes_of.seat * share;
		maybe<T> combined;
		T value[share];
		combined.is_present = earlier > 0;
		if (!combined.is_present)
			return combined;
#pragma unroll
		for (int i = 0; i < share; i++)
			if (i < mine)
				memcpy(&value[i], total[lanes_of.seat * share + i], sizeof value[i]);
#pragma unroll
		for (int i = 1; i < share; i++)
			if (i < mine)
				value[0] = P::op::apply(value[0], value[i]);
		combined.value = combine_lanes<P, lanes>(value[0], lanes_of.sharers, lanes_of.seat, lane);
		return combined;
	}
};

template <class P> struct scan_strategy<P, strategy::cluster> {
	using T = typename P::value;

	using in_block = circuit_scan<P, circuit::warps>;

	struct shared_storage {
		typename in_block::storage circuit;
		cluster_board<P> board;
	};

	static __device__ __forceinline__ void run(const scan_arguments &arguments)
	{
		__shared__ shared_storage shared;
		allow_next_launch();
		const int rank = cluster_rank();
		const int left = int(arguments.count) - rank * P::tile; /* elements of this CTA and later ones */
		const bool is_whole = is_aligned<P>(static_cast<const typename P::input *>(arguments.in)) &&
			is_aligned<P>(static_cast<typename P::output *>(arguments.out));
		const int count = left < P::tile ? left : P::tile;
		if (arguments.count > P::tile) {
			if (threadIdx.x == 0 && count > 0)
				shared.board.open(rank, live_warps<P, false>(count));
			__syncwarp(); /* what follows is aligned: no lane may come to it without the others */
			arrive_at_cluster();
		}
		if (is_whole && left >= P::tile)
			run_tile<true>(arguments, shared, rank, P::tile);
		else
			run_tile<false>(arguments, shared, rank, count);
	}

private:
	/* is_full: the tile is, and the arrays are aligned to vectors.  A CTA of a tile without elements only takes
	 * part in the barrier. */
	template <bool is_full>
	static __device__ __forceinline__ void run_tile(
		const scan_arguments &arguments, shared_storage &shared, int rank, int count)
	{
		const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
		const u64 first = u64(rank) * P::tile + warp * P::slice;
		slice<P, is_full> part(lane, slice_count<P>(count, warp), first);
		part.load(static_cast<const typename P::input *>(arguments.in) + first, [] {
			wait_for_previous_launch();
		});
		/* Asked for here, its load is under way together with the elements'. */
		const maybe<T> initial = initial_value<P>(arguments);
		const int last = int((u32(arguments.count) - 1) / P::tile); /* the rank of the last tile */
		maybe<T> earlier;
		if constexpr (P::exchange() == exchange_kind::warp)
			earlier = exchange_warps(shared, part, count, rank, last, warp, lane);
		else
			earlier = exchange_blocks(shared, part, count, rank, last, warp, lane);
		if (part.has_total())
			part.template store<false>(static_cast<typename P::output *>(arguments.out) + first,
				combine<P>(initial, earlier));
	}

	/* Everything before this warp's slice; missing where there is nothing. */
	template <class S>
	static __device__ __forceinline__ maybe<T> exchange_warps(
		shared_storage &shared, S &part, int count, int rank, int last, int warp, int lane)
	{
		const int earlier = rank * P::warps + warp;
		const typename cluster_board<P>::sharing sharing(earlier, lane);
		part.scan(&shared.circuit.scratch[warp]);
		if (last == 0)
			meet_alone(shared, part, count, warp, lane);
		else
			wait_for_cluster();
		if (!part.has_total())
			return {part.total, false};
		if (last > 0) {
			shared.board.post(part.total, rank, last, warp, lane);
			shared.board.await(earlier);
		}
		return shared.board.before(earlier, sharing, lane);
	}

	/* A launch of one block is no cluster: its warps meet at a block barrier, if there are several. */
	template <class S>
	static __device__ __forceinline__ void meet_alone(
		shared_storage &shared, S &part, int count, int warp, int lane)
	{
		if (lane == 0 && part.has_total())
			shared.board.keep(part.total, warp);
		if (count > P::slice) /* the same in all threads */
			__syncthreads();
	}

	/* The same by way of the tile's total. */
	template <class S>
	static __device__ __forceinline__ maybe<T> exchange_blocks(
		shared_storage &shared, S &part, int count, int rank, int last, int warp, int lane)
	{
		const auto block = in_block::run(part, shared.circuit, count, warp, lane);
		if (last == 0)
			return part.has_total() ? block.earlier : maybe<T>{part.total, false};
		wait_for_cluster();
		if (!part.has_total())
			return {part.total, false};
		if (warp == 0)
			shared.board.post(block.total, rank, last, warp, lane);
		shared.board.await(rank);
		return combine<P>(shared.board.before(rank, {rank, lane}, lane), block.earlier);
	}
};

} // namespace scan

#endif
