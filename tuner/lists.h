/* SPDX-License-Identifier: MIT
 *
 * Lists and quantities on the command line.
 */
#ifndef TUNE_LISTS_H
#define TUNE_LISTS_H

#include <stdbool.h>

#include "options.h"

/* Each says on stderr what it does not understand, and returns false. */
bool tune_parse_count(uint64_t *count, const char *text);     /* 1000, 1e6, 2^20, 64Ki, 1Mi, 1Gi */
bool tune_parse_seconds(double *seconds, const char *text);   /* 90, 90s, 10m, 1h */
bool tune_parse_bytes(int64_t *bytes, const char *text);      /* 4000000, 4k, 4M, 1G: powers of 1000 */
bool tune_parse_counts(struct tune_options *options, const char *list);
bool tune_parse_modes(struct tune_options *options, const char *list);

/* The problems that --type, --op and --all ask for; either list may be NULL. */
bool tune_parse_targets(struct tune_options *options, const char *types, const char *ops, bool is_all);
/* Those among them that round, once more: in SCANRT_REPRODUCIBLE's order. */
void tune_add_reproducible(struct tune_options *options);

#endif
