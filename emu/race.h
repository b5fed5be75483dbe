/* SPDX-License-Identifier: MIT
 *
 * Happens-before between threads, and the accesses that it leaves unordered.
 *
 * Every thread has a vector clock: what it knows of the others, which it shares with them until somebody learns more,
 * and its own time, which grows whenever it publishes.  Every word of shared memory remembers its last writer and its
 * readers since, every word of global memory its last writer and one reader, in the launch at hand.  Barriers,
 * mbarriers, fences and atomic operations with an order pass clocks on; shuffles and votes pass nothing.
 *
 * Unordered stores of the same value are let pass: programs set flags so.
 *
 * What is not remembered is never reported, so that nothing correct is: of several readers of a global word one is
 * kept, of several unordered writers of parts of one global word the last.
 */
#ifndef EMU_RACE_H
#define EMU_RACE_H

#include "access.h"
#include "clock.h"

#define EMU_SLOTS 48          /* asynchronous agents of a CTA: a copying thread a warp, and barriers */
#define EMU_NO_SLOT UINT32_MAX
#define EMU_COMMITS 8         /* groups that are remembered */
#define EMU_TIME_BITS 21
#define EMU_TIME_MASK ((1u << EMU_TIME_BITS) - 1)
#define EMU_CTA_BITS 26

#define EMU_STRONG_WIDE 2

struct emu_foreign_cell;
struct emu_mbarrier;

/* A word of shared memory.  Writer and readers as thread << EMU_TIME_BITS | time, 0 for nobody. */
struct emu_cell {
	uint32_t writer, reader, strong_reader;
	uint16_t set;             /* of readers, plus one; 0: only `reader` */
	uint8_t is_strong;        /* the writer was: EMU_STRONG_WIDE beyond the CTA */
	uint8_t is_split;         /* parts of it were accessed: `writer` numbers the four cells of its bytes */
};

struct emu_race {
	bool is_off;              /* too many of something: nothing is checked any more */
	uint32_t threads, count;  /* entries of a clock: threads and slots */
	struct emu_cell *cells;
	uint32_t cell_count;
	struct emu_foreign_cell *foreign; /* beside the cells, once another CTA has touched one */
	uint32_t **sets;          /* times of readers, by thread */
	uint16_t *free_sets;
	uint32_t set_count, free_count;
	struct emu_cell *splits;  /* four a word */
	uint32_t split_count, split_capacity;
	uint32_t slot_key[EMU_SLOTS], slot_time[EMU_SLOTS], slot_count;
	uint32_t commits[EMU_SLOTS][EMU_COMMITS], commit_count[EMU_SLOTS];
	uint32_t *proxy_time;     /* of each thread: its time at its last fence.proxy.async, plus one */
	struct emu_clock *cluster_arrived, *cluster_done;
};

/* An access of a lane, as checks see it. */
struct emu_actor {
	struct emu_warp *warp;
	const struct emu_insn *insn;
	int lane;
	uint32_t epoch;           /* who and when: a thread, or a slot */
	const struct emu_clock *base;
	bool is_write, is_strong, is_wide, is_nc;
	const unsigned char *host; /* where a store's bytes go; null for others */
	unsigned bytes;
	bool is_proxy;            /* through the asynchronous proxy: writes before it need its fence */
};

/* A launch begins; false when memory is short.  It ends. */
bool emu_race_begin(struct emu_run *run);
void emu_race_finish(struct emu_run *run);
bool emu_race_cta_start(struct emu_cta *cta);
void emu_race_cta_end(struct emu_cta *cta);
void emu_race_cta_free(struct emu_cta *cta);
/* The allocation's data goes away. */
void emu_race_forget(struct emu_allocation *allocation);

