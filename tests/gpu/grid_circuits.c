/* SPDX-License-Identifier: MIT */
#include "grid.h"

/* Every circuit under every strategy that has them, somewhere. */
static const struct grid_point points[] = {
	{ "block,block=64,circuit=koggestone", 1 },
	{ "lookback,block=96,circuit=brentkung-inplace,residency=1", 2 },
	{ "fan,block=96,circuit=brentkung", 3 },
	{ "reduce,block=64,circuit=raking,fan=3,residency=1", 2 },
	{ "block,block=128,circuit=raking,fan=4", 0 },
	{ "lookback-serial,block=64,circuit=koggestone,residency=1", 3 },
	{ "reduce-fixed,block=32,circuit=brentkung-inplace,partials=8", 1 },
	{ "lookback,block=32,circuit=brentkung,residency=1", 4 },
	{ "reduce-fixed,block=64,circuit=raking,fan=32,partials=16", 0 },
	{ "block,block=128,circuit=brentkung-inplace", 0 },
	{ "block,block=1024,circuit=koggestone", 2 },
	{ "block,block=1024,circuit=brentkung-inplace", 3 },
	{ "block,block=1024,circuit=brentkung", 2 },
	{ "block,block=1024,circuit=raking", 2 },
	{ "lookback,block=512,circuit=raking,fan=16,load=plain,residency=1", 3 },
	{ "lookback,block=256,circuit=koggestone,store=plain,residency=1", 4 },
	{ "lookback,block=384,circuit=brentkung", 2 },
	{ "lookback-serial,block=480,circuit=raking,fan=2,residency=1", 1 },
	{ "fan,block=256,circuit=koggestone", 1 },
	{ "fan,block=128,circuit=raking", 4 },
	{ "reduce,block=512,circuit=brentkung", 1 },
	{ "reduce,block=256,circuit=brentkung-inplace", 2 },
	{ "reduce-fixed,block=256,circuit=koggestone", 2 },
	{ "reduce-fixed,block=512,circuit=raking,fan=16,partials=264", 2 },
	{ NULL, 0 } };

int main(void)
{
	return grid_main(points, 9);
}
