/* SPDX-License-Identifier: MIT
 *
 * The compiled-in defaults beside what was measured: the text that the vendor's database is made of names the fastest
 * variant that a search found for each class of counts, and the time of the default of that day.  A default is either
 * that variant, or took little more time.  What takes more is an exception, and says so here.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heuristic.h"
#include "status.h"
#include "strbuf.h"
#include "tests/tap.h"

/* An untuned device is to be within 5 % of a tuned one.  But the text is of the last search, and a default that has
 * been changed since is only held to what the default of that day took. */
#define MOST_RATIO 1.15

static const struct srt_device h200 = { .name = "H200", .capability = 90, .sm_count = 132, .l2_bytes = 62914560,
	.shared_per_sm = 233472, .shared_per_block = 232448, .threads_per_sm = 2048, .threads_per_block = 1024,
	.blocks_per_sm = 32, .reserved_shared_per_block = 1024, .has_clusters = 1 };

/* Classes of problems whose defaults are known to be slower, and why they are left. */
static const struct { const char *problem, *klass, *reason; } exceptions[] = {
	{ "max f64", "small", "128 x 4 was found after the sweep over its neighbours, of which nothing is known yet" },
	{ NULL, NULL, NULL } };

struct row {
	char problem[64];
	char klass[16];
	char variant[SRT_VARIANT_TEXT_SIZE];
	uint64_t count;
	double us;
	double default_us;
};

/* "sum i32", or "sum f16>f32>f16"; false of what has no defaults by this function. */
static bool parse_problem(struct srt_problem *problem, const char *text)
{
	char op[16], types[48], in[16], accumulator[16], out[16];
	char rest;
	int number, type;

	if (sscanf(text, "%15s %47s %c", op, types, &rest) != 2)
		return false;
	if (sscanf(types, "%15[^>]>%15[^>]>%15s", in, accumulator, out) == 3) {
		if (srt_op_parse(&number, op) || srt_type_parse(&type, in))
			return false;
		srt_problem_init_simple(problem, type, number);
		return !srt_type_parse(&problem->accumulator_type, accumulator) &&
			!srt_type_parse(&problem->output_type, out);
	}
	if (srt_op_parse(&number, op) || srt_type_parse(&type, types))
		return false;
	srt_problem_init_simple(problem, type, number);
	return true;
}

static const char *exception_of(const struct row *row)
{
	for (size_t i = 0; exceptions[i].problem; i++)
		if (strcmp(exceptions[i].problem, row->problem) == 0 && strcmp(exceptions[i].klass, row->klass) == 0)
			return exceptions[i].reason;
	return NULL;
}

/* Whether it is judged at all. */
static bool check_row(const struct row *row)
{
	struct srt_problem problem;
	struct srt_variant variant;
	struct srt_strbuf text = { 0 };
	bool is_chosen, is_near = row->default_us <= row->us * MOST_RATIO;

	if (!parse_problem(&problem, row->problem))
		return false;
	problem.max_count = row->count;
	if (srt_heuristic_at(&variant, &problem, &h200, row->count)) {
		tap_ok(false, "%s of %s has a default", row->klass, row->problem);
		return true;
	}
	srt_variant_format(&text, &variant);
	is_chosen = strcmp(srt_strbuf_text(&text), row->variant) == 0;
	if (exception_of(row))
		tap_ok(!is_chosen && !is_near, "the default of %s, %s, is an exception: %s", row->problem, row->klass,
			exception_of(row));
	else if (!tap_ok(is_chosen || is_near, "the default of %s, %s, is what was found, or nearly as fast",
			row->problem, row->klass))
		tap_diag("%s; %s took %.3f of its time", srt_strbuf_text(&text), row->variant,
			row->us / row->default_us);
	srt_strbuf_free(&text);
	return true;
}

/* A class is a line of numbers, one with its variant, and one with a reason. */
static int check_file(FILE *file)
{
	char line[512];
	struct row row = { 0 };
	int judged = 0;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "problem %63[^\n]", row.problem) == 1)
			continue;
		if (sscanf(line, "\tvariant %159s", row.variant) == 1)
			judged += row.count > 0 && check_row(&row);
		else if (line[0] != '#' && sscanf(line, "%15s %*s %*s %" SCNu64 " %lf %*s %*s %lf", row.klass,
				&row.count, &row.us, &row.default_us) != 4)
			row.count = 0;
	}
	return judged;
}

int main(void)
{
	const char *root = getenv("top_srcdir");
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tuner/vendor/h200.txt", root ? root : "..");
	tap_plan(0);
	file = fopen(path, "r");
	if (!file)
		tap_bail_out("no %s", path);
	tap_ok(check_file(file) >= 48, "the text has six problems of eight classes at least");
	fclose(file);
	return tap_done();
}
