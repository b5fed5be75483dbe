/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = { { "block,block=32", 1 }, { "block,block=64,warp=shared", 2 },
	{ "block,block=128,load=plain,store=plain", 1 }, { "block,block=32,warp=shared", 4 }, { "block,block=96", 3 },
	{ "block,block=64,store=bulk", 3 },
	{ "block,block=256,load=plain", 4 }, { "block,block=512,store=plain", 2 }, { "block,block=1024", 1 },
	{ "block,block=1024,warp=shared", 2 }, { NULL, 0 } };

int main(void)
{
	return grid_main(points, 4);
}
