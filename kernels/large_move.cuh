/* SPDX-License-Identifier: MIT
 *
 * How the elements and results of strategy `large` travel: a step of all leaders at a time, by the warps that have no
 * leader, in units that neighbouring threads take from one element.
 */
#ifndef SCAN_LARGE_MOVE_CUH
#define SCAN_LARGE_MOVE_CUH

#include "large_state.cuh"

namespace scan {

/* Copies of `unit` bytes that need no register and arrive by large_wait(); from sm_80 on. */
template <int unit> __device__ __forceinline__ void large_copy(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
	if constexpr (unit == 16) {
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
			: "memory");
		return;
	} else if constexpr (unit == 8) {
		asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(to)), "l"(from)
			: "memory");
		return;
	} else if constexpr (unit == 4) {
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from)
			: "memory");
		return;
	}
#endif
	*static_cast<chunk<unit> *>(to) = *static_cast<const chunk<unit> *>(from);
}

/* Ends a group of copies, perhaps an empty one. */
__device__ __forceinline__ void large_commit()
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Until this thread's copies have arrived, but for those of the latest group. */
__device__ __forceinline__ void large_wait()
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

/* Which of a leader's elements comes first. */
enum class way { forward, backward };

template <class P> struct large_mover {
	using T = typename P::value;
	using input = typename P::input;
	using output = typename P::output;
	using slots = large_slots<P>;

	const scan_arguments &arguments;
	slots place;
	u64 first; /* element of the tile */
	int live;  /* elements of the tile */

	/* Starts to bring the leaders' step-th elements, from their first or their last on, to a set. */
	template <way direction> __device__ __forceinline__ void fetch(int set, int step) const
	{
		const input *in = static_cast<const input *>(arguments.in) + first;
		const int count = leaders_with(step), mover = mover_of();
		if (mover < 0)
			return;
		if constexpr (same_type<input, T>::value && !user_facts::has_load) {
			constexpr int widest = unit_of<int(sizeof(T)) | slots::stride>();
			if (widest > int(alignof(T)) && address_of(in) % widest == 0)
				fetch_units<widest, direction>(in, set, count, step, mover);
			else
				fetch_units<unit_of<int(alignof(T))>(), direction>(in, set, count, step, mover);
		} else {
#pragma unroll 1
			for (int l = mover; l < count; l += slots::movers) {
				const u32 i = element<direction>(l, step);
				new (place_of(), place.at(set, l)) T(load_element<P>(in[i], first + i));
			}
		}
	}

	/* The results of a step, from a set. */
	__device__ __forceinline__ void emit(int set, int step) const
	{
		output *out = static_cast<output *>(arguments.out) + first + step;
		const int count = leaders_with(step), mover = mover_of();
		if (mover < 0)
			return;
		if constexpr (same_type<output, T>::value && !user_facts::has_store) {
			constexpr int widest = unit_of<int(sizeof(T)) | slots::stride | (P::items * int(sizeof(T)))>();
			if (widest > int(alignof(T)) && address_of(out) % widest == 0)
				emit_units<widest>(out, set, count, mover);
			else
				emit_units<unit_of<int(alignof(T))>()>(out, set, count, mover);
		} else {
#pragma unroll 1
			for (int l = mover; l < count; l += slots::movers)
				new (place_of(), out + l * P::items) output(store_element<P>(*place.at(set, l)));
		}
	}

private:
	static __device__ __forceinline__ scan::place place_of() { return {}; }

	/* Leaders that have a step-th element. */
	__device__ __forceinline__ int leaders_with(int step) const
	{
		const int count = (live - step + P::items - 1) / P::items;
		return step >= live ? 0 : count < slots::leaders ? count : int(slots::leaders);
	}

	/* The number of this thread among those that move, or less than 0; a single warp does everything. */
	static __device__ __forceinline__ int mover_of() { return int(threadIdx.x) - (P::block - slots::movers); }

	/* A leader's step-th element in the tile. */
	template <way direction> __device__ __forceinline__ u32 element(int leader, int step) const
	{
		const int begin = leader * P::items;
		return direction == way::forward ? begin + step : min(begin + P::items, live) - 1 - step;
	}

	template <int unit, way direction>
	__device__ __forceinline__ void fetch_units(const input *in, int set, int count, int step, int mover) const
	{
		constexpr int parts = int(sizeof(T)) / unit;
#pragma unroll 4
		for (int i = mover; i < count * parts; i += slots::movers) {
			const int l = i / parts, part = i % parts;
			large_copy<unit>(reinterpret_cast<chunk<unit> *>(place.at(set, l)) + part,
				reinterpret_cast<const chunk<unit> *>(in + element<direction>(l, step)) + part);
		}
	}

	template <int unit>
	__device__ __forceinline__ void emit_units(output *out, int set, int count, int mover) const
	{
		constexpr int parts = int(sizeof(T)) / unit;
#pragma unroll 4
		for (int i = mover; i < count * parts; i += slots::movers) {
			const int l = i / parts, part = i % parts;
			const chunk<unit> c = reinterpret_cast<const chunk<unit> *>(place.at(set, l))[part];
			store_stream(reinterpret_cast<chunk<unit> *>(out + u64(l) * P::items) + part, c);
		}
	}
};

} // namespace scan

#endif
