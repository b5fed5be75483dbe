/* SPDX-License-Identifier: MIT
 *
 * Faults of order: races in shared memory and between CTAs, barriers, masks, copies that have not landed, waits that
 * nothing ends.
 */
#include "tests/emu/faults.h"

#define FAILED CUDA_ERROR_LAUNCH_FAILED
#define TIMEOUT CUDA_ERROR_LAUNCH_TIMEOUT

#define MBARRIER \
	"__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }\n" \
	"__device__ void begin(unsigned long long *b, unsigned n)" \
	"{ asm volatile(\"mbarrier.init.shared.b64 [%0], %1;\" :: \"r\"(at(b)), \"r\"(n) : \"memory\"); }\n" \
	"__device__ void tell() { asm volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\"); }\n" \
	"__device__ void init(unsigned long long *b, unsigned n) { begin(b, n); tell(); }\n" \
	"__device__ void arrive(unsigned long long *b)" \
	"{ asm volatile(\"mbarrier.arrive.shared.b64 _, [%0];\" :: \"r\"(at(b)) : \"memory\"); }\n" \
	"__device__ void expect(unsigned long long *b, unsigned n)" \
	"{ asm volatile(\"mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;\" :: \"r\"(at(b)), \"r\"(n) : " \
	"\"memory\"); }\n" \
	"__device__ void wait(unsigned long long *b, unsigned p)" \
	"{ asm volatile(\"{ .reg .pred q; L: mbarrier.try_wait.parity.shared.b64 q, [%0], %1; @!q bra L; }\"" \
	" :: \"r\"(at(b)), \"r\"(p) : \"memory\"); }\n" \
	"__device__ void load(void *d, const void *s, unsigned n, unsigned long long *b)" \
	"{ asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\"" \
	" :: \"r\"(at(d)), \"l\"(s), \"r\"(n), \"r\"(at(b)) : \"memory\"); }\n" \
	"__device__ void store(void *d, const void *s, unsigned n)" \
	"{ asm volatile(\"cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\"" \
	" :: \"l\"(d), \"r\"(at(s)), \"r\"(n) : \"memory\"); }\n"

