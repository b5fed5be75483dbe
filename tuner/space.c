/* SPDX-License-Identifier: MIT
 *
 * The search space.  Items are thought of in vectors of 16 bytes: what is good for one element size is then good for
 * another, but for the narrow ones, which are bound by instructions.
 */
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "heuristic_wide.h"
#include "space.h"
#include "status.h"
#include "strategy.h"

/* One point; a 0 leaves the knob at its default. */
struct point {
	int strategy;
	int block;
	int vectors;
	int stages;
	int ahead;
	int residency;
	int gather;
	int teams;
	int cluster;
	int exchange;
	int partials;
	int warp_scan;
	int circuit;
	int fan;
	int load;
	int store;
	int items;   /* in place of vectors: of strategy large, and of store=place */
	int lanes;
};

#define BULK SRT_ACCESS_BULK
#define PLACE SRT_ACCESS_PLACE

/* Wide values, combined where they lie.  They come first. */
static const struct point wide[] = {
	{ .strategy = SRT_LOOKAHEAD, .block = 64, .items = 9, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 128, .items = 13, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 32, .items = 13, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE,
	  .teams = 2 },
	{ .strategy = SRT_LOOKAHEAD, .block = 352, .items = 9, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 480, .vectors = 7, .stages = 4, .ahead = 2, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 480, .vectors = 7, .stages = 4, .ahead = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 64, .items = 5, .stages = 5, .ahead = 3, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 160, .items = 11, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 32, .items = 11, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE,
	  .teams = 2 },
	{ .strategy = SRT_LOOKAHEAD, .block = 64, .items = 6, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 32, .items = 17, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE,
	  .teams = 2 },
	{ .strategy = SRT_LOOKAHEAD, .block = 64, .items = 7, .stages = 5, .ahead = 3, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 224, .items = 7, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 64, .items = 9, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE,
	  .teams = 2 },
	{ .strategy = SRT_LOOKAHEAD, .block = 64, .items = 3, .stages = 8, .ahead = 5, .gather = 2, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 416, .items = 7, .stages = 4, .ahead = 2, .gather = 1, .store = PLACE },
	{ .strategy = SRT_LOOKAHEAD, .block = 192, .items = 7, .stages = 5, .ahead = 3, .gather = 1, .store = PLACE },
};

