/* SPDX-License-Identifier: MIT
 *
 * peers_user.so: CUB's scans of the structures and operators that bench/user.c describes.  An object of its own, since
 * structures take the compiler long.  CUB 3.0 does not compile for sm_90 from somewhere above 1 KiB on: its tile of one
 * element a thread exceeds the shared memory that a kernel may have without asking.
 */
#include <cstdio>
#include <cstring>

#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include "peers_scan.cuh"

struct affine8 {
	float slope, offset;
};

struct compose_maps {
	__host__ __device__ affine8 operator()(const affine8 &earlier, const affine8 &later) const
	{
		return { later.slope * earlier.slope, later.slope * earlier.offset + later.offset };
	}
};

template <int words> struct doubles {
	double word[words];
};
/* As a caller would align what is moved 16 bytes at a time. */
template <> struct alignas(16) doubles<2> {
	double word[2];
};
template <> struct alignas(16) doubles<4> {
	double word[4];
};

struct add_doubles {
	template <int words>
	__host__ __device__ doubles<words> operator()(const doubles<words> &earlier, const doubles<words> &later) const
	{
		doubles<words> sum;
		for (int i = 0; i < words; i++)
			sum.word[i] = earlier.word[i] + later.word[i];
		return sum;
	}
};

/* The transition tables of a machine of 16 states, a byte a state.  The operator is the one that bench/user.c has. */
struct alignas(16) table16 {
	unsigned char to[16];
};

static __device__ unsigned pick(const unsigned (&words)[4], unsigned index)
{
	unsigned low = __byte_perm(words[0], words[1], index), high = __byte_perm(words[2], words[3], index);
	return (index & 8 ? high : low) & 255;
}

struct compose_tables {
	__device__ table16 operator()(const table16 &earlier, const table16 &later) const
	{
		table16 both;
		unsigned words[4];
		memcpy(words, &later, 16);
#pragma unroll
		for (int i = 0; i < 16; i++)
			both.to[i] = pick(words, earlier.to[i]);
		return both;
	}
};

struct make_table {
	__device__ table16 operator()(unsigned char c) const
	{
		table16 made;
#pragma unroll
		for (int i = 0; i < 16; i++)
			made.to[i] = ((2 * (c & 7) + 1) * i + (c >> 3)) & 15;
		return made;
	}
};

struct state_of {
	__device__ unsigned char operator()(const table16 &table) const
	{
		return table.to[0];
	}
};

/* Bytes to states, the tables in registers only. */
static cudaError_t cub_machine(scanrt_peer &peer, uint64_t count)
{
	auto run = [=](void *storage, size_t &bytes, void *out, const void *in, cudaStream_t stream) {
		auto from = thrust::make_transform_iterator((const unsigned char *)in, make_table{});
		auto to = thrust::make_transform_output_iterator((unsigned char *)out, state_of{});
		return cub::DeviceScan::InclusiveScan(
			storage, bytes, from, to, compose_tables{}, (long long)count, stream);
	};
	size_t bytes = 0;
	cudaError_t error = run(nullptr, bytes, nullptr, nullptr, nullptr);
	if (error == cudaSuccess)
		error = cudaMalloc(&peer.storage, bytes);
	void *storage = peer.storage;
	peer.scan = [=](void *out, const void *in, cudaStream_t stream) {
		size_t size = bytes;
		return run(storage, size, out, in, stream);
	};
	return error;
}

static const peer_row rows[] = {
	{ "affine8", "maps", false, PEER_CUB, cub_inclusive<affine8, compose_maps> },
	{ "affine_f32", "affine", false, PEER_CUB, cub_inclusive<affine8, compose_maps> },
	{ "struct16", "add", false, PEER_CUB, cub_inclusive<doubles<2>, add_doubles> },
	{ "struct32", "add", false, PEER_CUB, cub_inclusive<doubles<4>, add_doubles> },
	{ "struct96", "add", false, PEER_CUB, cub_inclusive<doubles<12>, add_doubles> },
	{ "struct136", "add", false, PEER_CUB, cub_inclusive<doubles<17>, add_doubles> },
	{ "struct512", "add", false, PEER_CUB, cub_inclusive<doubles<64>, add_doubles> },
	{ "table16", "compose", false, PEER_CUB, cub_inclusive<table16, compose_tables> },
	{ "u8>table16>u8", "compose", false, PEER_CUB, cub_machine },
	{},
};

static const char *name_of(int index)
{
	static char name[32];
	snprintf(name, sizeof name, "CUB %d.%d", CCCL_MAJOR_VERSION, CCCL_MINOR_VERSION);
	return index == 0 ? name : nullptr;
}

static int open_peer(scanrt_peer **peer, int index, const scanrt_peer_request *request)
{
	*peer = nullptr;
	for (const peer_row *row = rows; row->type; row++) {
		if (row->library != index || row->is_exclusive != (request->is_exclusive != 0) ||
			strcmp(row->type, request->type) || strcmp(row->op, request->op))
			continue;
		*peer = new scanrt_peer;
		cudaError_t error = row->make(**peer, request->count);
		if (error != cudaSuccess) {
			delete *peer;
			*peer = nullptr;
		}
		return error;
	}
	return SCANRT_PEER_NONE;
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
