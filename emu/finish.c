/* SPDX-License-Identifier: MIT
 *
 * What can be settled only when a function, or the module, is complete: which registers share a place in the register
 * file, the call graph, and where shared variables lie.
 */
#include "builtin.h"
#include "control.h"
#include "decode.h"
#include "liveness.h"
#include "special.h"
#include "state.h"

#include <string.h>

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Local variables of a function, in its part of a thread's local memory. */
static bool place_locals(struct emu_parser *parser, struct emu_function *function)
{
	uint64_t bytes = 0;

	for (struct emu_variable *v = parser->module->variables; v; v = v->next) {
		if (v->owner != function || v->space != SPACE_LOCAL)
			continue;
		bytes = round_up(bytes, v->align);
		v->address = bytes;
		bytes += v->bytes;
		if (bytes > (512u << 10))
			return emu_parse_fail(parser, parser->lexer.token.line,
				"%s needs more than 512 KiB of local memory", function->name);
	}
	function->local_bytes = (uint32_t)round_up(bytes, 16);
	return true;
}

bool emu_finish_function(struct emu_parser *parser, struct emu_function *function)
{
	if (parser->is_failed || !place_locals(parser, function))
		return false;
	return emu_assign_slots(parser, function);
}

/* Adds the frame's place in the register file to every operand. */
static void move_frame(struct emu_module *module, const struct emu_function *function)
{
	for (uint32_t i = function->first; i < function->end; i++) {
		struct emu_insn *insn = &module->code[i];
		struct emu_call *call;

		for (unsigned k = 0; k < insn->op_count; k++)
			if (insn->op[k] >= 0)
				insn->op[k] += (int32_t)function->frame_base;
		if (insn->guard != NO_GUARD)
			insn->guard += (int32_t)function->frame_base;
		if (insn->run != emu_run_call)
			continue;
		call = (struct emu_call *)(uintptr_t)insn->extra;
		for (uint32_t k = 0; k < call->argument_count; k++)
			call->arguments[k] += (int32_t)function->frame_base;
		if (call->result != NO_OPERAND)
			call->result += (int32_t)function->frame_base;
	}
}

/* Entries never call each other, so they may start at the same place; functions get one of their own each. */
static bool place_frames(struct emu_parser *parser)
{
	struct emu_module *module = parser->module;
	uint64_t at = 0;

	for (uint32_t i = 0; i < module->function_count; i++)
		if (module->functions[i]->is_entry && module->functions[i]->frame_bytes > at)
			at = module->functions[i]->frame_bytes;
	for (uint32_t i = 0; i < module->function_count; i++) {
		struct emu_function *function = module->functions[i];

		if (function->is_entry || !function->is_defined)
			continue;
		function->frame_base = (uint32_t)at;
		at += function->frame_bytes;
		if (at > (UINT64_C(1) << 28))
			return emu_parse_fail(parser, parser->lexer.token.line, "too many registers");
		move_frame(module, function);
		for (size_t k = 0; k < function->parameter_count; k++)
			function->formals[k] += (int32_t)function->frame_base;
		if (function->result != NO_OPERAND)
			function->result += (int32_t)function->frame_base;
	}
	return true;
}

struct reach {
	struct emu_module *module;
	struct emu_function *entry;
	uint32_t local, registers, frame_end;
	bool is_unbounded;
};

/* Depth first over the calls of one entry; a function met again on the way to itself recurses.
 * Bounded by the number of functions, since a visited one is not entered again. */
static uint32_t reach_function(struct reach *reach, struct emu_function *function)
{
	uint32_t deepest = 0;

	function->visit = 1;
	if (function->live_registers > reach->registers)
		reach->registers = function->live_registers;
	if (function->frame_base + function->frame_bytes > reach->frame_end)
		reach->frame_end = function->frame_base + function->frame_bytes;
	for (uint32_t i = 0; i < function->call_count; i++) {
		struct emu_function *callee;
		uint32_t below;

		if (function->calls[i] == UINT32_MAX) {
			reach->is_unbounded = true;
			continue;
		}
		callee = reach->module->functions[function->calls[i]];
		if (callee->visit == 1)
			reach->is_unbounded = callee->is_recursive = function->is_recursive = true;
		if (callee->visit)
			below = callee->visit == 2 ? callee->total_local : 0;
		else
			below = reach_function(reach, callee);
		if (below > deepest)
			deepest = below;
	}
	function->visit = 2;
	function->total_local = function->local_bytes + deepest;
	return function->total_local;
}

/* An indirect call may reach anything whose address is taken: everything, to be simple. */
static void reach_everything(struct reach *reach)
{
	for (uint32_t i = 0; i < reach->module->function_count; i++) {
		struct emu_function *function = reach->module->functions[i];

		if (!function->is_entry && !function->visit)
			reach_function(reach, function);
		if (!function->is_entry)
			function->is_recursive = true;
	}
}

