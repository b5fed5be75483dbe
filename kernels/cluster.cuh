/* SPDX-License-Identifier: MIT
 *
 * Strategy `cluster`: one thread-block cluster (sm_90 on) scans up to P::cluster tiles, a CTA each, in order of rank.
 * The totals travel through distributed shared memory: no global state, one launch, 2N words of traffic.
 *
 * A CTA has a board of words, one slot for each total before its own, and whoever has a total writes it onto the boards
 * of all later CTAs.  Each word carries its own validity, so that nobody waits at a barrier for what has arrived:
 *   exchange_kind::warp   every warp posts its own total, and combines all earlier warps' by itself: no block barrier;
 *   exchange_kind::block  one block barrier, then one total a CTA: fewer words, for many warps and CTAs.
 * The one barrier of the cluster comes before all that: boards are blank and their CTAs have started.  It is passed
 * while the elements are on their way.  None is needed at the end: a CTA leaves only after the last word that others
 * write to it has come.
 */
#ifndef SCAN_CLUSTER_CUH
#define SCAN_CLUSTER_CUH

#include "circuit_warps.cuh"

namespace scan {

template <class P, strategy how> struct scan_strategy;

__device__ __forceinline__ u32 cluster_rank()
{
	u32 rank;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	return rank;
}

/* Every thread of the cluster, warps converged.  Releases this thread's writes to shared memory only, where the
 * compiler can say that: a full release waits for the whole memory system. */
__device__ __forceinline__ void arrive_at_cluster()
{
#if __CUDACC_VER_MAJOR__ > 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ >= 8)
	asm volatile("fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
	asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#else
	asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
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

/* Words of a board.  Relaxed is enough, as for tile words: each is valid or not by itself.  cluster scope, since the
 * writer is another CTA of the cluster. */
template <int count> __device__ __forceinline__ void post_words(u32 address, const u64 (&word)[count])
{
	if constexpr (count % 2 == 0) {
#pragma unroll
		for (int i = 0; i < count; i += 2)
			asm volatile("st.relaxed.cluster.shared::cluster.v2.u64 [%0], {%1, %2};" ::
				"r"(address + i * 8), "l"(word[i]), "l"(word[i + 1]) : "memory");
	} else {
#pragma unroll
		for (int i = 0; i < count; i++)
			asm volatile("st.relaxed.cluster.shared::cluster.u64 [%0], %1;" ::"r"(address + i * 8),
				"l"(word[i]) : "memory");
	}
}

template <int count> __device__ __forceinline__ void look_at_words(u64 (&word)[count], u32 address)
{
	if constexpr (count % 2 == 0) {
#pragma unroll
		for (int i = 0; i < count; i += 2)
			asm volatile("ld.relaxed.cluster.shared::cta.v2.u64 {%0, %1}, [%2];"
				: "=l"(word[i]), "=l"(word[i + 1]) : "r"(address + i * 8) : "memory");
	} else {
#pragma unroll
		for (int i = 0; i < count; i++)
			asm volatile("ld.relaxed.cluster.shared::cta.u64 %0, [%1];"
				: "=l"(word[i]) : "r"(address + i * 8) : "memory");
	}
}

/* The combination of lanes 0 .. count-1 of each group of `lanes` lanes, in order, in all lanes of the group; count is
 * at least 1.  Called by a full, converged warp. */
template <class P, int lanes>
__device__ __forceinline__ typename P::value combine_lanes(typename P::value value, int count, int lane)
{
#pragma unroll
	for (int reach = 1; reach < lanes; reach *= 2) {
		auto other = shuffle_value<shuffle::from>(value, lane ^ reach);
		const bool is_later = lane & reach;
		auto earlier = is_later ? other : value, later = is_later ? value : other;
		/* Where the later half is empty, the earlier one is the combination of both. */
		value = (lane % lanes & ~(2 * reach - 1)) + reach < count ? P::op::apply(earlier, later) : earlier;
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

template <class P> struct cluster_board {
	using T = typename P::value;

	enum : int { totals = P::exchange() == exchange_kind::warp ? P::warps : 1 }; /* a CTA posts */
	enum : int { lanes = board_lanes(P::cluster * totals) };
	/* Totals that a lane combines by itself: an odd number, so that lanes read from different banks. */
	enum : int { share = (P::cluster * totals + lanes - 1) / lanes | 1 };
	enum : int { words = lanes * share * P::tile_words };
	enum : u64 { valid = u64(1) << 32 };

	/* A slot for each total, in order: 32 bits of value a word, below the bit that says it is there. */
	__align__(16) u64 word[words];

	/* The whole block, before the barrier of the cluster. */
	__device__ __forceinline__ void clear()
	{
#pragma unroll
		for (int i = 0; i < words; i += P::block)
			if (i + int(threadIdx.x) < words)
				word[i + threadIdx.x] = 0;
	}

	/* Writes a total onto the boards of CTAs from..to.  Called by a full warp, after the barrier. */
	__device__ __forceinline__ void post(int slot, T total, int from, int to, int lane)
	{
		u32 part[P::tile_words];
		u64 posted[P::tile_words];
		part[P::tile_words - 1] = 0;
		memcpy(part, &total, sizeof total);
#pragma unroll
		for (int i = 0; i < P::tile_words; i++)
			posted[i] = valid | part[i];
		if (from + lane <= to)
			post_words(address_at_rank(address_of(slot), from + lane), posted);
	}

	/* The combination of the first `earlier` totals, waiting for them.  Called by a full warp. */
	__device__ __forceinline__ maybe<T> before(int earlier, int lane)
	{
		const int seat = lane % lanes, mine = earlier - seat * share;
		maybe<T> combined;
		T value[share];
		combined.is_present = earlier > 0;
		if (!combined.is_present)
			return combined;
		while (!__all_sync(full_warp, look(value, seat * share, mine)))
			;
#pragma unroll
		for (int i = 1; i < share; i++)
			if (i < mine)
				value[0] = P::op::apply(value[0], value[i]);
		combined.value = combine_lanes<P, lanes>(value[0], (earlier + share - 1) / share, lane);
		return combined;
	}

private:
	__device__ __forceinline__ u32 address_of(int slot) const
	{
		return shared_address(word + slot * P::tile_words);
	}

	/* Reads `share` slots, in flight together, and tells whether the first `wanted` totals are there. */
	__device__ __forceinline__ bool look(T (&value)[share], int slot, int wanted) const
	{
		u64 seen[share][P::tile_words];
		bool are_there = true;
#pragma unroll
		for (int i = 0; i < share; i++)
			look_at_words(seen[i], address_of(slot + i));
#pragma unroll
		for (int i = 0; i < share; i++) {
			u32 part[P::tile_words];
			u64 all = valid;
#pragma unroll
			for (int w = 0; w < P::tile_words; w++) {
				all &= seen[i][w];
				part[w] = u32(seen[i][w]);
			}
			memcpy(&value[i], part, sizeof value[i]);
			are_there &= i >= wanted || all >= valid;
		}
		return are_there;
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
		shared.board.clear();
		arrive_at_cluster();
		wait_for_previous_launch();
		if (is_whole && left >= P::tile)
			run_tile<true>(arguments, shared, rank, P::tile);
		else
			run_tile<false>(arguments, shared, rank, left < P::tile ? left : P::tile);
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
		part.load(static_cast<const typename P::input *>(arguments.in) + first);
		/* Asked for here, its load is under way together with the elements'. */
		const maybe<T> initial = initial_value<P>(arguments);
		const int last = int((u32(arguments.count) - 1) / P::tile); /* the rank of the last tile */
		maybe<T> earlier;
		if constexpr (P::exchange() == exchange_kind::warp)
			earlier = exchange_warps(shared, part, rank, last, warp, lane);
		else
			earlier = exchange_blocks(shared, part, count, rank, last, warp, lane);
		if (part.has_total())
			part.template store<false>(static_cast<typename P::output *>(arguments.out) + first,
				combine<P>(initial, earlier));
	}

	/* Everything before this warp's slice; missing where there is nothing. */
	template <class S>
	static __device__ __forceinline__ maybe<T> exchange_warps(
		shared_storage &shared, S &part, int rank, int last, int warp, int lane)
	{
		const int slot = rank * P::warps + warp;
		part.scan(&shared.circuit.scratch[warp]);
		wait_for_cluster();
		if (!part.has_total())
			return {part.total, false};
		shared.board.post(slot, part.total, rank, last, lane);
		return shared.board.before(slot, lane);
	}

	/* The same by way of the tile's total. */
	template <class S>
	static __device__ __forceinline__ maybe<T> exchange_blocks(
		shared_storage &shared, S &part, int count, int rank, int last, int warp, int lane)
	{
		const auto block = in_block::run(part, shared.circuit, count, warp, lane);
		wait_for_cluster();
		if (!part.has_total())
			return {part.total, false};
		if (warp == 0)
			shared.board.post(rank, block.total, rank + 1, last, lane);
		return combine<P>(shared.board.before(rank, lane), block.earlier);
	}
};

} // namespace scan

#endif
