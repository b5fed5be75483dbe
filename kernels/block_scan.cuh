/* SPDX-License-Identifier: MIT
 *
 * The scan of a tile by a block, by the circuit that the host chose.
 */
#ifndef SCAN_BLOCK_SCAN_CUH
#define SCAN_BLOCK_SCAN_CUH

#include "circuit_warps.cuh"
#ifdef SCAN_CIRCUIT_FILE
#include SCAN_CIRCUIT_FILE /* by its row in lib/circuit.def */
#endif

namespace scan {

/* storage and run(): see circuit.cuh. */
template <class P> using block_scan = circuit_scan<P, P::how_in_block()>;

} // namespace scan

#endif
