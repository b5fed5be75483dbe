/* SPDX-License-Identifier: MIT
 *
 * The database as the tuner uses it.  A failure to write is reported here, once, and ends the run through
 * session->is_unrecorded; callers need not look.  In a dry run nothing is written.
 */
#ifndef TUNE_RECORD_H
#define TUNE_RECORD_H

#include "db.h"
#include "fixed_order.h"
#include "search.h"
#include "session.h"

/* The file that the options and SCANRT_DB name; false where there is none, which has then been said.  For tuning
 * that is never the system's, which is published from the user's when a run has ended. */
bool tune_database_path(struct srt_strbuf *path, const struct tune_options *options, bool is_for_tuning);

bool tune_record_open(struct tune_session *session);
/* The run's row; refused while another living tuner has one for the device. */
bool tune_record_begin(struct tune_session *session, const char *toolchain);
void tune_record_finish(struct tune_session *session, const char *status);
/* Where --system asks for it: what is in the database, for all users.  Opening looks whether that will be possible. */
void tune_record_publish(struct tune_session *session);

/* Groups of writes are one transaction: either all are there after a crash or none. */
void tune_record_group(struct tune_session *session);
void tune_record_commit(struct tune_session *session);

/* A problem's row, which is called by this name; it points into all three. */
void tune_problem_facts(struct srt_db_problem *facts, char op_class[TUNE_OP_CLASS_SIZE], const char *name,
	const struct srt_problem *problem, bool is_reproducible);
void tune_record_problem(struct tune_search *search);
void tune_record_roofline(struct tune_session *session, uint64_t bytes, double us, const char *method);
/* A variant's verdict (klass NULL), or its times in a class. */
void tune_record_trial(struct tune_search *search, const struct tune_candidate *candidate,
	const struct tune_class *klass, enum tune_verdict verdict, const struct tune_summary *summary,
	const char *note);
void tune_record_choice(struct tune_search *search, const struct tune_row *row);
/* Takes the choice of a class out of the database: it was found to be wrong. */
void tune_record_drop(struct tune_search *search, const struct tune_class *klass);
/* Where choices are only looked at again: the build's image from the database, as if it had been compiled. */
bool tune_record_find_image(struct tune_session *session, struct tune_build *build);
void tune_record_image(struct tune_session *session, const struct tune_build *build);

/* A file that is only looked into, for one look: who keeps it open keeps its writers waiting, and a tuner gives up
 * then.  NULL: it cannot be read, and the reason is recorded. */
struct srt_db *tune_look_into(const char *path);

/* Takes over what an interrupted run left of the candidates from this one on; says which may have brought it down. */
void tune_record_resume(struct tune_search *search, size_t first);

#endif
