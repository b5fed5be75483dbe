/* SPDX-License-Identifier: MIT
 *
 * Defaults for values that are wider than a vector: first of all, they have to fit.
 */
#include "heuristic_wide.h"

#include "../kernels/abi.h"

#define REGISTERS_PER_BLOCK 65536
#define WARP_SIZE 32
#define VECTOR_BYTES 16
/* Four of them, and what the kernel has beside, in 227 KB. */
#define IN_PLACE_TILE_BYTES 56600
#define IN_PLACE_NARROW_BYTES 48
/* A thread's registers beside its values; and the values that it holds beside its items, at the worst moment. */
#define REGISTERS_BESIDE 72
#define VALUES_BESIDE 3
#define REGISTERS_OF_ITEMS 64
/* A value of more does not leave a thread enough for what has to be combined with it. */
#define REGISTERS_OF_VALUE 24
#define REGISTERS_OF_LOOKAHEAD 20
#define LARGE_SMALL_BYTES 1024
/* Shared memory of one tile of the variant that has to fit everywhere, in a ring of three. */
#define REPRODUCIBLE_TILE_BYTES 14000

/* Registers of a value: one for each word, and for each part of a word that is not aligned to be one. */
static int registers_of(const struct srt_problem *problem)
{
	size_t alignment = srt_problem_alignment(problem, SRT_ACCUMULATOR);

	return (int)(srt_problem_size(problem, SRT_ACCUMULATOR) / (alignment < 4 ? alignment : 4));
}

/* Parts of words are taken from words and put together again, which takes registers, too. */
static bool is_unaligned(const struct srt_problem *problem)
{
	return problem->user && srt_problem_alignment(problem, SRT_ACCUMULATOR) < 4;
}

int srt_wide_items(const struct srt_problem *problem, int items)
{
	int vector = srt_problem_vector(problem);
	int room = is_unaligned(problem) ? REGISTERS_OF_ITEMS / 2 : REGISTERS_OF_ITEMS;
	int most = room / registers_of(problem) / vector * vector;

	if (!problem->user && registers_of(problem) == 1)
		return items;
	return items <= most ? items : most > vector ? most : vector;
}

int srt_wide_threads(const struct srt_problem *problem, int items)
{
	int words = registers_of(problem) * (is_unaligned(problem) ? 3 : 1);
	int values = items + items / srt_problem_vector(problem) + VALUES_BESIDE;
	int threads = REGISTERS_PER_BLOCK / (REGISTERS_BESIDE + words * values) / WARP_SIZE * WARP_SIZE;

	if (words * 4 <= VECTOR_BYTES && (!problem->user || words <= 2))
		return 1024;
	return threads > WARP_SIZE ? threads : WARP_SIZE;
}

bool srt_wide_is_tight(const struct srt_problem *problem)
{
	return is_unaligned(problem) || registers_of(problem) > REGISTERS_OF_LOOKAHEAD;
}

bool srt_wide_is_large(const struct srt_problem *problem)
{
	return srt_problem_size(problem, SRT_ACCUMULATOR) > SCAN_LARGE_BYTES ||
		registers_of(problem) > REGISTERS_OF_VALUE;
}

static int odd(int items)
{
	return items <= 2 ? items > 0 ? items : 1 : (items - 1) / 2 * 2 + 1;
}

static int tile_bytes(int size, int block)
{
	return odd(IN_PLACE_TILE_BYTES / size / block) * block * size;
}

/* Values combined where they lie: few warps with many elements each, since the exchange and the scan over a warp's
 * lanes cost the same whatever is in a tile; an odd number of items meets fewest banks.  A second gather warp would
 * only poll for the same.  Where two warps have so few items that a tile stays small, one reduces and one scans: 136
 * bytes take 721 us so, and 761 with 64 x 5. */
static struct srt_variant in_place(int size, int stages, int tile)
{
	bool is_whole = tile == IN_PLACE_TILE_BYTES;
	struct srt_variant variant;

	srt_variant_init(&variant, SRT_LOOKAHEAD);
	variant.block = !is_whole ? 64 : size <= VECTOR_BYTES ? 352 : size <= IN_PLACE_NARROW_BYTES ? 128 : 64;
	if (is_whole && variant.block == 64 && 8 * tile_bytes(size, 32) > 9 * tile_bytes(size, 64)) {
		variant.block = 32;
		variant.teams = 2;
	}
	variant.items = odd(tile / size / variant.block);
	variant.stages = stages;
	variant.ahead = stages > 2 ? stages - 2 : 1;
	variant.gather = 1;
	variant.store = SRT_ACCESS_PLACE;
	return variant;
}

bool srt_wide_make_in_place(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	int size = (int)srt_problem_size(problem, SRT_ACCUMULATOR);
	int stages;
	int tile;

	if (is_unaligned(problem))
		return false;
	/* The largest tile with a fifth stage or without, then smaller ones with as many stages as fit. */
	for (stages = 5; stages >= 2; stages--)
		for (tile = IN_PLACE_TILE_BYTES; tile >= (stages > 4 ? IN_PLACE_TILE_BYTES : 4096); tile /= 2) {
			*variant = in_place(size, stages, tile);
			if (srt_variant_check(variant, problem, device) == SCANRT_OK)
				return true;
		}
	return false;
}

/* Two tiles fit the 64 KB of the smallest device, and are as good an order as any. */
bool srt_wide_order_in_place(struct srt_variant *variant, const struct srt_problem *problem)
{
	struct srt_variant made;

	srt_variant_init(&made, SRT_LOOKAHEAD);
	made.block = 64;
	made.items = odd(20000 / (int)srt_problem_size(problem, SRT_ACCUMULATOR) / made.block);
	made.gather = 2;
	made.store = SRT_ACCESS_PLACE;
	if (srt_problem_size(problem, SRT_ACCUMULATOR) <= VECTOR_BYTES || is_unaligned(problem) ||
		srt_variant_check(&made, problem, NULL) != SCANRT_OK)
		return false;
	*variant = made;
	return true;
}

/* As many leaders as five slots each leave room for; of the smaller values, two blocks hide each other's waits.  One
 * leader always fits. */
void srt_wide_make_large(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	bool is_small = srt_problem_size(problem, SRT_ACCUMULATOR) <= LARGE_SMALL_BYTES;
	int lanes;

	srt_variant_init(variant, SRT_LARGE);
	variant->residency = is_small ? 2 : 1;
	for (lanes = is_small ? 8 : 4; lanes <= 128; lanes *= 2) {
		variant->lanes = lanes;
		for (variant->block = is_small ? 256 : 320; variant->block >= 256; variant->block -= 64)
			if (srt_variant_check(variant, problem, device) == SCANRT_OK)
				return;
	}
	variant->residency = 1;
	variant->block = 32;
	variant->lanes = 32;
}

int srt_wide_reproducible_block(const struct srt_problem *problem, int items)
{
	int bytes = (int)srt_problem_size(problem, SRT_INPUT) * items;
	int block = REPRODUCIBLE_TILE_BYTES / bytes / WARP_SIZE * WARP_SIZE;

	if (srt_problem_size(problem, SRT_ACCUMULATOR) <= VECTOR_BYTES)
		return 256;
	return block > 256 ? 256 : block < WARP_SIZE ? WARP_SIZE : block;
}