static const struct fault shared[] = {
	{ "a barrier left out between write and read", NULL,
		"__shared__ unsigned s[64]; s[threadIdx.x] = in[threadIdx.x]; if (!FAULT) __syncthreads();"
		"out[threadIdx.x] = s[63 - threadIdx.x];", 1, 64, 0, FAILED, "", false },
	{ "a barrier left out between read and write", NULL,
		"__shared__ unsigned s[64]; s[threadIdx.x] = in[threadIdx.x]; __syncthreads();"
		"unsigned v = s[63 - threadIdx.x]; if (!FAULT) __syncthreads(); s[threadIdx.x] = v;"
		"__syncthreads(); out[threadIdx.x] = s[threadIdx.x];", 1, 64, 0, FAILED, "race in shared "
		"memory", false },
	{ "two unordered writes", NULL,
		"__shared__ unsigned s[64]; s[threadIdx.x] = 0; __syncthreads(); s[FAULT ? 5 : threadIdx.x] = "
		"threadIdx.x;"
		"__syncthreads(); out[threadIdx.x] = s[5];", 1, 64, 0, FAILED, "race in shared memory: this "
		"write and the write",
		false },
	{ "warps that set a flag to different values", NULL,
		"__shared__ unsigned s; if (threadIdx.x == 0) s = 0; __syncthreads(); if (threadIdx.x % 32 == "
		"5) { s = 1 + FAULT * threadIdx.x;"
		"out[blockIdx.x * 0] = 1; } __syncthreads(); out[1 + threadIdx.x] = s;", 1, 64, 0, FAILED,
		"race in shared memory", false },
	{ "a __syncwarp left out", NULL,
		"__shared__ unsigned s[32]; s[threadIdx.x] = in[threadIdx.x]; if (!FAULT) __syncwarp();"
		"out[threadIdx.x] = s[threadIdx.x ^ 1];", 1, 32, 0, FAILED, "race in shared memory", false },
	{ "a shuffle in place of a __syncwarp", NULL,
		"__shared__ unsigned s[32]; s[threadIdx.x] = in[threadIdx.x];"
		"unsigned v = __shfl_xor_sync(~0u, threadIdx.x, 1); if (!FAULT) __syncwarp(); "
		"out[threadIdx.x] = s[v];",
		1, 32, 0, FAILED, "race in shared memory", false },
	{ "a race of neighbouring bytes", NULL,
		"__shared__ unsigned char s[64]; s[FAULT ? threadIdx.x % 32 : threadIdx.x] = threadIdx.x; "
		"__syncthreads();"
		"out[threadIdx.x] = s[threadIdx.x / 2];", 1, 64, 0, FAILED, "race in shared memory", false },
	{ "an arrival without __syncwarp before it", MBARRIER,
		"__shared__ unsigned long long b; __shared__ unsigned s[32]; if (threadIdx.x == 0) init(&b, "
		"1); __syncthreads();"
		"if (threadIdx.x < 32) { s[threadIdx.x] = threadIdx.x; if (!FAULT) __syncwarp(); if "
		"(threadIdx.x == 0) arrive(&b); }"
		"else { wait(&b, 0); out[threadIdx.x] = s[threadIdx.x - 32]; }", 1, 64, 0, FAILED, "race in "
		"shared memory", false },
	{ "a flag without a fence", NULL,
		"__shared__ unsigned s, f; if (threadIdx.x == 0) f = 0; __syncthreads();"
		"if (threadIdx.x == 0) { s = in[3]; if (!FAULT) __threadfence_block(); *(volatile unsigned "
		"*)&f = 1; }"
		"if (threadIdx.x == 32) { while (*(volatile unsigned *)&f == 0); __threadfence_block(); "
		"out[0] = s; }", 1, 64, 0,
		FAILED, "race in shared memory", false },
	{ "the use of an mbarrier before its initialisation is known", MBARRIER,
		"__shared__ unsigned long long b; if (threadIdx.x == 0) init(&b, 64); if (!FAULT) "
		"__syncthreads(); arrive(&b);",
		1, 64, 0, FAILED, "", false },
	{ "an mbarrier without initialisation", MBARRIER,
		"__shared__ unsigned long long b; if (!FAULT && threadIdx.x == 0) init(&b, 32); "
		"__syncthreads(); arrive(&b);",
		1, 32, 0, FAILED, "an mbarrier that was not initialised", false },
	{ "one arrival too many", MBARRIER,
		"__shared__ unsigned long long b; if (threadIdx.x == 0) { init(&b, 2); arrive(&b); if (FAULT) "
		"asm volatile("
		"\"mbarrier.arrive.shared.b64 _, [%0], 2;\" :: \"r\"(at(&b)) : \"memory\"); else arrive(&b); "
		"}", 1, 32, 0, FAILED,
		"more arrivals", false },
	{ "a bulk copy on an mbarrier that no fence has told of", MBARRIER,
		"__shared__ unsigned long long b; __shared__ __align__(16) unsigned s[32];"
		"if (threadIdx.x == 0) { begin(&b, 1); if (!FAULT) tell(); expect(&b, 128); load(s, in, 128, &b); }"
		"__syncthreads(); wait(&b, 0); out[threadIdx.x] = s[threadIdx.x];", 1, 32, 0, FAILED,
		"without fence.mbarrier_init", false },
	{ "a read of a bulk copy that has not landed", MBARRIER,
		"__shared__ unsigned long long b; __shared__ __align__(16) unsigned s[32];"
		"if (threadIdx.x == 0) { init(&b, 1); expect(&b, 128); load(s, in, 128, &b); } __syncthreads();"
		"if (!FAULT) wait(&b, 0); out[threadIdx.x] = s[threadIdx.x];", 1, 32, 0, FAILED, "", false },
	{ "a bulk copy over what is still read", MBARRIER,
		"__shared__ unsigned long long b, e; __shared__ __align__(16) unsigned s[32];"
		"if (threadIdx.x == 0) { init(&b, 1); init(&e, 32); expect(&b, 128); load(s, in, 128, &b); } "
		"__syncthreads();"
		"wait(&b, 0); unsigned v = s[threadIdx.x]; arrive(&e); if (threadIdx.x == 0) { if (!FAULT) "
		"wait(&e, 0);"
		"expect(&b, 128); load(s, in + 32, 128, &b); } wait(&b, 1); out[threadIdx.x] = v + "
		"s[threadIdx.x];", 1, 32, 0,
		FAILED, "race in shared memory", false },
	{ "a bulk store without fence.proxy.async", MBARRIER,
		"__shared__ __align__(16) unsigned s[32]; s[threadIdx.x] = threadIdx.x;"
		"if (!FAULT) asm volatile(\"fence.proxy.async;\" ::: \"memory\"); __syncthreads(); if "
		"(threadIdx.x == 0) { store(out, s, 128);"
		"asm volatile(\"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\" ::: \"memory\"); "
		"}", 1, 32, 0, FAILED,
		"without fence.proxy.async", false },
	{ "a bulk store whose source is written again too early", MBARRIER,
		"__shared__ __align__(16) unsigned s[32]; s[threadIdx.x] = 1; asm "
		"volatile(\"fence.proxy.async;\" ::: \"memory\");"
		"__syncthreads(); if (threadIdx.x == 0) { store(out, s, 128); asm "
		"volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\");"
		"if (!FAULT) asm volatile(\"cp.async.bulk.wait_group.read 0;\" ::: \"memory\"); s[0] = 2; }",
		1, 32, 0, FAILED,
		"race in shared memory", false },
	{ "a bulk load over what was written without fence.proxy.async", MBARRIER,
		"__shared__ unsigned long long b; __shared__ __align__(16) unsigned s[32]; s[threadIdx.x] = 1;"
		"if (!FAULT) asm volatile(\"fence.proxy.async;\" ::: \"memory\"); if (threadIdx.x == 0) init(&b, 1);"
		"__syncthreads(); if (threadIdx.x == 0) { expect(&b, 128); load(s, in, 128, &b); }"
		"wait(&b, 0); out[threadIdx.x] = s[threadIdx.x];", 1, 32, 0, FAILED,
		"overwrites shared memory at 0x", false },
	{ "a bulk load over what a bulk store may not have read", MBARRIER,
		"__shared__ unsigned long long b; __shared__ __align__(16) unsigned s[32]; s[threadIdx.x] = 1;"
		"asm volatile(\"fence.proxy.async;\" ::: \"memory\"); if (threadIdx.x == 0) init(&b, 1);"
		"__syncthreads(); if (threadIdx.x == 0) { store(out, s, 128);"
		"asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\");"
		"if (!FAULT) asm volatile(\"cp.async.bulk.wait_group.read 0;\" ::: \"memory\");"
		"expect(&b, 128); load(s, in, 128, &b); wait(&b, 0);"
		"asm volatile(\"cp.async.bulk.wait_group.read 0;\" ::: \"memory\"); }", 1, 32, 0, FAILED,
		"race in shared memory", false },
	{ "an end before a bulk store has read shared memory", MBARRIER,
		"__shared__ __align__(16) unsigned s[32]; s[threadIdx.x] = 1;"
		"asm volatile(\"fence.proxy.async;\" ::: \"memory\"); __syncthreads(); if (threadIdx.x == 0) {"
		"store(out, s, 64); asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\");"
		"store(out + 16, s, 64);"
		"asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\"); if (FAULT) "
		"asm volatile(\"cp.async.bulk.wait_group.read 1;\" ::: \"memory\"); else "
		"asm volatile(\"cp.async.bulk.wait_group.read 0;\" ::: \"memory\"); }", 1, 32, 0, FAILED,
		"ended before its bulk copies had read", false },
	/* Lanes that have told others of their writes have not told each other. */
	{ "a __syncwarp left out behind fence.proxy.async", MBARRIER,
		"__shared__ unsigned s[32]; s[threadIdx.x] = in[threadIdx.x];"
		"asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\"); if (!FAULT) __syncwarp();"
		"if (threadIdx.x == 0) out[0] = s[1] + s[31];", 1, 32, 0, FAILED, "race in shared memory", false },
	{ "a __syncwarp left out behind an arrival", MBARRIER,
		"__shared__ unsigned long long b; __shared__ unsigned s[32]; if (threadIdx.x == 0) init(&b, 32);"
		"__syncthreads(); s[threadIdx.x] = in[threadIdx.x]; arrive(&b); if (!FAULT) __syncwarp();"
		"if (threadIdx.x == 0) out[0] = s[1] + s[31];", 1, 32, 0, FAILED, "race in shared memory", false },
	{ "a __syncwarp left out behind a fence", MBARRIER,
		"__shared__ unsigned s[32]; s[threadIdx.x] = in[threadIdx.x]; __threadfence();"
		"if (!FAULT) __syncwarp();"
		"if (threadIdx.x == 0) out[0] = s[1] + s[31];", 1, 32, 0, FAILED, "race in shared memory", false },
	{ "a cp.async that nobody waits for", MBARRIER,
		"__shared__ __align__(16) unsigned s[128]; asm volatile(\"cp.async.cg.shared.global [%0], "
		"[%1], 16;\" ::"
		"\"r\"(at(s + threadIdx.x * 4)), \"l\"(in + threadIdx.x * 4) : \"memory\");"
		"if (!FAULT) asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); __syncthreads(); "
		"out[threadIdx.x] = s[127 - threadIdx.x];",
		1, 32, 0, FAILED, "", false },
	{ NULL, NULL, NULL, 0, 0, 0, CUDA_SUCCESS, NULL, false },
};

