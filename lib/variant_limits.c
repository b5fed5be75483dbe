/* SPDX-License-Identifier: MIT
 *
 * What a variant takes, and whether a problem and a device allow it.
 */
#include <assert.h>
#include <inttypes.h>

#include "../kernels/abi.h"
#include "status.h"
#include "strategy.h"
#include "variant.h"

/* The parts of a kernel's own shared memory that every one has: ticket, prefix, flags, and what aligns them. */
#define STATIC_BASE_BYTES 128
#define BARRIER_BYTES 8
#define WARP_SIZE 32
/* A lane combines about so many totals of a cluster by itself (kernels/cluster.cuh). */
#define TOTALS_PER_LANE 5
/* Every device that we support has at least this much without being asked, and allows this many threads. */
#define LEAST_SHARED_BYTES 49152
/* And this much where it is asked for, as the dynamic part always is. */
#define LEAST_ASKED_BYTES 65536
#define MOST_THREADS 1024
/* A tile begins in its stage as it does in memory, modulo a line of 128 bytes, and ends in whole vectors; for bulk
 * stores each warp's slice of it does. */
#define LINE_BYTES 128
#define VECTOR_BYTES 16
#define PLACE_BYTES 4
#define STAGE_ALIGNMENT 128

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

int srt_problem_vector(const struct srt_problem *problem)
{
	size_t size = larger(srt_problem_size(problem, SRT_INPUT), srt_problem_size(problem, SRT_OUTPUT));
	int elements;

	assert(size > 0);
	for (elements = 1; elements <= 16; elements *= 2)
		if (elements * size % 16 == 0 && (elements == 1 || elements * size <= SCAN_VECTOR_BYTES))
			return elements;
	return 1;
}

/* Fewer items than fill 16 bytes move as a narrower vector: one item a thread is how scans are taught. */
int srt_variant_vector(const struct srt_variant *variant, const struct srt_problem *problem)
{
	int vector = srt_problem_vector(problem);

	if (variant->store == SRT_ACCESS_PLACE)
		return 1;
	return variant->items < vector ? variant->items : vector;
}

uint32_t srt_variant_tile(const struct srt_variant *variant)
{
	uint32_t groups = (uint32_t)variant->block / (variant->lanes > 0 ? (uint32_t)variant->lanes : 1);

	return groups * (uint32_t)variant->items;
}

static uint32_t teams_of(const struct srt_variant *variant)
{
	return variant->teams > 0 ? (uint32_t)variant->teams : 1;
}

uint32_t srt_variant_threads(const struct srt_variant *variant)
{
	uint32_t roles = srt_strategy_find(variant->strategy)->role_warps;

	/* Wide values have as many gather warps, and one that stores. */
	if (variant->store == SRT_ACCESS_PLACE)
		roles += (uint32_t)variant->gather;
	return (uint32_t)variant->block * teams_of(variant) + roles * WARP_SIZE;
}

/* From slot to slot of strategy large: an odd number of vectors, or of words where values are no whole vectors. */
static size_t large_stride(const struct srt_problem *problem)
{
	size_t size = srt_problem_size(problem, SRT_ACCUMULATOR);
	size_t word = size % 16 == 0 && size >= 1024 ? 16 : larger(4, srt_problem_alignment(problem, SRT_ACCUMULATOR));

	return ((size + word - 1) / word | 1) * word;
}

/* Five sets of a slot a leader, and two for the tile's prefix. */
static size_t large_slots(const struct srt_variant *variant)
{
	return (size_t)variant->block / (size_t)variant->lanes * 5 + 2;
}

static size_t aligned(size_t bytes)
{
	return (bytes + STAGE_ALIGNMENT - 1) / STAGE_ALIGNMENT * STAGE_ALIGNMENT;
}

/* Bulk stores of another element size than the loads' have room of their own for a tile of results. */
static size_t results_bytes(const struct srt_variant *variant, const struct srt_problem *problem)
{
	size_t size = srt_problem_size(problem, SRT_OUTPUT);

	if (variant->store != SRT_ACCESS_BULK || size == srt_problem_size(problem, SRT_INPUT))
		return 0;
	return aligned(srt_variant_tile(variant) * size + LINE_BYTES);
}

