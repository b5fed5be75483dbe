/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = { { "lookback,block=32,residency=1", 1 },
	{ "lookback,block=64,warp=shared,residency=1", 1 }, { "lookback,block=128,load=plain,store=plain", 1 },
	{ "lookback,block=96", 2 }, { "lookback,block=128,warp=shared,residency=4", 2 }, { "lookback,block=256", 4 },
	{ "lookback,block=256,store=plain,residency=1", 8 }, { "lookback,block=384,residency=2", 6 },
	{ "lookback,block=512,load=plain,residency=1", 6 }, { "lookback,block=1024,residency=1", 2 }, { NULL, 0 } };

int main(void)
{
	return grid_main(points, 3);
}
