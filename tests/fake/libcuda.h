/* SPDX-License-Identifier: MIT
 *
 * What the files of the scripted driver share.
 */
#ifndef FAKE_LIBCUDA_H
#define FAKE_LIBCUDA_H

#include <cuda.h>

#include "fake.h"

extern struct fake_driver script;

struct fake_row {
	const char *name;
	void (*function)(void);
};

/* Functions about modules, launches and streams; ends with a NULL name. */
extern const struct fake_row fake_module_rows[];

#define ROW(name, function) { name, (void (*)(void))(function) }

/* Counts a call, and fails it where the script says so. */
CUresult fake_enter(const char *name);
#define ENTER(name) \
	do { \
		CUresult result_ = fake_enter(name); \
		if (result_ != CUDA_SUCCESS) \
			return result_; \
	} while (0)

/* For calls that concern the current context: whether there is one. */
bool fake_is_placed(void);
CUcontext fake_current(void);

#endif