/* Those that won somewhere, or nearly so, ordered so that any beginning of the list is a fair sample of all. */
static const struct point known[] = {
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 7, .stages = 4, .ahead = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 384, .vectors = 6, .stages = 6, .ahead = 4 },
	{ .strategy = SRT_BLOCK, .block = 512, .vectors = 2 },
	{ .strategy = SRT_LOOKBACK, .block = 512, .vectors = 6 },
	{ .strategy = SRT_TOTALS, .block = 512, .vectors = 4, .gather = 1 },
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 5, .stages = 6, .ahead = 3, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 512, .vectors = 4, .stages = 6, .ahead = 3 },
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 7, .stages = 8, .ahead = 3, .gather = 2, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 7, .stages = 5, .ahead = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 416, .vectors = 9, .stages = 5, .ahead = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 416, .vectors = 7, .stages = 4, .ahead = 2, .store = BULK },
	{ .strategy = SRT_BLOCK, .block = 256, .vectors = 2 },
	{ .strategy = SRT_LOOKBACK, .block = 256, .vectors = 4 },
	{ .strategy = SRT_LOOKAHEAD, .block = 416, .vectors = 7, .stages = 4, .ahead = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_CLUSTER, .block = 256, .vectors = 2, .cluster = 8 },
	{ .strategy = SRT_LOOKAHEAD, .block = 512, .vectors = 6, .stages = 4, .ahead = 2 },
	{ .strategy = SRT_BLOCK, .block = 1024, .vectors = 1 },
	{ .strategy = SRT_TOTALS, .block = 512, .vectors = 3, .gather = 1 },
	{ .strategy = SRT_TOTALS, .block = 256, .vectors = 5, .residency = 3, .gather = 2, .store = BULK },
	{ .strategy = SRT_TOTALS, .block = 256, .vectors = 7, .residency = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_CLUSTER, .block = 512, .vectors = 2, .cluster = 16, .exchange = SRT_EXCHANGE_BLOCK },
	{ .strategy = SRT_CLUSTER, .block = 640, .vectors = 4, .cluster = 16, .exchange = SRT_EXCHANGE_BLOCK },
	{ .strategy = SRT_LOOKBACK, .block = 256, .vectors = 2 },
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 5, .stages = 6, .ahead = 3, .gather = 2, .store = BULK },
	{ .strategy = SRT_CLUSTER, .block = 160, .vectors = 1, .cluster = 16 },
	{ .strategy = SRT_CLUSTER, .block = 64, .vectors = 1, .cluster = 16 },
	{ .strategy = SRT_BLOCK, .block = 512, .vectors = 1 },
	{ .strategy = SRT_TOTALS, .block = 1024, .vectors = 2, .gather = 1 },
	{ .strategy = SRT_LOOKBACK, .block = 128, .vectors = 4 },
	{ .strategy = SRT_BLOCK, .block = 128, .vectors = 4 },
	{ .strategy = SRT_TOTALS, .block = 1024, .vectors = 4, .gather = 1 },
	{ .strategy = SRT_TOTALS, .block = 512, .vectors = 4, .residency = 2, .gather = 1 },
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 7, .stages = 4, .ahead = 2, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 320, .vectors = 7, .stages = 6, .ahead = 4, .gather = 2, .store = BULK },
	{ .strategy = SRT_LOOKBACK, .block = 512, .vectors = 4 },
	{ .strategy = SRT_CLUSTER, .block = 512, .vectors = 4, .cluster = 16, .exchange = SRT_EXCHANGE_BLOCK },
	{ .strategy = SRT_CLUSTER, .block = 512, .vectors = 6, .cluster = 16, .exchange = SRT_EXCHANGE_BLOCK },
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 6, .stages = 5, .ahead = 3 },
	{ .strategy = SRT_BLOCK, .block = 256, .vectors = 4 },
	{ .strategy = SRT_LOOKAHEAD, .block = 384, .vectors = 7, .stages = 5, .ahead = 3, .store = BULK },
	{ .strategy = SRT_LOOKBACK, .block = 256, .vectors = 6 },
	{ .strategy = SRT_TOTALS, .block = 512, .vectors = 2, .gather = 1 },
	{ .strategy = SRT_TOTALS, .block = 320, .vectors = 7, .residency = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_BLOCK, .block = 1024, .vectors = 2 },
	{ .strategy = SRT_CLUSTER, .block = 160, .vectors = 2, .cluster = 8 },
	{ .strategy = SRT_LOOKBACK, .block = 128, .vectors = 2, .residency = 8 },
	{ .strategy = SRT_TOTALS, .block = 384, .vectors = 1, .gather = 2 },
	{ .strategy = SRT_CLUSTER, .block = 256, .vectors = 2, .cluster = 16 },
	{ .strategy = SRT_TOTALS, .block = 384, .vectors = 5, .gather = 2, .store = BULK },
	{ .strategy = SRT_TOTALS, .block = 256, .vectors = 2, .gather = 1 },
	{ .strategy = SRT_CLUSTER, .block = 128, .vectors = 1, .cluster = 16 },
	{ .strategy = SRT_LOOKAHEAD, .block = 512, .vectors = 5, .stages = 5, .ahead = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_CLUSTER, .block = 256, .vectors = 4, .cluster = 16, .exchange = SRT_EXCHANGE_BLOCK },
	{ .strategy = SRT_LOOKAHEAD, .block = 512, .vectors = 5, .stages = 5, .ahead = 3 },
	{ .strategy = SRT_BLOCK, .block = 128, .vectors = 2 },
	{ .strategy = SRT_CLUSTER, .block = 320, .vectors = 1, .cluster = 8 },
	{ .strategy = SRT_CLUSTER, .block = 192, .vectors = 1, .cluster = 16 },
	{ .strategy = SRT_LOOKBACK, .block = 384, .vectors = 6 },
	{ .strategy = SRT_LOOKAHEAD, .block = 640, .vectors = 5, .stages = 4, .ahead = 2, .gather = 2, .store = BULK },
	{ .strategy = SRT_CLUSTER, .block = 256, .vectors = 3, .cluster = 16 },
	{ .strategy = SRT_LOOKBACK, .block = 512, .vectors = 2 },
	{ .strategy = SRT_BLOCK, .block = 1024, .vectors = 4 },
	{ .strategy = SRT_LOOKBACK, .block = 256, .vectors = 3 },
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 7, .stages = 4, .ahead = 2, .gather = 1, .store = BULK },
	{ .strategy = SRT_LOOKAHEAD, .block = 416, .vectors = 6, .stages = 5, .ahead = 3 },
	{ .strategy = SRT_BLOCK, .block = 512, .vectors = 4 },
	{ .strategy = SRT_LOOKBACK, .block = 512, .vectors = 6, .residency = 1 },
	{ .strategy = SRT_LOOKAHEAD, .block = 384, .vectors = 5, .stages = 7, .ahead = 4, .gather = 2, .store = BULK },
	{ .strategy = SRT_LOOKBACK, .block = 128, .vectors = 6 },
	{ .strategy = SRT_BLOCK, .block = 64, .vectors = 4 },
	{ .strategy = SRT_LOOKBACK, .block = 1024, .vectors = 4, .residency = 1 },
	{ .strategy = SRT_LOOKBACK, .block = 256, .vectors = 1 },
	{ .strategy = SRT_LOOKAHEAD, .block = 448, .vectors = 7, .stages = 4, .ahead = 2 },
	{ .strategy = SRT_TOTALS, .block = 256, .vectors = 5, .gather = 1 },
	{ .strategy = SRT_CLUSTER, .block = 128, .vectors = 3, .cluster = 16, .exchange = SRT_EXCHANGE_BLOCK,
	  .store = SRT_ACCESS_PLAIN },
	/* Beyond what --quick tries: those of several launches, for GPUs where blocks exchange slowly. */
	{ .strategy = SRT_REDUCE, .block = 256, .vectors = 4 },
	{ .strategy = SRT_REDUCE_FIXED, .block = 512, .vectors = 4, .partials = 528 },
	{ .strategy = SRT_LOOKBACK_SERIAL, .block = 256, .vectors = 4 },
	{ .strategy = SRT_REDUCE, .block = 512, .vectors = 4 },
	{ .strategy = SRT_REDUCE_FIXED, .block = 256, .vectors = 4 },
	{ .strategy = SRT_FAN, .block = 256, .vectors = 4 },
	{ .strategy = SRT_REDUCE, .block = 256, .vectors = 2 },
};

