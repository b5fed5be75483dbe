/* SPDX-License-Identifier: MIT
 *
 * Faults between the CTAs of a cluster: races in distributed shared memory, accesses of CTAs that have not started or
 * have exited, the cluster's barrier, st.async.
 */
#include "tests/emu/faults.h"

#define FAILED CUDA_ERROR_LAUNCH_FAILED
#define TIMEOUT CUDA_ERROR_LAUNCH_TIMEOUT

#define CLUSTER \
	"__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }\n" \
	"__device__ unsigned rank() { unsigned r; asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(r)); " \
	"return r; }\n" \
	"__device__ unsigned there(const void *p, unsigned r) { unsigned a; " \
	"asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(a) : \"r\"(at(p)), \"r\"(r)); return a; }\n" \
	"__device__ void put(unsigned a, unsigned v)" \
	"{ asm volatile(\"st.shared::cluster.u32 [%0], %1;\" :: \"r\"(a), \"r\"(v) : \"memory\"); }\n" \
	"__device__ unsigned get(unsigned a) { unsigned v; " \
	"asm volatile(\"ld.shared::cluster.u32 %0, [%1];\" : \"=r\"(v) : \"r\"(a) : \"memory\"); return v; }\n" \
	"__device__ void arrive() { asm volatile(\"barrier.cluster.arrive.release.aligned;\" ::: \"memory\"); }\n" \
	"__device__ void arrive_relaxed() { asm " \
	"volatile(\"barrier.cluster.arrive.relaxed.aligned;\" ::: \"memory\"); }\n" \
	"__device__ void wait() { asm volatile(\"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\"); }\n" \
	"__device__ void sync() { arrive(); wait(); }\n" \
	"__device__ void init(unsigned long long *b, unsigned bytes) { asm " \
	"volatile(\"mbarrier.init.shared.b64 [%0], 1; " \
	"fence.mbarrier_init.release.cluster; mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;\" " \
	":: \"r\"(at(b)), \"r\"(bytes) : \"memory\"); }\n" \
	"__device__ void await(unsigned b) { asm volatile(\"{ .reg .pred p; W: " \
	"mbarrier.try_wait.parity.shared.b64 p, [%0], 0; " \
	"@!p bra W; }\" :: \"r\"(b) : \"memory\"); }\n" \
	"__device__ void send(unsigned a, unsigned v, unsigned b) { asm volatile(\"st.async.shared::cluster" \
	".mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];\" :: \"r\"(a), \"r\"(v), \"r\"(b) : \"memory\"); }\n"
#define STATE "__shared__ unsigned s[64]; unsigned t = threadIdx.x, r = rank(); s[t] = s[t + 32] = 0; "

