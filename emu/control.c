/* SPDX-License-Identifier: MIT
 *
 * Branches, calls, returns and ends.  Calls push one frame a lane: lanes of one group may have come from several
 * places.
 */
#include "control.h"

#include "builtin.h"
#include "decode.h"
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 4096

int emu_run_nothing(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)warp;
	(void)insn;
	(void)lanes;
	return STEP_NEXT;
}

/* A mark is not an instruction of the program: it takes itself out of the counts. */
int emu_run_mark(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	unsigned count = (unsigned)__builtin_popcount(lanes);

	(void)insn;
	warp->run->counters.applies += count;
	warp->run->counters.lane_instructions -= count;
	warp->run->counters.warp_instructions--;
	return STEP_NEXT;
}

int emu_run_local_address(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	const struct emu_variable *variable = insn->extra;
	uint64_t offset = variable->address + (uint64_t)insn->offset;

	if (insn->register_bytes[0] == 4) {
		uint32_t *d = emu_out(warp, insn->op[0]);

		EACH_LANE(lanes, d[l] = (uint32_t)(warp->local_top[l] + offset));
	} else {
		uint64_t *d = emu_out(warp, insn->op[0]);

		EACH_LANE(lanes, d[l] = warp->local_top[l] + offset);
	}
	return STEP_NEXT;
}

/* Going back after a strong load is how a program waits. */
int emu_run_branch(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	bool is_spin = warp->is_polling && insn->target <= (uint32_t)(insn - warp->run->code);

	emu_warp_jump(warp, lanes, insn->target);
	if (is_spin) {
		warp->is_polling = false;
		emu_warp_select(warp, lanes);
	}
	return is_spin ? STEP_SPIN : STEP_MOVED;
}

/* Lanes that go the same way go together; the others stay here and branch again. */
int emu_run_branch_table(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	const struct emu_branch_table *table = insn->extra;
	const uint32_t *index = emu_in(warp, insn->op[0]);
	uint32_t first = index[__builtin_ctz(lanes)], same = 0;

	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (index[l] >= table->count)
			return emu_fault(warp, insn, l, CUDA_ERROR_INVALID_PC, NULL,
					"branch by index %u in a table of %u", index[l], table->count);
		if (index[l] == first)
			same |= 1u << l;
	}
	if (same != lanes)
		emu_warp_jump(warp, lanes & ~same, (uint32_t)(insn - warp->run->code));
	return emu_warp_jump(warp, same, table->targets[first]);
}

static uint32_t region_stride(uint32_t bytes)
{
	return (bytes + 15) / 16 * 16;
}

static void copy_region(struct emu_warp *warp, int lane, int32_t to, uint32_t to_bytes, int32_t from,
		uint32_t from_bytes)
{
	uint32_t bytes = to_bytes < from_bytes ? to_bytes : from_bytes;

	memcpy((char *)emu_out(warp, to) + (uint32_t)lane * region_stride(to_bytes),
			(char *)emu_out(warp, from) + (uint32_t)lane * region_stride(from_bytes), bytes);
}

static uint32_t register_stride(const struct emu_register *reg)
{
	return reg->region ? region_stride(reg->region) : reg->bytes;
}

static size_t saved_bytes(const struct emu_function *function)
{
	size_t bytes = 16;

	for (uint32_t i = 0; i < function->register_count; i++)
		bytes += register_stride(&function->registers[i]) + 1;
	return bytes;
}

/* One lane's column of a function's frame, for recursion: what the outer activation still needs. */
static unsigned char *save_frame(const struct emu_warp *warp, const struct emu_function *function, int lane)
{
	unsigned char *saved = malloc(saved_bytes(function));
	size_t at = 0;

	for (uint32_t i = 0; i < function->register_count && saved; i++) {
		const struct emu_register *reg = &function->registers[i];
		const unsigned char *from = warp->regs + function->frame_base + reg->slot;
		uint32_t bytes = register_stride(reg);

		if (bytes)
			memcpy(saved + at, from + (uint32_t)lane * bytes, bytes);
		else
			saved[at] = *(const uint32_t *)from >> lane & 1;
		at += bytes ? bytes : 1;
	}
	return saved;
}

static void restore_frame(struct emu_warp *warp, const struct emu_function *function, int lane,
		const unsigned char *saved)
{
	size_t at = 0;

	for (uint32_t i = 0; i < function->register_count; i++) {
		const struct emu_register *reg = &function->registers[i];
		unsigned char *to = warp->regs + function->frame_base + reg->slot;
		uint32_t bytes = register_stride(reg);

		if (bytes)
			memcpy(to + (uint32_t)lane * bytes, saved + at, bytes);
		else
			*(uint32_t *)to = (*(uint32_t *)to & ~(1u << lane)) | (uint32_t)saved[at] << lane;
		at += bytes ? bytes : 1;
	}
}

