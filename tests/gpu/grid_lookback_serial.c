/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = {
	{ "lookback-serial,block=32,residency=1", 1 },
	{ "lookback-serial,block=128", 0 },
	{ "lookback-serial,block=64,warp=shared", 2 },
	{ "lookback-serial,block=256,load=plain,store=plain", 4 },
	{ "lookback-serial,block=512", 6 },
	{ "lookback-serial,block=1024,residency=1", 1 },
	{ NULL, 0 } };

int main(void)
{
	return grid_main(points, 2);
}
