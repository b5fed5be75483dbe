/* SPDX-License-Identifier: MIT
 *
 * Words of shared memory: who wrote, who has read since.
 */
#include "race.h"

#include "order.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SETS 8192

static bool is_ordered(const struct emu_actor *actor, uint32_t epoch)
{
	uint32_t agent = epoch >> EMU_TIME_BITS;

	return agent == actor->epoch >> EMU_TIME_BITS || agent == emu_thread_index(actor->warp, actor->lane) ||
		actor->base->time[agent] >= (epoch & EMU_TIME_MASK);
}

static uint16_t new_set(struct emu_race *race)
{
	uint32_t **sets;
	uint16_t *spare;

	if (race->free_count)
		return (uint16_t)(race->free_sets[--race->free_count] + 1);
	if (race->set_count == MOST_SETS)
		return 0;
	if (!(race->set_count & (race->set_count + 63) & 63)) {
		sets = realloc(race->sets, (race->set_count + 64) * sizeof *sets);
		if (sets)
			race->sets = sets;
		spare = realloc(race->free_sets, (race->set_count + 64) * sizeof *spare);
		if (spare)
			race->free_sets = spare;
		if (!sets || !spare)
			return 0;
	}
	race->sets[race->set_count] = malloc(race->count * sizeof **race->sets);
	if (!race->sets[race->set_count])
		return 0;
	return (uint16_t)++race->set_count;
}

static void drop_set(struct emu_race *race, struct emu_cell *cell)
{
	if (cell->set)
		race->free_sets[race->free_count++] = (uint16_t)(cell->set - 1);
	cell->set = 0;
}

static void put_reader(uint32_t *set, uint32_t epoch)
{
	set[epoch >> EMU_TIME_BITS] = epoch & EMU_TIME_MASK;
}

/* A second reader that the first one's access is not ordered with: all are kept from now on. */
static void note_reader(struct emu_race *race, struct emu_cell *cell, const struct emu_actor *actor)
{
	if (cell->set) {
		put_reader(race->sets[cell->set - 1], actor->epoch);
		return;
	}
	if (cell->reader && !is_ordered(actor, cell->reader)) {
		cell->set = new_set(race);
		if (cell->set) {
			memset(race->sets[cell->set - 1], 0, race->count * sizeof **race->sets);
			put_reader(race->sets[cell->set - 1], cell->reader);
			put_reader(race->sets[cell->set - 1], actor->epoch);
		}
	}
	cell->reader = actor->epoch;
}

/* The first reader that a write is not ordered with; 0 for none. */
static uint32_t unordered_reader(
	const struct emu_race *race, const struct emu_cell *cell, const struct emu_actor *actor)
{
	uint32_t me = actor->epoch >> EMU_TIME_BITS, self = emu_thread_index(actor->warp, actor->lane), more = 0;
	const uint32_t *set;

	if (!cell->set)
		return cell->reader && !is_ordered(actor, cell->reader) ? cell->reader : 0;
	set = race->sets[cell->set - 1];
	for (uint32_t i = 0; i < race->count; i++)
		more |= set[i] > actor->base->time[i];
	for (uint32_t i = 0; i < race->count && more; i++)
		if (i != me && i != self && set[i] > actor->base->time[i])
			return i << EMU_TIME_BITS | set[i];
	return 0;
}

static int report(const struct emu_actor *actor, const struct emu_cta *cta, uint32_t offset, bool other_wrote,
		uint32_t other)
{
	uint64_t address = EMU_SHARED_START + (uint64_t)offset;

	return emu_race_report(actor, &address, "shared", other_wrote, cta->index, other);
}

/* A write reaches the asynchronous proxy only behind its fence, by the writer or by who starts the copy; without it the
 * copy may read what was there before, or its own write may come first. */
static bool is_proxied(const struct emu_actor *actor, const struct emu_cta *cta, uint32_t epoch)
{
	uint32_t agent = epoch >> EMU_TIME_BITS, time = epoch & EMU_TIME_MASK;
	const struct emu_clock *proxied = actor->warp->proxied[actor->lane];

	if (agent >= cta->race->threads || cta->race->proxy_time[agent] >= time)
		return true;
	return proxied && proxied->time[agent] >= time;
}

static int report_proxy(const struct emu_actor *actor, uint32_t offset)
{
	return emu_fault(actor->warp, actor->insn, actor->lane, CUDA_ERROR_LAUNCH_FAILED, NULL,
			"a bulk copy %s shared memory at 0x%x that was written without fence.proxy.async",
			actor->is_write ? "overwrites" : "reads", EMU_SHARED_START + offset);
}

