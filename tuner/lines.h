/* SPDX-License-Identifier: MIT
 *
 * Result lines: JSON objects as compare, bench and bench/table print them, read back for tables and plots.
 */
#ifndef TUNE_LINES_H
#define TUNE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What of a line is of use here; texts that are missing are "", numbers 0. */
struct tune_line {
	char gpu[96];
	char type[40];
	char op[24];
	char mode[16];
	char layout[32];
	char variant[160];
	char origin[16];
	char row[40];      /* comparisons: the strategy, the peer, the copy */
	char kind[16];     /* comparisons: taught tuned tried library peer copy */
	char peer[40];
	uint64_t count;
	int items;
	int launches;
	double us;
	double low_us;
	double high_us;
	double copy_us;
	double share;
	double peer_us;
	double ratio;
	double words;
	double rate;       /* GB/s */
	double times_slowest;
	bool is_modelled;
};

/* False for what is no object with a time in it. */
bool tune_line_parse(struct tune_line *line, const char *text);

/* Every line of a file that parses; *count 0 where there is none.  The caller frees the list; NULL: no memory. */
struct tune_line *tune_lines_read(size_t *count, FILE *file);

/* A table for README.md: the head, then a row a line; of comparisons, or of cases with a peer. */
void tune_line_print_markdown_head(void);
void tune_line_print_markdown(const struct tune_line *line);
/* All lines, under a title for each GPU, problem and count. */
void tune_lines_print_markdown(const struct tune_line *lines, size_t count);

/* 1000 as "1000", 2^20 as "2^20", 10^6 as "1e6". */
void tune_format_count(char *text, size_t size, uint64_t count);

#endif
