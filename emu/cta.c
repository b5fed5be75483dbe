/* SPDX-License-Identifier: MIT */
#include "cta.h"

#include "async.h"
#include "buffer.h"
#include "cluster.h"
#include "mbarrier.h"
#include "memory.h"
#include "race.h"
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

static void free_warp(struct emu_warp *warp)
{
	for (unsigned l = 0; l < EMU_LANES; l++) {
		for (uint32_t i = 0; i < warp->depth[l]; i++)
			free(warp->frames[l][i].saved);
		free(warp->frames[l]);
	}
	free(warp->regs);
	free(warp->local);
	free(warp->local_written);
	free(warp->undefined);
}

static void free_cta(struct emu_cta *cta)
{
	for (unsigned i = 0; i < cta->warp_count && cta->warps; i++)
		free_warp(&cta->warps[i]);
	emu_buffer_free(cta);
	emu_race_cta_free(cta);
	free(cta->warps);
	free(cta->shared);
	free(cta->shared_written);
	free(cta);
}

static bool make_warp(struct emu_warp *warp, struct emu_cta *cta, unsigned id)
{
	const struct emu_run *run = cta->run;
	size_t local = (size_t)run->function->total_local * EMU_LANES;

	warp->cta = cta;
	warp->run = cta->run;
	warp->id = id;
	warp->pool = run->module->pool;
	warp->regs = calloc(1, run->function->total_frame + 64);
	warp->local = calloc(1, local + 16);
	warp->local_written = calloc(1, local / 8 + 16);
	return warp->regs && warp->local && warp->local_written;
}

static struct emu_cta *make_cta(struct emu_run *run)
{
	struct emu_cta *cta = calloc(1, sizeof *cta);
	bool is_good;

	if (!cta)
		return NULL;
	cta->run = run;
	cta->warp_count = (run->block_threads + EMU_LANES - 1) / EMU_LANES;
	cta->shared_bytes = run->module->dynamic_base + run->dynamic_shared - EMU_SHARED_START;
	cta->warps = calloc(cta->warp_count, sizeof *cta->warps);
	cta->shared = calloc(1, cta->shared_bytes + 32);
	cta->shared_written = calloc(1, cta->shared_bytes / 8 + 16);
	is_good = cta->warps && cta->shared && cta->shared_written;
	for (unsigned i = 0; i < cta->warp_count && is_good; i++)
		is_good = make_warp(&cta->warps[i], cta, i);
	if (is_good)
		return cta;
	free_cta(cta);
	return NULL;
}

/* Registers and memory of a CTA that has ended serve the next one: a launch has many more CTAs than run at once.  Local
 * memory keeps what it had, as on a device; the marks tell that this CTA has written none of it. */
static struct emu_cta *take_cta(struct emu_run *run)
{
	struct emu_cta *cta = run->spares;

	if (!cta)
		return make_cta(run);
	run->spares = cta->next_spare;
	memset(cta->shared, 0, cta->shared_bytes);
	memset(cta->shared_written, 0, cta->shared_bytes / 8 + 16);
	memset(cta->barriers, 0, sizeof cta->barriers);
	for (unsigned i = 0; i < cta->warp_count; i++) {
		struct emu_warp *warp = &cta->warps[i];

		memset(warp->regs, 0, run->function->total_frame);
		memset(warp->local_written, 0, (size_t)run->function->total_local * EMU_LANES / 8 + 16);
		free(warp->undefined);
		warp->undefined = NULL;
		memset(warp->depth, 0, sizeof warp->depth);
		memset(warp->copy_group, 0, sizeof warp->copy_group);
		memset(warp->bulk_group, 0, sizeof warp->bulk_group);
		memset(warp->local_top, 0, sizeof warp->local_top);
		warp->is_polling = warp->is_spinning = false;
		warp->cluster_arrived = warp->cluster_passed = warp->touched = warp->untold = 0;
		warp->expiries = 0;
	}
	return cta;
}

/* The SM is by order of start and not by index, as a real scheduler fills whichever becomes free. */
static void place_cta(struct emu_cta *cta, uint64_t index)
{
	struct emu_run *run = cta->run;
	const unsigned *grid = run->launch->grid;

	cta->index = index;
	cta->id[0] = (unsigned)(index % grid[0]);
	cta->id[1] = (unsigned)(index / grid[0] % grid[1]);
	cta->id[2] = (unsigned)(index / grid[0] / grid[1]);
	cta->rank = cta->id[0] % run->cluster_dim[0] + run->cluster_dim[0] *
		(cta->id[1] % run->cluster_dim[1] + run->cluster_dim[1] * (cta->id[2] % run->cluster_dim[2]));
	cta->sm = (unsigned)(run->counters.blocks % run->machine->limits.sms);
	cta->started = run->counters.blocks++;
	cta->next_warp = 0;
	cta->cluster = NULL;
	cta->acquired = run->schedule->past_count;
	for (unsigned i = 0; i < cta->warp_count; i++) {
		unsigned left = run->block_threads - i * EMU_LANES;

		emu_warp_start(&cta->warps[i], left >= EMU_LANES ? EMU_ALL_LANES : (1u << left) - 1,
				run->function->first);
	}
}

