/* SPDX-License-Identifier: MIT
 *
 * Faults of memory: bounds, alignment, what was never written or is freed, constants.
 */
#include "tests/emu/faults.h"

#define ILLEGAL CUDA_ERROR_ILLEGAL_ADDRESS
#define FAILED CUDA_ERROR_LAUNCH_FAILED

static const struct fault faults[] = {
	{ "a read beyond an array", NULL, "out[threadIdx.x] = in[threadIdx.x + 2000 * FAULT];",
		1, 32, 0, ILLEGAL, "out-of-bounds global read", false },
	{ "a read just behind an array", NULL, "out[threadIdx.x] = in[992 + FAULT + threadIdx.x];", 1, 32, 0, ILLEGAL,
		"lies 0 bytes behind an allocation of 4096 bytes", false },
	{ "a write before an array", NULL, "out[int(threadIdx.x) - FAULT] = 1;", 1, 32, 0, ILLEGAL,
		"out-of-bounds global write", false },
	{ "a misaligned read", NULL,
		"out[0] = *reinterpret_cast<const unsigned *>(reinterpret_cast<const char *>(in) + 2 * "
		"FAULT);", 1, 1, 0,
		CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned read of 4 bytes", false },
	{ "a misaligned vector", NULL,
		"*reinterpret_cast<uint4 *>(out + 2 * FAULT) = make_uint4(1, 2, 3, 4);", 1, 1, 0,
		CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned write of 16 bytes", false },
	{ "a use after free", NULL, "out[threadIdx.x] = (FAULT ? freed : in)[threadIdx.x];", 1, 32, 0, ILLEGAL,
		"use after free", false },
	{ "a null pointer", NULL, "unsigned *p = reinterpret_cast<unsigned *>(FAULT ? in[0] : (unsigned long "
		"long)out); *p = 1;", 1, 1, 0, ILLEGAL,
		"out-of-bounds global write", false },
	{ "a misaligned atomic operation", NULL,
		"atomicAdd(reinterpret_cast<unsigned *>(reinterpret_cast<char *>(out) + FAULT), 1u);", 1, 1, 0,
		CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned atomic operation", false },
	{ "a read of shared memory that nobody wrote", NULL,
		"__shared__ unsigned s[64]; if (threadIdx.x < 64 - FAULT) s[threadIdx.x] = 1; __syncthreads();"
		"out[threadIdx.x] = s[63 - threadIdx.x];", 1, 64, 0, FAILED, "of shared memory that nobody "
		"has written", false },
	{ "a read beyond shared memory", NULL,
		"__shared__ unsigned s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads();"
		"out[threadIdx.x] = s[threadIdx.x + in[FAULT]];", 1, 64, 0, ILLEGAL, "out-of-bounds shared "
		"read", false },
	{ "a write beyond dynamic shared memory", "extern __shared__ unsigned d[];",
		"d[threadIdx.x + FAULT] = 1; __syncwarp(); out[threadIdx.x] = d[1];", 1, 32, 128, ILLEGAL,
		"out-of-bounds shared write", false },
	{ "a read of a local array that nobody wrote", NULL,
		"unsigned l[16]; for (unsigned i = 0; i < in[16 - FAULT]; i++) l[i * in[1]] = i;"
		"unsigned sum = 0; for (unsigned i = 0; i < 16; i++) sum += l[i * in[1]]; out[0] = sum;", 1,
		1, 0, FAILED,
		"of local memory that nobody has written", false },
	{ "a branch on a local array that nobody wrote", NULL,
		"unsigned l[16]; for (unsigned i = 0; i < 8; i++) l[i * in[1]] = i;"
		"if (l[in[3 + 8 * FAULT]] != 77) out[0] = 1;", 1, 1, 0, FAILED,
		"a branch on a value of local memory that nobody has written", false },
	{ "an address from a local array that nobody wrote", NULL,
		"unsigned l[16]; for (unsigned i = 0; i < 8; i++) l[i * in[1]] = i;"
		"out[l[in[3 + 8 * FAULT]] % 8] = 1;", 1, 1, 0, FAILED,
		"an address from a value of local memory that nobody has written", false },
	/* All lanes copy what half of them have not written; only whoever keeps such a copy is at fault. */
	{ "a shuffle from where nobody wrote", NULL,
		"unsigned l[16]; for (unsigned i = 0; i < 8; i++) l[i * in[1]] = i;"
		"unsigned v = l[in[threadIdx.x % 16]];"
		"out[threadIdx.x] = __shfl_sync(~0u, v, threadIdx.x % 8 + 8 * FAULT);", 1, 32, 0, FAILED,
		"a store to global memory of a value of local memory that nobody has written", false },
	{ "a selection of what nobody wrote", NULL,
		"unsigned l[16]; for (unsigned i = 0; i < 8; i++) l[i * in[1]] = i;"
		"unsigned v = l[in[9]], w = in[2], d;"
		"asm volatile(\"{ .reg .pred p; setp.ne.u32 p, %3, 0; selp.u32 %0, %1, %2, p; }\""
		" : \"=r\"(d) : \"r\"(w), \"r\"(v), \"r\"(in[1 - FAULT])); out[0] = d;", 1, 1, 0, FAILED,
		"a store to global memory of a value of local memory", false },
	{ "a copy in shared memory of what nobody wrote", NULL,
		"__shared__ unsigned s[32]; unsigned l[16]; for (unsigned i = 0; i < 8; i++) l[i * in[1]] = i;"
		"s[threadIdx.x] = l[in[threadIdx.x % 16]]; __syncthreads();"
		"out[threadIdx.x] = s[threadIdx.x % 8 + 8 * FAULT];", 1, 32, 0, FAILED,
		"of shared memory that nobody has written", false },
	{ "a copy in local memory of what nobody wrote", NULL,
		"unsigned l[16], m[16]; for (unsigned i = 0; i < 8; i++) l[i * in[1]] = i;"
		"for (unsigned i = 0; i < 16; i++) m[i * in[1]] = l[in[i]]; out[0] = m[in[3 + 8 * FAULT]];", 1, 1, 0,
		FAILED, "a store to global memory of a value of local memory", false },
	{ "a call by value of what nobody wrote", "struct two { unsigned a, b; };"
		"__device__ __noinline__ two swap(two x) { return two{x.b, x.a}; }",
		"unsigned l[16]; for (unsigned i = 0; i < 8; i++) l[i * in[1]] = i;"
		"two r = swap(two{l[in[9]], l[in[3]]}); out[0] = FAULT ? r.b : r.a;", 1, 1, 0,
		FAILED, "a store to global memory of a value of local memory", false },
	{ "a write beyond a local array", NULL,
		"unsigned l[4]; for (unsigned i = 0; i < 4; i++) l[i * in[1]] = i; l[in[3] + 4096 * FAULT] = 7;"
		"out[0] = l[in[2]];", 1, 1, 0, ILLEGAL, "out-of-bounds local write", false },
	{ "a write of a constant", "__constant__ unsigned c[4] = { 1, 2, 3, 4 };",
		"unsigned *p; asm volatile(\"mov.u64 %0, %1;\" : \"=l\"(p) : \"l\"(c)); if (FAULT) p[in[1]] = "
		"1; out[0] = p[in[1]];", 1, 1, 0, ILLEGAL,
		"constant memory", false },
	{ "a read beyond a constant", "__constant__ unsigned c[4] = { 1, 2, 3, 4 };", "out[0] = c[in[3 + "
		"FAULT]];", 1, 1, 0,
		ILLEGAL, "out-of-bounds global read", false },
	{ "a write of what is read as constant", NULL,
		"out[512 + threadIdx.x] = 1; unsigned v = __ldg(out + threadIdx.x); __syncthreads();"
		"out[threadIdx.x + 32 * (1 - FAULT)] = v;", 1, 32, 0, FAILED, "read as constant "
		"(ld.global.nc)", false },
	{ "a trap", NULL, "if (FAULT) __trap(); out[0] = 1;", 1, 1, 0, FAILED, "trap", false },
	{ "a failed assertion", NULL,
		"if (in[FAULT] != 0) __assertfail(\"in[FAULT] == 0\", \"test.cu\", 1, \"faulty\", 1); out[0] "
		"= 1;", 1, 1, 0,
		CUDA_ERROR_ASSERT, "assertion 'in[FAULT] == 0' failed", false },
	{ "endless recursion", "__device__ __noinline__ unsigned dive(const unsigned *in, unsigned n)"
		"{ volatile unsigned room[8]; room[n % 8] = n; return n == (FAULT ? ~in[0] : in[5]) ? room[n "
		"% 8] : dive(in, n + 1) + n; }",
		"out[0] = dive(in, 0);", 1, 1, 0, CUDA_ERROR_HARDWARE_STACK_ERROR, "call stack overflows", false },
	{ "a call of something that is no function", "__device__ unsigned twice(unsigned x) { return 2 * x; }"
		"__device__ unsigned thrice(unsigned x) { return 3 * x; }",
		"unsigned (*f[3])(unsigned) = { twice, thrice, nullptr }; out[0] = f[in[1 + FAULT]](5);", 1, 1, 0,
		CUDA_ERROR_INVALID_PC, "call of something that is no function", false },
	{ NULL, NULL, NULL, 0, 0, 0, CUDA_SUCCESS, NULL, false },
};

int main(void)
{
	tap_plan(0);
	faults_test(faults, 90);
	return tap_done();
}
