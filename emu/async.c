/* SPDX-License-Identifier: MIT
 *
 * Asynchronous copies between global and shared memory.
 */
#include "access.h"
#include "control.h"
#include "decode.h"
#include "lanes.h"
#include "mbarrier.h"
#include "race.h"

#include <string.h>

static uint64_t address_of(const struct emu_warp *warp, int32_t op, int lane, bool is_wide, int64_t offset)
{
	const void *base = emu_in(warp, op);

	return is_wide ? ((const uint64_t *)base)[lane] + (uint64_t)offset :
		(uint32_t)(((const uint32_t *)base)[lane] + (uint32_t)offset);
}

static uint32_t number_of(const struct emu_warp *warp, int32_t op, int lane)
{
	return ((const uint32_t *)emu_in(warp, op))[lane];
}

struct copy {
	struct emu_warp *warp;
	const struct emu_insn *insn;
	int lane;
	uint64_t to, from;
	enum emu_space to_space, from_space;
	uint32_t bytes;
};

/* One piece of a copy: reads are checked as reads, writes as writes. */
static int resolve_piece(struct emu_access *access, const struct copy *copy, uint32_t done, unsigned bytes,
		bool is_write)
{
	uint64_t address = (is_write ? copy->to : copy->from) + done;

	*access = (struct emu_access){ .kind = is_write ? ACCESS_WRITE : ACCESS_READ, .bytes = bytes,
		.space = is_write ? copy->to_space : copy->from_space, .is_async = true,
		.lanes = 1u << copy->lane };
	access->address[copy->lane] = address;
	if (address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES) {
		access->address[copy->lane] = address - EMU_SHARED_WINDOW;
		access->space = SPACE_SHARED;
	}
	return emu_access_resolve(access, copy->warp, copy->insn);
}

static void count_bytes(const struct copy *copy)
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

static int run_copy(const struct copy *copy, unsigned piece)
{
	struct emu_access access;
	unsigned char data[16];

	for (uint32_t done = 0; done < copy->bytes; done += piece) {
		if (resolve_piece(&access, copy, done, piece, false) == STEP_FAULT)
			return STEP_FAULT;
		memcpy(data, access.host[copy->lane], piece);
		if (resolve_piece(&access, copy, done, piece, true) == STEP_FAULT)
			return STEP_FAULT;
		memcpy(access.host[copy->lane], data, piece);
	}
	count_bytes(copy);
	copy->warp->run->version++;
	return STEP_NEXT;
}

static int check_bulk(const struct copy *copy)
{
	if (copy->bytes % 16 || copy->to % 16 || copy->from % 16)
		return emu_fault(copy->warp, copy->insn, copy->lane, CUDA_ERROR_MISALIGNED_ADDRESS, &copy->from,
				"a bulk copy of %u bytes to 0x%llx: all must be multiples of 16", copy->bytes,
				(unsigned long long)copy->to);
	return STEP_NEXT;
}

/* op: to, from, bytes, mbarrier; flags of addresses in small[0], offsets of to and from in offset and extra. */
struct bulk_shape {
	int64_t to_offset, from_offset, barrier_offset;
	bool to_wide, from_wide, barrier_wide;
	enum emu_space to_space, from_space;
};

static struct emu_cta *owner_of(struct emu_warp *warp, uint64_t address, uint32_t *offset)
{
	uint32_t rank;

	if (address - EMU_SHARED_WINDOW < EMU_WINDOW_BYTES)
		address -= EMU_SHARED_WINDOW;
	rank = (uint32_t)(address >> EMU_RANK_SHIFT) & 0xff;
	*offset = (uint32_t)address & ((1u << EMU_RANK_SHIFT) - 1);
	if (!rank || rank - 1 == warp->cta->rank)
		return warp->cta;
	return warp->cta->cluster && rank <= warp->cta->cluster->count ? warp->cta->cluster->ctas[rank - 1] : NULL;
}

