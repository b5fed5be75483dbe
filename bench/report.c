/* SPDX-License-Identifier: MIT
 *
 * What bench/table prints: a line a row, with its targets and whether they are met; JSON lines; the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../tuner/json.h"
#include "../tuner/lines.h"
#include "../tuner/tune.h"
#include "status.h"
#include "table.h"

enum { EXIT_MET, EXIT_MISSED, EXIT_FAILED, EXIT_SKIPPED };

static bool prints_table(const struct bench *bench)
{
	return bench->options.json == NULL || strcmp(bench->options.json, "-") != 0;
}

static bool is_judged(const struct bench *bench)
{
	return !bench->is_modelled || bench->options.is_judged;
}

const char *bench_layout_name(enum bench_layout layout)
{
	return layout == BENCH_MISALIGNED ? "misaligned" : layout == BENCH_IN_PLACE ? "in-place" : "contiguous";
}

void bench_note(const struct bench *bench, const char *format, ...)
{
	va_list arguments;

	if (!prints_table(bench))
		return;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	fflush(stdout);
}

void bench_print_head(const struct bench *bench)
{
	bench_note(bench, "%s, driver %d, %s%s", bench->device.name, bench->device.driver_version,
		bench->toolchain ? bench->toolchain : "no NVRTC",
		bench->is_modelled ? ": times are modelled, and say nothing of a GPU" : "");
	if (bench->peers == NULL)
		bench_note(bench, "no other libraries: %s", bench->no_peers);
}

void bench_print_section(const struct bench *bench, const char *section)
{
	bench_note(bench, "\n%-29s %9s %9s %17s %7s %-12s %-12s %-9s %s", section, "count", "us", "95 %", "GB/s",
		"copy", "peer", "origin", "variant");
}

/* ---- Targets ---- */

static void miss(struct bench *bench, const char *text)
{
	size_t used = strlen(bench->misses);

	bench->missed++;
	if (used + strlen(text) + 4 < sizeof bench->misses)
		snprintf(bench->misses + used, sizeof bench->misses - used, "  %s\n", text);
}

void bench_judge(struct bench *bench, bool is_met, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	bench_note(bench, "%s%s", text, !is_judged(bench) ? "" : is_met ? ": met" : ": MISSED");
	if (!is_judged(bench))
		return;
	bench->judged++;
	if (!is_met)
		miss(bench, text);
}

/* One figure of a row against its target: "0.971<0.98" where it is missed, "0.991" with a mark where it is met. */
static void judge_figure(char text[32], struct bench *bench, const struct bench_result *result, const char *what,
	double value, double wanted, bool is_least)
{
	bool is_met = is_least ? value >= wanted : value <= wanted;
	char line[160];

	snprintf(text, 32, is_least ? "%.3f" : "%.2f", value);
	if (wanted <= 0 || !is_judged(bench))
		return;
	if (is_least)
		snprintf(text, 32, is_met ? "%.3f>=%.4g" : "%.3f<%.4g!", value, wanted);
	else
		snprintf(text, 32, is_met ? "%.2f<=%.4g" : "%.2f>%.4g!", value, wanted);
	bench->judged++;
	if (is_met)
		return;
	snprintf(line, sizeof line, "%s %s%s %s %" PRIu64 ": %s %.3f, wanted %.4g", result->op, result->type,
		result->is_exclusive ? " exclusive" : "", result->layout, result->count, what, value, wanted);
	miss(bench, line);
}

/* ---- One line ---- */

