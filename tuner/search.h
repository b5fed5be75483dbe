/* SPDX-License-Identifier: MIT
 *
 * The search for the best variants of one problem.
 *
 *   tune_search_open    the candidates; their compilation begins, while another problem may still have the GPU
 *   tune_search_run     verify, race, finals, winners in all modes, choices into the database
 *   tune_search_close
 */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include "classes.h"
#include "db.h"
#include "knockout.h"
#include "pool.h"
#include "report.h"
#include "session.h"
#include "statistics.h"

/* One problem and variant, compiled and perhaps loaded. */
struct tune_build {
	struct srt_problem problem;
	struct srt_variant variant;
	char text[SRT_VARIANT_TEXT_SIZE];
	bool is_described;       /* the problem is the file's */
	int slot;
	int generation;          /* of the worker that has it loaded; -1: none */
	struct tune_job job;
	int registers;
	int local_bytes;
	int shared_bytes;
	bool is_default;         /* of any class: the watchdog goes by the slowest of these */
	bool is_verified;
};

struct tune_candidate {
	struct tune_build build;
	bool is_default[TUNE_CLASS_MAX]; /* what the library would take without a database */
	bool is_fallback[TUNE_CLASS_MAX]; /* and what it would take where that does not fit */
	bool is_previous[TUNE_CLASS_MAX];
	bool is_related[TUNE_CLASS_MAX]; /* chosen for another problem of the same size, or by another board */
	bool is_suspect;         /* was at work when an earlier run died: tried alone */
	int attempts;            /* alone, that ended in such a death */
	bool is_explored;        /* its neighbours are candidates, too */
	bool is_confirmed;       /* right in every mode, in order, and at large counts */
	uint64_t code;           /* twin.h, once it is compiled; 0: none, or not machine code */
	bool is_known;           /* an earlier run's verdict stands: not tried again */
	enum tune_verdict verdict;
	char note[TUNE_NOTE_SIZE];
	bool is_out[TUNE_CLASS_MAX];           /* of the race */
	int samples;             /* of all classes, and how many of them at a clock that was too low */
	int slowed;
	int clock_mhz;           /* of the latest; 0: unknown */
	struct tune_values values[TUNE_CLASS_MAX];   /* before the finals */
	struct tune_summary final[TUNE_CLASS_MAX];
	struct tune_summary ratio[TUNE_CLASS_MAX];   /* of its times in the finals to the winner's */
	struct tune_summary earlier[TUNE_CLASS_MAX]; /* an interrupted run's */
};

struct tune_race;

/* How a class ended. */
struct tune_result {
	struct tune_candidate *winner;
	struct tune_race *race;          /* kept for its repetition */
	struct tune_decision decision;
	struct tune_summary summary;
	double default_us;
	double copy_us;
	char copy_method[32];
	char reason[160];
};

struct tune_search {
	struct tune_session *session;
	struct srt_problem problem;      /* in the mode that is tuned */
	char name[96];
	bool is_described;               /* the problem of --problem */
	bool is_reproducible;            /* among the variants of one order of combination */
	int64_t problem_row;
	size_t index;
	struct tune_class classes[TUNE_CLASS_MAX];
	struct tune_result results[TUNE_CLASS_MAX];
	char earlier_reason[TUNE_CLASS_MAX][160]; /* of the previous choices */
	uint64_t earlier_high[TUNE_CLASS_MAX];    /* where their ranges end; 0: there are none */
	bool is_chosen[TUNE_CLASS_MAX];  /* by the interrupted run, at this effort or a higher one */
	size_t class_count;
	struct tune_candidate *candidates;
	size_t candidate_count;
	size_t candidate_max;
	double best_us[TUNE_CLASS_MAX];  /* so far; 0: none */
	struct tune_build *extras;       /* winners in other modes and for the check of order */
	size_t extra_count;
	double verify_seconds;           /* the slowest default's, which the watchdog goes by; 0: not known yet */
	double time_seconds;
};

/* Kept images: as many as a database keeps, each of which is a build of its own when it is verified. */
enum { TUNE_KEPT_MAX = 256, TUNE_EXTRA_MAX = TUNE_KEPT_MAX + 64, TUNE_CHOICES_MAX = 8 };

/* False: no memory, or no variant at all for this device; which has been said. */
bool tune_search_open(struct tune_search *search, struct tune_session *session, const struct tune_target *target,
	size_t index);
