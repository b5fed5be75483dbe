/* SPDX-License-Identifier: MIT
 *
 * What the emulated device counted in one launch.  It appends a line, a JSON object, to the file that
 * SCANRT_EMU_COUNTERS names; nothing else is known of it here.
 */
#ifndef TUNE_COUNTERS_H
#define TUNE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

struct tune_counters {
	char path[64];
	char *line; /* of the last launch between begin and end; "" where there was none */
	int launches;          /* between them */
	uint64_t global_words; /* of 4 bytes, that all of them read or wrote in global memory */
};

bool tune_counters_begin(struct tune_counters *counters); /* false: no temporary file */
void tune_counters_end(struct tune_counters *counters);
void tune_counters_free(struct tune_counters *counters);
/* A line for each count that is not 0, with its share of an element. */
void tune_counters_print(const struct tune_counters *counters, uint64_t count);

#endif
