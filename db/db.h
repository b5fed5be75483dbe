/* SPDX-License-Identifier: MIT
 *
 * The tuning database: the only code that knows SQLite, and it knows no CUDA.  Keys and values are the texts that the
 * other modules format; times are microseconds; hashes are 32 hexadecimal digits.
 *
 * Errors are statuses of group 1000 (scanrt.h), recorded with SQLite's code.  "Not found" is no error.
 * Strings in result structures are owned by the structure.  A handle is used by one thread at a time.
 */
#ifndef SRT_DB_H
#define SRT_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "strbuf.h"

struct srt_db;

enum srt_db_access {
	SRT_DB_READ, /* must exist; nothing is written, not even a lock file left behind */
	SRT_DB_WRITE, /* created (directory 0700, file 0600) and migrated where needed; a damaged one is put aside */
	SRT_DB_KEEP   /* created, too, but of an older format or damaged it is left as it is, and a lock is not waited
		       * for: for a program that has better things to do than to keep an image */
};

/* A reader sees one state of the file and keeps writers from changing it until it is closed: open, read, close. */

int srt_db_open(struct srt_db **db, const char *path, enum srt_db_access access);

/* Has the system begin to read the file, if it is not in memory: it will be opened soon.  Whatever fails, does so. */
void srt_db_expect(const char *path);
void srt_db_close(struct srt_db *db); /* NULL is fine */
const char *srt_db_path(const struct srt_db *db);
/* Where opening moved a damaged file to, for a message to people; "" where there was none. */
const char *srt_db_moved_to(const struct srt_db *db);

/* For who would lose more by giving up than by waiting a minute for each lock, as a tuner half way through. */
void srt_db_be_patient(struct srt_db *db);

/* What this thread has waited for locks of others, all told: at most 40 ms for each file that is read. */
unsigned srt_db_waited_ms(void);

/* Whether machine code from this file may be run: owner root or the effective user, neither the file nor a parent
 * directory writable by group or others (sticky directories owned by root pass).  The reason is for people. */
bool srt_db_is_trusted(const struct srt_db *db, struct srt_strbuf *reason);

/* Copies the database of a writer, outside of transactions, to `path` for all users to read (directories 0755, file
 * 0644).  A reader sees the old file or the new one, also after a crash: written aside, synchronised, renamed. */
int srt_db_publish(struct srt_db *db, const char *path);

/* Where the files are.  The user's is "" where there is no HOME. */
void srt_db_user_path(struct srt_strbuf *out);
void srt_db_system_path(struct srt_strbuf *out);
void srt_db_vendor_path(struct srt_strbuf *out);

/* BEGIN IMMEDIATE ... COMMIT; rollback on failure is the caller's. */
int srt_db_begin(struct srt_db *db);
int srt_db_commit(struct srt_db *db);
void srt_db_rollback(struct srt_db *db);

/* ---- What was measured on what. Each put finds or makes the row and gives its rowid. ---- */

/* Of a reader's file: every device, and then every board that it is known by, the one that was seen last at the end. */
struct srt_db_board {
	char fingerprint[256];
	char uuid[64]; /* "" of a device that no board is known of */
};
typedef void (*srt_db_board_function)(void *user, const struct srt_db_board *board);
int srt_db_each_board(struct srt_db *db, srt_db_board_function each, void *user);

struct srt_db_device {
	const char *fingerprint;
	const char *family;
	const char *name;
	const char *uuid;
	int capability;
	int sm_count;
	int64_t l2_bytes;
	int64_t memory_bytes;
	bool is_modelled; /* an emulated device: never chosen for a real one (its fingerprint says so too) */
};
int srt_db_put_device(int64_t *id, struct srt_db *db, const struct srt_db_device *device);
/* Another board that is equal in all that the fingerprint says; the device's own is put with it.  The 256 that were
 * seen last stay. */
int srt_db_put_board(struct srt_db *db, int64_t device, const char *uuid);