static const struct fault memory[] = {
	{ "a write into a CTA that still reads", CLUSTER, STATE "sync(); unsigned v = s[t]; if (!FAULT) sync(); "
		"put(there(s + t, r ^ 1), 7); sync(); out[r * 32 + t] = s[t] + v;", 4, 32, 0, FAILED,
		"race in distributed shared memory", false },
	{ "a read from a CTA that still writes", CLUSTER, STATE "sync(); s[t] = r; if (!FAULT) sync(); "
		"out[r * 32 + t] = get(there(s + t, r ^ 1)); sync();", 4, 32, 0, FAILED,
		"race in distributed shared memory", false },
	{ "two CTAs that write one word of a third", CLUSTER, STATE "sync(); "
		"if (r > 1) put(there(s + (FAULT ? t : t + 32 * (r - 2)), 0), r); sync(); out[r * 32 + "
		"t] = s[t] + s[t + 32];",
		4, 32, 0, FAILED, "race in distributed shared memory: this write and the write by "
		"thread (0,0,0) of CTA",
		false },
	{ "a CTA that reads what another has written into it", CLUSTER, STATE "sync(); put(there(s + t, r ^ 1), r); "
		"if (!FAULT) sync(); out[r * 32 + t] = s[t]; if (FAULT) sync();", 4, 32, 0, FAILED,
		"race in distributed shared memory", false },
	{ "an access of a CTA that may not have started", CLUSTER, STATE "if (!FAULT) sync(); "
	"put(there(s + t, r ^ 1), 1); "
		"sync();", 4, 32, 0, FAILED, "not known to have started", false },
	{ "an access of a CTA that has exited", CLUSTER, STATE "sync(); if (FAULT && r == 0) return; "
		"unsigned v = r == 3 ? get(there(s + t, 0)) : 0; sync(); out[r * 32 + t] = v;", 4, 32, 0, FAILED,
		"which has exited", true },
	{ "an atomic operation on a CTA that has exited", CLUSTER, STATE "sync(); if (FAULT && r == 0) return; "
		"if (r == 3) asm volatile(\"red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;\" :: "
		"\"r\"(there(s, 0)) : "
		"\"memory\"); sync();", 4, 32, 0, FAILED, "which has exited", true },
	{ "a rank beyond the cluster", CLUSTER, STATE "sync(); put(there(s + t, FAULT ? 4 : r ^ 1), "
	"1); sync();", 4, 32, 0,
		CUDA_ERROR_ILLEGAL_ADDRESS, "out-of-bounds shared write", false },
	{ "an arrival that releases nothing", CLUSTER, STATE "sync(); s[t] = r; if (FAULT) "
	"arrive_relaxed(); else arrive(); "
		"wait(); out[r * 32 + t] = get(there(s + t, r ^ 1)); sync();", 4, 32, 0, FAILED,
		"race in distributed shared memory", false },
	{ "a fence for the CTA alone before a relaxed arrival", CLUSTER, STATE "sync(); s[t] = r; "
		"if (FAULT) asm volatile(\"fence.acq_rel.cta;\" ::: \"memory\"); "
		"else asm volatile(\"fence.release.sync_restrict::shared::cta.cluster;\" ::: \"memory\"); "
		"arrive_relaxed(); wait(); out[r * 32 + t] = get(there(s + t, r ^ 1)); sync();", 4, 32, 0, FAILED,
		"race in distributed shared memory", false },
	{ "a word of a scope that leaves the reader out", CLUSTER, STATE "sync(); unsigned v; "
		"if (r == 0) { if (FAULT) asm volatile(\"st.relaxed.cta.shared::cluster.u32 [%0], 1;\" "
		":: \"r\"(there(s + t, 1)) "
		": \"memory\"); else asm volatile(\"st.relaxed.cluster.shared::cluster.u32 [%0], 1;\" "
		":: \"r\"(there(s + t, 1)) : "
		"\"memory\"); } if (r == 1) do asm volatile(\"ld.relaxed.cluster.shared::cta.u32 %0, "
		"[%1];\" : \"=r\"(v) : "
		"\"r\"(at(s + t)) : \"memory\"); while (!v);", 4, 32, 0, FAILED, "race in distributed "
		"shared memory", false },
	{ NULL, NULL, NULL, 0, 0, 0, CUDA_SUCCESS, NULL, false },
};

