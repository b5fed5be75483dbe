/* SPDX-License-Identifier: MIT
 *
 * Steps of the local search.  A knob's step is what makes a difference that can be measured: a 16-byte vector of items,
 * a warp or two of a block, a factor of two where only those are of use.
 */
#include "neighbours.h"

#include "data.h"
#include "space.h"
#include "status.h"
#include "strategy.h"

struct around {
	struct srt_variant *variants;
	size_t count;
	size_t capacity;
	const struct srt_variant *from;
	const struct srt_problem *problem;
	const struct srt_device *device;
};

static const int blocks[] = { 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, 576, 640,
	704, 768, 832, 896, 960, 1024 };

#define BLOCKS (int)(sizeof blocks / sizeof blocks[0])

static void propose(struct around *around, const struct srt_variant *variant)
{
	if (around->count == around->capacity || tune_variant_is_equal(variant, around->from) ||
		srt_variant_check(variant, around->problem, around->device) != SCANRT_OK)
		return;
	for (size_t i = 0; i < around->count; i++)
		if (tune_variant_is_equal(&around->variants[i], variant))
			return;
	around->variants[around->count++] = *variant;
}

static bool has(const struct around *around, const char *knob)
{
	return srt_knob_default(srt_knob_find(knob), around->from->strategy) > 0;
}

/* The knob at another value, where the strategy has it and the value is one. */
static void set(struct around *around, const char *name, int value)
{
	const struct srt_knob *knob = srt_knob_find(name);
	struct srt_variant variant = *around->from;

	if (!has(around, name) || value < knob->least || value > knob->most)
		return;
	srt_knob_set(knob, &variant, value);
	propose(around, &variant);
}

static void factor_of_two(struct around *around, const char *name)
{
	int value = srt_knob_get(srt_knob_find(name), around->from);

	set(around, name, 2 * value);
	if (value > 1)
		set(around, name, value / 2);
}

static void one_step(struct around *around, const char *name)
{
	int value = srt_knob_get(srt_knob_find(name), around->from);

	set(around, name, value + 1);
	set(around, name, value - 1);
}

/* Whole vectors, of which slices that lie in shared memory want an odd number; below one, and where values stay in
 * shared memory, single elements or factors of two. */
static void step_items(struct around *around)
{
	const struct srt_variant *from = around->from;
	int step = srt_problem_vector(around->problem);

	if (from->strategy == SRT_LARGE || from->items < step) {
		factor_of_two(around, "items");
		return;
	}
	if (from->store == SRT_ACCESS_PLACE)
		step = 1;
	else if (from->store == SRT_ACCESS_BULK && from->items / step % 2 != 0)
		step *= 2;
	set(around, "items", from->items + step);
	set(around, "items", from->items - step);
}

/* Of the next size up or down, in the list of those that are tried. */
static int block_beside(int block, int step)
{
	int i = step > 0 ? 0 : BLOCKS - 1;

	while (i >= 0 && i < BLOCKS && (step > 0 ? blocks[i] <= block : blocks[i] >= block))
		i += step > 0 ? 1 : -1;
	return i >= 0 && i < BLOCKS ? blocks[i] : 0;
}

static void step_block(struct around *around)
{
	set(around, "block", block_beside(around->from->block, -1));
	set(around, "block", block_beside(around->from->block, 1));
}

/* The same tile by half as many threads, or twice as many. */
static void trade(struct around *around)
{
	struct srt_variant variant = *around->from;

	variant.block *= 2;
	if (variant.items % 2 == 0) {
		variant.items /= 2;
		propose(around, &variant);
	}
	variant = *around->from;
	variant.items *= 2;
	if (variant.block % 64 == 0) {
		variant.block /= 2;
		propose(around, &variant);
	}
}

/* The ring of look-ahead: its length, how far the reduction is ahead, and both. */
static void step_ring(struct around *around)
{
	struct srt_variant variant = *around->from;

	if (!has(around, "stages"))
		return;
	variant.stages++;
	variant.ahead++;
	propose(around, &variant);
	variant.stages -= 2;
	variant.ahead -= 2;
	if (variant.ahead > 0)
		propose(around, &variant);
	one_step(around, "stages");
	one_step(around, "ahead");
}

/* Of what has names, all others. */
static void every_other(struct around *around, const char *name)
{
	const struct srt_knob *knob = srt_knob_find(name);

	for (int value = knob->least; value <= knob->most; value++)
		set(around, name, value);
}

/* Where elements pass through registers and where they do not is another kernel; loads that are bulk copies have no
 * policy. */
static void step_access(struct around *around)
{
	const struct srt_variant *from = around->from;

	every_other(around, "store");
	if (from->strategy != SRT_LOOKAHEAD && from->store != SRT_ACCESS_BULK)
		every_other(around, "load");
}

/* What hardly ever makes a difference is tried where it does: one block, and those of a cluster, have a multiprocessor
 * to themselves, and shuffles of words are cheap. */
static void step_rare(struct around *around)
{
	const struct srt_variant *from = around->from;

	if (from->strategy != SRT_BLOCK && from->strategy != SRT_CLUSTER)
		one_step(around, "residency");
	if (from->warp_scan == SRT_WARP_SHARED || srt_problem_size(around->problem, SRT_ACCUMULATOR) >= 8)
		every_other(around, "warp");
	if (from->circuit > SRT_CIRCUIT_WARPS)
		factor_of_two(around, "fan");
}

size_t tune_neighbours(struct srt_variant *variants, size_t capacity, const struct srt_variant *from,
	const struct srt_problem *problem, const struct srt_device *device)
{
	struct around around = { variants, 0, capacity, from, problem, device };

	step_items(&around);
	step_block(&around);
	factor_of_two(&around, "gather");
	trade(&around);
	step_ring(&around);
	factor_of_two(&around, "cluster");
	every_other(&around, "exchange");
	factor_of_two(&around, "lanes");
	every_other(&around, "teams");
	factor_of_two(&around, "partials");
	step_access(&around);
	step_rare(&around);
	srt_error_clear();
	return around.count;
}
