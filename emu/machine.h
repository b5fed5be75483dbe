/* SPDX-License-Identifier: MIT
 *
 * The emulated machine, as the driver side sees it: limits, memory, launches, faults and counters.
 *
 * One machine is one device.  Nothing here locks: the driver side serialises all calls that concern one machine.
 * Everything runs inside the call; when emu_launch_run returns, the kernel has finished or has failed.
 *
 * Results are CUresult values; a function that can fail in more ways than its code tells also fills a text.
 */
#ifndef EMU_MACHINE_H
#define EMU_MACHINE_H

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters.h"

struct emu_machine;
struct emu_module;
struct emu_entry;

/* What limits residency and launches.  The driver side fills it from a model and answers attributes from it. */
struct emu_limits {
	int major, minor;                /* compute capability */
	unsigned sms;
	unsigned warps_per_sm;           /* 64, or 48, or 32 */
	unsigned blocks_per_sm;
	unsigned registers_per_sm;       /* 32-bit registers */
	unsigned registers_per_block;
	unsigned registers_per_thread;   /* 255 */
	unsigned shared_per_sm;          /* bytes */
	unsigned shared_per_block;       /* without opting in: 48 KiB */
	unsigned shared_per_block_optin;
	unsigned shared_reserved;        /* bytes that the system takes per block: 1024 from sm_80 on */
	unsigned threads_per_block;      /* 1024 */
	unsigned cluster_blocks;         /* largest cluster that can be opted in to, 0 where there are none */
	uint64_t memory_bytes;           /* allocations beyond it fail with CUDA_ERROR_OUT_OF_MEMORY */
	uint64_t memory_base;            /* its addresses begin here: each device has its own range; 0: a default */
};

CUresult emu_machine_create(struct emu_machine **machine, const struct emu_limits *limits);
void emu_machine_destroy(struct emu_machine *machine);
const struct emu_limits *emu_machine_limits(const struct emu_machine *machine);

/*
 * Memory.  Addresses are fake: the same sequence of calls always gives the same addresses, no address is reused while
 * the range is remembered as freed, and a red zone of at least 4 KiB separates allocations.  Every byte has a mark
 * "was written".  Allocations are 512-byte aligned.
 */
CUresult emu_memory_alloc(uint64_t *address, struct emu_machine *machine, uint64_t bytes);
CUresult emu_memory_free(struct emu_machine *machine, uint64_t address);
/* The allocation that contains address: CUDA_ERROR_INVALID_VALUE where there is none. */
CUresult emu_memory_find(uint64_t *base, uint64_t *bytes, struct emu_machine *machine, uint64_t address);
void emu_memory_total(uint64_t *bytes_free, uint64_t *bytes_total, const struct emu_machine *machine);

/* Host access.  A range that leaves its allocation gives CUDA_ERROR_INVALID_VALUE and touches nothing.  write and fill
 * mark bytes as written, copy carries the marks along, read does not look at them. */
CUresult emu_memory_write(struct emu_machine *machine, uint64_t address, const void *host, uint64_t bytes);
CUresult emu_memory_read(void *host, struct emu_machine *machine, uint64_t address, uint64_t bytes);
CUresult emu_memory_copy(struct emu_machine *machine, uint64_t to, uint64_t from, uint64_t bytes);
CUresult emu_memory_copy_peer(struct emu_machine *to_machine, uint64_t to, struct emu_machine *from_machine,
		uint64_t from, uint64_t bytes);
/* count values of width 1, 2 or 4 bytes. */
CUresult emu_memory_fill(struct emu_machine *machine, uint64_t address, uint32_t value, unsigned width, uint64_t count);
/* Host memory that kernels may reach under its own address (cuMemHostAlloc, cuMemHostRegister); counts as written. */
CUresult emu_memory_map_host(struct emu_machine *machine, void *host, uint64_t bytes);
CUresult emu_memory_unmap_host(struct emu_machine *machine, void *host);

/* One launch.  Zero-initialise it; a cluster of 0 means the one that the module asks for, or none. */
struct emu_launch {
	const struct emu_module *module;
	const struct emu_entry *entry;
	unsigned grid[3], block[3], cluster[3];
	unsigned dynamic_shared;
	const void *parameters;          /* the parameter buffer as emu_entry_facts lays it out */
	size_t parameter_bytes;
	bool is_cooperative;             /* all CTAs resident at once, else CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE */
	uint64_t seed;                   /* 0: plain round robin; else a reproducible random schedule */
	unsigned resident_limit;         /* 0: as the limits give; else at most this many CTAs at once */
	uint64_t instruction_limit;      /* 0: none; else CUDA_ERROR_LAUNCH_TIMEOUT after so many of a warp */
};

struct emu_result {
	CUresult code;                   /* the sticky error, or CUDA_SUCCESS */
	char text[1024];                 /* one line that tells kernel, PTX line, CTA, thread and address */
	struct emu_counters counters;
};

/* CTAs of entry that one SM holds; 0 where the launch cannot run at all. */
unsigned emu_launch_occupancy(const struct emu_machine *machine, const struct emu_entry *entry, unsigned threads,
		unsigned dynamic_shared);
/* Runs it.  Returns result->code.  Bad geometry gives CUDA_ERROR_INVALID_VALUE or the like, which is not sticky;
 * emu_is_sticky tells. */
CUresult emu_launch_run(struct emu_result *result, struct emu_machine *machine, const struct emu_launch *launch);
bool emu_is_sticky(CUresult code);

#endif