int srt_db_put_toolchain(int64_t *id, struct srt_db *db, const char *compiler, int driver_version);

struct srt_db_problem {
	const char *name; /* "sum i32", unique */
	const char *op;
	const char *op_class;
	const char *input_type;
	const char *accumulator_type;
	const char *output_type;
	int type_bytes; /* bytes of the wider of input and output */
	int moved_bytes; /* of both; 0: by the names of the types */
};
int srt_db_put_problem(int64_t *id, struct srt_db *db, const struct srt_db_problem *problem);

/* ---- Runs of the tuner ---- */

struct srt_db_run {
	int64_t id;
	int64_t device;
	int64_t toolchain;
	const char *source_hash;
	const char *effort;    /* "quick", "normal", "thorough" */
	const char *arguments; /* the command line */
	const char *version;   /* of scantune */
	const char *boot_id;   /* with pid and start_ticks: whether the tuner that holds the device still lives */
	int64_t pid;
	int64_t start_ticks;
	const char *kind;      /* "tune", "recheck", "import"; NULL is as the first */
	const char *seed;
};
/* Status 'running' until finished.  SCANRT_ERROR_DATABASE_BUSY where another live tuner holds the device is the
 * caller's to decide: srt_db_running lists the unfinished runs of a device. */
int srt_db_begin_run(struct srt_db *db, struct srt_db_run *run); /* fills run->id */
int srt_db_finish_run(
	struct srt_db *db, int64_t run, const char *status); /* "complete", "budget", "interrupted", "failed" */

/* What the machine was like: the median SM clock (0: unknown), processes of others on the device at most, and a remark
 * (NULL: none). */
int srt_db_note_run(struct srt_db *db, int64_t run, int clock_mhz, int foreign_processes, const char *note);

struct srt_db_running {
	int64_t id;
	int64_t pid;
	int64_t start_ticks;
	char boot_id[64];
};
int srt_db_running(struct srt_db *db, int64_t device, struct srt_db_running *rows, size_t capacity, size_t *count);

/* The copy ceiling of a run: bytes read (as many are written), and the best copy's time. */
int srt_db_put_roofline(struct srt_db *db, int64_t run, uint64_t bytes, double copy_us, const char *method);

/* ---- Trials: every variant that was considered, and what came of it ---- */

struct srt_db_trial {
	int64_t run;
	int64_t problem;
	const char *variant; /* canonical text */
	const char *klass;   /* "tile", "few", "small", "wave", "waves", "swell", "medium", "large"; "" before timing */
	uint64_t count;      /* elements timed; 0 before timing */
	const char *status;  /* running ok pruned compile launch wrong timeout crash noisy implausible */
	int samples;
	double us; /* median; 0: not timed */
	double low_us;
	double high_us;
	int clock_mhz; /* 0: unknown */
	int registers;
	const char *note; /* the reason, for people */
	const char *stage; /* "race" or "final": what the times are of; NULL: no times */
	double ratio;     /* of its times in the finals to the winner's, round by round; 0: was in none */
	double low_ratio;
	double high_ratio;
};
/* One row per (run, problem, variant, class): put again to update. */
int srt_db_put_trial(struct srt_db *db, const struct srt_db_trial *trial);

/* What an earlier run left, for resuming: calls `each` for every trial of the device, source hash and problem that is
 * newer than the last complete tuning run, in the order written.  Strings live during the call.  A non-zero return
 * stops. */
typedef int (*srt_db_trial_function)(void *user, const struct srt_db_trial *trial);
int srt_db_each_trial(struct srt_db *db, int64_t device, const char *source_hash, int64_t problem,
	srt_db_trial_function each, void *user);

/* Every time that was measured for a problem by kernels of this source hash, on the device with this fingerprint, or
 * on all where that is NULL: by device and count, the fastest first.  Strings live during the call.  A non-zero return
 * stops. */
