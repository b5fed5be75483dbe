/* SPDX-License-Identifier: MIT
 *
 * peers.so: the entry (peers.h), the scans of 4-byte types by CUB, and sums by Thrust.
 */
#include <cstdio>
#include <cstring>
#include <new>

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include "peers_scan.cuh"

/* Thrust asks for its storage in every call: it gets the same piece, so that a capture sees no allocation. */
struct one_piece {
	using value_type = char;
	void *piece;
	size_t bytes;
	char *allocate(std::ptrdiff_t wanted)
	{
		if ((size_t)wanted > bytes)
			throw std::bad_alloc();
		return (char *)piece;
	}
	void deallocate(char *, size_t)
	{
	}
};

static size_t thrust_storage(uint64_t count)
{
	size_t bytes = 0;
	cub::DeviceScan::InclusiveScan(
		nullptr, bytes, (const int *)nullptr, (int *)nullptr, cuda::std::plus<>{}, (long long)count);
	return bytes + (1 << 16); /* alignment, and what another version may want */
}

static cudaError_t thrust_sum(scanrt_peer &peer, uint64_t count)
{
	size_t bytes = thrust_storage(count);
	cudaError_t error = cudaMalloc(&peer.storage, bytes);
	void *storage = peer.storage;
	peer.scan = [=](void *out, const void *in, cudaStream_t stream) {
		one_piece pool{ storage, bytes };
		const int *from = (const int *)in;
		try {
			auto first = thrust::device_pointer_cast(from);
			auto result = thrust::device_pointer_cast((int *)out);
			thrust::inclusive_scan(
				thrust::cuda::par_nosync(pool).on(stream), first, first + count, result);
		} catch (...) {
			return cudaErrorUnknown;
		}
		return cudaGetLastError();
	};
	return error;
}

const peer_row peer_rows_main[] = {
	{ "i32", "sum", false, PEER_CUB, cub_inclusive<int, cuda::std::plus<>> },
	{ "u32", "sum", false, PEER_CUB, cub_inclusive<int, cuda::std::plus<>> },
	{ "i32", "sum", true, PEER_CUB, cub_exclusive<int, cuda::std::plus<>> },
	{ "u32", "sum", true, PEER_CUB, cub_exclusive<int, cuda::std::plus<>> },
	{ "i32", "max", false, PEER_CUB, cub_inclusive<int, cuda::maximum<>> },
	{ "u32", "prod", false, PEER_CUB, cub_inclusive<unsigned, cuda::std::multiplies<>> },
	{ "i32", "prod", false, PEER_CUB, cub_inclusive<unsigned, cuda::std::multiplies<>> },
	{ "u32", "or", false, PEER_CUB, cub_inclusive<unsigned, cuda::std::bit_or<>> },
	{ "i32", "or", false, PEER_CUB, cub_inclusive<unsigned, cuda::std::bit_or<>> },
	{ "f32", "sum", false, PEER_CUB, cub_inclusive<float, cuda::std::plus<>> },
	{ "f32", "sum", true, PEER_CUB, cub_exclusive<float, cuda::std::plus<>> },
	{ "f32", "max", false, PEER_CUB, cub_inclusive<float, cuda::maximum<>> },
	{ "i32", "sum", false, PEER_THRUST, thrust_sum },
	{ "u32", "sum", false, PEER_THRUST, thrust_sum },
	{},
};

static const char *name_of(int index)
{
	static char names[2][32];
	snprintf(names[0], sizeof names[0], "CUB %d.%d", CCCL_MAJOR_VERSION, CCCL_MINOR_VERSION);
	snprintf(names[1], sizeof names[1], "Thrust %d.%d", CCCL_MAJOR_VERSION, CCCL_MINOR_VERSION);
	return index >= 0 && index < 2 ? names[index] : nullptr;
}

static const peer_row *find(int index, const scanrt_peer_request &request)
{
	for (const peer_row *rows : { peer_rows_main, peer_rows_narrow, peer_rows_wide })
		for (; rows->type; rows++)
			if (rows->library == index && rows->is_exclusive == (request.is_exclusive != 0) &&
				!strcmp(rows->type, request.type) && !strcmp(rows->op, request.op))
				return rows;
	return nullptr;
}

static int open_peer(scanrt_peer **peer, int index, const scanrt_peer_request *request)
{
	const peer_row *row = find(index, *request);
	*peer = nullptr;
	if (row == nullptr)
		return SCANRT_PEER_NONE;
	*peer = new scanrt_peer;
	cudaError_t error = row->make(**peer, request->count);
	if (error != cudaSuccess) {
		delete *peer;
		*peer = nullptr;
	}
	return error;
}

static int enqueue(scanrt_peer *peer, void *out, const void *in, void *stream)
{
	return peer->scan(out, in, (cudaStream_t)stream);
}

static void close_peer(scanrt_peer *peer)
{
	delete peer;
}

extern "C" __attribute__((visibility("default"))) const struct scanrt_peers *scanrt_peers(void)
{
	static const struct scanrt_peers peers = { SCANRT_PEERS_ABI, name_of, open_peer, enqueue, close_peer };
	return &peers;
}
