/* SPDX-License-Identifier: MIT
 *
 * Calls and returns.  Calls push one frame a lane: lanes of one group may have come from several places.
 */
#include "builtin.h"
#include "control.h"
#include "memory.h"
#include "undefined.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 4096

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
	emu_undefined_copy(warp, lane, to, from, bytes);
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

/* Parameters whose address is taken lie in local memory as well. */
static void fill_copy(struct emu_warp *warp, int lane, const struct emu_function *function, size_t k)
{
	const struct emu_variable *copy = function->formal_copies[k];
	uint64_t offset = (uint64_t)lane * warp->run->function->total_local + warp->local_top[lane];

	if (!copy)
		return;
	offset += copy->address;
	memcpy(warp->local + offset, (char *)emu_out(warp, function->formals[k]) +
			(uint32_t)lane * region_stride((uint32_t)copy->bytes), copy->bytes);
	emu_memory_mark(warp->local_written, offset, copy->bytes);
	emu_undefined_spill(warp, lane, offset, function->formals[k], copy->bytes);
}

static int enter(struct emu_warp *warp, const struct emu_insn *insn, int lane, const struct emu_function *function)
{
	const struct emu_call *call = insn->extra;
	uint32_t top = warp->local_top[lane] + running(warp, lane)->local_bytes;
	bool has_room = top + function->local_bytes <= warp->run->function->total_local;
	struct emu_frame *frame = has_room ? push_frame(warp, lane) : NULL;

	if (!frame)
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
	for (size_t k = 0; k < function->parameter_count; k++)
		fill_copy(warp, lane, function, k);
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
	if (call->result != NO_OPERAND && function->result != NO_OPERAND) {
		memcpy((char *)emu_out(warp, call->result) + (uint32_t)lane * region_stride(bytes), result, bytes);
		emu_undefined_copy(warp, lane, call->result, function->result, bytes);
	}
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
