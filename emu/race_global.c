/* SPDX-License-Identifier: MIT
 *
 * Words of global memory: the last writer and a reader, in the launch at hand.
 */
#include "race.h"

#include "buffer.h"
#include "order.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_WORDS 1024

/* 64 bits: flag, 4 for the bytes of the word, scope, 26 for the CTA, 32 for the epoch within it.  0: nobody. */
#define FLAG (UINT64_C(1) << 63)         /* a writer: strong; a reader: through ld.global.nc */
#define BYTES_SHIFT 59
#define WIDE (UINT64_C(1) << 58)         /* strong beyond the CTA */
#define CTA_SHIFT 32

struct emu_race_page {
	uint64_t launch;
	struct {
		uint64_t writer, reader;
	} word[PAGE_WORDS];
};

void emu_race_forget(struct emu_allocation *allocation)
{
	for (uint64_t i = 0; i < allocation->page_count; i++)
		free(allocation->pages[i]);
	free(allocation->pages);
	allocation->pages = NULL;
	allocation->page_count = 0;
}

/* Pages are made when they are first touched, and forget when a later launch touches them: streams order launches, so
 * that only accesses of one launch can race. */
static struct emu_race_page *page_of(struct emu_allocation *allocation, uint64_t word, uint64_t launch)
{
	struct emu_race_page **page;

	if (!allocation->pages) {
		uint64_t count = allocation->bytes / 4 / PAGE_WORDS + 1;

		allocation->pages = calloc(count, sizeof *allocation->pages);
		if (!allocation->pages)
			return NULL;
		allocation->page_count = count;
	}
	page = &allocation->pages[word / PAGE_WORDS];
	if (!*page)
		*page = calloc(1, sizeof **page);
	if (*page && (*page)->launch != launch) {
		memset(*page, 0, sizeof **page);
		(*page)->launch = launch;
	}
	return *page;
}

static uint64_t cta_of(uint64_t note)
{
	return note >> CTA_SHIFT & ((UINT64_C(1) << EMU_CTA_BITS) - 1);
}

static bool is_ordered(const struct emu_actor *actor, uint64_t note)
{
	uint64_t cta = cta_of(note);
	uint32_t epoch = (uint32_t)note, agent = epoch >> EMU_TIME_BITS;
	const struct emu_clock *known = actor->base;

	if (cta == actor->warp->cta->index)
		return agent == actor->epoch >> EMU_TIME_BITS || known->time[agent] >= (epoch & EMU_TIME_MASK);
	known = emu_clock_of(known, cta);
	return known && known->time[agent] >= (epoch & EMU_TIME_MASK);
}

/* Two strong accesses are never a race, when their scopes include both. */
static bool are_both_strong(const struct emu_actor *actor, uint64_t note)
{
	if (!actor->is_strong || !(note & FLAG))
		return false;
	return cta_of(note) == actor->warp->cta->index || (actor->is_wide && note & WIDE);
}

static uint64_t note_of(const struct emu_actor *actor, uint8_t bytes, bool flag)
{
	return (flag ? FLAG : 0) | (uint64_t)(bytes & 15) << BYTES_SHIFT | (actor->is_wide ? WIDE : 0) |
		(uint64_t)actor->warp->cta->index << CTA_SHIFT | actor->epoch;
}

static bool overlaps(uint64_t note, uint8_t bytes)
{
	return note && note >> BYTES_SHIFT & bytes & 15;
}

static int report(const struct emu_actor *actor, uint64_t address, bool other_wrote, uint64_t note)
{
	return emu_race_report(actor, &address, "global", other_wrote, cta_of(note), (uint32_t)note);
}

static int read_only(const struct emu_actor *actor, uint64_t address)
{
	return emu_fault(actor->warp, actor->insn, actor->lane, CUDA_ERROR_LAUNCH_FAILED, &address,
			actor->is_write ? "write of memory that was read as constant (ld.global.nc) in this launch" :
			"memory that was written in this launch is read as constant (ld.global.nc)");
}

/* Whether the store writes what is there, or is about to be. */
static bool repeats(const struct emu_actor *actor)
{
	unsigned char value[32];

	if (!actor->host)
		return false;
	if (emu_store_repeats(actor->warp, actor->insn, actor->lane, actor->host))
		return true;
	return emu_buffer_peek(actor->warp->run, value, actor->host, actor->bytes) &&
		emu_store_repeats(actor->warp, actor->insn, actor->lane, value);
}

static int note_word(const struct emu_actor *actor, struct emu_race_page *page, uint64_t word, uint64_t address,
		uint8_t bytes)
{
	uint64_t *writer = &page->word[word % PAGE_WORDS].writer, *reader = &page->word[word % PAGE_WORDS].reader;

	if (overlaps(*writer, bytes) && actor->is_nc)
		return read_only(actor, address);
	if (overlaps(*writer, bytes) && !are_both_strong(actor, *writer) && !is_ordered(actor, *writer) &&
			!repeats(actor))
		return report(actor, address, true, *writer);
	if (!actor->is_write) {
		/* Of two readers that are not ordered the first stays; one through the read-only path always does. */
		if (!actor->is_strong && !(*reader & FLAG) && (!*reader || actor->is_nc || is_ordered(actor, *reader)))
			*reader = note_of(actor, bytes, actor->is_nc);
		return STEP_NEXT;
	}
	if (overlaps(*reader, bytes) && *reader & FLAG)
		return read_only(actor, address);
	if (overlaps(*reader, bytes) && !is_ordered(actor, *reader))
		return report(actor, address, false, *reader);
	*writer = note_of(actor, bytes, actor->is_strong);
	if (!(*reader & FLAG))
		*reader = 0;
	return STEP_NEXT;
}

static int note_lane(const struct emu_actor *actor, struct emu_allocation *allocation, uint64_t address, unsigned bytes)
{
	uint64_t offset = address - allocation->base, first = offset / 4, last = (offset + bytes - 1) / 4;
	uint8_t mask = bytes >= 4 ? 15 : (uint8_t)(((1u << bytes) - 1) << offset % 4);
	struct emu_race_page *page = page_of(allocation, first, actor->warp->run->machine->launches);

	/* Aligned accesses do not cross pages. */
	for (uint64_t word = first; word <= last && page; word++)
		if (note_word(actor, page, word, address + (word - first) * 4, mask) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

int emu_race_global(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn)
{
	struct emu_actor actor;
	uint32_t lanes = access->lanes;

	if (warp->cta->race->is_off || access->space == SPACE_CONST)
		return STEP_NEXT;
	if (access->kind == ACCESS_WRITE)
		lanes &= ~emu_access_repeated(access);
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (access->allocation[l]->is_constant)
			continue;
		emu_race_actor(&actor, warp, insn, l);
		/* The thread may have gone on since it started the copy; who waits for it knows its agent only. */
		if (access->is_async && access->agent)
			actor.epoch = access->agent;
		actor.is_write = access->kind != ACCESS_READ;
		actor.is_strong = access->is_strong;
		actor.is_wide = access->is_strong && access->scope >= EMU_SCOPE_GPU;
		actor.is_nc = access->is_nc;
		actor.host = access->kind == ACCESS_WRITE ? access->host[l] : NULL;
		actor.bytes = access->bytes;
		if (note_lane(&actor, access->allocation[l], access->address[l], access->bytes) == STEP_FAULT)
			return STEP_FAULT;
	}
	warp->touched |= access->lanes;
	return STEP_NEXT;
}
