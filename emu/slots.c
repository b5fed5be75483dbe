/* SPDX-License-Identifier: MIT
 *
 * Slots of registers in a frame, by a linear scan over the intervals in which they are alive (Poletto and Sarkar,
 * 1999).  PTX has a register for nearly every value, thousands in an unrolled kernel; with a slot for each, and 32
 * lanes in each slot, a warp's registers would not fit the host's caches.
 */
#include "liveness.h"

#include <stdlib.h>
#include <string.h>

struct intervals {
	struct emu_function *function;
	const uint32_t *start, *end; /* of each register; a start of UINT32_MAX: it is never alive */
};

/* Bytes for all lanes; of a predicate, a mask. */
static uint32_t slot_bytes(const struct emu_register *reg)
{
	if (reg->region)
		return (reg->region + 15) / 16 * 16 * 32;
	return reg->bytes ? reg->bytes * 32u : 16;
}

struct pool {
	uint32_t *slots, *until;
	uint32_t count, capacity;
};

/* A slot whose register has died before: strictly, since an instruction whose source and result are one slot would
 * overwrite, lane by lane, what other lanes have yet to read. */
static bool take_slot(const struct intervals *alive, struct pool *pool, struct emu_register *reg, uint32_t number)
{
	for (uint32_t i = 0; i < pool->count; i++)
		if (pool->until[i] < alive->start[number]) {
			pool->until[i] = alive->end[number];
			reg->slot = pool->slots[i];
			return true;
		}
	if (pool->count == pool->capacity) {
		uint32_t capacity = pool->capacity ? pool->capacity * 2 : 64;
		uint32_t *slots = realloc(pool->slots, capacity * sizeof *slots), *until;

		if (slots)
			pool->slots = slots;
		until = realloc(pool->until, capacity * sizeof *until);
		if (until)
			pool->until = until;
		if (!slots || !until)
			return false;
		pool->capacity = capacity;
	}
	reg->slot = alive->function->frame_bytes;
	alive->function->frame_bytes += slot_bytes(reg);
	pool->slots[pool->count] = reg->slot;
	pool->until[pool->count++] = alive->end[number];
	return true;
}

/* Registers of one size share slots among themselves, so that a slot never has to be split. */
#define SIZES 6

static unsigned size_class(const struct emu_register *reg)
{
	return reg->bytes == 0 ? 0 : reg->bytes == 1 ? 1 : reg->bytes == 2 ? 2 : reg->bytes == 4 ? 3 :
		reg->bytes == 8 ? 4 : 5;
}

/* Counts by start, so that the scan meets registers in the order in which they come to life. */
static uint32_t *order_by_start(const struct intervals *alive)
{
	uint32_t count = alive->function->end - alive->function->first, registers = alive->function->register_count;
	uint32_t *first = calloc(count + 2, sizeof *first), *order = calloc(registers + 1, sizeof *order);

	if (first && order) {
		for (uint32_t i = 0; i < registers; i++)
			first[(alive->start[i] > count ? count : alive->start[i]) + 1]++;
		for (uint32_t i = 0; i <= count; i++)
			first[i + 1] += first[i];
		for (uint32_t i = 0; i < registers; i++)
			order[first[alive->start[i] > count ? count : alive->start[i]]++] = i;
	}
	free(first);
	return order;
}

static bool assign(const struct intervals *alive, bool is_shared)
{
	struct emu_function *function = alive->function;
	struct pool pools[SIZES];
	uint32_t *order = order_by_start(alive);
	bool is_good = order != NULL;

	memset(pools, 0, sizeof pools);
	for (uint32_t i = 0; i < function->register_count && is_good; i++) {
		uint32_t number = order[i];
		struct emu_register *reg = &function->registers[number];

		if (reg->region || !is_shared) {
			reg->slot = function->frame_bytes;
			function->frame_bytes += slot_bytes(reg);
		} else if (alive->start[number] != UINT32_MAX) {
			is_good = take_slot(alive, &pools[size_class(reg)], reg, number);
		}
		is_good = is_good && function->frame_bytes < (1u << 28);
	}
	for (unsigned i = 0; i < SIZES; i++) {
		free(pools[i].slots);
		free(pools[i].until);
	}
	free(order);
	return is_good;
}

bool emu_share_slots(struct emu_function *function, const uint32_t *start, const uint32_t *end, bool is_shared)
{
	const struct intervals alive = { function, start, end };

	return assign(&alive, is_shared);
}
