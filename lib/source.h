/* SPDX-License-Identifier: MIT
 *
 * The kernels' text, embedded at build time by kernels/embed.sh: the generated sources.c defines this table.
 */
#ifndef SRT_SOURCE_H
#define SRT_SOURCE_H

#include <stddef.h>

struct srt_source {
	const char *name; /* as #include names it: "policy.cuh"; the entry file is "scan.cu" */
	const char *text;
	size_t length;    /* without the terminator */
};

extern const struct srt_source srt_sources[]; /* ends with a NULL name */

#endif
