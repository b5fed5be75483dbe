/* SPDX-License-Identifier: MIT
 *
 * When registers are alive: by blocks, then as intervals in the order of the code, from which slots.c finds slots.
 * Lanes follow one program each, so what holds for a thread holds for its column of the register file.
 */
#include "liveness.h"
#include "control.h"

#include <stdlib.h>
#include <string.h>

struct block {
	uint32_t first, end;
	uint32_t next[2];          /* UINT32_MAX: none */
	const struct emu_branch_table *table;
};

struct liveness {
	struct emu_module *module;
	struct emu_function *function;
	struct block *blocks;
	uint32_t block_count;
	uint32_t *block_of;        /* of each instruction, relative to the first */
	uint64_t *used, *killed, *live_in;   /* bit sets, one row a block */
	uint32_t words;
	uint32_t *start, *end;     /* the interval of each register */
};

static const struct emu_insn *insn_at(const struct liveness *live, uint32_t i)
{
	return &live->module->code[live->function->first + i];
}

static void mark_leaders(const struct liveness *live, uint8_t *is_leader, uint32_t count)
{
	is_leader[0] = 1;
	for (uint32_t i = 0; i < count; i++) {
		const struct emu_insn *insn = insn_at(live, i);

		if (insn->ends_block && i + 1 < count)
			is_leader[i + 1] = 1;
		if (insn->run == emu_run_branch)
			is_leader[insn->target - live->function->first] = 1;
		if (insn->run == emu_run_branch_table) {
			const struct emu_branch_table *table = insn->extra;

			for (uint32_t k = 0; k < table->count; k++)
				is_leader[table->targets[k] - live->function->first] = 1;
		}
	}
}

/* Under a guard, the lanes for which it is false go on to the next block. */
static void link_block(struct liveness *live, struct block *block)
{
	const struct emu_insn *last = insn_at(live, block->end - 1);
	uint32_t count = live->function->end - live->function->first;
	bool is_end = (last->run == emu_run_return || last->run == emu_run_exit) && last->guard == NO_GUARD;
	bool is_jump = (last->run == emu_run_branch || last->run == emu_run_branch_table) && last->guard == NO_GUARD;

	block->next[0] = block->next[1] = UINT32_MAX;
	if (!is_end && !is_jump && block->end < count)
		block->next[0] = live->block_of[block->end];
	if (last->run == emu_run_branch)
		block->next[1] = live->block_of[last->target - live->function->first];
	if (last->run == emu_run_branch_table)
		block->table = last->extra;
}

static bool build_blocks(struct liveness *live)
{
	uint32_t count = live->function->end - live->function->first;
	uint8_t *is_leader = calloc(count, 1);

	live->block_of = calloc(count, sizeof *live->block_of);
	if (!is_leader || !live->block_of) {
		free(is_leader);
		return false;
	}
	mark_leaders(live, is_leader, count);
	for (uint32_t i = 0; i < count; i++)
		live->block_count += is_leader[i];
	live->blocks = calloc(live->block_count, sizeof *live->blocks);
	for (uint32_t i = 0, block = 0; i < count && live->blocks; i++) {
		if (is_leader[i] && i)
			block++;
		if (is_leader[i])
			live->blocks[block].first = i;
		live->blocks[block].end = i + 1;
		live->block_of[i] = block;
	}
	free(is_leader);
	for (uint32_t b = 0; b < live->block_count && live->blocks; b++)
		link_block(live, &live->blocks[b]);
	return live->blocks != NULL;
}

