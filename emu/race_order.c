/* SPDX-License-Identifier: MIT
 *
 * Release and acquire through words of memory: a table of the words that carry a clock.  A strong store after a fence
 * releases what came before the fence; a strong load acquires with the next fence.
 */
#include "race.h"

#include <stdlib.h>

struct word {
	uintptr_t host;           /* 0: empty */
	struct emu_clock *clock;
	uint64_t cta;
	bool is_wide;             /* beyond the CTA */
};

struct emu_races {
	struct word *words;
	size_t count, capacity;   /* a power of two */
};

bool emu_race_begin(struct emu_run *run)
{
	run->races = calloc(1, sizeof *run->races);
	return run->races != NULL;
}

void emu_race_finish(struct emu_run *run)
{
	if (!run->races)
		return;
	for (size_t i = 0; i < run->races->capacity; i++)
		emu_clock_drop(&run->races->words[i].clock);
	free(run->races->words);
	free(run->races);
	run->races = NULL;
}

static size_t place_of(const struct emu_races *races, uintptr_t host)
{
	size_t at = (host >> 2) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (races->capacity - 1);

	while (races->words[at].host && races->words[at].host != host)
		at = (at + 1) & (races->capacity - 1);
	return at;
}

static bool make_room(struct emu_races *races)
{
	struct emu_races larger = { .capacity = races->capacity ? races->capacity * 2 : 256, .count = races->count };

	if ((races->count + 1) * 2 <= races->capacity)
		return true;
	larger.words = calloc(larger.capacity, sizeof *larger.words);
	if (!larger.words)
		return false;
	for (size_t i = 0; i < races->capacity; i++)
		if (races->words[i].host)
			larger.words[place_of(&larger, races->words[i].host)] = races->words[i];
	free(races->words);
	*races = larger;
	return true;
}

static struct word *find(struct emu_races *races, const unsigned char *host)
{
	struct word *word;

	if (!races->count)
		return NULL;
	word = &races->words[place_of(races, (uintptr_t)host)];
	return word->host ? word : NULL;
}

/* Takes over the reference.  A plain store begins anew, a read-modify-write adds to what the word carries. */
static bool put(struct emu_races *races, const unsigned char *host, struct emu_clock *clock, uint64_t cta, bool is_wide,
		bool is_added)
{
	struct word *word;

	if (!make_room(races))
		return false;
	word = &races->words[place_of(races, (uintptr_t)host)];
	races->count += !word->host;
	word->host = (uintptr_t)host;
	if (is_added && word->clock) {
		bool is_good = emu_clock_join_foreign(&word->clock, word->cta, cta, clock);

		emu_clock_drop(&clock);
		word->is_wide &= is_wide;
		return is_good;
	}
	emu_clock_drop(&word->clock);
	word->clock = clock;
	word->cta = cta;
	word->is_wide = is_wide;
	return true;
}

static bool releases(const struct emu_insn *insn)
{
	return insn->order == ORDER_RELEASE || insn->order == ORDER_ACQ_REL;
}

static bool acquires(const struct emu_insn *insn)
{
	return insn->order == ORDER_ACQUIRE || insn->order == ORDER_ACQ_REL;
}

/* What the lane knew and had done at its last fence.  Fences are many and stores behind them few, so it is put
 * together only here. */
static struct emu_clock *fenced_clock(struct emu_warp *warp, int l)
{
	struct emu_clock *clock = emu_clock_keep(warp->fenced[l]);
	unsigned thread = emu_thread_index(warp, l);

	if (clock->time[thread] >= warp->fence_time[l])
		return clock;
	if (!emu_clock_own(&clock)) {
		warp->cta->race->is_off = true;
		return clock;
	}
	clock->time[thread] = warp->fence_time[l];
	emu_clock_drop(&warp->fenced[l]);
	warp->fenced[l] = emu_clock_keep(clock);
	return clock;
}

void emu_race_publish_fenced(struct emu_warp *warp, uint32_t lanes, struct emu_clock **into)
{
	for (uint32_t left = lanes; left && !warp->cta->race->is_off; left &= left - 1) {
		int l = __builtin_ctz(left);
		struct emu_clock *clock;

		if (!warp->fenced[l] || !(warp->fence_is_wide >> l & 1))
			continue;
		clock = fenced_clock(warp, l);
		if (!*into)
			*into = emu_clock_keep(clock);
		else if (!emu_clock_join(into, clock))
			warp->cta->race->is_off = true;
		emu_clock_drop(&clock);
	}
}

