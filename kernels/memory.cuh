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

/* Accesses that happen only where `wanted` is not 0, without a branch.  Volatile, as above. */
template <access how> __device__ __forceinline__ void load_if(u32 (&word)[4], const void *p, u32 wanted)
{
	if constexpr (how == access::stream)
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4]; }"
			: "+r"(word[0]), "+r"(word[1]), "+r"(word[2]), "+r"(word[3]) : "l"(p), "r"(wanted));
	else
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4]; }"
			: "+r"(word[0]), "+r"(word[1]), "+r"(word[2]), "+r"(word[3]) : "l"(p), "r"(wanted));
}
__device__ __forceinline__ void load_if(u32 &first, u32 &second, const void *p, u32 wanted)
{
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p ld.global.v2.u32 {%0, %1}, [%2]; }"
		: "+r"(first), "+r"(second) : "l"(p), "r"(wanted));
}
__device__ __forceinline__ void load_if(u32 &word, const void *p, u32 wanted)
{
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.u32 %0, [%1]; }"
		: "+r"(word) : "l"(p), "r"(wanted));
}
__device__ __forceinline__ void load_if(u16 &half, const void *p, u32 wanted)
{
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.u16 %0, [%1]; }"
		: "+h"(half) : "l"(p), "r"(wanted));
}
/* In the low bits of `half`. */
__device__ __forceinline__ void load_byte_if(u16 &half, const void *p, u32 wanted)
{
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p ld.global.u8 %0, [%1]; }"
		: "+h"(half) : "l"(p), "r"(wanted));
}

template <access how> __device__ __forceinline__ void store_if(void *p, const u32 (&word)[4], u32 wanted)
{
	if constexpr (how != access::plain)
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p st.global.cs.v4.u32 [%0], {%1, %2, %3, %4}; }" ::
			"l"(p), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3]), "r"(wanted) : "memory");
	else
		asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0; @p st.global.v4.u32 [%0], {%1, %2, %3, %4}; }" ::
			"l"(p), "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3]), "r"(wanted) : "memory");
}
__device__ __forceinline__ void store_if(void *p, u32 first, u32 second, u32 wanted)
{
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %3, 0; @p st.global.v2.u32 [%0], {%1, %2}; }" ::"l"(p),
		"r"(first), "r"(second), "r"(wanted) : "memory");
}
__device__ __forceinline__ void store_if(void *p, u32 word, u32 wanted)
{
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u32 [%0], %1; }" ::"l"(p), "r"(word),
		"r"(wanted) : "memory");
}
__device__ __forceinline__ void store_if(void *p, u16 half, u32 wanted)
{
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u16 [%0], %1; }" ::"l"(p), "h"(half),
		"r"(wanted) : "memory");
}
__device__ __forceinline__ void store_byte_if(void *p, u16 half, u32 wanted)
{
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.u8 [%0], %1; }" ::"l"(p), "h"(half),
		"r"(wanted) : "memory");
}

/* Whether a vector lies in the 16 bytes in which any of its elements lies. */
template <class T, int count> __device__ constexpr bool has_parts()
{
	return count * sizeof(T) <= 16 && 16 % sizeof(T) == 0;
}

/* Whether vector_part knows such vectors. */
template <class T, int count> __device__ constexpr bool can_part()
{
	return has_parts<T, count>() && 16 % (count * sizeof(T)) == 0;
}

/* The accesses to the first `bytes` bytes of a vector of fewer than 16: one for each power of two, all in flight
 * together and none in a branch, which the lanes that have no such vector would wait for.  T, the elements' type, says
 * which of the four can occur.  No bytes: nothing happens. */
