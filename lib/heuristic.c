/* SPDX-License-Identifier: MIT
 *
 * The numbers here were measured on an H200 and scaled by what other devices have.  They need not be the best anywhere:
 * scantune finds that.  They have to fit everywhere.
 */
#include "heuristic.h"

#include <inttypes.h>

#include "../kernels/abi.h"
#include "heuristic_parts.h"
#include "heuristic_wide.h"
#include "status.h"

/* Below this many bytes of input and output the look-back's shorter start wins over the look-ahead's bandwidth: they
 * met between 8 and 16 MiB on an H200. */
#define LOOKAHEAD_BYTES (UINT64_C(12) << 20)

static size_t bytes_per_element(const struct srt_problem *problem)
{
	return srt_problem_size(problem, SRT_INPUT) + srt_problem_size(problem, SRT_OUTPUT);
}

/* Two vectors a thread: enough loads in flight for one tile, and few enough that the scan of a thread stays short. */
static bool make_block(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device, int block)
{
	*variant = srt_default_make(SRT_BLOCK, block, srt_default_items(problem, 2));
	srt_default_limit_block(variant, problem, 0);
	return srt_default_is_fit(variant, problem, device);
}

/* Sixteen small blocks, one vector a thread, then larger ones of two and three; of words, two make little difference.
 * Whether sixteen fit is known only once they are compiled; what they cannot serve, the next range does. */
static bool make_cluster(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device, int block, int vectors)
{
	bool is_wider = srt_default_widest(problem) > 2 * srt_problem_size(problem, SRT_INPUT);
	int items = problem->user || is_wider ? srt_default_items(problem, vectors) :
		vectors * srt_problem_vector(problem);

	*variant = srt_default_make(SRT_CLUSTER, block, items);
	variant->cluster = 16;
	return srt_default_is_fit(variant, problem, device);
}

/* Four vectors a thread were the best of look-back on an H200, two of single bytes, of which more do not stay in
 * registers everywhere; a device that is short of something gets fewer. */
static bool make_lookback(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	int vectors = srt_default_widest(problem) == 1 ? 2 : 4;

	for (; vectors > 0; vectors--) {
		*variant = srt_default_make(SRT_LOOKBACK, 256, srt_default_items(problem, vectors));
		if (srt_default_is_heavy(problem))
			variant->residency = 1;
		srt_default_limit_block(variant, problem, 0);
		if (srt_default_is_fit(variant, problem, device))
			return true;
	}
	return false;
}

/* Appends a range up to `high`, which later ranges start from; drops what starts beyond the plan's bound. */
static size_t append(struct srt_range *ranges, size_t count, const struct srt_variant *variant, uint64_t high,
	uint64_t max_count)
{
	uint64_t low = count ? ranges[count - 1].high_count + 1 : 1;

	if (low > max_count || high < low)
		return count;
	ranges[count].low_count = low;
	ranges[count].high_count = high < max_count ? high : max_count;
	ranges[count].variant = *variant;
	return count + 1;
}

/* Which of the clusters the elements are best off with.  One of logarithms alone, since the fewer elements a thread has
 * the better; and few of the caller's types, since they all are to compile. */
static bool is_cluster_of(const struct srt_problem *problem, int block, int vectors)
{
	int vector = srt_problem_vector(problem);
	bool is_sum = problem->op == SCANRT_SUM && problem->accumulator_type <= SCANRT_U64;

	if (problem->user || problem->op == SCANRT_LOGADDEXP)
		return block == 160 || (vectors == 3 && problem->user);
	if (block == 128)
		return vector == 16 || (vector == 8 && !is_sum);
	if (block == 160)
		return vector != 8 || is_sum;
	if (block == 192)
		return vector == 8;
	return vectors == 3 || vector != 4;
}

/* A cluster, of which small counts take one block; a larger one takes over from there.  Where there are no clusters, a
 * small block, which starts faster, and a large one. */
static size_t append_blocks(struct srt_range *ranges, const struct srt_problem *problem,
	const struct srt_device *device)
{
	static const struct { int block, vectors; } clusters[] = { { 128, 1 }, { 160, 1 }, { 192, 1 }, { 256, 2 },
		{ 256, 3 } };
	struct srt_variant variants[sizeof(clusters) / sizeof(clusters[0])];
	size_t made = 0;
	size_t count = 0;
	size_t i;

	for (i = 0; i < sizeof(clusters) / sizeof(clusters[0]); i++) {
		if (!is_cluster_of(problem, clusters[i].block, clusters[i].vectors))
			continue;
		made += make_cluster(&variants[made], problem, device, clusters[i].block, clusters[i].vectors);
	}
	if (made == 0)
		made += make_block(&variants[made], problem, device, 128);
	if (variants[0].strategy != SRT_CLUSTER)
		made += make_block(&variants[made], problem, device, 512);
	for (i = 0; i < made; i++)
		count = append(ranges, count, &variants[i], srt_variant_max_count(&variants[i]), problem->max_count);
	return count;
}