struct srt_db_timed {
	const char *variant;
	uint64_t count;
	double us;
	double low_us; /* 0: no interval */
	double high_us;
	const char *device;
	bool is_modelled;
};
typedef int (*srt_db_timed_function)(void *user, const struct srt_db_timed *timed);
int srt_db_each_timed(struct srt_db *db, const char *fingerprint, const char *source_hash, const char *problem,
	srt_db_timed_function each, void *user);

/* Variants that were wrong, hung or crashed in any run of this device and source hash: a put of such a trial marks the
 * variant, a later put of "ok" takes the mark away.  note, where not NULL, gets
 * "wrong: ..." and the trial's reason. */
int srt_db_find_poison(struct srt_db *db, int64_t device, const char *source_hash, int64_t problem, const char *variant,
	bool *found, struct srt_strbuf *note);

/* ---- Choices ---- */

struct srt_db_choice {
	int64_t id;
	char problem[96]; /* the problem's name */
	char klass[16];
	uint64_t low_count; /* serves counts from low_count to high_count */
	uint64_t high_count;
	uint64_t count; /* measured at */
	char variant[160];
	double us;
	double low_us;
	double high_us;
	double default_us; /* the compiled-in default at the same count */
	double copy_us;
	char fingerprint[256];
	char source_hash[33];
	char reason[160];
	char tuned_at[32]; /* ISO 8601, UTC */
	char border[12];   /* mostly written only; what ends the range: "measured", "middle", "reach", "open" */
	bool is_modelled;
	int moved_bytes; /* read and written for each element; srt_db_each_choice() only */
	bool is_similar; /* set by look-up: another problem of the same size and class, or a relative of the device */
};
/* One row per (device, source hash, problem, class): put again to replace. */
int srt_db_put_choice(int64_t *id, struct srt_db *db, int64_t run, int64_t device, int64_t problem,
	const struct srt_db_choice *choice);

struct srt_db_lookup {
	const char *fingerprint;
	const char *family; /* NULL: do not look at relatives of the device */
	const char *source_hash;
	const char *problem; /* "sum i32" */
	const char *op_class;
	int type_bytes; /* these two as in struct srt_db_problem */
	int moved_bytes;
};
/* All size classes of the best answer, ordered by low_count: same device and problem; else same device, same sizes of
 * input and output and class of operator; else the same two for a device of the family.  count 0: nothing fits. */
int srt_db_find_choices(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count);
/* All choices, for `scantune list` and `show`; problem NULL: every problem. */
typedef int (*srt_db_choice_function)(void *user, const struct srt_db_choice *choice, const char *device_name);
int srt_db_each_choice(struct srt_db *db, const char *problem, srt_db_choice_function each, void *user);

/* The same of the kernels that each device was tuned with last, with all that a stranger wants to know of them: by
 * device, problem and count.  Strings live during the call.  A non-zero return stops. */
struct srt_db_measured {
	struct srt_db_choice choice; /* border is read here */
	struct srt_db_device device;
	const char *kernels; /* the source hash of what was measured */
	const char *compiler;
	int driver_version;
	const char *effort;
	const char *version; /* of scantune */
};
typedef int (*srt_db_measured_function)(void *user, const struct srt_db_measured *measured);
int srt_db_each_measured(struct srt_db *db, srt_db_measured_function each, void *user);
/* Of a file that is made of such a text: every time of day becomes that of the choices. */
int srt_db_set_dates(struct srt_db *db);

/* ---- Images ---- */

struct srt_db_image {
	char recipe[33];
	char key[33];
	char entry[40];
	char codegen[8];
	char arch[16];
	char toolchain[64];
	char problem[128]; /* exact form: "sum i32 exclusive" */
	char variant[160];
	int registers;
	int shared_bytes;
	int local_bytes;
	bool is_unverified; /* set by look-up: a program kept it, and nobody has compared what it gives */
	void *bytes; /* malloc'ed by srt_db_find_image, freed by the caller; hash checked */
	size_t size;
};
int srt_db_put_image(struct srt_db *db, int64_t run, const struct srt_db_image *image); /* one that was verified */
/* For programs that keep what they had to compile: no run, not verified, and only the latest 256 of these stay. */
int srt_db_keep_image(struct srt_db *db, const struct srt_db_image *image);
/* What was kept so and nobody has verified, oldest first; and what came of it: right, or dropped.  Strings live during
 * the call.  A non-zero return stops. */