static int note_write(const struct emu_actor *actor, struct emu_cta *cta, struct emu_cell *cell, uint32_t offset)
{
	struct emu_race *race = cta->race;
	uint32_t reader;

	if (cell->writer && !(cell->is_strong && actor->is_strong) && !is_ordered(actor, cell->writer) &&
			!(actor->host && emu_store_repeats(actor->warp, actor->insn, actor->lane, actor->host)))
		return report(actor, cta, offset, true, cell->writer);
	if (actor->is_proxy && cell->writer && !is_proxied(actor, cta, cell->writer))
		return report_proxy(actor, offset);
	reader = unordered_reader(race, cell, actor);
	if (reader)
		return report(actor, cta, offset, false, reader);
	if (cell->strong_reader && !actor->is_strong && !is_ordered(actor, cell->strong_reader))
		return report(actor, cta, offset, false, cell->strong_reader);
	drop_set(race, cell);
	cell->writer = actor->epoch;
	cell->is_strong = actor->is_strong && actor->is_wide ? EMU_STRONG_WIDE : actor->is_strong;
	cell->reader = cell->strong_reader = 0;
	return STEP_NEXT;
}

static int note_read(const struct emu_actor *actor, struct emu_cta *cta, struct emu_cell *cell, uint32_t offset)
{
	if (cell->writer && !(cell->is_strong && actor->is_strong) && !is_ordered(actor, cell->writer))
		return report(actor, cta, offset, true, cell->writer);
	if (actor->is_proxy && cell->writer && !is_proxied(actor, cta, cell->writer))
		return report_proxy(actor, offset);
	if (actor->is_strong)
		cell->strong_reader = actor->epoch;
	else
		note_reader(cta->race, cell, actor);
	return STEP_NEXT;
}

static int note(const struct emu_actor *actor, struct emu_cta *cta, struct emu_cell *cell, uint32_t offset)
{
	return actor->is_write ? note_write(actor, cta, cell, offset) : note_read(actor, cta, cell, offset);
}

/* The word's cell becomes four, which begin with what it knew. */
static bool split(struct emu_race *race, struct emu_cell *cell)
{
	struct emu_cell *larger;

	if (race->split_count == race->split_capacity) {
		uint32_t capacity = race->split_capacity ? race->split_capacity * 2 : 64;

		larger = realloc(race->splits, capacity * 4 * sizeof *larger);
		if (!larger)
			return false;
		race->splits = larger;
		race->split_capacity = capacity;
	}
	larger = race->splits + race->split_count * (size_t)4;
	for (unsigned i = 0; i < 4; i++) {
		larger[i] = *cell;
		larger[i].set = cell->set ? new_set(race) : 0;
		if (larger[i].set)
			memcpy(race->sets[larger[i].set - 1], race->sets[cell->set - 1],
					race->count * sizeof **race->sets);
	}
	drop_set(race, cell);
	*cell = (struct emu_cell){ .writer = race->split_count++, .is_split = true };
	return true;
}

static int note_bytes(const struct emu_actor *actor, struct emu_cta *cta, uint32_t offset, unsigned bytes)
{
	struct emu_race *race = cta->race;
	struct emu_cell *cell = &race->cells[offset / 4];

	if (!cell->is_split && !split(race, cell)) {
		race->is_off = true;
		return STEP_NEXT;
	}
	for (uint32_t i = 0; i < bytes; i++)
		if (note(actor, cta, &race->splits[cell->writer * (size_t)4 + (offset + i) % 4], offset + i) ==
				STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

/* offset from the start of the CTA's memory; aligned. */
int emu_race_cells(const struct emu_actor *actor, struct emu_cta *cta, uint32_t offset, unsigned bytes)
{
	if (cta->race->is_off)
		return STEP_NEXT;
	if (cta->race->foreign && emu_race_against_foreign(actor, cta, offset, bytes) == STEP_FAULT)
		return STEP_FAULT;
	if (bytes < 4)
		return note_bytes(actor, cta, offset, bytes);
	for (uint32_t end = offset + bytes; offset < end; offset += 4) {
		struct emu_cell *cell = &cta->race->cells[offset / 4];
		int step = cell->is_split ? note_bytes(actor, cta, offset, 4) : note(actor, cta, cell, offset);

		if (step == STEP_FAULT)
			return STEP_FAULT;
	}
	return STEP_NEXT;
}

int emu_race_shared(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	struct emu_actor actor;
	uint32_t lanes = access->lanes, offset;

	if (access->is_async)
		return STEP_NEXT;
	if (access->kind == ACCESS_WRITE)
		lanes &= ~emu_access_repeated(access);
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		emu_race_actor(&actor, warp, insn, l);
		actor.is_write = access->kind != ACCESS_READ;
		actor.is_strong = access->is_strong;
		actor.is_wide = access->is_strong && access->scope != EMU_SCOPE_CTA;
		actor.host = access->kind == ACCESS_WRITE ? access->host[l] : NULL;
		offset = (uint32_t)(access->host[l] - access->cta[l]->shared);
		/* Another CTA of the cluster has clocks of its own. */
		if ((access->cta[l] == warp->cta ? emu_race_cells : emu_race_foreign)(&actor, access->cta[l], offset,
				access->bytes) == STEP_FAULT)
			return STEP_FAULT;
	}
	warp->touched |= access->lanes;
	return STEP_NEXT;
}
