/* SPDX-License-Identifier: MIT
 *
 * Clocks of threads, and how barriers pass them on.
 */
#include "race.h"

#include "buffer.h"
#include "mbarrier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where memory or the bits of a time run out, no race is reported any more: a false report would be worse than none. */
static void stop_checking(struct emu_cta *cta)
{
	cta->race->is_off = true;
}

/* What the lane has done itself.  A lane that has done nothing since it last published keeps its time. */
static void publish_own(struct emu_warp *warp, int l, struct emu_clock *into)
{
	uint32_t *time = &into->time[emu_thread_index(warp, l)];
	bool has_touched = warp->touched >> l & 1;
	uint32_t done = has_touched ? warp->times[l] : warp->times[l] - 1;

	if (*time < done)
		*time = done;
	if (has_touched)
		warp->untold |= 1u << l;
	if (has_touched && ++warp->times[l] > EMU_TIME_MASK)
		stop_checking(warp->cta);
}

/* The clock is copied only where lanes have learnt different things: mostly they share one, and a join is free. */
void emu_race_publish(struct emu_warp *warp, uint32_t lanes, struct emu_clock **into)
{
	struct emu_race *race = warp->cta->race;
	const struct emu_clock *last = NULL;

	if (race->is_off)
		return;
	if (!*into)
		*into = emu_clock_keep(warp->clocks[__builtin_ctz(lanes)]);
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (!*into || (warp->clocks[l] != last && !emu_clock_join(into, warp->clocks[l])) ||
				!emu_clock_own(into)) {
			stop_checking(warp->cta);
			return;
		}
		last = warp->clocks[l];
		publish_own(warp, l, *into);
	}
	warp->touched &= ~lanes;
}

/* Of one clock for each lane; lanes that share one go on sharing one. */
static void learn(struct emu_cta *cta, struct emu_clock **clocks, uint32_t lanes, struct emu_clock *from)
{
	struct emu_clock *before = NULL, *after = NULL;

	if (cta->race->is_off || !from)
		return;
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (before && clocks[l] == before) {
			emu_clock_drop(&clocks[l]);
			clocks[l] = emu_clock_keep(after);
			continue;
		}
		emu_clock_drop(&before);
		before = emu_clock_keep(clocks[l]);
		if (!clocks[l])
			clocks[l] = emu_clock_keep(from);
		else if (!emu_clock_join(&clocks[l], from))
			stop_checking(cta);
		after = clocks[l];
	}
	emu_clock_drop(&before);
}

void emu_race_learn(struct emu_warp *warp, uint32_t lanes, struct emu_clock *from)
{
	learn(warp->cta, warp->clocks, lanes, from);
}

/* Nothing needs to be passed on where the lanes know the same and none has touched memory since, nor before, if it told
 * only others of it (by a fence, or by its arrival at an mbarrier). */
void emu_race_sync_warp(struct emu_warp *warp, uint32_t lanes)
{
	int first = __builtin_ctz(lanes);
	bool is_same = true;
	struct emu_clock *clock = NULL;

	for (uint32_t left = lanes; left; left &= left - 1)
		is_same &= warp->clocks[__builtin_ctz(left)] == warp->clocks[first];
	if (is_same && !((warp->touched | warp->untold) & lanes))
		return;
	emu_race_publish(warp, lanes, &clock);
	warp->untold &= ~lanes;
	emu_race_barrier_leave(warp, lanes, clock);
	emu_clock_drop(&clock);
}

void emu_race_barrier_arrive(struct emu_warp *warp, uint32_t lanes, struct emu_clock **clock)
{
	emu_race_publish(warp, lanes, clock);
}

/* Who arrived takes the barrier's clock in place of its own, which the barrier's includes. */
void emu_race_barrier_leave(struct emu_warp *warp, uint32_t lanes, struct emu_clock *clock)
{
	if (warp->cta->race->is_off || !clock)
		return;
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		emu_clock_drop(&warp->clocks[l]);
		warp->clocks[l] = emu_clock_keep(clock);
	}
}

/* The initialisation is a plain write: a use that nothing orders behind it is a race. */
int emu_race_mbarrier_init(struct emu_cta *cta, uint32_t offset, struct emu_warp *warp, const struct emu_insn *insn,
		int lane)
{
	struct emu_actor actor;

	emu_race_actor(&actor, warp, insn, lane);
	actor.is_write = true;
	return emu_race_cells(&actor, cta, offset - EMU_SHARED_START, 8);
}

/* Operations on mbarriers are atomic among themselves; only the initialisation must come before them. */
int emu_race_mbarrier_use(struct emu_cta *cta, uint32_t offset, struct emu_warp *warp, const struct emu_insn *insn,
		int lane)
{
	struct emu_actor actor;

	emu_race_actor(&actor, warp, insn, lane);
	actor.is_strong = actor.is_wide = true;
	return cta == warp->cta ? emu_race_cells(&actor, cta, offset - EMU_SHARED_START, 8) :
		emu_race_foreign(&actor, cta, offset - EMU_SHARED_START, 8);
}