static struct emu_frame *push_frame(struct emu_warp *warp, int lane)
{
	if (warp->depth[lane] == warp->frame_capacity[lane]) {
		uint32_t capacity = warp->frame_capacity[lane] ? warp->frame_capacity[lane] * 2 : 8;
		struct emu_frame *larger = capacity > MOST_DEPTH ? NULL :
			realloc(warp->frames[lane], capacity * sizeof *larger);

		if (!larger)
			return NULL;
		warp->frames[lane] = larger;
		warp->frame_capacity[lane] = capacity;
	}
	return &warp->frames[lane][warp->depth[lane]++];
}

static const struct emu_function *running(const struct emu_warp *warp, int lane)
{
	return warp->depth[lane] ? warp->frames[lane][warp->depth[lane] - 1].function : warp->run->function;
}

static int enter(struct emu_warp *warp, const struct emu_insn *insn, int lane, const struct emu_function *function)
{
	const struct emu_call *call = insn->extra;
	uint32_t top = warp->local_top[lane] + running(warp, lane)->local_bytes;
	struct emu_frame *frame = push_frame(warp, lane);

	if (!frame || top + function->local_bytes > warp->run->function->total_local)
		return emu_fault(warp, insn, lane, CUDA_ERROR_HARDWARE_STACK_ERROR, NULL,
				"the call stack overflows in %s", function->name);
	*frame = (struct emu_frame){ .return_pc = warp->pc, .call = insn, .function = function,
		.local_top = warp->local_top[lane] };
	warp->local_top[lane] = top;
	if (function->is_recursive) {
		frame->saved = save_frame(warp, function, lane);
		if (!frame->saved)
			return emu_fault(warp, insn, lane, CUDA_ERROR_OUT_OF_MEMORY, NULL, "out of memory in a call");
	}
	for (uint32_t k = 0; k < call->argument_count && k < function->parameter_count; k++)
		copy_region(warp, lane, function->formals[k], (uint32_t)function->parameters[k]->bytes,
				call->arguments[k], call->argument_bytes[k]);
	return STEP_NEXT;
}

static int call_function(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes,
		const struct emu_function *function)
{
	const struct emu_call *call = insn->extra;

	if (function->builtin)
		return function->builtin->run(warp, insn, call, lanes);
	if (call->argument_count != function->parameter_count)
		return emu_fault(warp, insn, __builtin_ctz(lanes), CUDA_ERROR_ILLEGAL_INSTRUCTION, NULL,
				"%s is called with %u arguments instead of %zu", function->name,
				call->argument_count, function->parameter_count);
	for (uint32_t left = lanes; left; left &= left - 1)
		if (enter(warp, insn, __builtin_ctz(left), function) == STEP_FAULT)
			return STEP_FAULT;
	return emu_warp_jump(warp, lanes, function->first);
}

/* An address of the code window to its function; null where it is none that can be called. */
static const struct emu_function *function_at(const struct emu_warp *warp, uint64_t address)
{
	const struct emu_module *module = warp->run->module;
	uint64_t index = (address - EMU_CODE_WINDOW) / 16;

	if (address < EMU_CODE_WINDOW || index >= module->function_count || address % 16)
		return NULL;
	return module->functions[index]->is_defined && !module->functions[index]->is_entry ?
		module->functions[index] : NULL;
}

/* Lanes that call the same function go together; the others stay at the call and make it again. */
static int call_indirect(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	const uint64_t *address = emu_in(warp, insn->op[0]);
	uint64_t first = address[__builtin_ctz(lanes)];
	const struct emu_function *function = function_at(warp, first);
	uint32_t same = 0;
	int step;

	for (uint32_t left = lanes; left; left &= left - 1)
		if (address[__builtin_ctz(left)] == first)
			same |= 1u << __builtin_ctz(left);
	if (!function)
		return emu_fault(warp, insn, __builtin_ctz(lanes), CUDA_ERROR_INVALID_PC, &first,
				"call of something that is no function");
	step = call_function(warp, insn, same, function);
	if (same == lanes || step != STEP_MOVED)
		return step;
	/* What remains of the group went behind the call; those that have not called yet go back. */
	return emu_warp_jump(warp, lanes & ~same, (uint32_t)(insn - warp->run->code));
}

int emu_run_call(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	const struct emu_call *call = insn->extra;

	if (call->function == UINT32_MAX)
		return call_indirect(warp, insn, lanes);
	return call_function(warp, insn, lanes, warp->run->module->functions[call->function]);
}

static void leave(struct emu_warp *warp, int lane)
{
	struct emu_frame *frame = &warp->frames[lane][--warp->depth[lane]];
	const struct emu_call *call = frame->call->extra;
	const struct emu_function *function = frame->function;
	unsigned char result[32768];
	uint32_t bytes = call->result_bytes;

	/* A recursive call's result lies in the frame that is about to be restored. */
	if (call->result != NO_OPERAND && function->result != NO_OPERAND)
		memcpy(result, (char *)emu_out(warp, function->result) + (uint32_t)lane * region_stride(bytes), bytes);
	if (frame->saved) {
		restore_frame(warp, function, lane, frame->saved);
		free(frame->saved);
		frame->saved = NULL;
	}
	if (call->result != NO_OPERAND && function->result != NO_OPERAND)
		memcpy((char *)emu_out(warp, call->result) + (uint32_t)lane * region_stride(bytes), result, bytes);
	warp->local_top[lane] = frame->local_top;
}

