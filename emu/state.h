/* SPDX-License-Identifier: MIT
 *
 * A launch while it runs: CTAs, warps, groups of lanes.
 */
#ifndef EMU_STATE_H
#define EMU_STATE_H

#include "code.h"

#define EMU_LANES 32
#define EMU_ALL_LANES UINT32_MAX
#define EMU_BARRIERS 16

/* Windows of generic addresses.  An address of shared memory is an offset in the shared window, with the rank of the
 * CTA in its cluster, plus one, above EMU_RANK_SHIFT where it was made by mapa. */
#define EMU_PARAM_WINDOW UINT64_C(0x00002b0000000000)
#define EMU_LOCAL_WINDOW UINT64_C(0x00002c0000000000)
#define EMU_SHARED_WINDOW UINT64_C(0x00002d0000000000)
#define EMU_WINDOW_BYTES UINT64_C(0x0000000100000000)
#define EMU_RANK_SHIFT 24
#define EMU_SHARED_START 1024u /* offsets below are never valid, so that null pointers are caught */

struct emu_machine;
struct emu_run;
struct emu_cta;
struct emu_allocation;
struct emu_clock;

enum emu_group_state { GROUP_READY, GROUP_WAITING };
enum emu_wait {
	WAIT_NONE,
	WAIT_LANES,       /* for the other lanes of a mask: key is the mask */
	WAIT_WARP,        /* for the rest of the warp at an aligned barrier: key is the barrier */
	WAIT_BARRIER,     /* for other warps: key is the barrier */
	WAIT_MBARRIER,    /* for a phase: key is the address in the shared window */
	WAIT_CLUSTER      /* at barrier.cluster.wait */
};

/* Lanes that execute together. */
struct emu_group {
	uint32_t lanes, pc;
	uint8_t state, wait;
	bool has_spun;        /* its last turn ended in a spin, and nothing has changed in memory since this version: */
	uint64_t version;
	uint8_t hint;         /* what it polls: WAIT_MBARRIER with its key, or nothing that is known */
	uint8_t resume;       /* what the instruction that waited learns when it runs again */
	uint64_t key;
};

struct emu_frame {
	uint32_t return_pc;
	const struct emu_insn *call;
	const struct emu_function *function;
	unsigned char *saved;       /* the callee's frame of this lane, where recursion overwrites it */
	uint32_t local_top;
};

struct emu_warp {
	unsigned char *regs;
	const unsigned char *pool;
	struct emu_cta *cta;
	struct emu_run *run;
	uint32_t id;                /* in the CTA */
	uint32_t live;              /* lanes that have not exited */
	uint32_t carry;             /* the condition code */
	uint32_t pc;                /* of the instruction behind the one that runs */
	struct emu_group groups[EMU_LANES];
	unsigned group_count, current;
	bool is_polling;            /* a strong load was executed since the last backward branch */
	bool is_spinning;
	uint64_t spin_version;      /* the memory's version at the first poll since then */
	unsigned turn;              /* the group that others go before once, or UINT32_MAX */
	unsigned expiries;
	uint32_t depth[EMU_LANES];
	struct emu_frame *frames[EMU_LANES];
	uint32_t frame_capacity[EMU_LANES];
	uint32_t local_top[EMU_LANES];
	unsigned char *local, *local_written;
	uint32_t *undefined;        /* see undefined.h; null until such a value is loaded */
	struct emu_allocation *recent[4];
	uint32_t cluster_arrived;   /* lanes between barrier.cluster.arrive and its wait */
	uint32_t cluster_passed;    /* those of them whose phase has ended */
	struct emu_clock *clocks[EMU_LANES];    /* what each lane knows of others */
	struct emu_clock *fenced[EMU_LANES];    /* and knew at its last fence; what it had done: fence_time */
	struct emu_clock *pending[EMU_LANES];   /* what its strong loads found, until the next fence */
	struct emu_clock *proxied[EMU_LANES];   /* what it knew at its last fence.proxy.async */
	uint32_t times[EMU_LANES];
	uint32_t touched;           /* lanes that have accessed memory since they published */
	uint32_t untold;            /* lanes that published, not to the other lanes of the warp, since these met */
	uint32_t fence_is_wide, fence_time[EMU_LANES];
	struct emu_copy *copies;    /* by cp.async, that have not landed */
	uint32_t copy_group[EMU_LANES], bulk_group[EMU_LANES];
};

struct emu_barrier {
	uint32_t expected;          /* threads, 0: not in use */
	uint32_t arrived;           /* threads */
	uint32_t warps_waiting;
	uint32_t true_count, all_true, any_true;
	uint64_t generation;
	bool is_all;                /* no count was given: every warp of the CTA */
	uint32_t insn_pc;
	struct emu_clock *clock;    /* what those who arrived have done */
};

