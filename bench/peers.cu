/* SPDX-License-Identifier: MIT
 *
 * libscanrt against CUB's DeviceScan and against a copy, in one process, in turn.
 *
 *   peers [--json FILE] [--quick] [--type T] [--op O] [--count N] [--rounds R] [--commit ID]
 *
 * Prints a table, and one JSON object a case to FILE (results/README.md).  Ours is executed as any program would:
 * a plan from the database that SCANRT_DB names, or the usual one.  Results are compared with CUB's before timing.
 */
#include <cmath>
#include <cstring>
#include <ctime>
#include <string>

#include <cub/cub.cuh>
#include <cuda_fp16.h>

#include <scanrt.h>

#include "timing.cuh"

static void need_scan(int status, const char *call)
{
	if (status == SCANRT_OK)
		return;
	fprintf(stderr, "%s: %s\n", call, scanrt_last_error());
	exit(1);
}
#define NEED_SCAN(call) need_scan((call), #call)

struct options {
	FILE *json = nullptr;
	bool is_quick = false;
	std::string type, op, commit = "unknown";
	uint64_t count = 0;
	int rounds = 21;
};

struct session {
	options wanted;
	cudaDeviceProp device;
	int driver = 0;
	scanrt_context *context = nullptr;
	arena *buffers = nullptr;
	void *peer_storage = nullptr;
	size_t peer_storage_bytes = 0;
	int failures = 0;
};

struct scan_case {
	const char *type;
	int type_code;
	const char *op;
	int op_code;
	bool is_exclusive;
	size_t size;
	uint64_t count;
	double tolerance; /* of a float's last result, relative to the sum of magnitudes; 0: bit for bit */
};

/* ---- Results agree ---- */

template <class T>
__global__ void count_different(
	unsigned long long *different, const T *ours, const T *peers, size_t count, double tolerance)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
		double a = (double)ours[i], b = (double)peers[i];
		bool is_same = tolerance == 0
			? ours[i] == peers[i]
			: fabs(a - b) <= tolerance * (fabs(a) + fabs(b) + 1) || (a != a && b != b);
		if (!is_same)
			atomicAdd(different, 1ull);
	}
}

/* Both into halves of the output that hold 0xa5 before, so that an untouched element shows. */
template <class T>
bool results_agree(session &s, const scan_case &c, const contender_function &ours, const contender_function &peer)
{
	unsigned long long *different, seen = 0;
	size_t half = s.buffers->capacity / 2 / 256 * 256, bytes = c.count * sizeof(T);
	char *out = s.buffers->out;
	if (bytes > half)
		return true;
	NEED(cudaMalloc(&different, sizeof *different));
	NEED(cudaMemset(different, 0, sizeof *different));
	NEED(cudaMemset(out, 0xa5, bytes));
	NEED(cudaMemset(out + half, 0x5a, bytes));
	ours(out, s.buffers->in, s.buffers->stream);
	peer(out + half, s.buffers->in, s.buffers->stream);
	count_different<<<1024, 256, 0, s.buffers->stream>>>(
		different, (const T *)out, (const T *)(out + half), c.count, c.tolerance);
	NEED(cudaStreamSynchronize(s.buffers->stream));
	NEED(cudaMemcpy(&seen, different, sizeof seen, cudaMemcpyDeviceToHost));
	NEED(cudaFree(different));
	if (seen != 0)
		printf("%llu of %llu results differ from CUB's\n", seen, (unsigned long long)c.count);
	return seen == 0;
}

/* ---- Contenders ---- */

static scanrt_plan *make_plan(session &s, const scan_case &c, scanrt_plan_description &description)
{
	scanrt_problem problem = SCANRT_PROBLEM_INIT;
	scanrt_plan *plan = nullptr;
	problem.input_type = c.type_code;
	problem.op = c.op_code;
	problem.mode = c.is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;
	problem.min_count = problem.max_count = c.count; /* one class: the other kernels are not loaded */
	NEED_SCAN(scanrt_plan_create(&plan, s.context, &problem, nullptr));
	description = SCANRT_PLAN_DESCRIPTION_INIT;
	NEED_SCAN(scanrt_plan_describe(plan, c.count, &description, nullptr, 0));
	return plan;
}

template <class T, class Op>
cudaError_t peer_scan(void *storage, size_t &bytes, const scan_case &c, const void *in, void *out, Op op, T identity,
	cudaStream_t stream)
{
	if (c.is_exclusive)
		return cub::DeviceScan::ExclusiveScan(
			storage, bytes, (const T *)in, (T *)out, op, identity, (long long)c.count, stream);
	return cub::DeviceScan::InclusiveScan(storage, bytes, (const T *)in, (T *)out, op, (long long)c.count, stream);
}

