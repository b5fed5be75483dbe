/* SPDX-License-Identifier: MIT
 *
 * What the parts of peers.so share: how a scan of CUB or Thrust is made ready, and the rows that say which there are.
 */
#ifndef BENCH_PEERS_SCAN_CUH
#define BENCH_PEERS_SCAN_CUH

#include <functional>

#include <cub/cub.cuh>
#include <cuda_runtime.h>

#include "peers.h"

struct scanrt_peer {
	std::function<cudaError_t(void *, const void *, cudaStream_t)> scan;
	void *storage = nullptr;
	~scanrt_peer()
	{
		cudaFree(storage);
	}
};

enum peer_library { PEER_CUB, PEER_THRUST };

/* One scan that was compiled in.  Unsigned sums and bit operations go by the signed type's kernel: the same code. */
struct peer_row {
	const char *type;
	const char *op;
	bool is_exclusive;
	peer_library library;
	cudaError_t (*make)(scanrt_peer &peer, uint64_t count);
};

template <class T, class Op> cudaError_t cub_inclusive(scanrt_peer &peer, uint64_t count)
{
	size_t bytes = 0;
	cudaError_t error = cub::DeviceScan::InclusiveScan(
		nullptr, bytes, (const T *)nullptr, (T *)nullptr, Op{}, (long long)count);
	if (error == cudaSuccess)
		error = cudaMalloc(&peer.storage, bytes);
	void *storage = peer.storage;
	peer.scan = [=](void *out, const void *in, cudaStream_t stream) {
		size_t size = bytes;
		return cub::DeviceScan::InclusiveScan(
			storage, size, (const T *)in, (T *)out, Op{}, (long long)count, stream);
	};
	return error;
}

/* From the identity of sums; nothing else is asked for. */
template <class T, class Op> cudaError_t cub_exclusive(scanrt_peer &peer, uint64_t count)
{
	size_t bytes = 0;
	cudaError_t error = cub::DeviceScan::ExclusiveScan(
		nullptr, bytes, (const T *)nullptr, (T *)nullptr, Op{}, T(0), (long long)count);
	if (error == cudaSuccess)
		error = cudaMalloc(&peer.storage, bytes);
	void *storage = peer.storage;
	peer.scan = [=](void *out, const void *in, cudaStream_t stream) {
		size_t size = bytes;
		return cub::DeviceScan::ExclusiveScan(
			storage, size, (const T *)in, (T *)out, Op{}, T(0), (long long)count, stream);
	};
	return error;
}

extern const peer_row peer_rows_main[], peer_rows_narrow[], peer_rows_wide[]; /* each ends with a null type */

#endif
