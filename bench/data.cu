/* SPDX-License-Identifier: MIT
 *
 * Inputs of bench/table, and the check of its outputs, on the device: four thousand million elements are looked at in
 * the time of a few copies.  Compiled at run time, as the kernels are, with BENCH_IN and BENCH_OUT for the types.
 *
 * Every check is exact.  Integers are random, and an output has to be its predecessor combined with the next input,
 * from the first element on: by induction, all of it is right.  Floats are made backwards: the prefix is a random
 * number of few enough bits, and the input is the step from one prefix to the next, so that no order of combination
 * rounds.  What is timed are floats whose every bit is random, since power, and so the clock, depends on them.
 */
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
struct f16 {
	u16 bits;
};
struct bf16 {
	u16 bits;
};
#ifdef BENCH_INT128
typedef __int128 i128;
typedef unsigned __int128 u128;
#endif

/* As enum scanrt_operator; RAW: inputs for timing, not for a check. */
enum { RAW = 0, SUM = 1, PROD, MIN, MAX, AND, OR, XOR };

/* ---- What is in an element ---- */

template <class T> struct element {
	static constexpr bool is_float = false;
};

/* `reach`: prefixes are integers up to it.  The sum of a thousand of the steps, adjacent or not, has to fit the
 * mantissa of what accumulates them: commutative operators may take a tile's elements in another order. */
template <> struct element<f16> {
	static constexpr bool is_float = true;
	static constexpr i64 reach = 1000;
	static __device__ f64 load(f16 x)
	{
		f32 y;
		asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
		return y;
	}
	static __device__ f16 make(f64 x)
	{
		f16 y;
		f32 narrow = (f32)x;
		asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(narrow));
		return y;
	}
};
template <> struct element<bf16> {
	static constexpr bool is_float = true;
	static constexpr i64 reach = 100;
	static __device__ f64 load(bf16 x)
	{
		return __int_as_float((int)((u32)x.bits << 16));
	}
	static __device__ bf16 make(f64 x) /* exact values only: the bits cut off are zeros */
	{
		return bf16{ (u16)((u32)__float_as_int((f32)x) >> 16) };
	}
};
template <> struct element<f32> {
	static constexpr bool is_float = true;
	static constexpr i64 reach = 1 << 13;
	static __device__ f64 load(f32 x)
	{
		return x;
	}
	static __device__ f32 make(f64 x)
	{
		return (f32)x;
	}
};
template <> struct element<f64> {
	static constexpr bool is_float = true;
	static constexpr i64 reach = 1ll << 41;
	static __device__ f64 load(f64 x)
	{
		return x;
	}
	static __device__ f64 make(f64 x)
	{
		return x;
	}
};

