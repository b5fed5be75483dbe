/* SPDX-License-Identifier: MIT
 *
 * A warp's lanes as groups that execute together.  Of the groups that can run, the one at the smallest pc runs first,
 * so that lanes meet again where their ways join; a group that spins lets the others go first.
 */
#include "sync.h"
#include "undefined.h"

static bool is_mergeable(const struct emu_group *group)
{
	return group->state == GROUP_READY || group->wait == WAIT_LANES || group->wait == WAIT_WARP ||
		group->wait == WAIT_MBARRIER;
}

static void remove_group(struct emu_warp *warp, unsigned index)
{
	warp->groups[index] = warp->groups[--warp->group_count];
	if (warp->current == warp->group_count)
		warp->current = index;
}

/* Groups at the same pc become one; what waited for lanes there looks again. */
static void merge(struct emu_warp *warp)
{
	for (unsigned i = 0; i < warp->group_count; i++)
		for (unsigned k = i + 1; k < warp->group_count; ) {
			struct emu_group *a = &warp->groups[i], *b = &warp->groups[k];

			if (a->pc != b->pc || !is_mergeable(a) || !is_mergeable(b) ||
					(a->state != GROUP_READY && b->state != GROUP_READY)) {
				k++;
				continue;
			}
			a->lanes |= b->lanes;
			a->state = GROUP_READY;
			a->wait = WAIT_NONE;
			a->resume |= b->resume;
			a->has_spun = false;
			if (warp->current == k)
				warp->current = i;
			remove_group(warp, k);
		}
}

/* The next group that can run after one, in a circle; the number of groups where none can. */
static unsigned next_ready(const struct emu_warp *warp, unsigned after)
{
	for (unsigned k = 1; k <= warp->group_count; k++) {
		unsigned i = (after + k) % warp->group_count;

		if (warp->groups[i].state == GROUP_READY)
			return i;
	}
	return warp->group_count;
}

static unsigned lowest_ready(const struct emu_warp *warp)
{
	unsigned best = warp->group_count;

	for (unsigned i = 0; i < warp->group_count; i++)
		if (warp->groups[i].state == GROUP_READY &&
				(best == warp->group_count || warp->groups[i].pc < warp->groups[best].pc))
			best = i;
	return best;
}

/* The group to run next; false where none can.  After a spin it is the next in the circle, whatever its pc. */
static bool choose(struct emu_warp *warp)
{
	unsigned chosen = warp->turn == UINT32_MAX ? lowest_ready(warp) : next_ready(warp, warp->turn);

	warp->turn = UINT32_MAX;
	if (chosen == warp->group_count)
		return false;
	warp->current = chosen;
	return true;
}

/* Where the current group meets another one. */
static uint32_t meeting_point(const struct emu_warp *warp)
{
	uint32_t pc = warp->groups[warp->current].pc, limit = UINT32_MAX;

	for (unsigned i = 0; i < warp->group_count; i++)
		if (i != warp->current && is_mergeable(&warp->groups[i]) && warp->groups[i].pc > pc &&
				warp->groups[i].pc < limit)
			limit = warp->groups[i].pc;
	return limit;
}

static int run_group(struct emu_warp *warp, unsigned *budget)
{
	struct emu_group *group = &warp->groups[warp->current];
	struct emu_counters *counters = &warp->run->counters;
	const struct emu_insn *code = warp->run->code;
	uint32_t pc = group->pc, lanes = group->lanes, limit = meeting_point(warp);
	unsigned left = *budget;
	int step = STEP_NEXT;

	group->has_spun = false;
	group->hint = WAIT_NONE;
	while (step == STEP_NEXT && pc != limit && left > 0) {
		const struct emu_insn *insn = &code[pc++];
		uint32_t active = lanes;

		left--;
		if (warp->undefined && emu_undefined_step(warp, insn, lanes) == STEP_FAULT) {
			step = STEP_FAULT;
			continue;
		}
		if (insn->guard != NO_GUARD) {
			uint32_t mask = *(const uint32_t *)(warp->regs + insn->guard);

			active &= insn->guard_negated ? ~mask : mask;
			if (!active)
				continue;
		}
		counters->lane_instructions += (unsigned)__builtin_popcount(active);
		warp->pc = pc;
		step = insn->run(warp, insn, active);
	}
	counters->warp_instructions += *budget - left;
	warp->run->clock += *budget - left;
	*budget = left;
	if (step == STEP_NEXT || step == STEP_YIELD)
		group->pc = pc;
	return step == STEP_NEXT ? STEP_MOVED : step;
}

