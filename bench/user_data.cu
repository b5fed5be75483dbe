/* SPDX-License-Identifier: MIT
 *
 * Inputs and checks of the table's section `user`, for operators that are no sums: data.cu has those.  Compiled at run
 * time with BENCH_KIND.
 *
 * Maps and tables are made backwards, as data.cu's floats are: the prefix is a random map that has an inverse, and the
 * input is what leads from one prefix to the next.  Slopes are 1 or -1 and offsets small integers, so that nothing
 * rounds; tables are the permutations i -> a i + b of 16 states with an odd a.
 */
typedef unsigned char u8;
typedef long long i64;
typedef unsigned u32;
typedef unsigned long long u64;

static __device__ u64 hash(u64 i, u64 seed)
{
	u64 z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

#if BENCH_KIND == 1 /* affine maps of floats */

struct element {
	float slope, offset;
};

/* The combination of the first n elements. */
static __device__ element prefix(u64 n, u64 seed)
{
	const u64 random = hash(n, seed);
	if (n == 0)
		return { 1, 0 };
	return { random >> 63 ? -1.0f : 1.0f, (float)((int)(random % 16385) - 8192) };
}

static __device__ element input_at(u64 i, u64 seed)
{
	const element before = prefix(i, seed), after = prefix(i + 1, seed);
	const float slope = after.slope * before.slope;
	return { slope, after.offset - slope * before.offset };
}

static __device__ bool is_right(const element *out, u64 i, u64 seed)
{
	const element wanted = prefix(i + 1, seed);
	return out[i].slope == wanted.slope && out[i].offset == wanted.offset;
}

#elif BENCH_KIND == 2 /* tables of 16 states */

struct __align__(16) element {
	u8 to[16];
};

static __device__ u32 slope_of(u64 n, u64 seed)
{
	return n == 0 ? 1 : 2 * (u32)(hash(n, seed) >> 8 & 7) + 1;
}

static __device__ u32 offset_of(u64 n, u64 seed)
{
	return n == 0 ? 0 : (u32)hash(n, seed) & 15;
}

static __device__ element permutation(u32 slope, u32 offset)
{
	element made;
	for (u32 i = 0; i < 16; i++)
		made.to[i] = (u8)((slope * i + offset) & 15);
	return made;
}

/* An odd number is its own inverse modulo 8, and its cube the inverse modulo 16. */
static __device__ element input_at(u64 i, u64 seed)
{
	const u32 before = slope_of(i, seed), slope = slope_of(i + 1, seed) * before * before * before;
	return permutation(slope, offset_of(i + 1, seed) - slope * offset_of(i, seed));
}

static __device__ bool is_right(const element *out, u64 i, u64 seed)
{
	const element wanted = permutation(slope_of(i + 1, seed), offset_of(i + 1, seed));
	bool is_same = true;
	for (int k = 0; k < 16; k++)
		is_same = is_same && out[i].to[k] == wanted.to[k];
	return is_same;
}

#else /* bytes that are such tables, and the states that they lead to from state 0 */

typedef u8 element;

static __device__ element input_at(u64 i, u64 seed)
{
	return (u8)hash(i, seed);
}

static __device__ bool is_right(const element *out, u64 i, u64 seed)
{
	const u32 c = input_at(i, seed), before = i > 0 ? out[i - 1] : 0;
	return out[i] == (((2 * (c & 7) + 1) * before + (c >> 3)) & 15);
}

#endif

extern "C" __global__ void bench_fill(element *in, u64 count, int, u64 seed)
{
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += step)
		in[i] = input_at(i, seed);
}

/* As in data.cu: wrong[0] is how many, wrong[1] the least index among them. */
extern "C" __global__ void bench_check(u64 *wrong, const element *out, u64 count, int, int, u64 seed)
{
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < count; i += step) {
		if (is_right(out, i, seed))
			continue;
		atomicAdd(&wrong[0], 1ull);
		atomicMin(&wrong[1], i);
	}
}

extern "C" __global__ void bench_empty()
{
}
