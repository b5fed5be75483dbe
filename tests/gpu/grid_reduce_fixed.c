/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = {
	{ "reduce-fixed,block=32,partials=104", 0 },
	{ "reduce-fixed,block=64,warp=shared,partials=8", 1 },
	{ "reduce-fixed,block=32,load=plain,residency=1,partials=16", 1 },
	{ "reduce-fixed,block=128,partials=264", 1 },
	{ "reduce-fixed,block=256", 4 },
	{ "reduce-fixed,block=512,partials=296,store=plain", 2 },
	{ "reduce-fixed,block=256,partials=4096", 1 },
	{ "reduce-fixed,block=1024,residency=1,partials=136", 1 },
	{ NULL, 0 } };

int main(void)
{
	return grid_main(points, 2);
}
