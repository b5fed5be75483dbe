/* SPDX-License-Identifier: MIT
 *
 * The ring of tiles in shared memory that the lookahead strategy works from.
 *
 * A stage holds the 16-byte vectors that cover its tile, so that any element-aligned input can be copied in bulk: the
 * tile begins (address mod 16) bytes into the stage.  Vectors that reach beyond the array's first or last element, or
 * in place into another tile, are not copied; the loader patches in the few elements that they would bring, and zeros
 * around them, so that whoever reads a vector with at least one element in it reads initialised memory.
 *
 * Where slices are raked, and begin inside of a vector, each is copied by itself, with a gap between them in the stage,
 * so that each warp may move its own slice to where its vectors are aligned.
 *
 * Whatever is copied lies in its stage as it lies in memory modulo 128.  On an H200, at 2^28, gaps of a vector made
 * misaligned i8 sums take 153 us in place of 142, and i32 ones 572 in place of 527.
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

/* The gap between the slices of a stage, in bytes. */
template <class P> __device__ __forceinline__ u32 slice_gap(const scan_arguments &arguments)
{
	return P::rakes && address_of(arguments.in) % 16 != 0 ? u32(copy_line) : 0;
}

/* The whole vectors, in bytes, that every tile of an array begins behind a line; in shared memory, too. */
template <u32 tile_bytes> __device__ __forceinline__ u32 line_offset(const void *array)
{
	return tile_bytes % copy_line == 0 ? u32(address_of(array)) % copy_line / 16 * 16 : 0;
}
template <class P> __device__ __forceinline__ u32 stage_offset(const scan_arguments &arguments)
{
	return line_offset<P::tile * sizeof(typename P::input)>(arguments.in);
}

/* Where the vectors that cover the CTA's k-th tile begin in its stage, and how far from one warp's slice of it to the
 * next.  Their first elements are (address mod 16) bytes behind. */
template <class P, class Char>
__device__ __forceinline__ Char *stage_of(Char *buffer, const scan_arguments &arguments, u32 k)
{
	return buffer + k % P::stages * P::stage_bytes + stage_offset<P>(arguments);
}
template <class P> __device__ __forceinline__ u32 slice_stride(const scan_arguments &arguments)
{
	return P::slice * u32(sizeof(typename P::input)) + slice_gap<P>(arguments);
}

