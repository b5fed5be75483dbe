/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include "schedule.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 16                /* bytes that become visible together: no access is torn */
#define MOST_BLOCKS 128         /* in a buffer; a full one lets the oldest go */
#define SLOTS 512               /* of its hash table: a power of two */

struct entry {
	unsigned char *host;        /* the block */
	unsigned char bytes[BLOCK];
	uint16_t mask;              /* which of them were stored */
};

struct emu_buffer {
	struct entry entry[MOST_BLOCKS];
	unsigned count;
	uint16_t slot[SLOTS];       /* an entry plus one */
};

static unsigned char *block_of(unsigned char *host)
{
	return (unsigned char *)((uintptr_t)host & ~(uintptr_t)(BLOCK - 1));
}

static unsigned place_of(const struct emu_buffer *buffer, const unsigned char *host)
{
	unsigned at = (unsigned)(((uintptr_t)host >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;

	while (buffer->slot[at] && buffer->entry[buffer->slot[at] - 1].host != host)
		at = (at + 1) % SLOTS;
	return at;
}

static struct entry *find(struct emu_buffer *buffer, const unsigned char *host)
{
	unsigned at = place_of(buffer, host);

	return buffer->slot[at] ? &buffer->entry[buffer->slot[at] - 1] : NULL;
}

static void rehash(struct emu_buffer *buffer)
{
	memset(buffer->slot, 0, sizeof buffer->slot);
	for (unsigned i = 0; i < buffer->count; i++)
		buffer->slot[place_of(buffer, buffer->entry[i].host)] = (uint16_t)(i + 1);
}

/* Old values become history by 8 bytes, which is the most that a load sees as one. */
static void write_back(struct emu_cta *cta, const struct entry *entry)
{
	for (unsigned half = 0; half < BLOCK; half += 8)
		if (entry->mask >> half & 0xff)
			emu_history_note(cta, entry->host + half);
	for (unsigned i = 0; i < BLOCK; i++)
		if (entry->mask >> i & 1)
			entry->host[i] = entry->bytes[i];
	cta->run->version++;
}

/* The last entry takes the place of the one that goes, hence a new table: cheaper than to keep both in order, at the
 * rate at which stores land. */
static void flush_at(struct emu_cta *cta, unsigned i)
{
	struct emu_buffer *buffer = cta->buffer;

	write_back(cta, &buffer->entry[i]);
	buffer->entry[i] = buffer->entry[--buffer->count];
	rehash(buffer);
}

void emu_buffer_free(struct emu_cta *cta)
{
	free(cta->buffer);
	cta->buffer = NULL;
}

void emu_buffer_flush(struct emu_cta *cta)
{
	struct emu_buffer *buffer = cta->buffer;

	if (!buffer || !buffer->count)
		return;
	for (unsigned i = 0; i < buffer->count; i++)
		write_back(cta, &buffer->entry[i]);
	buffer->count = 0;
	memset(buffer->slot, 0, sizeof buffer->slot);
}

bool emu_buffer_flush_one(struct emu_cta *cta, uint64_t choice)
{
	if (!cta->buffer || !cta->buffer->count)
		return false;
	flush_at(cta, (unsigned)(choice % cta->buffer->count));
	return true;
}

/* A lane's bytes as its CTA sees them, in a copy where they differ from memory. */
static void overlay_lane(struct emu_access *access, struct emu_buffer *buffer, int l, unsigned char *copy)
{
	unsigned char *host = access->host[l];
	bool is_copied = false;

	for (unsigned i = 0; i < access->bytes; i++) {
		const struct entry *entry = find(buffer, block_of(host + i));
		unsigned at = (unsigned)(host + i - block_of(host + i));

		if (!entry || !(entry->mask >> at & 1))
			continue;
		if (!is_copied)
			memcpy(copy, host, access->bytes);
		is_copied = true;
		copy[i] = entry->bytes[at];
	}
	if (is_copied)
		access->host[l] = copy;
}

static bool holds(struct emu_buffer *buffer, unsigned char *host, unsigned bytes)
{
	return buffer && buffer->count && (find(buffer, block_of(host)) || find(buffer, block_of(host + bytes - 1)));
}

uint32_t emu_buffer_load(struct emu_access *access, struct emu_warp *warp)
{
	struct emu_buffer *buffer = warp->cta->buffer;
	struct emu_schedule *schedule = warp->run->schedule;
	uint32_t newest = access->lanes;

	if (!schedule->is_weak || access->space != SPACE_GLOBAL)
		return newest;
	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (holds(buffer, access->host[l], access->bytes)) {
			overlay_lane(access, buffer, l, schedule->copies[l]);
		} else if (emu_history_load(access, warp, l, schedule->copies[l])) {
			access->host[l] = schedule->copies[l];
			newest &= ~(1u << l);
		}
	}
	return newest;
}

/* What a store has written wherever it is by now: for the check that racing stores of one value are let pass. */
bool emu_buffer_peek(const struct emu_run *run, unsigned char *value, const unsigned char *host, unsigned bytes)
{
	bool is_held = false;

	memcpy(value, host, bytes);
	for (unsigned c = 0; c < run->resident_count; c++)
		for (unsigned i = 0; i < bytes && run->resident[c]->buffer; i++) {
			unsigned char *at = (unsigned char *)(uintptr_t)host + i;
			const struct entry *entry = find(run->resident[c]->buffer, block_of(at));

			if (!entry || !(entry->mask >> (at - block_of(at)) & 1))
				continue;
			value[i] = entry->bytes[at - block_of(at)];
			is_held = true;
		}
	return is_held;
}

static struct entry *add(struct emu_cta *cta, unsigned char *host)
{
	struct emu_buffer *buffer = cta->buffer;
	struct entry *entry = find(buffer, host);

	if (entry)
		return entry;
	if (buffer->count == MOST_BLOCKS)
		flush_at(cta, 0);
	buffer->slot[place_of(buffer, host)] = (uint16_t)(buffer->count + 1);
	entry = &buffer->entry[buffer->count++];
	*entry = (struct entry){ .host = host };
	return entry;
}

void emu_buffer_settle(struct emu_cta *cta, unsigned char *host, unsigned bytes)
{
	struct emu_buffer *buffer = cta->buffer;
	unsigned char *last = block_of(host + bytes - 1);

	for (unsigned char *block = block_of(host); block <= last && buffer && buffer->count; block += BLOCK) {
		const struct entry *entry = find(buffer, block);

		if (entry)
			flush_at(cta, (unsigned)(entry - buffer->entry));
	}
}

/* An immediate store must not come before a late one to the same place; and its old value is history. */
static void settle_lane(struct emu_access *access, struct emu_cta *cta, int l)
{
	unsigned char *host = access->host[l], *end = host + access->bytes;

	emu_buffer_settle(cta, host, access->bytes);
	for (unsigned char *at = (unsigned char *)((uintptr_t)host & ~(uintptr_t)7); at < end; at += 8)
		emu_history_note(cta, at);
}

void emu_buffer_store(struct emu_access *access, struct emu_warp *warp)
{
	struct emu_cta *cta = warp->cta;
	struct emu_schedule *schedule = warp->run->schedule;
	bool is_late;

	if (!schedule->is_weak || access->space != SPACE_GLOBAL)
		return;
	is_late = schedule->is_late && emu_schedule_random(warp->run) % 4 != 0;
	if (is_late && !cta->buffer)
		cta->buffer = calloc(1, sizeof *cta->buffer);
	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		access->late[l] = NULL;
		if (!is_late || !cta->buffer || access->allocation[l]->is_host) {
			settle_lane(access, cta, l);
			continue;
		}
		access->late[l] = access->host[l];
		access->host[l] = schedule->copies[l];
	}
}

void emu_buffer_stored(struct emu_access *access, struct emu_warp *warp)
{
	if (!warp->run->schedule->is_weak || access->space != SPACE_GLOBAL)
		return;
	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		for (unsigned i = 0; i < access->bytes && access->late[l]; i++) {
			unsigned char *at = access->late[l] + i;
			struct entry *entry = add(warp->cta, block_of(at));

			entry->bytes[at - block_of(at)] = access->host[l][i];
			entry->mask |= (uint16_t)(1u << (at - block_of(at)));
		}
	}
}

/* Atomic operations go to memory at once, and stores of their CTA to the same place have to be there before. */
void emu_buffer_atomic(struct emu_access *access, struct emu_warp *warp)
{
	if (!warp->run->schedule->is_weak || access->space != SPACE_GLOBAL)
		return;
	for (uint32_t left = access->lanes; left; left &= left - 1)
		settle_lane(access, warp->cta, __builtin_ctz(left));
}
