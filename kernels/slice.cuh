/* SPDX-License-Identifier: MIT
 *
 * A slice is the contiguous part of a tile that one warp scans: `rows` rows of 32 vectors.  Lane l holds vector l of
 * each row, so that the warp's accesses are coalesced without any transposition.
 *
 * Every function is called by a full, converged warp and has no block barrier.  is_full says at compile time that all
 * elements of the slice exist; else only its first `count` do, and the others are neither loaded, combined nor stored.
 */
#ifndef SCAN_SLICE_CUH
#define SCAN_SLICE_CUH

#include "memory.cuh"
#include "warp_scan.cuh"

namespace scan {

/* Whether values that are no neighbours may be combined: not floats to a product, which may overflow where none of
 * neighbours does. */
template <class P> __device__ constexpr bool may_reorder()
{
	return P::op::is_commutative &&
		(type_traits<typename P::value>::is_integer || !same_type<typename P::op, op_prod>::value);
}

/* A partial result that may be missing: there is no assumed identity to stand in for it. */
template <class T> struct maybe {
	T value;
	bool is_present;
};

template <class P> __device__ __forceinline__ maybe<typename P::value> combine(maybe<typename P::value> earlier,
	maybe<typename P::value> later)
{
	if (earlier.is_present && later.is_present)
		return {P::op::apply(earlier.value, later.value), true};
	return earlier.is_present ? earlier : later;
}

/* Where a lane's vectors are, and how many of their elements exist.  Counts are bounded from above only, and may be
 * negative where nothing exists: min and max of one value together become one instruction of sm_90 (VIMNMX.RELU) whose
 * predicate the assembler of CUDA 13.0 takes for that of the minimum, so that few elements passed for a full slice. */
template <class P, bool is_full> struct slice_extent {
	int lane;
	int count; /* elements of the slice that exist */

	static __device__ __forceinline__ int offset(int row, int lane) { return (row * warp_size + lane) * P::vector; }
	/* Elements of this lane's vector in a row. */
	__device__ __forceinline__ int in_vector(int row) const
	{
		int left = count - offset(row, lane);
		return is_full || left > P::vector ? P::vector : left;
	}
	/* The one vector of all that has some of its elements only, if there is one: its row, the same in all lanes,
	 * and how many elements of it are this lane's.  Without a branch, and by unsigned division, which are masks. */
	__device__ __forceinline__ u32 part_row() const
	{
		return P::rows == 1 ? 0 : u32(count) / (warp_size * P::vector);
	}
	__device__ __forceinline__ int in_part() const
	{
		const bool is_here = u32(lane) == u32(count) / P::vector % warp_size;
		return is_here & (count > 0) ? int(u32(count) % P::vector) : 0;
	}
	/* Lanes whose vector in a row has an element. */
	__device__ __forceinline__ int in_row(int row) const
	{
		int left = count - offset(row, 0);
		int lanes = (left + P::vector - 1) / P::vector;
		return is_full || lanes > warp_size ? warp_size : lanes;
	}
};

/* Whether vectors that begin at p, and so on, can be moved whole. */
template <class P, class T> __device__ __forceinline__ bool is_aligned(const T *p)
{
	return address_of(p) % unit_of<P::vector * int(sizeof(T))>() == 0;
}

struct no_wait {
	__device__ __forceinline__ void operator()() const {}
};

template <class P, bool is_full> struct slice {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;
	using extent = slice_extent<P, is_full>;

	extent where;
	u64 first;                  /* the index of its first element in the whole array, for conversions that ask */
	T item[P::rows][P::vector]; /* the elements; after scan(), inclusive within each vector */
	T earlier[P::rows];         /* after the scan: what of the slice, or tile, comes before this lane's vector */
	bool is_first;              /* after the scan: nothing of it comes before row 0 */
	T total;                    /* after scan(): all of the slice, if it has an element */

	__device__ __forceinline__ slice(int lane, int count, u64 first = 0) : where{lane, count}, first(first) {}
	__device__ __forceinline__ bool has_total() const { return is_full || where.count > 0; }

	/* Source: contiguous elements in global memory, aligned to their size only; if is_full, to vectors.  `wait`
	 * comes ahead of the first access, and behind what can be reckoned without it. */
	template <class Wait = no_wait>
	__device__ __forceinline__ void load(const input *in, Wait wait = {})
	{
		input raw[P::rows][P::vector];
		if constexpr (is_full) {
			wait();
#pragma unroll
			for (int r = 0; r < P::rows; r++)
				load_vector<P::load()>(raw[r], in + extent::offset(r, where.lane));
		} else if (is_aligned<P>(in)) {
			load_vectors(raw, in, wait);
		} else {
			wait();
#pragma unroll
			for (int r = 0; r < P::rows; r++)
				load_elements(raw[r], in + extent::offset(r, where.lane), where.in_vector(r));
		}
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			take_row(r, raw[r]);
	}

	/* Scans each vector within itself, and returns their combinations: the first step of a scan by a circuit. */
	__device__ __forceinline__ void scan_vectors(T (&inclusive)[P::rows])
	{
#pragma unroll
		for (int r = 0; r < P::rows; r++)
			inclusive[r] = scan_vector(r);
	}

	/* The elements of a row become values: those that exist, since a conversion of the caller's sees no others. */
	__device__ __forceinline__ void take_row(int r, const input (&raw)[P::vector])
	{
#pragma unroll
		for (int i = 0; i < P::vector; i++)
			if (is_full || i < where.in_vector(r))
				item[r][i] = load_element<P>(raw[i], first + extent::offset(r, where.lane) + i);
	}

	/* Scans the slice; reuses `storage` freely. */
	__device__ __forceinline__ void scan(typename warp_scan<P, P::warp_scan()>::storage *storage)
	{
		scan(storage, {item[0][0], false});
	}

	/* The same for a part of a longer slice, whose earlier rows combine to `rows`: the results are as if that one
	 * had been scanned as a whole. */
	__device__ __forceinline__ void scan(typename warp_scan<P, P::warp_scan()>::storage *storage, maybe<T> rows)
	{
		T inclusive[P::rows];
		int lanes[P::rows];
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			inclusive[r] = scan_vector(r);
			lanes[r] = where.in_row(r);
		}
		warp_scan<P, P::warp_scan()>::run(inclusive, lanes, where.lane, storage);
		join_rows(inclusive, lanes, rows);
		is_first = where.lane == 0 && !rows.is_present;
	}

