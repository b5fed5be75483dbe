/* SPDX-License-Identifier: MIT
 *
 * A comparison as a table, as JSON lines, or as Markdown.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare.h"
#include "json.h"
#include "lines.h"
#include "rtc.h"

/* ---- Figures ---- */

/* The better copy is the ceiling. */
static double copy_us(const struct tune_compare *compare)
{
	double us = 0;

	for (size_t i = 0; i < compare->row_count; i++) {
		const struct tune_compared *row = &compare->rows[i];

		if (row->kind == TUNE_ROW_COPY && row->summary.count && (us == 0 || row->summary.median < us))
			us = row->summary.median;
	}
	return us;
}

static double slowest_us(const struct tune_compare *compare)
{
	double us = 0;

	for (size_t i = 0; i < compare->row_count; i++)
		if (compare->rows[i].kind != TUNE_ROW_COPY && compare->rows[i].summary.median > us)
			us = compare->rows[i].summary.median;
	return us;
}

static const struct tune_compared *find_peer(const struct tune_compare *compare)
{
	for (size_t i = 0; i < compare->row_count; i++)
		if (compare->rows[i].kind == TUNE_ROW_PEER)
			return &compare->rows[i];
	return NULL;
}

static const char *kind_name(enum tune_row_kind kind)
{
	switch (kind) {
	case TUNE_ROW_COPY: return "copy";
	case TUNE_ROW_TAUGHT: return "taught";
	case TUNE_ROW_TUNED: return "tuned";
	case TUNE_ROW_TRIED: return "tried";
	case TUNE_ROW_VARIED: return "varied";
	case TUNE_ROW_LIBRARY: return "library";
	default: return "peer";
	}
}

/* ---- A row as a line of results, and back ---- */

/* First the keys of every result; what only comparisons have stands behind them. */
static void print_json(const struct tune_compare *compare, const struct tune_compared *row)
{
	const struct srt_device *device = &compare->gpu->device;
	const struct tune_compared *peer = row->plan ? find_peer(compare) : NULL;
	const struct srt_rtc *rtc = NULL;
	double bytes = 2.0 * (double)compare->klass.timing.count * (double)srt_type_size(compare->problem.input_type);
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "gpu", device->name);
	tune_json_integer(&out, "driver", device->driver_version);
	tune_json_text(&out, "nvrtc", srt_rtc_open(&rtc) == SCANRT_OK ? srt_rtc_toolchain(rtc) : NULL);
	tune_json_text(&out, "commit", getenv("SCANTUNE_COMMIT"));
	tune_json_text(&out, "type", srt_type_name(compare->problem.input_type));
	tune_json_text(&out, "op", srt_op_name(compare->problem.op));
	tune_json_text(&out, "mode", compare->problem.is_exclusive ? "exclusive" : "inclusive");
	tune_json_integer(&out, "count", (long long)compare->klass.timing.count);
	tune_json_text(&out, "layout", "contiguous");
	tune_json_text(&out, "variant", row->variant[0] ? row->variant : NULL);
	tune_json_text(&out, "origin", row->origin[0] ? row->origin : NULL);
	tune_json_number(&out, "us", row->summary.median);
	tune_json_number(&out, "low_us", row->summary.low);
	tune_json_number(&out, "high_us", row->summary.high);
	tune_json_number(&out, "copy_us", copy_us(compare));
	tune_json_number(&out, "share", copy_us(compare) / row->summary.median);
	tune_json_text(&out, "peer", peer ? peer->name : NULL);
	tune_json_number(&out, "peer_us", peer ? peer->summary.median : NAN);
	tune_json_number(&out, "ratio", peer ? peer->summary.median / row->summary.median : NAN);
	tune_json_text(&out, "row", row->name);
	tune_json_text(&out, "kind", kind_name(row->kind));
	tune_json_integer(&out, "items", row->items);
	tune_json_integer(&out, "launches", row->contender.nodes);
	tune_json_number(&out, "words", row->words > 0 ? row->words : NAN);
	tune_json_number(&out, "gb_per_s", bytes / row->summary.median * 1e-3);
	tune_json_number(&out, "times_slowest", slowest_us(compare) / row->summary.median);
	tune_json_boolean(&out, "is_modelled", device->is_emulated == 1);
	tune_json_print(&out);
}

