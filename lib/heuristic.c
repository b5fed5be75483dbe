/* SPDX-License-Identifier: MIT
 *
 * The numbers here were measured on an H200 and scaled by what other devices have.  They need not be the best anywhere:
 * scantune finds that.  They have to fit everywhere.
 */
#include "heuristic.h"

#include <inttypes.h>

#include "../kernels/abi.h"
#include "heuristic_wide.h"
#include "status.h"

/* Below this many bytes of input and output the look-back's shorter start wins over the look-ahead's bandwidth: they
 * met between 8 and 16 MiB on an H200. */
#define LOOKAHEAD_BYTES (UINT64_C(12) << 20)

/* From this many bytes of input on, up to two tiles for each multiprocessor, one trip to all totals is faster than
 * windows of look-back: they met between 0.4 and 0.6 MB on an H200. */
#define TOTALS_BYTES (UINT64_C(512) << 10)
#define TOTALS_TILES 2

/* Look-ahead runs everywhere; the bulk copies that make it the fastest came with compute capability 9.0. */
#define LOOKAHEAD_CAPABILITY 90
#define FEWER_BYTES_CAPABILITY 100

/* Elements a thread where each takes the compiler long. */
#define HEAVY_ITEMS 4

/* The widest of the three types is what a thread holds its items in, at one time or another. */
static size_t largest_element(const struct srt_problem *problem)
{
	size_t size = srt_problem_size(problem, SRT_INPUT);

	if (srt_problem_size(problem, SRT_ACCUMULATOR) > size)
		size = srt_problem_size(problem, SRT_ACCUMULATOR);
	if (srt_problem_size(problem, SRT_OUTPUT) > size)
		size = srt_problem_size(problem, SRT_OUTPUT);
	return size;
}

static size_t bytes_per_element(const struct srt_problem *problem)
{
	return srt_problem_size(problem, SRT_INPUT) + srt_problem_size(problem, SRT_OUTPUT);
}

static struct srt_variant make(enum srt_strategy strategy, int block, int items)
{
	struct srt_variant variant;

	srt_variant_init(&variant, strategy);
	variant.block = block;
	variant.items = items;
	return variant;
}

/* Composition is dearer than addition, as a rule, and does not commute.  Raked slices repeat the caller's operator for
 * every element of a thread: tables of 16 states took 300 KB of code and spilled; in place they are twice as fast. */
static bool is_heavy(const struct srt_problem *problem)
{
	return problem->op == SCANRT_OPERATOR_USER && !srt_problem_is_commutative(problem) &&
		srt_problem_size(problem, SRT_ACCUMULATOR) > 8;
}

/* As many items as the widest type fits into so many vectors, which is what bounds the registers; whole vectors of what
 * is moved.  Few of what is narrow in memory only: each is a copy of the operator to compile, and tables of 16 states
 * by 16 elements a thread took seven seconds. */
static int items_of(const struct srt_problem *problem, int vectors)
{
	int vector = srt_problem_vector(problem);
	int items = vectors * 16 / (int)largest_element(problem) / vector * vector;

	if (is_heavy(problem) && vector > HEAVY_ITEMS)
		return HEAVY_ITEMS;
	return items > 0 ? items : vector;
}

/* One- and two-byte elements need many items to fill a tile; a wide accumulator's registers bound them. */
static int narrow_items(const struct srt_problem *problem, int vectors)
{
	int items = srt_problem_vector(problem) * vectors;
	int most = 128 / (int)srt_problem_size(problem, SRT_ACCUMULATOR);

	int vector = srt_problem_vector(problem);

	return items < most ? items : most < vector ? vector : most / vector * vector;
}

static bool is_fit(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	return srt_variant_check(variant, problem, device) == SCANRT_OK;
}

/* As many threads as there are registers for, beside `role_threads` that hold few. */
static void limit_block(struct srt_variant *variant, const struct srt_problem *problem, int role_threads)
{
	int most;

	variant->items = srt_wide_items(problem, variant->items);
	most = srt_wide_threads(problem, variant->items) - role_threads;

	/* The entries that are in flight together are held in registers, tags and all. */
	if (variant->gather > 1 && srt_problem_tile_words(problem) > 4)
		variant->gather = 1;
	if (variant->block > most)
		variant->block = most > 32 ? most : 32;
	if (variant->residency * variant->block > most)
		variant->residency = 1;
}

