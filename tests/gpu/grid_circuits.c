/* SPDX-License-Identifier: MIT */
#include "grid.h"

static const struct grid_point points[] = { { "block,block=64,circuit=koggestone", 1 },
	{ "lookback,block=96,circuit=brentkung-inplace,residency=1", 2 }, { "block,block=96,circuit=brentkung", 3 },
	{ "lookback,block=64,circuit=raking,fan=3,residency=1", 2 }, { "block,block=128,circuit=raking,fan=4", 1 },
	{ "lookback,block=128,circuit=koggestone,residency=1", 3 }, { "block,block=128,circuit=brentkung-inplace", 1 },
	{ "lookback,block=32,circuit=brentkung,residency=1", 4 }, { "block,block=32,circuit=raking,fan=32", 5 },
	{ "block,block=1024,circuit=koggestone", 2 }, { "block,block=1024,circuit=brentkung-inplace", 3 },
	{ "block,block=1024,circuit=brentkung", 2 }, { "block,block=1024,circuit=raking", 2 },
	{ "lookback,block=512,circuit=raking,fan=16,load=plain,residency=1", 3 },
	{ "lookback,block=256,circuit=koggestone,store=plain,residency=1", 4 },
	{ "lookback,block=384,circuit=brentkung", 2 }, { "lookback,block=480,circuit=raking,fan=2,residency=1", 1 },
	{ NULL, 0 } };

int main(void)
{
	return grid_main(points, 9);
}