/* Values that stay in shared memory: what a tile costs beside its elements is so much that few tiles a multiprocessor
 * are best, as large as the count allows. */
static size_t append_large(struct srt_range *ranges, size_t count, const struct srt_variant *large,
	const struct srt_device *device, uint64_t high, uint64_t max_count)
{
	static const int items[][2] = { { 8, 8 }, { 19, 15 }, { 38, 30 }, { 76, 60 } }; /* of one block, of several */
	const size_t last = sizeof(items) / sizeof(items[0]) - 1;
	struct srt_variant variant = *large;
	size_t i;

	for (i = 0; i <= last; i++) {
		uint64_t wave;

		variant.items = items[i][variant.residency > 1];
		wave = (uint64_t)device->sm_count * (uint64_t)variant.residency * srt_variant_tile(&variant);
		if (wave >= high || device->sm_count <= 0 || i == last)
			wave = high;
		count = append(ranges, count, &variant, wave, max_count);
	}
	return count;
}

size_t srt_heuristic_ranges(struct srt_range ranges[SRT_HEURISTIC_MAX], const struct srt_problem *problem,
	const struct srt_device *device)
{
	uint64_t meeting = LOOKAHEAD_BYTES / bytes_per_element(problem);
	struct srt_variant lookback;
	struct srt_default_range totals[SRT_DEFAULT_TOTALS_MAX];
	struct srt_variant lookahead;
	bool has_lookback = make_lookback(&lookback, problem, device);
	bool has_lookahead = srt_default_lookahead(&lookahead, problem, device);
	struct srt_error error;
	size_t made = 0;
	size_t count;
	size_t i;

	if (srt_wide_is_large(problem)) {
		srt_wide_make_large(&lookback, problem, device);
		has_lookback = srt_default_is_fit(&lookback, problem, device);
		has_lookahead = has_lookahead && lookahead.store == SRT_ACCESS_PLACE;
	}
	/* Asked again for its record: the latest refusal is what the caller will be told. */
	if (!has_lookback && !has_lookahead) {
		srt_variant_check(&lookback, problem, device);
		return 0;
	}
	/* The refusals on the way here are no failure of the call. */
	srt_error_clear();
	srt_error_save(&error);
	count = srt_wide_is_large(problem) ? 0 : append_blocks(ranges, problem, device);
	if (has_lookback && has_lookahead && !srt_wide_is_large(problem))
		made = srt_default_totals(totals, problem, device);
	if (made > 0) {
		if (srt_default_is_rolled(problem))
			count = append(ranges, count, &lookback,
				(uint64_t)device->sm_count * srt_variant_tile(&lookback),
				problem->max_count);
		for (i = 0; i < made; i++)
			count = append(ranges, count, &totals[i].variant, totals[i].high_count, problem->max_count);
	} else if (has_lookback && srt_wide_is_large(problem)) {
		count = append_large(ranges, count, &lookback, device, has_lookahead ? meeting : UINT64_MAX,
			problem->max_count);
	} else if (has_lookback) {
		count = append(ranges, count, &lookback, has_lookahead ? meeting : UINT64_MAX, problem->max_count);
	}
	if (has_lookahead)
		count = append(ranges, count, &lookahead, UINT64_MAX, problem->max_count);
	srt_error_restore(&error);
	return count;
}

/* The range is found as if the plan were unbounded: what serves a count does not depend on the plan's bound. */
int srt_heuristic_at(struct srt_variant *variant, const struct srt_problem *problem, const struct srt_device *device,
	uint64_t count)
{
	struct srt_range ranges[SRT_HEURISTIC_MAX];
	struct srt_problem unbounded = *problem;
	size_t used;
	size_t i;

	if (unbounded.max_count < count)
		unbounded.max_count = count;
	used = srt_heuristic_ranges(ranges, &unbounded, device);
	if (used == 0)
		return srt_error_last()->status;
	for (i = 0; i + 1 < used && ranges[i].high_count < count; i++)
		continue;
	*variant = ranges[i].variant;
	return SCANRT_OK;
}