static int bulk_lane(struct emu_warp *warp, const struct emu_insn *insn, int lane)
{
	const struct bulk_shape *shape = insn->extra;
	struct copy copy = { warp, insn, lane, address_of(warp, insn->op[0], lane, shape->to_wide, shape->to_offset),
		address_of(warp, insn->op[1], lane, shape->from_wide, shape->from_offset), shape->to_space,
		shape->from_space, number_of(warp, insn->op[2], lane) };
	struct emu_mbarrier *barrier = NULL;
	struct emu_cta *cta = NULL;
	uint64_t address = 0;
	uint32_t offset;

	if (check_bulk(&copy) == STEP_FAULT)
		return STEP_FAULT;
	if (insn->op[3] != NO_OPERAND) {
		address = address_of(warp, insn->op[3], lane, shape->barrier_wide, shape->barrier_offset);
		cta = owner_of(warp, address, &offset);
		barrier = cta ? emu_mbarrier_find(cta, offset) : NULL;
		if (!barrier)
			return emu_fault(warp, insn, lane, CUDA_ERROR_LAUNCH_FAILED, &address,
					"a bulk copy completes on an mbarrier that was not initialised");
	}
	if (run_copy(&copy, 16) == STEP_FAULT)
		return STEP_FAULT;
	if (barrier)
		emu_mbarrier_transact(cta, barrier, (int32_t)copy.bytes);
	return STEP_NEXT;
}

