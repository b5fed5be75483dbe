/* SPDX-License-Identifier: MIT
 *
 * How asynchronous copies move their bytes.
 */
#include "async.h"

#include "buffer.h"
#include "mbarrier.h"
#include "race.h"

#include <stdlib.h>
#include <string.h>

/* One piece of a copy: reads are checked as reads, writes as writes. */
static int resolve_piece(struct emu_access *access, const struct emu_copy *copy, uint32_t done, unsigned bytes,
		bool is_write)
{
	uint64_t address = (is_write ? copy->to : copy->from) + done;

	*access = (struct emu_access){ .kind = is_write ? ACCESS_WRITE : ACCESS_READ, .bytes = bytes,
		.space = is_write ? copy->to_space : copy->from_space, .is_async = true,
		.lanes = 1u << copy->lane };
	access->agent = is_write ? 0 : copy->epoch;
	access->address[copy->lane] = address;
	if (address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES) {
		access->address[copy->lane] = address - EMU_SHARED_WINDOW;
		access->space = SPACE_SHARED;
	}
	if (emu_access_resolve(access, copy->warp, copy->insn) == STEP_FAULT)
		return STEP_FAULT;
	if (access->space == SPACE_GLOBAL)
		emu_buffer_settle(copy->warp->cta, access->host[copy->lane], bytes);
	return STEP_NEXT;
}

static void count_bytes(const struct emu_copy *copy)
{
	struct emu_counters *counters = &copy->warp->run->counters;
	uint64_t first = copy->from_space == SPACE_GLOBAL ? copy->from : copy->to;
	uint64_t last = first + copy->bytes - 1, words, sectors;

	if (!copy->bytes)
		return;
	words = (last >> 2) - (first >> 2) + 1;
	sectors = (last >> 5) - (first >> 5) + 1;
	counters->async_bytes += copy->bytes;
	if (copy->from_space == SPACE_GLOBAL) {
		counters->global_load_bytes += copy->bytes;
		counters->global_load_words += words;
		counters->global_load_sectors += sectors;
	} else if (copy->to_space == SPACE_GLOBAL) {
		counters->global_store_bytes += copy->bytes;
		counters->global_store_words += words;
		counters->global_store_sectors += sectors;
	}
}

static int read_piece(const struct emu_copy *copy, uint32_t done, unsigned char *data)
{
	struct emu_access access;

	if (resolve_piece(&access, copy, done, copy->piece, false) == STEP_FAULT)
		return STEP_FAULT;
	memcpy(data, access.host[copy->lane], copy->piece);
	return STEP_NEXT;
}

static int move_bytes(const struct emu_copy *copy)
{
	struct emu_access access;
	unsigned char data[16];

	for (uint32_t done = 0; done < copy->bytes; done += copy->piece) {
		const unsigned char *from = copy->data ? copy->data + done : data;

		if (!copy->data && read_piece(copy, done, data) == STEP_FAULT)
			return STEP_FAULT;
		if (resolve_piece(&access, copy, done, copy->piece, true) == STEP_FAULT)
			return STEP_FAULT;
		memcpy(access.host[copy->lane], from, copy->piece);
	}
	for (uint32_t done = copy->bytes; done < copy->bytes + copy->zeros; done += 4) {
		if (resolve_piece(&access, copy, done, 4, true) == STEP_FAULT)
			return STEP_FAULT;
		memset(access.host[copy->lane], 0, 4);
	}
	return STEP_NEXT;
}

int emu_copy_land(const struct emu_copy *copy)
{
	struct emu_mbarrier *barrier;

	if (move_bytes(copy) == STEP_FAULT)
		return STEP_FAULT;
	count_bytes(copy);
	copy->warp->run->version++;
	if (!copy->barrier_cta)
		return STEP_NEXT;
	barrier = emu_mbarrier_find(copy->barrier_cta, copy->barrier_offset);
	if (!barrier)
		return emu_fault(copy->warp, copy->insn, copy->lane, CUDA_ERROR_LAUNCH_FAILED, NULL,
				"the mbarrier at 0x%x was invalidated before a bulk copy completed on it",
				copy->barrier_offset);
	if (copy->barrier_cta == copy->warp->cta)
		emu_race_slot_done(copy->barrier_cta, &barrier->arrived, copy->epoch);
	emu_mbarrier_transact(copy->barrier_cta, barrier, (int32_t)copy->bytes);
	return STEP_NEXT;
}

int emu_copy_defer(struct emu_copy **list, const struct emu_copy *copy)
{
	struct emu_copy *later = malloc(sizeof *later);

	if (!later)
		return emu_fault(copy->warp, copy->insn, copy->lane, CUDA_ERROR_OUT_OF_MEMORY, NULL, "out of memory");
	*later = *copy;
	later->next = NULL;
	while (*list)
		list = &(*list)->next;
	*list = later;
	return STEP_NEXT;
}

static void free_copy(struct emu_copy *copy)
{
	free(copy->data);
	free(copy);
}

/* A store takes its bytes from shared memory at one time and brings them to global memory at a later one. */
static bool is_to_read(const struct emu_copy *copy)
{
	return copy->to_space == SPACE_GLOBAL && copy->bytes && !copy->data;
}

static int read_all(struct emu_copy *copy)
{
	copy->data = malloc(copy->bytes);
	if (!copy->data)
		return emu_fault(copy->warp, copy->insn, copy->lane, CUDA_ERROR_OUT_OF_MEMORY, NULL, "out of memory");
	for (uint32_t done = 0; done < copy->bytes; done += copy->piece)
		if (read_piece(copy, done, copy->data + done) == STEP_FAULT)
			return STEP_FAULT;
	copy->warp->run->version++;
	return STEP_NEXT;
}

static int take_and_land(struct emu_copy **at)
{
	struct emu_copy *copy = *at;
	int step;

	*at = copy->next;
	step = emu_copy_land(copy);
	free_copy(copy);
	return step;
}

bool emu_copy_land_one(struct emu_cta *cta, uint64_t choice)
{
	struct emu_copy **at = &cta->bulk;
	uint64_t count = 0;

	for (const struct emu_copy *copy = cta->bulk; copy; copy = copy->next)
		count++;
	if (!count)
		return false;
	for (choice %= count; choice > 0; choice--)
		at = &(*at)->next;
	if (is_to_read(*at))
		read_all(*at);
	else
		take_and_land(at);
	return true;
}

/* The wait for the reads leaves the stores where they are in the list. */
int emu_copy_finish_stores(struct emu_warp *warp, int lane, uint32_t pending, bool is_read)
{
	struct emu_copy **at = &warp->cta->bulk;

	while (*at) {
		struct emu_copy *copy = *at;
		bool is_due = copy->to_space == SPACE_GLOBAL && copy->warp == warp && copy->lane == lane &&
			(uint64_t)copy->group + pending < warp->bulk_group[lane];

		if (is_due && is_to_read(copy) && read_all(copy) == STEP_FAULT)
			return STEP_FAULT;
		if (!is_due || is_read)
			at = &copy->next;
		else if (take_and_land(at) == STEP_FAULT)
			return STEP_FAULT;
	}
	return STEP_NEXT;
}

static void drop_list(struct emu_copy **list)
{
	while (*list) {
		struct emu_copy *next = (*list)->next;

		free_copy(*list);
		*list = next;
	}
}

void emu_copy_drop_all(struct emu_cta *cta)
{
	drop_list(&cta->bulk);
	for (unsigned i = 0; i < cta->warp_count; i++)
		drop_list(&cta->warps[i].copies);
}
