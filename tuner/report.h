/* SPDX-License-Identifier: MIT
 *
 * What people and programs see while the tuner runs, and at its end.  There is one terminal, so this module has one
 * state.  Results go to stdout; the status line, where stderr is a terminal, to stderr.
 */
#ifndef TUNE_REPORT_H
#define TUNE_REPORT_H

#include "options.h"

/* A choice that was made. */
struct tune_row {
	char problem[96];
	char klass[16];
	char variant[160];
	char default_variant[160];
	uint64_t count;
	uint64_t low;
	uint64_t high;
	double us;
	double low_us;
	double high_us;
	double copy_us;
	double default_us;
	double bytes;      /* read and written */
	char reason[160];
	char border[12];   /* what ends its range: "measured", "middle", "reach" (of a block variant), "open" */
};

void tune_report_open(const struct tune_options *options, size_t problems);
/* The problem that is worked on, the variants that it has, how far it is. */
void tune_report_problem(const char *name, size_t index, int variants);
void tune_report_more(int variants);        /* it has as many by now */
void tune_report_done(int variants);        /* so many of them have been looked at */
void tune_report_phase(const char *phase);  /* "race", "winners", ...: a literal */
void tune_report_waited(double seconds);    /* for the compilers, within a phase */
void tune_report_phases(void);              /* at the end of a problem: how long each took */
void tune_report_best(const char *text);
void tune_report_failure(const char *problem, const char *variant, const char *verdict, const char *note);
void tune_report_line(const char *format, ...) __attribute__((format(printf, 1, 2))); /* progress, not in JSON */
void tune_report_error(const char *format, ...) __attribute__((format(printf, 1, 2))); /* always, on stderr */
void tune_report_tick(void);                /* redraws the status line now and then */
void tune_report_choice(const struct tune_row *row);
void tune_report_close(const char *status); /* the table; "complete", ... */

#endif
