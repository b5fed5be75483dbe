/* SPDX-License-Identifier: MIT
 *
 * peers.so: the scans of types of 8 bytes and more.  A structure is one row here, with a type of the test's own.
 */
#include "peers_scan.cuh"

const peer_row peer_rows_wide[] = {
	{ "i64", "sum", false, PEER_CUB, cub_inclusive<long long, cuda::std::plus<>> },
	{ "u64", "sum", false, PEER_CUB, cub_inclusive<long long, cuda::std::plus<>> },
	{ "i64", "sum", true, PEER_CUB, cub_exclusive<long long, cuda::std::plus<>> },
	{ "i64", "max", false, PEER_CUB, cub_inclusive<long long, cuda::maximum<>> },
	{ "f64", "sum", false, PEER_CUB, cub_inclusive<double, cuda::std::plus<>> },
	{ "f64", "max", false, PEER_CUB, cub_inclusive<double, cuda::maximum<>> },
	{ "i128", "sum", false, PEER_CUB, cub_inclusive<__int128, cuda::std::plus<>> },
	{ "u128", "sum", false, PEER_CUB, cub_inclusive<__int128, cuda::std::plus<>> },
	{},
};