template <class T, int count> struct vector_part {
	enum : int { size = count * int(sizeof(T)) };

	int bytes;

	/* Adds them to words that are zero where they are loaded.  A register of its own for each access: one would
	 * otherwise wait for the other that fills the same. */
	__device__ __forceinline__ void load(u32 (&word)[4], const char *from) const
	{
		u32 pair[2] = {}, single = 0;
		u16 half = 0, byte = 0;
		if constexpr (size > 8)
			load_if(pair[0], pair[1], from, bytes & 8);
		if constexpr (size > 4 && sizeof(T) <= 4)
			load_if(single, from + (bytes & 8), bytes & 4);
		if constexpr (size > 2 && sizeof(T) <= 2)
			load_if(half, from + (bytes & 12), bytes & 2);
		if constexpr (sizeof(T) == 1)
			load_byte_if(byte, from + (bytes & 14), bytes & 1);
		const u32 rest = u32(half) | u32(byte) << 8 * (bytes & 2);
#pragma unroll
		for (int i = 0; i < 4; i++)
			word[i] |= (i < 2 ? pair[i % 2] : 0) | (i == (bytes & 8) / 4 ? single : 0) |
				(i == bytes / 4 ? rest : 0);
	}

	__device__ __forceinline__ void store(char *to, const u32 (&word)[4]) const
	{
		const u32 single = bytes & 8 ? word[2] : word[0], behind = bytes & 8 ? word[3] : word[1];
		const u32 rest = bytes & 4 ? behind : single;
		if constexpr (size > 8)
			store_if(to, word[0], word[1], bytes & 8);
		if constexpr (size > 4 && sizeof(T) <= 4)
			store_if(to + (bytes & 8), single, bytes & 4);
		if constexpr (size > 2 && sizeof(T) <= 2)
			store_if(to + (bytes & 12), u16(rest), bytes & 2);
		if constexpr (sizeof(T) == 1)
			store_byte_if(to + (bytes & 14), u16(rest >> 8 * (bytes & 2)), bytes & 1);
	}
};

/* A vector of at most 16 bytes as words, and back; what the vector does not fill is zero. */
template <class T, int count> __device__ __forceinline__ void to_words(u32 (&word)[4], const T (&items)[count])
{
	memset(word, 0, sizeof word);
	memcpy(word, items, sizeof items);
}
template <class T, int count> __device__ __forceinline__ void from_words(T (&items)[count], const u32 (&word)[4])
{
	if constexpr (sizeof(T) >= 4) {
#pragma unroll
		for (int i = 0; i < count; i++)
			memcpy(&items[i], word + i * (sizeof(T) / 4), sizeof(T));
	} else {
		memcpy(items, word, sizeof items);
	}
}

/* A vector as words, where it is wanted, and else nothing. */
template <access how, class T, int count>
__device__ __forceinline__ void load_words_if(u32 (&word)[4], const T *p, bool is_wanted)
{
	T whole[count];
	if constexpr (count * sizeof(T) == 16) {
		load_if<how>(word, p, is_wanted);
	} else if (is_wanted) {
		load_vector<how>(whole, p);
		memcpy(word, whole, sizeof whole);
	}
}
template <access how, class T, int count>
__device__ __forceinline__ void store_words_if(T *p, const u32 (&word)[4], bool is_wanted)
{
	T whole[count];
	if constexpr (count * sizeof(T) == 16) {
		store_if<how>(p, word, is_wanted);
	} else if (is_wanted) {
		from_words(whole, word);
		store_vector<how>(p, whole);
	}
}

/* Launches that follow one another may overlap (programmatic dependent launch): the next may take its place on the
 * multiprocessors while this one ends, but touches the arrays only after its own wait for this one.  What it may do
 * before is to draw tickets, and to ask for its input to be brought into L2, where everybody's writes go.  So a block
 * that draws tickets allows the next launch once it has drawn its last (tile_state.cuh), and others at once. */
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

/* Asks for `bytes` (a multiple of 16, not 0) from a 16-byte aligned address to be brought into L2. */
__device__ __forceinline__ void prefetch_to_l2(const void *from, u32 bytes)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes));
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
