/* SPDX-License-Identifier: MIT
 *
 * Who takes part in a comparison.  The strategies are those of the library's table: a new one appears by itself, with
 * its points of the tuner's space.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "record.h"
#include "space.h"
#include "status.h"
#include "strategy.h"
#include "tune.h"

#define SHORT_LIST 6        /* variants that are tried where the database has none of a strategy */
#define MODEL_SHORT_LIST 2
#define SHORT_ROUNDS 5
#define SPACE_SIZE 256
#define COPY_BLOCK 512
#define COPY_VECTOR 16
#define ITEMS_MAX 16        /* the most that pass for "as taught": a vector of bytes */

/* ---- One scan or copy ---- */

static int enqueue_plan(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream)
{
	const struct tune_compared *row = user;

	return scanrt_plan_execute(row->plan, (void *)(uintptr_t)out, (const void *)(uintptr_t)in,
		row->compare->klass.timing.count, stream);
}

static int enqueue_peer(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream)
{
	const struct tune_compared *row = user;
	int error = row->compare->peers->enqueue(
		row->peer, (void *)(uintptr_t)out, (const void *)(uintptr_t)in, stream);

	return error ? srt_fail_driver(SCANRT_ERROR_LAUNCH, error, "%s: error %d", row->name, error) : SCANRT_OK;
}

static int enqueue_copy(void *user, CUdeviceptr out, CUdeviceptr in, CUstream stream)
{
	const struct tune_compared *row = user;
	const struct srt_driver *driver = row->compare->gpu->driver;
	unsigned long long size =
		row->compare->klass.timing.count * srt_type_size(row->compare->problem.input_type);
	unsigned blocks = (unsigned)((size / COPY_VECTOR + size % COPY_VECTOR + COPY_BLOCK - 1) / COPY_BLOCK);
	void *parameters[] = { &out, &in, &size };

	if (row->copy == NULL)
		return SRT_CALL(driver, cuMemcpyDtoDAsync, (out, in, size, stream));
	return SRT_CALL(driver, cuLaunchKernel,
		(row->copy, blocks, 1, 1, COPY_BLOCK, 1, 1, 0, stream, parameters, NULL));
}

int tune_compare_prepare(struct tune_compare *compare, struct tune_compared *row)
{
	const struct tune_timing *timing = &compare->klass.timing;
	size_t bytes = timing->count * srt_type_size(compare->problem.input_type);
	size_t stride = (bytes + 255) / 256 * 256;
	struct tune_ring ring = { compare->gpu->output, compare->gpu->input, stride, stride, timing->pairs,
				  timing->scans };

	return tune_contender_prepare(
		&row->contender, &compare->contest, &ring, tune_compare_is_modelled(compare) ? 0 : 2);
}

static struct tune_compared *add(struct tune_compare *compare, enum tune_row_kind kind, const char *name,
	tune_enqueue_function enqueue)
{
	struct tune_compared *row = &compare->rows[compare->row_count];

	if (compare->row_count == TUNE_ROWS_MAX)
		return NULL;
	memset(row, 0, sizeof *row);
	row->kind = kind;
	snprintf(row->name, sizeof row->name, "%s", name);
	/* A look-back of another library, or a copy: each element read once and written once. */
	row->words = tune_compare_is_modelled(compare) ? 0 : 2;
	row->compare = compare;
	row->contender.enqueue = enqueue;
	row->contender.user = row;
	compare->row_count++;
	return row;
}

/* ---- Plans ---- */

static struct scanrt_plan *make_plan(struct tune_compare *compare, const char *variant)
{
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_plan *plan = NULL;
	struct srt_variant parsed;

	problem.input_type = compare->problem.input_type;
	problem.op = compare->problem.op;
	problem.mode = compare->problem.is_exclusive ? SCANRT_EXCLUSIVE : SCANRT_INCLUSIVE;
	problem.max_count = compare->largest;
	if (*variant && srt_variant_parse(&parsed, variant) == SCANRT_OK &&
	    srt_variant_max_count(&parsed) < problem.max_count)
		problem.max_count = srt_variant_max_count(&parsed);
	options.variant = *variant ? variant : NULL;
	options.flags = compare->options->codegen == SRT_CODEGEN_PTX ? SCANRT_CODEGEN_PTX : 0;
	return scanrt_plan_create(&plan, compare->context, &problem, &options) == SCANRT_OK ? plan : NULL;
}

/* One that cannot be made is remembered too. */
struct scanrt_plan *tune_compare_plan(struct tune_compare *compare, const char *variant)
{
	struct tune_compared_plan *made;

	for (size_t i = 0; i < compare->plan_count; i++)
		if (strcmp(compare->plans[i].variant, variant) == 0)
			return compare->plans[i].plan;
	if (compare->plan_count == TUNE_PLANS_MAX)
		return NULL;
	made = &compare->plans[compare->plan_count++];
	snprintf(made->variant, sizeof made->variant, "%s", variant);
	made->plan = make_plan(compare, variant);
	return made->plan;
}

/* ---- Strategies ---- */

