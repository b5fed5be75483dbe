/* SPDX-License-Identifier: MIT
 *
 * Scans and reductions over the lanes of a warp, in lane order, of values that need no identity: only lanes below
 * `count` hold one, and only those are ever combined.
 *
 * All functions: called by a full, converged warp; no block barrier; `count` is the same in all lanes.
 */
#ifndef SCAN_WARP_SCAN_CUH
#define SCAN_WARP_SCAN_CUH

#include "policy.cuh"

namespace scan {

enum class shuffle { up, down, from };

template <shuffle way> __device__ __forceinline__ u32 shuffle_word(u32 x, int argument)
{
	if constexpr (way == shuffle::up)
		return __shfl_up_sync(full_warp, x, argument);
	else if constexpr (way == shuffle::down)
		return __shfl_down_sync(full_warp, x, argument);
	else
		return __shfl_sync(full_warp, x, argument);
}

/* Moves a value of any size between lanes, a 32-bit word at a time. */
template <shuffle way, class T> __device__ __forceinline__ T shuffle_value(T value, int argument)
{
	constexpr int words = (sizeof(T) + 3) / 4;
	u32 word[words];
	word[words - 1] = 0;
	memcpy(word, &value, sizeof value);
#pragma unroll
	for (int i = 0; i < words; i++)
		word[i] = shuffle_word<way>(word[i], argument);
	memcpy(&value, word, sizeof value);
	return value;
}

/* The combination of the values of lanes 0 .. count-1; valid in lane 0 only, and only if count > 0. */
template <class P>
__device__ __forceinline__ typename P::value warp_reduce(typename P::value value, int count, int lane)
{
#pragma unroll
	for (int reach = 1; reach < warp_size; reach *= 2) {
		auto later = shuffle_value<shuffle::down>(value, reach);
		if (lane + reach < count)
			value = P::op::apply(value, later);
	}
	return value;
}

/* The same for lanes that hold the values from last to first: lane 0 the last, lane count-1 the first. */
template <class P>
__device__ __forceinline__ typename P::value warp_reduce_backwards(typename P::value value, int count, int lane)
{
#pragma unroll
	for (int reach = 1; reach < warp_size; reach *= 2) {
		auto earlier = shuffle_value<shuffle::down>(value, reach);
		if (lane + reach < count)
			value = P::op::apply(earlier, value);
	}
	return value;
}

/* Whether a lane may go on with what warp_reduce() left it, which but for lane 0 is some part that nobody uses.  Where
 * that is next to what it is combined with is not known, so an operator of the caller's, which may insist on it, is
 * given lane 0's alone; for all others one branch less is faster. */
__device__ __forceinline__ bool is_reduced(int lane)
{
	return !user_facts::has_operator || lane == 0;
}

/* Inclusive scans of `rows` independent rows of 32 values, interleaved so that their latencies overlap.  After the
 * call, value[r] in lanes below count[r] is the combination of lanes 0 .. lane of row r. */
template <class P, warp_scan_kind kind> struct warp_scan;

/* What it needs in shared memory, which depends on the type alone. */
template <class T, warp_scan_kind kind> struct warp_scan_storage {};
template <class T> struct warp_scan_storage<T, warp_scan_kind::shared> {
	T slot[warp_size];
};

/* Kogge-Stone by shuffles: 5 steps, no memory. */
template <class P> struct warp_scan<P, warp_scan_kind::shuffle> {
	using storage = warp_scan_storage<typename P::value, warp_scan_kind::shuffle>;
	enum : int { steps_at_once = sizeof(typename P::value) > 2 * SCAN_WIDE_BYTES ? 1 : 5 };
	/* most: of all counts. */
	template <int rows, int most = warp_size>
	static __device__ __forceinline__ void run(
		typename P::value (&value)[rows], const int (&count)[rows], int lane, storage *)
	{
		/* Wide values: a step is work enough for a loop, and code takes the compiler's time. */
#pragma unroll(steps_at_once)
		for (int reach = 1; reach < most; reach *= 2) {
			if (steps_at_once == 1 && rows == 1 && reach >= count[0])
				break; /* the same in all lanes */
#pragma unroll
			for (int r = 0; r < rows; r++) {
				auto earlier = shuffle_value<shuffle::up>(value[r], reach);
				if (lane >= reach && lane < count[r])
					value[r] = P::op::apply(earlier, value[r]);
			}
		}
	}
};

/* Kogge-Stone in shared memory: a slot a lane.  The storage may be reused after the call by the same warp. */
template <class P> struct warp_scan<P, warp_scan_kind::shared> {
	using storage = warp_scan_storage<typename P::value, warp_scan_kind::shared>;
	template <int rows>
	static __device__ __forceinline__ void run(typename P::value (&value)[rows], const int (&count)[rows], int lane,
		storage *shared)
	{
#pragma unroll
		for (int r = 0; r < rows; r++) {
#pragma unroll
			for (int reach = 1; reach < warp_size; reach *= 2) {
				shared->slot[lane] = value[r];
				__syncwarp();
				if (lane >= reach && lane < count[r])
					value[r] = P::op::apply(shared->slot[lane - reach], value[r]);
				__syncwarp(); /* every lane has read before the next step overwrites */
			}
		}
	}
};

} // namespace scan

#endif