	/* Sink: puts `prefix`, the combination of all before what was scanned, in front and stores each result.  If
	 * is_full, out is aligned to vectors; if has_prefix, there is one, which spares every element a selection. */
	template <bool has_prefix = is_full> __device__ __forceinline__ void store(output *out, maybe<T> prefix)
	{
		output result[P::rows][P::vector];
		prefix.is_present |= has_prefix;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			maybe<T> before = prefix;
			before.is_present &= is_full || where.in_vector(r) > 0; /* else earlier[r] is no value */
			before = combine<P>(before, {earlier[r], r > 0 || !is_first});
#pragma unroll
			for (int i = 0; i < P::vector; i++)
				if (is_full || i < where.in_vector(r))
					result[r][i] = store_element<P>(result_of(r, i, before));
		}
		store_rows(out, result);
	}

	/* The last step of it: what exists of each row of results. */
	__device__ __forceinline__ void store_rows(output *out, const output (&result)[P::rows][P::vector]) const
	{
		if constexpr (is_full) {
#pragma unroll
			for (int r = 0; r < P::rows; r++)
				store_vector<P::store()>(out + extent::offset(r, where.lane), result[r]);
		} else if (is_aligned<P>(out)) {
			store_vectors(out, result);
		} else {
#pragma unroll
			for (int r = 0; r < P::rows; r++)
				store_elements(out + extent::offset(r, where.lane), result[r], where.in_vector(r));
		}
	}

