/* SPDX-License-Identifier: MIT
 *
 * cp.async and cp.async.bulk as instructions.  A small copy lands when its thread waits for it, the latest moment that
 * is allowed; a bulk copy at once or, in a random schedule, at any later one.  A bulk store that is late first reads
 * shared memory, at the latest when its thread waits for the reads, and lands later still, at the latest when its
 * thread waits for that or the CTA ends.
 */
#include "async.h"

#include "cluster.h"
#include "mbarrier.h"
#include "race.h"
#include "schedule.h"

#include <stdlib.h>

static uint64_t address_of(const struct emu_warp *warp, int32_t op, int lane, bool is_wide, int64_t offset)
{
	const void *base = emu_in(warp, op);

	return is_wide ? ((const uint64_t *)base)[lane] + (uint64_t)offset :
		(uint32_t)(((const uint32_t *)base)[lane] + (uint32_t)offset);
}

static uint32_t number_of(const struct emu_warp *warp, int32_t op, int lane)
{
	return ((const uint32_t *)emu_in(warp, op))[lane];
}

static void take_addresses(struct emu_copy *copy, struct emu_warp *warp, const struct emu_insn *insn, int lane)
{
	const struct emu_copy_shape *shape = insn->extra;

	*copy = (struct emu_copy){ .warp = warp, .insn = insn, .lane = lane, .piece = 16,
		.to = address_of(warp, insn->op[0], lane, shape->to_wide, shape->to_offset),
		.from = address_of(warp, insn->op[1], lane, shape->from_wide, shape->from_offset),
		.to_space = shape->to_space, .from_space = shape->from_space };
}

/* The offset in the CTA's own memory of an address in the shared window; false where it belongs to another CTA. */
static bool own_offset(const struct emu_warp *warp, uint64_t address, uint32_t bytes, uint32_t *offset)
{
	uint32_t rank;

	if (address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES)
		address -= EMU_SHARED_WINDOW;
	rank = (uint32_t)(address >> EMU_RANK_SHIFT) & 0xff;
	*offset = ((uint32_t)address & ((1u << EMU_RANK_SHIFT) - 1)) - EMU_SHARED_START;
	return (!rank || rank - 1 == warp->cta->rank) && !(address >> 32) &&
		(uint64_t)*offset + bytes <= warp->cta->shared_bytes;
}

static int check_bulk(const struct emu_copy *copy)
{
	if (copy->bytes % 16 || copy->to % 16 || copy->from % 16)
		return emu_fault(copy->warp, copy->insn, copy->lane, CUDA_ERROR_MISALIGNED_ADDRESS, &copy->from,
				"a bulk copy of %u bytes to 0x%llx: all must be multiples of 16", copy->bytes,
				(unsigned long long)copy->to);
	return STEP_NEXT;
}

static int find_barrier(struct emu_copy *copy)
{
	const struct emu_copy_shape *shape = copy->insn->extra;
	uint64_t address = address_of(copy->warp, copy->insn->op[3], copy->lane, shape->barrier_wide,
			shape->barrier_offset);
	const struct emu_mbarrier *barrier;

	copy->barrier_cta = emu_cluster_owner(copy->warp, address, &copy->barrier_offset);
	barrier = copy->barrier_cta ? emu_mbarrier_find(copy->barrier_cta, copy->barrier_offset) : NULL;
	if (barrier && !barrier->is_told)
		return emu_fault(copy->warp, copy->insn, copy->lane, CUDA_ERROR_LAUNCH_FAILED, &address,
				"a bulk copy completes on an mbarrier without fence.mbarrier_init behind its "
				"initialisation");
	if (!barrier)
		return emu_fault(copy->warp, copy->insn, copy->lane, CUDA_ERROR_LAUNCH_FAILED, &address,
				"a bulk copy completes on an mbarrier that was not initialised");
	return STEP_NEXT;
}

#define READS_KEY 0x80000000u