/* What the algorithms read and write, in words an element, beside what is a word a tile: kernels' contracts, which
 * tests/emu/traffic.c counts.  The others read once and write once. */
static double stated_words(const char *strategy)
{
	static const struct { const char *strategy; double words; } more[] = {
		{ "fan", 4 }, { "reduce", 3 }, { "reduce-fixed", 3 },
	};

	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		if (strcmp(more[i].strategy, strategy) == 0)
			return more[i].words;
	return 2;
}

struct tune_compared *tune_compare_add(
	struct tune_compare *compare, enum tune_row_kind kind, const char *origin, const struct srt_variant *variant)
{
	struct srt_strbuf text = {0};
	struct scanrt_plan *plan;
	struct tune_compared *row = NULL;

	if (srt_variant_check(variant, &compare->problem, &compare->gpu->device) ||
	    srt_variant_max_count(variant) < compare->klass.timing.count)
		return NULL;
	srt_variant_format(&text, variant);
	plan = tune_compare_plan(compare, srt_strbuf_text(&text));
	if (plan)
		row = add(compare, kind, srt_strategy_name(variant->strategy), enqueue_plan);
	if (row) {
		row->plan = plan;
		row->items = variant->items;
		row->words = tune_compare_is_modelled(compare) ? 0 : stated_words(row->name);
		snprintf(row->variant, sizeof row->variant, "%s", srt_strbuf_text(&text));
		snprintf(row->origin, sizeof row->origin, "%s", origin);
	}
	srt_strbuf_free(&text);
	return row;
}

/* One item a thread, as textbooks have it, or as few as the strategy takes. */
static bool add_taught(struct tune_compare *compare, int strategy)
{
	struct srt_variant variant;

	srt_variant_init(&variant, (enum srt_strategy)strategy);
	for (variant.items = 1; variant.items <= ITEMS_MAX; variant.items++)
		if (srt_variant_check(&variant, &compare->problem, &compare->gpu->device) == SCANRT_OK)
			return tune_compare_add(compare, TUNE_ROW_TAUGHT, "taught", &variant) != NULL;
	return false;
}

/* The best of the database: of the counts that were timed the nearest, and of its variants the fastest. */
struct best {
	const struct tune_compare *compare;
	int strategy;
	bool is_found;
	double distance;
	double us;
	struct srt_variant variant;
};

static int take_timed(void *user, const struct srt_db_timed *timed)
{
	struct best *best = user;
	double count = (double)best->compare->klass.timing.count;
	double distance = (double)timed->count > count ? (double)timed->count / count : count / (double)timed->count;
	struct srt_variant variant;

	if (best->is_found && (distance > best->distance || (distance == best->distance && timed->us >= best->us)))
		return 0;
	if (srt_variant_parse(&variant, timed->variant) || variant.strategy != best->strategy ||
	    srt_variant_max_count(&variant) < best->compare->klass.timing.count)
		return 0;
	*best = (struct best){ best->compare, best->strategy, true, distance, timed->us, variant };
	return 0;
}

bool tune_compare_best(struct srt_variant *variant, const struct tune_compare *compare, int strategy)
{
	struct best best = { .compare = compare, .strategy = strategy };
	struct srt_db *db = compare->database.length ? tune_look_into(srt_strbuf_text(&compare->database)) : NULL;
	bool is_read = db && srt_db_each_timed(db, compare->fingerprint, srt_source_hash(), compare->problem_name,
		take_timed, &best) == SCANRT_OK;

	srt_db_close(db);
	srt_error_clear();
	if (is_read && best.is_found)
		*variant = best.variant;
	return is_read && best.is_found;
}

static bool add_tuned(struct tune_compare *compare, int strategy)
{
	struct srt_variant variant;

	return tune_compare_best(&variant, compare, strategy) &&
		tune_compare_add(compare, TUNE_ROW_TUNED, "tuned", &variant);
}

/* Times the rows from `first` on and keeps the fastest; none where the timing fails. */
static int keep_fastest(struct tune_compare *compare, size_t first)
{
	int rounds = tune_compare_is_modelled(compare) ? 1 : SHORT_ROUNDS;
	size_t fastest = first;
	int status = SCANRT_OK;

	for (size_t i = first; !status && i < compare->row_count; i++) {
		struct tune_contender *contender = &compare->rows[i].contender;

		status = tune_compare_prepare(compare, &compare->rows[i]);
		if (!status)
			status = tune_contest_run(&compare->contest, &contender, 1, rounds, rounds, 0);
		tune_contender_free(contender, &compare->contest);
		compare->rows[i].summary = tune_summarise(&contender->values);
		if (compare->rows[i].summary.median < compare->rows[fastest].summary.median)
			fastest = i;
	}
	if (compare->row_count > first) {
		compare->rows[first] = compare->rows[fastest];
		compare->rows[first].contender.user = &compare->rows[first];
		compare->row_count = first + 1;
	}
	return status;
}