static const struct fault waits[] = {
	{ "a barrier in a branch that half of a warp takes", NULL,
		"if (threadIdx.x < 16 || !FAULT) asm volatile(\"bar.sync 0;\"); else asm volatile(\"bar.sync 1;\");"
		"out[threadIdx.x] = 1;", 1, 32, 0, TIMEOUT, "has diverged", false },
	{ "a barrier that one warp does not reach", NULL,
		"if (!FAULT || threadIdx.x < 32) __syncthreads(); else while (*(volatile unsigned *)out == "
		"0); out[1 + threadIdx.x] = 1;",
		1, 64, 0, TIMEOUT, "nobody can progress", false },
	{ "a named barrier for more threads than there are", NULL,
		"if (FAULT) asm volatile(\"bar.sync 1, 128;\"); else asm volatile(\"bar.sync 1, 64;\"); "
		"out[threadIdx.x] = 1;", 1, 64, 0,
		FAILED, "for 128 threads, but the CTA has 64", false },
	{ "a barrier for a number of threads that is no multiple of a warp", NULL,
		"unsigned n = in[64 - FAULT]; asm volatile(\"bar.sync 1, %0;\" :: \"r\"(n)); out[threadIdx.x] "
		"= 1;", 1, 64, 0, FAILED,
		"not a multiple of the warp size", false },
	{ "a mask with a lane that never comes", NULL,
		"if (threadIdx.x < 16 + 16 * (1 - FAULT)) { out[threadIdx.x] = __shfl_sync(~0u, threadIdx.x, 0); }"
		"else while (*(volatile unsigned *)(out + 40) == 0);", 1, 32, 0, TIMEOUT, "waits for the "
		"lanes of mask 0xffffffff",
		false },
	{ "a thread that is not in its own mask", NULL,
		"out[threadIdx.x] = __shfl_sync(FAULT ? 0x7fffffff : ~0u, threadIdx.x, 0);", 1, 32, 0, FAILED,
		"not in the mask 0x7fffffff", false },
	{ "a flag that nobody sets", NULL,
		"if (threadIdx.x == 0) { if (!FAULT) atomicExch(out, 1u); while (*(volatile unsigned *)out == "
		"0); }", 1, 32, 0,
		TIMEOUT, "nobody can progress", false },
	{ "lanes of a warp that wait for one another in a circle", NULL,
		"volatile unsigned *w = out; unsigned t = threadIdx.x; if (t == 0) { while (w[101] == 0); "
		"w[100] = 1; }"
		"else if (t == 1) { while (w[102] == 0); w[101] = 1; } else if (t == 2) { while (w[103] == "
		"0); w[102] = 1; }"
		"else if (t == 3) { if (FAULT) while (w[100] == 0); w[103] = 1; }", 1, 32, 0, TIMEOUT,
		"nobody can progress", false },
	{ "an mbarrier that lacks an arrival", MBARRIER,
		"__shared__ unsigned long long b; if (threadIdx.x == 0) init(&b, 32 + FAULT); "
		"__syncthreads(); arrive(&b); wait(&b, 0);",
		1, 32, 0, TIMEOUT, "(1 arrivals and 0 bytes missing)", false },
	{ "an mbarrier that expects more bytes than come", MBARRIER,
		"__shared__ unsigned long long b; __shared__ __align__(16) unsigned s[32];"
		"if (threadIdx.x == 0) { init(&b, 1); expect(&b, 128 + 16 * FAULT); load(s, in, 128, &b); } "
		"__syncthreads();"
		"wait(&b, 0); out[threadIdx.x] = s[threadIdx.x];", 1, 32, 0, TIMEOUT, "(0 arrivals and 16 "
		"bytes missing)", false },
	{ "a CTA that waits for one that cannot start", NULL,
		"if (threadIdx.x) return; if (FAULT ? blockIdx.x == 300 : true) atomicAdd(out, 1u);"
		"while (*(volatile unsigned *)out == 0);", 400, 1024, 0, TIMEOUT, "nobody can progress", false },
	{ NULL, NULL, NULL, 0, 0, 0, CUDA_SUCCESS, NULL, false },
};

