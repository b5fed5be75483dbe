/* SPDX-License-Identifier: MIT */
#include "grid.h"

/* Small tiles make many windows of totals, and windows that are not full. */
static const struct grid_point points[] = { { "totals,block=32,gather=1", 1 },
	{ "totals,block=64,warp=shared,gather=2,residency=4", 1 }, { "totals,block=32,gather=3,residency=2", 1 },
	{ "totals,block=64,gather=1,store=bulk", 3 },
	{ "totals,block=128,load=plain,store=plain", 1 }, { "totals,block=256,residency=2", 4 },
	{ "totals,block=512", 4 }, { "totals,block=1024,gather=4", 2 }, { "totals,block=384,store=plain", 6 },
	{ NULL, 0 } };

int main(void)
{
	return grid_main(points, 4);
}
