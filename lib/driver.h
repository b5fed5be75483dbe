/* SPDX-License-Identifier: MIT
 *
 * The CUDA driver, loaded at run time; the only header that brings in cuda.h.
 *
 * Every function of driver.def is a member of struct srt_driver, called as driver->cuMemAlloc(...).  cuda.h defines
 * some of these names as macros for the newest ABI (cuMemAlloc becomes cuMemAlloc_v2), which renames the member and
 * its uses alike; the type, and so the ABI that is called, is always the one that driver.def names.
 */
#ifndef SRT_DRIVER_H
#define SRT_DRIVER_H

#include <cuda.h>
#include <cudaTypedefs.h>
#include <stdbool.h>

struct srt_driver {
#define FN(name, version, need) PFN_##name##_v##version name;
#include "driver.def"
#undef FN
	int version; /* as cuDriverGetVersion: 13000 */
};

#define SRT_ORDINAL_CURRENT (-1)

/* Loads and initialises the driver for the device that the text names, once per process and library file, and never
 * unloads it.  "0", "1", ...: that ordinal of libcuda.so.1, or of the file that SCANRT_LIBCUDA names; "emu", "emu:1":
 * that ordinal of the emulated driver, which SCANRT_DRIVER=emu makes the meaning of plain ordinals too; NULL: ordinal
 * is SRT_ORDINAL_CURRENT, for the caller to take the current context.  Threads may call at once. */
int srt_driver_open(const struct srt_driver **driver, int *ordinal, const char *device);

/* Records a failed call: `status`, unless the result has a more telling one (no memory, no device, a sticky error,
 * stream capture, a wrong context).  The text names the call, the error and what the driver says about it. */
int srt_driver_fail(const struct srt_driver *driver, int status, CUresult result, const char *call);

/* SCANRT_OK, or srt_driver_fail() with SCANRT_ERROR_DRIVER. */
int srt_driver_status(const struct srt_driver *driver, CUresult result, const char *call);

/* One driver call as a status: status = SRT_CALL(driver, cuMemAlloc, (&address, size)). */
#define SRT_CALL(driver, function, arguments) srt_driver_status((driver), (driver)->function arguments, #function)

/* Whether a context that returned this will return it for ever. */
int srt_driver_is_sticky(CUresult result);

/* Makes `context` (a CUcontext) current for a group of calls, and puts the caller's back.  pop keeps the status: it
 * returns `status`, or its own failure where that is SCANRT_OK. */
int srt_driver_push(const struct srt_driver *driver, void *context);
int srt_driver_pop(const struct srt_driver *driver, int status);

/* The same for the one group that has to be fast: nothing is pushed where the context is current already, as it mostly
 * is. */
int srt_driver_enter(bool *is_pushed, const struct srt_driver *driver, void *context);
int srt_driver_leave(const struct srt_driver *driver, bool is_pushed, int status);

#endif
