/* SPDX-License-Identifier: MIT
 *
 * The problem of --problem among the targets of a command line.
 */
#ifndef TUNE_STATED_H
#define TUNE_STATED_H

#include "options.h"
#include "problem_file.h"

/* That of --problem, with the elements of --elements, which may be NULL.  Without --mode it says itself which modes. */
bool tune_take_problem(struct tune_options *options, const char *path, const char *elements, bool has_modes);

void tune_drop_problem(struct tune_options *options);

/* The problem that a target is, in a mode; not to be freed. */
int tune_problem_of(struct srt_problem *problem, const struct tune_options *options, const struct tune_target *target,
	int mode);

/* "sum i32", "sum f32 reproducible"; what has other names, say of mixed types, was not put into a database by a search
 * of built-in ones. */
bool tune_target_of(struct tune_target *target, const char *name);

/* check_operator.c.  False: it is none, or could not be tried; which has been said. */
struct tune_session;
struct tune_job;
bool tune_check_operator(struct tune_session *session);
/* Kernels beside the scans, for the problem of --problem. */
bool tune_compile_tool(struct tune_session *session, struct tune_job *job, const char *file);

#endif
