/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "SCANRT_EMU_COUNTERS"
#define FIRST_COUNT "\"warp_instructions\"" /* what stands before it is about the launch, not counted */

/* Whatever file the user has named gets nothing of this one launch. */
bool tune_counters_begin(struct tune_counters *counters)
{
	const char *folder = getenv("TMPDIR");
	int file;

	memset(counters, 0, sizeof *counters);
	snprintf(counters->path, sizeof counters->path, "%s/scantune-XXXXXX",
		folder && *folder && strlen(folder) < 32 ? folder : "/tmp");
	file = mkstemp(counters->path);
	if (file < 0)
		return false;
	close(file);
	return setenv(VARIABLE, counters->path, 1) == 0;
}

static uint64_t number_of(const char *line, const char *name)
{
	const char *at = strstr(line, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

static void read_lines(struct tune_counters *counters)
{
	FILE *file = fopen(counters->path, "r");
	size_t room = 0;

	if (!file)
		return;
	while (getline(&counters->line, &room, file) > 0) {
		counters->launches++;
		counters->global_words += number_of(counters->line, "\"global_load_words\":");
		counters->global_words += number_of(counters->line, "\"global_store_words\":");
	}
	/* getline leaves the last line in place when it finds no more, unless there was none at all. */
	fclose(file);
	if (counters->line)
		counters->line[strcspn(counters->line, "\n")] = '\0';
}

void tune_counters_end(struct tune_counters *counters)
{
	unsetenv(VARIABLE);
	read_lines(counters);
	unlink(counters->path);
}

void tune_counters_free(struct tune_counters *counters)
{
	free(counters->line);
	counters->line = NULL;
}

void tune_counters_print(const struct tune_counters *counters, uint64_t count)
{
	const char *at = counters->line ? strstr(counters->line, FIRST_COUNT) : NULL;
	char name[40];
	uint64_t value;
	int length;

	while (at && sscanf(at, "\"%39[a-z_]\":%" SCNu64 "%n", name, &value, &length) == 2) {
		if (value)
			printf("    %-24s %14" PRIu64 "  %12.4f an element\n", name, value,
				(double)value / (double)count);
		at += length;
		at = *at == ',' ? at + 1 : NULL;
	}
}
