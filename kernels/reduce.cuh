/* SPDX-License-Identifier: MIT
 *
 * Strategy `reduce`: reduce-then-scan, recursive (CUDA Handbook, chapter 13; Merry's slides).  One launch reduces
 * every tile but the last to a partial, the partials are scanned, and a last launch scans every tile behind its
 * partial.  More partials than a tile holds are scanned in the same way: 2 launches a level, and 1 for the level of
 * one tile.
 *
 * Traffic, for N elements in T > 1 tiles: N - (the last tile) + N words read and N written: 3 N.  On top of that T - 1
 * partials are written, scanned by the levels above, and read once by each warp.  N <= a tile: N read, N written.
 * Barriers: 2 (one a pass).  Float results depend on the tile size alone.
 */
#ifndef SCAN_REDUCE_CUH
#define SCAN_REDUCE_CUH

#include "passes.cuh"

SCAN_PHASE(reduce)
{
	scan::reduce_pass<scan::read_twice<scan::policy>, false>(arguments);
}

SCAN_PHASE(reduce_partials)
{
	scan::reduce_pass<scan::partials_of<scan::policy>, false>(arguments);
}

SCAN_PHASE(scan)
{
	scan::scan_pass<scan::policy, false>(arguments);
}

SCAN_PHASE(scan_partials)
{
	scan::scan_pass<scan::partials_of<scan::policy>, false>(arguments);
}

#endif
