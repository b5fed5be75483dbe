/* SPDX-License-Identifier: MIT
 *
 * How a lane leaves the results of its part of a raked slice in shared memory: `turn` bytes behind their place, as they
 * will lie in the output array, so that all but the first and the last few can be copied in bulk.  Those of the slice's
 * end that have no more room behind the others come before them.
 *
 * A vector of elements makes a vector of results, or less where results are narrower.  Whole vectors are shifted when a
 * lane has all of its own.  Words are left as they come, and those that come by less than a word lie at their place,
 * whatever the turn.
 *
 * Every function is called by a full, converged warp; the turn is the same in all lanes.
 */
#ifndef SCAN_RAKED_RESULTS_CUH
#define SCAN_RAKED_RESULTS_CUH

#include "lane_words.cuh"
#include "raked_store.cuh"

namespace scan {

/* What a vector of elements makes: less than a word of results, a word or a few, or whole vectors. */
enum class row_kind { part, words, vectors };

template <class P, row_kind kind> struct raked_results_of;

template <class P> struct raked_results_of<P, row_kind::vectors> {
	using output = typename P::output;
	enum : int { vectors = P::rows * (raked_store<P>::row_bytes / 16), held = 4 * vectors }; /* of a lane */

	/* All of the lane's at once.  By less than a vector behind their place, they begin in the last vector of the
	 * lane before. */
	static __device__ __forceinline__ void end(u32 (&word)[held], char *results, int lane, u32 turn)
	{
		if (turn % 16 > 0) {
			u32 wider[held + 4];
			set_words(wider, 0, word, held - 4);
#pragma unroll
			for (int i = 0; i < 4; i++)
				wider[i] = shuffle_value<shuffle::from>(wider[i], (lane + 31) % warp_size);
			set_words(wider, 4, word);
			shift_words<alignof(output)>(word, wider, 16 - turn % 16);
		}
		if (turn < 16)
			store_words(results + lane * held * 4, word);
		else
			turn_words(results, lane, word, turn / 16);
	}

private:
	/* By whole vectors, the last ones come first. */
	static __device__ __forceinline__ void turn_words(char *results, int lane, const u32 (&word)[held], u32 by)
	{
		__syncwarp(); /* all lanes have read what others overwrite now */
#pragma unroll
		for (int r = 0; r < vectors; r++) {
			const u32 behind = lane * vectors + r + by, all = vectors * warp_size;
			const u32 at = behind < all ? behind : behind - all;
			u32 four[4];
			set_words(four, 0, word, 4 * r);
			store_vector<access::plain>(reinterpret_cast<u32 *>(results) + 4 * at, four);
		}
	}
};

/* These have a place of their own, and turns of less than 16. */
template <class P> struct raked_results_of<P, row_kind::words> {
	using output = typename P::output;
	enum : bool { has_whole_words = alignof(output) % 4 == 0 };
	enum : int { row_words = raked_store<P>::row_bytes / 4, words = P::rows * row_words, held = 1 };

	u32 first, last; /* of the lane's words so far */

	/* Of the lane's r-th vector of elements; in order. */
	__device__ __forceinline__ void add(const output (&result)[P::vector], int r, char *results, int lane, u32 turn)
	{
		u32 word[row_words];
#pragma unroll
		for (int i = 0; i < row_words; i++) /* copied as a whole, they would go to local memory */
			memcpy(word + i, reinterpret_cast<const char *>(result) + 4 * i, 4);
		if (turn == 0)
			store_vector<access::plain>(
				reinterpret_cast<u32 *>(results) + lane * words + r * row_words, word);
		else
			add_shifted(word, r, results, lane, turn);
	}

	/* What comes before a lane's first word is known last. */
	__device__ __forceinline__ void end(u32 (&)[held], char *results, int lane, u32 turn) const
	{
		if (!has_whole_words && turn > 0) {
			const u32 before = shuffle_value<shuffle::from>(last, (lane + 31) % warp_size);
			leave(results, lane, turn, before, first, 0);
		}
	}

private:
	__device__ __forceinline__ void add_shifted(
		const u32 (&word)[row_words], int r, char *results, int lane, u32 turn)
	{
#pragma unroll
		for (int i = 0; i < row_words; i++) {
			if (r + i > 0 || has_whole_words)
				leave(results, lane, turn, last, word[i], r * row_words + i);
			else
				first = word[i];
			last = word[i];
		}
	}

	/* The lane's word i, behind the last bytes of the one before it. */
	static __device__ __forceinline__ void leave(char *results, int lane, u32 turn, u32 before, u32 word, int i)
	{
		enum : u32 { all = warp_size * words };
		u32 at = lane * words + i + turn / 4;
		if (i + 3 >= words && at >= all)
			at -= all;
		reinterpret_cast<u32 *>(results)[at] =
			has_whole_words ? word : __funnelshift_l(before, word, 8 * (turn % 4));
	}
};

template <class P> struct raked_results_of<P, row_kind::part> {
	using output = typename P::output;
	enum : int { held = 1 };

	__device__ __forceinline__ void add(
		const output (&result)[P::vector], int r, char *results, int lane, u32) const
	{
		store_vector<access::plain>(
			reinterpret_cast<output *>(results) + (lane * P::rows + r) * P::vector, result);
	}

	__device__ __forceinline__ void end(u32 (&)[held], char *, int, u32) const {}
};

template <class P>
using raked_results = raked_results_of<P, !raked_store<P>::shifts_results ? row_kind::part :
	raked_store<P>::row_bytes % 16 == 0 ? row_kind::vectors : row_kind::words>;

} // namespace scan

#endif
