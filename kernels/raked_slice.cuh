/* SPDX-License-Identifier: MIT
 *
 * A warp's slice of a tile in shared memory, raked: each lane takes `items` consecutive elements, scans them by itself,
 * and leaves the results in their place, from where one bulk copy takes the slice to global memory, or, before sm_90,
 * the warp by vectors.  One scan over the lanes serves the whole slice (a row of vectors after another needs one a
 * row), operands stay in array order whatever the operator, and bulk stores cost no instructions of the lanes.  Results
 * of another size than the elements go to a place of the warp's own.
 *
 * The lanes' accesses are 16 bytes wide, a stride of `rows` vectors apart: free of bank conflicts where rows is odd.
 * Those of the smaller type, where there are two sizes, are as many, and narrower.
 *
 * A slice whose array is not aligned begins `in_shift` bytes, less than 16, behind its place, which is.  reduce() moves
 * it there, but not where results have another place.  Results are left `turn` bytes behind theirs, as they will lie in
 * the output array, so that all but the first and the last few can be copied in bulk.
 *
 * What ends in "part" is for the array's last slice, of which the first `count` > 0 elements exist: they are combined
 * in the same tree, so that no result depends on what comes after it.  Every function is called by a full, converged
 * warp.
 */
#ifndef SCAN_RAKED_SLICE_CUH
#define SCAN_RAKED_SLICE_CUH

#include "lane_words.cuh"
#include "paired_scan.cuh"
#include "pipeline.cuh"
#include "raked_lane.cuh"
#include "raked_results.cuh"
#include "raked_store.cuh"

namespace scan {

/* What a slice's reduction leaves for its scan. */
template <class T> struct raked_part {
	T earlier;    /* what comes before this lane within the slice; lane 0 has none */
	T first_half; /* of the lane's elements: of paired scans */
};

template <class P> struct raked_slice {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;
	using vector = vector_scan<P>;
	enum : bool { is_paired = scan::is_paired<P>::value, is_rolled = raked_lane<P>::is_rolled };
	enum : int { vector_bytes = P::vector * int(sizeof(input)) };
	enum : u32 { lane_bytes = P::rows * vector_bytes };
	enum : int { in_words = (int(lane_bytes) + 3) / 4 }; /* of a lane */

	char *slice;   /* in shared memory */
	char *results; /* likewise; the same place where the types have one size */
	int lane;

	__device__ __forceinline__ raked_slice(char *slice, char *results, int lane)
	    : slice(slice), results(results), lane(lane) {}

	__device__ __forceinline__ raked_lane<P> own() const { return {slice, results, lane}; }

	/* Combines the lanes' elements, of which the first of all is the array's element `first`; leaves the slice's
	 * combination in `total` of the last lane. */
	__device__ __forceinline__ raked_part<T> reduce(
		T &total, typename warp_scan<P, P::warp_scan()>::storage *storage, u64 first, u32 in_shift) const
	{
		T inclusive[1];
		int count[1] = {warp_size};
		raked_part<T> part;
		u32 word[in_words];
		take_words(word, in_shift);
		if (P::scans_in_place && in_shift > 0) /* the same in all lanes */
			move_into_place(word);
		if constexpr (is_paired)
			inclusive[0] = paired_scan<P>::reduce(part.first_half, word);
		else
			inclusive[0] = reduce_rows(word, first);
		warp_scan<P, P::warp_scan()>::run(inclusive, count, lane, storage);
		total = inclusive[0];
		part.earlier = shuffle_value<shuffle::up>(inclusive[0], 1);
		return part;
	}

	/* Leaves the results in their place; `before` is the combination of all before the slice, `part` what reduce()
	 * returned. */
	__device__ __forceinline__ void scan(
		maybe<T> before, const raked_part<T> &part, u64 first, u32 in_shift, u32 turn) const
	{
		T running = before.value;
		if (lane > 0)
			running = before.is_present ? P::op::apply(before.value, part.earlier) : part.earlier;
		const bool is_first = lane == 0 && !before.is_present;
		if constexpr (!P::scans_in_place)
			wait_for_results();
		u32 word[in_words];
		take_words(word, P::scans_in_place ? 0 : in_shift);
		if constexpr (is_paired) {
			paired_scan<P>::scan(word, is_first ? P::op::template identity<T>() : running, part.first_half);
			raked_results<P>::end(word, results, lane, turn);
		} else {
			scan_rows(word, running, is_first, first, turn);
		}
	}

	/* reduce() and scan() of a slice that is where it belongs, with the lane's elements in registers in between;
	 * not of paired scans. */
	__device__ __forceinline__ raked_part<T> reduce_held(T &total, input (&raw)[P::rows][P::vector],
		typename warp_scan<P, P::warp_scan()>::storage *storage, u64 first) const
	{
		T inclusive[1];
		int count[1] = {warp_size};
		raked_part<T> part;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			load_vector<access::plain>(raw[r], reinterpret_cast<const input *>(slice) + index(r));
			T sum = vector::reduce(raw[r], first + index(r));
			inclusive[0] = r > 0 ? P::op::apply(inclusive[0], sum) : sum;
		}
		warp_scan<P, P::warp_scan()>::run(inclusive, count, lane, storage);
		total = inclusive[0];
		part.earlier = shuffle_value<shuffle::up>(inclusive[0], 1);
		return part;
	}

