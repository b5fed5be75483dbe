/* SPDX-License-Identifier: MIT
 *
 * Defaults for values that are wider than a vector: first of all, they have to fit.
 */
#include "heuristic_wide.h"

#include "../kernels/abi.h"

#define REGISTERS_PER_BLOCK 65536
#define WARP_SIZE 32
#define VECTOR_BYTES 16
/* A thread's registers beside its values; and the values that it holds beside its items, at the worst moment. */
#define REGISTERS_BESIDE 44
#define VALUES_BESIDE 3
/* Shared memory of one tile of the variant that has to fit everywhere, in a ring of three. */
#define REPRODUCIBLE_TILE_BYTES 14000

int srt_wide_threads(const struct srt_problem *problem, int items)
{
	int words = (int)(srt_problem_size(problem, SRT_ACCUMULATOR) + 3) / 4;
	int values = items + items / srt_problem_vector(problem) + VALUES_BESIDE;
	int threads = REGISTERS_PER_BLOCK / (REGISTERS_BESIDE + words * values) / WARP_SIZE * WARP_SIZE;

	if (words * 4 <= VECTOR_BYTES)
		return 1024;
	return threads > WARP_SIZE ? threads : WARP_SIZE;
}

bool srt_wide_is_large(const struct srt_problem *problem)
{
	return srt_problem_size(problem, SRT_ACCUMULATOR) > SCAN_LARGE_BYTES;
}

/* Two elements a leader make the scan of the leaders half as long, for half a slot more an element.  There are threads
 * enough to move what the leaders scan.  One leader always fits. */
void srt_wide_make_large(struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	int leaders;

	srt_variant_init(variant, SRT_LARGE);
	for (leaders = 128; leaders > 0; leaders /= 2) {
		variant->lanes = 128 / leaders;
		variant->items = leaders > 1 ? 2 : 1;
		if (srt_variant_check(variant, problem, device) == SCANRT_OK)
			return;
	}
}

int srt_wide_reproducible_block(const struct srt_problem *problem, int items)
{
	int bytes = (int)srt_problem_size(problem, SRT_INPUT) * items;
	int block = REPRODUCIBLE_TILE_BYTES / bytes / WARP_SIZE * WARP_SIZE;

	if (srt_problem_size(problem, SRT_ACCUMULATOR) <= VECTOR_BYTES)
		return 256;
	return block > 256 ? 256 : block < WARP_SIZE ? WARP_SIZE : block;
}