/* Note an access; STEP_FAULT where another thread's is not ordered with it. */
int emu_race_global(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
int emu_race_shared(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
int emu_race_cells(const struct emu_actor *actor, struct emu_cta *cta, uint32_t offset, unsigned bytes);
/* The actor is of another CTA than the memory.  And an owner's thread against what others did there; only where there
 * are foreign cells. */
int emu_race_foreign(const struct emu_actor *actor, struct emu_cta *owner, uint32_t offset, unsigned bytes);
int emu_race_against_foreign(const struct emu_actor *actor, const struct emu_cta *cta, uint32_t offset, unsigned bytes);
void emu_race_actor(struct emu_actor *actor, struct emu_warp *warp, const struct emu_insn *insn, int lane);

/* Clocks of lanes: publish puts into *into all that the lanes know and have done, learn is the other direction. */
void emu_race_publish(struct emu_warp *warp, uint32_t lanes, struct emu_clock **into);
void emu_race_learn(struct emu_warp *warp, uint32_t lanes, struct emu_clock *from);

/* What the lanes knew and had done at their last fence beyond the CTA. */
void emu_race_publish_fenced(struct emu_warp *warp, uint32_t lanes, struct emu_clock **into);

/* Synchronisation. */
void emu_race_sync_warp(struct emu_warp *warp, uint32_t lanes);
void emu_race_barrier_arrive(struct emu_warp *warp, uint32_t lanes, struct emu_clock **clock);
void emu_race_barrier_leave(struct emu_warp *warp, uint32_t lanes, struct emu_clock *clock);
void emu_race_cluster_arrive(struct emu_warp *warp, uint32_t lanes, bool is_release);
void emu_race_cluster_complete(struct emu_cluster *cluster);
void emu_race_cluster_leave(struct emu_warp *warp, uint32_t lanes);
int emu_race_mbarrier_init(struct emu_cta *cta, uint32_t offset, struct emu_warp *warp, const struct emu_insn *insn,
		int lane);
int emu_race_mbarrier_use(struct emu_cta *cta, uint32_t offset, struct emu_warp *warp, const struct emu_insn *insn,
		int lane);
void emu_race_mbarrier_arrive(struct emu_cta *cta, struct emu_mbarrier *barrier, struct emu_warp *warp, int lane,
		bool is_release);
void emu_race_mbarrier_complete(struct emu_mbarrier *barrier);
void emu_race_mbarrier_wait(struct emu_cta *cta, struct emu_mbarrier *barrier, struct emu_warp *warp, uint32_t lanes,
		bool is_acquire);
void emu_race_fence(struct emu_warp *warp, const struct emu_insn *insn, uint32_t lanes);

/* Strong accesses with their order: what a word carries from who released it to who acquires it. */
void emu_race_release_words(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);
void emu_race_acquire_words(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn);

/* Asynchronous copies.  An agent's slot for a key, and the epoch of its next operation. */
uint32_t emu_race_slot(struct emu_race *race, uint32_t key, uint32_t *epoch);
/* The agent's operations so far form a group; and its epoch, of which all but the last `pending` groups are done. */
void emu_race_commit(struct emu_race *race, uint32_t key);
uint32_t emu_race_committed(const struct emu_race *race, uint32_t key, uint32_t pending);
/* A thread that does not know of all that the agent with its index and these bits for a key has done; EMU_NO_SLOT:
 * none. */
uint32_t emu_race_unawaited(const struct emu_cta *cta, uint32_t bits);
/* The clock learns that the slot has come so far. */
void emu_race_slot_done(struct emu_cta *cta, struct emu_clock **clock, uint32_t epoch);

/* st.async by a lane: its epoch, and the mbarrier's clock that learns of it. */
int emu_race_async_store(const struct emu_access *access, struct emu_warp *warp, const struct emu_insn *insn, int lane,
		uint32_t barrier_offset, uint32_t *epoch);
void emu_race_async_stored(struct emu_cta *from, struct emu_cta *to, struct emu_clock **arrived, uint32_t epoch);

/* The fault, for shared and global memory. */
int emu_race_report(const struct emu_actor *actor, const uint64_t *address, const char *memory, bool other_wrote,
		uint64_t other_cta, uint32_t other_epoch);

#endif
