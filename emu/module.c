/* SPDX-License-Identifier: MIT
 *
 * A parsed module: its place in a machine, and what the driver side asks about it.
 */
#include "code.h"
#include "memory.h"
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CUresult refuse(struct emu_error *error, CUresult code, const char *text)
{
	error->code = code;
	error->line = 0;
	snprintf(error->text, sizeof error->text, "%s", text);
	return code;
}

static uint64_t value_of(const struct emu_variable *variable, const struct emu_function *function, bool is_generic)
{
	if (function)
		return EMU_CODE_WINDOW + (uint64_t)function->index * 16;
	return variable->address + (is_generic && variable->space == SPACE_SHARED ? EMU_SHARED_WINDOW : 0);
}

static bool is_placed(const struct emu_variable *variable)
{
	return variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST;
}

static CUresult place(struct emu_module *module, struct emu_variable *variable)
{
	CUresult code = emu_memory_alloc(&variable->address, module->machine, variable->bytes);

	if (code == CUDA_SUCCESS)
		module->owned[module->owned_count++] = variable->address;
	return code;
}

static CUresult fill(const struct emu_module *module, const struct emu_variable *variable)
{
	CUresult code = emu_memory_fill(module->machine, variable->address, 0, 1, variable->bytes);

	if (variable->initial && code == CUDA_SUCCESS)
		code = emu_memory_write(module->machine, variable->address, variable->initial, variable->bytes);
	for (const struct emu_fixup *fixup = variable->fixups; fixup && code == CUDA_SUCCESS; fixup = fixup->next) {
		uint64_t value =
			value_of(fixup->variable, fixup->function, fixup->is_generic) + (uint64_t)fixup->addend;

		code = emu_memory_write(module->machine, variable->address + fixup->offset, &value, fixup->bytes);
	}
	if (variable->space == SPACE_CONST && code == CUDA_SUCCESS)
		emu_memory_lookup(module->machine, variable->address)->is_constant = true;
	return code;
}

static void relocate(struct emu_module *module)
{
	for (const struct emu_relocation *r = module->relocations; r; r = r->next) {
		uint64_t value = value_of(r->variable, r->function, false) + (uint64_t)r->addend;

		for (unsigned lane = 0; lane < EMU_LANES; lane++)
			memcpy(module->pool + r->pool_offset + lane * r->bytes, &value, r->bytes);
	}
}

static CUresult place_all(struct emu_module *module)
{
	CUresult code = CUDA_SUCCESS;

	for (struct emu_variable *v = module->variables; v && code == CUDA_SUCCESS; v = v->next)
		if (is_placed(v))
			code = place(module, v);
	for (struct emu_variable *v = module->variables; v && code == CUDA_SUCCESS; v = v->next)
		if (is_placed(v)) {
			code = fill(module, v);
			module->const_bytes += v->space == SPACE_CONST ? (uint32_t)v->bytes : 0;
		}
	return code;
}

CUresult emu_module_load(struct emu_module *module, struct emu_machine *machine, struct emu_error *error)
{
	const struct emu_limits *limits = emu_machine_limits(machine);
	uint32_t count = 0;
	char text[120];

	memset(error, 0, sizeof *error);
	if (module->machine)
		return refuse(error, CUDA_ERROR_INVALID_VALUE, "the module is loaded already");
	if (module->target > (unsigned)(limits->major * 10 + limits->minor)) {
		snprintf(text, sizeof text, "the module is for sm_%u, the device is sm_%d%d", module->target,
				limits->major, limits->minor);
		return refuse(error, CUDA_ERROR_NO_BINARY_FOR_GPU, text);
	}
	for (const struct emu_variable *v = module->variables; v; v = v->next)
		count += is_placed(v);
	module->owned = calloc(count + 1, sizeof *module->owned);
	if (!module->owned)
		return refuse(error, CUDA_ERROR_OUT_OF_MEMORY, "out of memory");
	module->machine = machine;
	if (place_all(module) != CUDA_SUCCESS)
		return refuse(error, CUDA_ERROR_OUT_OF_MEMORY, "no device memory for the module's variables");
	relocate(module);
	return CUDA_SUCCESS;
}

void emu_module_destroy(struct emu_module *module)
{
	if (!module)
		return;
	for (uint32_t i = 0; i < module->owned_count; i++)
		emu_memory_free(module->machine, module->owned[i]);
	free(module->owned);
	emu_arena_free(&module->arena);
	free(module);
}

unsigned emu_module_ptx_version(const struct emu_module *module)
{
	return module->version;
}

unsigned emu_module_target(const struct emu_module *module)
{
	return module->target;
}

const struct emu_entry *emu_module_entry(const struct emu_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->entry_count; i++)
		if (!strcmp(module->entries[i].function->name, name))
			return &module->entries[i];
	return NULL;
}

size_t emu_module_entry_count(const struct emu_module *module)
{
	return module->entry_count;
}

const struct emu_entry *emu_module_entry_at(const struct emu_module *module, size_t index)
{
	return index < module->entry_count ? &module->entries[index] : NULL;
}

CUresult emu_module_global(uint64_t *address, uint64_t *bytes, const struct emu_module *module, const char *name)
{
	for (const struct emu_variable *v = module->variables; v; v = v->next)
		if (is_placed(v) && !v->owner && !strcmp(v->name, name)) {
			*address = v->address;
			*bytes = v->bytes;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_NOT_FOUND;
}

/* What a compiler would need: what lives at once and a few more, within what the launch bounds leave. */
static unsigned estimate_registers(const struct emu_function *function, unsigned threads)
{
	unsigned count = (function->total_registers + 6 + 7) / 8 * 8, most = 255;
	uint64_t resident = (uint64_t)threads * (function->min_blocks ? function->min_blocks : 1);

	if (count < 16)
		count = 16;
	if (resident)
		most = (unsigned)(65536 / resident / 8 * 8);
	if (most > 255)
		most = 255;
	if (most < 16)
		most = 16;
	return count < most ? count : most;
}

void emu_entry_facts(struct emu_entry_facts *facts, const struct emu_entry *entry)
{
	const struct emu_function *function = entry->function;
	const unsigned *most = function->max_threads;
	unsigned threads = most[0] ? most[0] * most[1] * most[2] : 0;

	memset(facts, 0, sizeof *facts);
	facts->name = function->name;
	facts->registers = estimate_registers(function, threads);
	facts->shared_static = function->shared_static;
	facts->local_bytes = function->total_local;
	facts->const_bytes = function->module->const_bytes;
	facts->min_blocks = function->min_blocks;
	memcpy(facts->cluster, function->cluster, sizeof facts->cluster);
	facts->parameter_count = function->parameter_count;
	facts->parameter_bytes = function->parameter_bytes;
	facts->max_threads = 65536 / facts->registers / EMU_LANES * EMU_LANES;
	if (facts->max_threads > 1024)
		facts->max_threads = 1024;
	if (threads)
		facts->max_threads = threads;
}

CUresult emu_entry_parameter(size_t *offset, size_t *bytes, const struct emu_entry *entry, size_t index)
{
	if (index >= entry->function->parameter_count)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = entry->function->parameters[index]->address;
	*bytes = entry->function->parameters[index]->bytes;
	return CUDA_SUCCESS;
}