/* ---- The table for people ---- */

void tune_compare_print_head(const struct tune_compare *compare)
{
	const struct srt_device *device = &compare->gpu->device;

	if (compare->options->is_json)
		return;
	printf("%s%s%s\n", compare->options->is_markdown ? "### " : "", device->name,
		device->is_emulated == 1 ? ": words are counted, times are modelled, and say nothing of a GPU" : "");
	if (!compare->options->is_markdown && compare->peers == NULL)
		printf("no other libraries: %s\n", compare->no_peers);
}

static void print_title(const struct tune_compare *compare)
{
	char count[32];

	tune_format_count(count, sizeof count, compare->klass.timing.count);
	printf("\n%s%s of %s elements; medians of %d, with their 95 %% intervals\n", compare->problem_name,
		compare->problem.is_exclusive ? " exclusive" : "", count, compare->rows[0].summary.count);
}

static int format_name(char *text, size_t size, const struct tune_compared *row)
{
	return snprintf(text, size, row->kind == TUNE_ROW_TAUGHT ? "%s, %d item%s" : "%s", row->name, row->items,
		row->items == 1 ? "" : "s");
}

/* Of the first column; names of varied rows are longer than most. */
static int width_of(const struct tune_compare *compare)
{
	int width = 24;
	char what[64];

	for (size_t i = 0; i < compare->row_count; i++) {
		int length = format_name(what, sizeof what, &compare->rows[i]);

		width = length > width ? length : width;
	}
	return width;
}

static void print_line(const struct tune_compare *compare, const struct tune_compared *row, int width)
{
	double bytes = 2.0 * (double)compare->klass.timing.count * (double)srt_type_size(compare->problem.input_type);
	char what[64], words[16] = "", interval[40] = "";

	format_name(what, sizeof what, row);
	if (row->words > 0)
		snprintf(words, sizeof words, "%.3g", row->words);
	if (row->summary.low < row->summary.high)
		snprintf(interval, sizeof interval, "%.2f-%.2f", row->summary.low, row->summary.high);
	printf("%-*s %-8s %8d %6s %10.2f %19s %8.1f %6.1f%% %7.2fx  %s\n", width, what, row->origin,
		row->contender.nodes, words, row->summary.median, interval, bytes / row->summary.median * 1e-3,
		100 * copy_us(compare) / row->summary.median, slowest_us(compare) / row->summary.median, row->variant);
}

static void print_markdown(const struct tune_compare *compare, const struct tune_compared *row)
{
	double bytes = 2.0 * (double)compare->klass.timing.count * (double)srt_type_size(compare->problem.input_type);
	struct tune_line line = { .launches = row->contender.nodes, .items = row->items, .us = row->summary.median,
				  .low_us = row->summary.low, .high_us = row->summary.high, .words = row->words,
				  .rate = bytes / row->summary.median * 1e-3,
				  .share = copy_us(compare) / row->summary.median,
				  .times_slowest = slowest_us(compare) / row->summary.median };

	snprintf(line.row, sizeof line.row, "%s", row->name);
	snprintf(line.kind, sizeof line.kind, "%s", kind_name(row->kind));
	snprintf(line.variant, sizeof line.variant, "%s", row->variant);
	tune_line_print_markdown(&line);
}

void tune_compare_print(const struct tune_compare *compare)
{
	const struct tune_options *options = compare->options;
	int width = width_of(compare);

	if (!options->is_json)
		print_title(compare);
	if (options->is_markdown)
		tune_line_print_markdown_head();
	else if (!options->is_json)
		printf("%-*s %-8s %8s %6s %10s %19s %8s %7s %8s  %s\n", width, "strategy", "how", "launches", "words",
			"us", "95 % interval", "GB/s", "copy", "slowest", "variant");
	for (size_t i = 0; i < compare->row_count; i++) {
		if (options->is_json)
			print_json(compare, &compare->rows[i]);
		else if (options->is_markdown)
			print_markdown(compare, &compare->rows[i]);
		else
			print_line(compare, &compare->rows[i], width);
	}
	if (!options->is_json && compare->left_out[0])
		printf("%sleft out, since one launch of theirs does not take as many elements: %s\n",
			options->is_markdown ? "\n" : "", compare->left_out);
	fflush(stdout);
}