void emu_race_mbarrier_arrive(struct emu_cta *cta, struct emu_mbarrier *barrier, struct emu_warp *warp, int lane,
		bool is_release)
{
	struct emu_clock *clock = NULL;

	if (!is_release || cta->race->is_off)
		return;
	if (cta == warp->cta) {
		emu_race_publish(warp, 1u << lane, &barrier->arrived);
		return;
	}
	emu_buffer_flush(warp->cta);
	emu_race_publish(warp, 1u << lane, &clock);
	if (!barrier->arrived)
		barrier->arrived = emu_clock_new(cta->race->count);
	if (!clock || !barrier->arrived ||
			!emu_clock_join_foreign(&barrier->arrived, cta->index, warp->cta->index, clock))
		stop_checking(cta);
	emu_clock_drop(&clock);
}

/* Who waits for a phase learns from those who arrived in it and earlier, not from those who are a phase ahead. */
void emu_race_mbarrier_complete(struct emu_mbarrier *barrier)
{
	emu_clock_drop(&barrier->completed);
	barrier->completed = emu_clock_keep(barrier->arrived);
}

void emu_race_mbarrier_wait(struct emu_cta *cta, struct emu_mbarrier *barrier, struct emu_warp *warp, uint32_t lanes,
		bool is_acquire)
{
	if (cta == warp->cta)
		learn(cta, is_acquire ? warp->clocks : warp->pending, lanes, barrier->completed);
}

/* Asynchronous copies are done by nobody's thread: each barrier that copies complete on, and each thread that waits for
 * its own, has an agent with a clock's entry, so that waiting for a copy orders its accesses and nothing else. */
static uint32_t find_slot(const struct emu_race *race, uint32_t key)
{
	uint32_t i = 0;

	while (i < race->slot_count && race->slot_key[i] != key)
		i++;
	return i;
}

uint32_t emu_race_slot(struct emu_race *race, uint32_t key, uint32_t *epoch)
{
	uint32_t i = find_slot(race, key);

	if (i == EMU_SLOTS || race->is_off) {
		*epoch = 0;
		return EMU_NO_SLOT;
	}
	if (i == race->slot_count)
		race->slot_key[race->slot_count++] = key;
	if (++race->slot_time[i] > EMU_TIME_MASK)
		race->is_off = true;
	*epoch = (race->threads + i) << EMU_TIME_BITS | race->slot_time[i];
	return i;
}

/* A group is known by the agent's time at its end; only the last few can still be waited for. */
void emu_race_commit(struct emu_race *race, uint32_t key)
{
	uint32_t i = find_slot(race, key);

	if (i < race->slot_count)
		race->commits[i][race->commit_count[i]++ % EMU_COMMITS] = race->slot_time[i];
}

uint32_t emu_race_committed(const struct emu_race *race, uint32_t key, uint32_t pending)
{
	uint32_t i = find_slot(race, key);

	if (i == race->slot_count || pending >= race->commit_count[i] || pending >= EMU_COMMITS)
		return 0;
	return (race->threads + i) << EMU_TIME_BITS |
		race->commits[i][(race->commit_count[i] - 1 - pending) % EMU_COMMITS];
}

/* A thread that has not waited for its copies of this kind: to end then is a fault, though nobody may touch the memory
 * any more and no race would show. */
uint32_t emu_race_unawaited(const struct emu_cta *cta, uint32_t bits)
{
	const struct emu_race *race = cta->race;

	for (uint32_t i = 0; i < race->slot_count && !race->is_off; i++) {
		uint32_t thread = race->slot_key[i] & ~bits;
		const struct emu_warp *warp = &cta->warps[thread / EMU_LANES];

		if (race->slot_key[i] & bits && warp->clocks[thread % EMU_LANES]->time[race->threads + i] <
				race->slot_time[i])
			return thread;
	}
	return EMU_NO_SLOT;
}

void emu_race_slot_done(struct emu_cta *cta, struct emu_clock **clock, uint32_t epoch)
{
	uint32_t agent = epoch >> EMU_TIME_BITS, time = epoch & EMU_TIME_MASK;

	if (!epoch || cta->race->is_off)
		return;
	if (!*clock)
		*clock = emu_clock_new(cta->race->count);
	if (!*clock || !emu_clock_own(clock)) {
		stop_checking(cta);
		return;
	}
	if ((*clock)->time[agent] < time)
		(*clock)->time[agent] = time;
}

/* Whoever asks for a check is about to touch memory: from here on the lane has something to tell at a barrier. */
void emu_race_actor(struct emu_actor *actor, struct emu_warp *warp, const struct emu_insn *insn, int lane)
{
	*actor = (struct emu_actor){ .warp = warp, .insn = insn, .lane = lane, .base = warp->clocks[lane],
		.epoch = emu_thread_index(warp, lane) << EMU_TIME_BITS | warp->times[lane] };
	warp->touched |= 1u << lane;
}

