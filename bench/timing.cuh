/* SPDX-License-Identifier: MIT
 *
 * How peers are timed against each other: each contender is a graph of back-to-back scans over rotated buffers, the
 * graphs are replayed in turn, and medians with their intervals are reported.
 */
#ifndef BENCH_TIMING_CUH
#define BENCH_TIMING_CUH

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <cuda_runtime.h>

#define NEED(call) \
	do { \
		cudaError_t need_error = (call); \
		if (need_error != cudaSuccess) { \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(need_error)); \
			exit(1); \
		} \
	} while (0)

/* One scan or copy of the case: out, in, stream. */
using contender_function = std::function<void(void *, const void *, cudaStream_t)>;

struct timing {
	double us = 0; /* median; 0: did not take part */
	double low_us = 0;
	double high_us = 0;
};

/* The 95 % interval of a median from order statistics: ranks n/2 -+ 0.98 sqrt(n).  None below six samples. */
inline timing summarise(std::vector<double> samples)
{
	timing result;
	size_t n = samples.size();
	if (n == 0)
		return result;
	std::sort(samples.begin(), samples.end());
	size_t reach = n < 6 ? n / 2 : (size_t)(0.98 * sqrt((double)n));
	result.us = n % 2 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
	result.low_us = samples[n / 2 > reach ? n / 2 - reach : 0];
	result.high_us = samples[std::min(n - 1, n / 2 + reach)];
	return result;
}

/* Two arrays, each cut into slots that take turns, so that no scan finds its data in the L2 cache. */
struct arena {
	char *in = nullptr;
	char *out = nullptr;
	size_t capacity;
	size_t l2_bytes;
	cudaStream_t stream;
	cudaEvent_t begin, end;

	arena(size_t bytes, size_t l2) : capacity(bytes), l2_bytes(l2)
	{
		NEED(cudaMalloc(&in, bytes));
		NEED(cudaMalloc(&out, bytes));
		NEED(cudaStreamCreate(&stream));
		NEED(cudaEventCreate(&begin));
		NEED(cudaEventCreate(&end));
	}

	/* Several times the L2 in all, and at most 64: a small scan's launches would otherwise touch new pages each. */
	size_t slots(size_t slot_bytes) const
	{
		size_t wanted = std::max<size_t>(1, 6 * l2_bytes / (2 * slot_bytes));
		return std::max<size_t>(1, std::min({ wanted, (size_t)64, capacity / slot_bytes }));
	}
};

class contender
{
public:
	contender(const arena &where, size_t in_bytes, size_t out_bytes, const contender_function &function)
	    : place(where)
	{
		size_t in_slot = (in_bytes + 255) / 256 * 256, out_slot = (out_bytes + 255) / 256 * 256;
		size_t slots = where.slots(std::max(in_slot, out_slot));
		size_t largest = std::max(in_bytes, out_bytes);
		repeats = largest > (256u << 20) ? 4 : largest > (32u << 20) ? 10 : 40;
		cudaGraph_t graph;
		NEED(cudaStreamBeginCapture(where.stream, cudaStreamCaptureModeThreadLocal));
		for (int i = 0; i < repeats; i++)
			function(where.out + i % slots * out_slot, where.in + i % slots * in_slot, where.stream);
		NEED(cudaStreamEndCapture(where.stream, &graph));
		NEED(cudaGraphInstantiate(&replayed, graph, 0));
		NEED(cudaGraphDestroy(graph));
	}
	contender(const contender &) = delete;
	~contender()
	{
		cudaGraphExecDestroy(replayed);
	}

	void warm_up()
	{
		for (int i = 0; i < 2; i++)
			NEED(cudaGraphLaunch(replayed, place.stream));
		NEED(cudaStreamSynchronize(place.stream));
	}

	void sample()
	{
		float ms;
		NEED(cudaEventRecord(place.begin, place.stream));
		NEED(cudaGraphLaunch(replayed, place.stream));
		NEED(cudaEventRecord(place.end, place.stream));
		NEED(cudaEventSynchronize(place.end));
		NEED(cudaEventElapsedTime(&ms, place.begin, place.end));
		samples.push_back(ms * 1e3 / repeats);
	}

	timing result() const
	{
		return summarise(samples);
	}

private:
	const arena &place;
	cudaGraphExec_t replayed;
	int repeats;
	std::vector<double> samples;
};

/* ---- The copy ceiling ---- */

/* The fastest copy kernel seen: one 16-byte vector a thread, 512 threads, one tile a CTA. */
static __global__ void __launch_bounds__(512) copy_vectors(uint4 *out, const uint4 *in, size_t vectors)
{
	size_t i = blockIdx.x * (size_t)512 + threadIdx.x;
	if (i < vectors)
		out[i] = in[i];
}

inline contender_function copy_kernel(size_t bytes)
{
	size_t vectors = (bytes + 15) / 16; /* slots are padded: up to 15 bytes too many are copied */
	return [=](void *out, const void *in, cudaStream_t stream) {
		copy_vectors<<<(unsigned)((vectors + 511) / 512), 512, 0, stream>>>(
			(uint4 *)out, (const uint4 *)in, vectors);
	};
}

inline contender_function copy_by_driver(size_t bytes)
{
	return [=](void *out, const void *in, cudaStream_t stream) {
		NEED(cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToDevice, stream));
	};
}

/* Random, never zeros: power, and so the clock, depends on the data. */
static __global__ void fill_random(uint32_t *words, size_t count, uint32_t mask)
{
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
		uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		words[i] = (uint32_t)(z ^ (z >> 31)) & mask;
	}
}

#endif
