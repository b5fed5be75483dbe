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

/* The widest accesses that `bytes` bytes divide into, and that an address aligned to them all allows. */
template <int bytes> __device__ constexpr int unit_of()
{
	return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

/* Copies `count` elements that begin at p, which is aligned to their unit, into registers. */
template <access how, class T, int count> __device__ __forceinline__ void load_vector(T (&items)[count], const T *p)
{
	constexpr int bytes = count * int(sizeof(T)), unit = unit_of<bytes>();
	const char *from = reinterpret_cast<const char *>(p);
	chunk<unit> c[bytes / unit];
#pragma unroll
	for (int i = 0; i < bytes / unit; i++) {
		if constexpr (how == access::stream)
			load_stream(c[i], from + i * unit);
		else
			c[i] = *reinterpret_cast<const chunk<unit> *>(from + i * unit);
	}
	memcpy(items, c, sizeof c);
}

template <access how, class T, int count> __device__ __forceinline__ void store_vector(T *p, const T (&items)[count])
{
	constexpr int bytes = count * int(sizeof(T)), unit = unit_of<bytes>();
	char *to = reinterpret_cast<char *>(p);
	chunk<unit> c[bytes / unit];
	memcpy(c, items, sizeof c);
#pragma unroll
	for (int i = 0; i < bytes / unit; i++) {
		if constexpr (how != access::plain)
			store_stream(to + i * unit, c[i]);
		else
			*reinterpret_cast<chunk<unit> *>(to + i * unit) = c[i];
	}
}

/* Whether less than a whole vector of such elements can be moved by load_part() and store_part(). */
template <class T, int count> __device__ constexpr bool has_parts()
{
	return count * sizeof(T) <= 16 && 16 % sizeof(T) == 0;
}

/* Words by an index known at run time only, without the local memory that indexing them would take. */
template <int words> __device__ __forceinline__ void insert(u32 (&word)[words], int index, u32 value)
{
#pragma unroll
	for (int i = 0; i < words; i++)
		word[i] = i == index ? value : word[i];
}

template <int words> __device__ __forceinline__ u32 extract(const u32 (&word)[words], int index)
{
	u32 value = 0;
#pragma unroll
	for (int i = 0; i < words; i++)
		value = i == index ? word[i] : value;
	return value;
}

/* The first `given` of a vector's elements, 0 < given < count, from or to where the whole vector would be aligned: one
 * access for each power of two in the number of bytes.  The other elements come out as zeros, or stay as they are. */
template <class T, int count> __device__ __forceinline__ void load_part(T (&items)[count], const T *p, int given)
{
	constexpr int words = (count * int(sizeof(T)) + 3) / 4;
	const char *from = reinterpret_cast<const char *>(p);
	const int bytes = given * int(sizeof(T));
	u32 word[words] = {};
	u32 rest = 0;
	if constexpr (words > 2)
		if (bytes & 8)
			memcpy(word, __builtin_assume_aligned(from, 8), 8);
	if constexpr (words > 1 && sizeof(T) < 8) {
		if (bytes & 4)
			rest = *reinterpret_cast<const u32 *>(from + (bytes & 8));
		insert(word, (bytes & 8) / 4, rest);
	}
	if constexpr (sizeof(T) < 4) {
		rest = 0;
		if (bytes & 2)
			rest = *reinterpret_cast<const u16 *>(from + (bytes & 12));
		if (sizeof(T) == 1 && bytes & 1)
			rest |= u32(*reinterpret_cast<const u8 *>(from + (bytes & 14))) << 8 * (bytes & 2);
		insert(word, bytes / 4, rest);
	}
	if constexpr (sizeof(T) >= 4) {
#pragma unroll
		for (int i = 0; i < count; i++)
			memcpy(&items[i], word + i * (sizeof(T) / 4), sizeof(T));
	} else {
		memcpy(items, word, sizeof items);
	}
}

template <class T, int count> __device__ __forceinline__ void store_part(T *p, const T (&items)[count], int given)
{
	constexpr int words = (count * int(sizeof(T)) + 3) / 4;
	char *to = reinterpret_cast<char *>(p);
	const int bytes = given * int(sizeof(T));
	u32 word[words] = {};
	memcpy(word, items, sizeof items);
	if constexpr (words > 2)
		if (bytes & 8)
			memcpy(__builtin_assume_aligned(to, 8), word, 8);
	if constexpr (words > 1 && sizeof(T) < 8)
		if (bytes & 4)
			*reinterpret_cast<u32 *>(to + (bytes & 8)) = extract(word, (bytes & 8) / 4);
	if constexpr (sizeof(T) < 4) {
		const u32 rest = extract(word, bytes / 4);
		if (bytes & 2)
			*reinterpret_cast<u16 *>(to + (bytes & 12)) = u16(rest);
		if (sizeof(T) == 1 && bytes & 1)
			*reinterpret_cast<u8 *>(to + (bytes & 14)) = u8(rest >> 8 * (bytes & 2));
	}
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