size_t srt_variant_shared_bytes(const struct srt_variant *variant, const struct srt_problem *problem)
{
	size_t stage = srt_variant_tile(variant) * srt_problem_size(problem, SRT_INPUT) + VECTOR_BYTES;

	if (variant->strategy == SRT_LARGE)
		return large_slots(variant) * large_stride(problem);
	if (variant->strategy != SRT_LOOKAHEAD && variant->store != SRT_ACCESS_BULK)
		return 0;
	stage += variant->store == SRT_ACCESS_BULK ? (size_t)variant->block / WARP_SIZE * LINE_BYTES : LINE_BYTES;
	stage = aligned(stage);
	return (variant->strategy == SRT_LOOKAHEAD ? (size_t)variant->stages * stage : stage) +
		results_bytes(variant, problem);
}

/* Slots of a tree whose every level is an array, each `fan` values of it followed by what makes their distance odd. */
static size_t tree_slots(size_t values, size_t fan, size_t stride)
{
	size_t slots = stride;

	for (; values > 1; values = (values + fan - 1) / fan)
		slots += (values + fan - 1) / fan * stride;
	return slots;
}

/* Strategies of several launches have accumulators in the place of elements, and fewer in a vector where those are
 * wider. */
static size_t least_vector(const struct srt_variant *variant, const struct srt_problem *problem)
{
	size_t vector = (size_t)srt_variant_vector(variant, problem);
	size_t size = srt_problem_size(problem, SRT_ACCUMULATOR);

	while (srt_strategy_phases(variant->strategy) > 1 && vector > 1 && vector * size > 16)
		vector /= 2;
	return vector;
}

/* Slots for the tile's vectors, a value each, of the circuits that take them all as one sequence. */
static size_t circuit_slots(const struct srt_variant *variant, const struct srt_problem *problem)
{
	size_t values = srt_variant_tile(variant) / least_vector(variant, problem);
	size_t fan = (size_t)variant->fan;

	switch (variant->circuit) {
#define CIRCUIT(constant, name, file, slots) \
	case SRT_CIRCUIT_##constant: \
		return slots;
#include "circuit.def"
#undef CIRCUIT
	default:
		return 0;
	}
}

/* The slots of a block's board: an odd number for each of the lanes that read it. */
static size_t board_slots(const struct srt_variant *variant)
{
	size_t posted = variant->exchange == SRT_EXCHANGE_WARP ? (size_t)variant->block / WARP_SIZE : 1;
	size_t totals = (size_t)variant->cluster * posted;
	size_t lanes = 2;

	while (lanes < WARP_SIZE && lanes * TOTALS_PER_LANE < totals)
		lanes *= 2;
	return lanes * ((totals + lanes - 1) / lanes | 1);
}

/* Follows the kernels' shared_storage, and never falls short of it: a test compares it with what was compiled. */
size_t srt_variant_static_bytes(const struct srt_variant *variant, const struct srt_problem *problem)
{
	size_t value = srt_problem_size(problem, SRT_ACCUMULATOR);
	size_t warps = (size_t)variant->block / WARP_SIZE;
	size_t total_slots = 1;
	/* A block that scans one tile after another has two of what it shares. */
	size_t copies = variant->partials > 0 ? 2 : 1;
	size_t bytes = STATIC_BASE_BYTES;

	if (variant->strategy == SRT_LARGE)
		return bytes;
	if (variant->strategy == SRT_TOTALS)
		bytes += (size_t)variant->gather * warps * value; /* a batch's total each */
	if (variant->circuit > SRT_CIRCUIT_WARPS)
		return bytes + copies * circuit_slots(variant, problem) * value;
	if (variant->warp_scan == SRT_WARP_SHARED)
		bytes += copies * warps * WARP_SIZE * value;
	else
		bytes += copies * warps; /* an empty structure has a byte */
	if (variant->strategy == SRT_LOOKAHEAD) {
		total_slots = larger(2 * (size_t)variant->ahead + 2, (size_t)variant->stages);
		bytes += larger((size_t)variant->ahead + 2, (size_t)variant->stages) * 3 * BARRIER_BYTES;
		bytes += ((size_t)variant->stages + 1) * value;
		bytes += (size_t)variant->stages * (3 * BARRIER_BYTES + sizeof(uint32_t));
		bytes += STAGE_ALIGNMENT; /* the ring of stages begins at the next multiple */
	}
	if (variant->strategy == SRT_CLUSTER)
		bytes += board_slots(variant) * srt_problem_tile_words(problem) * sizeof(uint32_t) + BARRIER_BYTES;
	return bytes + copies * total_slots * warps * value;
}

