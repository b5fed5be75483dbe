/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("O3")
#endif

struct emu_clock *emu_clock_new(uint32_t count)
{
	struct emu_clock *clock = calloc(1, sizeof *clock + count * sizeof *clock->time);

	if (clock) {
		clock->references = 1;
		clock->count = count;
	}
	return clock;
}

struct emu_clock *emu_clock_keep(struct emu_clock *clock)
{
	if (clock)
		clock->references++;
	return clock;
}

/* Foreign parts are shared by the clocks that learnt them together: copying them for each lane would cost more than all
 * the rest of the checks. */
static void drop_foreign(struct emu_foreign *foreign)
{
	if (!foreign || --foreign->references)
		return;
	for (uint32_t i = 0; i < foreign->count; i++)
		emu_clock_drop(&foreign->entry[i].clock);
	free(foreign);
}

/* What a foreign entry holds has no foreign entries itself, so this goes one level deep. */
void emu_clock_drop(struct emu_clock **clock)
{
	struct emu_clock *old = *clock;

	*clock = NULL;
	if (!old || --old->references)
		return;
	drop_foreign(old->foreign);
	free(old);
}

/* Clocks are shared until one of the sharers learns more; only then is a copy made.  Most lanes of a warp know the same
 * for most of a kernel. */
bool emu_clock_own(struct emu_clock **clock)
{
	struct emu_clock *old = *clock, *copy;
	size_t bytes = sizeof *old + old->count * sizeof *old->time;

	if (old->references == 1)
		return true;
	copy = malloc(bytes);
	if (!copy)
		return false;
	memcpy(copy, old, bytes);
	copy->references = 1;
	if (copy->foreign)
		copy->foreign->references++;
	old->references--;
	*clock = copy;
	return true;
}

/* Whether a has something that b lacks. */
/* Without a branch in the loop, so that it becomes vector instructions: it is the innermost loop of the checks. */
static bool exceeds(const struct emu_clock *a, const struct emu_clock *b)
{
	uint32_t more = 0;

	for (uint32_t i = 0; i < a->count; i++)
		more |= a->time[i] > b->time[i];
	return more;
}

static void join_times(struct emu_clock *into, const struct emu_clock *from)
{
	for (uint32_t i = 0; i < into->count; i++)
		into->time[i] = into->time[i] > from->time[i] ? into->time[i] : from->time[i];
}

/* A new reference to what both together know of one CTA. */
static struct emu_clock *join_entry(struct emu_clock *a, struct emu_clock *b)
{
	struct emu_clock *both = emu_clock_keep(a);

	if (a != b && !emu_clock_join(&both, b))
		emu_clock_drop(&both);
	return both;
}

/* Both lists are ordered by CTA, so the result is, and look-up can halve. */
static struct emu_foreign *merge(const struct emu_foreign *a, const struct emu_foreign *b)
{
	struct emu_foreign *both = malloc(sizeof *both + (a->count + b->count) * sizeof *both->entry);
	uint32_t i = 0, k = 0;

	if (!both)
		return NULL;
	both->references = 1;
	both->count = 0;
	while (i < a->count || k < b->count) {
		struct emu_foreign_entry *to = &both->entry[both->count++];

		if (k == b->count || (i < a->count && a->entry[i].cta < b->entry[k].cta)) {
			*to = a->entry[i++];
			emu_clock_keep(to->clock);
		} else if (i == a->count || b->entry[k].cta < a->entry[i].cta) {
			*to = b->entry[k++];
			emu_clock_keep(to->clock);
		} else {
			to->cta = a->entry[i].cta;
			to->clock = join_entry(a->entry[i++].clock, b->entry[k++].clock);
		}
	}
	return both;
}

/* The same list, or none on one side, are the usual cases: a CTA that waits for one predecessor learns from one list
 * again and again. */
static bool join_foreign(struct emu_clock *into, struct emu_foreign *from)
{
	struct emu_foreign *both;

	if (!from || into->foreign == from)
		return true;
	if (!into->foreign) {
		from->references++;
		into->foreign = from;
		return true;
	}
	both = merge(into->foreign, from);
	if (!both)
		return false;
	drop_foreign(into->foreign);
	into->foreign = both;
	return true;
}

bool emu_clock_join(struct emu_clock **into, const struct emu_clock *from)
{
	bool has_more, has_foreign;

	if (*into == from || !from)
		return true;
	has_more = exceeds(from, *into);
	has_foreign = from->foreign && from->foreign != (*into)->foreign;
	if (!has_more && !has_foreign)
		return true;
	if (!emu_clock_own(into))
		return false;
	if (has_more)
		join_times(*into, from);
	return !has_foreign || join_foreign(*into, from->foreign);
}

/* A copy without foreign entries, so that chains of them do not grow. */
static struct emu_clock *plain_copy(const struct emu_clock *clock)
{
	struct emu_clock *copy = emu_clock_new(clock->count);

	if (copy)
		memcpy(copy->time, clock->time, clock->count * sizeof *clock->time);
	return copy;
}

static struct emu_foreign *single(uint64_t cta, struct emu_clock *clock)
{
	struct emu_foreign *one = malloc(sizeof *one + sizeof *one->entry);

	if (!one || !clock) {
		free(one);
		emu_clock_drop(&clock);
		return NULL;
	}
	one->references = one->count = 1;
	one->entry[0] = (struct emu_foreign_entry){ cta, clock };
	return one;
}

const struct emu_clock *emu_clock_of(const struct emu_clock *clock, uint64_t cta)
{
	const struct emu_foreign *foreign = clock->foreign;
	uint32_t low = 0, high = foreign ? foreign->count : 0;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (foreign->entry[middle].cta == cta)
			return foreign->entry[middle].clock;
		if (foreign->entry[middle].cta < cta)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* What another CTA released: its own times, what it knew of others, and what it knew of us, which may be more than this
 * thread does, since another of our threads may have told it. */
bool emu_clock_join_foreign(struct emu_clock **into, uint64_t own_cta, uint64_t cta, struct emu_clock *from)
{
	const struct emu_clock *about_own = emu_clock_of(from, own_cta);
	struct emu_foreign *one;
	bool is_good;

	if (cta == own_cta)
		return emu_clock_join(into, from);
	if (about_own && exceeds(about_own, *into)) {
		if (!emu_clock_own(into))
			return false;
		join_times(*into, about_own);
	}
	one = single(cta, from->foreign ? plain_copy(from) : emu_clock_keep(from));
	if (!one || !emu_clock_own(into)) {
		drop_foreign(one);
		return false;
	}
	is_good = join_foreign(*into, one) && join_foreign(*into, from->foreign);
	drop_foreign(one);
	return is_good;
}
