/* SPDX-License-Identifier: MIT
 *
 * Words of shared memory that other CTAs of the cluster access: beside what the owner's threads did, each remembers its
 * last writer and a reader from elsewhere.  What both kinds do is checked against the other.
 */
#include "race.h"

#include "order.h"

#include <stdlib.h>

/* 64 bits, as for global memory: strong, 4 for the bytes of the word, strong beyond the CTA, CTA, epoch.  0: nobody. */
#define STRONG (UINT64_C(1) << 63)
#define BYTES_SHIFT 59
#define WIDE (UINT64_C(1) << 58)
#define CTA_SHIFT 32

struct emu_foreign_cell {
	uint64_t writer, reader;
};

static uint64_t cta_of(uint64_t note)
{
	return note >> CTA_SHIFT & ((UINT64_C(1) << EMU_CTA_BITS) - 1);
}

/* Whether the actor knows of what an agent of some CTA did then. */
static bool knows(const struct emu_actor *actor, uint64_t cta, uint32_t epoch)
{
	uint32_t agent = epoch >> EMU_TIME_BITS;
	const struct emu_clock *known = actor->base;

	if (cta == actor->warp->cta->index) {
		if (agent == actor->epoch >> EMU_TIME_BITS || agent == emu_thread_index(actor->warp, actor->lane))
			return true;
	} else {
		known = emu_clock_of(known, cta);
	}
	return known && known->time[agent] >= (epoch & EMU_TIME_MASK);
}

static int report(const struct emu_actor *actor, uint32_t offset, bool other_wrote, uint64_t cta, uint32_t epoch)
{
	uint64_t address = EMU_SHARED_START + (uint64_t)offset;

	return emu_race_report(actor, &address, "distributed shared", other_wrote, cta, epoch);
}

static bool conflicts(const struct emu_actor *actor, uint64_t note, uint8_t bytes)
{
	bool are_strong = actor->is_strong && note & STRONG;

	if (!(note >> BYTES_SHIFT & bytes & 15) || knows(actor, cta_of(note), (uint32_t)note))
		return false;
	return !are_strong || (cta_of(note) != actor->warp->cta->index && !(actor->is_wide && note & WIDE));
}

/* Against accesses from elsewhere, whoever the actor is. */
static int check_foreign(const struct emu_actor *actor, const struct emu_foreign_cell *cell, uint32_t offset,
		uint8_t bytes)
{
	if (conflicts(actor, cell->writer, bytes) &&
			!(actor->host && emu_store_repeats(actor->warp, actor->insn, actor->lane, actor->host)))
		return report(actor, offset, true, cta_of(cell->writer), (uint32_t)cell->writer);
	if (actor->is_write && conflicts(actor, cell->reader, bytes))
		return report(actor, offset, false, cta_of(cell->reader), (uint32_t)cell->reader);
	return STEP_NEXT;
}

static uint32_t unknown_reader(const struct emu_actor *actor, const struct emu_cta *owner, const struct emu_cell *cell)
{
	const uint32_t *set = cell->set ? owner->race->sets[cell->set - 1] : NULL;
	bool is_strong_pair = actor->is_strong && actor->is_wide;

	for (uint32_t i = 0; set && i < owner->race->count; i++)
		if (set[i] && !knows(actor, owner->index, i << EMU_TIME_BITS | set[i]))
			return i << EMU_TIME_BITS | set[i];
	if (!set && cell->reader && !knows(actor, owner->index, cell->reader))
		return cell->reader;
	if (cell->strong_reader && !is_strong_pair && !knows(actor, owner->index, cell->strong_reader))
		return cell->strong_reader;
	return 0;
}

/* Against what the owner's threads did. */
static int check_own(const struct emu_actor *actor, const struct emu_cta *owner, const struct emu_cell *cell,
		uint32_t offset)
{
	bool is_strong_pair = actor->is_strong && actor->is_wide && cell->is_strong == EMU_STRONG_WIDE;
	uint32_t reader;

	if (cell->writer && !is_strong_pair && !knows(actor, owner->index, cell->writer) &&
			!(actor->host && emu_store_repeats(actor->warp, actor->insn, actor->lane, actor->host)))
		return report(actor, offset, true, owner->index, cell->writer);
	reader = actor->is_write ? unknown_reader(actor, owner, cell) : 0;
	return reader ? report(actor, offset, false, owner->index, reader) : STEP_NEXT;
}

static void note(const struct emu_actor *actor, struct emu_foreign_cell *cell, uint8_t bytes)
{
	uint64_t note = (actor->is_strong ? STRONG : 0) | (uint64_t)(bytes & 15) << BYTES_SHIFT |
		(actor->is_wide ? WIDE : 0) | actor->warp->cta->index << CTA_SHIFT | actor->epoch;

	if (actor->is_write)
		*cell = (struct emu_foreign_cell){ .writer = note };
	/* Of two readers that are not ordered the first stays. */
	else if (!cell->reader || knows(actor, cta_of(cell->reader), (uint32_t)cell->reader))
		cell->reader = note;
}