/* A strategy that the tuner's space does not have yet: blocks and items that are good for most. */
static void add_common(struct tune_compare *compare, int strategy, size_t wanted)
{
	static const int blocks[] = { 256, 512, 128 }, vectors[] = { 4, 2, 6 };
	int vector = srt_problem_vector(&compare->problem);
	size_t last = compare->row_count + wanted;
	struct srt_variant variant;

	for (size_t i = 0; i < 9 && compare->row_count < last; i++) {
		srt_variant_init(&variant, (enum srt_strategy)strategy);
		variant.block = blocks[i / 3];
		variant.items = vectors[i % 3] * vector;
		tune_compare_add(compare, TUNE_ROW_TRIED, "tried", &variant);
	}
}

static int add_tried(struct tune_compare *compare, int strategy)
{
	size_t wanted = tune_compare_is_modelled(compare) ? MODEL_SHORT_LIST : SHORT_LIST, first = compare->row_count;
	struct srt_variant *variants = calloc(SPACE_SIZE, sizeof *variants);
	size_t count;
	int status;

	if (variants == NULL)
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no memory for a list of variants");
	count = tune_space(variants, SPACE_SIZE, &compare->problem, &compare->gpu->device, SPACE_SIZE,
		compare->options->seed);
	for (size_t i = 0; i < count && compare->row_count < first + wanted; i++)
		if (variants[i].strategy == strategy)
			tune_compare_add(compare, TUNE_ROW_TRIED, "tried", &variants[i]);
	if (compare->row_count == first)
		add_common(compare, strategy, wanted);
	free(variants);
	status = keep_fastest(compare, first);
	return status;
}

static void leave_out(struct tune_compare *compare, int strategy)
{
	size_t used = strlen(compare->left_out);

	snprintf(compare->left_out + used, sizeof compare->left_out - used, "%s%s", used ? ", " : "",
		srt_strategy_name(strategy));
}

static int add_strategy(struct tune_compare *compare, int strategy)
{
	size_t before = compare->row_count;
	int status = SCANRT_OK;

	if (!compare->options->is_sweeping)
		add_taught(compare, strategy);
	if (!add_tuned(compare, strategy))
		status = add_tried(compare, strategy);
	if (!status && compare->row_count == before)
		leave_out(compare, strategy);
	/* What did not fit is no failure of the command. */
	if (!status)
		srt_error_clear();
	return status;
}

/* ---- What is no strategy ---- */

static double words_of(const char *text)
{
	struct srt_variant variant;

	return srt_variant_parse(&variant, text) == SCANRT_OK ? stated_words(srt_strategy_name(variant.strategy)) : 0;
}

static int add_library(struct tune_compare *compare)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_plan *plan = tune_compare_plan(compare, "");
	struct tune_compared *row = plan ? add(compare, TUNE_ROW_LIBRARY, "libscanrt", enqueue_plan) : NULL;
	int status;

	if (row == NULL)
		return plan ? SCANRT_OK : srt_error_last()->status;
	row->plan = plan;
	status = scanrt_plan_describe(plan, compare->klass.timing.count, &description, NULL, 0);
	snprintf(row->variant, sizeof row->variant, "%s", description.variant);
	row->words = tune_compare_is_modelled(compare) ? 0 : words_of(row->variant);
	snprintf(row->origin, sizeof row->origin, "%s", tune_origin_name(description.origin));
	return status;
}

static int add_peers(struct tune_compare *compare)
{
	struct scanrt_peer_request request = { srt_type_name(compare->problem.input_type),
					       srt_op_name(compare->problem.op), compare->problem.is_exclusive,
					       compare->klass.timing.count };

	for (int i = 0; compare->peers && compare->peers->name(i); i++) {
		struct scanrt_peer *peer = NULL;
		struct tune_compared *row;
		int error = compare->peers->open(&peer, i, &request);

		if (error == SCANRT_PEER_NONE)
			continue;
		if (error)
			return srt_fail_driver(
				SCANRT_ERROR_DRIVER, error, "%s: error %d", compare->peers->name(i), error);
		row = add(compare, TUNE_ROW_PEER, compare->peers->name(i), enqueue_peer);
		if (row)
			row->peer = peer;
	}
	return SCANRT_OK;
}

static void add_copies(struct tune_compare *compare)
{
	struct tune_compared *row;

	add(compare, TUNE_ROW_COPY, "copy (driver)", enqueue_copy);
	row = compare->copy_kernel ? add(compare, TUNE_ROW_COPY, "copy (kernel)", enqueue_copy) : NULL;
	if (row)
		row->copy = compare->copy_kernel;
}

int tune_compare_rows(struct tune_compare *compare)
{
	int status = SCANRT_OK;

	compare->row_count = 0;
	compare->left_out[0] = '\0';
	if (compare->options->vary)
		status = tune_compare_vary(compare);
	for (int i = 0; !status && !compare->options->vary && srt_strategy_at(i); i++)
		status = add_strategy(compare, srt_strategy_at(i));
	if (!status)
		status = add_library(compare);
	if (!status)
		status = add_peers(compare);
	if (!status)
		add_copies(compare);
	return status;
}
