/* SPDX-License-Identifier: MIT
 *
 * What a caller brings to a problem, copied: the text for the compiler, sizes, the initial value of a large type.
 * Immutable, and counted: copies of a problem share it.  Pure; knows no driver.
 */
#ifndef SRT_USER_H
#define SRT_USER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "scanrt.h"

enum srt_role { SRT_INPUT, SRT_ACCUMULATOR, SRT_OUTPUT, SRT_ROLES };

#define SRT_USER_NAME_SIZE 64

/* The element that plays one of the roles, built-in or not. */
struct srt_user_role {
	char name[SRT_USER_NAME_SIZE]; /* for people */
	size_t size;                   /* bytes */
	size_t alignment;
};

struct srt_user {
	atomic_int references;
	struct srt_user_role roles[SRT_ROLES];
	char operator_name[SRT_USER_NAME_SIZE]; /* "" for a built-in operator */
	bool is_commutative;
	bool has_identity;
	bool has_state;
	bool has_load;
	bool has_store;
	bool is_kept_in_output; /* accumulators can lie in the output array: one type, and no conversion */
	const void *state;      /* on the device */
	unsigned char *initial; /* the initial value's bytes, where they are too many for the launch's arguments */
	char *text;             /* what the kernels include as user_text.cuh; hashed into every recipe */
	char mark[17];          /* of that text: 16 hexadecimal digits */
};

/* Checks what is given and copies it.  NULL, with SCANRT_OK, where the problem has nothing of the caller's.  The given
 * problem's types are resolved: none is SCANRT_TYPE_DEFAULT, but descriptions may stand at another role of the type. */
int srt_user_create(struct srt_user **user, const struct scanrt_problem *given);
struct srt_user *srt_user_share(struct srt_user *user); /* one reference more; NULL is fine */
void srt_user_release(struct srt_user *user);           /* NULL is fine */

#endif
