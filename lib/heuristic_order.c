/* SPDX-License-Identifier: MIT
 *
 * The variants of SCANRT_REPRODUCIBLE: an order of combination that is promised for ever, and the room that a device
 * has for it.  libscanrt(7) describes the order.
 */
#include "../kernels/abi.h"
#include "heuristic.h"
#include "heuristic_parts.h"
#include "heuristic_wide.h"
#include "status.h"
#include "strategy.h"

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* By rows: as many items as the widest type fits into two to four vectors. */
static int row_items(const struct srt_problem *problem)
{
	size_t input = srt_problem_size(problem, SRT_INPUT);
	size_t rest = larger(srt_problem_size(problem, SRT_ACCUMULATOR), srt_problem_size(problem, SRT_OUTPUT));
	int largest = (int)larger(input, rest);
	int vector = srt_problem_vector(problem);
	int vectors = largest == 1 ? 2 : (int)input < largest ? 4 : 3;
	int items = vectors * 16 / largest / vector * vector;

	return srt_wide_items(problem, items > 0 ? items : vector);
}

bool srt_problem_is_exact(const struct srt_problem *problem)
{
	if (problem->op == SCANRT_OPERATOR_USER)
		return false;
	switch (problem->op) {
	case SCANRT_MIN:
	case SCANRT_MAX:
	case SCANRT_ARGMIN:
	case SCANRT_ARGMAX:
	case SCANRT_LAST_VALID:
		return true;
	default:
		return !srt_type_is_float(problem->accumulator_type);
	}
}

bool srt_variant_is_repeatable(const struct srt_variant *variant, const struct srt_problem *problem)
{
	return srt_strategy_find(variant->strategy)->is_repeatable || srt_problem_is_exact(problem);
}

/* What decides on the order of combination: forever, since results would have other bits. */
static struct srt_variant make_order(const struct srt_problem *problem)
{
	static const struct srt_device least; /* of which nothing is known */
	bool is_narrowed = srt_problem_size(problem, SRT_INPUT) > srt_problem_size(problem, SRT_OUTPUT);
	int vectors = is_narrowed ? 5 : 7;
	struct srt_variant variant = srt_default_make(SRT_LOOKAHEAD, 256, vectors * srt_problem_vector(problem));

	variant.store = SRT_ACCESS_BULK;
	variant.stages = 2;
	variant.ahead = 1;
	if (srt_problem_size(problem, SRT_ACCUMULATOR) <= SCAN_WIDE_BYTES &&
			srt_variant_check(&variant, problem, &least) == SCANRT_OK)
		return variant;
	if (srt_wide_order_in_place(&variant, problem))
		return variant;
	variant = srt_default_make(SRT_LOOKAHEAD, 256, row_items(problem));
	variant.block = srt_wide_reproducible_block(problem, variant.items);
	return variant;
}

/* Blocks of two to a multiprocessor are slower for elements of up to 4 bytes, and have too few registers for maxima of
 * doubles, which look at NaNs and at the sign of zero. */
static bool is_alone(const struct srt_problem *problem)
{
	return srt_problem_vector(problem) >= 4 || (problem->accumulator_type == SCANRT_F64 &&
		(problem->op == SCANRT_MIN || problem->op == SCANRT_MAX));
}

/* The ring may be another one on each device.  On an H200, two blocks of three tiles each are nearly as fast as one of
 * four tiles of twice the size for 8-byte elements; for narrower ones, one of seven tiles is.  The smallest ring fits
 * everywhere.  By rows, a thread has no registers for two blocks either, and tiles are small: three fit. */
int srt_heuristic_reproducible(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	static const struct { int residency, stages, ahead; } rings[] = {
		{ 2, 3, 1 }, { 1, 7, 4 }, { 1, 5, 3 }, { 1, 4, 2 }, { 1, 3, 1 }, { 1, 2, 1 } };
	struct srt_error error;
	int status = SCANRT_OK;
	size_t i = 0;

	srt_error_save(&error);
	*variant = make_order(problem);
	if (variant->store == SRT_ACCESS_PLACE)
		i = 2;
	else if (variant->store != SRT_ACCESS_BULK)
		i = 4;
	else if (is_alone(problem))
		i = 1;
	for (; i < sizeof(rings) / sizeof(rings[0]); i++) {
		variant->residency = rings[i].residency;
		variant->stages = rings[i].stages;
		variant->ahead = rings[i].ahead;
		status = srt_variant_check(variant, problem, device);
		if (!status)
			break;
	}
	if (!status)
		srt_error_restore(&error);
	return status;
}

/* One tile by one block in the same order, which starts faster. */
bool srt_heuristic_reproducible_block(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	struct srt_variant order = make_order(problem);

	*variant = srt_default_make(SRT_BLOCK, order.block, order.items);
	variant->store = SRT_ACCESS_BULK;
	return order.store == SRT_ACCESS_BULK && srt_variant_check(variant, problem, device) == SCANRT_OK;
}

/* Up to nine tiles for four multiprocessors, one trip to all totals is faster than a ring. */
#define TILES_AT_ONCE 2
#define MOST_TILES(sm_count) ((uint64_t)(sm_count) * 9 / 4)
#define OVERLAP_CAPABILITY 90
#define MOST_TILE_WORDS 2

bool srt_heuristic_reproducible_totals(struct srt_variant *variant, uint64_t *most, const struct srt_problem *problem,
	const struct srt_device *device)
{
	struct srt_variant order = make_order(problem);

	*variant = srt_default_make(SRT_TOTALS, order.block, order.items);
	variant->store = SRT_ACCESS_BULK;
	variant->residency = TILES_AT_ONCE;
	variant->gather = 2;
	*most = MOST_TILES(device->sm_count > 0 ? device->sm_count : 0) * srt_variant_tile(variant);
	return order.store == SRT_ACCESS_BULK && device->capability >= OVERLAP_CAPABILITY && device->sm_count > 0 &&
		srt_problem_tile_words(problem) <= MOST_TILE_WORDS &&
		srt_variant_check(variant, problem, device) == SCANRT_OK;
}

static bool has_default(const struct srt_variant *variant, const char *name)
{
	const struct srt_knob *knob = srt_knob_find(name);

	return srt_knob_get(knob, variant) == srt_knob_default(knob, variant->strategy);
}

/* Another scan of a warp, or of a block, combines within a tile in another order. */
static bool has_order(const struct srt_variant *variant)
{
	return has_default(variant, "warp") && has_default(variant, "circuit") && has_default(variant, "fan") &&
		(variant->strategy == SRT_LOOKAHEAD ||
			((variant->strategy == SRT_BLOCK || variant->strategy == SRT_TOTALS) &&
				variant->store == SRT_ACCESS_BULK));
}

bool srt_variant_is_same_order(const struct srt_variant *a, const struct srt_variant *b)
{
	return has_order(a) && has_order(b) && a->block == b->block && a->items == b->items &&
		(a->store == SRT_ACCESS_BULK) == (b->store == SRT_ACCESS_BULK) &&
		(a->store == SRT_ACCESS_PLACE) == (b->store == SRT_ACCESS_PLACE);
}