static __device__ u64 hash(u64 i, u64 seed)
{
	u64 z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* The prefix before element i of an array of floats. */
template <class T> static __device__ f64 prefix_at(u64 i, int op, u64 seed)
{
	if (i == 0)
		return op == PROD ? 1 : 0;
	const u64 random = hash(i - 1, seed);
	if (op == PROD)
		return (f64)(1 << random % 7) * 0.125;
	return (f64)((i64)(random % (u64)(2 * element<T>::reach + 1)) - element<T>::reach);
}

/* A bitwise and would be all zeros after a few elements: bit k only starts to vary at element 2^k. */
static __device__ u64 settled_bits(u64 i)
{
	const int varying = 64 - __clzll((i64)(i + 1));
	return varying > 63 ? 0 : ~0ull << varying;
}

/* Element i of the input. */
template <class T> static __device__ T input_at(u64 i, int op, u64 seed)
{
	if constexpr (element<T>::is_float) {
		if (op == RAW) { /* of either sign, from 1 to 2 */
			const i64 random = (i64)hash(i, seed);
			return element<T>::make((random < 0 ? -1.0 : 1.0) + (f64)(random >> 1) * 0x1p-62);
		}
		const f64 before = prefix_at<T>(i, op, seed), after = prefix_at<T>(i + 1, op, seed);
		return element<T>::make(op == PROD ? after / before : after - before);
	} else {
		u64 bits = hash(i, seed);
		if (op == PROD)
			bits |= 1;
		if (op == AND)
			bits |= settled_bits(i);
		if (op == OR)
			bits &= ~settled_bits(i);
		if constexpr (sizeof(T) == 16)
			return (T)bits << 64 | (T)hash(i, ~seed);
		return (T)bits;
	}
}

/* ---- What comes out ---- */

template <class T> static __device__ T combine(T a, T b, int op)
{
	switch (op) {
	case PROD: return (T)(a * b);
	case MIN: return b < a ? b : a;
	case MAX: return a < b ? b : a;
	case AND: return a & b;
	case OR: return a | b;
	case XOR: return a ^ b;
	default: return (T)(a + b);
	}
}

template <class T> static __device__ T identity(int op)
{
	const T ones = (T)~(T)0;
	const T highest = (T)-1 < (T)0 ? (T)~((T)1 << (sizeof(T) * 8 - 1)) : ones;
	switch (op) {
	case PROD: return 1;
	case MIN: return highest;
	case MAX: return (T)~highest;
	case AND: return ones;
	default: return 0;
	}
}

/* i: how many inputs have gone into `seen`; `before` is what stands one place earlier, where there is one. */
template <class In, class Out> static __device__ bool is_right_float(
	Out seen, const Out *before, u64 i, int op, u64 seed)
{
	const f64 value = element<Out>::load(seen);
	if (op == SUM || op == PROD)
		return value == prefix_at<In>(i, op, seed);
	if (i == 0)
		return op == MIN ? value > 1e300 || value == (f64)__int_as_float(0x7f800000)
				 : value < -1e300 || value == -(f64)__int_as_float(0x7f800000);
	const f64 last = element<In>::load(input_at<In>(i - 1, op, seed));
	if (i == 1)
		return value == last;
	const f64 earlier = element<Out>::load(*before);
	return value == (op == MIN ? fmin(earlier, last) : fmax(earlier, last));
}

template <class In, class Out> static __device__ bool is_right(Out seen, const Out *before, u64 i, int op, u64 seed)
{
	if constexpr (element<Out>::is_float)
		return is_right_float<In, Out>(seen, before, i, op, seed);
	else {
		if (i == 0)
			return seen == identity<Out>(op);
		const Out last = (Out)input_at<In>(i - 1, op, seed);
		return seen == (i == 1 ? last : combine<Out>(*before, last, op));
	}
}

/* ---- Kernels: grids of any size ---- */

/* An element of several parts, each summed for itself, is that many arrays, interleaved: a complex number, a structure
 * of doubles. */
static __device__ u64 seed_of_part(u64 e, u64 seed)
{
	return seed + e % BENCH_PARTS * 0xd1b54a32d192ed03ull;
}

extern "C" __global__ void bench_fill(BENCH_IN *in, u64 count, int op, u64 seed)
{
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 e = blockIdx.x * (u64)blockDim.x + threadIdx.x; e < count * BENCH_PARTS; e += step)
		in[e] = input_at<BENCH_IN>(e / BENCH_PARTS, op, seed_of_part(e, seed));
}

/* wrong[0]: how many; wrong[1]: the least index among them. */
extern "C" __global__ void bench_check(
	u64 *wrong, const BENCH_OUT *out, u64 count, int op, int is_exclusive, u64 seed)
{
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 e = blockIdx.x * (u64)blockDim.x + threadIdx.x; e < count * BENCH_PARTS; e += step) {
		const u64 i = e / BENCH_PARTS;
		if (is_right<BENCH_IN, BENCH_OUT>(
			    out[e], out + e - (i > 0 ? BENCH_PARTS : 0), i + !is_exclusive, op, seed_of_part(e, seed)))
			continue;
		atomicAdd(&wrong[0], 1ull);
		atomicMin(&wrong[1], i);
	}
}

extern "C" __global__ void bench_empty()
{
}
