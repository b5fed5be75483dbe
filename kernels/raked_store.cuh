/* SPDX-License-Identifier: MIT
 *
 * The way of a raked slice's results from shared to global memory.  Where their array is not aligned, they lie in
 * shared memory as they will there (raked_results.cuh), but for those that come by less than a word at a time, which
 * begin at their place.
 *
 * Every function is called by a full, converged warp.
 */
#ifndef SCAN_RAKED_STORE_CUH
#define SCAN_RAKED_STORE_CUH

#include "lane_words.cuh"
#include "pipeline.cuh"

namespace scan {

template <class P> struct raked_store {
	using output = typename P::output;
	enum : u32 { bytes = P::slice * sizeof(output) };
	/* What becomes of a vector of elements: a vector of results, or less. */
	enum : int { row_bytes = P::vector * int(sizeof(output)) };
	enum : bool { shifts_results = row_bytes % 4 == 0 };

	char *results;
	int lane;

	/* Copies the results, which lie `turn` bytes behind their place, to global memory.  A slice scanned in place
	 * may be overwritten when the whole warp has returned. */
	__device__ __forceinline__ void store_all(output *out, u32 turn) const
	{
		/* Each lane's results come before the copy that lane 0 starts, and before that of a later tile. */
		fence_before_copies();
		__syncwarp();
		if constexpr (shifts_results) {
			if (turn % 16 > 0)
				store_edges(out, turn);
			store_vectors(reinterpret_cast<char *>(out) - turn, turn / 16 * 16, (turn + 15) / 16 * 16);
		} else {
			if (turn == 0)
				store_vectors(reinterpret_cast<char *>(out), 0, 0);
			else
				store_by_words(reinterpret_cast<char *>(out));
		}
	}

	/* The first `count` results, by the lanes: vectors as far as there are any.  For a slice that no tile comes
	 * after: no later copy needs to be told of it, and the latency of one bulk copy would be on the way. */
	__device__ __forceinline__ void store_part(output *out, int count) const
	{
		__syncwarp(); /* each lane's results come before the stores of others */
		const int vectors = address_of(out) % 16 == 0 ? count / P::vector : 0;
		enum : int { batch = 2 }; /* in flight together; with more, what has few registers spills */
#pragma unroll 1
		for (int i = lane; i < vectors; i += batch * warp_size) {
			const output *const from = reinterpret_cast<const output *>(results) + i * P::vector;
			output whole[batch][P::vector];
#pragma unroll
			for (int b = 0; b < batch; b++)
				if (i + b * warp_size < vectors)
					load_vector<access::plain>(whole[b], from + b * warp_size * P::vector);
#pragma unroll
			for (int b = 0; b < batch; b++)
				if (i + b * warp_size < vectors)
					store_vector<access::stream>(out + (i + b * warp_size) * P::vector, whole[b]);
		}
#pragma unroll 1
		for (int i = vectors * P::vector + lane; i < count; i += warp_size)
			out[i] = reinterpret_cast<const output *>(results)[i];
	}

private:
	/* All from the offset `begin` on, which is the same in global and in shared memory; then those below `last`,
	 * which come behind the others there. */
	__device__ __forceinline__ void store_vectors(char *out, u32 last, u32 begin) const
	{
		if constexpr (has_bulk_copies()) {
			if (lane == 0) {
				start_bulk_store(out + begin, results + begin, bytes - begin);
				if (last > 0)
					start_bulk_store(out + bytes, results, last);
				if (P::scans_in_place)
					wait_for_bulk_reads();
			}
		} else {
			/* More than rows where elements have 32 bytes. */
			enum : int { pieces = (int(bytes) + warp_size * 16 - 1) / (warp_size * 16) };
#pragma unroll
			for (int r = 0; r < pieces; r++) {
				const u32 at = (r * warp_size + lane) * 16;
				u32 word[4];
				if (at >= bytes || (at >= last && at < begin))
					continue;
				load_vector<access::plain>(word, reinterpret_cast<const u32 *>(results + at));
				store_vector<access::stream>(
					reinterpret_cast<u32 *>(out + at + (at < last ? u32(bytes) : 0u)), word);
			}
		}
	}

	/* The vector between these: the slice's last bytes, then its first ones, in units of the elements' alignment:
	 * an element may begin in one vector and end in the next. */
	__device__ __forceinline__ void store_edges(output *out, u32 turn) const
	{
		enum : u32 { unit = alignof(output) };
		const u32 at = turn / 16 * 16 + lane * unit;
		if (lane * unit < 16) {
			const chunk<unit> edge[1] = {*reinterpret_cast<const chunk<unit> *>(results + at)};
			char *const to = reinterpret_cast<char *>(out) - turn + at + (at < turn ? u32(bytes) : 0u);
			store_vector<access::stream>(reinterpret_cast<chunk<unit> *>(to), edge);
		}
	}

	/* To where elements are aligned, but no vectors: by words, and less than a word at either end. */
	__device__ __forceinline__ void store_by_words(char *out) const
	{
		const u32 head = -u32(address_of(out)) % 4, count = head > 0 ? bytes / 4 - 1 : bytes / 4;
#pragma unroll 1
		for (u32 i = lane; i < bytes / 4; i += word_batch * warp_size) {
			u32 word[word_batch];
			read_words(word, results, i, head, bytes / 4 - 1);
#pragma unroll
			for (int b = 0; b < word_batch; b++)
				if (i + b * warp_size < count)
					store_vector<access::stream>(
						reinterpret_cast<u32 *>(out + head) + i + b * warp_size, {word[b]});
		}
		if (head > 0 && lane < 4) {
			const u32 at = lane < head ? lane : bytes - 4 + lane;
			out[at] = results[at];
		}
	}
};

} // namespace scan

#endif
