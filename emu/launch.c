/* SPDX-License-Identifier: MIT
 *
 * A launch from the outside: whether it fits, and the life of its CTAs.
 */
#include "machine.h"

#include "cta.h"
#include "memory.h"
#include "module.h"
#include "race.h"
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

static unsigned round_up(unsigned value, unsigned unit)
{
	return (value + unit - 1) / unit * unit;
}

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The rules of the occupancy calculator: registers go to warps in units of 256, shared memory to CTAs in units of 128
 * bytes, with what the system keeps of it. */
unsigned emu_launch_occupancy(const struct emu_machine *machine, const struct emu_entry *entry, unsigned threads,
		unsigned dynamic_shared)
{
	const struct emu_limits *limits = &machine->limits;
	struct emu_entry_facts facts;
	unsigned warps = (threads + EMU_LANES - 1) / EMU_LANES, blocks, registers;
	uint64_t shared;

	emu_entry_facts(&facts, entry);
	shared = (uint64_t)facts.shared_static + dynamic_shared;
	if (!threads || threads > limits->threads_per_block || threads > facts.max_threads ||
			shared > limits->shared_per_block_optin)
		return 0;
	shared = round_up((unsigned)shared + limits->shared_reserved, 128);
	registers = round_up(facts.registers * EMU_LANES, 256) * warps;
	if (registers > limits->registers_per_block)
		return 0;
	blocks = lesser(limits->blocks_per_sm, limits->warps_per_sm / warps);
	blocks = lesser(blocks, limits->registers_per_sm / registers);
	return shared ? lesser(blocks, (unsigned)(limits->shared_per_sm / shared)) : blocks;
}

static CUresult refuse(struct emu_run *run, CUresult code, const char *why)
{
	emu_run_fault(run, code, "%s", why);
	return code;
}

static CUresult check_cluster(struct emu_run *run)
{
	const struct emu_launch *launch = run->launch;
	const unsigned *asked = launch->cluster[0] ? launch->cluster : run->function->cluster;

	run->cluster_size = 1;
	for (unsigned i = 0; i < 3; i++) {
		run->cluster_dim[i] = asked[0] && asked[i] ? asked[i] : 1;
		run->cluster_size *= run->cluster_dim[i];
		if (launch->grid[i] % run->cluster_dim[i])
			return refuse(run, CUDA_ERROR_INVALID_VALUE, "the grid is not a multiple of the cluster");
	}
	if (run->cluster_size > 1 && run->cluster_size > run->machine->limits.cluster_blocks)
		return refuse(run, CUDA_ERROR_INVALID_CLUSTER_SIZE, "the cluster is too large for the device");
	return CUDA_SUCCESS;
}

static CUresult check_geometry(struct emu_run *run)
{
	const struct emu_launch *launch = run->launch;
	const unsigned *grid = launch->grid, *block = launch->block;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];

	if (!grid[0] || !grid[1] || !grid[2] || !threads || grid[0] > INT32_MAX || grid[1] > 65535 || grid[2] > 65535 ||
			block[0] > 1024 || block[1] > 1024 || block[2] > 64 ||
			threads > run->machine->limits.threads_per_block)
		return refuse(run, CUDA_ERROR_INVALID_VALUE, "the grid or the block is empty or too large");
	if (launch->parameter_bytes < run->function->parameter_bytes)
		return refuse(run, CUDA_ERROR_INVALID_VALUE, "too few bytes of parameters");
	run->block_threads = (unsigned)threads;
	run->cta_count = (uint64_t)grid[0] * grid[1] * grid[2];
	return check_cluster(run);
}

/* A cluster is never split by a limit on residency, real or asked for by a test: its CTAs may wait for one another. */
static CUresult check_residency(struct emu_run *run)
{
	const struct emu_launch *launch = run->launch;
	unsigned each = emu_launch_occupancy(run->machine, launch->entry, run->block_threads, launch->dynamic_shared);
	uint64_t all = (uint64_t)each * run->machine->limits.sms;

	if (!each)
		return refuse(run, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
				"a CTA needs more threads, registers or shared memory than there are");
	if (launch->is_cooperative && run->cta_count > all)
		return refuse(run, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
				"a cooperative launch needs all CTAs resident at once");
	if (launch->resident_limit && launch->resident_limit < all && !launch->is_cooperative)
		all = launch->resident_limit;
	if (all < run->cluster_size)
		all = run->cluster_size;
	run->resident_limit = all > run->cta_count ? (unsigned)run->cta_count : (unsigned)all;
	return CUDA_SUCCESS;
}

CUresult emu_launch_run(struct emu_result *result, struct emu_machine *machine, const struct emu_launch *launch)
{
	struct emu_run run = { .machine = machine, .module = launch->module, .launch = launch, .result = result,
		.function = launch->entry->function, .code = launch->module->code };

	memset(result, 0, sizeof *result);
	machine->launches++;
	run.dynamic_shared = launch->dynamic_shared;
	run.static_shared = run.function->shared_static;
	if (launch->module->machine != machine)
		return refuse(&run, CUDA_ERROR_INVALID_VALUE, "the module is not loaded in this device");
	if (check_geometry(&run) != CUDA_SUCCESS || check_residency(&run) != CUDA_SUCCESS)
		return result->code;
	if (!emu_race_begin(&run))
		return refuse(&run, CUDA_ERROR_OUT_OF_MEMORY, "out of memory");
	run.resident = calloc(run.resident_limit + run.cluster_size, sizeof *run.resident);
	machine->is_running = true;
	if (run.resident)
		emu_schedule_run(&run);
	else
		refuse(&run, CUDA_ERROR_OUT_OF_MEMORY, "out of memory");
	while (run.resident_count)
		emu_cta_end(&run, run.resident_count - 1);
	emu_cta_free_spares(&run);
	machine->is_running = false;
	free(run.resident);
	free(run.schedule);
	emu_race_finish(&run);
	result->counters = run.counters;
	return result->code;
}
