/* SPDX-License-Identifier: MIT
 *
 * The text of a deadlock.
 */
#include "cluster.h"
#include "mbarrier.h"
#include "schedule.h"

#include <stdio.h>
#include <string.h>

static void describe_wait(char *text, size_t size, const struct emu_warp *warp, const struct emu_group *group)
{
	const struct emu_cta *cta = warp->cta;
	const struct emu_mbarrier *object;
	const struct emu_barrier *barrier = &cta->barriers[group->key % EMU_BARRIERS];

	switch ((enum emu_wait)(group->state == GROUP_WAITING ? group->wait : group->hint)) {
	case WAIT_LANES:
		snprintf(text, size, "waits for the lanes of mask 0x%08x", (unsigned)group->key);
		break;
	case WAIT_WARP:
		if (group->key == EMU_CLUSTER_BARRIER) {
			snprintf(text, size, "waits at the cluster's barrier for the rest of its warp, which has "
					"diverged");
			break;
		}
		snprintf(text, size, "waits at barrier %u for the rest of its warp, which has diverged",
				(unsigned)group->key);
		break;
	case WAIT_BARRIER:
		snprintf(text, size, "waits at barrier %u, where %u threads have arrived", (unsigned)group->key,
				barrier->arrived);
		break;
	case WAIT_MBARRIER:
		object = emu_mbarrier_find(cta, (uint32_t)group->key);
		snprintf(text, size, "waits for phase %llu of the mbarrier at 0x%x (%u arrivals and %d bytes missing)",
				object ? (unsigned long long)object->phase : 0, (unsigned)group->key,
				object ? object->pending : 0, object ? object->transactions : 0);
		break;
	case WAIT_CLUSTER:
		snprintf(text, size, "waits at the cluster's barrier");
		break;
	default:
		snprintf(text, size, "polls memory");
	}
}

#define MOST_SHOWN 6

void emu_report_stuck(struct emu_run *run, const char *why)
{
	char text[900] = "", wait[160];
	size_t at = 0;
	unsigned shown = 0, hidden = 0;

	for (unsigned i = 0; i < run->resident_count; i++)
		for (unsigned w = 0; w < run->resident[i]->warp_count; w++)
			for (unsigned g = 0; g < run->resident[i]->warps[w].group_count; g++) {
				const struct emu_warp *warp = &run->resident[i]->warps[w];
				const struct emu_group *group = &warp->groups[g];

				if (shown == MOST_SHOWN || at + 1 >= sizeof text) {
					hidden++;
					continue;
				}
				shown++;
				describe_wait(wait, sizeof wait, warp, group);
				at += (size_t)snprintf(text + at, sizeof text - at,
						"%sCTA (%u,%u,%u) warp %u lanes 0x%08x at PTX line %u %s",
						at ? "; " : "", warp->cta->id[0], warp->cta->id[1], warp->cta->id[2],
						warp->id, group->lanes, run->code[group->pc].line, wait);
			}
	emu_run_fault(run, CUDA_ERROR_LAUNCH_TIMEOUT, "%s: %s; and %u more", why, text, hidden);
}
