/* SPDX-License-Identifier: MIT
 *
 * The last values that places in global memory had: a load that no acquire orders may see one of them instead of the
 * newest, and never one older than what its CTA has seen of that place.
 */
#include "buffer.h"
#include "schedule.h"

#include <string.h>

static uint64_t bit_of(const struct emu_cta *cta)
{
	return UINT64_C(1) << cta->index % 64;
}

void emu_history_note(struct emu_cta *cta, unsigned char *block)
{
	struct emu_schedule *schedule = cta->run->schedule;
	struct emu_past *past;

	if (!schedule->is_stale)
		return;
	past = &schedule->past[schedule->past_count++ % EMU_PAST];
	past->block = block;
	memcpy(past->bytes, block, sizeof past->bytes);
	past->when = schedule->past_count;
	past->seen = bit_of(cta);
}

void emu_history_acquire(struct emu_cta *cta)
{
	cta->acquired = cta->run->schedule->past_count;
}

static unsigned char *block_of(unsigned char *host)
{
	return (unsigned char *)((uintptr_t)host & ~(uintptr_t)7);
}

/* The oldest value that the CTA may still see; null where that is the newest. */
static const struct emu_past *oldest(const struct emu_schedule *schedule, const struct emu_cta *cta,
		const unsigned char *block)
{
	uint64_t first = schedule->past_count > EMU_PAST ? schedule->past_count - EMU_PAST : 0;
	const struct emu_past *found = NULL;

	for (uint64_t i = schedule->past_count; i-- > first; ) {
		const struct emu_past *past = &schedule->past[i % EMU_PAST];

		if (past->block != block)
			continue;
		if (past->when <= cta->acquired || past->seen & bit_of(cta))
			break;
		found = past;
	}
	return found;
}

/* The CTA has seen the newest value. */
static void mark_seen(struct emu_schedule *schedule, const struct emu_cta *cta, const unsigned char *block)
{
	for (unsigned i = 0; i < EMU_PAST; i++)
		if (schedule->past[i].block == block)
			schedule->past[i].seen |= bit_of(cta);
}

bool emu_history_load(const struct emu_access *access, struct emu_warp *warp, int l, unsigned char *copy)
{
	struct emu_schedule *schedule = warp->run->schedule;
	unsigned char *host = access->host[l], *block = block_of(host);
	const struct emu_past *past = NULL;

	if (!schedule->is_stale || !schedule->past_count || access->is_async)
		return false;
	/* Wider accesses see the newest, so that they are not torn. */
	if (access->bytes <= 8)
		past = oldest(schedule, warp->cta, block);
	if (past && emu_schedule_random(warp->run) % 4 == 0) {
		memcpy(copy, past->bytes + (host - block), access->bytes);
		return true;
	}
	for (; block < host + access->bytes; block += 8)
		mark_seen(schedule, warp->cta, block);
	return false;
}