/* Two vectors a thread: enough loads in flight for one tile, and few enough that the scan of a thread stays short. */
static bool make_block(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device, int block)
{
	*variant = make(SRT_BLOCK, block, items_of(problem, 2));
	limit_block(variant, problem, 0);
	return is_fit(variant, problem, device);
}

/* Sixteen small blocks, one vector a thread, then larger ones of three.  Whether sixteen fit is known only once they
 * are compiled; what they cannot serve, look-back does. */
static bool make_cluster(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device, bool is_large)
{
	*variant = make(SRT_CLUSTER, is_large ? 256 : 160, items_of(problem, is_large ? 3 : 1));
	variant->cluster = 16;
	return is_fit(variant, problem, device);
}

/* Four vectors a thread were the best of look-back on an H200, two of single bytes, of which more do not stay in
 * registers everywhere; a device that is short of something gets fewer. */
static bool make_lookback(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	int vectors = largest_element(problem) == 1 ? 2 : 4;

	for (; vectors > 0; vectors--) {
		*variant = make(SRT_LOOKBACK, 256, items_of(problem, vectors));
		if (is_heavy(problem))
			variant->residency = 1;
		limit_block(variant, problem, 0);
		if (is_fit(variant, problem, device))
			return true;
	}
	return false;
}

/* Where launches overlap, as the tickets' latency is hidden there, and the totals fit few words.  Bytes, of which a
 * block of this size has no registers for as many, stay with look-back. */
static bool make_totals(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	*variant = make(SRT_TOTALS, 512, items_of(problem, 2));
	variant->gather = 1;
	return device->capability >= LOOKAHEAD_CAPABILITY && device->sm_count > 0 && !problem->user &&
		srt_problem_vector(problem) < 16 && srt_problem_tile_words(problem) <= 2 &&
		is_fit(variant, problem, device);
}

struct ring {
	int block;
	int vectors;
	int stages;
	int ahead; /* this and the next one: of raked slices */
	int gather;
};

/* Single bytes are unpacked to a register each, which the threads of a smaller block have more of; compiled for
 * capability 10.0 and up, a thread has no registers for as many. */
static struct ring ring_of(const struct srt_problem *problem, const struct srt_device *device)
{
	static const struct ring bytes = { 384, 4, 8, 0, 0 };
	static const struct ring fewer_bytes = { 256, 2, 8, 0, 0 };
	static const struct ring narrow = { 512, 4, 6, 0, 0 };
	static const struct ring wide = { 448, 6, 5, 0, 0 };
	int vector = srt_problem_vector(problem);

	if (vector == 16)
		return device->capability < FEWER_BYTES_CAPABILITY ? bytes : fewer_bytes;
	return vector == 8 ? narrow : wide;
}

/* Scalars as they are, whose raked slices do with the 96 registers that 14 warps and three leave a thread.  Products of
 * bytes do not. */
static bool is_light(const struct srt_problem *problem)
{
	int type = problem->accumulator_type;

	return !problem->user && type <= SCANRT_F64 && problem->input_type == type &&
		problem->output_type == type && (srt_type_size(type) > 1 || problem->op != SCANRT_PROD);
}

/* The same of scalars of 16 bytes, of which complex products take more registers. */
static bool is_light_vector(const struct srt_problem *problem)
{
	int type = problem->accumulator_type;

	return !problem->user && problem->input_type == type && problem->output_type == type &&
		(type == SCANRT_I128 || type == SCANRT_U128 ||
			(type == SCANRT_C128 && problem->op == SCANRT_SUM));
}

/* Slices scanned in their stages: big tiles, since a stage is free again soon.  An odd number of vectors has no bank
 * conflicts.  14 warps are 1 % faster than 13 on an H200, but 13 and three leave a thread 128 registers. */
