/* SPDX-License-Identifier: MIT
 *
 * scantune plot: what compare measured, or what the database has, drawn by gnuplot.  Two panels: the strategies' rates
 * at one count, and the rates over the count.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db.h"
#include "image.h"
#include "lines.h"
#include "record.h"
#include "status.h"
#include "tune.h"
#include "variant.h"

#define SERIES_MAX 24

struct plot {
	const struct tune_options *options;
	struct tune_line *lines;
	size_t count;
	uint64_t bar_count;  /* the count whose rows become bars */
	size_t bars;
	char series[SERIES_MAX][64]; /* names of the curves */
	size_t series_count;
	FILE *gnuplot;
};

/* ---- What is drawn ---- */

static bool is_bar(const struct plot *plot, const struct tune_line *line)
{
	return line->count == plot->bar_count;
}

/* At one item a thread a strategy is a bar, but no curve: the curves are of what is worth using. */
static bool is_curve(const struct tune_line *line)
{
	return strcmp(line->kind, "taught") != 0;
}

static void add_series(struct plot *plot, const char *name)
{
	for (size_t i = 0; i < plot->series_count; i++)
		if (strcmp(plot->series[i], name) == 0)
			return;
	if (plot->series_count < SERIES_MAX)
		snprintf(plot->series[plot->series_count++], sizeof plot->series[0], "%s", name);
}

static bool has_counts(const struct plot *plot)
{
	for (size_t i = 1; i < plot->count; i++)
		if (plot->lines[i].count != plot->lines[0].count)
			return true;
	return false;
}

/* Bars are of the count with the most rows, and of these of the largest. */
static void look(struct plot *plot)
{
	for (size_t i = 0; i < plot->count; i++) {
		size_t rows = 0;

		for (size_t j = 0; j < plot->count; j++)
			rows += plot->lines[j].count == plot->lines[i].count;
		if (rows > plot->bars || (rows == plot->bars && plot->lines[i].count > plot->bar_count)) {
			plot->bars = rows;
			plot->bar_count = plot->lines[i].count;
		}
		if (is_curve(&plot->lines[i]))
			add_series(plot, plot->lines[i].row);
	}
}

/* ---- Lines of the database ---- */

static int take_timed(void *user, const struct srt_db_timed *timed)
{
	struct plot *plot = user;
	struct tune_line *grown, *line;
	struct srt_variant variant;
	const char *strategy;

	if (srt_variant_parse(&variant, timed->variant))
		return 0;
	strategy = srt_strategy_name(variant.strategy);
	/* They come with the fastest first: of a strategy only that one counts. */
	for (size_t i = 0; i < plot->count; i++)
		if (plot->lines[i].count == timed->count && strcmp(plot->lines[i].row, strategy) == 0 &&
		    strcmp(plot->lines[i].gpu, timed->device) == 0)
			return 0;
	grown = realloc(plot->lines, (plot->count + 1) * sizeof *grown);
	if (grown == NULL)
		return 1;
	plot->lines = grown;
	line = &plot->lines[plot->count++];
	memset(line, 0, sizeof *line);
	snprintf(line->gpu, sizeof line->gpu, "%s", timed->device);
	snprintf(line->row, sizeof line->row, "%s", strategy);
	snprintf(line->kind, sizeof line->kind, "tuned");
	snprintf(line->type, sizeof line->type, "%s", srt_type_name(plot->options->targets[0].type));
	snprintf(line->op, sizeof line->op, "%s", srt_op_name(plot->options->targets[0].op));
	line->count = timed->count;
	line->us = timed->us;
	line->is_modelled = timed->is_modelled;
	line->rate = 2e-3 * (double)timed->count * (double)srt_type_size(plot->options->targets[0].type) / timed->us;
	return 0;
}