/* The copy's accesses of this CTA's shared memory, by an agent of its own, ordered behind the thread that starts it. */
static int note_agent(struct emu_copy *copy)
{
	struct emu_race *race = copy->warp->cta->race;
	bool is_write = copy->to_space == SPACE_SHARED;
	uint32_t key = is_write ? copy->barrier_offset : READS_KEY | emu_thread_index(copy->warp, copy->lane), offset;
	struct emu_actor actor;

	if (!own_offset(copy->warp, is_write ? copy->to : copy->from, copy->bytes, &offset) || !copy->bytes ||
			emu_race_slot(race, key, &copy->epoch) == EMU_NO_SLOT)
		return STEP_NEXT;
	emu_race_actor(&actor, copy->warp, copy->insn, copy->lane);
	actor.epoch = copy->epoch;
	actor.is_write = is_write;
	actor.is_proxy = true;
	return emu_race_cells(&actor, copy->warp->cta, offset, copy->bytes);
}

static int bulk_lane(struct emu_warp *warp, const struct emu_insn *insn, int lane)
{
	struct emu_copy copy;

	take_addresses(&copy, warp, insn, lane);
	copy.bytes = number_of(warp, insn->op[2], lane);
	if (check_bulk(&copy) == STEP_FAULT || (insn->op[3] != NO_OPERAND && find_barrier(&copy) == STEP_FAULT) ||
			note_agent(&copy) == STEP_FAULT)
		return STEP_FAULT;
	copy.group = warp->bulk_group[lane];
	if (emu_schedule_delays(warp->run))
		return emu_copy_defer(&warp->cta->bulk, &copy);
	return emu_copy_land(&copy);
}

int emu_run_bulk_copy(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	for (uint32_t left = lanes; left; left &= left - 1)
		if (bulk_lane(warp, insn, __builtin_ctz(left)) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

int emu_run_bulk_commit(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)insn;
	for (uint32_t left = lanes; left; left &= left - 1) {
		emu_race_commit(warp->cta->race, READS_KEY | emu_thread_index(warp, __builtin_ctz(left)));
		warp->bulk_group[__builtin_ctz(left)]++;
	}
	return STEP_NEXT;
}

/* What waited until now happens, and the thread learns of it. */
int emu_run_bulk_wait(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint32_t epoch = emu_race_committed(warp->cta->race, READS_KEY | emu_thread_index(warp, l),
				(uint32_t)insn->offset);

		if (emu_copy_finish_stores(warp, l, (uint32_t)insn->offset, insn->flags & INSN_READ) == STEP_FAULT)
			return STEP_FAULT;
		emu_race_slot_done(warp->cta, &warp->clocks[l], epoch);
	}
	return STEP_NEXT;
}

bool emu_copy_check_end(const struct emu_cta *cta)
{
	uint32_t thread = emu_race_unawaited(cta, READS_KEY);

	if (thread == EMU_NO_SLOT)
		return true;
	emu_run_fault(cta->run, CUDA_ERROR_LAUNCH_FAILED, "thread %u of CTA (%u,%u,%u) ended before its bulk copies "
			"had read shared memory", thread, cta->id[0], cta->id[1], cta->id[2]);
	return false;
}

/* Until it lands nobody may look: what was there counts as never written. */
static int start_small(struct emu_copy *copy)
{
	uint32_t offset, bytes = copy->bytes + copy->zeros;
	struct emu_actor actor;

	if (!own_offset(copy->warp, copy->to, bytes, &offset))
		return emu_copy_land(copy); /* which tells what is wrong with it */
	emu_race_actor(&actor, copy->warp, copy->insn, copy->lane);
	actor.is_write = true;
	if (emu_race_cells(&actor, copy->warp->cta, offset, bytes) == STEP_FAULT)
		return STEP_FAULT;
	copy->warp->touched |= 1u << copy->lane;
	for (uint32_t i = offset; i < offset + bytes; i++)
		copy->warp->cta->shared_written[i / 8] &= (uint8_t)~(1u << i % 8);
	return emu_copy_defer(&copy->warp->copies, copy);
}

