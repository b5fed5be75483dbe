/* SPDX-License-Identifier: MIT
 *
 * Progress and results.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "json.h"
#include "process.h"
#include "report.h"

#define REDRAW_SECONDS 0.2
#define ERASE_LINE "\r\033[K"
#define PHASES_MAX 12

static struct {
	const struct tune_options *options;
	bool has_status_line;
	bool is_drawn;
	double started;
	double drawn_at;
	size_t problems;
	size_t problem;
	char name[96];
	const char *phase;
	struct {
		const char *name;
		double seconds;
	} phases[PHASES_MAX];
	int phase_count;
	double phase_began;
	double waited;
	char best[96];
	int variants;
	int done;
	int failures;
	struct tune_row *rows;
	size_t row_count;
} state;

void tune_report_open(const struct tune_options *options, size_t problems)
{
	memset(&state, 0, sizeof state);
	state.options = options;
	state.problems = problems;
	state.started = tune_now();
	state.has_status_line = !options->is_quiet && isatty(STDERR_FILENO);
}

static void erase(void)
{
	if (state.is_drawn)
		fputs(ERASE_LINE, stderr);
	state.is_drawn = false;
}

/* By how far the run has come; the variants of a problem are most of its time. */
static void format_left(char *text, size_t size)
{
	double part = state.variants ? (double)state.done / state.variants : 0;
	double done = ((double)state.problem + part) / (double)(state.problems ? state.problems : 1);
	double elapsed = tune_now() - state.started;
	double left = done > 0.02 ? elapsed / done - elapsed : 0;

	if (state.options->seconds > 0 && (left == 0 || left > state.options->seconds - elapsed))
		left = state.options->seconds - elapsed;
	if (left <= 0)
		text[0] = '\0';
	else
		snprintf(text, size, ", %d:%02d left", (int)left / 60, (int)left % 60);
}

static void draw(void)
{
	char left[32];

	format_left(left, sizeof left);
	fprintf(stderr, ERASE_LINE "[%zu/%zu] %s: %s %d/%d%s%s, %d failed%s", state.problem + 1, state.problems,
		state.name, state.phase, state.done, state.variants, state.best[0] ? ", best " : "", state.best,
		state.failures, left);
	fflush(stderr);
	state.is_drawn = true;
	state.drawn_at = tune_now();
}

void tune_report_tick(void)
{
	if (state.has_status_line && state.name[0] && tune_now() - state.drawn_at >= REDRAW_SECONDS)
		draw();
}

void tune_report_line(const char *format, ...)
{
	va_list arguments;

	if (state.options == NULL || state.options->is_quiet || state.options->is_json)
		return;
	erase();
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
}

