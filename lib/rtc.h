/* SPDX-License-Identifier: MIT
 *
 * NVRTC, loaded at run time, and optional: an image from the database needs no compiler.
 */
#ifndef SRT_RTC_H
#define SRT_RTC_H

#include <stdbool.h>
#include <stddef.h>

#include "source.h"
#include "strbuf.h"

struct srt_rtc;

/* Loads NVRTC, once per process and library file, and never unloads it.  SCANRT_LIBNVRTC names the only file that is
 * tried; without it the usual names are looked for where the loader looks, in the directory that configure found, in
 * CUDA_HOME and in /usr/local/cuda.  A failure is not remembered.  Threads may call at once. */
int srt_rtc_open(const struct srt_rtc **rtc);

int srt_rtc_version(const struct srt_rtc *rtc);           /* 13000, as the driver writes versions */
const char *srt_rtc_toolchain(const struct srt_rtc *rtc); /* "nvrtc 13.0 build 65be0db342ad51a0" */
const char *srt_rtc_path(const struct srt_rtc *rtc);      /* the file that was loaded, as far as it is known */

/* The architectures that this NVRTC makes machine code for, ascending: 75, 80, ...; index from 0, 0 at the end. */
int srt_rtc_arch_at(const struct srt_rtc *rtc, int index);
bool srt_rtc_has_arch(const struct srt_rtc *rtc, int capability);
/* The newest one not beyond the capability; 0 where there is none. */
int srt_rtc_nearest_arch(const struct srt_rtc *rtc, int capability);

struct srt_rtc_job {
	const struct srt_source *sources; /* ends with a NULL name; all but the entry are headers in memory */
	const char *entry;                /* the name of the one to compile */
	const char *const *options;
	size_t option_count;
	bool is_ptx;                      /* else the machine code of a real architecture */
};

/* Compiles.  *bytes is malloc'ed; PTX is terminated, and its size is that of the text.  log, if not NULL, gets the
 * compiler's messages, warnings included.  SCANRT_ERROR_COMPILE is the source's fault, SCANRT_ERROR_COMPILER is not. */
int srt_rtc_compile(void **bytes, size_t *size, const struct srt_rtc *rtc, const struct srt_rtc_job *job,
	struct srt_strbuf *log);

#endif