struct emu_cta {
	struct emu_run *run;
	uint64_t index;             /* in the grid */
	unsigned id[3], cluster_id[3], rank;
	struct emu_cluster *cluster;
	unsigned warp_count, warps_alive;
	struct emu_warp *warps;
	unsigned char *shared;      /* of the offsets from EMU_SHARED_START */
	unsigned char *shared_written;  /* one bit a byte */
	uint32_t shared_bytes;
	struct emu_barrier barriers[EMU_BARRIERS];
	struct emu_race *race;
	struct emu_mbarrier *mbarriers;
	struct emu_copy *bulk;      /* bulk copies that have not landed */
	struct emu_buffer *buffer;
	uint64_t acquired;          /* how much of the history it must have seen */
	unsigned sm;
	uint64_t started;
	unsigned next_warp;
	struct emu_cta *next_spare;
};

struct emu_cluster {
	unsigned count, alive;
	struct emu_cta **ctas;
	uint32_t arrived;           /* threads, in this phase */
};

struct emu_run {
	struct emu_machine *machine;
	const struct emu_module *module;
	const struct emu_function *function;
	const struct emu_launch *launch;
	struct emu_result *result;
	struct emu_counters counters;
	const struct emu_insn *code;
	struct emu_cta **resident;
	unsigned resident_count, resident_limit;
	uint64_t next_cta, cta_count, ctas_done;
	uint32_t static_shared, dynamic_shared;
	unsigned cluster_dim[3], cluster_size;
	unsigned block_threads;
	uint64_t version;           /* changes whenever memory or a barrier does */
	uint64_t clock;             /* cycles, so to say */
	uint64_t quiet_rounds;
	bool is_kicking;            /* everybody waits: waits may fail in vain once */
	struct emu_schedule *schedule;
	struct emu_races *races;
	struct emu_cta *spares;     /* memory of CTAs that have ended */
};

static inline void *emu_out(struct emu_warp *warp, int32_t operand)
{
	return warp->regs + operand;
}

static inline const void *emu_in(const struct emu_warp *warp, int32_t operand)
{
	return operand >= 0 ? warp->regs + operand : warp->pool + ~operand;
}

/* A predicate operand: one bit a lane. */
static inline uint32_t emu_in_mask(const struct emu_warp *warp, int32_t operand)
{
	return *(const uint32_t *)emu_in(warp, operand);
}

static inline void emu_out_mask(struct emu_warp *warp, int32_t operand, uint32_t value, uint32_t lanes)
{
	uint32_t *mask = emu_out(warp, operand);

	*mask = (*mask & ~lanes) | (value & lanes);
}

/* fault.c: one line of text for the launch's result, which the first fault gives; always STEP_FAULT.
 * lane -1: the whole warp.  address: ignored unless has_address. */
__attribute__((format(printf, 6, 7)))
int emu_fault(struct emu_warp *warp, const struct emu_insn *insn, int lane, CUresult code, const uint64_t *address,
		const char *format, ...);
/* Where no instruction is at fault. */
__attribute__((format(printf, 3, 4)))
void emu_run_fault(struct emu_run *run, CUresult code, const char *format, ...);

/* warp.c */
/* Runs for so many instructions, or until everybody waits (STEP_WAIT) or spins (STEP_SPIN). */
int emu_warp_step(struct emu_warp *warp, unsigned budget);
/* Of the current group the lanes go to the target, the others on; always STEP_MOVED. */
int emu_warp_jump(struct emu_warp *warp, uint32_t lanes, uint32_t target);
/* The group of these lanes becomes the current one. */
void emu_warp_select(struct emu_warp *warp, uint32_t lanes);
/* The lanes end. */
int emu_warp_exit(struct emu_warp *warp, uint32_t lanes);
/* The lane counts as having polled: a backward branch now means that it spins. */
void emu_warp_polls(struct emu_warp *warp);
/* Starts at a pc with these lanes. */
void emu_warp_start(struct emu_warp *warp, uint32_t lanes, uint32_t pc);
bool emu_warp_is_ready(const struct emu_warp *warp);
/* The lanes leave the current group and wait at its instruction. */
int emu_warp_wait(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes, enum emu_wait wait, uint64_t key);
/* Everyone of the warp who waits so is ready again; past: behind the instruction rather than at it. */
void emu_warp_wake(struct emu_warp *warp, enum emu_wait wait, uint64_t key, bool is_past);
unsigned emu_thread_index(const struct emu_warp *warp, int lane);

#endif