uint32_t srt_problem_tile_words(const struct srt_problem *problem)
{
	/* Each 64-bit word has 32 bits of value under its tag. */
	return (uint32_t)(srt_problem_size(problem, SRT_ACCUMULATOR) + 3) / 4;
}

/* Strategy large: a word of state, then a value in whole 16-byte vectors. */
uint32_t srt_variant_tile_words(const struct srt_variant *variant, const struct srt_problem *problem)
{
	if (variant->strategy == SRT_LARGE)
		return 2 + 2 * (uint32_t)((srt_problem_size(problem, SRT_ACCUMULATOR) + 15) / 16);
	return srt_problem_tile_words(problem);
}

uint64_t srt_variant_max_count(const struct srt_variant *variant)
{
	return srt_strategy_find(variant->strategy)->most_tiles(variant) * srt_variant_tile(variant);
}

/* What bulk stores want: a slice that is scanned in shared memory, 16 bytes at a time. */
static int check_bulk(const struct srt_variant *variant, const struct srt_problem *problem)
{
	size_t size = larger(srt_problem_size(problem, SRT_INPUT), srt_problem_size(problem, SRT_OUTPUT));

	if (variant->strategy != SRT_LOOKAHEAD &&
			((variant->strategy != SRT_BLOCK && variant->strategy != SRT_TOTALS) ||
				variant->circuit != SRT_CIRCUIT_WARPS))
		return srt_fail(SCANRT_ERROR_VARIANT,
			"store=bulk is for lookahead, and for block and totals with circuit=warps");
	if ((size_t)srt_variant_vector(variant, problem) * size != VECTOR_BYTES && size != 2 * VECTOR_BYTES)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"store=bulk wants items that fill vectors of 16 bytes, or two");
	return SCANRT_OK;
}

/* What is combined where it lies: elements that are accumulators, of whole words. */
static int check_place(const struct srt_variant *variant, const struct srt_problem *problem)
{
	bool is_converted = problem->user && (problem->user->has_load || problem->user->has_store);
	int type = problem->accumulator_type;

	if (variant->strategy != SRT_LOOKAHEAD)
		return srt_fail(SCANRT_ERROR_VARIANT, "store=place is for lookahead only");
	if (problem->input_type != type || problem->output_type != type || is_converted ||
		srt_problem_size(problem, SRT_ACCUMULATOR) < PLACE_BYTES)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"store=place wants elements of one type, of %d bytes or more, and no conversions", PLACE_BYTES);
	return SCANRT_OK;
}

/* What would change nothing is refused: one kernel has one text.  A kernel's own shared memory has the same limit on
 * every device, however much a block may ask for. */
static int check_circuit(const struct srt_variant *variant)
{
	const struct srt_variant *plain = &srt_strategy_find(variant->strategy)->defaults;

	if (variant->circuit != SRT_CIRCUIT_RAKING && variant->fan != plain->fan)
		return srt_fail(SCANRT_ERROR_VARIANT, "fan=%d is for circuit=raking", variant->fan);
	if (variant->circuit > SRT_CIRCUIT_WARPS && variant->warp_scan != plain->warp_scan)
		return srt_fail(SCANRT_ERROR_VARIANT, "warp=shared is for circuit=warps");
	return SCANRT_OK;
}

static int check_large(const struct srt_variant *variant)
{
	if (variant->block % variant->lanes != 0)
		return srt_fail(SCANRT_ERROR_VARIANT, "lanes=%d does not divide block=%d", variant->lanes,
			variant->block);
	/* One warp, unless it is alone, moves elements only. */
	if (variant->block / variant->lanes > (variant->block > WARP_SIZE ? variant->block - WARP_SIZE : WARP_SIZE))
		return srt_fail(SCANRT_ERROR_VARIANT, "lanes=%d leaves no warp of block=%d to move elements",
			variant->lanes, variant->block);
	return SCANRT_OK;
}