void tune_report_error(const char *format, ...)
{
	va_list arguments;

	erase();
	fputs("scantune: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

/* A phase may come again: after a winner that fails there is another race. */
static void end_phase(void)
{
	double now = tune_now();
	int i = 0;

	while (i < state.phase_count && strcmp(state.phases[i].name, state.phase) != 0)
		i++;
	if (i == PHASES_MAX)
		return;
	if (i == state.phase_count) {
		state.phases[i].name = state.phase;
		state.phases[state.phase_count++].seconds = 0;
	}
	state.phases[i].seconds += now - state.phase_began;
}

static void begin_phase(const char *phase)
{
	state.phase = phase;
	state.phase_began = tune_now();
}

void tune_report_problem(const char *name, size_t index, int variants)
{
	snprintf(state.name, sizeof state.name, "%s", name);
	state.problem = index;
	state.variants = variants;
	state.done = 0;
	state.best[0] = '\0';
	state.phase_count = 0;
	state.waited = 0;
	begin_phase("preparation");
	if (!state.has_status_line)
		tune_report_line("[%zu/%zu] %s: %d %s", index + 1, state.problems, name, variants,
			variants == 1 ? "variant" : "variants");
}

void tune_report_more(int variants)
{
	state.variants = variants;
}

void tune_report_done(int variants)
{
	state.done = variants;
	tune_report_tick();
}

void tune_report_phase(const char *phase)
{
	end_phase();
	begin_phase(phase);
	tune_report_tick();
}

void tune_report_waited(double seconds)
{
	state.waited += seconds;
}

static void print_json_phases(double total)
{
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "event", "problem");
	tune_json_text(&out, "problem", state.name);
	tune_json_number(&out, "seconds", total);
	for (int i = 0; i < state.phase_count; i++)
		tune_json_number(&out, state.phases[i].name, state.phases[i].seconds);
	tune_json_number(&out, "compilers", state.waited);
	tune_json_print(&out);
}

void tune_report_phases(void)
{
	struct srt_strbuf text = {0};
	double total = 0;

	end_phase();
	for (int i = 0; i < state.phase_count; i++) {
		total += state.phases[i].seconds;
		srt_strbuf_printf(&text, ", %s %.1f", state.phases[i].name, state.phases[i].seconds);
	}
	if (state.options->is_json && !state.options->is_quiet)
		print_json_phases(total);
	else if (state.options->is_verbose)
		tune_report_line("  %s: %.1f s%s; of these, %.1f waiting for compilers", state.name, total,
			srt_strbuf_text(&text), state.waited);
	srt_strbuf_free(&text);
	begin_phase("end");
}

void tune_report_best(const char *text)
{
	snprintf(state.best, sizeof state.best, "%s", text);
}

void tune_report_failure(const char *problem, const char *variant, const char *verdict, const char *note)
{
	struct srt_strbuf out = {0};

	state.failures++;
	if (state.options->is_quiet)
		return;
	if (!state.options->is_json) {
		tune_report_line("%s: %s: %s: %s", problem, variant, verdict, note);
		return;
	}
	tune_json_begin(&out);
	tune_json_text(&out, "event", "failure");
	tune_json_text(&out, "problem", problem);
	tune_json_text(&out, "variant", variant);
	tune_json_text(&out, "status", verdict);
	tune_json_text(&out, "note", note);
	tune_json_print(&out);
}

/* ---- Results ---- */

/* 0: not known, since no default could be timed. */
static double gain(const struct tune_row *row)
{
	return row->us > 0 && row->default_us > 0 ? row->default_us / row->us : 0;
}

static void print_json_choice(const struct tune_row *row)
{
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "event", "choice");
	tune_json_text(&out, "problem", row->problem);
	tune_json_text(&out, "class", row->klass);
	tune_json_integer(&out, "count", (long long)row->count);
	tune_json_integer(&out, "low_count", (long long)row->low);
	tune_json_integer(&out, "high_count", (long long)row->high);
	tune_json_text(&out, "variant", row->variant);
	tune_json_text(&out, "default", row->default_variant);
	tune_json_number(&out, "us", row->us);
	tune_json_number(&out, "low_us", row->low_us);
	tune_json_number(&out, "high_us", row->high_us);
	tune_json_number(&out, "copy_us", row->copy_us);
	tune_json_number(&out, "share", row->copy_us / row->us);
	tune_json_number(&out, "gain", gain(row));
	tune_json_text(&out, "reason", row->reason);
	tune_json_print(&out);
}

void tune_report_choice(const struct tune_row *row)
{
	struct tune_row *rows = realloc(state.rows, (state.row_count + 1) * sizeof *rows);

	if (rows) {
		state.rows = rows;
		state.rows[state.row_count++] = *row;
	}
	if (state.options->is_json && !state.options->is_quiet)
		print_json_choice(row);
}

static void print_table(void)
{
	struct tune_columns columns = TUNE_COLUMNS_INIT;

	if (state.row_count == 0)
		return;
	for (size_t i = 0; i < state.row_count; i++)
		tune_columns_fit(&columns, state.rows[i].problem, state.rows[i].variant);
	printf("%-*s %-6s %11s  %-*s %10s %8s %6s %6s\n", columns.problem, "problem", "class", "count",
		columns.variant, "variant", "us", "GB/s", "copy", "gain");
	for (size_t i = 0; i < state.row_count; i++) {
		const struct tune_row *row = &state.rows[i];

		printf("%-*s %-6s %11llu  %-*s %10.2f %8.1f %5.0f%%", columns.problem, row->problem, row->klass,
			(unsigned long long)row->count, columns.variant, row->variant, row->us,
			row->bytes / row->us * 1e-3, 100 * row->copy_us / row->us);
		if (gain(row) > 0)
			printf(" %5.2fx\n", gain(row));
		else
			printf(" %6s\n", "-");
	}
}

void tune_report_close(const char *status)
{
	struct srt_strbuf out = {0};

	erase();
	state.name[0] = '\0';
	if (state.options->is_json && !state.options->is_quiet) {
		tune_json_begin(&out);
		tune_json_text(&out, "event", "end");
		tune_json_text(&out, "status", status);
		tune_json_integer(&out, "failures", state.failures);
		tune_json_number(&out, "seconds", tune_now() - state.started);
		tune_json_print(&out);
	} else if (!state.options->is_quiet) {
		print_table();
		printf("%s after %.1f s, %d %s failed\n", strcmp(status, "budget") == 0 ? "time is up" : status,
			tune_now() - state.started, state.failures, state.failures == 1 ? "variant" : "variants");
	}
	fflush(stdout);
	free(state.rows);
	state.rows = NULL;
	state.row_count = 0;
}
