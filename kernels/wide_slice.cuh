/* SPDX-License-Identifier: MIT
 *
 * A warp's slice of a tile of wide values, in shared memory: raked, as raked_slice.cuh has it, but in two passes that
 * leave all they know in place of the elements, since a thread's registers hold few such values.
 *
 *   reduce()   each lane scans its `items` consecutive elements; its last one then becomes the combination of the slice
 *              from its begin up to there, by one scan over the lanes
 *   scan()     each lane puts in front of its elements what comes before them, which is in its neighbour's last place
 *   store()    one bulk copy, or what the place of the results allows
 *
 * For slices of any length: lanes have fewer elements at the end of the array, or none.  A lane's accesses are as wide
 * as its values divide into; where all lanes would begin in the same banks, they take the 16-byte chunks of a value in
 * an order of their own.
 *
 * Every function is called by a full, converged warp.
 */
#ifndef SCAN_WIDE_SLICE_CUH
#define SCAN_WIDE_SLICE_CUH

#include "pipeline.cuh"
#include "slice.cuh"

namespace scan {

template <class P> struct wide_slice {
	using T = typename P::value;
	enum : int { size = sizeof(T), unit = unit_of<size>(), chunks = size / unit };
	/* Lanes whose values begin in the same banks differ in `turns` ways. */
	enum : int { turns = unit < 16 ? 1 : (chunks & -chunks) < 8 ? (chunks & -chunks) : 8 };

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
#pragma unroll 1
		for (int i = 1; i < live; i++) {
			write(i - 1, running[0]);
			T next;
			read(next, i);
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
			read(base, -1);
			if (has_before)
				base = P::op::apply(*before, base);
		} else if (has_before) {
			base = *before;
		}
		__syncwarp(); /* all lanes have read what is overwritten now */
		if constexpr (P::is_exclusive)
			shift(base, has_before || lane > 0, live);
		else
			put_before(base, has_before || lane > 0, before, has_before, live);
	}

	/* Copies the results to global memory.  The slice may be overwritten when the whole warp has returned. */
	__device__ __forceinline__ void store(T *out) const
	{
		/* Each lane's results come before the copy that lane 0 starts, and before that of a later tile. */
		fence_before_copies();
		__syncwarp();
		const u64 places = address_of(out) | shared_address(slice) | u32(count * size);
		char *to = reinterpret_cast<char *>(out);
		if (count <= 0)
			return;
		if (places % 16 == 0) {
			if constexpr (!has_bulk_copies()) {
				copy_out<16>(to);
			} else if (lane == 0) {
				start_bulk_store(out, slice, count * size);
				wait_for_bulk_reads();
			}
		} else if (places % 8 == 0) {
			copy_out<8>(to);
		} else if (places % 4 == 0) {
			copy_out<4>(to);
		} else {
			copy_out<alignof(T) < 4 ? alignof(T) : 4>(to);
		}
	}

	__device__ __forceinline__ int live_lanes() const
	{
		const int lanes = (count + P::items - 1) / P::items;
		return lanes < warp_size ? lanes : warp_size;
	}

private:
	/* Elements of this lane, if it has any; bounded from above only, as all counts are. */
	__device__ __forceinline__ int live_items() const
	{
		const int left = count - lane * P::items;
		return left < P::items ? left : P::items;
	}

	__device__ __forceinline__ void put_before(
		const T &base, bool has_base, const T *before, bool has_before, int live) const
	{
#pragma unroll 1
		for (int i = 0; i + 1 < live && has_base; i++) {
			T value;
			read(value, i);
			write(i, P::op::apply(base, value));
		}
		if (live > 0 && has_before) { /* of the whole slice up to here */
			T value;
			read(value, live - 1);
			write(live - 1, P::op::apply(*before, value));
		}
	}

	/* An exclusive result is its left neighbour's inclusive one. */
	__device__ __forceinline__ void shift(const T &base, bool has_base, int live) const
	{
		T next = base;
		if constexpr (!P::has_initial)
			if (!has_base)
				next = P::op::template identity<T>();
#pragma unroll 1
		for (int i = 0; i < live; i++) {
			T value;
			if (i + 1 < live)
				read(value, i);
			write(i, next);
			if (i + 1 < live)
				next = has_base ? P::op::apply(base, value) : value;
		}
	}

	__device__ __forceinline__ char *place(int i) const { return slice + (lane * P::items + i) * size; }

	/* Of 2^n turns, lane l takes turn (l / (8 / 2^n)) mod 2^n: eight lanes are served at once. */
	__device__ __forceinline__ int turn() const { return lane / (8 / turns) % turns; }

	__device__ __forceinline__ bool is_aligned() const { return shared_address(slice) % unit == 0; }

	/* Element i of this lane; -1 is the last one of the lane before. */
	__device__ __forceinline__ void read(T &value, int i) const
	{
		const char *from = place(i);
		if (alignof(T) >= unit || is_aligned()) { /* the same in all lanes */
			chunk<unit> c[chunks];
#pragma unroll
			for (int k = 0; k < chunks; k++)
				c[k] = reinterpret_cast<const chunk<unit> *>(from)[k ^ turn()];
			exchange(c);
			memcpy(&value, c, size);
		} else {
			chunk<alignof(T)> c[size / alignof(T)];
#pragma unroll
			for (int k = 0; k < size / int(alignof(T)); k++)
				c[k] = reinterpret_cast<const chunk<alignof(T)> *>(from)[k];
			memcpy(&value, c, size);
		}
	}

	__device__ __forceinline__ void write(int i, const T &value) const
	{
		char *to = place(i);
		if (alignof(T) >= unit || is_aligned()) {
			chunk<unit> c[chunks];
			memcpy(c, &value, size);
			exchange(c);
#pragma unroll
			for (int k = 0; k < chunks; k++)
				reinterpret_cast<chunk<unit> *>(to)[k ^ turn()] = c[k];
		} else {
			chunk<alignof(T)> c[size / alignof(T)];
			memcpy(c, &value, size);
#pragma unroll
			for (int k = 0; k < size / int(alignof(T)); k++)
				reinterpret_cast<chunk<alignof(T)> *>(to)[k] = c[k];
		}
	}

	/* c[k] and c[k ^ turn] change places, without indexing registers. */
	__device__ __forceinline__ void exchange(chunk<unit> (&c)[chunks]) const
	{
#pragma unroll
		for (int bit = 1; bit < turns; bit *= 2) {
			const bool is_set = turn() & bit;
#pragma unroll
			for (int k = 0; k < chunks; k++) {
				if (k & bit)
					continue;
				const chunk<unit> low = c[k], high = c[k | bit];
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