template <class P> struct stage_ring {
	phase_barrier has_arrived[P::stages];
	phase_barrier is_free[P::stages]; /* all warps but the loader are done with it */
	u32 tile[P::stages];              /* its index; arguments.tiles or more: there is no more tile */
	u32 epoch;

	/* Fewer rounds of tiles than this are few: there the time until the first tiles are stored counts, and how
	 * evenly the memory is used does not. */
	enum : u32 { few_rounds = 24 };
	/* Arrivals of the publisher, the gather warps, and of those that store: the compute warps, or one for them. */
	enum : u32 { users = ((P::is_wide ? 1 : P::warps) + 1 + P::gather_warps) * phase_barrier::warp_arrivals };

	__device__ __forceinline__ void init()
	{
		for (int i = 0; i < P::stages; i++) {
			has_arrived[i].init(copy_arrivals);
			is_free[i].init(users);
		}
	}

	/* Asks for a tile's bytes to be brought into L2.  The CTAs together will first draw the tiles below the grid's
	 * size, so the memory is busy with these while the tickets are drawn, and while the launch before ends: a
	 * microsecond on an H200, of 38 at 2^24 i32 elements, and of 131 at 2^26 (raked; others are not measured).  A
	 * hint: nothing depends on it. */
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

	static __device__ __forceinline__ bool has_few_rounds(const scan_arguments &arguments)
	{
		return arguments.tiles < few_rounds * gridDim.x;
	}

	/* Whether L2 is to give up the lines of the input first.  It is where input and output take about as much as an
	 * L2 of half a megabyte a multiprocessor has: those of the output stay then, and on an H200 2^22 i32 elements
	 * take 11.9 us for 12.6.  Nowhere else, and the output's never: lines that give way leave those in place that
	 * do not, so that after a kernel without such hints, a copy say, a scan had to do with what little of L2 it
	 * could win.  Of i64, 2^28 took 1061 us after a copy and 1024 after itself, where both take 1017 now. */
	static __device__ __forceinline__ bool gives_way(const scan_arguments &arguments)
	{
		constexpr u32 least = 2, most = (350 << 10) / (P::stage_bytes * P::residency); /* rounds */
		return arguments.tiles > least * gridDim.x && arguments.tiles < most * gridDim.x;
	}

	/* CTAs that start in step stay so, and their loads and stores come in waves: the second load of each begins up
	 * to 1.5 us late, which costs nothing, since a tile is in its stage already.  The loader. */
	static __device__ __forceinline__ void fall_out_of_step(const scan_arguments &arguments)
	{
		constexpr u32 longest = 1500, stride = 53; /* nanoseconds; so that neighbours part */
		if (P::rakes && has_bulk_copies() && !has_few_rounds(arguments))
			__nanosleep(blockIdx.x * stride % gridDim.x * longest / gridDim.x);
	}

	/* Until few enough of the CTA's loads are on their way.  An H200's memory serves a persistent kernel best with
	 * 50 to 64 KB in flight a multiprocessor: at 2^28, against twice as much, i32 sums take 514.9 us in place of
	 * 517.1, and i8 131.8 in place of 133.5.  While few rounds are to go, it is the first tiles' latency that
	 * counts, and copies by slices take longer to start: without the limit, misaligned i32 sums take 525 us in
	 * place of 535. */
	__device__ __forceinline__ void wait_for_loads(const scan_arguments &arguments, u32 k)
	{
		constexpr u32 share = (48 << 10) / P::residency, loads = (share + P::stage_bytes - 1) / P::stage_bytes;
		if constexpr (has_bulk_copies() && loads < P::stages)
			if (k >= loads && !has_few_rounds(arguments) &&
				slice_gap<P>(arguments) == 0)
				has_arrived[(k - loads) % P::stages].wait((k - loads) / P::stages & 1, copy_arrivals);
	}

	/* Starts the copy of the tile that lane 0 drew into the stage of the CTA's k-th tile; returns the tile.  `wait`
	 * comes ahead of the first access to the arrays, and behind what can be reckoned without it: on an H200 0.15 us
	 * of 9 at 2.2 million i32.  The loader. */
	template <class Wait = no_wait>
	__device__ __forceinline__ u32 start(const scan_arguments &arguments, char *buffer, u32 k, u64 word, int lane,
		Wait wait = {})
	{
		u32 drawn = 0;
		if (lane == 0)
			tile[k % P::stages] = drawn = read_word(arguments, word, 1).tile;
		drawn = shuffle_value<shuffle::from>(drawn, 0);
		char *stage = stage_of<P>(buffer, arguments, k);
		phase_barrier *arrival = &has_arrived[k % P::stages];
		if (drawn < arguments.tiles) {
			wait_for_loads(arguments, k);
			start_tile(arguments, stage, drawn, arrival, lane, wait);
		} else {
			wait();
			start_copy(stage, nullptr, 0, arrival, false, lane); /* tells that there is none */
		}
		return drawn;
	}

	template <class Wait>
	static __device__ __forceinline__ void start_tile(const scan_arguments &arguments, char *stage, u32 tile,
		phase_barrier *arrival, int lane, Wait wait)
	{
		const stage_extent<P> extent(arguments, tile);
		const u32 bytes = u32(extent.to - extent.from), before = u32(extent.from - (extent.begin & ~15ull));
		const u32 gap = slice_gap<P>(arguments);
		wait();
		if (tile == 0 || extent.is_cut)
			patch(stage, extent, gap, lane);
		if (gap > 0 && has_bulk_copies())
			start_slices(stage, extent, before, gap, arrival, gives_way(arguments), lane);
		else if (gap > 0)
			copy_slices(stage, extent, before, gap, arrival, lane);
		else
			start_copy(stage + before, reinterpret_cast<const void *>(extent.from), bytes, arrival,
				gives_way(arguments), lane);
	}

	/* Each warp's slice by a copy of its own: the vectors that cover it, of which its neighbours have two, too. */
	static __device__ __forceinline__ void start_slices(char *stage, const stage_extent<P> &extent, u32 before,
		u32 gap, phase_barrier *arrival, bool gives_way, int lane)
	{
		constexpr u32 slice = P::slice * sizeof(typename P::input);
		const u64 base = extent.begin & ~15ull;
		const u32 last = u32(extent.to - base), begin = lane > 0 ? lane * slice : before;
		const u32 end = min(lane * slice + slice + 16, last);
		const u32 bytes = lane < P::warps && begin < end ? end - begin : 0;
		const u32 all = warp_sum(bytes);
		if (lane == 0)
			expect_copies(arrival, all);
		__syncwarp();
		if (bytes > 0)
			start_expected_copy(stage + begin + lane * gap,
				reinterpret_cast<const void *>(base + begin), bytes, arrival, gives_way);
	}

	/* The same without bulk copies: by the whole warp, one slice after another. */
	static __device__ __forceinline__ void copy_slices(
		char *stage, const stage_extent<P> &extent, u32 before, u32 gap, phase_barrier *arrival, int lane)
	{
		constexpr u32 slice = P::slice * sizeof(typename P::input);
		const u64 base = extent.begin & ~15ull;
		const u32 last = u32(extent.to - base);
#pragma unroll 1
		for (u32 warp = 0; warp < P::warps; warp++) {
			const u32 from = warp > 0 ? warp * slice : before;
			const u32 to = min(warp * slice + slice + 16, last);
			if (from < to)
				copy_by_warp(stage + from + warp * gap, reinterpret_cast<const void *>(base + from),
					to - from, lane);
		}
		arrive_after_copies(arrival, lane);
	}

	static __device__ __forceinline__ u32 warp_sum(u32 x)
	{
#pragma unroll
		for (int reach = 1; reach < warp_size; reach *= 2)
			x += __shfl_xor_sync(full_warp, x, reach);
		return x;
	}

	/* What the copy of a tile leaves out at its own begin or end, or the array's: less than a vector before it and
	 * after it.  What of these is not in the tile becomes zero, and so does a vector more after the last element.
	 * A lane reads a byte of each, and lane 0, whose arrival tells of them, writes them all; the loader.  With gaps
	 * a vector between two slices is in both. */
	static __device__ __forceinline__ void patch(char *stage, const stage_extent<P> &extent, u32 gap, int lane)
	{
		constexpr u32 slice = P::slice * sizeof(typename P::input);
		const u64 base = extent.begin & ~15ull;
		const u32 at = u32(extent.to - base), before = at / slice; /* slices before the end */
		if (base < extent.from) /* the same in all lanes */
			write_bytes<16>(stage, extent.byte_at(base + lane), lane);
		if (extent.is_cut) {
			const char byte = extent.byte_at(extent.to + lane);
			if (gap > 0 && at % slice == 0 && before > 0)
				write_bytes<32>(stage + at + gap * (before - 1), byte, lane);
			write_bytes<32>(stage + at + gap * (before < P::warps ? before : P::warps - 1), byte, lane);
		}
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
		is_free[k % P::stages].arrive_warp(lane);
	}
};

} // namespace scan

#endif