static bool uses_variable(const struct emu_module *module, const struct emu_function *function,
		const struct emu_variable *variable)
{
	for (const struct emu_relocation *r = module->relocations; r; r = r->next)
		if (r->variable == variable)
			for (uint32_t i = function->first; i < function->end; i++)
				for (unsigned k = 0; k < module->code[i].op_count; k++)
					if (module->code[i].op[k] == ~(int32_t)r->pool_offset)
						return true;
	return false;
}

/* Shared variables count for an entry when something that it reaches names them. */
static uint32_t count_shared(const struct emu_module *module, const struct emu_function *entry)
{
	uint32_t end = 0;

	for (const struct emu_variable *v = module->variables; v; v = v->next) {
		bool is_used = v->owner == entry;

		if (v->space != SPACE_SHARED || v->is_dynamic)
			continue;
		for (uint32_t i = 0; i < module->function_count && !is_used; i++)
			is_used = module->functions[i]->visit && (v->owner == module->functions[i] ||
					(!v->owner && uses_variable(module, module->functions[i], v)));
		if (is_used && v->address + v->bytes - EMU_SHARED_START > end)
			end = (uint32_t)(v->address + v->bytes - EMU_SHARED_START);
	}
	return end;
}

static bool reach_entry(struct emu_parser *parser, struct emu_function *entry)
{
	struct emu_module *module = parser->module;
	struct reach reach = { .module = module, .entry = entry };

	for (uint32_t i = 0; i < module->function_count; i++)
		module->functions[i]->visit = 0;
	reach_function(&reach, entry);
	if (reach.is_unbounded)
		reach_everything(&reach);
	for (uint32_t i = 0; i < module->function_count; i++) {
		const struct emu_function *function = module->functions[i];

		if (function->visit && !function->is_defined && !function->builtin)
			return emu_parse_fail(parser, parser->lexer.token.line,
				"function %s is declared but not defined", function->name);
	}
	entry->total_local = reach.is_unbounded ? entry->total_local + (64u << 10) : entry->total_local;
	entry->is_unbounded = reach.is_unbounded;
	entry->total_frame = reach.frame_end;
	entry->total_registers = reach.registers;
	entry->shared_static = count_shared(module, entry);
	return true;
}

/* Module scope first, then every entry's own at the same place, functions' own before them. */
static bool place_shared(struct emu_parser *parser)
{
	struct emu_module *module = parser->module;
	uint64_t common = EMU_SHARED_START, end, align = 128;

	for (struct emu_variable *v = module->variables; v; v = v->next)
		if (v->space == SPACE_SHARED && !v->is_dynamic && !(v->owner && v->owner->is_entry)) {
			v->address = round_up(common, v->align);
			common = v->address + v->bytes;
		} else if (v->space == SPACE_SHARED && v->is_dynamic && v->align > align) {
			align = v->align;
		}
	end = common;
	for (uint32_t i = 0; i < module->function_count; i++) {
		uint64_t at = common;

		for (struct emu_variable *v = module->variables; v; v = v->next)
			if (v->space == SPACE_SHARED && !v->is_dynamic && v->owner == module->functions[i] &&
					v->owner->is_entry) {
				v->address = round_up(at, v->align);
				at = v->address + v->bytes;
			}
		if (at > end)
			end = at;
	}
	if (end > (1u << 20))
		return emu_parse_fail(parser, parser->lexer.token.line, "more than 1 MiB of shared variables");
	module->dynamic_base = (uint32_t)round_up(end, align);
	for (struct emu_variable *v = module->variables; v; v = v->next)
		if (v->is_dynamic)
			v->address = module->dynamic_base;
	return true;
}

static bool list_entries(struct emu_parser *parser)
{
	struct emu_module *module = parser->module;

	module->entries = emu_arena_alloc(&module->arena, (module->function_count + 1) * sizeof *module->entries);
	if (!module->entries)
		return emu_parse_no_memory(parser);
	for (uint32_t i = 0; i < module->function_count; i++)
		if (module->functions[i]->is_entry && module->functions[i]->is_defined) {
			if (!reach_entry(parser, module->functions[i]))
				return false;
			module->entries[module->entry_count++].function = module->functions[i];
		}
	return true;
}

bool emu_finish_module(struct emu_parser *parser)
{
	for (const struct emu_variable *v = parser->module->variables; v; v = v->next)
		if (v->is_extern && !v->is_dynamic)
			return emu_parse_fail(
				parser, parser->lexer.token.line, "variable %s is declared but not defined", v->name);
	return !parser->is_failed && place_frames(parser) && place_shared(parser) && list_entries(parser);
}