template <class T, class Op> contender_function peer_of(session &s, const scan_case &c, Op op, T identity)
{
	size_t bytes = 0;
	NEED((peer_scan<T, Op>(nullptr, bytes, c, s.buffers->in, s.buffers->out, op, identity, s.buffers->stream)));
	if (bytes > s.peer_storage_bytes) {
		NEED(cudaFree(s.peer_storage));
		NEED(cudaMalloc(&s.peer_storage, bytes));
		s.peer_storage_bytes = bytes;
	}
	void *storage = s.peer_storage;
	return [=](void *out, const void *in, cudaStream_t stream) {
		size_t size = bytes;
		NEED((peer_scan<T, Op>(storage, size, c, in, out, op, identity, stream)));
	};
}

/* ---- Reports ---- */

static const char *origin_name(int origin)
{
	static const char *const names[] = { "unknown", "forced", "tuned", "similar", "default" };
	return names[origin >= 1 && origin <= 4 ? origin : 0];
}

static void report(session &s, const scan_case &c, const scanrt_plan_description &description, const timing &ours,
	const timing &peer, const timing &copy)
{
	const char *mode = c.is_exclusive ? "exclusive" : "inclusive";
	char name[32];
	snprintf(name, sizeof name, "CUB %d.%d", CCCL_MAJOR_VERSION, CCCL_MINOR_VERSION);
	printf("%-4s %-4s %-9s %10llu %9.2f %8.0f %9.2f %6.3f %9.2f %6.2f  %-7s %s\n", c.type, c.op, mode,
		(unsigned long long)c.count, ours.us, 2e-3 * c.count * c.size / ours.us, copy.us, copy.us / ours.us,
		peer.us, peer.us / ours.us, origin_name(description.origin), description.variant);
	fflush(stdout);
	if (s.wanted.json == nullptr)
		return;
	fprintf(s.wanted.json,
		"{\"gpu\":\"%s\",\"driver\":%d,\"nvrtc\":%d,\"commit\":\"%s\","
		"\"type\":\"%s\",\"op\":\"%s\",\"mode\":\"%s\",\"count\":%llu,\"layout\":\"contiguous\","
		"\"variant\":\"%s\",\"origin\":\"%s\",\"us\":%.3f,\"low_us\":%.3f,"
		"\"high_us\":%.3f,\"copy_us\":%.3f,\"share\":%.4f,\"peer\":\"%s\",\"peer_us\":%.3f,\"ratio\":%.4f}\n",
		s.device.name, s.driver, CUDART_VERSION, s.wanted.commit.c_str(), c.type, c.op, mode,
		(unsigned long long)c.count, description.variant, origin_name(description.origin), ours.us, ours.low_us,
		ours.high_us, copy.us, copy.us / ours.us, name, peer.us, peer.us / ours.us);
	fflush(s.wanted.json);
}

/* ---- Cases ---- */

static bool is_wanted(const session &s, const scan_case &c)
{
	const options &w = s.wanted;
	return (w.type.empty() || w.type == c.type) && (w.op.empty() || w.op == c.op) &&
		(w.count == 0 || w.count == c.count);
}

template <class T, class Op> void run_case(session &s, const scan_case &c, Op op, T identity)
{
	scanrt_plan_description description;
	if (!is_wanted(s, c) || c.count * sizeof(T) > s.buffers->capacity)
		return;
	scanrt_plan *plan = make_plan(s, c, description);
	uint64_t count = c.count;
	size_t bytes = count * sizeof(T);
	contender_function ours = [=](void *out, const void *in, cudaStream_t stream) {
		NEED_SCAN(scanrt_plan_execute(plan, out, in, count, stream));
	};
	contender_function peer = peer_of<T, Op>(s, c, op, identity);
	if (!results_agree<T>(s, c, ours, peer))
		s.failures++;
	contender runners[] = { { *s.buffers, bytes, bytes, ours }, { *s.buffers, bytes, bytes, peer },
		{ *s.buffers, bytes, bytes, copy_kernel(bytes) }, { *s.buffers, bytes, bytes, copy_by_driver(bytes) } };
	for (contender &runner : runners)
		runner.warm_up();
	for (int round = 0; round < s.wanted.rounds; round++) {
		/* Another one begins each round, so that none always runs in another's wake. */
		for (int i = 0; i < 4; i++)
			runners[(i + round) % 4].sample();
	}
	timing by_kernel = runners[2].result(), by_driver = runners[3].result();
	report(s, c, description, runners[0].result(), runners[1].result(),
		by_kernel.us < by_driver.us ? by_kernel : by_driver);
	scanrt_plan_destroy(plan);
}