static const struct fault barriers[] = {
	{ "a wait at the cluster's barrier without an arrival", CLUSTER, "if (!FAULT) arrive(); "
	"wait();", 4, 32, 0, FAILED,
		"without an arrive before it", false },
	{ "a second arrival at the cluster's barrier", CLUSTER, "arrive(); if (FAULT) arrive(); "
	"wait();", 4, 32, 0, FAILED,
		"arrive twice", false },
	{ "a CTA that does not reach the cluster's barrier", CLUSTER, "if (FAULT && rank() == 2) "
		"while (*(volatile unsigned *)out == 0); sync();", 4, 32, 0, TIMEOUT, "waits at the "
		"cluster's barrier", false },
	{ "an aligned arrival of half a warp", CLUSTER, "if (!FAULT || threadIdx.x < 16) arrive(); "
		"else while (*(volatile unsigned *)out == 0); wait();", 4, 32, 0, TIMEOUT, "which has "
		"diverged", false },
	{ "what a CTA does behind its arrival", CLUSTER, STATE "sync(); if (r == 0) { arrive(); return; } "
		"if (r == 3 && !FAULT) s[t] = 5; arrive(); if (r == 3 && FAULT) s[t] = 5; wait(); "
		"unsigned v = r == 1 ? get(there(s + t, 3)) : 0; sync(); out[r * 32 + t] = v;", 4, 32, 0, FAILED,
		"race in distributed shared memory", true },
	{ "a wait for the mbarrier of another CTA", CLUSTER, STATE "__shared__ unsigned long long b; "
	"if (t == 0) init(&b, 4); "
		"sync(); if (t == 0) send(there(s, r ^ 1), 1, there(&b, r ^ 1)); await(FAULT ? "
		"there(&b, r ^ 1) : at(&b)); "
		"sync();", 4, 32, 0, FAILED, "a wait for the mbarrier of another CTA", false },
	{ "a st.async that nobody waits for", CLUSTER, STATE "__shared__ unsigned long long b; if (t "
	"== 0) init(&b, 128); "
		"sync(); send(there(s + t, r ^ 1), r, there(&b, r ^ 1)); if (!FAULT) await(at(&b)); "
		"out[r * 32 + t] = s[t]; "
		"sync();", 4, 32, 0, FAILED, "race in distributed shared memory", false },
	{ "a plain store that a st.async is to release", CLUSTER, STATE "__shared__ unsigned long long b; "
		"if (t == 0) init(&b, 256 - 128 * FAULT); sync(); if (FAULT) put(there(s + t + 32, r ^ 1), 1); "
		"else send(there(s + t + 32, r ^ 1), 1, there(&b, r ^ 1)); send(there(s + t, r ^ 1), "
		"r, there(&b, r ^ 1)); "
		"await(at(&b)); out[r * 32 + t] = s[t] + s[t + 32]; sync();", 4, 32, 0, FAILED,
		"race in distributed shared memory", false },
	{ "a relaxed wait for st.async without a fence behind it", CLUSTER, STATE "__shared__ unsigned long long b; "
		"if (t == 0) init(&b, 128); sync(); send(there(s + t, r ^ 1), r, there(&b, r ^ 1)); "
		"asm volatile(\"{ .reg .pred p; W: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, "
		"[%0], 0; @!p bra W; }\" :: \"r\"(at(&b)) : \"memory\"); if (!FAULT) "
		"asm volatile(\"fence.acquire.sync_restrict::shared::cluster.cluster;\" ::: \"memory\"); "
		"out[r * 32 + t] = s[t]; sync();", 4, 32, 0, FAILED, "race in distributed shared memory", false },
	{ "a st.async into what is still read", CLUSTER, STATE "__shared__ unsigned long long b; if (t "
	"== 0) init(&b, 128); "
		"sync(); unsigned v = s[t]; if (!FAULT) sync(); send(there(s + t, r ^ 1), r, there(&b, "
		"r ^ 1)); await(at(&b)); "
		"out[r * 32 + t] = v; sync();", 4, 32, 0, FAILED, "race in distributed shared memory", false },
	{ NULL, NULL, NULL, 0, 0, 0, CUDA_SUCCESS, NULL, false },
};

static const struct fault alone[] = {
	{ "st.async to itself by a block that has no cluster", CLUSTER, STATE "__shared__ unsigned long long b; "
		"if (t == 0) init(&b, 4 * FAULT); __syncthreads(); if (t == 0 && FAULT) send(at(s), 7, at(&b)); "
		"await(at(&b)); out[r * 32 + t] = s[t];", 4, 32, 0, CUDA_ERROR_ILLEGAL_INSTRUCTION,
		"which the hardware refuses", false },
	{ NULL, NULL, NULL, 0, 0, 0, CUDA_SUCCESS, NULL, false },
};

int main(void)
{
	tap_plan(0);
	faults_test_cluster(memory, 90, 4);
	faults_test_cluster(barriers, 90, 4);
	faults_test(alone, 90);
	return tap_done();
}
