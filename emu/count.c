/* SPDX-License-Identifier: MIT
 *
 * What a warp's access costs: words, sectors, bank conflicts.
 */
#include "access.h"

/* Lanes' addresses divided by a unit, sorted; nearly sorted as a rule, so insertion is quick. */
static unsigned count_distinct(const struct emu_access *access, unsigned shift)
{
	uint64_t sorted[EMU_LANES];
	unsigned count = 0;

	for (uint32_t left = access->lanes; left; left &= left - 1) {
		uint64_t unit = access->address[__builtin_ctz(left)] >> shift;
		unsigned at = count;

		while (at > 0 && sorted[at - 1] > unit)
			at--;
		if (at > 0 && sorted[at - 1] == unit)
			continue;
		for (unsigned i = count; i > at; i--)
			sorted[i] = sorted[i - 1];
		sorted[at] = unit;
		count++;
	}
	return count;
}

/* Every lane right behind the one before it, as in a coalesced access. */
static bool is_contiguous(const struct emu_access *access)
{
	uint64_t expected = access->address[__builtin_ctz(access->lanes)];

	for (uint32_t left = access->lanes; left; left &= left - 1) {
		if (access->address[__builtin_ctz(left)] != expected)
			return false;
		expected += access->bytes;
	}
	return true;
}

uint32_t emu_access_repeated(const struct emu_access *access)
{
	uint32_t repeated = 0;

	if (is_contiguous(access))
		return 0;
	for (uint32_t left = access->lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		for (uint32_t later = left & (left - 1); later; later &= later - 1)
			if (access->host[l] == access->host[__builtin_ctz(later)])
				repeated |= 1u << l;
	}
	return repeated;
}

static void count_global(const struct emu_access *access, struct emu_counters *counters)
{
	unsigned lanes = (unsigned)__builtin_popcount(access->lanes);
	unsigned words_each = access->bytes > 4 ? access->bytes / 4 : 1;
	unsigned shift = access->bytes > 4 ? (unsigned)__builtin_ctz(access->bytes) : 2;
	uint64_t words, sectors, first = access->address[__builtin_ctz(access->lanes)];

	if (is_contiguous(access)) {
		uint64_t last = first + (uint64_t)lanes * access->bytes - 1;

		words = (last >> 2) - (first >> 2) + 1;
		sectors = (last >> 5) - (first >> 5) + 1;
	} else {
		words = (uint64_t)count_distinct(access, shift) * words_each;
		sectors = count_distinct(access, 5);
	}
	if (access->kind != ACCESS_WRITE) {
		counters->global_load_bytes += (uint64_t)lanes * access->bytes;
		counters->global_load_words += words;
		counters->global_load_sectors += sectors;
	}
	if (access->kind != ACCESS_READ) {
		counters->global_store_bytes += (uint64_t)lanes * access->bytes;
		counters->global_store_words += words;
		counters->global_store_sectors += sectors;
	}
	if (access->kind == ACCESS_ATOMIC)
		counters->global_atomics += lanes;
	if (access->kind == ACCESS_READ && access->is_strong)
		counters->polls += lanes;
}

/* Passes that the lanes of one part of a warp need: the most different words in one bank. */
static unsigned count_passes(const struct emu_access *access, uint32_t lanes)
{
	uint32_t words[128];
	unsigned count = 0, in_bank[32] = { 0 }, most = 1;
	unsigned each = access->bytes > 4 ? access->bytes / 4 : 1;

	for (uint32_t left = lanes; left; left &= left - 1) {
		uint32_t word = (uint32_t)access->address[__builtin_ctz(left)] / 4;

		for (unsigned k = 0; k < each; k++, word++) {
			unsigned i = 0;

			while (i < count && words[i] != word)
				i++;
			if (i < count || count == 128)
				continue;
			words[count++] = word;
			if (++in_bank[word % 32] > most)
				most = in_bank[word % 32];
		}
	}
	return most;
}

/* Accesses of 8 bytes go by half warps, of 16 bytes by quarters. */
static unsigned count_conflicts(const struct emu_access *access)
{
	unsigned parts = access->bytes <= 4 ? 1 : access->bytes == 8 ? 2 : 4, conflicts = 0;

	if (is_contiguous(access))
		return 0;
	for (unsigned i = 0; i < parts; i++) {
		uint32_t part = (parts == 1 ? EMU_ALL_LANES : (1u << (32 / parts)) - 1) << (i * 32 / parts);

		if (access->lanes & part)
			conflicts += count_passes(access, access->lanes & part) - 1;
	}
	return conflicts;
}

static void count_shared(const struct emu_access *access, struct emu_counters *counters)
{
	unsigned lanes = (unsigned)__builtin_popcount(access->lanes);
	uint64_t words = (uint64_t)lanes * (access->bytes > 4 ? access->bytes / 4 : 1);

	counters->shared_conflicts += count_conflicts(access);
	if (access->kind != ACCESS_WRITE)
		counters->shared_load_words += words;
	if (access->kind != ACCESS_READ)
		counters->shared_store_words += words;
	if (access->kind == ACCESS_ATOMIC)
		counters->shared_atomics += lanes;
}

void emu_access_count(const struct emu_access *access, struct emu_warp *warp)
{
	struct emu_counters *counters = &warp->run->counters;

	switch (access->space) {
	case SPACE_GLOBAL:
	case SPACE_CONST:
		count_global(access, counters);
		break;
	case SPACE_SHARED:
		count_shared(access, counters);
		break;
	case SPACE_LOCAL:
		counters->local_accesses += (unsigned)__builtin_popcount(access->lanes);
		break;
	default:
		break;
	}
}