private:
	/* Whole vectors; and the part of one, which is another row's for another count, by accesses of its own. */
	template <class Wait>
	__device__ __forceinline__ void load_vectors(input (&raw)[P::rows][P::vector], const input *in, Wait wait) const
	{
		if constexpr (can_part<input, P::vector>()) {
			const vector_part<input, P::vector> part{where.in_part() * int(sizeof(input))};
			const input *const at = in + u64(where.part_row() * warp_size + where.lane) * P::vector;
			u32 word[P::rows][4] = {}, rest[4] = {};
			wait();
#pragma unroll
			for (int r = 0; r < P::rows; r++)
				load_words_if<P::load(), input, P::vector>(word[r],
					in + extent::offset(r, where.lane), where.in_vector(r) == P::vector);
			part.load(rest, reinterpret_cast<const char *>(at));
#pragma unroll
			for (int r = 0; r < P::rows; r++) {
#pragma unroll
				for (int i = 0; i < 4; i++)
					word[r][i] |= P::rows == 1 || u32(r) == where.part_row() ? rest[i] : 0;
				from_words(raw[r], word[r]);
			}
		} else {
			wait();
#pragma unroll
			for (int r = 0; r < P::rows; r++) {
				const input *const from = in + extent::offset(r, where.lane);
				if (where.in_vector(r) == P::vector)
					load_vector<P::load()>(raw[r], from);
				else
					load_elements(raw[r], from, where.in_vector(r));
			}
		}
	}

	__device__ __forceinline__ void store_vectors(output *out, const output (&result)[P::rows][P::vector]) const
	{
		if constexpr (can_part<output, P::vector>()) {
			const vector_part<output, P::vector> part{where.in_part() * int(sizeof(output))};
			output *const at = out + u64(where.part_row() * warp_size + where.lane) * P::vector;
			u32 word[4], rest[4] = {};
#pragma unroll
			for (int r = 0; r < P::rows; r++) {
				to_words(word, result[r]);
				store_words_if<P::store(), output, P::vector>(out + extent::offset(r, where.lane), word,
					where.in_vector(r) == P::vector);
#pragma unroll
				for (int i = 0; i < 4; i++)
					rest[i] = P::rows == 1 || u32(r) == where.part_row() ? word[i] : rest[i];
			}
			part.store(reinterpret_cast<char *>(at), rest);
		} else {
#pragma unroll
			for (int r = 0; r < P::rows; r++) {
				output *const to = out + extent::offset(r, where.lane);
				if (where.in_vector(r) == P::vector)
					store_vector<P::store()>(to, result[r]);
				else
					store_elements(to, result[r], where.in_vector(r));
			}
		}
	}

	/* The first `given` elements of a vector, one by one. */
	static __device__ __forceinline__ void load_elements(input (&raw)[P::vector], const input *from, int given)
	{
#pragma unroll
		for (int i = 0; i < P::vector; i++)
			if (i < given)
				raw[i] = from[i];
	}

	static __device__ __forceinline__ void store_elements(output *to, const output (&result)[P::vector], int given)
	{
#pragma unroll
		for (int i = 0; i < P::vector; i++)
			if (i < given)
				to[i] = result[i];
	}

	/* Inclusive scan of a lane's own vector; returns its combination. */
	__device__ __forceinline__ T scan_vector(int r)
	{
		T last = item[r][0];
#pragma unroll
		for (int i = 1; i < P::vector; i++)
			if (is_full || i < where.in_vector(r))
				last = item[r][i] = P::op::apply(last, item[r][i]);
		return last;
	}

	/* From the rows' own scans to the slice's: what comes before each vector, and the total. */
	__device__ __forceinline__ void join_rows(
		const T (&inclusive)[P::rows], const int (&lanes)[P::rows], maybe<T> rows)
	{
		total = rows.value;
#pragma unroll
		for (int r = 0; r < P::rows; r++) {
			T before = shuffle_value<shuffle::up>(inclusive[r], 1);
			T row = shuffle_value<shuffle::from>(inclusive[r], lanes[r] > 0 ? lanes[r] - 1 : 0);
			if (r == 0 && !rows.is_present) {
				earlier[r] = before;
				total = row;
			} else if (is_full || lanes[r] > 0) {
				earlier[r] = total;
				if (where.lane > 0 && where.lane < lanes[r])
					earlier[r] = P::op::apply(total, before);
				total = P::op::apply(total, row);
			}
		}
	}

	/* An exclusive result is its left neighbour's inclusive one; the operator may have no inverse. */
	__device__ __forceinline__ T result_of(int r, int i, maybe<T> before)
	{
		if constexpr (P::is_exclusive) {
			if (i == 0) {
				/* An operator without an identity is only let through with an initial value. */
				if constexpr (P::has_initial)
					return before.value;
				else
					return before.is_present ? before.value : P::op::template identity<T>();
			}
			i--;
		}
		return before.is_present ? P::op::apply(before.value, item[r][i]) : item[r][i];
	}
};

/* The initial value, or nothing, as what comes before the first element of all. */
template <class P> __device__ __forceinline__ maybe<typename P::value> initial_value(const scan_arguments &arguments)
{
	maybe<typename P::value> initial;
	initial.is_present = P::has_initial;
	if constexpr (P::has_initial) {
		constexpr int size = sizeof initial.value, held = size < SCAN_INITIAL_BYTES ? size : SCAN_INITIAL_BYTES;
		if (arguments.initial_on_device)
			initial.value = *static_cast<const typename P::value *>(arguments.initial_on_device);
		else
			memcpy(&initial.value, arguments.initial, held); /* what is larger is always on the device */
	}
	return initial;
}

} // namespace scan

#endif