static void print_line(struct bench *bench, const struct bench_result *result)
{
	char name[64], count[32], interval[40] = "", share[32] = "", ratio[32] = "", us[32];

	snprintf(name, sizeof name, "%s %s%s%s%s", result->op, result->type, result->is_exclusive ? " excl." : "",
		strcmp(result->layout, "contiguous") ? ", " : "",
		strcmp(result->layout, "contiguous") ? result->layout : "");
	tune_format_count(count, sizeof count, result->count);
	if (result->ours.low < result->ours.high)
		snprintf(interval, sizeof interval, "%.2f-%.2f", result->ours.low, result->ours.high);
	judge_figure(us, bench, result, "us", result->ours.median, result->want_us, false);
	if (result->copy_us > 0)
		judge_figure(share, bench, result, "share of the copy", result->copy_us / result->ours.median,
			result->want_share, true);
	bench->unjudged += result->want_ratio > 0 && !result->peer;
	if (result->peer)
		judge_figure(ratio, bench, result, result->peer, result->peer_us / result->ours.median,
			result->want_ratio, true);
	bench_note(bench, "%-29s %9s %9s %17s %7.0f %-12s %-12s %-9s %s%s%s%s", name, count, us, interval,
		result->bytes / result->ours.median * 1e-3, share, ratio, tune_origin_name(result->description->origin),
		result->description->variant, result->peer ? " (" : "", result->peer ? result->peer : "",
		result->peer ? ")" : "");
}

/* Exactly the keys of every result. */
static void print_json(const struct bench *bench, const struct bench_result *result)
{
	double us = result->ours.median;
	struct srt_strbuf out = {0};

	tune_json_begin(&out);
	tune_json_text(&out, "gpu", bench->device.name);
	tune_json_integer(&out, "driver", bench->device.driver_version);
	tune_json_text(&out, "nvrtc", bench->toolchain);
	tune_json_text(&out, "commit", bench->options.commit);
	tune_json_text(&out, "type", result->type);
	tune_json_text(&out, "op", result->op);
	tune_json_text(&out, "mode", result->is_exclusive ? "exclusive" : "inclusive");
	tune_json_integer(&out, "count", (long long)result->count);
	tune_json_text(&out, "layout", result->layout);
	tune_json_text(&out, "variant", result->description->variant);
	tune_json_text(&out, "origin", tune_origin_name(result->description->origin));
	tune_json_number(&out, "us", us);
	tune_json_number(&out, "low_us", result->ours.low > 0 ? result->ours.low : NAN);
	tune_json_number(&out, "high_us", result->ours.high > 0 ? result->ours.high : NAN);
	tune_json_number(&out, "copy_us", result->copy_us > 0 ? result->copy_us : NAN);
	tune_json_number(&out, "share", result->copy_us > 0 ? result->copy_us / us : NAN);
	tune_json_text(&out, "peer", result->peer);
	tune_json_number(&out, "peer_us", result->peer ? result->peer_us : NAN);
	tune_json_number(&out, "ratio", result->peer ? result->peer_us / us : NAN);
	srt_strbuf_append(&out, "}\n");
	if (!out.failed)
		fputs(srt_strbuf_text(&out), bench->json);
	fflush(bench->json);
	srt_strbuf_free(&out);
}

void bench_report(struct bench *bench, const struct bench_result *result)
{
	print_line(bench, result);
	if (bench->json)
		print_json(bench, result);
}

/* ---- The end ---- */

int bench_finish(struct bench *bench, int status)
{
	if (status) {
		fprintf(stderr, "table: %s\n", srt_error_last()->text);
		return EXIT_FAILED;
	}
	if (bench->wrong_count > 0)
		bench_note(bench, "\n%d rows FAILED", bench->wrong_count);
	if (bench->skipped > 0)
		bench_note(bench, "\n%d rows were left out: the time was up", bench->skipped);
	if (is_judged(bench))
		bench_note(bench, "\n%d of %d targets are met%s", bench->judged - bench->missed, bench->judged,
			bench->missed ? "; missed are:" : "");
	if (bench->missed)
		bench_note(bench, "%s", bench->misses);
	if (is_judged(bench) && bench->unjudged > 0)
		bench_note(bench, "%d ratios could not be judged: no other library has these scans here",
			bench->unjudged);
	if (bench->wrong_count)
		return EXIT_FAILED;
	return bench->missed ? EXIT_MISSED : bench->skipped ? EXIT_SKIPPED : EXIT_MET;
}