static const struct fault global[] = {
	{ "two CTAs that write one word", NULL, "if (threadIdx.x == 0) out[FAULT ? 0 : blockIdx.x] = "
		"blockIdx.x;", 2, 32, 0,
		FAILED, "race in global memory: this write and the write by thread (0,0,0) of CTA", false },
	{ "a CTA that reads what another writes", NULL,
		"if (blockIdx.x == 0) out[threadIdx.x] = 1; else out[64 + threadIdx.x] = out[threadIdx.x + 64 "
		"* (1 - FAULT) * 2];", 2, 32,
		0, FAILED, "race in global memory", false },
	{ "a last-block sum without a fence by the writers", NULL,
		"__shared__ unsigned ticket; if (threadIdx.x == 0) { out[blockIdx.x] = blockIdx.x; if "
		"(!FAULT) __threadfence();"
		"ticket = atomicAdd(out + 1000, 1u); } __syncthreads(); if (ticket == gridDim.x - 1) { "
		"__threadfence();"
		"if (threadIdx.x == 0) { unsigned sum = 0; for (unsigned i = 0; i < gridDim.x; i++) sum += "
		"out[i]; out[1001] = sum; } }",
		8, 32, 0, FAILED, "race in global memory", false },
	{ "a last-block sum without a fence by the reader", NULL,
		"__shared__ unsigned ticket; if (threadIdx.x == 0) { out[blockIdx.x] = blockIdx.x; __threadfence();"
		"ticket = atomicAdd(out + 1000, 1u); if (!FAULT) __threadfence(); } __syncthreads(); if "
		"(ticket == gridDim.x - 1) {"
		"if (threadIdx.x == 0) { unsigned sum = 0; for (unsigned i = 0; i < gridDim.x; i++) sum += "
		"out[i]; out[1001] = sum; } }",
		8, 32, 0, FAILED, "race in global memory", false },
	{ "a fence for the CTA only", NULL,
		"if (threadIdx.x) return; if (blockIdx.x == 0) { out[0] = 1; if (FAULT) "
		"__threadfence_block(); else __threadfence();"
		"*(volatile unsigned *)(out + 1) = 1; } else { while (*(volatile unsigned *)(out + 1) == 0); "
		"__threadfence(); out[2] = out[0]; }",
		2, 32, 0, FAILED, "race in global memory", false },
	{ "a store in place of a release", NULL,
		"if (threadIdx.x) return; if (blockIdx.x == 0) { out[0] = 1; if (FAULT) asm "
		"volatile(\"st.relaxed.gpu.u32 [%0], 1;\" :: \"l\"(out + 1)"
		" : \"memory\"); else asm volatile(\"st.release.gpu.u32 [%0], 1;\" :: \"l\"(out + 1) : "
		"\"memory\"); } else { unsigned v;"
		"do asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(out + 1) : \"memory\"); "
		"while (!v); out[2] = out[0]; }",
		2, 32, 0, FAILED, "race in global memory", false },
	{ "a load in place of an acquire", NULL,
		"if (threadIdx.x) return; if (blockIdx.x == 0) { out[0] = 1; asm "
		"volatile(\"st.release.gpu.u32 [%0], 1;\" :: \"l\"(out + 1)"
		" : \"memory\"); } else { unsigned v; do { if (FAULT) asm volatile(\"ld.relaxed.gpu.u32 %0, "
		"[%1];\" : \"=r\"(v) : \"l\"(out + 1) : \"memory\");"
		"else asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(v) : \"l\"(out + 1) : "
		"\"memory\"); } while (!v); out[2] = out[0]; }",
		2, 32, 0, FAILED, "race in global memory", false },
	{ "relaxed words that rest on their order", NULL,
		"volatile unsigned *w = out; if (threadIdx.x) return; if (blockIdx.x == 0) { w[100] = 7; if "
		"(!FAULT) __threadfence(); w[200] = 1; }"
		"else { while (w[200] == 0); __threadfence(); if (w[100] != 7) __trap(); }", 2, 32, 0,
		FAILED, "trap", true },
	{ "relaxed loads that rest on their order", NULL,
		"volatile unsigned *w = out; if (threadIdx.x) return; if (blockIdx.x == 0) { w[100] = 7; "
		"__threadfence(); w[200] = 1; }"
		"else { while (w[200] == 0); if (!FAULT) __threadfence(); if (w[100] != 7) __trap(); }", 2,
		32, 0, FAILED, "trap", true },
	{ "a bulk store that others are told of when it has read its source", MBARRIER,
		"__shared__ __align__(16) unsigned s[32]; volatile unsigned *w = out; if (threadIdx.x) return;"
		"if (blockIdx.x == 0) { for (int i = 0; i < 32; i++) s[i] = 7; "
		"asm volatile(\"fence.proxy.async;\" ::: \"memory\"); store(out + 64, s, 128);"
		"asm volatile(\"cp.async.bulk.commit_group;\" ::: \"memory\"); "
		"asm volatile(\"cp.async.bulk.wait_group.read 0;\" ::: \"memory\"); if (!FAULT) "
		"asm volatile(\"cp.async.bulk.wait_group 0;\" ::: \"memory\"); __threadfence(); w[200] = 1; }"
		"else { while (w[200] == 0); __threadfence(); if (out[70] != 7) __trap(); }", 2, 32, 0, FAILED, "",
		true },
	{ "CTAs that rest on the order of their start", NULL,
		"if (threadIdx.x) return; volatile unsigned *w = out; unsigned me = FAULT ? blockIdx.x : "
		"atomicAdd(out + 1000, 1u);"
		"if (me >= 16) while (w[me - 16] == 0); w[me] = 1;", 200, 1024, 0, TIMEOUT, "nobody can "
		"progress", true },
	{ NULL, NULL, NULL, 0, 0, 0, CUDA_SUCCESS, NULL, false },
};

int main(void)
{
	tap_plan(0);
	faults_test(shared, 90);
	faults_test(waits, 90);
	faults_test(global, 90);
	return tap_done();
}
