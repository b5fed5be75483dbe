/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = { { "lookahead,block=32,stages=2,ahead=1,gather=1", 1 },
	{ "lookahead,block=64,stages=4,ahead=2,gather=2,warp=shared,store=bulk", 3 },
	{ "lookahead,block=64,stages=3,ahead=2,gather=2,warp=shared", 1 },
	{ "lookahead,block=32,stages=5,ahead=4,gather=8,store=plain", 2 },
	{ "lookahead,block=128,stages=4,ahead=3", 2 },
	{ "lookahead,block=128,stages=8,ahead=2,gather=1,warp=shared", 1 },
	{ "lookahead,block=256,stages=3,ahead=1,load=plain", 4 }, { "lookahead,block=384,stages=6,ahead=4", 6 },
	{ "lookahead,block=384,stages=7,ahead=5,gather=8", 5 },
	{ "lookahead,block=512,stages=4,ahead=2,store=plain", 6 }, { "lookahead,block=512,stages=6,ahead=3", 4 },
	{ "lookahead,block=448,ahead=2,store=bulk", 7 }, { "lookahead,block=448,stages=6,ahead=3,store=bulk", 5 },
	{ "lookahead,block=256,stages=3,ahead=1,gather=1,store=bulk", 2 },
	{ "lookahead,block=96,stages=2,ahead=1,residency=2", 3 }, { "lookahead,block=64,stages=3,ahead=2", 0 },
	{ NULL, 0 } };

int main(void)
{
	return grid_main(points, 4);
}
