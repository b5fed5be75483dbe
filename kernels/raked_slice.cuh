/* SPDX-License-Identifier: MIT
 *
 * A warp's slice of a tile in shared memory, raked: each lane takes `items` consecutive elements, scans them by
 * itself, and leaves the results in their place, from where one bulk copy takes the slice to global memory, or, before
 * sm_90, the warp by vectors.  One scan over the lanes serves the whole slice (a row of vectors after another needs
 * one a row), operands stay in array order whatever the operator, and bulk stores cost no instructions of the lanes.
 *
 * The lanes' accesses are 16 bytes wide, a stride of `rows` vectors apart: free of bank conflicts where rows is odd.
 *
 * The first element's place in shared memory is aligned to 16 bytes once align() has seen to it.  What ends in "part"
 * is for the array's last slice, of which the first `count` > 0 elements exist: they are combined in the same tree, so
 * that no result depends on what comes after it.  Every function is called by a full, converged warp.
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

	/* Brings a part from global memory: by vectors as far as there are any.  What follows the last element in its
	 * vector becomes zero, since vectors are read whole. */
	__device__ __forceinline__ void load_part(const input *in, int count) const
	{
		input *const to = reinterpret_cast<input *>(slice);
		const int vectors = address_of(in) % 16 == 0 ? count / P::vector : 0;
		if (count % P::vector > 0 && lane < 4)
			words()[count / P::vector * 4 + lane] = 0;
		input raw[P::rows][P::vector];
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			if (r * warp_size + lane < vectors)
				load_vector<P::load()>(raw[r], in + (r * warp_size + lane) * P::vector);
		__syncwarp(); /* elements come after the zeros */
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			if (r * warp_size + lane < vectors)
				store_vector<access::plain>(to + (r * warp_size + lane) * P::vector, raw[r]);
		load_elements(in, vectors * P::vector, count);
		__syncwarp(); /* a lane's elements were brought by others */
	}

	/* reduce() of a part; the total is in all lanes. */
	__device__ __forceinline__ T reduce_part(
		T &total, typename warp_scan<P, P::warp_scan()>::storage *storage, u64 first, int count) const
	{
		T inclusive[1];
		int lanes[1] = {(count + P::items - 1) / P::items};
#pragma unroll 1
		for (int r = 0; r < P::rows && int(index(r)) < count; r++) {
			input raw[P::vector];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(row(r)));
			T sum = load_element<P>(raw[0], first + index(r));
#pragma unroll
			for (int i = 1; i < P::vector; i++)
				if (int(index(r)) + i < count)
					sum = P::op::apply(sum, load_element<P>(raw[i], first + index(r) + i));
			inclusive[0] = r > 0 ? P::op::apply(inclusive[0], sum) : sum;
		}
		warp_scan<P, P::warp_scan()>::run(inclusive, lanes, lane, storage);
		total = shuffle_value<shuffle::from>(inclusive[0], lanes[0] - 1);
		return shuffle_value<shuffle::up>(inclusive[0], 1);
	}

	/* scan() of a part. */
	__device__ __forceinline__ void scan_part(maybe<T> before, T earlier, u64 first, int count) const
	{
#pragma unroll 1
		for (int r = 0; r < P::rows && int(index(r)) < count; r++) {
			if (r == 0 && lane > 0)
				before = combine<P>(before, {earlier, true});
			input raw[P::vector];
			load_vector<access::plain>(raw, reinterpret_cast<const input *>(row(r)));
#pragma unroll
			for (int i = 0; i < P::vector; i++)
				if (int(index(r)) + i < count)
					reinterpret_cast<output *>(row(r))[i] =
						step(before, load_element<P>(raw[i], first + index(r) + i));
		}
	}

	/* store() of a part: by vectors as far as there are any.  No later copy needs to be told of: there is no later
	 * tile. */
	__device__ __forceinline__ void store_part(output *out, int count) const
	{
		__syncwarp(); /* each lane's results come before the stores of others */
		const int vectors = address_of(out) % 16 == 0 ? count / P::vector : 0;
#pragma unroll 1
		for (int i = lane; i < vectors; i += warp_size) {
			output whole[P::vector];
			load_vector<access::plain>(whole, reinterpret_cast<const output *>(slice) + i * P::vector);
			store_vector<access::stream>(out + i * P::vector, whole);
		}
#pragma unroll 1
		for (int i = vectors * P::vector + lane; i < count; i += warp_size)
			out[i] = reinterpret_cast<const output *>(slice)[i];
	}

	/* Moves the slice, or the part of it that is `present` bytes long, from `shift` bytes, 0 < shift < 16, behind
	 * this place to it. */
	template <bool is_full = true> __device__ __forceinline__ void align(u32 shift, u32 present = bytes) const
	{
		const u32 last = is_full ? bytes / 4 + 3 : (shift + present + 3) / 4 - 1;
#pragma unroll 1
		for (u32 i = lane; i < bytes / 4; i += batch * warp_size) {
			if (!is_full && i - lane >= (present + 3) / 4) /* the same in all lanes */
				break;
			u32 word[batch];
			read_words<is_full>(word, i + shift / 4, shift % 4, last);
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

	/* Brings the elements from `from` on, many loads at once. */
	__device__ __forceinline__ void load_elements(const input *in, int from, int count) const
	{
		constexpr int most = P::items < 28 ? int(P::items) : 28;
#pragma unroll 1
		for (int i = from + lane; i < count; i += most * warp_size) {
			input raw[most];
#pragma unroll
			for (int b = 0; b < most; b++)
				if (i + b * warp_size < count)
					raw[b] = in[i + b * warp_size];
#pragma unroll
			for (int b = 0; b < most; b++)
				if (i + b * warp_size < count)
					reinterpret_cast<input *>(slice)[i + b * warp_size] = raw[b];
		}
	}

	/* The result of an element, and what comes before the next one. */
	static __device__ __forceinline__ output step(maybe<T> &before, T element)
	{
		const T after = before.is_present ? P::op::apply(before.value, element) : element;
		T result = after;
		if constexpr (P::is_exclusive && P::has_initial)
			result = before.value;
		else if constexpr (P::is_exclusive)
			result = before.is_present ? before.value : P::op::template identity<T>();
		before = {after, true};
		return store_element<P>(result);
	}

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
			read_words<true>(word, i, head, bytes / 4 - 1);
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
	template <bool is_full>
	__device__ __forceinline__ void read_words(u32 (&word)[batch], u32 first, u32 skip, u32 last) const
	{
#pragma unroll
		for (int b = 0; b < batch; b++) {
			const u32 at = first + b * warp_size;
			word[b] = words()[is_full || at < last ? at : last];
		}
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
