/* SPDX-License-Identifier: MIT
 *
 * A warp's slice of a tile of wide values, in shared memory: raked, as raked_slice.cuh has it, but in two passes that
 * leave what they know in place of elements, since a thread's registers hold few such values.
 *
 *   reduce()   each lane combines its `items` consecutive elements; its last one then becomes the combination of the
 *              slice from its begin up to there, by one scan over the lanes
 *   scan()     each lane goes over its elements once more, from what comes before them, which is in its neighbour's
 *              last place; its own last place has its result already, but for what comes before the slice
 *   store()    copies the results where no bulk copy can
 *
 * For slices of any length: lanes have fewer elements at the end of the array, or none.  A lane's accesses are as wide
 * as its values divide into.  Lanes whose values begin in the same banks are served one after the other: to let them
 * take their chunks in another order cost more instructions than it saved, and gaps between slices' parts, which bulk
 * copies would have to leave, 23 cycles a part.
 *
 * Every function is called by a full, converged warp.
 */
#ifndef SCAN_WIDE_SLICE_CUH
#define SCAN_WIDE_SLICE_CUH

#include "pipeline.cuh"
#include "slice.cuh"

namespace scan {

/* What one access moves: a chunk that says that it is aligned. */
template <int bytes> struct __align__(bytes) aligned_chunk {
	chunk<bytes> c;
};

/* is_whole: elements lie where their widest units are aligned, not only where they are themselves. */
template <class P, bool is_whole> struct wide_slice {
	using T = typename P::value;
	enum : int { size = sizeof(T), unit = is_whole ? unit_of<size>() : int(alignof(T)), chunks = size / unit };
	/* Lanes whose values begin in the same banks differ in `turns` ways: they take their chunks in different
	 * orders, where it is few that then have to change places. */
	enum : int { turns = unit < 16 || chunks > 4 ? 1 : chunks & -chunks };

	char *slice; /* in shared memory, aligned as the array is */
	int lane;
	int count;   /* elements; negative where the tile ends before */

	/* Leaves the combination of the lanes' elements up to each lane's end in its last place, and returns it. */
	__device__ __forceinline__ T reduce(typename warp_scan<P, P::warp_scan()>::storage *storage) const
	{
		const int live = live_items();
		T running[1];
		int lanes[1] = {live_lanes()};
		if (live > 0)
			read(running[0], 0);
		if (live > 1) {
			T next, after;
			read(next, 1);
#pragma unroll(at_once)
			for (int i = 2; i < live; i++) {
				read(after, i);
				running[0] = P::op::apply(running[0], next);
				next = after;
			}
			running[0] = P::op::apply(running[0], next);
		}
		warp_scan<P, P::warp_scan()>::run(running, lanes, lane, storage);
		if (live > 0)
			write(live - 1, running[0]);
		__syncwarp(); /* a lane's neighbour reads it in scan() */
		return running[0];
	}

	/* Makes results of them; *before is what comes before the slice, if there is anything. */
	__device__ __forceinline__ void scan(const T *before, bool has_before) const
	{
		const int live = live_items();
		T base;
		if (lane > 0 && live > 0) {
			read_last(base);
			if (has_before)
				base = P::op::apply(*before, base);
		} else if (has_before) {
			base = *before;
		}
		__syncwarp(); /* all lanes have read what is overwritten now */
		if (live > 0)
			put_before(base, has_before || lane > 0, before, has_before, live);
	}

	/* Copies the results to global memory, where the warp that does so in bulk cannot.  */
	__device__ __forceinline__ void store(T *out) const
	{
		__syncwarp(); /* results were written by other lanes */
		const u64 places = address_of(out) | shared_address(slice) | u32(count * size);
		char *to = reinterpret_cast<char *>(out);
		if (count <= 0)
			return;
		if (places % 16 == 0)
			copy_out<16>(to);
		else if (places % 8 == 0)
			copy_out<8>(to);
		else if (places % 4 == 0)
			copy_out<4>(to);
		else
			copy_out<alignof(T) < 4 ? alignof(T) : 4>(to);
	}

	__device__ __forceinline__ int live_lanes() const
	{
		const int lanes = (count + P::items - 1) / P::items;
		return lanes < warp_size ? lanes : warp_size;
	}

private:
	/* Elements that a lane reads ahead of those that it combines; code is repeated for it. */
	enum : int { at_once = size > SCAN_WIDE_BYTES ? 2 : 1 };

	/* Elements of this lane, if it has any; bounded from above only, as all counts are. */
	__device__ __forceinline__ int live_items() const
	{
		const int left = count - lane * P::items;
		return left < P::items ? left : P::items;
	}

	/* The last place has the combination up to there already.  An exclusive result is its left neighbour's
	 * inclusive one.  For lanes that have elements. */
	__device__ __forceinline__ void put_before(
		const T &base, bool has_base, const T *before, bool has_before, int live) const
	{
		T value;
		read(value, 0);
		if (P::is_exclusive)
			put_exclusive(base, has_base, value, live);
		else
			put_inclusive(base, has_base, value, before, has_before, live);
	}

	__device__ __forceinline__ void put_inclusive(const T &base, bool has_base, T &value, const T *before,
		bool has_before, int live) const
	{
		if (live > 1) {
			T running = value;
			read(value, 1);
			if (has_base)
				running = P::op::apply(base, running);
			write(0, running);
#pragma unroll(at_once)
			for (int i = 1; i + 1 < live; i++) {
				T next;
				read(next, i + 1);
				running = P::op::apply(running, value);
				write(i, running);
				value = next;
			}
		}
		if (has_before)
			write(live - 1, P::op::apply(*before, value));
	}

	__device__ __forceinline__ void put_exclusive(const T &base, bool has_base, T &value, int live) const
	{
		T running = before_of(base, has_base);
		if (live > 1) {
			T next;
			read(next, 1);
			write(0, running);
			running = value;
			if (has_base)
				running = P::op::apply(base, value);
			value = next;
#pragma unroll(at_once)
			for (int i = 1; i + 1 < live; i++) {
				read(next, i + 1);
				write(i, running);
				running = P::op::apply(running, value);
				value = next;
			}
		}
		write(live - 1, running);
	}

	/* What an exclusive result is where there may be nothing before it. */
	static __device__ __forceinline__ T before_of(const T &running, bool has_base)
	{
		if constexpr (!P::has_initial && P::is_exclusive)
			return has_base ? running : P::op::template identity<T>();
		else
			return running;
	}

	__device__ __forceinline__ char *place_of(int l) const
	{
		return slice + l * (P::items * size);
	}

	/* Element i of this lane. */
	__device__ __forceinline__ void read(T &value, int i) const { read_at(value, place_of(lane) + i * size); }
	/* The last one of the lane before. */
	__device__ __forceinline__ void read_last(T &value) const
	{
		read_at(value, place_of(lane - 1) + (P::items - 1) * size);
	}

	__device__ __forceinline__ void read_at(T &value, const char *from) const
	{
		aligned_chunk<unit> c[chunks];
#pragma unroll
		for (int k = 0; k < chunks; k++)
			c[k] = reinterpret_cast<const aligned_chunk<unit> *>(from)[k ^ turn()];
		exchange(c);
		memcpy(&value, c, size);
	}

	__device__ __forceinline__ void write(int i, const T &value) const
	{
		char *const to = place_of(lane) + i * size;
		aligned_chunk<unit> c[chunks];
		memcpy(c, &value, size);
		exchange(c);
#pragma unroll
		for (int k = 0; k < chunks; k++)
			reinterpret_cast<aligned_chunk<unit> *>(to)[k ^ turn()] = c[k];
	}

	/* Of 2^n turns, lane l takes turn (l / (8 / 2^n)) mod 2^n: eight lanes are served at once. */
	__device__ __forceinline__ int turn() const { return lane / (8 / turns) % turns; }

	/* c[k] and c[k ^ turn] change places, without indexing registers. */
	__device__ __forceinline__ void exchange(aligned_chunk<unit> (&c)[chunks]) const
	{
#pragma unroll
		for (int bit = 1; bit < turns; bit *= 2) {
			const bool is_set = turn() & bit;
#pragma unroll
			for (int k = 0; k < chunks; k++) {
				if (k & bit)
					continue;
				const aligned_chunk<unit> low = c[k], high = c[k | bit];
				c[k] = is_set ? high : low;
				c[k | bit] = is_set ? low : high;
			}
		}
	}

	/* By the whole warp, in units that suit both places. */
	template <int wide> __device__ __forceinline__ void copy_out(char *out) const
	{
#pragma unroll 2
		for (int i = lane; i < count * size / wide; i += warp_size) {
			const chunk<wide> c = reinterpret_cast<const chunk<wide> *>(slice)[i];
			store_stream(out + i * wide, c);
		}
	}
};

} // namespace scan

#endif
