/* SPDX-License-Identifier: MIT
 *
 * A machine for tests of scantune: it takes the place of the emulated device's interpreter and knows two kernels,
 * whose results it computes on the host.  A tuning run then takes seconds where the interpreter takes minutes.  What
 * "PTX" says is what quick_nvrtc.c put into it: the options of the compiler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../kernels/abi.h"
#include "../../lib/problem.h"
#include "../../tuner/data.h"
#include "../../tuner/reference.h"
#include "quick_machine.h"

struct emu_entry {
	char name[48];
	bool is_copy;
	bool is_exclusive;
	int type;
	int op;
	unsigned strategy, block, items;
	unsigned slowness; /* in sixteenths: variants take different times, the same ones in every run */
};

struct emu_module {
	struct emu_entry entry;
};

/* ---- Modules ---- */

static void option_text(char *value, size_t size, const char *text, const char *name)
{
	const char *at = strstr(text, name);

	snprintf(value, size, "%.*s", at ? (int)strcspn(at + strlen(name), "\n") : 0, at ? at + strlen(name) : "");
}

static unsigned option_number(const char *text, const char *name)
{
	char value[48];

	option_text(value, sizeof value, text, name);
	return (unsigned)atoi(value);
}

static int op_of(const char *name)
{
	int op = 0;

	if (strcmp(name, "last") == 0)
		return SRT_OP_LAST;
	if (strcmp(name, "packed") == 0)
		return SRT_OP_AFFINE;
	srt_op_parse(&op, name);
	return op;
}

static unsigned hash_of(const char *text)
{
	unsigned hash = 5381;

	for (text = strstr(text, "-DSCAN_STRATEGY"); text && *text; text++)
		hash = hash * 33 + (unsigned char)*text;
	return hash;
}

/* Another day, what was fast is slow. */
static unsigned by_chance(const char *text)
{
	return getenv("SCANTUNE_TEST_REVERSED") ? 15 - hash_of(text) % 16 : hash_of(text) % 16;
}

/* SCANTUNE_TEST_VALLEY=BLOCK:ITEMS: the fastest look-back has these, and whoever is farther from it is slower, by a
 * sixteenth for every 32 threads and every 4 items; all other strategies are slower still. */
static unsigned slowness_of(const struct emu_entry *entry, const char *text)
{
	const char *valley = getenv("SCANTUNE_TEST_VALLEY");
	int block, items;

	if (valley == NULL || sscanf(valley, "%d:%d", &block, &items) != 2)
		return by_chance(text);
	if (entry->strategy != 2)
		return 64;
	return (unsigned)(abs((int)entry->block - block) / 32 + abs((int)entry->items - items) / 4);
}

CUresult emu_module_parse(struct emu_module **module, const char *text, size_t bytes, struct emu_error *error)
{
	struct emu_module *made = calloc(1, sizeof *made);
	char *copy = calloc(1, bytes + 1);
	char value[48];

	(void)error;
	if (made == NULL || copy == NULL)
		return CUDA_ERROR_OUT_OF_MEMORY;
	memcpy(copy, text, bytes);
	option_text(made->entry.name, sizeof made->entry.name, copy, "-DSCAN_ENTRY=");
	made->entry.is_copy = made->entry.name[0] == '\0';
	if (made->entry.is_copy)
		strcpy(made->entry.name, "scan_copy");
	option_text(value, sizeof value, copy, "-DSCAN_INPUT=");
	srt_type_parse(&made->entry.type, value);
	option_text(value, sizeof value, copy, "-DSCAN_OPERATOR=");
	made->entry.op = op_of(value);
	made->entry.is_exclusive = option_number(copy, "-DSCAN_EXCLUSIVE=") != 0;
	made->entry.strategy = option_number(copy, "-DSCAN_STRATEGY=");
	made->entry.block = option_number(copy, "-DSCAN_BLOCK=");
	made->entry.items = option_number(copy, "-DSCAN_ITEMS=");
	made->entry.slowness = made->entry.is_copy ? 0 : slowness_of(&made->entry, copy);
	free(copy);
	*module = made;
	return CUDA_SUCCESS;
}

/* A driver that hangs when it is loaded, before anybody can say why. */
__attribute__((constructor)) static void hang(void)
{
	while (getenv("SCANTUNE_TEST_HANGS"))
		pause();
}

CUresult emu_module_load(struct emu_module *module, struct emu_machine *machine, struct emu_error *error)
{
	(void)module, (void)machine, (void)error;
	return CUDA_SUCCESS;
}

void emu_module_destroy(struct emu_module *module)
{
	free(module);
}

unsigned emu_module_ptx_version(const struct emu_module *module)
{
	(void)module;
	return 90;
}

unsigned emu_module_target(const struct emu_module *module)
{
	(void)module;
	return 75;
}

const struct emu_entry *emu_module_entry(const struct emu_module *module, const char *name)
{
	return strcmp(module->entry.name, name) == 0 ? &module->entry : NULL;
}

size_t emu_module_entry_count(const struct emu_module *module)
{
	(void)module;
	return 1;
}

const struct emu_entry *emu_module_entry_at(const struct emu_module *module, size_t index)
{
	return index == 0 ? &module->entry : NULL;
}

CUresult emu_module_global(uint64_t *address, uint64_t *bytes, const struct emu_module *module, const char *name)
{
	(void)address, (void)bytes, (void)module, (void)name;
	return CUDA_ERROR_NOT_FOUND;
}

