/* SPDX-License-Identifier: MIT
 *
 * A problem file on its way: its statements, read but not understood.  Only the two that read files include this.
 */
#ifndef TUNE_DRAFT_H
#define TUNE_DRAFT_H

#include "problem_file.h"

/* The words behind a statement, which can be read only once the types are known. */
struct tune_words {
	char *rest;
	int line;        /* 0: the statement is not there */
};

struct tune_layout_words {
	const char *type;
	struct tune_words words;
};

struct tune_draft {
	struct tune_described *made;
	const char *name;
	char *rest;      /* of the file; lines are cut out of it where it stands */
	int line;
	struct tune_layout_words layouts[TUNE_TYPES_MAX + SRT_ROLES];
	size_t layout_count;
	struct tune_words roles[SRT_ROLES];
	struct tune_words op, identity, commutative, state, load, store, initial, mode, tolerance;
	const char *op_name, *op_text, *load_text, *store_text;
};

/* "FILE:LINE: ..." */
int tune_draft_fail(const struct tune_draft *draft, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* problem_file.c: all lines; strings point into the text, which is cut where it stands. */
int tune_draft_read(struct tune_draft *draft);
/* described.c: what they mean. */
int tune_draft_finish(struct tune_draft *draft);

#endif