static int read_database(struct plot *plot)
{
	struct srt_strbuf path = {0}, name = {0};
	struct srt_problem problem;
	struct srt_db *db = NULL;
	int status = SCANRT_ERROR_DATABASE;

	srt_problem_init_simple(&problem, plot->options->targets[0].type, plot->options->targets[0].op);
	srt_problem_format(&name, &problem, false);
	if (tune_database_path(&path, plot->options, false)) {
		status = srt_db_open(&db, srt_strbuf_text(&path), SRT_DB_READ);
		if (!status)
			status = srt_db_each_timed(
				db, NULL, srt_source_hash(), srt_strbuf_text(&name), take_timed, plot);
		if (status)
			fprintf(stderr, "scantune: %s\n", srt_error_last()->text);
		else if (plot->count == 0)
			fprintf(stderr, "scantune: nothing was timed for %s in %s\n", srt_strbuf_text(&name),
				srt_strbuf_text(&path));
	}
	srt_db_close(db);
	srt_strbuf_free(&path);
	srt_strbuf_free(&name);
	return status ? TUNE_EXIT_DATABASE : plot->count ? TUNE_EXIT_COMPLETE : TUNE_EXIT_USAGE;
}

/* ---- Lines of a file ---- */

static int read_file(struct plot *plot)
{
	const char *path = plot->options->file;
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");

	if (file == NULL) {
		fprintf(stderr, "scantune: %s: %s\n", path, strerror(errno));
		return TUNE_EXIT_USAGE;
	}
	plot->lines = tune_lines_read(&plot->count, file);
	if (file != stdin)
		fclose(file);
	for (size_t i = 0; i < plot->count; i++)
		if (plot->lines[i].row[0] == '\0')
			snprintf(plot->lines[i].row, sizeof plot->lines[i].row, "libscanrt");
	if (plot->count == 0)
		fprintf(stderr, "scantune: there is no result line in %s\n", path);
	return plot->count ? TUNE_EXIT_COMPLETE : TUNE_EXIT_USAGE;
}

/* ---- gnuplot ---- */

/* Texts of files go into gnuplot's own strings: nothing in them may end one. */
static void print_quoted(FILE *to, const char *text)
{
	putc('"', to);
	for (; *text; text++)
		if (*text != '"' && *text != '\\' && *text != '`' && (unsigned char)*text >= 0x20)
			putc(*text, to);
	putc('"', to);
}

static double rate_of(const struct tune_line *line)
{
	struct srt_problem problem;
	int type, op;

	if (line->rate > 0)
		return line->rate;
	if (srt_type_parse(&type, line->type) || srt_op_parse(&op, line->op) ||
	    srt_problem_init_simple(&problem, type, op))
		return 0;
	return 2e-3 * (double)line->count * (double)srt_type_size(type) / line->us;
}

static void print_bars(const struct plot *plot)
{
	FILE *to = plot->gnuplot;

	fputs("$bars << EOD\n", to);
	for (size_t i = 0; i < plot->count; i++) {
		const struct tune_line *line = &plot->lines[i];
		char name[96];

		if (!is_bar(plot, line))
			continue;
		snprintf(name, sizeof name, strcmp(line->kind, "taught") == 0 ? "%s, %d a thread" : "%s", line->row,
			line->items);
		print_quoted(to, name);
		fprintf(to, " %.6g %d\n", rate_of(line),
			strcmp(line->kind, "copy") == 0	    ? 3 :
				strcmp(line->kind, "peer") == 0	    ? 4 :
				strcmp(line->kind, "taught") == 0 ? 2 : 1);
	}
	fputs("EOD\n", to);
}

static void print_curves(const struct plot *plot)
{
	FILE *to = plot->gnuplot;

	for (size_t s = 0; s < plot->series_count; s++) {
		fprintf(to, "$curve%zu << EOD\n", s);
		for (size_t i = 0; i < plot->count; i++)
			if (is_curve(&plot->lines[i]) && strcmp(plot->lines[i].row, plot->series[s]) == 0)
				fprintf(to, "%" PRIu64 " %.6g\n", plot->lines[i].count, rate_of(&plot->lines[i]));
		fputs("EOD\n", to);
	}
}

