/* SPDX-License-Identifier: MIT
 *
 * The text that stands for kernels/user_text.cuh where a problem has parts of the caller's.
 */
#ifndef SRT_USER_TEXT_H
#define SRT_USER_TEXT_H

#include "user.h"

/* What the caller gave, read and checked; the strings are still the caller's. */
struct srt_user_parts {
	struct scanrt_user_type types[SRT_ROLES]; /* where the role's type is the caller's */
	bool is_user[SRT_ROLES];
	struct scanrt_user_operator op;           /* its text NULL: built-in */
	const char *load;
	const char *store;
};

/* Fills text and mark; the rest of the user is complete. */
int srt_user_text_make(struct srt_user *user, const struct srt_user_parts *parts);

#endif
