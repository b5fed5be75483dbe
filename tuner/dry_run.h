/* SPDX-License-Identifier: MIT
 *
 * scantune --dry-run: what a run would do, without a kernel or a write.
 */
#ifndef TUNE_DRY_RUN_H
#define TUNE_DRY_RUN_H

#include "session.h"

/* Prints the classes of all problems, how many variants each would try, and what the database has for it already.
 * Returns the exit status. */
int tune_dry_run(struct tune_session *session);

/* Elements a second that the counts are chosen for, where a first kernel has shown `measured`. */
double tune_pace(const struct tune_session *session, double measured);

#endif