static void draw_bars(const struct plot *plot)
{
	char count[32];

	tune_format_count(count, sizeof count, plot->bar_count);
	fprintf(plot->gnuplot, "set title \"%s elements\" noenhanced\n"
		"set ylabel 'GB/s, read and written'\nset xtics rotate by -40 noenhanced\nset boxwidth 0.8\n"
		"set style fill solid 0.85\nset yrange [0:*]\nset key top left\n"
		"plot $bars using 0:($3 == 1 ? $2 : 1/0):xtic(1) with boxes title 'tuned', "
		"'' using 0:($3 == 2 ? $2 : 1/0) with boxes title 'few items a thread', "
		"'' using 0:($3 == 4 ? $2 : 1/0) with boxes title 'other libraries', "
		"'' using 0:($3 == 3 ? $2 : 1/0) with boxes title 'copy'\n", count);
}

static void draw_curves(const struct plot *plot)
{
	FILE *to = plot->gnuplot;

	fputs("set title 'over the count' noenhanced\nset logscale xy\nset xlabel 'elements'\n"
	      "set xtics rotate by 0 enhanced\n"
	      "set format x '10^{%L}'\nset yrange [*:*]\nset key bottom right noenhanced\nplot ", to);
	for (size_t s = 0; s < plot->series_count; s++) {
		fprintf(to, "%s$curve%zu using 1:2 smooth unique with linespoints ", s ? ", " : "", s);
		fputs("pointtype 7 pointsize 0.5 title ", to);
		print_quoted(to, plot->series[s]);
	}
	putc('\n', to);
}

static void print_script(const struct plot *plot, bool is_png)
{
	const struct tune_line *first = &plot->lines[0];
	bool has_curves = has_counts(plot), has_bars = plot->bars > 1;
	FILE *to = plot->gnuplot;
	char title[256];

	fprintf(to, "set terminal %s size %d,520 %s\nset output ", is_png ? "pngcairo" : "svg",
		has_curves && has_bars ? 1200 : 760, is_png ? "" : "dynamic background rgb 'white'");
	print_quoted(to, plot->options->output);
	putc('\n', to);
	print_bars(plot);
	print_curves(plot);
	snprintf(title, sizeof title, "%s %s on %s%s", first->op, first->type, first->gpu,
		first->is_modelled ? " (modelled times)" : "");
	fprintf(to, "set grid y\nset multiplot layout 1,%d title ", has_curves && has_bars ? 2 : 1);
	print_quoted(to, title);
	fputs(" noenhanced\n", to);
	if (has_bars)
		draw_bars(plot);
	if (has_curves)
		draw_curves(plot);
	fputs("unset multiplot\nset output\n", to);
}

/* Looked for first: what the shell says about a missing program is no message of ours. */
static bool has_gnuplot(void)
{
	return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

static int draw(struct plot *plot)
{
	const char *ending = strrchr(plot->options->output, '.');
	bool is_png = ending && strcmp(ending, ".png") == 0;
	int ended;

	if (!is_png && !(ending && strcmp(ending, ".svg") == 0)) {
		fprintf(stderr, "scantune: %s ends in neither .svg nor .png\n", plot->options->output);
		return TUNE_EXIT_USAGE;
	}
	if (!has_gnuplot()) {
		fputs("scantune: gnuplot is not installed; its Debian package is gnuplot-nox\n", stderr);
		return TUNE_EXIT_USAGE;
	}
	look(plot);
	plot->gnuplot = popen("gnuplot", "w");
	if (plot->gnuplot == NULL) {
		fprintf(stderr, "scantune: gnuplot could not be started: %s\n", strerror(errno));
		return TUNE_EXIT_USAGE;
	}
	print_script(plot, is_png);
	ended = pclose(plot->gnuplot);
	if (ended == 0 && access(plot->options->output, R_OK) == 0)
		return TUNE_EXIT_COMPLETE;
	fprintf(stderr, "scantune: gnuplot did not draw %s\n", plot->options->output);
	return TUNE_EXIT_USAGE;
}

int tune_command_plot(const struct tune_options *options)
{
	struct plot *plot = calloc(1, sizeof *plot);
	int status = TUNE_EXIT_USAGE;

	if (plot) {
		plot->options = options;
		status = options->file ? read_file(plot) : read_database(plot);
		if (status == TUNE_EXIT_COMPLETE)
			status = draw(plot);
		free(plot->lines);
	}
	free(plot);
	return status;
}
