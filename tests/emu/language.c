/* SPDX-License-Identifier: MIT
 *
 * What CUDA C++ makes of loops, calls, recursion, tables of functions, structures and the mathematical functions, on
 * the oldest and the newest architectures: the results are those of the same text on the host.
 */
#include "tests/emu/machine.h"

#include <math.h>
#include <string.h>

#define COUNT 256

static const char calls[] =
	"struct matrix { unsigned a, b, c, d; };"
	"struct wide { unsigned long long v[17]; };"
	"__device__ __noinline__ matrix times(matrix x, matrix y) { return { x.a * y.a + x.b * y.c, x.a * y.b "
	"+ x.b * y.d,"
	" x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d }; }"
	"__device__ __noinline__ wide sum(wide x, const wide &y) { for (int i = 0; i < 17; i++) x.v[i] += "
	"y.v[i]; return x; }"
	"__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + "
	"fibonacci(n - 2); }"
	"__constant__ unsigned table[5] = { 7, 11, 13, 17, 19 };"
	"__device__ unsigned counter = 3; __device__ unsigned *pointer = &counter;"
	"__device__ unsigned twice(unsigned x) { return 2 * x; } __device__ unsigned next(unsigned x) { "
	"return x + 1; }"
	"__device__ unsigned (*functions[2])(unsigned) = { twice, next };"
	"extern \"C\" __global__ void calls(unsigned *out, const unsigned *in) {"
	" unsigned t = threadIdx.x, x = in[t], r = 0;"
	" matrix m = { 1, 2, 3, x }; for (unsigned i = 0; i < x % 9; i++) m = times(m, matrix{ 1, 1, 0, i });"
	" wide w; for (unsigned i = 0; i < 17; i++) w.v[i] = i * t; w = sum(w, w);"
	" switch (x % 7) { case 0: r = 3; break; case 1: r = x * 5; break; case 2: r = x / 3; break; case 3: "
	"r = ~x; break;"
	" case 4: r = x << 3; break; case 5: r = x % 1000; break; default: r = x ^ t; }"
	" unsigned local[8]; for (unsigned i = 0; i < 8; i++) local[(i * 3 + t) % 8] = x + i;"
	" out[t] = (m.a ^ m.b ^ m.c ^ m.d) + (unsigned)w.v[16] + fibonacci(t % 9) + r + functions[t & "
	"1](table[t % 5])"
	" + *pointer + local[x % 8]; }";

struct matrix {
	uint32_t a, b, c, d;
};

static struct matrix times(struct matrix x, struct matrix y)
{
	return (struct matrix){ x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
		x.c * y.b + x.d * y.d };
}