/* A warp is asleep when all its groups that could run spin and see what they saw before. */
static void note_spin(struct emu_warp *warp)
{
	struct emu_group *current = &warp->groups[warp->current];

	current->has_spun = true;
	current->version = warp->spin_version;
	warp->is_spinning = true;
	for (unsigned i = 0; i < warp->group_count; i++) {
		const struct emu_group *group = &warp->groups[i];

		if (group->state == GROUP_READY && !(group->has_spun && group->version == current->version))
			warp->is_spinning = false;
	}
	warp->run->counters.spins++;
	warp->turn = warp->current;
}

int emu_warp_step(struct emu_warp *warp, unsigned budget)
{
	int step = STEP_MOVED;

	warp->is_spinning = false;
	while (budget > 0) {
		if (step != STEP_NEXT)
			merge(warp);
		if (!choose(warp))
			return warp->live ? STEP_WAIT : STEP_MOVED;
		step = run_group(warp, &budget);
		if (step == STEP_FAULT)
			return STEP_FAULT;
		if (step == STEP_SPIN || step == STEP_YIELD) {
			if (step == STEP_SPIN)
				note_spin(warp);
			return step;
		}
	}
	/* Lanes that loop without end must not starve the others of the warp; seldom, since it delays their meeting. */
	if (++warp->expiries % 16 == 0)
		warp->turn = warp->current;
	return STEP_YIELD;
}

void emu_warp_polls(struct emu_warp *warp)
{
	if (!warp->is_polling)
		warp->spin_version = warp->run->version;
	warp->is_polling = true;
}

void emu_warp_start(struct emu_warp *warp, uint32_t lanes, uint32_t pc)
{
	warp->live = lanes;
	warp->group_count = 1;
	warp->current = 0;
	warp->turn = UINT32_MAX;
	warp->groups[0] = (struct emu_group){ .lanes = lanes, .pc = pc };
}

bool emu_warp_is_ready(const struct emu_warp *warp)
{
	for (unsigned i = 0; i < warp->group_count; i++)
		if (warp->groups[i].state == GROUP_READY)
			return true;
	return false;
}

/* A new group with these lanes, which leave the current one; there is room, since every group has a lane. */
static struct emu_group *split(struct emu_warp *warp, uint32_t lanes, uint32_t pc)
{
	struct emu_group *group = &warp->groups[warp->current];

	if (group->lanes != lanes) {
		group->lanes &= ~lanes;
		group->pc = warp->pc;
		group = &warp->groups[warp->group_count++];
		*group = (struct emu_group){ .lanes = lanes };
	}
	group->pc = pc;
	return group;
}

int emu_warp_jump(struct emu_warp *warp, uint32_t lanes, uint32_t target)
{
	split(warp, lanes, target);
	return STEP_MOVED;
}

void emu_warp_select(struct emu_warp *warp, uint32_t lanes)
{
	for (unsigned i = 0; i < warp->group_count; i++)
		if (warp->groups[i].lanes == lanes)
			warp->current = i;
}

int emu_warp_wait(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, enum emu_wait wait, uint64_t key)
{
	struct emu_group *group = split(warp, lanes, (uint32_t)(insn - warp->run->code));

	group->state = GROUP_WAITING;
	group->wait = (uint8_t)wait;
	group->key = key;
	group->resume = 0;
	return STEP_WAIT;
}

void emu_warp_wake(struct emu_warp *warp, enum emu_wait wait, uint64_t key, bool is_past)
{
	for (unsigned i = 0; i < warp->group_count; i++) {
		struct emu_group *group = &warp->groups[i];

		if (group->state != GROUP_WAITING || group->wait != wait || group->key != key)
			continue;
		group->state = GROUP_READY;
		group->wait = WAIT_NONE;
		group->pc += is_past;
	}
	warp->is_spinning = false;
}

int emu_warp_exit(struct emu_warp *warp, uint32_t lanes)
{
	struct emu_group *group = &warp->groups[warp->current];

	group->lanes &= ~lanes;
	group->pc = warp->pc;
	warp->live &= ~lanes;
	if (!group->lanes)
		remove_group(warp, warp->current);
	emu_sync_exited(warp);
	return STEP_MOVED;
}

unsigned emu_thread_index(const struct emu_warp *warp, int lane)
{
	return warp->id * EMU_LANES + (unsigned)lane;
}