/* Lanes return to where each was called from; those of the entry end. */
int emu_run_return(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	uint32_t top = 0, same = 0, target;

	for (uint32_t left = lanes; left; left &= left - 1)
		if (!warp->depth[__builtin_ctz(left)])
			top |= 1u << __builtin_ctz(left);
	if (top == lanes)
		return emu_warp_exit(warp, lanes);
	lanes &= ~top;
	target = warp->frames[__builtin_ctz(lanes)][warp->depth[__builtin_ctz(lanes)] - 1].return_pc;
	for (uint32_t left = lanes; left; left &= left - 1) {
		int l = __builtin_ctz(left);

		if (warp->frames[l][warp->depth[l] - 1].return_pc == target)
			same |= 1u << l;
	}
	for (uint32_t left = same; left; left &= left - 1)
		leave(warp, __builtin_ctz(left));
	if (same != (lanes | top)) {
		/* The others of the group run the same instruction again. */
		uint32_t rest = (lanes | top) & ~same;

		emu_warp_jump(warp, same, target);
		return emu_warp_jump(warp, rest, (uint32_t)(insn - warp->run->code));
	}
	return emu_warp_jump(warp, same, target);
}

int emu_run_exit(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	(void)insn;
	return emu_warp_exit(warp, lanes);
}

int emu_run_trap(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes)
{
	return emu_fault(warp, insn, __builtin_ctz(lanes), CUDA_ERROR_LAUNCH_FAILED, NULL, "trap");
}

static bool decode_bra(struct emu_parser *parser, struct emu_statement *statement)
{
	const struct emu_operand *label = &statement->operands[0];
	struct emu_insn *insn;

	emu_take(statement, "uni");
	if (!emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, 1, 1))
		return false;
	if (label->kind != OPERAND_LABEL)
		return emu_unknown(parser, statement, "needs a label");
	insn = emu_emit(parser, statement, emu_run_branch);
	insn->ends_block = true;
	return emu_label_refer(parser, label->text, label->length, parser->module->code_count - 1, NULL);
}

static bool decode_brx(struct emu_parser *parser, struct emu_statement *statement)
{
	int32_t index;
	struct emu_insn *insn;

	emu_take(statement, "idx");
	emu_take(statement, "uni");
	if (!emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, 2, 2))
		return false;
	if (statement->operands[1].kind != OPERAND_TABLE)
		return emu_unknown(parser, statement, "needs a list of targets");
	index = emu_source(parser, statement, 0, 4);
	insn = emu_emit(parser, statement, emu_run_branch_table);
	insn->ends_block = true;
	insn->extra = statement->operands[1].table;
	emu_add_source(insn, index);
	return !parser->is_failed;
}

static bool decode_plain(struct emu_parser *parser, struct emu_statement *statement, emu_run_fn *run)
{
	emu_take(statement, "uni");
	if (!emu_all_taken(parser, statement) || !emu_operand_count(parser, statement, 0, 0))
		return false;
	emu_emit(parser, statement, run)->ends_block = true;
	return !parser->is_failed;
}

static bool decode_ret(struct emu_parser *parser, struct emu_statement *statement)
{
	return decode_plain(parser, statement, parser->function->is_entry ? emu_run_exit : emu_run_return);
}

static bool decode_exit(struct emu_parser *parser, struct emu_statement *statement)
{
	return decode_plain(parser, statement, emu_run_exit);
}

static bool decode_trap(struct emu_parser *parser, struct emu_statement *statement)
{
	return decode_plain(parser, statement, emu_run_trap);
}

static bool decode_nothing(struct emu_parser *parser, struct emu_statement *statement)
{
	emu_emit(parser, statement, emu_run_nothing);
	return !parser->is_failed;
}

bool emu_decode_mark(struct emu_parser *parser)
{
	emu_emit(parser, NULL, emu_run_mark);
	return !parser->is_failed;
}

bool emu_decode_end(struct emu_parser *parser)
{
	emu_emit(parser, NULL, parser->function->is_entry ? emu_run_exit : emu_run_return)->ends_block = true;
	return !parser->is_failed;
}

const struct emu_family emu_control_families[] = {
	{ "bra", decode_bra }, { "brx", decode_brx }, { "ret", decode_ret }, { "exit", decode_exit },
	{ "trap", decode_trap }, { "brkpt", decode_nothing }, { "pmevent", decode_nothing },
	{ "griddepcontrol", decode_nothing }, { "setmaxnreg", decode_nothing },
	{ NULL, NULL },
};