static bool get_bit(const uint64_t *row, uint32_t i)
{
	return row[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *row, uint32_t i)
{
	row[i / 64] |= UINT64_C(1) << (i % 64);
}

static bool is_tracked(const struct liveness *live, int32_t operand)
{
	return operand >= 0 && !live->function->registers[operand].region;
}

/* A guarded write leaves the old value in other lanes, so it kills nothing and needs what was there. */
static void scan_insn(const struct liveness *live, const struct emu_insn *insn, uint64_t *used, uint64_t *killed)
{
	bool is_guarded = insn->guard != NO_GUARD;

	if (is_guarded && !get_bit(killed, (uint32_t)insn->guard))
		set_bit(used, (uint32_t)insn->guard);
	for (unsigned k = 0; k < insn->op_count; k++)
		if (is_tracked(live, insn->op[k]) && (is_guarded || !(insn->defines >> k & 1)) &&
				!get_bit(killed, (uint32_t)insn->op[k]))
			set_bit(used, (uint32_t)insn->op[k]);
	for (unsigned k = 0; k < insn->op_count; k++)
		if (is_tracked(live, insn->op[k]) && insn->defines >> k & 1 && !is_guarded)
			set_bit(killed, (uint32_t)insn->op[k]);
}

/* What any of the blocks that may follow needs. */
static void live_out(const struct liveness *live, const struct block *block, uint64_t *row)
{
	memset(row, 0, live->words * sizeof *row);
	for (unsigned k = 0; k < 2; k++)
		if (block->next[k] != UINT32_MAX)
			for (uint32_t w = 0; w < live->words; w++)
				row[w] |= live->live_in[(size_t)block->next[k] * live->words + w];
	for (uint32_t k = 0; block->table && k < block->table->count; k++) {
		uint32_t next = live->block_of[block->table->targets[k] - live->function->first];

		for (uint32_t w = 0; w < live->words; w++)
			row[w] |= live->live_in[(size_t)next * live->words + w];
	}
}

/* To the fixed point; from the last block to the first, as what is needed travels, so that only loops take more than
 * one round. */
static void solve(struct liveness *live, uint64_t *row)
{
	bool is_changed = true;

	while (is_changed) {
		is_changed = false;
		for (uint32_t b = live->block_count; b-- > 0; ) {
			size_t at = (size_t)b * live->words;

			live_out(live, &live->blocks[b], row);
			for (uint32_t w = 0; w < live->words; w++) {
				uint64_t in = live->used[at + w] | (row[w] & ~live->killed[at + w]);

				is_changed |= in != live->live_in[at + w];
				live->live_in[at + w] = in;
			}
		}
	}
}

static void extend(struct liveness *live, uint32_t number, uint32_t position)
{
	if (position < live->start[number])
		live->start[number] = position;
	if (position > live->end[number])
		live->end[number] = position;
}

static void extend_set(struct liveness *live, const uint64_t *row, uint32_t position)
{
	for (uint32_t w = 0; w < live->words; w++)
		for (uint64_t left = row[w]; left; left &= left - 1)
			extend(live, w * 64 + (uint32_t)__builtin_ctzll(left), position);
}

/* From the first position where a register is alive to the last, holes and all: finding slots is then one pass, and
 * the holes are not worth another. */
static void build_intervals(struct liveness *live, uint64_t *row)
{
	uint32_t count = live->function->end - live->function->first;

	for (uint32_t i = 0; i < live->function->register_count; i++)
		live->start[i] = UINT32_MAX;
	for (uint32_t b = 0; b < live->block_count; b++) {
		live_out(live, &live->blocks[b], row);
		extend_set(live, row, live->blocks[b].end - 1);
		extend_set(live, live->live_in + (size_t)b * live->words, live->blocks[b].first);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct emu_insn *insn = insn_at(live, i);

		if (insn->guard != NO_GUARD)
			extend(live, (uint32_t)insn->guard, i);
		for (unsigned k = 0; k < insn->op_count; k++)
			if (is_tracked(live, insn->op[k]))
				extend(live, (uint32_t)insn->op[k], i);
	}
}

static bool analyse(struct liveness *live)
{
	uint32_t registers = live->function->register_count;
	uint64_t *row;
	size_t cells;

	live->words = (registers + 63) / 64;
	live->start = calloc(registers + 1, sizeof *live->start);
	live->end = calloc(registers + 1, sizeof *live->end);
	row = calloc(live->words + 1, sizeof *row);
	if (!build_blocks(live) || !live->start || !live->end || !row) {
		free(row);
		return false;
	}
	cells = (size_t)live->words * live->block_count + 1;
	live->used = calloc(cells, sizeof *live->used);
	live->killed = calloc(cells, sizeof *live->killed);
	live->live_in = calloc(cells, sizeof *live->live_in);
	if (live->used && live->killed && live->live_in) {
		for (uint32_t b = 0; b < live->block_count; b++)
			for (uint32_t i = live->blocks[b].first; i < live->blocks[b].end; i++)
				scan_insn(live, insn_at(live, i), live->used + (size_t)b * live->words,
						live->killed + (size_t)b * live->words);
		solve(live, row);
		build_intervals(live, row);
	}
	free(row);
	return live->used && live->killed && live->live_in;
}

/* The most 32-bit registers alive at once. */
static bool count_live(struct liveness *live)
{
	struct emu_function *function = live->function;
	uint32_t count = function->end - function->first, most = 0;
	int64_t *change = calloc(count + 2, sizeof *change), now = 0;

	if (!change)
		return false;
	for (uint32_t i = 0; i < function->register_count; i++) {
		int64_t units = (function->registers[i].bytes + 3) / 4;

		if (live->start[i] == UINT32_MAX)
			continue;
		change[live->start[i]] += units;
		/* A register that is read for the last time can be written by the same instruction. */
		change[live->end[i] > live->start[i] ? live->end[i] : live->end[i] + 1] -= units;
	}
	for (uint32_t i = 0; i < count; i++) {
		now += change[i];
		if (now > most)
			most = (uint32_t)now;
	}
	function->live_registers = most;
	free(change);
	return true;
}

static void patch(struct emu_function *function)
{
	const struct emu_register *registers = function->registers;

	for (uint32_t i = function->first; i < function->end; i++) {
		struct emu_insn *insn = &function->module->code[i];
		struct emu_call *call;

		for (unsigned k = 0; k < insn->op_count; k++)
			if (insn->op[k] >= 0)
				insn->op[k] = (int32_t)registers[insn->op[k]].slot;
		if (insn->guard != NO_GUARD)
			insn->guard = (int32_t)registers[insn->guard].slot;
		if (insn->run != emu_run_call)
			continue;
		call = (struct emu_call *)(uintptr_t)insn->extra;
		for (uint32_t k = 0; k < call->argument_count; k++)
			call->arguments[k] = (int32_t)registers[call->arguments[k]].slot;
		if (call->result != NO_OPERAND)
			call->result = (int32_t)registers[call->result].slot;
	}
	for (size_t k = 0; k < function->parameter_count && !function->is_entry; k++)
		function->formals[k] = (int32_t)registers[function->formals[k]].slot;
	if (function->result != NO_OPERAND)
		function->result = (int32_t)registers[function->result].slot;
}

/* Beyond this the bit sets would cost more than the sharing gains. */
#define MOST_CELLS (UINT64_C(1) << 24)

bool emu_assign_slots(struct emu_parser *parser, struct emu_function *function)
{
	struct liveness live = { .module = parser->module, .function = function };
	uint32_t count = function->end - function->first;
	bool is_small = (uint64_t)count * function->register_count / 64 < MOST_CELLS, is_good;

	is_good = analyse(&live) && emu_share_slots(function, live.start, live.end, is_small) &&
		count_live(&live);
	free(live.blocks);
	free(live.block_of);
	free(live.used);
	free(live.killed);
	free(live.live_in);
	free(live.start);
	free(live.end);
	if (!is_good)
		return emu_parse_no_memory(parser);
	patch(function);
	return true;
}
