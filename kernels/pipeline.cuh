/* SPDX-License-Identifier: MIT
 *
 * Barriers between the warps of one CTA, and the asynchronous copy of tiles into shared memory, on every
 * architecture: mbarriers and bulk copies from sm_90, mbarriers and cp.async from sm_80, a counter in shared memory
 * and plain copies before.
 *
 * A phase barrier counts arrivals; each time `expected` have come, a phase ends and the next begins.  wait(parity)
 * returns once the phase of that parity (0 for the first) has ended.  A waiter may lag behind by one phase at most.
 * A whole warp arrives `warp_arrivals` times.
 */
#ifndef SCAN_PIPELINE_CUH
#define SCAN_PIPELINE_CUH

#include "memory.cuh"

namespace scan {

#if __CUDA_ARCH__ >= 800

struct phase_barrier {
	/* Each lane's arrival orders its own accesses: one lane's, after __syncwarp(), would do, but where lanes are
	 * known to be converged that leaves no instruction for a race checker to see, and it is no faster. */
	enum : u32 { warp_arrivals = warp_size };

	u64 word;

	/* One thread, before the block barrier that precedes all use. */
	__device__ __forceinline__ void init(u32 expected)
	{
		asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::
			"r"(shared_address(&word)), "r"(expected) : "memory");
	}

	/* Releases what this thread wrote to those who wait. */
	__device__ __forceinline__ void arrive()
	{
		asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::
			"r"(shared_address(&word)) : "memory");
	}

	/* All lanes of a warp: what any of them has read may then be overwritten. */
	__device__ __forceinline__ void arrive_warp(int) { arrive(); }

	__device__ __forceinline__ void wait(u32 parity, u32)
	{
		while (!has_ended(parity))
			;
	}

private:
	__device__ __forceinline__ bool has_ended(u32 parity)
	{
		u32 ended;
#if __CUDA_ARCH__ >= 900 /* try_wait suspends the thread for a while instead of spinning */
		asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
			: "=r"(ended) : "r"(shared_address(&word)), "r"(parity) : "memory");
#else /* test_wait by parity came later than sm_80's first PTX; it is there in every PTX that NVRTC 11.2 on writes */
		asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
			: "=r"(ended) : "r"(shared_address(&word)), "r"(parity) : "memory");
#endif
		return ended;
	}
};

#else

struct phase_barrier {
	enum : u32 { warp_arrivals = 1 };

	u32 arrived;

	__device__ __forceinline__ void init(u32) { arrived = 0; }

	__device__ __forceinline__ void arrive()
	{
		__threadfence_block(); /* release: what this thread wrote comes before its arrival */
		atomicAdd(&arrived, 1u);
	}

	__device__ __forceinline__ void arrive_warp(int lane)
	{
		__syncwarp();
		if (lane == 0)
			arrive();
	}

	__device__ __forceinline__ void wait(u32 parity, u32 expected)
	{
		while ((*static_cast<volatile u32 *>(&arrived) / expected & 1) == parity)
			;
		__threadfence_block(); /* acquire: what is read next was written before the arrivals seen */
	}
};

#endif

/* Whether bulk copies exist; else a warp moves vectors. */
__device__ constexpr bool has_bulk_copies()
{
#if __CUDA_ARCH__ >= 900
	return true;
#else
	return false;
#endif
}

/* Makes initialised barriers visible to the asynchronous copies; then the block barrier makes them so to the block. */
__device__ __forceinline__ void fence_barrier_init()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/* Orders this thread's own writes to shared memory before asynchronous copies to the same place that it, or who meets
 * it at a barrier, starts later. */
__device__ __forceinline__ void fence_before_copies()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/* How many arrivals end a phase of a barrier that start_copy() feeds. */
#if __CUDA_ARCH__ >= 900
enum : u32 { copy_arrivals = 1 };
#elif __CUDA_ARCH__ >= 800
enum : u32 { copy_arrivals = warp_size + 1 };
#else
enum : u32 { copy_arrivals = warp_size };
#endif