/* Rules between knobs, and between knobs and problem. */
static int check_problem(const struct srt_variant *variant, const struct srt_problem *problem)
{
	int vector = srt_problem_vector(problem);
	bool is_part = variant->items < vector && (variant->items & (variant->items - 1)) == 0;
	size_t bytes = srt_variant_static_bytes(variant, problem);

	if (variant->strategy == SRT_LARGE)
		return check_large(variant);
	if (srt_problem_size(problem, SRT_ACCUMULATOR) > SCAN_LARGE_BYTES)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"strategy %s holds values in registers, and %zu bytes are too many: take large",
			srt_strategy_name(variant->strategy), srt_problem_size(problem, SRT_ACCUMULATOR));
	if (bytes > LEAST_SHARED_BYTES)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"block=%d and items=%d take %zu bytes of a kernel's own shared memory, which may have %d",
			variant->block, variant->items, bytes, LEAST_SHARED_BYTES);
	if (variant->items % vector != 0 && !is_part && variant->store != SRT_ACCESS_PLACE)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"items=%d is neither a multiple of %d, the elements of a 16-byte vector, nor a power of two "
			"below", variant->items, vector);
	if (variant->strategy == SRT_LOOKAHEAD && variant->ahead >= variant->stages)
		return srt_fail(
			SCANRT_ERROR_VARIANT, "ahead=%d is not below stages=%d", variant->ahead, variant->stages);
	if (variant->store == SRT_ACCESS_BULK && check_bulk(variant, problem))
		return SCANRT_ERROR_VARIANT;
	if (variant->store == SRT_ACCESS_PLACE && check_place(variant, problem))
		return SCANRT_ERROR_VARIANT;
	if (variant->store != SRT_ACCESS_PLACE && variant->teams > 1)
		return srt_fail(SCANRT_ERROR_VARIANT, "teams=%d is for store=place", variant->teams);
	if (variant->strategy == SRT_CLUSTER && (variant->cluster & (variant->cluster - 1)) != 0)
		return srt_fail(SCANRT_ERROR_VARIANT, "cluster=%d is not a power of two", variant->cluster);
	return check_circuit(variant);
}

/* A limit of the device, or what all devices share where it is not known. */
static int limit_of(int fact, int common)
{
	return fact > 0 ? fact : common;
}

static int check_capability(const struct srt_variant *variant, const struct srt_device *device)
{
	const struct srt_strategy_row *row = srt_strategy_find(variant->strategy);

	if (device->capability < row->least_capability)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"strategy %s needs compute capability %d.%d, and the device has %d.%d", row->name,
			row->least_capability / 10, row->least_capability % 10, device->capability / 10,
			device->capability % 10);
	if (variant->strategy == SRT_CLUSTER && !device->has_clusters)
		return srt_fail(SCANRT_ERROR_VARIANT, "the device has no thread block clusters");
	return SCANRT_OK;
}

static int check_threads(const struct srt_variant *variant, const struct srt_device *device)
{
	int threads = (int)srt_variant_threads(variant);
	int most = limit_of(device->threads_per_block, MOST_THREADS);

	if (threads > most)
		return srt_fail(SCANRT_ERROR_VARIANT, "block=%d makes %d threads, and the device allows %d",
			variant->block, threads, most);
	if (device->threads_per_sm > 0 && threads * variant->residency > device->threads_per_sm)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"residency=%d blocks of %d threads exceed the multiprocessor's %d", variant->residency, threads,
			device->threads_per_sm);
	if (device->blocks_per_sm > 0 && variant->residency > device->blocks_per_sm)
		return srt_fail(SCANRT_ERROR_VARIANT, "residency=%d exceeds the multiprocessor's %d blocks",
			variant->residency, device->blocks_per_sm);
	return SCANRT_OK;
}

static int check_shared(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	size_t bytes = srt_variant_shared_bytes(variant, problem) + srt_variant_static_bytes(variant, problem);
	size_t most = (size_t)limit_of(device->shared_per_block, LEAST_ASKED_BYTES);
	size_t resident = (bytes + (size_t)device->reserved_shared_per_block) * (size_t)variant->residency;

	if (bytes > most)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"block=%d, items=%d and stages=%d take %zu bytes of shared memory, and a block may have %zu",
			variant->block, variant->items, variant->stages, bytes, most);
	if (device->shared_per_sm > 0 && resident > (size_t)device->shared_per_sm)
		return srt_fail(SCANRT_ERROR_VARIANT,
			"residency=%d blocks take %zu bytes of shared memory, and the multiprocessor has %d",
			variant->residency, resident, device->shared_per_sm);
	return SCANRT_OK;
}

int srt_variant_check(const struct srt_variant *variant, const struct srt_problem *problem,
	const struct srt_device *device)
{
	static const struct srt_device any_device;
	int status;

	status = srt_variant_check_ranges(variant);
	if (!status)
		status = check_problem(variant, problem);
	if (!status)
		status = check_threads(variant, device ? device : &any_device);
	if (!status && device)
		status = check_capability(variant, device);
	if (!status && device)
		status = check_shared(variant, problem, device);
	return status;
}
