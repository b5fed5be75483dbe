/* SPDX-License-Identifier: MIT
 *
 * Random schedules.  The seed picks an order, so that some hundred seeds show each of them many times: fair ones find
 * races, unfair ones find what rests on somebody else's progress.
 */
#include "schedule.h"

enum order {
	ORDER_FAIR,         /* any warp, a few instructions */
	ORDER_BURSTS,       /* any warp, thousands of them */
	ORDER_MIXED,        /* either */
	ORDER_YOUNGEST,     /* the CTA that started last */
	ORDER_OLDEST,
	ORDER_STARVE,       /* one CTA only when nobody else can */
	ORDER_LAST_WARPS,   /* later warps of a CTA first */
	ORDER_FIRST_WARPS,
	ORDERS
};

uint64_t emu_schedule_random(struct emu_run *run)
{
	uint64_t z = run->schedule->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* CTAs start in order, backwards or scattered: nothing may rest on it. */
static void init_start(struct emu_schedule *schedule, struct emu_run *run)
{
	uint64_t count = run->cta_count / run->cluster_size, choice = emu_schedule_random(run) % 4;

	schedule->start_factor = 1;
	schedule->start_offset = 0;
	if (choice == 1) {
		schedule->start_factor = count > 1 ? count - 1 : 1;
		schedule->start_offset = count - 1;
	} else if (choice == 2) {
		schedule->start_offset = emu_schedule_random(run) % count;
		schedule->start_factor = emu_schedule_random(run) % (count < UINT32_MAX ? count : UINT32_MAX) + 1;
		while (greatest_divisor(schedule->start_factor, count) != 1)
			schedule->start_factor++;
	}
}

void emu_schedule_init(struct emu_schedule *schedule, const struct emu_run *run)
{
	struct emu_run *own = (struct emu_run *)(uintptr_t)run;
	uint64_t bits;

	schedule->is_random = run->launch->seed != 0;
	schedule->state = run->launch->seed;
	schedule->start_factor = 1;
	if (!schedule->is_random)
		return;
	bits = emu_schedule_random(own);
	schedule->order = (unsigned)(bits % ORDERS);
	schedule->is_late = bits >> 8 & 1;
	schedule->is_stale = bits >> 9 & 1;
	schedule->is_weak = schedule->is_late || schedule->is_stale;
	schedule->is_delaying = bits >> 10 & 1;
	init_start(schedule, own);
}

/* n times the factor plus the offset, modulo the count; all below 2^32 as a rule, so nothing overflows. */
uint64_t emu_schedule_start(const struct emu_schedule *schedule, uint64_t n, uint64_t count)
{
	if (count > UINT32_MAX || schedule->start_factor == 1)
		return (n + schedule->start_offset) % count;
	return (n * schedule->start_factor + schedule->start_offset) % count;
}

bool emu_schedule_is_runnable(const struct emu_warp *warp)
{
	return warp->live && !(warp->is_spinning && warp->spin_version == warp->run->version) &&
		emu_warp_is_ready(warp);
}

/* A warp of the CTA that can run, looked for from some place on, in one direction or the other. */
static struct emu_warp *runnable_of(struct emu_cta *cta, unsigned start, bool is_backwards)
{
	for (unsigned i = 0; i < cta->warp_count; i++) {
		unsigned w = is_backwards ? (start + cta->warp_count - i) % cta->warp_count :
			(start + i) % cta->warp_count;

		if (emu_schedule_is_runnable(&cta->warps[w]))
			return &cta->warps[w];
	}
	return NULL;
}

static struct emu_warp *warp_of(struct emu_run *run, struct emu_cta *cta)
{
	switch (run->schedule->is_fair_turn ? ORDER_FAIR : run->schedule->order) {
	case ORDER_LAST_WARPS:
		return runnable_of(cta, cta->warp_count - 1, true);
	case ORDER_FIRST_WARPS:
		return runnable_of(cta, 0, false);
	default:
		return runnable_of(cta, (unsigned)(emu_schedule_random(run) % cta->warp_count), false);
	}
}

/* The CTA that suits the order best and has a warp that can run. */
static struct emu_warp *extreme(struct emu_run *run, bool is_youngest)
{
	struct emu_warp *best = NULL;

	for (unsigned i = 0; i < run->resident_count; i++) {
		struct emu_cta *cta = run->resident[i];
		struct emu_warp *warp;

		if (best && (cta->started > best->cta->started) != is_youngest)
			continue;
		warp = warp_of(run, cta);
		if (warp)
			best = warp;
	}
	return best;
}

/* Any CTA; a starved one only when no other can run. */
static struct emu_warp *any(struct emu_run *run, const struct emu_cta *starved)
{
	unsigned start = (unsigned)(emu_schedule_random(run) % run->resident_count);

	for (unsigned i = 0; i < run->resident_count; i++) {
		struct emu_cta *cta = run->resident[(start + i) % run->resident_count];
		struct emu_warp *warp = cta == starved ? NULL : warp_of(run, cta);

		if (warp)
			return warp;
	}
	return starved ? warp_of(run, (struct emu_cta *)(uintptr_t)starved) : NULL;
}

/* The victim changes now and then, by the number of its start. */
static const struct emu_cta *victim(struct emu_run *run)
{
	struct emu_schedule *schedule = run->schedule;

	if (run->clock >= schedule->victim_until) {
		schedule->victim = emu_schedule_random(run) % run->resident_count;
		schedule->victim_until = run->clock + 20000 + emu_schedule_random(run) % 200000;
	}
	return run->resident[schedule->victim % run->resident_count];
}

static unsigned budget_of(struct emu_run *run)
{
	uint64_t bits = emu_schedule_random(run);
	bool is_long = run->schedule->order == ORDER_BURSTS || (run->schedule->order == ORDER_MIXED && bits & 1);

	return is_long ? 1 + (unsigned)(bits >> 8) % 5000 : 1 + (unsigned)(bits >> 8) % 60;
}

struct emu_warp *emu_schedule_choose(struct emu_run *run, unsigned *budget)
{
	if (!run->resident_count)
		return NULL;
	*budget = budget_of(run);
	/* Even an unfair order is fair at times, since a device is. */
	run->schedule->is_fair_turn = emu_schedule_random(run) % 16 == 0;
	if (run->schedule->is_fair_turn)
		return any(run, NULL);
	switch (run->schedule->order) {
	case ORDER_YOUNGEST:
		return extreme(run, true);
	case ORDER_OLDEST:
		return extreme(run, false);
	case ORDER_STARVE:
		return any(run, victim(run));
	default:
		return any(run, NULL);
	}
}
