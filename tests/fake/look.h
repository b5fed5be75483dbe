/* SPDX-License-Identifier: MIT
 *
 * What a program sees of one count: a context and a plan are made on the scripted driver, asked, and gone.
 */
#ifndef FAKE_LOOK_H
#define FAKE_LOOK_H

#include "scanrt.h"

struct seen {
	int status; /* of the first call that failed */
	struct scanrt_plan_description description;
	char text[8192];
};

/* The sum of i32.  database as in the context's options; second, if not NULL, is looked at behind it. */
void look_at(struct seen *seen, const char *database, const char *second, uint64_t count, uint32_t flags);

#endif
