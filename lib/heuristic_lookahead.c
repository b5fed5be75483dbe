/* SPDX-License-Identifier: MIT
 *
 * The default of large counts: a ring of tiles as large as the shared memory of the device has room for.
 */
#include "heuristic_parts.h"
#include "heuristic_wide.h"

/* Compiled for this capability and up, a thread has fewer registers for single bytes. */
#define FEWER_BYTES_CAPABILITY 100

/* One- and two-byte elements need many items to fill a tile; a wide accumulator's registers bound them. */
static int narrow_items(const struct srt_problem *problem, int vectors)
{
	int items = srt_problem_vector(problem) * vectors;
	int most = 128 / (int)srt_problem_size(problem, SRT_ACCUMULATOR);
	int vector = srt_problem_vector(problem);

	return items < most ? items : most < vector ? vector : most / vector * vector;
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

/* As srt_default_is_light() of scalars of 16 bytes, of which complex products take more registers. */
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
	static const struct ring rolled = { 384, 3, 4, 2, 1 };
	static const struct ring widened[] = { { 416, 9, 5, 2, 2 }, { 448, 7, 5, 2, 2 }, { 448, 7, 8, 3, 2 } };
	size_t in = srt_problem_size(problem, SRT_INPUT);
	size_t out = srt_problem_size(problem, SRT_OUTPUT);
	int vector = srt_problem_vector(problem);

	if (srt_default_is_rolled(problem))
		return rolled;
	if (srt_default_is_light(problem))
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

	/* Elements of 32 bytes could be, but are faster in place. */
	if (srt_problem_size(problem, SRT_INPUT) > 16 || srt_problem_size(problem, SRT_OUTPUT) > 16)
		return false;
	do {
		*variant = srt_default_make(SRT_LOOKAHEAD, ring.block, ring.vectors * srt_problem_vector(problem));
		variant->stages = ring.stages;
		variant->ahead = ring.ahead;
		variant->gather = ring.gather;
		variant->store = SRT_ACCESS_BULK;
		if (srt_default_is_fit(variant, problem, device))
			return true;
		ring.vectors -= 2;
	} while (ring.vectors >= 5);
	variant->block = 256;
	variant->items = 7 * srt_problem_vector(problem);
	variant->stages = 3;
	variant->ahead = 1;
	return srt_default_is_fit(variant, problem, device);
}

/* A ring of big tiles: what does not fit is made to, first by fewer tiles, then by smaller ones. */
bool srt_default_lookahead(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	bool is_narrow = srt_problem_vector(problem) >= 8;
	struct ring ring = ring_of(problem, device);
	int vectors;
	int stages;

	if (device->capability < SRT_DEFAULT_BULK_CAPABILITY)
		return false;
	if ((!srt_default_is_heavy(problem) || srt_default_is_rolled(problem)) && make_raked(variant, problem, device))
		return true;
	if (srt_wide_make_in_place(variant, problem, device))
		return true;
	if (srt_wide_is_tight(problem) || srt_default_is_heavy(problem))
		return false;
	for (vectors = ring.vectors; vectors > 0; vectors -= 2)
		for (stages = ring.stages; stages >= 3; stages--) {
			*variant = srt_default_make(SRT_LOOKAHEAD, ring.block,
				is_narrow ? narrow_items(problem, vectors) : srt_default_items(problem, vectors));
			srt_default_limit_block(variant, problem, 96);
			variant->stages = stages;
			variant->ahead = stages - (stages > 5 ? 3 : 2);
			if (srt_default_is_fit(variant, problem, device))
				return true;
		}
	return false;
}
