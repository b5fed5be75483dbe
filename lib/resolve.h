/* SPDX-License-Identifier: MIT
 *
 * Which variant serves which counts.  Rules are asked in order, and each may answer with variants for ranges of
 * counts: the pin; the database files for this very device and problem; the same for a relative of either; what is
 * compiled in.  Whoever finds that an answer cannot be had (no image, no compiler) goes on to the next rule.
 */
#ifndef SRT_RESOLVE_H
#define SRT_RESOLVE_H

#include "catalog.h"
#include "device.h"
#include "problem.h"
#include "variant.h"

struct srt_class {
	uint64_t low_count;
	uint64_t high_count;
	struct srt_variant variant;
	int origin;         /* enum scanrt_origin */
	int64_t choice;     /* rowid, or 0 */
	const char *file;   /* the catalog's path that answered, or "" */
};

#define SRT_CLASSES_MAX 16

/* Ordered, without overlap, between 1 and the problem's max_count; gaps are for the next rule. */
struct srt_answer {
	struct srt_class classes[SRT_CLASSES_MAX];
	size_t count;
};

struct srt_request {
	const struct srt_problem *problem;
	const struct srt_device *device;
	/* The device's fingerprint, for a file that knows a device like this one, but not this board: to tell the two
	 * apart may take the driver a millisecond.  "" where it cannot be made. */
	const char *(*ask_fingerprint)(void *user);
	void *user;
	const char *family;
	const char *pin;             /* a variant's text, or NULL */
	const char *pin_variable;    /* of the environment, that has the pin; NULL: the program has */
	bool is_reproducible;
	struct srt_reading *reading;
	struct srt_account *account;
};

/* Goes on from *rule, which begins at 0, to the first rule that has an answer, and leaves *rule behind it.  No classes:
 * the rules are exhausted.  A pin that does not parse or fit is a failure, and so is a device that nothing fits; a
 * database that cannot be read is not. */
int srt_resolve(struct srt_answer *answer, const struct srt_request *request, int *rule);

#endif
