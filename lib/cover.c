/* SPDX-License-Identifier: MIT
 *
 * The tuner measures a few counts, and a plan has to serve all.  Between measurements the nearer one is the better
 * guess, where near is by ratio, as times are; but the size of the L2 cache is a border, since what wins on one side of
 * it is limited by something else than on the other.
 */
#include "cover.h"

/* The largest count whose input and output fit the L2 cache; UINT64_MAX where that is not known. */
static uint64_t cached_count(const struct srt_problem *problem, const struct srt_device *device)
{
	size_t bytes = srt_problem_size(problem, SRT_INPUT) + srt_problem_size(problem, SRT_OUTPUT);

	return device->l2_bytes > 0 ? (uint64_t)device->l2_bytes / bytes : UINT64_MAX;
}

/* Beyond this a variant cannot go, whatever it was measured to win: its tile, or the tickets, or the plan itself,
 * ends. */
static uint64_t reach_of(const struct srt_range *range, const struct srt_problem *problem)
{
	uint64_t most = srt_variant_max_count(&range->variant);

	return most < problem->max_count ? most : problem->max_count;
}

/* The integer square root, by Newton from above. */
static uint64_t square_root(uint64_t value)
{
	uint64_t root = value;
	uint64_t next = value / 2 + 1;

	while (next < root) {
		root = next;
		next = (root + value / root) / 2;
	}
	return root;
}

/* Counts matter by their ratio: the middle of a gap is its geometric mean. */
static uint64_t middle(uint64_t low, uint64_t high)
{
	return low < UINT32_MAX && high < UINT32_MAX ? square_root(low * high) : low / 2 + high / 2;
}

/* The gap between two ranges on one side of the cache's size is closed; one that crosses it is closed as far as the
 * earlier variant can run. */
static void cover_gap(struct srt_range *earlier, struct srt_range *later, uint64_t cached,
	const struct srt_problem *problem)
{
	uint64_t reach = reach_of(earlier, problem);
	bool is_crossing = earlier->high_count <= cached && cached < later->low_count;
	uint64_t end = is_crossing ? cached : middle(earlier->high_count, later->low_count - 1);

	if (earlier->high_count + 1 == later->low_count)
		return;
	earlier->high_count = end < reach ? end : reach;
	later->low_count = is_crossing ? cached + 1 : earlier->high_count + 1;
}

/* Blocks that share nothing in global memory: one alone, or a cluster. */
static bool is_stateless(int strategy)
{
	return strategy == SRT_BLOCK || strategy == SRT_CLUSTER;
}

/* How far the defaults go without state, which wins wherever it can serve at all; or with one block, where the variant
 * in question has no state itself. */
static uint64_t stateless_reach(int strategy, const struct srt_problem *problem, const struct srt_device *device)
{
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	size_t count = srt_heuristic_ranges(ranges, problem, device);
	uint64_t reach = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (ranges[i].variant.strategy == SRT_BLOCK ||
				(!is_stateless(strategy) && is_stateless(ranges[i].variant.strategy)))
			reach = ranges[i].high_count;
	return reach;
}

/* Large-count variants are not carried into the cache: there another bottleneck decides, and the defaults know that
 * side better than a measurement of the other one. */
static void cover_below(struct srt_range *first, uint64_t cached, bool is_alone, const struct srt_problem *problem,
	const struct srt_device *device)
{
	uint64_t start = 1;

	if (first->low_count > cached && !is_alone)
		start = cached + 1;
	else if (first->variant.strategy != SRT_BLOCK)
		start = stateless_reach(first->variant.strategy, problem, device) + 1;
	if (start < first->low_count)
		first->low_count = start;
}

/* The same on the other side. */
static void cover_above(struct srt_range *last, uint64_t cached, bool is_alone, const struct srt_problem *problem)
{
	uint64_t end = reach_of(last, problem);

	if (last->high_count <= cached && end > cached && !is_alone)
		end = cached;
	if (end > last->high_count)
		last->high_count = end;
}

/* Gaps first: they move the ends that the outer ranges are judged by. */
void srt_cover(struct srt_range *ranges, size_t count, const struct srt_problem *problem,
	const struct srt_device *device)
{
	uint64_t cached = cached_count(problem, device);
	size_t i;

	if (count == 0)
		return;
	for (i = 1; i < count; i++)
		cover_gap(&ranges[i - 1], &ranges[i], cached, problem);
	cover_below(&ranges[0], cached, count == 1, problem, device);
	cover_above(&ranges[count - 1], cached, count == 1, problem);
}
