/* SPDX-License-Identifier: MIT
 *
 * What the emulated device counts, and the symbols beside the Driver API by which a test or a tool reads it: through
 * dlsym() or cuGetProcAddress() on libscanrt-emu.so.  Needs no cuda.h.
 */
#ifndef EMU_COUNTERS_H
#define EMU_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/* Exact counts of one launch, repeatable for one seed.  Words are 4 bytes; a narrower access counts the words that the
 * warp's access touches, once each. */
struct emu_counters {
	uint64_t warp_instructions;
	uint64_t lane_instructions;
	uint64_t global_load_bytes;      /* bytes that lanes asked for, every lane counted */
	uint64_t global_store_bytes;
	uint64_t global_load_words;      /* distinct 4-byte words per warp access, summed */
	uint64_t global_store_words;
	uint64_t global_load_sectors;    /* distinct 32-byte sectors per warp access, summed */
	uint64_t global_store_sectors;
	uint64_t global_atomics;         /* lanes that did one */
	uint64_t polls;                  /* lanes' strong loads (volatile, relaxed, acquire) of global memory; they
	                                  * count as loads too */
	uint64_t shared_load_words;      /* words that lanes asked for */
	uint64_t shared_store_words;
	uint64_t shared_conflicts;       /* passes beyond the first that banks of 4 bytes force */
	uint64_t shared_atomics;
	uint64_t local_accesses;
	uint64_t async_bytes;            /* by cp.async and cp.async.bulk, also counted as global loads or stores */
	uint64_t barriers;               /* CTA barriers completed */
	uint64_t warp_barriers;          /* bar.warp.sync completed */
	uint64_t shuffles;               /* warp-wide shuffles, votes, matches, reductions */
	uint64_t fences;
	uint64_t applies;                /* operator applications: lanes that passed a "@scan_apply" mark */
	uint64_t spins;                  /* times that a warp went round a wait in vain */
	uint64_t blocks;                 /* CTAs run */
	uint64_t resident_blocks;        /* how many at once at most */
};

/* The latest launch of the process that got as far as to run. */
struct emu_launch_record {
	char kernel[64];           /* the entry's name, cut where longer */
	unsigned int grid[3], block[3];
	unsigned int shared_bytes; /* dynamic */
	int result;                /* CUresult */
	double model_ns;           /* what the launch took by the model, without the host's share */
	struct emu_counters counters;
};

/* Each fills at most `size` bytes, the caller's sizeof, and returns the library's own: more members come at the end.
 * counters: the sum over all launches since the start or the last reset; also the number of launches. */
size_t scanrtEmuCounters(struct emu_counters *counters, size_t size, uint64_t *launches);
size_t scanrtEmuLastLaunch(struct emu_launch_record *record, size_t size);
void scanrtEmuReset(void);
/* One line that tells the latest fault, "" where there was none. */
const char *scanrtEmuFault(void);
/* As SCANRT_EMU_FAIL, counting from now; NULL ends all injection. */
void scanrtEmuInject(const char *specification);

#endif
