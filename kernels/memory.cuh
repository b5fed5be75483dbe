/* SPDX-License-Identifier: MIT
 *
 * Memory accesses with the width, cache policy or order that C++ cannot say.
 */
#ifndef SCAN_MEMORY_CUH
#define SCAN_MEMORY_CUH

#include "policy.cuh"

namespace scan {

__device__ __forceinline__ u64 address_of(const void *pointer)
{
	return reinterpret_cast<u64>(pointer);
}

/* The address within shared memory, as PTX's .shared operands want it. */
__device__ __forceinline__ u32 shared_address(const void *pointer)
{
	return u32(__cvta_generic_to_shared(pointer));
}

/* A vector as the hardware moves it: 1, 2, 4, 8 or 16 bytes. */
template <int bytes> struct chunk { static_assert(bytes == 0, "vector: not 1, 2, 4, 8 or 16 bytes"); };
template <> struct chunk<1> { u8 x; };
template <> struct chunk<2> { u16 x; };
template <> struct chunk<4> { u32 x; };
template <> struct chunk<8> { u32 x, y; };
template <> struct __align__(16) chunk<16> { u32 x, y, z, w; };

/* Streaming accesses (evict first): a scan touches each element once, so keeping it in L2 helps nobody.  Volatile
 * keeps them in program order, which matters in place.  8-bit values travel in 16-bit registers. */
__device__ __forceinline__ void load_stream(chunk<1> &c, const void *p)
{
	u16 x;
	asm volatile("ld.global.cs.u8 %0, [%1];" : "=h"(x) : "l"(p));
	c.x = u8(x);
}
__device__ __forceinline__ void load_stream(chunk<2> &c, const void *p)
{
	asm volatile("ld.global.cs.u16 %0, [%1];" : "=h"(c.x) : "l"(p));
}
__device__ __forceinline__ void load_stream(chunk<4> &c, const void *p)
{
	asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(c.x) : "l"(p));
}
__device__ __forceinline__ void load_stream(chunk<8> &c, const void *p)
{
	asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(c.x), "=r"(c.y) : "l"(p));
}
__device__ __forceinline__ void load_stream(chunk<16> &c, const void *p)
{
	asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
		: "=r"(c.x), "=r"(c.y), "=r"(c.z), "=r"(c.w) : "l"(p));
}

__device__ __forceinline__ void store_stream(void *p, chunk<1> c)
{
	asm volatile("st.global.cs.u8 [%0], %1;" ::"l"(p), "h"(u16(c.x)) : "memory");
}
__device__ __forceinline__ void store_stream(void *p, chunk<2> c)
{
	asm volatile("st.global.cs.u16 [%0], %1;" ::"l"(p), "h"(c.x) : "memory");
}
__device__ __forceinline__ void store_stream(void *p, chunk<4> c)
{
	asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(p), "r"(c.x) : "memory");
}
__device__ __forceinline__ void store_stream(void *p, chunk<8> c)
{
	asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(c.x), "r"(c.y) : "memory");
}
__device__ __forceinline__ void store_stream(void *p, chunk<16> c)
{
	asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(c.x), "r"(c.y), "r"(c.z), "r"(c.w)
		: "memory");
}

/* Copies `count` elements that begin at p, which is aligned to all of them together, into registers. */
template <access how, class T, int count> __device__ __forceinline__ void load_vector(T (&items)[count], const T *p)
{
	using C = chunk<count * int(sizeof(T))>;
	C c;
	if constexpr (how == access::stream)
		load_stream(c, p);
	else
		c = *reinterpret_cast<const C *>(p);
	memcpy(items, &c, sizeof c);
}

template <access how, class T, int count> __device__ __forceinline__ void store_vector(T *p, const T (&items)[count])
{
	using C = chunk<count * int(sizeof(T))>;
	C c;
	memcpy(&c, items, sizeof c);
	if constexpr (how == access::stream)
		store_stream(p, c);
	else
		*reinterpret_cast<C *>(p) = c;
}

/* Launches that follow one another may overlap (programmatic dependent launch): the next may take its place on the
 * multiprocessors while this one ends, but touches memory only after its own wait for this one. */
__device__ __forceinline__ void wait_for_previous_launch()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ __forceinline__ void allow_next_launch()
{
#if __CUDA_ARCH__ >= 900
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Words that CTAs exchange.  Relaxed is enough for them: each 64-bit word carries its value together with the tag
 * that validates it, so nothing else has to become visible with it.  gpu scope, since the reader is another CTA. */
__device__ __forceinline__ u64 load_relaxed(const u64 *p)
{
	u64 x;
	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
	return x;
}

/* Several words of one tile, two in an access where they pair up; each is still valid or not by itself. */
template <int count> __device__ __forceinline__ void load_relaxed(u64 (&words)[count], const u64 *p)
{
	if constexpr (count % 2 == 0) {
#pragma unroll
		for (int i = 0; i < count; i += 2)
			asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
				: "=l"(words[i]), "=l"(words[i + 1])
				: "l"(p + i)
				: "memory");
	} else {
#pragma unroll
		for (int i = 0; i < count; i++)
			words[i] = load_relaxed(p + i);
	}
}

__device__ __forceinline__ void store_relaxed(u64 *p, u64 x)
{
	asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}

} // namespace scan

#endif
