/* SPDX-License-Identifier: MIT
 *
 * A warp's slice of a tile in shared memory, raked: each lane takes `items` consecutive elements, scans them by
 * itself, and leaves the results in their place, from where one bulk copy takes the slice to global memory, or, before
 * sm_90, the warp by vectors.  One scan over the lanes serves the whole slice (a row of vectors after another needs
 * one a row), operands stay in array order whatever the operator, and bulk stores cost no instructions of the lanes.
 *
 * The lanes' accesses are 16 bytes wide, a stride of `rows` vectors apart: free of bank conflicts where rows is odd.
 *
 * For full slices.  Their place in shared memory is aligned to 16 bytes, and so are they once align() has seen to it.
 * Every function is called by a full, converged warp.
 */
#ifndef SCAN_RAKED_SLICE_CUH
#define SCAN_RAKED_SLICE_CUH

#include "pipeline.cuh"
#include "slice.cuh"
#include "vector_scan.cuh"

namespace scan {

template <class P> struct raked_slice {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;
	using vector = vector_scan<P>;
	enum : u32 { bytes = P::slice * sizeof(output) };

	char *slice; /* in shared memory */
	int lane;

	__device__ __forceinline__ raked_slice(char *slice, int lane) : slice(slice), lane(lane) {}

	/* Combines the lanes' elements, of which the first of all is the array's element `first`.  Returns what comes
	 * before this lane within the slice, which lane 0 lacks; leaves the slice's combination in `total` of the last
	 * lane. */
	__device__ __forceinline__ T reduce(
		T &total, typename warp_scan<P, P::warp_scan()>::storage *storage, u64 first) const
	{
		T inclusive[1];
		int count[1] = {warp_size};
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			input raw[P::vector];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(row(r)));
			T sum = vector::reduce(raw, first + index(r));
			inclusive[0] = r > 0 ? P::op::apply(inclusive[0], sum) : sum;
		}
		warp_scan<P, P::warp_scan()>::run(inclusive, count, lane, storage);
		total = inclusive[0];
		return shuffle_value<shuffle::up>(inclusive[0], 1);
	}

	/* Leaves the results in place; `before` is the combination of all before the slice, `earlier` what reduce()
	 * returned. */
	__device__ __forceinline__ void scan(maybe<T> before, T earlier, u64 first) const
	{
		T running = before.value;
		if (lane > 0)
			running = before.is_present ? P::op::apply(before.value, earlier) : earlier;
		const bool is_first = lane == 0 && !before.is_present;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			input raw[P::vector];
			output result[P::vector];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(row(r)));
			if (r == 0 && is_first)
				plain_vector_scan<P>::begin(result, raw, running, first);
			else
				vector::scan(result, raw, running, first + index(r));
			store_vector<access::plain>(reinterpret_cast<output *>(row(r)), result);
		}
	}

	/* Moves a slice that begins `shift` bytes, 0 < shift < 16, behind this place to it. */
	__device__ __forceinline__ void align(u32 shift) const
	{
#pragma unroll 1
		for (u32 i = lane; i < bytes / 4; i += batch * warp_size) {
			u32 word[batch];
			read_words(word, i + shift / 4, shift % 4, bytes / 4 + 3);
			__syncwarp(); /* all lanes have read what is overwritten now */
#pragma unroll
			for (int b = 0; b < batch; b++)
				words()[i + b * warp_size] = word[b];
		}
		__syncwarp();
	}

	/* Copies the results to global memory.  The slice may be overwritten when the whole warp has returned. */
	__device__ __forceinline__ void store(output *out) const
	{
		/* Each lane's results come before the copy that lane 0 starts, and before that of a later tile. */
		fence_before_copies();
		if (address_of(out) % 16 == 0) {
			__syncwarp();
			if constexpr (!has_bulk_copies()) {
				store_vectors(reinterpret_cast<char *>(out));
			} else if (lane == 0) {
				start_bulk_store(out, slice, bytes);
				wait_for_bulk_reads();
			}
		} else {
			__syncwarp();
			store_words(reinterpret_cast<char *>(out));
		}
	}

private:
	enum : int { batch = 4 }; /* 32-bit words a lane at once: a vector; bytes is a multiple of batch * 128 */

	/* Without bulk copies: a vector a lane. */
	__device__ __forceinline__ void store_vectors(char *out) const
	{
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			const u32 at = (r * warp_size + lane) * 16;
			u32 word[4];
			load_vector<access::plain>(word, reinterpret_cast<const u32 *>(slice + at));
			store_vector<access::stream>(reinterpret_cast<u32 *>(out + at), word);
		}
	}

	/* To where elements are aligned, but no vectors: by words, and less than a word at either end. */
	__device__ __forceinline__ void store_words(char *out) const
	{
		const u32 head = -u32(address_of(out)) % 4, count = head > 0 ? bytes / 4 - 1 : bytes / 4;
#pragma unroll 1
		for (u32 i = lane; i < bytes / 4; i += batch * warp_size) {
			u32 word[batch];
			read_words(word, i, head, bytes / 4 - 1);
#pragma unroll
			for (int b = 0; b < batch; b++)
				if (i + b * warp_size < count)
					store_vector<access::stream>(
						reinterpret_cast<u32 *>(out + head) + i + b * warp_size, {word[b]});
		}
		if (head > 0 && lane < 4) {
			const u32 at = lane < head ? lane : bytes - 4 + lane;
			out[at] = slice[at];
		}
	}

	/* Every 32nd word from `first` on, or rather those that begin `skip` < 4 bytes later.  No word after `last` is
	 * touched; what would need it comes out wrong. */
	__device__ __forceinline__ void read_words(u32 (&word)[batch], u32 first, u32 skip, u32 last) const
	{
#pragma unroll
		for (int b = 0; b < batch; b++)
			word[b] = words()[first + b * warp_size];
		if (skip > 0) { /* the same in all lanes */
#pragma unroll
			for (int b = 0; b < batch; b++) {
				const u32 next = first + b * warp_size + 1;
				word[b] = __funnelshift_r(word[b], words()[next < last ? next : last], 8 * skip);
			}
		}
	}

	__device__ __forceinline__ u32 *words() const { return reinterpret_cast<u32 *>(slice); }
	__device__ __forceinline__ u32 index(int r) const { return (lane * P::rows + r) * P::vector; }
	__device__ __forceinline__ char *row(int r) const { return slice + (lane * P::rows + r) * 16; }
};

} // namespace scan

#endif
