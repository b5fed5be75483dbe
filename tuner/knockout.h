/* SPDX-License-Identifier: MIT
 *
 * A knockout between variants for one size class: which of them is the fastest, as far as times that scatter can tell.
 * No device is known here: whoever runs it says how a time is taken.
 *
 * Few samples rule out the slow, more samples choose finalists, and the finalists run in rounds, each once a round in
 * random order, so that whatever the clock does it does to all of them alike; times are compared round by round.
 * Successive elimination (Even-Dar, Mannor and Mansour, 2006) spares the rounds of those that are beaten beyond doubt.
 */
#ifndef TUNE_KNOCKOUT_H
#define TUNE_KNOCKOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "statistics.h"

enum { TUNE_ROUNDS_MAX = 200, TUNE_FINALISTS_MAX = 16, TUNE_PINNED_MAX = 6 };

struct tune_entry {
	struct tune_values *values; /* what was sampled before the finals; the first samples are the caller's */
	bool is_out;                /* slow, or failed */
	bool is_default;
	bool is_previous;           /* the incumbent, where the default is not */
	bool is_related;            /* it won for something like this: heard to the end, but no incumbent */
	int registers;
	uint64_t tile;              /* elements */
};

/* Takes samples of one entry, and returns how many there are: fewer where some are worth nothing, negative where the
 * entry failed and is out. */
typedef int (*tune_sample_function)(void *user, size_t entry, double *us, int samples);

struct tune_finalist {
	size_t entry;
	double us[TUNE_ROUNDS_MAX]; /* of each round; 0: none */
	bool is_retired;            /* beaten beyond doubt, and not run any more */
};

/* Of the processes before, whose samples are forgotten: the ratios of the finalists' times to those of the one that all
 * are judged by, as logarithms. */
struct tune_memory {
	size_t entries[TUNE_FINALISTS_MAX + TUNE_PINNED_MAX];
	double first[TUNE_FINALISTS_MAX + TUNE_PINNED_MAX]; /* of the process that chose them */
	double fresh[TUNE_FINALISTS_MAX + TUNE_PINNED_MAX]; /* the sum of those since */
	int processes[TUNE_FINALISTS_MAX + TUNE_PINNED_MAX]; /* that it is of; -1: it failed in one */
	size_t count;               /* 0: none yet */
	size_t judge;
};

struct tune_knockout {
	struct tune_entry *entries;
	size_t count;
	tune_sample_function sample;
	bool (*must_stop)(void *user); /* time is up: decide by what there is */
	void *user;
	uint64_t seed;
	int rounds; /* at most */
	struct tune_finalist finalists[TUNE_FINALISTS_MAX + TUNE_PINNED_MAX];
	size_t finalist_count;
	int rounds_run;
	struct tune_memory memory;
};

enum tune_rule {
	TUNE_RULE_NONE,      /* nothing runs */
	TUNE_RULE_FASTEST,   /* there is no incumbent */
	TUNE_RULE_STAYS,     /* the incumbent is the fastest */
	TUNE_RULE_FASTER,    /* better than the incumbent beyond doubt, and by enough to matter */
	TUNE_RULE_TIE,       /* no clear gain: the incumbent stays */
	TUNE_RULE_SIMPLER,   /* of several that are as fast, the one with fewer registers or the smaller tile */
	TUNE_RULE_TWICE,     /* it did not win the first time, and is the best over both */
	TUNE_RULE_WITHDRAWN  /* what won did not do so a second time */
};

struct tune_decision {
	enum tune_rule rule;
	int winner;    /* an index of entries; -1: none */
	int incumbent; /* the same */
	struct tune_summary ratio; /* of the best's times to the incumbent's, or of the winner's to the runner-up's */
	char reason[160];
};

/* The race, from the caller's first samples to the finals; then tune_knockout_decide() says what came of it. */
void tune_knockout_run(struct tune_knockout *knockout);
void tune_knockout_decide(struct tune_decision *decision, const struct tune_knockout *knockout);

/* The winner, the incumbent and who was nearly as fast once more, for so many rounds, with the finals' samples
 * forgotten: what does not hold is withdrawn, and what is the best over all processes is chosen.  For a sample function
 * that starts from scratch; it may be called again, for one more of them. */
void tune_knockout_repeat(struct tune_decision *decision, struct tune_knockout *knockout, int rounds);
/* Whether one more process could well decide otherwise. */
bool tune_knockout_is_close(const struct tune_knockout *knockout, const struct tune_decision *decision);

/* ---- For decision.c ---- */

#define TUNE_DECIDED 0.005 /* half width of a ratio's interval that is narrow enough */

int tune_knockout_leader(const struct tune_knockout *knockout); /* of those still in it; -1: none */
void tune_knockout_round(struct tune_knockout *knockout, uint64_t *random);

/* ---- For reports ---- */

/* The times of an entry in the finals (count 0: it was in none), and the ratio of its times to another's. */
struct tune_summary tune_knockout_times(const struct tune_knockout *knockout, size_t entry);
struct tune_summary tune_knockout_ratio(const struct tune_knockout *knockout, size_t of, size_t to);

#endif