bool tune_search_is_complete(const struct tune_search *search); /* by an interrupted run */
/* True where choices were made for all classes. */
bool tune_search_run(struct tune_search *search);
void tune_search_close(struct tune_search *search);

/* candidates.c.  The candidate with this variant, made where there is none; NULL where the device excludes it. */
struct tune_candidate *tune_candidate_add(struct tune_search *search, const struct srt_variant *variant);
/* Where choices are looked at again: only the classes that have some, at the counts that they are of. */
/* And one of them that serves so many elements: its machine code may be at hand, without a compiler. */
bool tune_candidates_known(struct srt_variant *variant, struct tune_session *session, const struct srt_problem *problem,
	uint64_t count);
/* The problem's own choices in a file for this device; returns how many. */
size_t tune_candidates_chosen(struct srt_db_choice rows[TUNE_CHOICES_MAX], const struct tune_search *search,
	const char *file);
void tune_candidates_fit_classes(struct tune_search *search);
bool tune_is_slow(const struct tune_session *session); /* so that little can be tried */
bool tune_candidates_make(struct tune_search *search);
void tune_candidates_compile(struct tune_search *search, size_t first); /* those from this one on */

/* trials.c: compiled, verified and timed, those from this one on. */
void tune_trials(struct tune_search *search, size_t first);

/* explore.c: what won for problems like this one, and the neighbours of what is best. */
size_t tune_explore_size(const struct tune_session *session); /* candidates, at most */
void tune_explore(struct tune_search *search);

/* trial.c: one thing asked of the worker for one build.  The verdict is the build's; note says why. */
void tune_build_request(const struct tune_session *session, struct tune_build *build); /* what the job asks for */
bool tune_build_compile(struct tune_search *search, struct tune_build *build); /* false: no time for it */
enum tune_verdict tune_build_get(struct tune_search *search, struct tune_build *build, char *note); /* compile, load */
enum tune_verdict tune_build_verify(struct tune_search *search, struct tune_build *build, char *note);
enum tune_verdict tune_build_verify_large(struct tune_search *search, struct tune_build *build, uint64_t count,
	char *note);
enum tune_verdict tune_candidate_time(struct tune_slot_reply *reply, struct tune_search *search,
	struct tune_candidate *candidate, const struct tune_timing *timing, int samples);
void tune_build_drop(struct tune_search *search, struct tune_build *build);
bool tune_candidate_serves(const struct tune_candidate *candidate, const struct tune_class *klass);
void tune_candidate_fail(struct tune_search *search, struct tune_candidate *candidate, enum tune_verdict verdict,
	const char *note);

/* race.c: from verified candidates to the winner of one class.  Sampling returns how many samples are worth something,
 * or -1 where the candidate failed, which is recorded in it. */
int tune_race_sample(double *us, struct tune_search *search, struct tune_candidate *candidate,
	const struct tune_timing *timing, int samples);
void tune_race(struct tune_search *search, size_t klass);
/* Whether so short a time can be; else the candidate has failed. */
bool tune_race_is_plausible(struct tune_search *search, struct tune_candidate *candidate, size_t klass, double us);
void tune_race_repeat(struct tune_search *search, size_t klass); /* winner and incumbent again */
bool tune_race_is_close(const struct tune_search *search, size_t klass); /* after that: worth another time */
bool tune_race_has_scatter(const struct tune_search *search, size_t klass);
void tune_race_free(struct tune_search *search, size_t klass);

/* crossover.c: where one class's winner overtakes the next, measured. */
void tune_crossovers(struct tune_search *search);

/* audit.c: the choices as they are, verified; false where one is wrong. */
bool tune_search_audit(struct tune_search *search);

/* tune.c: all problems of the session's options, and the exit status. */
int tune_run(struct tune_session *session);

/* winners.c: one more build of a build's variant, of a problem beside it: made and sent to the compilers where it is
 * not there yet; NULL where there is no more room. */
struct tune_build *tune_build_extra(struct tune_search *search, const struct tune_build *like,
	const struct srt_problem *problem);

/* winners.c: whether a candidate that is right in one mode is so in all others, in order and at large counts. */
bool tune_winner_confirm(struct tune_search *search, struct tune_candidate *candidate);

/* winners.c: other modes, order of operands, large counts; then the database. */
bool tune_winners(struct tune_search *search);

#endif
