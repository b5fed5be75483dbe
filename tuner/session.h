/* SPDX-License-Identifier: MIT
 *
 * One run of the tuner: its options, its device, its workers, and the waiting for them.
 */
#ifndef TUNE_SESSION_H
#define TUNE_SESSION_H

#include "messages.h"
#include "monitor.h"
#include "options.h"
#include "pool.h"
#include "process.h"
#include "statistics.h"

struct srt_db;

struct tune_session {
	const struct tune_options *options;
	struct srt_device device;
	char boards[TUNE_BOARDS_MAX][33]; /* its equals on this machine, by UUID */
	int board_count;
	struct tune_pool *pool;
	double started;
	double ends;               /* when the budget is used up; 0: never */
	bool is_finishing;         /* past that: only what makes the current problem usable is still done */
	bool is_ptx;               /* images go through PTX: asked for, or the device refuses machine code */
	bool is_given_up;          /* no worker can be started any more */
	char device_note[TUNE_NOTE_SIZE]; /* why */

	/* The GPU's worker.  A generation ends with a crash or a hang; the next begins with the same problem prepared
	 * and nothing loaded. */
	struct tune_child gpu;
	int generation;
	int losses;                /* in a row, without an answer between them */
	bool has_problem;
	struct tune_problem_request problem;
	struct tune_job reference_job; /* of the problem that a file describes: what its scans are held to */

	/* The database (record.c); NULL in a dry run. */
	struct srt_db *db;
	const char *import;        /* the file of `import`, or the first of `diff`; else NULL (record.h) */
	const char *against;       /* the second of `diff`; else NULL */
	int64_t device_row;
	int64_t toolchain_row;
	int64_t run_row;
	bool is_unrecorded;        /* the database could not be written any more */

	struct tune_job copy_job;  /* the copy kernel */
	bool has_copy;
	struct tune_monitor *monitor; /* NULL: nothing is known of clocks and of others */
	int foreign;               /* processes of others on the device, at most */
	char remark[96];           /* what held the clock back */
	bool is_disturbed;         /* it is not quiet, and has to be */
	double clock_read;         /* when it was last asked for, and what it was; 0: unknown */
	int clock_mhz;
	struct tune_values clocks; /* of the SMs, in MHz, as samples were taken */
	double pace; /* elements a second of wall clock, of a first scan: how slow an emulated device is */
};

/* Ctrl-C, SIGTERM or SIGHUP. */
void tune_catch_signals(void);
bool tune_is_interrupted(void);
/* Interrupted, or without a device or a database: leave. */
bool tune_must_stop(const struct tune_session *session);
/* That, or out of time: finish what is measured and leave. */
bool tune_should_stop(const struct tune_session *session);

/* Starts a worker and fills session->device; false: session->device_note says why. */
bool tune_session_open(struct tune_session *session, const struct tune_options *options);
void tune_session_close(struct tune_session *session);

/* Waits until the job is done.  False where there is a reason to stop first. */
bool tune_wait_job(struct tune_session *session, const struct tune_job *job);

enum tune_answer {
	TUNE_ANSWERED,
	TUNE_TIMED_OUT, /* the watchdog killed the worker */
	TUNE_DIED,      /* it ended by itself */
	TUNE_GIVEN_UP   /* none can be started */
};

/* One request to the GPU's worker, started anew where there is none, and its reply, of reply_size bytes at least.
 * `note`, of TUNE_NOTE_SIZE, tells what became of the worker.  The bytes behind the reply stay in *frame, which the
 * caller frees, where frame is not NULL. */
enum tune_answer tune_ask(struct tune_session *session, uint32_t kind, const void *head, size_t head_size,
	const void *tail, size_t tail_size, double seconds, void *reply, size_t reply_size, struct tune_frame *frame,
	char *note);

/* What a worker needs for a problem that a file describes: the file, elements, and the code of its kernels.  The
 * request gets their sizes; nothing where the problem is another. */
struct srt_strbuf;
struct tune_described;
bool tune_described_tail(struct srt_strbuf *tail, struct tune_problem_request *request,
	const struct tune_described *described, const struct srt_image *image);

/* Whether a kernel ran without an end: our own patience ended, or that of a device which watches its kernels.  `status`
 * and `note` are those of an answer. */
bool tune_never_ended(enum tune_answer answer, int status, const char *note);

/* Another problem for the worker.  The status is that of the preparation. */
int tune_session_prepare(struct tune_session *session, const struct tune_problem_request *request, char *note);

/* Looks how quiet the device is, and remembers the worst of it.  False where it is not and the options want it so. */
bool tune_session_look(struct tune_session *session);

/* Ends a worker whose context is beyond use. */
void tune_session_replace_worker(struct tune_session *session);

#endif