/* From sm_90 on.  The one arrival, which tells the barrier how many bytes are to come; before the copies that bring
 * them.  One thread. */
__device__ __forceinline__ void expect_copies(phase_barrier *barrier, u32 bytes)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(
			     shared_address(&barrier->word)),
		"r"(bytes)
		: "memory");
#endif
}

/* Copies `bytes`, a multiple of 16 and not 0, that the barrier expects; from sm_90 on.  One thread.  gives_way: L2 is
 * to give up these lines before others. */
__device__ __forceinline__ void start_expected_copy(
	void *to, const void *from, u32 bytes, phase_barrier *barrier, bool gives_way)
{
#if __CUDA_ARCH__ >= 900
	const u32 word = shared_address(barrier);
	if (gives_way) {
		u64 evict_first;
		asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(evict_first));
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
			     "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
			"l"(from), "r"(bytes), "r"(word), "l"(evict_first)
			: "memory");
	} else {
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
			"l"(from), "r"(bytes), "r"(word)
			: "memory");
	}
#endif
}

/* Before sm_90: a warp's copy of `bytes`, a multiple of 16, both sides 16-byte aligned, without an arrival. */
__device__ __forceinline__ void copy_by_warp(void *to, const void *from, u32 bytes, int lane)
{
#if __CUDA_ARCH__ >= 800
	for (u32 i = lane * 16; i < bytes; i += warp_size * 16)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to) + i),
			"l"(static_cast<const char *>(from) + i) : "memory");
#else
	constexpr int batch = 8; /* vectors in flight a lane */
	for (u32 i = lane * 16; i < bytes; i += warp_size * 16 * batch) {
		uint4 vector[batch];
#pragma unroll
		for (int b = 0; b < batch; b++)
			if (i + b * warp_size * 16 < bytes)
				vector[b] = *reinterpret_cast<const uint4 *>(
					static_cast<const char *>(from) + i + b * warp_size * 16);
#pragma unroll
		for (int b = 0; b < batch; b++)
			if (i + b * warp_size * 16 < bytes)
				*reinterpret_cast<uint4 *>(
					static_cast<char *>(to) + i + b * warp_size * 16) = vector[b];
	}
#endif
}

/* And the arrivals for all that the warp has copied so. */
__device__ __forceinline__ void arrive_after_copies(phase_barrier *barrier, int lane)
{
#if __CUDA_ARCH__ >= 800
	asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
	if (lane == 0) /* the copies' arrivals release nothing else that lane 0 wrote */
		barrier->arrive();
#else
	barrier->arrive();
#endif
}

/* Copies `bytes` (a multiple of 16, perhaps 0) from global to shared memory, both 16-byte aligned, and ends the
 * barrier's phase when they have arrived.  Called by a full, converged warp; what its lane 0 wrote before the call is
 * visible to whoever waits for the phase. */
__device__ __forceinline__ void start_copy(
	void *to, const void *from, u32 bytes, phase_barrier *barrier, bool gives_way, int lane)
{
	if constexpr (!has_bulk_copies()) {
		copy_by_warp(to, from, bytes, lane);
		arrive_after_copies(barrier, lane);
	} else if (lane == 0) {
		if (bytes == 0) {
			barrier->arrive();
			return;
		}
		expect_copies(barrier, bytes);
		start_expected_copy(to, from, bytes, barrier, gives_way);
	}
}

/* Starts a copy from shared to global memory, both and `bytes` multiples of 16, as a bulk group of this thread. */
__device__ __forceinline__ void start_bulk_store(void *to, const void *from, u32 bytes)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
		"r"(shared_address(from)), "r"(bytes)
		: "memory");
	asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/* Until this thread's bulk stores have read their sources, which may then be overwritten. */
__device__ __forceinline__ void wait_for_bulk_reads()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}

/* Until this thread's bulk stores are complete. */
__device__ __forceinline__ void wait_for_bulk_stores()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
}

} // namespace scan

#endif