void emu_entry_facts(struct emu_entry_facts *facts, const struct emu_entry *entry)
{
	memset(facts, 0, sizeof *facts);
	facts->name = entry->name;
	facts->registers = 32;
	facts->max_threads = 1024;
	facts->parameter_count = entry->is_copy ? 3 : 1;
	facts->parameter_bytes = entry->is_copy ? 24 : sizeof(struct scan_arguments);
}

CUresult emu_entry_parameter(size_t *offset, size_t *bytes, const struct emu_entry *entry, size_t index)
{
	*offset = entry->is_copy ? 8 * index : 0;
	*bytes = entry->is_copy ? 8 : sizeof(struct scan_arguments);
	return index < (entry->is_copy ? 3u : 1u) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- Launches ---- */

unsigned emu_launch_occupancy(const struct emu_machine *machine, const struct emu_entry *entry, unsigned threads,
	unsigned dynamic_shared)
{
	unsigned warps = (threads + 31) / 32;
	unsigned blocks = machine->limits.warps_per_sm / warps;

	(void)entry;
	while (blocks && blocks * (dynamic_shared + machine->limits.shared_reserved) > machine->limits.shared_per_sm)
		blocks--;
	return blocks;
}

bool emu_is_sticky(CUresult code)
{
	return code == CUDA_ERROR_ILLEGAL_ADDRESS;
}

static bool is_mapped(struct emu_machine *machine, const void *address)
{
	uint64_t base, bytes;

	return emu_memory_find(&base, &bytes, machine, (uint64_t)(uintptr_t)address) == CUDA_SUCCESS;
}

/* The clock of a busy machine: SCANTUNE_TEST_NOISE=0.1 makes each launch take up to 10 % more or less. */
static void scatter(uint64_t *loads, uint64_t *stores)
{
	static uint64_t random;
	const char *noise = getenv("SCANTUNE_TEST_NOISE");
	double factor;

	if (noise == NULL)
		return;
	if (random == 0)
		random = (uint64_t)getpid();
	factor = 1 + atof(noise) * (2 * ((double)(tune_random(&random) >> 11) * 0x1p-53) - 1);
	*loads = (uint64_t)((double)*loads * factor) + 1;
	*stores = (uint64_t)((double)*stores * factor) + 1;
}

/* Through a buffer, since the output may be the input. */
static void scan(const struct emu_entry *entry, const struct scan_arguments *arguments)
{
	size_t size = srt_type_size(entry->type);
	struct tune_prefix prefix = {0};
	char *result = malloc(arguments->count * size + 1);
	char *out = arguments->out;

	if (result == NULL)
		return;
	tune_reference_scan(result, &prefix, arguments->in, arguments->count, entry->type, entry->op);
	if (entry->is_exclusive) {
		memcpy(out + size, result, (arguments->count - 1) * size);
		tune_identity(out, entry->type, entry->op);
	} else {
		memcpy(out, result, arguments->count * size);
	}
	free(result);
}

/* SCANTUNE_TEST_MISCOMPILED=STRATEGY, a number: its tiles after the first know nothing of those before. */
static bool is_miscompiled(const struct emu_entry *entry, uint64_t count)
{
	const char *strategy = getenv("SCANTUNE_TEST_MISCOMPILED");

	return strategy && (unsigned)atoi(strategy) == entry->strategy && count > entry->block * entry->items;
}

static void scan_tiles(const struct emu_entry *entry, const struct scan_arguments *arguments)
{
	size_t size = srt_type_size(entry->type), tile = (size_t)entry->block * entry->items;
	struct scan_arguments part = *arguments;

	for (size_t at = 0; at < arguments->count; at += tile) {
		part.in = (const char *)arguments->in + at * size;
		part.out = (char *)arguments->out + at * size;
		part.count = arguments->count - at < tile ? arguments->count - at : tile;
		scan(entry, &part);
	}
}

static void scan_once(const struct emu_entry *entry, const struct scan_arguments *arguments)
{
	struct quick_launch launch = { (uint64_t)entry->type << 16 | (uint64_t)entry->op << 1 | entry->is_exclusive,
		arguments->in, arguments->out, arguments->count };

	if (is_miscompiled(entry, arguments->count))
		scan_tiles(entry, arguments);
	else if (!quick_is_remembered(&launch))
		scan(entry, arguments);
}

CUresult emu_launch_run(struct emu_result *result, struct emu_machine *machine, const struct emu_launch *launch)
{
	const struct emu_entry *entry = launch->entry;
	const struct scan_arguments *arguments = launch->parameters;
	void *const *copied = launch->parameters;
	uint64_t bytes =
		entry->is_copy ? (uint64_t)(uintptr_t)copied[2] : arguments->count * srt_type_size(entry->type);

	memset(result, 0, sizeof *result);
	if (!entry->is_copy && arguments->count && !is_mapped(machine, arguments->out))
		return result->code = CUDA_ERROR_ILLEGAL_ADDRESS;
	if (entry->is_copy)
		quick_forget();
	if (entry->is_copy)
		memcpy(copied[0], copied[1], bytes);
	else
		scan_once(entry, arguments);
	result->counters.blocks = launch->grid[0];
	result->counters.resident_blocks = launch->grid[0];
	result->counters.global_load_sectors = bytes / 32 + 1;
	result->counters.global_store_sectors = bytes / 32 * (16 + entry->slowness) / 16 + 1;
	scatter(&result->counters.global_load_sectors, &result->counters.global_store_sectors);
	return CUDA_SUCCESS;
}
