/* SPDX-License-Identifier: MIT
 *
 * Machine code that programs kept under SCANRT_WRITE_CACHE, for scantune verify.
 */
#ifndef TUNE_KEPT_H
#define TUNE_KEPT_H

#include "search.h"

/* The problems of what was kept for this device and these kernels and is not verified: one may come several times.
 * Only built-in types and operators without an initial value can be told by their names. */
void tune_kept_targets(
	const struct tune_session *session, void (*add)(void *user, const struct tune_target *target), void *user);

/* Their variants among the search's candidates, so that the worker has room for them; `most` are enough at a time. */
void tune_kept_candidates(struct tune_search *search, size_t most);

/* Verifies what was kept for the search's problem, in every mode; false where something is wrong, or time is up. */
bool tune_kept_audit(struct tune_search *search);

#endif