static void name_agent(char *text, size_t size, const struct emu_actor *actor, uint64_t cta, uint32_t epoch)
{
	const struct emu_run *run = actor->warp->run;
	const unsigned *block = run->launch->block, *grid = run->launch->grid;
	uint32_t thread = epoch >> EMU_TIME_BITS;
	char where[80] = "";

	if (cta != actor->warp->cta->index)
		snprintf(where, sizeof where, " of CTA (%u,%u,%u)", (unsigned)(cta % grid[0]),
				(unsigned)(cta / grid[0] % grid[1]), (unsigned)(cta / grid[0] / grid[1]));
	if (thread >= actor->warp->cta->race->threads)
		snprintf(text, size, "an asynchronous copy%s", where);
	else
		snprintf(text, size, "thread (%u,%u,%u)%s", thread % block[0], thread / block[0] % block[1],
				thread / block[0] / block[1], where);
}

int emu_race_report(const struct emu_actor *actor, const uint64_t *address, const char *memory, bool other_wrote,
		uint64_t other_cta, uint32_t other_epoch)
{
	char other[160];

	name_agent(other, sizeof other, actor, other_cta, other_epoch);
	return emu_fault(actor->warp, actor->insn, actor->lane, CUDA_ERROR_LAUNCH_FAILED, address,
			"race in %s memory: this %s%s and the %s by %s are not ordered", memory,
			actor->is_strong ? "strong " : "", actor->is_write ? "write" : "read",
			other_wrote ? "write" : "read", other);
}

/* Times begin at 1, so that an entry 0 says that nothing of a thread is known. */
static bool start_clocks(struct emu_cta *cta)
{
	struct emu_clock *initial = emu_clock_new(cta->race->count);

	for (unsigned i = 0; i < cta->warp_count && initial; i++)
		for (unsigned l = 0; l < EMU_LANES; l++) {
			cta->warps[i].clocks[l] = emu_clock_keep(initial);
			cta->warps[i].times[l] = 1;
		}
	emu_clock_drop(&initial);
	return cta->warps[0].clocks[0] != NULL;
}

static struct emu_race *make(const struct emu_cta *cta)
{
	struct emu_race *race = calloc(1, sizeof *race);

	if (!race)
		return NULL;
	race->threads = cta->warp_count * EMU_LANES;
	race->count = race->threads + EMU_SLOTS;
	race->cell_count = cta->shared_bytes / 4 + 8;
	race->cells = calloc(race->cell_count, sizeof *race->cells);
	race->proxy_time = calloc(race->threads, sizeof *race->proxy_time);
	return race;
}

bool emu_race_cta_start(struct emu_cta *cta)
{
	struct emu_race *race = cta->race;

	if (!race)
		race = cta->race = make(cta);
	else {
		memset(race->cells, 0, race->cell_count * sizeof *race->cells);
		memset(race->proxy_time, 0, race->threads * sizeof *race->proxy_time);
		free(race->foreign);
		race->foreign = NULL;
		race->slot_count = race->split_count = 0;
		memset(race->slot_time, 0, sizeof race->slot_time);
		memset(race->commit_count, 0, sizeof race->commit_count);
		for (race->free_count = 0; race->free_count < race->set_count; race->free_count++)
			race->free_sets[race->free_count] = (uint16_t)race->free_count;
	}
	if (!race || !race->cells || !race->proxy_time)
		return false;
	race->is_off = cta->run->cta_count > 1u << EMU_CTA_BITS;
	return start_clocks(cta);
}

void emu_race_cta_end(struct emu_cta *cta)
{
	for (unsigned i = 0; i < cta->warp_count; i++)
		for (unsigned l = 0; l < EMU_LANES; l++) {
			emu_clock_drop(&cta->warps[i].clocks[l]);
			emu_clock_drop(&cta->warps[i].fenced[l]);
			emu_clock_drop(&cta->warps[i].pending[l]);
			emu_clock_drop(&cta->warps[i].proxied[l]);
		}
	for (unsigned i = 0; i < EMU_BARRIERS; i++)
		emu_clock_drop(&cta->barriers[i].clock);
	if (!cta->race)
		return;
	emu_clock_drop(&cta->race->cluster_arrived);
	emu_clock_drop(&cta->race->cluster_done);
}

void emu_race_cta_free(struct emu_cta *cta)
{
	struct emu_race *race = cta->race;

	if (!race)
		return;
	for (uint32_t i = 0; i < race->set_count; i++)
		free(race->sets[i]);
	free(race->sets);
	free(race->free_sets);
	free(race->splits);
	free(race->cells);
	free(race->foreign);
	free(race->proxy_time);
	free(race);
	cta->race = NULL;
}
