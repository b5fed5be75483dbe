/* SPDX-License-Identifier: MIT
 *
 * Counters of launches, for whoever asks and for the file that SCANRT_EMU_COUNTERS names.
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

static struct emu_counters total;
static uint64_t launches;
static struct emu_launch_record last;

struct field {
	const char *name;
	size_t offset;
};

#define FIELD(name) { #name, offsetof(struct emu_counters, name) }

static const struct field fields[] = {
	FIELD(warp_instructions), FIELD(lane_instructions), FIELD(global_load_bytes), FIELD(global_store_bytes),
	FIELD(global_load_words), FIELD(global_store_words), FIELD(global_load_sectors), FIELD(global_store_sectors),
	FIELD(global_atomics), FIELD(polls), FIELD(shared_load_words), FIELD(shared_store_words),
	FIELD(shared_conflicts), FIELD(shared_atomics), FIELD(local_accesses), FIELD(async_bytes), FIELD(barriers),
	FIELD(warp_barriers), FIELD(shuffles), FIELD(fences), FIELD(applies), FIELD(spins), FIELD(blocks),
	FIELD(resident_blocks),
};

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

static uint64_t *value_of(struct emu_counters *counters, const struct field *field)
{
	return (uint64_t *)(void *)((char *)counters + field->offset);
}

/* One object a line, so that a file of many launches can be read as it grows. */
static void write_record(FILE *file, struct emu_launch_record *record)
{
	const unsigned int *grid = record->grid, *block = record->block;

	fprintf(file, "{\"kernel\":\"%s\",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u]", record->kernel, grid[0], grid[1],
		grid[2], block[0], block[1], block[2]);
	fprintf(file, ",\"shared_bytes\":%u,\"result\":%d,\"model_ns\":%.0f", record->shared_bytes, record->result,
		record->model_ns);
	for (size_t i = 0; i < FIELD_COUNT; i++)
		fprintf(file, ",\"%s\":%llu", fields[i].name,
			(unsigned long long)*value_of(&record->counters, &fields[i]));
	fprintf(file, "}\n");
}

/* Opened for each launch, so that a test may change the file and a crash loses nothing. */
static void dump(struct emu_launch_record *record)
{
	FILE *file = emu_open_named("SCANRT_EMU_COUNTERS", NULL);

	if (file == NULL)
		return;
	write_record(file, record);
	if (file != stderr)
		fclose(file);
}

/* resident_blocks is a maximum; all others add up. */
static void accumulate(struct emu_counters *counters)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		uint64_t *sum = value_of(&total, &fields[i]);
		uint64_t value = *value_of(counters, &fields[i]);

		if (fields[i].offset != offsetof(struct emu_counters, resident_blocks))
			*sum += value;
		else if (value > *sum)
			*sum = value;
	}
}

void emu_counters_record(const struct emu_kernel_launch *launch, const struct emu_result *outcome, double model_ns)
{
	memset(&last, 0, sizeof(last));
	snprintf(last.kernel, sizeof(last.kernel), "%s", launch->function->facts.name);
	memcpy(last.grid, launch->grid, sizeof(last.grid));
	memcpy(last.block, launch->block, sizeof(last.block));
	last.shared_bytes = launch->shared_bytes;
	last.result = (int)outcome->code;
	last.model_ns = model_ns;
	last.counters = outcome->counters;
	launches++;
	accumulate(&last.counters);
	dump(&last);
}

/* The caller's structure may be older or newer than ours. */
static size_t copy_out(void *to, size_t size, const void *from, size_t known)
{
	if (to != NULL)
		memcpy(to, from, size < known ? size : known);
	return known;
}

size_t scanrtEmuCounters(struct emu_counters *counters, size_t size, uint64_t *launch_count)
{
	size_t known;

	emu_lock();
	known = copy_out(counters, size, &total, sizeof(total));
	if (launch_count != NULL)
		*launch_count = launches;
	emu_unlock();
	return known;
}

size_t scanrtEmuLastLaunch(struct emu_launch_record *record, size_t size)
{
	size_t known;

	emu_lock();
	known = copy_out(record, size, &last, sizeof(last));
	emu_unlock();
	return known;
}

void scanrtEmuReset(void)
{
	emu_lock();
	memset(&total, 0, sizeof(total));
	memset(&last, 0, sizeof(last));
	launches = 0;
	emu_fault_forget();
	emu_unlock();
}

void scanrtEmuInject(const char *specification)
{
	emu_lock();
	emu_inject_parse(specification);
	emu_unlock();
}