template <class T, class Op> void run_counts(session &s, scan_case c, Op op, T identity, bool is_main)
{
	static const uint64_t main_counts[] = { 1000, 10000, 100000, 1000000, 1u << 20, 1u << 22, 1u << 24, 1u << 26,
		1u << 28 };
	static const uint64_t counts[] = { 1u << 14, 1u << 20, 1u << 24, 1u << 26, 1u << 28 };
	static const uint64_t quick_counts[] = { 1u << 20, 1u << 26, 1u << 28 };
	c.size = sizeof(T);
	auto run = [&](uint64_t count) {
		c.count = count;
		run_case<T, Op>(s, c, op, identity);
	};
	if (s.wanted.count)
		run(s.wanted.count);
	else if (is_main)
		for (uint64_t count : main_counts)
			run(count);
	else if (s.wanted.is_quick)
		for (uint64_t count : quick_counts)
			run(count);
	else
		for (uint64_t count : counts)
			run(count);
}

static void run_all(session &s)
{
	cuda::std::plus<> plus;
	cuda::maximum<> maximum;
	cuda::std::multiplies<> times;
	run_counts<int32_t>(s, { "i32", SCANRT_I32, "sum", SCANRT_SUM, false, 0, 0, 0 }, plus, 0, true);
	run_counts<int32_t>(s, { "i32", SCANRT_I32, "sum", SCANRT_SUM, true, 0, 0, 0 }, plus, 0, false);
	run_counts<int8_t>(s, { "i8", SCANRT_I8, "sum", SCANRT_SUM, false, 0, 0, 0 }, plus, 0, false);
	run_counts<int16_t>(s, { "i16", SCANRT_I16, "sum", SCANRT_SUM, false, 0, 0, 0 }, plus, 0, false);
	run_counts<long long>(s, { "i64", SCANRT_I64, "sum", SCANRT_SUM, false, 0, 0, 0 }, plus, 0, false);
	run_counts<float>(s, { "f32", SCANRT_F32, "sum", SCANRT_SUM, false, 0, 0, 1e-3 }, plus, 0, false);
	run_counts<double>(s, { "f64", SCANRT_F64, "sum", SCANRT_SUM, false, 0, 0, 1e-9 }, plus, 0, false);
	run_counts<float>(s, { "f32", SCANRT_F32, "max", SCANRT_MAX, false, 0, 0, 0 }, maximum, 0, false);
	run_counts<int32_t>(s, { "i32", SCANRT_I32, "max", SCANRT_MAX, false, 0, 0, 0 }, maximum, 0, false);
	run_counts<uint32_t>(s, { "u32", SCANRT_U32, "prod", SCANRT_PROD, false, 0, 0, 0 }, times, 1, false);
	/* CUB adds halves as halves; ours accumulates in f32, so only the times are comparable. */
	run_counts<__half>(s, { "f16", SCANRT_F16, "sum", SCANRT_SUM, false, 0, 0, INFINITY }, plus, __half(0), false);
}

static void read_options(options &wanted, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		std::string name = argv[i];
		if (name == "--quick") {
			wanted.is_quick = true;
			continue;
		}
		if (i + 1 == argc) {
			fprintf(stderr,
				"usage: peers [--json FILE] [--quick] [--type T] [--op O] [--count N] [--rounds R] "
				"[--commit ID]\n");
			exit(1);
		}
		const char *value = argv[++i];
		if (name == "--json")
			wanted.json = fopen(value, "a");
		else if (name == "--type")
			wanted.type = value;
		else if (name == "--op")
			wanted.op = value;
		else if (name == "--count")
			wanted.count = strtoull(value, nullptr, 0);
		else if (name == "--rounds")
			wanted.rounds = atoi(value);
		else if (name == "--commit")
			wanted.commit = value;
	}
}

int main(int argc, char **argv)
{
	session s;
	read_options(s.wanted, argc, argv);
	NEED(cudaSetDevice(0));
	NEED(cudaFree(nullptr)); /* makes the primary context, which the library then finds current */
	NEED(cudaGetDeviceProperties(&s.device, 0));
	NEED(cudaDriverGetVersion(&s.driver));
	NEED_SCAN(scanrt_context_create(&s.context, nullptr));
	size_t room = s.device.totalGlobalMem / 4;
	arena buffers(std::min<size_t>((size_t)1 << 32, room), (size_t)s.device.l2CacheSize);
	s.buffers = &buffers;
	/* 30 bits: positive as f32, finite as f64 and small enough that sums of 2^28 floats stay finite. */
	fill_random<<<1024, 256>>>((uint32_t *)buffers.in, buffers.capacity / 4, 0x3fffffffu);
	NEED(cudaDeviceSynchronize());
	printf("%s, driver %d; times in us, medians of %d replays\n", s.device.name, s.driver, s.wanted.rounds);
	printf("%-4s %-4s %-9s %10s %9s %8s %9s %6s %9s %6s  %-7s %s\n", "type", "op", "mode", "count", "us", "GB/s",
		"copy", "share", "CUB", "ratio", "origin", "variant");
	run_all(s);
	scanrt_context_destroy(s.context);
	return s.failures ? 1 : 0;
}
