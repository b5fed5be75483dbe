/* SPDX-License-Identifier: MIT
 *
 * The ring of tiles in shared memory that the lookahead strategy works from, and the reading of a slice from it.
 *
 * A stage holds the 16-byte vectors that cover its tile, so that any element-aligned input can be copied in bulk: the
 * tile begins (address mod 16) bytes into the stage.  Vectors that reach beyond the array's first or last element are
 * not copied; the few elements that they would bring are read from global memory.
 */
#ifndef SCAN_LOOKAHEAD_STAGE_CUH
#define SCAN_LOOKAHEAD_STAGE_CUH

#include "pipeline.cuh"
#include "slice.cuh"
#include "tile_state.cuh"

namespace scan {

/* What of the tile that begins at byte address `begin` is copied: [from, to), 16-byte aligned. */
template <class P> struct stage_extent {
	u64 begin, from, to;

	__device__ __forceinline__ stage_extent(const scan_arguments &arguments, u32 tile)
	{
		constexpr u64 tile_bytes = P::tile * sizeof(typename P::input);
		const u64 array = address_of(arguments.in), end = array + arguments.count * sizeof(typename P::input);
		begin = array + tile * tile_bytes;
		from = tile > 0 ? begin & ~15ull : (begin + 15) & ~15ull;
		to = begin + tile_bytes < end ? (begin + tile_bytes + 15) & ~15ull : end;
		to = to > end ? end & ~15ull : to & ~15ull;
		to = to < from ? from : to;
	}
};

template <class P> struct stage_ring {
	phase_barrier has_arrived[P::stages];
	phase_barrier is_free[P::stages]; /* all warps but the loader are done with it */
	u32 tile[P::stages];              /* its index; arguments.tiles or more: there is no more tile */
	u32 epoch;
	static constexpr u32 users = P::warps + 2; /* the compute warps, the publisher and the gather warp */

	__device__ __forceinline__ void init()
	{
		for (int i = 0; i < P::stages; i++) {
			has_arrived[i].init(copy_arrivals);
			is_free[i].init(users);
		}
	}

	/* Asks for a tile's bytes to be brought into L2.  The CTAs together will first draw the tiles below the grid's
	 * size, so the memory is busy with these while the tickets are drawn.  A hint: nothing depends on it. */
	__device__ __forceinline__ void prefetch(const scan_arguments &arguments, u32 tile) const
	{
		const stage_extent<P> extent(arguments, tile);
		if (extent.to > extent.from)
			prefetch_to_l2(reinterpret_cast<const void *>(extent.from), u32(extent.to - extent.from));
	}

	/* Waits until the stage of the CTA's k-th tile is free.  The loader. */
	__device__ __forceinline__ void wait_free(u32 k)
	{
		if (k >= P::stages)
			is_free[k % P::stages].wait((k / P::stages - 1) & 1, users);
	}

	/* Starts the copy of the tile that lane 0 drew into the stage of the CTA's k-th tile; returns the tile.  The
	 * loader. */
	__device__ __forceinline__ u32 start(const scan_arguments &arguments, char *buffer, u32 k, u64 word, int lane)
	{
		u32 drawn = 0;
		if (lane == 0)
			tile[k % P::stages] = drawn = read_word(arguments, word, 1).tile;
		drawn = shuffle_value<shuffle::from>(drawn, 0);
		u32 bytes = 0;
		char *to = buffer + k % P::stages * P::stage_bytes;
		u64 from = 0;
		if (drawn < arguments.tiles) {
			stage_extent<P> extent(arguments, drawn);
			from = extent.from;
			bytes = u32(extent.to - extent.from);
			to += extent.from - (extent.begin & ~15ull);
		}
		start_copy<P::load>(to, reinterpret_cast<const void *>(from), bytes, &has_arrived[k % P::stages], lane);
		return drawn;
	}

	/* Waits for the CTA's k-th tile; returns its index.  All lanes of a warp. */
	__device__ __forceinline__ u32 wait(u32 k)
	{
		has_arrived[k % P::stages].wait(k / P::stages & 1, copy_arrivals);
		return tile_of(k);
	}

	__device__ __forceinline__ u32 tile_of(u32 k) const
	{
		return *static_cast<const volatile u32 *>(&tile[k % P::stages]);
	}

	/* A warp's last use of the stage of tile k, index included.  The whole warp. */
	__device__ __forceinline__ void release(u32 k, int lane)
	{
		__syncwarp(); /* all lanes have read what they need */
		if (lane == 0)
			is_free[k % P::stages].arrive();
	}
};

/* One warp's slice of a tile that has arrived. */
template <class P> struct staged_slice {
	using T = typename P::value;
	using input = typename P::input;

	const scan_arguments &arguments;
	u32 tile;
	const input *stage;  /* the slice's first element in shared memory */
	const input *global; /* and in the array */

	__device__ __forceinline__ staged_slice(
		const scan_arguments &arguments, const char *buffer, u32 k, u32 tile, int warp)
	    : arguments(arguments), tile(tile)
	{
		global = static_cast<const input *>(arguments.in) + u64(tile) * P::tile + warp * P::slice;
		buffer += k % P::stages * P::stage_bytes + (address_of(arguments.in) & 15);
		stage = reinterpret_cast<const input *>(buffer) + warp * P::slice;
	}

	/* Whether all of a full slice has been copied and its vectors are aligned.  Tiles are multiples of 16 bytes. */
	static __device__ __forceinline__ bool is_aligned(const scan_arguments &arguments)
	{
		return address_of(arguments.in) % 16 == 0;
	}

	/* The elements of a lane's vector in a row, converted.  is_full: the slice is, and is_aligned() holds. */
	template <bool is_full>
	__device__ __forceinline__ void read(T (&item)[P::vector], const slice_extent<P, is_full> &where, int row) const
	{
		const int first = where.offset(row, where.lane);
		input raw[P::vector];
		if (is_full || (is_aligned(arguments) && first + P::vector <= copied_until())) {
			load_vector<access::plain>(raw, stage + first);
		} else {
			const int from = copied_from(), until = copied_until();
#pragma unroll
			for (int i = 0; i < P::vector; i++)
				if (i < where.in_vector(row)) {
					bool is_staged = first + i >= from && first + i < until;
					raw[i] = (is_staged ? stage : global)[first + i];
				}
		}
#pragma unroll
		for (int i = 0; i < P::vector; i++)
			item[i] = convert<T>(raw[i]);
	}

	template <bool is_full> __device__ __forceinline__ void load(slice<P, is_full> &into) const
	{
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			read(into.item[r], into.where, r);
	}

	/* The combination of the slice's `count` > 0 elements, valid in lane 0. */
	template <bool is_full> __device__ __forceinline__ T reduce(int lane, int count) const
	{
		const slice_extent<P, is_full> where = {lane, count};
		if constexpr (P::op::is_commutative) /* a lane may then combine its vectors of all rows first */
			return warp_reduce<P>(reduce_lane(where), where.in_row(0), lane);
		else
			return reduce_rows(where);
	}

private:
	/* The elements that the stage holds, counted from the slice's first. */
	__device__ __forceinline__ int copied_from() const
	{
		return int(i64(stage_extent<P>(arguments, tile).from - address_of(global)) / i64(sizeof(input)));
	}
	__device__ __forceinline__ int copied_until() const
	{
		return int(i64(stage_extent<P>(arguments, tile).to - address_of(global)) / i64(sizeof(input)));
	}

	template <bool is_full>
	__device__ __forceinline__ T reduce_vector(const slice_extent<P, is_full> &where, int row) const
	{
		T item[P::vector];
		read(item, where, row);
		T total = item[0];
#pragma unroll
		for (int i = 1; i < P::vector; i++)
			if (is_full || i < where.in_vector(row))
				total = P::op::apply(total, item[i]);
		return total;
	}

	template <bool is_full> __device__ __forceinline__ T reduce_rows(const slice_extent<P, is_full> &where) const
	{
		T total;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			T row = warp_reduce<P>(reduce_vector(where, r), where.in_row(r), where.lane);
			if (r == 0)
				total = row;
			else if (where.in_row(r) > 0)
				total = P::op::apply(total, row);
		}
		return total;
	}

	template <bool is_full> __device__ __forceinline__ T reduce_lane(const slice_extent<P, is_full> &where) const
	{
		T total = reduce_vector(where, 0);
#pragma unroll
		for (int r = 1; r < P::rows; r++) {
			T row = reduce_vector(where, r);
			if (is_full || where.in_vector(r) > 0)
				total = P::op::apply(total, row);
		}
		return total;
	}
};

} // namespace scan

#endif
