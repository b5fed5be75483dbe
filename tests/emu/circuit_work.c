/* SPDX-License-Identifier: MIT */
#include "circuit_work.h"

#include <stddef.h>

#define BANKS 32

/* ---- Bank conflicts ---- */

/* Passes beyond the first for lanes whose words are `distance` apart. */
static unsigned conflicts_apart(unsigned lanes, unsigned distance)
{
	unsigned in_bank[BANKS] = { 0 }, most = 1;

	for (unsigned lane = 0; lane < lanes && distance > 0; lane++)
		if (++in_bank[lane * distance % BANKS] > most)
			most = in_bank[lane * distance % BANKS];
	return most - 1;
}

/* The same for lanes that touch neighbours, in a level whose every `fan` values begin an odd distance after those
 * before. */
static unsigned conflicts_padded(unsigned first, unsigned end, unsigned fan)
{
	unsigned in_bank[BANKS] = { 0 }, most = 1;

	for (unsigned i = first; i < end; i++)
		if (++in_bank[(i / fan * (fan | 1) + i % fan) % BANKS] > most)
			most = in_bank[(i / fan * (fan | 1) + i % fan) % BANKS];
	return most - 1;
}

/* Accesses by the threads 0 .. count-1, a warp at a time. */
static uint64_t warps_apart(unsigned count, unsigned distance)
{
	uint64_t sum = 0;

	for (unsigned first = 0; first < count; first += LANES)
		sum += conflicts_apart(count - first < LANES ? count - first : LANES, distance);
	return sum;
}

/* Thread k touches value k - back of a level, for k from `back` on. */
static uint64_t warps_padded(unsigned count, unsigned back, unsigned fan)
{
	uint64_t sum = 0;

	for (unsigned first = 0; first < count; first += LANES)
		sum += conflicts_padded(first < back ? 0 : first - back,
			(count < first + LANES ? count : first + LANES) - back, fan);
	return sum;
}

/* ---- The circuits, level by level, over n values ---- */

static struct work kogge_stone(unsigned n, unsigned fan)
{
	struct work work = { .stores = n };

	(void)fan;
	for (unsigned reach = 1; reach < n; reach *= 2) {
		work.applies += n - reach;
		work.loads += n - reach;
		work.stores += n - reach;
		work.barriers += 2;
	}
	return work;
}

static void add_pairs(struct work *work, unsigned nodes, unsigned distance)
{
	work->applies += nodes;
	work->loads += 2 * nodes;
	work->stores += nodes;
	work->conflicts += 3 * warps_apart(nodes, distance);
	work->barriers++;
}

static struct work brent_kung_in_place(unsigned n, unsigned fan)
{
	struct work work = { .stores = n };
	unsigned stride = 1;

	(void)fan;
	for (; 2 * stride <= n; stride *= 2)
		add_pairs(&work, n / (2 * stride), 2 * stride);
	for (stride /= 2; stride >= 1; stride /= 2)
		if (n / stride > 2)
			add_pairs(&work, (n / stride - 1) / 2, 2 * stride);
	return work;
}

static struct work brent_kung(unsigned n, unsigned fan)
{
	struct work work = { .stores = n };

	(void)fan;
	for (; n > 1; n /= 2) {
		unsigned up = n / 2, down = (n - 1) / 2;

		work.applies += up + down;
		work.loads += 2 * up + up + down;
		work.stores += up + up + down;
		work.barriers += 2;
		work.conflicts += 2 * warps_apart(up, 2) + warps_apart(up, 2) + 2 * warps_apart(down, 2);
	}
	return work;
}

static struct work raking(unsigned n, unsigned fan)
{
	struct work work = { .stores = n, .conflicts = warps_padded(n, 0, fan) + warps_padded(n, 1, fan) };

	for (; n > 1; n = (n + fan - 1) / fan) {
		unsigned nodes = (n + fan - 1) / fan;

		/* Up, a node reads its values and writes one; down, it reads what comes before it, its own result and
		 * all of its values but the last. */
		work.applies += n - nodes + n - nodes - 1;
		work.loads += n + nodes - 1 + n;
		work.stores += nodes + n;
		work.barriers += 2;
		work.conflicts += warps_padded(nodes, 0, fan) + warps_padded(nodes, 1, fan) +
			warps_padded(n / fan, 0, fan);
	}
	return work;
}

const struct circuit circuits[] = {
	{ "koggestone", kogge_stone, 2 },
	{ "brentkung-inplace", brent_kung_in_place, 2 },
	{ "brentkung", brent_kung, 2 },
	{ "raking,fan=2", raking, 2 },
	{ "raking,fan=3", raking, 3 },
	{ "raking,fan=8", raking, 8 },
	{ "raking,fan=32", raking, 32 },
	{ NULL, NULL, 0 },
};