struct srt_db_kept {
	const char *key;
	const char *recipe;
	const char *problem; /* exact form */
	const char *variant;
};
typedef int (*srt_db_kept_function)(void *user, const struct srt_db_kept *kept);
int srt_db_each_kept(struct srt_db *db, srt_db_kept_function each, void *user);
int srt_db_judge_kept(struct srt_db *db, const char *key, bool is_right);
/* The newest image of a recipe; found false where there is none; SCANRT_ERROR_DATABASE_CORRUPT where its hash does
 * not match.  codegen NULL: any. */
int srt_db_find_image(
	struct srt_db *db, const char *recipe, const char *codegen, struct srt_db_image *image, bool *found);
/* The same by its key, or by a part of that from its begin which only one kernel has; of any other, found is false. */
int srt_db_find_kernel(struct srt_db *db, const char *key, struct srt_db_image *image, bool *found);

/* ---- Housekeeping ---- */

/* Drops images that no current choice needs and that are not the last run's. */
int srt_db_prune_images(struct srt_db *db, int64_t *dropped);

struct srt_db_pruned {
	int64_t runs;
	int64_t trials;
	int64_t choices; /* of kernels that the runs that are kept do not know any more */
	int64_t images;
};
struct srt_db_bounds {
	int runs;      /* the last ones of each device; at least 1 */
	int64_t bytes; /* of the file; 0: no bound */
};
/* That, and what came of all but the last runs of each device and those that a choice is of; of a choice's run that is
 * older, the finalists stay.  Where that is more than `bytes`, of fewer runs and then more, but never a choice, its
 * finalists or its machine code.  The room stays in the file for what comes next. */
int srt_db_bound(struct srt_db *db, const struct srt_db_bounds *bounds);
/* That; and gives the room back to the file system, unless it is a rehearsal, after which all is as it was. */
int srt_db_prune(
	struct srt_db *db, const struct srt_db_bounds *bounds, bool is_rehearsal, struct srt_db_pruned *pruned);
/* Where the file is more than that, machine code that no choice is of goes, the last run's too: of defaults, say. */
int srt_db_slim(struct srt_db *db, int64_t bytes);
/* Gives the room back where it is a quarter of the file: what took it, images that were measured anew, say, is gone. */
int srt_db_tidy(struct srt_db *db);

/* Copies the choices, and with_images their machine code, to a new file: what is worth giving away. */
int srt_db_export(struct srt_db *db, const char *path, bool with_images);

int srt_db_drop_choice(struct srt_db *db, int64_t choice);

/* Looks at every page, every seal and every image: a failure tells the first that is not as it was written. */
struct srt_db_health {
	int version;
	int64_t bytes;
	int64_t choices;
	int64_t images;
};
int srt_db_check(struct srt_db *db, struct srt_db_health *health);

/* ---- Why a choice is what it is ---- */

struct srt_db_rival {
	const char *device;
	const char *klass;
	const char *variant;
	const char *status;
	const char *stage;  /* "final", "race" or "" */
	const char *reason; /* of the winner the rule that decided; of others, what was wrong with them */
	bool is_chosen;
	bool is_modelled;
	int samples;
	int registers;
	int clock_mhz;
	uint64_t count;
	double us;
	double low_us;
	double high_us;
	double ratio; /* to the winner's time; 0: unknown */
	double low_ratio;
	double high_ratio;
};
/* Of the choice of this source hash that serves `count`, on each device that has one: the winner, then by time. */
typedef int (*srt_db_rival_function)(void *user, const struct srt_db_rival *rival);
int srt_db_each_rival(struct srt_db *db, const char *source_hash, const char *problem, uint64_t count,
	srt_db_rival_function each, void *user);

#endif