static struct ring raked_ring_of(const struct srt_problem *problem)
{
	static const struct ring words = { 448, 7, 4, 2, 2 }, others = { 416, 7, 4, 2, 2 };
	static const struct ring vectors = { 480, 7, 4, 2, 4 };
	static const struct ring narrowed[] = { { 416, 7, 4, 2, 4 }, { 448, 7, 4, 2, 4 } };
	static const struct ring widened[] = { { 416, 9, 5, 2, 2 }, { 448, 7, 5, 2, 2 }, { 448, 7, 8, 3, 2 } };
	size_t in = srt_problem_size(problem, SRT_INPUT);
	size_t out = srt_problem_size(problem, SRT_OUTPUT);
	int vector = srt_problem_vector(problem);

	if (is_light(problem))
		return words;
	if (is_light_vector(problem))
		return vectors;
	/* The fewer bytes a tile's results take, the faster tiles follow one another. */
	if (in > out)
		return narrowed[in / out >= 4 && vector >= 4];
	/* The smaller the elements, the less room their tiles take, beside that of the results. */
	if (in < out)
		return widened[vector < 4 ? 0 : out / in < 4 ? 1 : 2];
	return vector == 4 ? words : others;
}

/* Where a block may have 99 KB only, three small tiles. */
static bool make_raked(struct srt_variant *variant, const struct srt_problem *problem, const struct srt_device *device)
{
	struct ring ring = raked_ring_of(problem);

	for (; ring.vectors >= 5; ring.vectors -= 2) {
		*variant = make(SRT_LOOKAHEAD, ring.block, ring.vectors * srt_problem_vector(problem));
		variant->stages = ring.stages;
		variant->ahead = ring.ahead;
		variant->gather = ring.gather;
		variant->store = SRT_ACCESS_BULK;
		if (is_fit(variant, problem, device))
			return true;
	}
	variant->block = 256;
	variant->items = 7 * srt_problem_vector(problem);
	variant->stages = 3;
	variant->ahead = 1;
	return is_fit(variant, problem, device);
}

/* A ring of big tiles: what does not fit is made to, first by fewer tiles, then by smaller ones. */
static bool make_lookahead(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	bool is_narrow = srt_problem_vector(problem) >= 8;
	struct ring ring = ring_of(problem, device);
	int vectors;
	int stages;

	if (device->capability < LOOKAHEAD_CAPABILITY)
		return false;
	if (!is_heavy(problem) && make_raked(variant, problem, device))
		return true;
	if (srt_wide_make_in_place(variant, problem, device))
		return true;
	if (srt_wide_is_tight(problem) || is_heavy(problem))
		return false;
	for (vectors = ring.vectors; vectors > 0; vectors -= 2)
		for (stages = ring.stages; stages >= 3; stages--) {
			*variant = make(SRT_LOOKAHEAD, ring.block,
				is_narrow ? narrow_items(problem, vectors) : items_of(problem, vectors));
			limit_block(variant, problem, 96);
			variant->stages = stages;
			variant->ahead = stages - (stages > 5 ? 3 : 2);
			if (is_fit(variant, problem, device))
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

/* A cluster, of which small counts take one block; a larger one takes over from there.  Where there are no clusters, a
 * small block, which starts faster, and a large one. */
static size_t append_blocks(struct srt_range *ranges, const struct srt_problem *problem,
	const struct srt_device *device)
{
	struct srt_variant variants[2];
	size_t made = 0;
	size_t count = 0;
	size_t i;

	if (make_cluster(&variants[made], problem, device, false))
		made++;
	else
		made += make_block(&variants[made], problem, device, 128);
	if (made > 0 && variants[0].strategy == SRT_CLUSTER)
		made += make_cluster(&variants[made], problem, device, true);
	else
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
	struct srt_variant totals;
	struct srt_variant lookahead;
	bool has_lookback = make_lookback(&lookback, problem, device);
	bool has_lookahead = make_lookahead(&lookahead, problem, device);
	struct srt_error error;
	size_t count;

	if (srt_wide_is_large(problem)) {
		srt_wide_make_large(&lookback, problem, device);
		has_lookback = is_fit(&lookback, problem, device);
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
	if (has_lookback && has_lookahead && make_totals(&totals, problem, device)) {
		meeting = TOTALS_TILES * (uint64_t)device->sm_count * srt_variant_tile(&totals);
		count = append(ranges, count, &lookback, TOTALS_BYTES / srt_problem_size(problem, SRT_INPUT),
			problem->max_count);
		count = append(ranges, count, &totals, meeting, problem->max_count);
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
