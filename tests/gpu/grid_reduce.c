/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = {
	{ "reduce,block=32", 0 },
	{ "reduce,block=64,warp=shared,store=plain", 1 },
	{ "reduce,block=32,load=plain,residency=1", 2 },
	{ "reduce,block=128", 1 },
	{ "reduce,block=256", 4 },
	{ "reduce,block=384,residency=1", 5 },
	{ "reduce,block=512,warp=shared", 2 },
	{ "reduce,block=1024,residency=1", 1 },
	{ NULL, 0 } };

int main(void)
{
	return grid_main(points, 2);
}
