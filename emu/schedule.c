/* SPDX-License-Identifier: MIT
 *
 * The loop of a launch, and what becomes of one in which nobody can progress.
 */
#include "schedule.h"

#include "async.h"
#include "buffer.h"
#include "cta.h"

#include <stdlib.h>

#define QUANTUM 1024
/* Rounds in which everybody waited in vain, and instructions without any effect on memory, before that is a fault. */
#define QUIET_ROUNDS 3000
#define QUIET_INSTRUCTIONS (UINT64_C(1) << 27)

struct progress {
	uint64_t version, instructions;    /* when memory changed last */
};

bool emu_schedule_delays(struct emu_run *run)
{
	return run->schedule->is_delaying && emu_schedule_random(run) % 4 != 0;
}

/* As many CTAs as may be resident. */
static bool fill(struct emu_run *run)
{
	uint64_t count = run->cta_count / run->cluster_size;

	while (run->next_cta < run->cta_count && run->resident_count + run->cluster_size <= run->resident_limit) {
		if (!emu_cta_start(run, emu_schedule_start(run->schedule, run->next_cta / run->cluster_size, count)))
			return false;
		run->next_cta += run->cluster_size;
	}
	return true;
}

/* Whether a CTA ended, or something of one that has ended happened. */
static bool retire(struct emu_run *run)
{
	bool is_any = false;

	for (unsigned i = run->resident_count; i-- > 0; ) {
		if (i >= run->resident_count || !emu_cta_is_done(run->resident[i]))
			continue;
		is_any = true;
		if (!emu_copy_check_end(run->resident[i]))
			return true;
		/* Its last stores become visible one by one, too. */
		if (run->schedule->is_late && emu_buffer_flush_one(run->resident[i], emu_schedule_random(run)))
			continue;
		if (run->resident[i]->bulk && emu_copy_land_one(run->resident[i], emu_schedule_random(run)))
			continue;
		run->ctas_done++;
		run->version++;
		emu_cta_end(run, i);
	}
	return is_any;
}

/* Without a seed: one turn of every warp that can run; false where none could. */
static bool run_round(struct emu_run *run)
{
	bool has_run = false;

	for (unsigned i = 0; i < run->resident_count; i++)
		for (unsigned w = 0; w < run->resident[i]->warp_count; w++) {
			struct emu_warp *warp = &run->resident[i]->warps[w];

			if (!emu_schedule_is_runnable(warp))
				continue;
			has_run = true;
			if (emu_warp_step(warp, QUANTUM) == STEP_FAULT)
				return true;
		}
	return has_run;
}

/* Some of what is delayed happens. */
static void let_happen(struct emu_run *run)
{
	uint64_t bits = emu_schedule_random(run);
	struct emu_cta *cta;

	if (!run->resident_count || bits % 8)
		return;
	cta = run->resident[(bits >> 8) % run->resident_count];
	if (cta->bulk)
		emu_copy_land_one(cta, bits >> 40);
	if (run->schedule->is_late && bits & 128)
		emu_buffer_flush_one(cta, bits >> 24);
}

/* All that is delayed happens, since nobody can go on without; false where there was nothing. */
static bool force_happen(struct emu_run *run)
{
	bool is_any = false;

	for (unsigned i = 0; i < run->resident_count; i++) {
		struct emu_cta *cta = run->resident[i];

		is_any |= emu_buffer_flush_one(cta, emu_schedule_random(run));
		is_any |= emu_copy_land_one(cta, emu_schedule_random(run));
	}
	return is_any;
}

static bool run_random(struct emu_run *run)
{
	unsigned budget;

	for (unsigned turns = 0; turns < 64; turns++) {
		struct emu_warp *warp = emu_schedule_choose(run, &budget);

		if (!warp)
			return force_happen(run) || turns > 0;
		if (emu_warp_step(warp, budget) == STEP_FAULT || run->result->code != CUDA_SUCCESS)
			return true;
		let_happen(run);
		if (!warp->live)
			return true;
	}
	return true;
}

static bool kick_warp(struct emu_warp *warp)
{
	for (unsigned g = 0; g < warp->group_count; g++) {
		struct emu_group *group = &warp->groups[g];

		if (group->state != GROUP_WAITING || group->wait != WAIT_MBARRIER)
			continue;
		group->state = GROUP_READY;
		group->wait = WAIT_NONE;
		group->hint = WAIT_MBARRIER;
		group->resume = 1;
	}
	warp->is_spinning = false;
	return warp->live && emu_warp_is_ready(warp);
}

/* Everybody waits: waits on mbarriers may fail, spins go round once more, and time passes quickly. */
static bool kick(struct emu_run *run)
{
	bool is_any = false;

	for (unsigned i = 0; i < run->resident_count; i++)
		for (unsigned w = 0; w < run->resident[i]->warp_count; w++)
			is_any |= kick_warp(&run->resident[i]->warps[w]);
	run->clock += UINT64_C(1) << (run->quiet_rounds < 20 ? run->quiet_rounds : 20);
	return is_any;
}

/* False when nothing can help any more. */
static bool try_again(struct emu_run *run, struct progress *progress)
{
	if (progress->version != run->version)
		run->quiet_rounds = 0;
	progress->version = run->version;
	if (kick(run) && ++run->quiet_rounds <= QUIET_ROUNDS)
		return true;
	emu_report_stuck(run, "nobody can progress");
	return false;
}

static bool is_endless(struct emu_run *run, struct progress *progress)
{
	uint64_t limit = run->launch->instruction_limit;

	if (limit && run->counters.warp_instructions > limit)
		return true;
	if (progress->version != run->version) {
		progress->version = run->version;
		progress->instructions = run->counters.warp_instructions;
		return false;
	}
	return run->counters.warp_instructions - progress->instructions > QUIET_INSTRUCTIONS;
}

static void run_all(struct emu_run *run)
{
	struct progress progress = { .version = UINT64_MAX }, endless = { .version = UINT64_MAX };

	while (run->ctas_done < run->cta_count && run->result->code == CUDA_SUCCESS) {
		bool has_run;

		if (!fill(run))
			return;
		has_run = run->schedule->is_random ? run_random(run) : run_round(run);
		if (run->result->code != CUDA_SUCCESS)
			return;
		if (!retire(run) && !has_run && !try_again(run, &progress))
			return;
		if (is_endless(run, &endless)) {
			emu_report_stuck(run, "endless loop");
			return;
		}
	}
}

void emu_schedule_run(struct emu_run *run)
{
	run->schedule = calloc(1, sizeof *run->schedule);
	if (!run->schedule) {
		emu_run_fault(run, CUDA_ERROR_OUT_OF_MEMORY, "out of memory");
		return;
	}
	emu_schedule_init(run->schedule, run);
	run_all(run);
}
