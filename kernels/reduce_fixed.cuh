/* SPDX-License-Identifier: MIT
 *
 * Strategy `reduce-fixed`: two-level reduce-then-scan with a fixed number of partials (Merrill & Grimshaw 2009; the
 * CUDA Handbook's chapter 13).  The tiles are dealt out in `partials` chunks at most, each of M = N / C elements: a
 * block reduces its chunk, one block scans the partials, and a block scans its chunk behind its partial, tile after
 * tile.  Three launches and a scratch of one size, whatever the count.
 *
 * Traffic, for N elements in C > 1 chunks: N - (the last chunk) + N words read and N written: 3 N.  On top of that
 * C - 1 partials are written, read and written by the scan of them, and read once by each warp.  One chunk: N and N,
 * one launch.  Barriers: 1 to reduce, 1 a tile to scan.  Float results depend on the tile size and on C alone.
 */
#ifndef SCAN_REDUCE_FIXED_CUH
#define SCAN_REDUCE_FIXED_CUH

#include "passes.cuh"

SCAN_PHASE(reduce)
{
	scan::reduce_pass<scan::read_twice<scan::policy>, true>(arguments);
}

/* One block, and its chunk is all partials. */
SCAN_PHASE(scan_partials)
{
	scan::scan_pass<scan::partials_of<scan::policy>, true>(arguments);
}

SCAN_PHASE(scan)
{
	scan::scan_pass<scan::policy, true>(arguments);
}

#endif
