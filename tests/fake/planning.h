/* SPDX-License-Identifier: MIT
 *
 * One context on the scripted driver, and plans made and refused in it.
 */
#ifndef FAKE_PLANNING_H
#define FAKE_PLANNING_H

#include "context.h"
#include "fake.h"

/* What the driver has given to the one context: itself, its memory for workspaces, and a stream to clear that on. */
enum { HELD_BY_CONTEXT = 3 };

extern struct fake_driver *fake;
extern struct fake_compiler *compiler;
extern struct scanrt_context *context;
extern struct scanrt_problem problem; /* the sum of i32, after reset() */

void planning_begin(void);
int planning_end(void); /* main()'s exit status */

void reset(void); /* driver, compiler and problem as they were in the beginning */
struct scanrt_plan *make(const struct scanrt_plan_options *options);
int refuse(const struct scanrt_plan_options *options); /* the status with which no plan is made */

#endif