static int run_bulk(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	for (uint32_t left = lanes; left; left &= left - 1)
		if (bulk_lane(warp, insn, __builtin_ctz(left)) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

/* op: to, from, source bytes; target: the copy's size.  What the source lacks becomes zeros. */
static int small_lane(struct emu_warp *warp, const struct emu_insn *insn, int lane)
{
	const struct bulk_shape *shape = insn->extra;
	uint32_t bytes = insn->target, have = insn->op[2] == NO_OPERAND ? bytes : number_of(warp, insn->op[2], lane);
	struct copy copy = { warp, insn, lane, address_of(warp, insn->op[0], lane, shape->to_wide, shape->to_offset),
		address_of(warp, insn->op[1], lane, shape->from_wide, shape->from_offset), SPACE_SHARED, SPACE_GLOBAL,
		have };
	struct emu_access access;

	if (have > bytes || have % 4 || copy.from % bytes || copy.to % bytes)
		return emu_fault(warp, insn, lane, CUDA_ERROR_MISALIGNED_ADDRESS, &copy.from,
				"cp.async of %u bytes, %u of them from the source", bytes, have);
	if (have == bytes)
		return run_copy(&copy, bytes);
	if (run_copy(&copy, 4) == STEP_FAULT)
		return STEP_FAULT;
	for (uint32_t done = have; done < bytes; done += 4) {
		if (resolve_piece(&access, &copy, done, 4, true) == STEP_FAULT)
			return STEP_FAULT;
		memset(access.host[lane], 0, 4);
	}
	return STEP_NEXT;
}

static int run_small(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	for (uint32_t left = lanes; left; left &= left - 1)
		if (small_lane(warp, insn, __builtin_ctz(left)) == STEP_FAULT)
			return STEP_FAULT;
	return STEP_NEXT;
}

/* The thread's copies have landed: an arrival that, unless .noinc, does not count towards the expected ones. */
static int run_arrive(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint64_t address = address_of(warp, insn->op[0], l, insn->flags & INSN_WIDE_ADDR, insn->offset);
		uint32_t offset;
		struct emu_cta *cta = owner_of(warp, address, &offset);
		struct emu_mbarrier *barrier = cta ? emu_mbarrier_find(cta, offset) : NULL;

		if (!barrier)
			return emu_fault(warp, insn, l, CUDA_ERROR_LAUNCH_FAILED, &address,
					"an mbarrier that was not initialised");
		emu_race_mbarrier_arrive(cta, barrier, warp, l, true);
		if (!(insn->flags & INSN_NOINC))
			barrier->pending++;
		if (!emu_mbarrier_arrive(cta, barrier, 1))
			return emu_fault(warp, insn, l, CUDA_ERROR_LAUNCH_FAILED, &address,
					"more arrivals at an mbarrier than the %u it expects", barrier->expected);
	}
	return STEP_NEXT;
}

static bool decode_arrive(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_noinc = emu_take(statement, "noinc");
	struct emu_address address;
	struct emu_insn *insn;

	emu_take(statement, "arrive");
	emu_take_space(statement);
	emu_take(statement, "b64");
	if (!emu_operand_count(parser, statement, 1, 1) || !emu_all_taken(parser, statement) ||
			!emu_take_address(parser, statement, &statement->operands[0], &address))
		return false;
	insn = emu_emit(parser, statement, run_arrive);
	emu_put_address(insn, &address);
	insn->flags |= is_noinc ? INSN_NOINC : 0;
	return true;
}

static struct bulk_shape *make_shape(struct emu_parser *parser, const struct emu_address *to,
		const struct emu_address *from, const struct emu_address *barrier)
{
	struct bulk_shape *shape = emu_arena_alloc(&parser->module->arena, sizeof *shape);

	if (!shape) {
		emu_parse_no_memory(parser);
		return NULL;
	}
	*shape = (struct bulk_shape){ .to_offset = to->offset, .from_offset = from->offset,
		.barrier_offset = barrier->offset, .to_wide = to->is_wide, .from_wide = from->is_wide,
		.barrier_wide = barrier->is_wide };
	return shape;
}

static bool decode_bulk(struct emu_parser *parser, struct emu_statement *statement)
{
	bool has_barrier = emu_take(statement, "mbarrier::complete_tx::bytes");
	bool is_group = emu_take(statement, "bulk_group"), is_to_global, is_from_global;
	struct emu_address to, from, barrier = { .op = NO_OPERAND };
	struct bulk_shape *shape;
	int32_t bytes;
	struct emu_insn *insn;

	emu_take(statement, "L2::cache_hint");
	is_to_global = statement->part_count > 3 && statement->parts[3].length == 6; /* global before shared */
	is_from_global = emu_take(statement, "global") && !is_to_global;
	emu_take_space(statement);
	emu_take_space(statement);
	if (has_barrier == is_group || is_to_global != is_group ||
			!emu_operand_count(parser, statement, has_barrier ? 4 : 3, has_barrier ? 5 : 4) ||
			!emu_all_taken(parser, statement) ||
			!emu_take_address(parser, statement, &statement->operands[0], &to) ||
			!emu_take_address(parser, statement, &statement->operands[1], &from) ||
			(has_barrier && !emu_take_address(parser, statement, &statement->operands[3], &barrier)))
		return emu_unknown(parser, statement, "is not known");
	bytes = emu_source(parser, statement, 2, 4);
	shape = make_shape(parser, &to, &from, &barrier);
	if (!shape)
		return false;
	shape->to_space = is_to_global ? SPACE_GLOBAL : SPACE_SHARED;
	shape->from_space = is_from_global ? SPACE_GLOBAL : SPACE_SHARED;
	insn = emu_emit(parser, statement, run_bulk);
	insn->extra = shape;
	emu_add_source(insn, to.op);
	emu_add_source(insn, from.op);
	emu_add_source(insn, bytes);
	emu_add_source(insn, barrier.op);
	return !parser->is_failed;
}

static bool decode_small(struct emu_parser *parser, struct emu_statement *statement)
{
	static const char *const hints[] = { "ca", "cg", "L2::64B", "L2::128B", "L2::256B", "L2::cache_hint" };
	struct emu_address to, from, none = { .op = NO_OPERAND };
	const struct emu_operand *size = &statement->operands[2];
	int32_t have = NO_OPERAND;
	struct bulk_shape *shape;
	struct emu_insn *insn;

	for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
		emu_take(statement, hints[i]);
	emu_take_space(statement);
	emu_take_space(statement);
	if (!emu_operand_count(parser, statement, 3, 4) || !emu_all_taken(parser, statement) ||
			!emu_take_address(parser, statement, &statement->operands[0], &to) ||
			!emu_take_address(parser, statement, &statement->operands[1], &from))
		return false;
	if (size->kind != OPERAND_NUMBER || (size->bits != 4 && size->bits != 8 && size->bits != 16))
		return emu_unknown(parser, statement, "copies 4, 8 or 16 bytes");
	if (statement->operand_count > 3)
		have = emu_source(parser, statement, 3, 4);
	shape = make_shape(parser, &to, &from, &none);
	if (!shape)
		return false;
	insn = emu_emit(parser, statement, run_small);
	insn->extra = shape;
	insn->target = (uint32_t)size->bits;
	emu_add_source(insn, to.op);
	emu_add_source(insn, from.op);
	emu_add_source(insn, have);
	return !parser->is_failed;
}

/* cp.async..., cp.async.bulk... */
static bool decode_copy(struct emu_parser *parser, struct emu_statement *statement)
{
	bool is_bulk;

	if (!emu_take(statement, "async"))
		return emu_unknown(parser, statement, "is not known");
	is_bulk = emu_take(statement, "bulk");
	if (emu_take(statement, "commit_group") || emu_take(statement, "wait_group") || emu_take(statement, "wait_all") ||
			(is_bulk && emu_take(statement, "prefetch"))) {
		emu_emit(parser, statement, emu_run_nothing);
		return !parser->is_failed;
	}
	if (!is_bulk && emu_take(statement, "mbarrier"))
		return decode_arrive(parser, statement);
	return is_bulk ? decode_bulk(parser, statement) : decode_small(parser, statement);
}

const struct emu_family emu_async_families[] = {
	{ "cp", decode_copy },
	{ NULL, NULL },
};
