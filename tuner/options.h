/* SPDX-License-Identifier: MIT
 *
 * The command line of scantune.
 */
#ifndef TUNE_OPTIONS_H
#define TUNE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tune_exit {
	TUNE_EXIT_COMPLETE = 0,
	TUNE_EXIT_USAGE = 1,
	TUNE_EXIT_BUDGET = 2,   /* the time ended, or Ctrl-C: what was found is kept and usable */
	TUNE_EXIT_DEVICE = 3,   /* no such device */
	TUNE_EXIT_DATABASE = 4, /* not writable, or in use by another tuner */
	TUNE_EXIT_LOST = 5      /* the device was lost on the way */
};

/* What a run of the search is for. */
enum tune_task { TUNE_TASK_TUNE, TUNE_TASK_RECHECK, TUNE_TASK_VERIFY, TUNE_TASK_IMPORT, TUNE_TASK_DIFF };

enum tune_effort { TUNE_QUICK, TUNE_NORMAL, TUNE_THOROUGH };
const char *tune_effort_name(enum tune_effort effort);

enum { TUNE_TARGET_MAX = 128, TUNE_CLASS_MAX = 8 };

struct tune_described;

/* One type and operator to be tuned; type 0: the problem of --problem. */
struct tune_target {
	int type;
	int op;
	bool is_reproducible; /* among the variants of SCANRT_REPRODUCIBLE's order */
};

struct tune_options {
	const char *command;    /* "tune", "devices", "list", ... */
	const char *device;
	enum tune_effort effort;
	enum tune_task task;
	double seconds;         /* 0: no limit */
	struct tune_described *described; /* --problem, or NULL; as long as the process */
	struct tune_target targets[TUNE_TARGET_MAX];
	size_t target_count;
	int modes[2];           /* the first is the one that is tuned, all are verified and kept */
	size_t mode_count;
	uint64_t counts[TUNE_CLASS_MAX]; /* one of a size class each; none: the classes' own */
	size_t count_count;
	const char *database;   /* NULL: SCANRT_DB, else the user's file */
	bool is_system;
	int codegen;            /* enum srt_codegen */
	int jobs;
	uint64_t seed;
	const char *variant;    /* bench only */
	int repeat;             /* bench only */
	bool is_counting;       /* bench only */
	bool is_sweeping;       /* compare only: every count from 1000 on */
	bool is_markdown;       /* compare only */
	const char *vary;       /* compare only: a knob's name */
	const char *file;       /* the operand: result lines of an earlier run, or a database; NULL: none */
	const char *against;    /* the second operand of diff */
	const char *output;     /* plot and vendor */
	char **operands;        /* as they are; of vendor, the texts */
	size_t operand_count;
	bool is_reproducible;   /* bench, show, why; of a tuning run: those, too, although it is quick */
	bool wants_text;        /* export: choices to read, and no database */
	bool wants_gains;       /* list only: what was won, and no more */
	bool checks_operator;   /* that of the problem, and no more */
	bool is_restart;
	bool requires_quiet;
	bool with_images;       /* export and import */
	int keep;               /* prune: so many runs of each device */
	int64_t most_bytes;     /* prune: of the file; 0: no limit */
	const char *sources;    /* vendor: the folder whose kernels this scantune has to have */
	const char *image;      /* export: the key of a kernel, whose machine code is wanted alone */
	bool is_dry_run;
	bool is_json;
	bool is_quiet;
	bool is_verbose;
	char line[512];         /* the command line, for the database */
};

extern const char tune_usage_text[];
extern const char tune_help_text[];

/* operands.c: the command and its operands; types and operators are given back as texts.  False: usage, which has been
 * said. */
bool tune_take_operands(struct tune_options *options, const char **types, const char **ops, bool has_problem, int argc,
	char **argv);

/* True to go on; else *exit_status is what to leave with, and whatever was to be said has been said. */
bool tune_options_parse(struct tune_options *options, int *exit_status, int argc, char **argv);

#endif
