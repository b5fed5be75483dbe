/* SPDX-License-Identifier: MIT
 *
 * Who runs when, and what a random schedule delays.
 */
#ifndef EMU_SCHEDULE_H
#define EMU_SCHEDULE_H

#include "state.h"

#define EMU_PAST 64 /* values that are remembered */

struct emu_past {
	const unsigned char *block;    /* 8 aligned bytes */
	unsigned char bytes[8];        /* what they were */
	uint64_t when;                 /* they changed */
	uint64_t seen;                 /* by CTAs, one bit each: those see the change */
};

struct emu_schedule {
	unsigned order;                /* enum order of choose.c */
	uint64_t state;                /* of the random numbers */
	uint64_t victim, victim_until; /* the CTA that is starved */
	bool is_random, is_fair_turn;
	bool is_late, is_stale;        /* stores are seen late, loads may see old values */
	bool is_weak;                  /* either of them */
	bool is_delaying;              /* bulk copies land later */
	uint64_t start_factor, start_offset; /* the order in which CTAs start */
	unsigned char copies[EMU_LANES][32]; /* what loads and stores of lanes are pointed at */
	struct emu_past past[EMU_PAST];
	uint64_t past_count;
};

/* Runs until all CTAs have ended or one has failed: run->result tells. */
void emu_schedule_run(struct emu_run *run);
/* Whether this launch shows delays that are allowed but not usual. */
bool emu_schedule_delays(struct emu_run *run);
uint64_t emu_schedule_random(struct emu_run *run);

/* choose.c */
void emu_schedule_init(struct emu_schedule *schedule, const struct emu_run *run);
/* Which CTA, or cluster, starts as the n-th. */
uint64_t emu_schedule_start(const struct emu_schedule *schedule, uint64_t n, uint64_t count);
/* The warp to run next and for how long; null where none can run. */
struct emu_warp *emu_schedule_choose(struct emu_run *run, unsigned *budget);
bool emu_schedule_is_runnable(const struct emu_warp *warp);

/* stuck.c: the fault that tells who waits for what. */
void emu_report_stuck(struct emu_run *run, const char *why);

#endif