static void release_lane(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int l)
{
	struct emu_races *races = warp->run->races;
	bool is_atomic = access->kind == ACCESS_ATOMIC, is_wide = access->scope != EMU_SCOPE_CTA;
	struct emu_clock *clock = NULL;
	struct word *word;

	if (releases(insn)) {
		emu_race_publish(warp, 1u << l, &clock);
	} else if (warp->fenced[l]) {
		clock = fenced_clock(warp, l);
		is_wide &= warp->fence_is_wide >> l & 1;
	}
	if (clock && !put(races, access->host[l], clock, warp->cta->index, is_wide, is_atomic))
		warp->cta->race->is_off = true;
	if (clock || is_atomic)
		return;
	word = find(races, access->host[l]);
	if (word)
		emu_clock_drop(&word->clock);
}

void emu_race_release_words(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	if (!access->is_strong || access->space == SPACE_LOCAL)
		return;
	for (uint32_t left = access->lanes; left; left &= left - 1)
		release_lane(access, warp, insn, __builtin_ctz(left));
}

/* The word that a lane finds released to it; null where there is none. */
static const struct word *released_word(const struct emu_access *access, struct emu_warp *warp, int l)
{
	const struct word *word = find(warp->run->races, access->host[l]);

	if (!word || !word->clock)
		return NULL;
	if (word->cta != warp->cta->index && (!word->is_wide || access->scope == EMU_SCOPE_CTA))
		return NULL;
	return word;
}

/* What lanes learn now or with their next fence.  Those that knew the same and find the same go on sharing a clock. */
static void acquire_lanes(const struct emu_access *access, struct emu_warp *warp, struct emu_clock **clocks)
{
	struct emu_clock *before = NULL, *after = NULL;
	const struct word *last = NULL;

	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		const struct word *word = released_word(access, warp, l);

		if (!word)
			continue;
		if (word == last && clocks[l] == before) {
			emu_clock_drop(&clocks[l]);
			clocks[l] = emu_clock_keep(after);
			continue;
		}
		emu_clock_drop(&before);
		before = emu_clock_keep(clocks[l]);
		last = word;
		if (!clocks[l])
			clocks[l] = emu_clock_new(warp->cta->race->count);
		if (!clocks[l] || !emu_clock_join_foreign(&clocks[l], warp->cta->index, word->cta, word->clock))
			warp->cta->race->is_off = true;
		after = clocks[l];
	}
	emu_clock_drop(&before);
}

void emu_race_acquire_words(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	if (!access->is_strong || access->space == SPACE_LOCAL || !warp->run->races->count || warp->cta->race->is_off)
		return;
	acquire_lanes(access, warp, acquires(insn) ? warp->clocks : warp->pending);
}

static void note_proxy_fence(struct emu_warp *warp, uint32_t lanes)
{
	struct emu_clock *clock = NULL;

	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		warp->cta->race->proxy_time[emu_thread_index(warp, l)] = warp->times[l];
		emu_clock_drop(&warp->proxied[l]);
		warp->proxied[l] = emu_clock_keep(warp->clocks[l]);
	}
	/* What comes later belongs to a later time. */
	emu_race_publish(warp, lanes, &clock);
	emu_clock_drop(&clock);
}

/* Lanes that share what is pending learn it together. */
static void learn_pending(struct emu_warp *warp, uint32_t lanes)
{
	while (lanes) {
		struct emu_clock *pending = warp->pending[__builtin_ctz(lanes)];
		uint32_t same = 0;

		for (uint32_t left = lanes; left; left &= left - 1)
			same |= (uint32_t)(warp->pending[__builtin_ctz(left)] == pending) << __builtin_ctz(left);
		lanes &= ~same;
		if (!pending)
			continue;
		emu_race_learn(warp, same, pending);
		for (; same; same &= same - 1)
			emu_clock_drop(&warp->pending[__builtin_ctz(same)]);
	}
}

static void fence_lane(struct emu_warp *warp, int l, bool is_wide)
{
	bool has_touched = warp->touched >> l & 1;

	emu_clock_drop(&warp->fenced[l]);
	warp->fenced[l] = emu_clock_keep(warp->clocks[l]);
	warp->fence_time[l] = has_touched ? warp->times[l] : warp->times[l] - 1;
	warp->fence_is_wide = (warp->fence_is_wide & ~(1u << l)) | (uint32_t)is_wide << l;
	warp->untold |= (uint32_t)has_touched << l;
	if (has_touched && ++warp->times[l] > EMU_TIME_MASK)
		warp->cta->race->is_off = true;
}

void emu_race_fence(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	if (warp->cta->race->is_off)
		return;
	if (insn->small[0]) {
		note_proxy_fence(warp, lanes);
		return;
	}
	learn_pending(warp, lanes);
	for (uint32_t left = lanes; left; left &= left - 1)
		fence_lane(warp, __builtin_ctz(left), insn->scope != EMU_SCOPE_CTA);
	warp->touched &= ~lanes;
}
