/* SPDX-License-Identifier: MIT
 *
 * The ring of tiles in shared memory that the lookahead strategy works from, and the reading of a slice from it.
 *
 * A stage holds the 16-byte vectors that cover its tile, so that any element-aligned input can be copied in bulk: the
 * tile begins (address mod 16) bytes into the stage.  Vectors that reach beyond the array's first or last element, or
 * in place into another tile, are not copied; the loader patches in the few elements that they would bring, and zeros
 * around them, so that whoever reads a vector with at least one element in it reads initialised memory.
 */
#ifndef SCAN_LOOKAHEAD_STAGE_CUH
#define SCAN_LOOKAHEAD_STAGE_CUH

#include "pipeline.cuh"
#include "slice.cuh"
#include "tile_state.cuh"

namespace scan {

/* What of a tile is copied: the bytes at global addresses [from, to), 16-byte aligned. */
template <class P> struct stage_extent {
	u64 begin, end; /* of the tile's own bytes */
	u64 from, to;
	bool is_cut;    /* by the end of the array, which may come shortly after the tile's, or by its own */

	/* A byte of the tile, or zero where it has none. */
	__device__ __forceinline__ char byte_at(u64 address) const
	{
		return address >= begin && address < end ? *reinterpret_cast<const char *>(address) : 0;
	}

	/* In place, where the array is not aligned, two tiles share a vector, and the CTA of one may store its part
	 * while the other's copy reads it.  Nobody would use those bytes, but accesses of different sizes that race are
	 * outside of PTX's memory model.  So there no tile's copy goes beyond the vectors that are its own. */
	__device__ __forceinline__ stage_extent(const scan_arguments &arguments, u32 tile)
	{
		constexpr u64 tile_bytes = P::tile * sizeof(typename P::input);
		const u64 array = address_of(arguments.in), last = array + arguments.count * sizeof(typename P::input);
		const bool are_shared = array % 16 != 0 && arguments.in == arguments.out;
		begin = array + tile * tile_bytes;
		end = min(begin + tile_bytes, last);
		from = tile > 0 && !are_shared ? begin & ~15ull : (begin + 15) & ~15ull;
		to = (begin + tile_bytes + 15) & ~15ull;
		const u64 limit = are_shared ? end : last;
		is_cut = to > limit;
		to = max(from, is_cut ? limit & ~15ull : to);
	}
};

template <class P> struct stage_ring {
	phase_barrier has_arrived[P::stages];
	phase_barrier is_free[P::stages]; /* all warps but the loader are done with it */
	u32 tile[P::stages];              /* its index; arguments.tiles or more: there is no more tile */
	u32 epoch;
	enum : u32 { users = P::warps + 2 }; /* the compute warps, the publisher and the gather warp */

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
		char *stage = buffer + k % P::stages * P::stage_bytes, *to = stage;
		u64 from = 0;
		if (drawn < arguments.tiles) {
			const stage_extent<P> extent(arguments, drawn);
			from = extent.from;
			bytes = u32(extent.to - extent.from);
			to += extent.from - (extent.begin & ~15ull);
			if (drawn == 0 || extent.is_cut)
				patch(stage, extent, lane);
		}
		start_copy<P::load()>(
			to, reinterpret_cast<const void *>(from), bytes, &has_arrived[k % P::stages], lane);
		return drawn;
	}

	/* What the copy of a tile leaves out at its own begin or end, or the array's: less than a vector before it and
	 * after it.  What of these is not in the tile becomes zero, and so does a vector more after the last element.
	 * A lane reads a byte of each, and lane 0, whose arrival tells of them, writes them all; the loader. */
	static __device__ __forceinline__ void patch(char *stage, const stage_extent<P> &extent, int lane)
	{
		const u64 base = extent.begin & ~15ull;
		if (base < extent.from) /* the same in all lanes */
			write_bytes<16>(stage, extent.byte_at(base + lane), lane);
		if (extent.is_cut)
			write_bytes<32>(stage + (extent.to - base), extent.byte_at(extent.to + lane), lane);
		__syncwarp(); /* all lanes have read before lane 0 arrives, after which a scan in place overwrites */
		fence_before_copies(); /* a later copy into this stage comes after these writes */
	}

	/* Lane 0 writes the bytes of the first `count` lanes to a 16-byte aligned place. */
	template <int count> static __device__ __forceinline__ void write_bytes(char *to, char byte, int lane)
	{
		u32 word = u8(byte);
		word |= shuffle_value<shuffle::down>(word, 1) << 8;
		word |= shuffle_value<shuffle::down>(word, 2) << 16;
#pragma unroll
		for (int i = 0; i < count / 4; i++) {
			u32 next = shuffle_value<shuffle::from>(word, 4 * i);
			if (lane == 0)
				reinterpret_cast<u32 *>(to)[i] = next;
		}
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

	const char *stage; /* the slice's first element */
	u64 first;         /* its index in the whole array */
	bool is_aligned;   /* so that its vectors are, too */

	__device__ __forceinline__ staged_slice(const scan_arguments &arguments, const char *buffer, u32 k, u32 tile,
		int warp)
	    : first(u64(tile) * P::tile + warp * P::slice)
	{
		const u32 begin = u32(address_of(arguments.in)) & 15;
		is_aligned = begin == 0;
		stage = buffer + k % P::stages * P::stage_bytes + begin + warp * P::slice * int(sizeof(input));
	}

	/* The elements of a lane's vector in a row, those that exist, as values.  is_full: the slice is, and
	 * is_aligned. */
	template <bool is_full>
	__device__ __forceinline__ void read(T (&item)[P::vector], const slice_extent<P, is_full> &where, int row) const
	{
		const int offset = where.offset(row, where.lane), given = where.in_vector(row);
		const char *from = stage + offset * int(sizeof(input));
		input raw[P::vector];
		const bool is_whole = given == P::vector || (has_parts<input, P::vector>() && given > 0);
		if (is_full || (is_aligned && is_whole))
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(from));
		else if (given > 0)
			load_unaligned(raw, from, given);
#pragma unroll
		for (int i = 0; i < P::vector; i++)
			if (is_full || i < given)
				item[i] = load_element<P>(raw[i], first + offset + i);
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
	/* A vector at any address in shared memory.  One that ends within the 16 bytes in which it has an element is
	 * read whole; what is larger may reach beyond all that was copied, and its elements are read one by one. */
	static __device__ __forceinline__ void load_unaligned(input (&raw)[P::vector], const char *from, int given)
	{
		if constexpr (has_parts<input, P::vector>()) {
			load_words(raw, from);
		} else {
#pragma unroll
			for (int i = 0; i < P::vector; i++)
				if (i < given)
					load_words(raw[i], from + i * int(sizeof(input)));
		}
	}

	/* From the aligned words that hold it. */
	template <class X> static __device__ __forceinline__ void load_words(X &to, const char *from)
	{
		constexpr int words = (int(sizeof(X)) + 3) / 4;
		const u32 shift = u32(address_of(from)) & 3;
		const u32 *aligned = reinterpret_cast<const u32 *>(from - shift);
		u32 word[words + 1];
#pragma unroll
		for (int i = 0; i < words; i++)
			word[i] = aligned[i];
		word[words] = shift > 0 ? aligned[words] : 0;
#pragma unroll
		for (int i = 0; i < words; i++)
			word[i] = __funnelshift_r(word[i], word[i + 1], 8 * shift);
		memcpy(&to, word, sizeof to);
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