	__device__ __forceinline__ void scan_held(
		maybe<T> before, const raked_part<T> &part, const input (&raw)[P::rows][P::vector], u64 first) const
	{
		T running = before.value;
		if (lane > 0)
			running = before.is_present ? P::op::apply(before.value, part.earlier) : part.earlier;
		const bool is_first = lane == 0 && !before.is_present;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			output result[P::vector];
			own().scan_vector(result, raw[r], running, r == 0 && is_first, first + index(r));
			store_vector<access::plain>(reinterpret_cast<output *>(results) + index(r), result);
		}
	}

	/* reduce() of a part; the total is in all lanes. */
	__device__ __forceinline__ raked_part<T> reduce_part(T &total,
		typename warp_scan<P, P::warp_scan()>::storage *storage, u64 first, u32 in_shift, int count) const
	{
		const u32 present = count * u32(sizeof(input));
		raked_part<T> part;
		T inclusive[1];
		int lanes[1] = {(count + P::items - 1) / P::items};
		if (in_shift > 0)
			move_words(slice, (present + 3) / 4, (in_shift + present + 3) / 4 - 1, in_shift, lane);
		inclusive[0] = own().reduce(first, count - int(index(0)));
		warp_scan<P, P::warp_scan()>::run(inclusive, lanes, lane, storage);
		total = shuffle_value<shuffle::from>(inclusive[0], lanes[0] - 1);
		part.earlier = shuffle_value<shuffle::up>(inclusive[0], 1);
		return part;
	}

	/* scan() of a part.  The caller orders what lanes leave before asynchronous copies to the same place. */
	__device__ __forceinline__ void scan_part(
		maybe<T> before, const raked_part<T> &part, u64 first, int count) const
	{
		const int present = count - int(index(0));
		if (lane > 0 && present > 0)
			before = combine<P>(before, {part.earlier, true});
		if (!P::scans_in_place)
			wait_for_results();
		own().scan(before, first, present);
	}

private:
	__device__ __forceinline__ u32 index(int r) const { return own().index(r); }

	/* All of a lane's elements, whose loads wait for one another nowhere. */
	__device__ __forceinline__ void take_words(u32 (&word)[in_words], u32 in_shift) const
	{
		if (in_shift == 0) {
#pragma unroll
			for (int r = 0; r < P::rows; r++) {
				input raw[P::vector];
				load_vector<access::plain>(raw, reinterpret_cast<const input *>(slice) + index(r));
				memcpy(reinterpret_cast<char *>(word) + r * vector_bytes, raw, sizeof raw);
			}
		} else if constexpr (vector_bytes < 16) {
			load_bytes<lane_bytes>(word, slice + in_shift + lane * lane_bytes);
		} else {
			u32 wider[in_words + 4];
			load_words(wider, slice + lane * lane_bytes);
			shift_words<alignof(input)>(word, wider, in_shift);
		}
	}

	/* In place, a lane's elements end in the first vector of the next one's, which it reads before anybody
	 * writes. */
	__device__ __forceinline__ void move_into_place(const u32 (&word)[in_words]) const
	{
		__syncwarp(); /* all lanes have read what is overwritten now */
		if constexpr (P::scans_in_place)
			store_words(slice + lane * lane_bytes, word);
	}

	__device__ __forceinline__ T reduce_rows(const u32 (&word)[in_words], u64 first) const
	{
		T total;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			input raw[P::vector];
			memcpy(raw, reinterpret_cast<const char *>(word) + r * vector_bytes, sizeof raw);
			T sum = vector::reduce(raw, first + index(r));
			total = r > 0 ? P::op::apply(total, sum) : sum;
		}
		return total;
	}

	/* Whole vectors of results are held until all are there.  By themselves: with a member of an object in their
	 * place, maxima of doubles spill. */
	__device__ __forceinline__ void scan_rows(
		const u32 (&word)[in_words], T running, bool is_first, u64 first, u32 turn) const
	{
		u32 done[raked_results<P>::held];
		raked_results<P> left;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			input raw[P::vector];
			output result[P::vector];
			memcpy(raw, reinterpret_cast<const char *>(word) + r * vector_bytes, sizeof raw);
			own().scan_vector(result, raw, running, r == 0 && is_first, first + index(r));
			if constexpr (raked_results<P>::held > 1)
				memcpy(done + r * int(sizeof result / 4), result, sizeof result);
			else
				left.add(result, r, results, lane, turn);
		}
		left.end(done, results, lane, turn);
	}

	/* Until the warp has no more use for the results of its slice before. */
	__device__ __forceinline__ void wait_for_results() const
	{
		if (lane == 0)
			wait_for_bulk_reads();
		__syncwarp();
	}
};

} // namespace scan

#endif