static uint32_t fibonacci(uint32_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint32_t chosen(uint32_t x, uint32_t t)
{
	const uint32_t ways[7] = { 3, x * 5, x / 3, ~x, x << 3, x % 1000, x ^ t };

	return ways[x % 7];
}

static uint32_t wanted_call(uint32_t x, uint32_t t)
{
	static const uint32_t table[5] = { 7, 11, 13, 17, 19 };
	struct matrix m = { 1, 2, 3, x };
	uint32_t local[8], called = t & 1 ? table[t % 5] + 1 : 2 * table[t % 5];

	for (uint32_t i = 0; i < x % 9; i++)
		m = times(m, (struct matrix){ 1, 1, 0, i });
	for (uint32_t i = 0; i < 8; i++)
		local[(i * 3 + t) % 8] = x + i;
	return (m.a ^ m.b ^ m.c ^ m.d) + 32 * t + fibonacci(t % 9) + chosen(x, t) + called + 3 + local[x % 8];
}

static void test_calls(int arch)
{
	struct emu_machine *machine = machine_open();
	struct emu_module *module = machine_load_cuda(machine, calls, arch, 0);
	struct machine_launch launch = { .module = module, .grid = 1, .block = COUNT };
	struct emu_result result;
	uint32_t in[COUNT], out[COUNT], wanted[COUNT];
	uint64_t state = 20260801;

	for (unsigned t = 0; t < COUNT; t++) {
		in[t] = (uint32_t)machine_random(&state);
		wanted[t] = wanted_call(in[t], t);
	}
	memset(out, 0, sizeof out);
	launch.parameter[0] = machine_buffer(machine, NULL, sizeof out);
	launch.parameter[1] = machine_buffer(machine, in, sizeof in);
	machine_run(&result, machine, &launch);
	machine_fetch(out, machine, launch.parameter[0], sizeof out);
	tap_is_string(result.text, "", "calls and recursion run at compute_%d", arch);
	tap_is_bytes(out, wanted, sizeof out, "calls and recursion give what the host does at compute_%d", arch);
	emu_module_destroy(module);
	emu_machine_destroy(machine);
}

#define FUNCTIONS 12
static const char functions[] =
	"extern \"C\" __global__ void functions(double *out, const double *in) { double x = in[threadIdx.x]; "
	"float f = (float)x;"
	" double *r = out + threadIdx.x * 12; r[0] = sinf(f); r[1] = expf(f); r[2] = logf(fabsf(f)); r[3] = "
	"powf(fabsf(f), 1.5f);"
	" r[4] = tanhf(f); r[5] = f / 3.0f; r[6] = sin(x); r[7] = exp(x); r[8] = log(fabs(x)); r[9] = "
	"pow(fabs(x), 1.5);"
	" r[10] = cbrt(x); r[11] = 1 / x; }";

static double error_of(double seen, double wanted)
{
	return fabs(seen - wanted) / fmax(fabs(wanted), 1e-3);
}

static void test_functions(int arch)
{
	struct emu_machine *machine = machine_open();
	struct emu_module *module = machine_load_cuda(machine, functions, arch, 0);
	struct machine_launch launch = { .module = module, .grid = 1, .block = COUNT };
	struct emu_result result;
	double in[COUNT], out[COUNT * FUNCTIONS], worst_single = 0, worst_double = 0;

	for (unsigned t = 0; t < COUNT; t++)
		in[t] = (float)((t - 127.5) / 13);
	launch.parameter[0] = machine_buffer(machine, NULL, sizeof out);
	launch.parameter[1] = machine_buffer(machine, in, sizeof in);
	machine_run(&result, machine, &launch);
	machine_fetch(out, machine, launch.parameter[0], sizeof out);
	for (unsigned t = 0; t < COUNT; t++) {
		double x = in[t], size = fabs(x);
		const double wanted[FUNCTIONS] = { sin(x), exp(x), log(size), pow(size, 1.5), tanh(x), x / 3,
		sin(x), exp(x),
			log(size), pow(size, 1.5), cbrt(x), 1 / x };

		for (unsigned i = 0; i < FUNCTIONS; i++)
			if (i < 6)
				worst_single = fmax(worst_single, error_of(out[t * FUNCTIONS + i], wanted[i]));
			else
				worst_double = fmax(worst_double, error_of(out[t * FUNCTIONS + i], wanted[i]));
	}
	tap_is_string(result.text, "", "mathematical functions run at compute_%d", arch);
	tap_is_near(worst_single, 0, 1e-6, "those of float are right to the sixth digit at compute_%d", arch);
	tap_is_near(worst_double, 0, 1e-14, "those of double are right to the 14th digit at compute_%d", arch);
	emu_module_destroy(module);
	emu_machine_destroy(machine);
}

/* Every CTA of a cluster writes into the next one's shared memory. */
static const char cluster[] =
	"extern \"C\" __global__ void __cluster_dims__(4, 1, 1) ring(unsigned *out, const unsigned *in) {"
	" __shared__ unsigned word[32]; unsigned rank, to, at = (unsigned)__cvta_generic_to_shared(word + "
	"threadIdx.x);"
	" asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));"
	" asm volatile(\"barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;\" ::: \"memory\");"
	" asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(to) : \"r\"(at), \"r\"((rank + 1) % 4));"
	" asm volatile(\"st.shared::cluster.u32 [%0], %1;\" :: \"r\"(to), \"r\"(in[rank] + threadIdx.x) : "
	"\"memory\");"
	" asm volatile(\"barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\" ::: "
	"\"memory\");"
	" out[blockIdx.x * 32 + threadIdx.x] = word[threadIdx.x]; }";

/* The same by st.async, which the receiver waits for at an mbarrier of its own. */
static const char async_cluster[] =
	"extern \"C\" __global__ void __cluster_dims__(4, 1, 1) ring(unsigned *out, const unsigned *in) {"
	" __shared__ unsigned word[32]; __shared__ unsigned long long arrived; unsigned rank, to, on;"
	" unsigned at = (unsigned)__cvta_generic_to_shared(word + threadIdx.x), b = "
	"(unsigned)__cvta_generic_to_shared(&arrived);"
	" asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));"
	" if (threadIdx.x == 0) asm volatile(\"mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;"
	" mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;\" :: \"r\"(b) : \"memory\");"
	" asm volatile(\"barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\" ::: "
	"\"memory\");"
	" asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(to) : \"r\"(at), \"r\"((rank + 1) % 4));"
	" asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(on) : \"r\"(b), \"r\"((rank + 1) % 4));"
	" asm volatile(\"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];\" :: \"r\"(to),"
	" \"r\"(in[rank] + threadIdx.x), \"r\"(on) : \"memory\");"
	" asm volatile(\"{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }\" :: "
	"\"r\"(b) : \"memory\");"
	" out[blockIdx.x * 32 + threadIdx.x] = word[threadIdx.x];"
	" asm volatile(\"barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\" ::: "
	"\"memory\"); }";

static void test_cluster(const char *text, const char *what)
{
	struct emu_machine *machine = machine_open();
	struct emu_module *module = machine_load_cuda(machine, text, 90, 0);
	struct machine_launch launch = { .module = module, .grid = 8, .block = 32 };
	struct emu_result result;
	const uint32_t in[4] = { 100, 200, 300, 400 };
	uint32_t out[COUNT], wrong = 0;

	launch.parameter[0] = machine_buffer(machine, NULL, sizeof out);
	launch.parameter[1] = machine_buffer(machine, in, sizeof in);
	for (launch.seed = 0; launch.seed < 20; launch.seed++) {
		machine_run(&result, machine, &launch);
		machine_fetch(out, machine, launch.parameter[0], sizeof out);
		for (unsigned t = 0; t < COUNT; t++)
			wrong += out[t] != in[(t / 32 + 3) % 4] + t % 32;
	}
	tap_is_string(result.text, "", "a cluster runs that writes %s", what);
	tap_is_uint(wrong, 0, "what a CTA of a cluster writes %s into another's shared memory arrives", what);
	emu_module_destroy(module);
	emu_machine_destroy(machine);
}

int main(void)
{
	static const int archs[] = { 75, 80, 90 };

	tap_plan(0);
	for (unsigned i = 0; i < sizeof archs / sizeof *archs; i++) {
		test_calls(archs[i]);
		test_functions(archs[i]);
	}
	test_cluster(cluster, "itself");
	test_cluster(async_cluster, "by st.async");
	return tap_done();
}
