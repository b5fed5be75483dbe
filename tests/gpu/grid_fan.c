/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = {
	{ "fan,block=32", 0 },
	{ "fan,block=64,warp=shared,store=plain", 1 },
	{ "fan,block=32,load=plain,residency=1", 2 },
	{ "fan,block=128", 1 },
	{ "fan,block=256", 4 },
	{ "fan,block=384,residency=1", 5 },
	{ "fan,block=512,warp=shared", 2 },
	{ "fan,block=1024,residency=1", 1 },
	{ NULL, 0 } };

int main(void)
{
	return grid_main(points, 2);
}