/* Resident before its clocks are made: what fails on the way is then taken down with all others. */
static struct emu_cta *start_one(struct emu_run *run, uint64_t index)
{
	struct emu_cta *cta = take_cta(run);

	if (!cta) {
		emu_run_fault(run, CUDA_ERROR_OUT_OF_MEMORY, "out of memory for CTA %llu", (unsigned long long)index);
		return NULL;
	}
	place_cta(cta, index);
	run->resident[run->resident_count++] = cta;
	if (run->resident_count > run->counters.resident_blocks)
		run->counters.resident_blocks = run->resident_count;
	if (!emu_race_cta_start(cta)) {
		emu_run_fault(run, CUDA_ERROR_OUT_OF_MEMORY, "out of memory for CTA %llu", (unsigned long long)index);
		return NULL;
	}
	return cta;
}

/* index counts clusters: their CTAs lie in a box of the grid. */
static bool start_cluster(struct emu_run *run, uint64_t index)
{
	const unsigned *dim = run->cluster_dim, *grid = run->launch->grid;
	uint64_t wide = grid[0] / dim[0], high = grid[1] / dim[1];
	uint64_t x = index % wide * dim[0], y = index / wide % high * dim[1], z = index / wide / high * dim[2];
	struct emu_cluster *cluster = calloc(1, sizeof *cluster);

	if (cluster)
		cluster->ctas = calloc(run->cluster_size, sizeof *cluster->ctas);
	if (!cluster || !cluster->ctas) {
		free(cluster);
		emu_run_fault(run, CUDA_ERROR_OUT_OF_MEMORY, "out of memory for a cluster");
		return false;
	}
	cluster->count = run->cluster_size;
	for (unsigned i = 0; i < run->cluster_size; i++) {
		uint64_t at = x + i % dim[0] + grid[0] * (y + i / dim[0] % dim[1] +
				grid[1] * (z + i / dim[0] / dim[1]));
		struct emu_cta *cta = start_one(run, at);

		if (!cta) {
			/* The last of the CTAs that did start frees it. */
			if (!cluster->alive) {
				free(cluster->ctas);
				free(cluster);
			}
			return false;
		}
		cta->cluster = cluster;
		cluster->ctas[i] = cta;
		cluster->alive++;
	}
	return true;
}

bool emu_cta_start(struct emu_run *run, uint64_t index)
{
	if (run->cluster_size > 1)
		return start_cluster(run, index);
	return start_one(run, index) != NULL;
}

bool emu_cta_is_done(const struct emu_cta *cta)
{
	for (unsigned i = 0; i < cta->warp_count; i++)
		if (cta->warps[i].live)
			return false;
	/* Shared memory of a cluster's CTA is there until the last of the cluster has ended. */
	for (unsigned i = 0; cta->cluster && i < cta->cluster->count; i++)
		for (unsigned w = 0; cta->cluster->ctas[i] && w < cta->cluster->ctas[i]->warp_count; w++)
			if (cta->cluster->ctas[i]->warps[w].live)
				return false;
	return true;
}

/* Stores that are still delayed become visible now at the latest: the end of a CTA orders them before what comes after
 * the launch, and before any CTA that takes its place. */
void emu_cta_end(struct emu_run *run, unsigned place)
{
	struct emu_cta *cta = run->resident[place];

	run->resident[place] = run->resident[--run->resident_count];
	emu_cluster_leave(cta);
	emu_buffer_flush(cta);
	emu_copy_drop_all(cta);
	emu_race_cta_end(cta);
	emu_mbarrier_free(cta);
	for (unsigned i = 0; i < cta->warp_count; i++)
		for (unsigned l = 0; l < EMU_LANES; l++)
			for (; cta->warps[i].depth[l]; cta->warps[i].depth[l]--)
				free(cta->warps[i].frames[l][cta->warps[i].depth[l] - 1].saved);
	cta->next_spare = run->spares;
	run->spares = cta;
}

void emu_cta_free_spares(struct emu_run *run)
{
	while (run->spares) {
		struct emu_cta *next = run->spares->next_spare;

		free_cta(run->spares);
		run->spares = next;
	}
}
