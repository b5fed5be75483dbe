/* SPDX-License-Identifier: MIT
 *
 * peers.so: the scans of 1- and 2-byte types.  CUB adds halves as halves, where libscanrt accumulates in f32.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "peers_scan.cuh"

const peer_row peer_rows_narrow[] = {
	{ "i8", "sum", false, PEER_CUB, cub_inclusive<int8_t, cuda::std::plus<>> },
	{ "u8", "sum", false, PEER_CUB, cub_inclusive<int8_t, cuda::std::plus<>> },
	{ "i8", "min", false, PEER_CUB, cub_inclusive<int8_t, cuda::minimum<>> },
	{ "i8", "max", false, PEER_CUB, cub_inclusive<int8_t, cuda::maximum<>> },
	{ "u8", "min", false, PEER_CUB, cub_inclusive<uint8_t, cuda::minimum<>> },
	{ "u8", "max", false, PEER_CUB, cub_inclusive<uint8_t, cuda::maximum<>> },
	{ "i16", "sum", false, PEER_CUB, cub_inclusive<int16_t, cuda::std::plus<>> },
	{ "u16", "sum", false, PEER_CUB, cub_inclusive<int16_t, cuda::std::plus<>> },
	{ "i16", "min", false, PEER_CUB, cub_inclusive<int16_t, cuda::minimum<>> },
	{ "i16", "max", false, PEER_CUB, cub_inclusive<int16_t, cuda::maximum<>> },
	{ "u16", "min", false, PEER_CUB, cub_inclusive<uint16_t, cuda::minimum<>> },
	{ "u16", "max", false, PEER_CUB, cub_inclusive<uint16_t, cuda::maximum<>> },
	{ "f16", "sum", false, PEER_CUB, cub_inclusive<__half, cuda::std::plus<>> },
	{ "f16", "min", false, PEER_CUB, cub_inclusive<__half, cuda::minimum<>> },
	{ "f16", "max", false, PEER_CUB, cub_inclusive<__half, cuda::maximum<>> },
	{ "bf16", "sum", false, PEER_CUB, cub_inclusive<__nv_bfloat16, cuda::std::plus<>> },
	{ "bf16", "min", false, PEER_CUB, cub_inclusive<__nv_bfloat16, cuda::minimum<>> },
	{ "bf16", "max", false, PEER_CUB, cub_inclusive<__nv_bfloat16, cuda::maximum<>> },
	{},
};