/* Of values that stay in shared memory: how many lanes move what one applies the operator to, and how many elements it
 * has in a row. */
static const struct point known_large[] = {
	{ .strategy = SRT_LARGE, .block = 320, .lanes = 32, .items = 76 },
	{ .strategy = SRT_LARGE, .block = 320, .lanes = 16, .items = 38 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 8, .items = 60, .residency = 2 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 16, .items = 48 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 8, .items = 119, .residency = 2 },
	{ .strategy = SRT_LARGE, .block = 320, .lanes = 32, .items = 38 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 8, .items = 16, .residency = 2 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 16, .items = 16 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 32, .items = 16 },
	{ .strategy = SRT_LARGE, .block = 160, .lanes = 16, .items = 76 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 8, .items = 30, .residency = 2 },
	{ .strategy = SRT_LARGE, .block = 320, .lanes = 32, .items = 26 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 16, .items = 24 },
	{ .strategy = SRT_LARGE, .block = 320, .lanes = 16, .items = 19 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 4, .items = 40 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 4, .items = 8 },
	{ .strategy = SRT_LARGE, .block = 256, .lanes = 16, .items = 8 },
	{ .strategy = SRT_LARGE, .block = 320, .lanes = 32, .items = 8 },
	{ .strategy = SRT_LARGE, .block = 192, .lanes = 8, .items = 16, .residency = 3 },
	{ .strategy = SRT_LARGE, .block = 128, .lanes = 4, .items = 3 },
	{ .strategy = SRT_LARGE, .block = 64, .lanes = 2, .items = 2 },
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

size_t tune_space_size(enum tune_effort effort, bool is_slow)
{
	static const size_t sizes[2][3] = { { 60, 112, 640 }, { 4, 12, 40 } };

	return sizes[is_slow][effort];
}

static void set(int *knob, int value)
{
	if (value)
		*knob = value;
}

/* A value that is much wider than what it is loaded from fills the registers of a thread sooner. */
static int items_of(const struct point *point, const struct srt_problem *problem)
{
	int vector = srt_problem_vector(problem);
	int width = (int)srt_problem_size(problem, SRT_ACCUMULATOR);
	int most = point->vectors * 16 / width / vector * vector;

	if (width <= 4 || most >= point->vectors * vector)
		return point->vectors * vector;
	return most > 0 ? most : vector;
}

static struct srt_variant variant_of(const struct point *point, const struct srt_problem *problem)
{
	struct srt_variant variant;

	srt_variant_init(&variant, (enum srt_strategy)point->strategy);
	set(&variant.block, point->block);
	variant.items = point->items ? point->items : items_of(point, problem);
	set(&variant.lanes, point->lanes);
	set(&variant.stages, point->stages);
	set(&variant.ahead, point->ahead);
	set(&variant.residency, point->residency);
	set(&variant.gather, point->gather);
	set(&variant.teams, point->teams);
	set(&variant.cluster, point->cluster);
	set(&variant.exchange, point->exchange);
	set(&variant.partials, point->partials);
	set(&variant.warp_scan, point->warp_scan);
	set(&variant.circuit, point->circuit);
	set(&variant.fan, point->fan);
	set(&variant.load, point->load);
	set(&variant.store, point->store);
	return variant;
}

bool tune_variant_is_equal(const struct srt_variant *a, const struct srt_variant *b)
{
	for (const struct srt_knob *knob = srt_knobs; knob->name; knob++)
		if (srt_knob_get(knob, a) != srt_knob_get(knob, b))
			return false;
	return a->strategy == b->strategy;
}

static int pick(uint64_t *state, const int *choices, size_t count)
{
	return choices[tune_random(state) % count];
}

/* Circuits that take all vectors through shared memory win where a shuffle is dear next to a barrier, which is seldom:
 * long values, few warps.  An eighth of the draws tries one. */
static void draw_circuit(struct point *point, uint64_t *state)
{
	static const int fans[] = { 0, 4, 16, 32 };

	if (tune_random(state) % 8)
		return;
	point->circuit = SRT_CIRCUIT_WARPS + 1 +
		(int)(tune_random(state) % (SRT_CIRCUIT_END - 1 - SRT_CIRCUIT_WARPS));
	point->warp_scan = 0;
	if (point->circuit == SRT_CIRCUIT_RAKING)
		point->fan = pick(state, fans, COUNT_OF(fans));
}

/* What moves 3 or 4 words an element, or waits for one neighbour at a time, wins seldom: an eighth of the draws. */
static int draw_strategy(uint64_t *state)
{
	static const int strategies[] = { SRT_BLOCK, SRT_CLUSTER, SRT_LOOKBACK, SRT_TOTALS, SRT_TOTALS, SRT_LOOKAHEAD,
		SRT_LOOKAHEAD };
	static const int others[] = { SRT_REDUCE, SRT_REDUCE, SRT_REDUCE_FIXED, SRT_REDUCE_FIXED, SRT_LOOKBACK_SERIAL,
		SRT_FAN };

	if (tune_random(state) % 8 == 0)
		return pick(state, others, COUNT_OF(others));
	return pick(state, strategies, COUNT_OF(strategies));
}

/* The knobs that every strategy has. */
static struct point draw_common(uint64_t *state)
{
	static const int blocks[] = { 64, 96, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024 };
	static const int vectors[] = { 1, 2, 3, 4, 5, 6, 7, 8, 10, 12 };
	static const int mostly_default[] = { 0, 0, 0, 1 };
	struct point point = { .strategy = draw_strategy(state) };

	point.block = pick(state, blocks, COUNT_OF(blocks));
	point.vectors = pick(state, vectors, COUNT_OF(vectors));
	point.warp_scan = pick(state, mostly_default, COUNT_OF(mostly_default)) ? SRT_WARP_SHARED : 0;
	point.load = pick(state, mostly_default, COUNT_OF(mostly_default)) ? SRT_ACCESS_PLAIN : 0;
	point.store = pick(state, mostly_default, COUNT_OF(mostly_default)) ? SRT_ACCESS_PLAIN : 0;
	return point;
}

static struct point draw(uint64_t *state)
{
	static const int residencies[] = { 0, 0, 1, 2, 3, 4, 6, 8 };
	static const int gathers[] = { 0, 0, 1, 2, 2, 8 };
	static const int clusters[] = { 4, 8, 16, 16 };
	static const int exchanges[] = { 0, SRT_EXCHANGE_BLOCK };
	static const int partials[] = { 0, 128, 264, 528, 2048 };
	static const int stores[] = { 0, 0, BULK, BULK, PLACE };
	struct point point = draw_common(state);

	if (point.strategy != SRT_BLOCK && point.strategy != SRT_CLUSTER && point.strategy != SRT_LOOKAHEAD)
		point.residency = pick(state, residencies, COUNT_OF(residencies));
	if (srt_knob_default(srt_knob_find("circuit"), point.strategy))
		draw_circuit(&point, state);
	if (point.strategy == SRT_CLUSTER) {
		point.cluster = pick(state, clusters, COUNT_OF(clusters));
		point.exchange = pick(state, exchanges, COUNT_OF(exchanges));
	}
	if (point.strategy == SRT_REDUCE_FIXED)
		point.partials = pick(state, partials, COUNT_OF(partials));
	if (point.strategy == SRT_TOTALS) {
		point.gather = pick(state, gathers, COUNT_OF(gathers));
		point.store = point.circuit ? 0 : pick(state, stores, COUNT_OF(stores) - 1); /* not PLACE */
	}
	if (point.strategy == SRT_LOOKAHEAD) {
		point.stages = 3 + (int)(tune_random(state) % 6);
		point.ahead = 1 + (int)(tune_random(state) % (uint64_t)(point.stages - 1));
		point.store = pick(state, stores, COUNT_OF(stores));
		point.gather = pick(state, gathers, COUNT_OF(gathers));
		if (point.store == PLACE)
			point.teams = 1 + (int)(tune_random(state) % 2);
	}
	return point;
}

static struct point draw_large(uint64_t *state)
{
	static const int blocks[] = { 64, 96, 128, 192, 256, 256, 384, 512, 768 };
	static const int items[] = { 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96 };
	static const int lanes[] = { 1, 2, 4, 8, 8, 16, 32, 64 };
	static const int residencies[] = { 0, 0, 0, 2, 3 };
	struct point point = { .strategy = SRT_LARGE };

	point.block = pick(state, blocks, COUNT_OF(blocks));
	point.items = pick(state, items, COUNT_OF(items));
	point.lanes = pick(state, lanes, COUNT_OF(lanes));
	point.residency = pick(state, residencies, COUNT_OF(residencies));
	return point;
}

/* What takes more than 8 bytes is large to a thread that holds many. */
static bool is_wide(const struct srt_problem *problem)
{
	return srt_problem_size(problem, SRT_ACCUMULATOR) > 8;
}

bool tune_space_has(const struct srt_variant *variant, const struct srt_problem *problem)
{
	/* An accumulator an element beside the arrays is memory that a caller will not want to spend. */
	if (srt_strategy_find(variant->strategy)->keeps_elements && !srt_problem_keeps_in_output(problem))
		return false;
	/* Words are better off in registers. */
	return variant->store != PLACE || is_wide(problem);
}

static size_t append(struct srt_variant *variants, size_t used, const struct point *point,
	const struct srt_problem *problem, const struct srt_device *device)
{
	variants[used] = variant_of(point, problem);
	if (srt_variant_check(&variants[used], problem, device) != SCANRT_OK ||
		!tune_space_has(&variants[used], problem))
		return used;
	for (size_t i = 0; i < used; i++)
		if (tune_variant_is_equal(&variants[i], &variants[used]))
			return used;
	return used + 1;
}

size_t tune_space(struct srt_variant *variants, size_t capacity, const struct srt_problem *problem,
	const struct srt_device *device, size_t wanted, uint64_t seed)
{
	bool is_large = srt_wide_is_large(problem);
	size_t used = 0;

	wanted = wanted < capacity ? wanted : capacity;
	for (size_t i = 0; is_wide(problem) && i < COUNT_OF(wide) && used < wanted; i++)
		used = append(variants, used, &wide[i], problem, device);
	for (size_t i = 0; is_large && i < COUNT_OF(known_large) && used < wanted; i++)
		used = append(variants, used, &known_large[i], problem, device);
	for (size_t i = 0; i < COUNT_OF(known) && used < wanted; i++)
		used = append(variants, used, &known[i], problem, device);
	/* Most draws fit; the bound is for a device on which next to nothing does. */
	for (size_t tries = 0; tries < 20 * wanted && used < wanted; tries++) {
		struct point point = is_large ? draw_large(&seed) : draw(&seed);

		used = append(variants, used, &point, problem, device);
	}
	srt_error_clear();
	return used;
}
