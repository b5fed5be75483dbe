/* SPDX-License-Identifier: MIT */
#include "schedule.h"

#include "cta.h"

#define QUANTUM 1024
/* Rounds in which everybody waited in vain, and instructions without any effect on memory, before that is a fault. */
#define QUIET_ROUNDS 3000
#define QUIET_INSTRUCTIONS (UINT64_C(1) << 27)

struct progress {
	uint64_t version, instructions;    /* when memory changed last */
	uint64_t kicks;
};

bool emu_schedule_delays(struct emu_run *run)
{
	(void)run;
	return false;
}

static bool is_runnable(const struct emu_warp *warp)
{
	return warp->live && !(warp->is_spinning && warp->spin_version == warp->run->version) &&
		emu_warp_is_ready(warp);
}

/* As many CTAs as may be resident. */
static bool fill(struct emu_run *run)
{
	while (run->next_cta < run->cta_count && run->resident_count + run->cluster_size <= run->resident_limit) {
		if (!emu_cta_start(run, run->next_cta / run->cluster_size))
			return false;
		run->next_cta += run->cluster_size;
	}
	return true;
}

static void retire(struct emu_run *run)
{
	for (unsigned i = run->resident_count; i-- > 0; ) {
		if (i >= run->resident_count || !emu_cta_is_done(run->resident[i]))
			continue;
		run->ctas_done++;
		run->version++;
		emu_cta_end(run, i);
	}
}

/* One turn of every warp that can run; false where none could. */
static bool run_round(struct emu_run *run)
{
	bool has_run = false;

	for (unsigned i = 0; i < run->resident_count; i++)
		for (unsigned w = 0; w < run->resident[i]->warp_count; w++) {
			struct emu_warp *warp = &run->resident[i]->warps[w];

			if (!is_runnable(warp))
				continue;
			has_run = true;
			if (emu_warp_step(warp, QUANTUM) == STEP_FAULT)
				return true;
		}
	return has_run;
}

/* Everybody waits: waits on mbarriers may fail, spins go round once more, and time passes quickly. */
static bool kick(struct emu_run *run)
{
	bool is_any = false;

	for (unsigned i = 0; i < run->resident_count; i++)
		for (unsigned w = 0; w < run->resident[i]->warp_count; w++) {
			struct emu_warp *warp = &run->resident[i]->warps[w];

			for (unsigned g = 0; g < warp->group_count; g++) {
				struct emu_group *group = &warp->groups[g];

				if (group->state != GROUP_WAITING || group->wait != WAIT_MBARRIER)
					continue;
				group->state = GROUP_READY;
				group->wait = WAIT_NONE;
				group->resume = 1;
			}
			warp->is_spinning = false;
			is_any |= warp->live && emu_warp_is_ready(warp);
		}
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
	if (progress->version != run->version) {
		progress->version = run->version;
		progress->instructions = run->counters.warp_instructions;
		return false;
	}
	return run->counters.warp_instructions - progress->instructions > QUIET_INSTRUCTIONS;
}

void emu_schedule_run(struct emu_run *run)
{
	struct progress progress = { .version = UINT64_MAX };
	struct progress endless = { .version = UINT64_MAX };

	while (run->ctas_done < run->cta_count && run->result->code == CUDA_SUCCESS) {
		if (!fill(run))
			return;
		if (!run_round(run) && !try_again(run, &progress))
			return;
		if (is_endless(run, &endless)) {
			emu_report_stuck(run, "endless loop: no effect on memory for 2^27 instructions");
			return;
		}
		retire(run);
	}
}
