/* SPDX-License-Identifier: MIT
 *
 * The scan of a tile by a block, by the circuit that the policy names.  A new circuit has a file, and its line here.
 */
#ifndef SCAN_BLOCK_SCAN_CUH
#define SCAN_BLOCK_SCAN_CUH

#include "circuit_brent_kung.cuh"
#include "circuit_brent_kung_in_place.cuh"
#include "circuit_kogge_stone.cuh"
#include "circuit_raking.cuh"
#include "circuit_warps.cuh"

namespace scan {

/* storage and run(): see circuit.cuh. */
template <class P> using block_scan = circuit_scan<P, P::how_in_block>;

} // namespace scan

#endif