static int note_word(const struct emu_actor *actor, struct emu_cta *owner, uint32_t offset, uint8_t bytes)
{
	const struct emu_cell *cell = &owner->race->cells[offset / 4];
	struct emu_foreign_cell *foreign = &owner->race->foreign[offset / 4];
	int step = STEP_NEXT;

	if (!cell->is_split)
		step = check_own(actor, owner, cell, offset);
	for (unsigned i = 0; i < 4 && cell->is_split && step != STEP_FAULT; i++)
		if (bytes >> i & 1)
			step = check_own(actor, owner, &owner->race->splits[cell->writer * (size_t)4 + i], offset);
	if (step != STEP_FAULT)
		step = check_foreign(actor, foreign, offset, bytes);
	if (step != STEP_FAULT)
		note(actor, foreign, bytes);
	return step;
}

static uint8_t bytes_of(uint32_t offset, unsigned bytes)
{
	return bytes >= 4 ? 15 : (uint8_t)(((1u << bytes) - 1) << offset % 4);
}

int emu_race_foreign(const struct emu_actor *actor, struct emu_cta *owner, uint32_t offset, unsigned bytes)
{
	struct emu_race *race = owner->race;
	uint8_t mask = bytes_of(offset, bytes);

	if (race->is_off || actor->warp->cta->race->is_off)
		return STEP_NEXT;
	if (!race->foreign)
		race->foreign = calloc(race->cell_count, sizeof *race->foreign);
	if (!race->foreign) {
		race->is_off = true;
		return STEP_NEXT;
	}
	for (uint32_t at = offset & ~3u; at < offset + bytes; at += 4)
		if (note_word(actor, owner, at, mask) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

int emu_race_against_foreign(const struct emu_actor *actor, const struct emu_cta *cta, uint32_t offset, unsigned bytes)
{
	uint8_t mask = bytes_of(offset, bytes);

	for (uint32_t at = offset & ~3u; at < offset + bytes; at += 4)
		if (check_foreign(actor, &cta->race->foreign[at / 4], at, mask) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

/* ---- The cluster's barrier ---- */

void emu_race_cluster_arrive(struct emu_warp *warp, uint32_t lanes, bool is_release)
{
	if (is_release)
		emu_race_publish(warp, lanes, &warp->cta->race->cluster_arrived);
	else
		emu_race_publish_fenced(warp, lanes, &warp->cta->race->cluster_arrived);
}

/* What a CTA has published; or that it has started, which an arrival tells in any case. */
static bool learn_of(struct emu_cta *cta, const struct emu_cta *peer)
{
	struct emu_clock *known = emu_clock_keep(peer->race->cluster_arrived);
	bool is_good;

	if (!known)
		known = emu_clock_new(peer->race->count);
	is_good = known && emu_clock_join_foreign(&cta->race->cluster_done, cta->index, peer->index, known);
	emu_clock_drop(&known);
	return is_good;
}

/* Every CTA learns what all have published. */
void emu_race_cluster_complete(struct emu_cluster *cluster)
{
	for (unsigned i = 0; i < cluster->count; i++) {
		struct emu_cta *cta = cluster->ctas[i];

		if (!cta)
			continue;
		emu_clock_drop(&cta->race->cluster_done);
		cta->race->cluster_done = emu_clock_new(cta->race->count);
		for (unsigned k = 0; k < cluster->count; k++)
			if (cluster->ctas[k] && (!cta->race->cluster_done || !learn_of(cta, cluster->ctas[k])))
				cta->race->is_off = true;
	}
}

void emu_race_cluster_leave(struct emu_warp *warp, uint32_t lanes)
{
	emu_race_learn(warp, lanes, warp->cta->race->cluster_done);
}

/* ---- st.async ---- */

#define STORES_KEY 0x20000000u

/* The store is an agent's, behind the thread that starts it; who waits at the mbarrier learns of that agent only. */
int emu_race_async_store(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int l,
		uint32_t barrier_offset, uint32_t *epoch)
{
	struct emu_cta *cta = access->cta[l];
	uint32_t offset = (uint32_t)(access->host[l] - cta->shared);
	struct emu_actor actor;

	*epoch = 0;
	if (emu_race_slot(warp->cta->race, STORES_KEY | barrier_offset, epoch) == EMU_NO_SLOT)
		return STEP_NEXT;
	emu_race_actor(&actor, warp, insn, l);
	actor.epoch = *epoch;
	actor.is_write = true;
	return cta == warp->cta ? emu_race_cells(&actor, cta, offset, access->bytes) :
		emu_race_foreign(&actor, cta, offset, access->bytes);
}

void emu_race_async_stored(struct emu_cta *from, struct emu_cta *to, struct emu_clock **arrived, uint32_t epoch)
{
	struct emu_clock *clock = NULL;

	if (from == to || !epoch) {
		emu_race_slot_done(to, arrived, epoch);
		return;
	}
	emu_race_slot_done(from, &clock, epoch);
	if (!*arrived)
		*arrived = emu_clock_new(to->race->count);
	if (!clock || !*arrived || !emu_clock_join_foreign(arrived, to->index, from->index, clock))
		to->race->is_off = true;
	emu_clock_drop(&clock);
}
