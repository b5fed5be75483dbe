/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = { { "cluster,block=32,cluster=4", 1 },
	{ "cluster,block=64,warp=shared,exchange=block", 1 }, { "cluster,block=96,cluster=16,load=plain", 1 },
	{ "cluster,block=64,cluster=2,exchange=block,store=plain", 3 }, { "cluster,block=128", 2 },
	{ "cluster,block=256,cluster=16,exchange=block", 2 }, { "cluster,block=320", 1 },
	{ "cluster,block=512,cluster=16,warp=shared", 2 }, { "cluster,block=1024,cluster=16,exchange=block", 2 },
	{ "cluster,block=1024,cluster=2", 1 }, { "cluster,block=512,cluster=16", 4 }, { NULL, 0 } };

int main(void)
{
	return grid_main(points, 4);
}