/* op: to, from, source bytes; target: the copy's size.  What the source lacks becomes zeros. */
static int small_lane(struct emu_warp *warp, const struct emu_insn *insn, int lane)
{
	struct emu_copy copy;

	take_addresses(&copy, warp, insn, lane);
	copy.bytes = insn->op[2] == NO_OPERAND ? insn->target : number_of(warp, insn->op[2], lane);
	if (copy.bytes > insn->target || copy.bytes % 4 || copy.from % insn->target || copy.to % insn->target)
		return emu_fault(warp, insn, lane, CUDA_ERROR_MISALIGNED_ADDRESS, &copy.from,
				"cp.async of %u bytes, %u of them from the source", insn->target, copy.bytes);
	copy.zeros = insn->target - copy.bytes;
	copy.piece = copy.zeros ? 4 : insn->target;
	copy.group = warp->copy_group[lane];
	return start_small(&copy);
}

int emu_run_small_copy(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	for (uint32_t left = lanes; left; left &= left - 1)
		if (small_lane(warp, insn, __builtin_ctz(left)) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

int emu_run_small_commit(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)insn;
	for (uint32_t left = lanes; left; left &= left - 1)
		warp->copy_group[__builtin_ctz(left)]++;
	return STEP_NEXT;
}

/* The thread's write, as of now: who was told of it before has been told too early. */
static int land_small(struct emu_copy *copy)
{
	struct emu_actor actor;
	uint32_t offset;

	emu_race_actor(&actor, copy->warp, copy->insn, copy->lane);
	actor.is_write = true;
	if (own_offset(copy->warp, copy->to, copy->bytes + copy->zeros, &offset) &&
			emu_race_cells(&actor, copy->warp->cta, offset, copy->bytes + copy->zeros) == STEP_FAULT)
		return STEP_FAULT;
	copy->warp->touched |= 1u << copy->lane;
	return emu_copy_land(copy);
}

/* Of the lanes' copies those of groups that are at least `pending` groups old; all of them where pending is -1. */
static int land_groups(struct emu_warp *warp, uint32_t lanes, int64_t pending)
{
	struct emu_copy **at = &warp->copies;

	while (*at) {
		struct emu_copy *copy = *at;
		bool is_due = lanes >> copy->lane & 1 &&
			(pending < 0 || (int64_t)copy->group + pending < (int64_t)warp->copy_group[copy->lane]);
		int step;

		if (!is_due) {
			at = &copy->next;
			continue;
		}
		*at = copy->next;
		step = land_small(copy);
		free(copy);
		if (step == STEP_FAULT)
			return STEP_FAULT;
	}
	return STEP_NEXT;
}

int emu_run_small_wait(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	return land_groups(warp, lanes, insn->offset);
}

/* The thread's copies have landed: an arrival that, unless .noinc, does not count towards the expected ones. */
static int arrive_lane(struct emu_warp *warp, const struct emu_insn *insn, int l)
{
	uint64_t address = address_of(warp, insn->op[0], l, insn->flags & INSN_WIDE_ADDR, insn->offset);
	uint32_t offset;
	struct emu_cta *cta = emu_cluster_owner(warp, address, &offset);
	struct emu_mbarrier *barrier = cta ? emu_mbarrier_find(cta, offset) : NULL;

	if (!barrier)
		return emu_fault(warp, insn, l, CUDA_ERROR_LAUNCH_FAILED, &address,
				"an mbarrier that was not initialised");
	emu_race_mbarrier_arrive(cta, barrier, warp, l, true);
	if (!(insn->flags & INSN_NOINC))
		barrier->pending++;
	if (!emu_mbarrier_arrive(cta, barrier, 1))
		return emu_fault(warp, insn, l, CUDA_ERROR_LAUNCH_FAILED, &address,
				"more arrivals at an mbarrier than the %u it expects", barrier->expected);
	return STEP_NEXT;
}

int emu_run_small_arrive(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	if (land_groups(warp, lanes, -1) == STEP_FAULT)
		return STEP_FAULT;
	for (uint32_t left = lanes; left; left &= left - 1)
		if (arrive_lane(warp, insn, __builtin_ctz(left)) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}
