/* SPDX-License-Identifier: MIT
 *
 * scantune compare: the table that textbooks print, for the device at hand.  Every strategy as it is taught and at its
 * best, other libraries where they were built, and the copy, checked first and then timed in turn.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "counters.h"
#include "lines.h"
#include "record.h"
#include "status.h"
#include "tune.h"

#define LEAST_ROUNDS 15
#define MOST_ROUNDS 61
#define MODEL_ROUNDS TUNE_MODEL_VALUES
#define CONTEST_SECONDS 3.0           /* for one count, beyond the least rounds */
#define BASE_BYTES ((uint64_t)24 << 20)
#define COUNT ((uint64_t)64 << 20)    /* the Handbook's */
#define MODEL_COUNT 20000
#define SWEEP_FIRST 1000
#define SWEEP_STEP 4
#define SWEEP_LAST ((uint64_t)1 << 28)
#define MODEL_SWEEP_LAST 65536
#define COUNTS_MAX 32

bool tune_compare_is_modelled(const struct tune_compare *compare)
{
	return compare->gpu->device.is_emulated == 1;
}

/* ---- One count ---- */

/* No time without a right result: each scans into poisoned memory, and every element is compared. */
static int check_row(struct tune_compare *compare, struct tune_compared *row)
{
	struct tune_gpu *gpu = compare->gpu;
	CUdeviceptr out = gpu->output + TUNE_GUARD_BYTES;
	size_t bytes = compare->klass.timing.count * srt_type_size(compare->problem.input_type);
	enum tune_verdict verdict = TUNE_OK;
	char note[TUNE_NOTE_SIZE];
	int status = SRT_CALL(gpu->driver, cuMemsetD8Async, (out, TUNE_POISON, bytes, gpu->stream));

	if (!status)
		status = row->contender.enqueue(row, out, gpu->input, gpu->stream);
	if (!status)
		status = SRT_CALL(gpu->driver, cuStreamSynchronize, (gpu->stream));
	if (!status)
		status = tune_check_output(&verdict, note, gpu, compare->klass.timing.count,
			compare->problem.is_exclusive);
	if (!status && verdict != TUNE_OK)
		status = srt_fail(SCANRT_ERROR_IMAGE, "%s %s: %s", row->name, row->variant, note);
	return status;
}

/* On the emulated device that scan is counted on the way. */
static int check_and_count(struct tune_compare *compare, struct tune_compared *row)
{
	size_t bytes = compare->klass.timing.count * srt_type_size(compare->problem.input_type);
	struct tune_counters counters;
	int status;

	if (!tune_compare_is_modelled(compare))
		return check_row(compare, row);
	if (!tune_counters_begin(&counters))
		return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "no temporary file for the counters");
	status = check_row(compare, row);
	tune_counters_end(&counters);
	if (counters.launches > 0)
		row->words = 4.0 * (double)counters.global_words / (double)bytes;
	tune_counters_free(&counters);
	return status;
}

/* Another library's fault does not end the comparison, but takes that library out of it. */
static int drop_peer(struct tune_compare *compare, size_t index, int status)
{
	if (status == SCANRT_OK || status == SCANRT_ERROR_DEVICE_LOST || compare->rows[index].kind != TUNE_ROW_PEER)
		return status;
	fprintf(stderr, "scantune: left out: %s: %s\n", compare->rows[index].name, srt_error_last()->text);
	srt_error_clear();
	tune_contender_free(&compare->rows[index].contender, &compare->contest);
	compare->peers->close(compare->rows[index].peer);
	for (size_t i = index; i + 1 < compare->row_count; i++) {
		compare->rows[i] = compare->rows[i + 1];
		compare->rows[i].contender.user = &compare->rows[i];
	}
	compare->row_count--;
	return SCANRT_OK;
}

static int check_rows(struct tune_compare *compare)
{
	int status = SCANRT_OK;

	for (size_t i = 0; !status && i < compare->row_count;) {
		size_t before = compare->row_count;

		if (compare->rows[i].kind != TUNE_ROW_COPY)
			status = drop_peer(compare, i, check_and_count(compare, &compare->rows[i]));
		/* Where one was left out, the next is in its place. */
		i += compare->row_count == before;
	}
	return status;
}

static int time_rows(struct tune_compare *compare)
{
	struct tune_contender *contenders[TUNE_ROWS_MAX];
	bool is_modelled = tune_compare_is_modelled(compare);
	int status = SCANRT_OK;

	for (size_t i = 0; !status && i < compare->row_count;) {
		size_t before = compare->row_count;

		contenders[i] = &compare->rows[i].contender;
		status = drop_peer(compare, i, tune_compare_prepare(compare, &compare->rows[i]));
		i += compare->row_count == before;
	}
	if (!status)
		status = tune_contest_run(&compare->contest, contenders, compare->row_count,
			is_modelled ? MODEL_ROUNDS : LEAST_ROUNDS, is_modelled ? MODEL_ROUNDS : MOST_ROUNDS,
			CONTEST_SECONDS);
	for (size_t i = 0; i < compare->row_count; i++) {
		compare->rows[i].summary = tune_summarise(&compare->rows[i].contender.values);
		tune_contender_free(&compare->rows[i].contender, &compare->contest);
	}
	return status;
}

static void close_rows(struct tune_compare *compare)
{
	for (size_t i = 0; i < compare->row_count; i++)
		if (compare->rows[i].peer)
			compare->peers->close(compare->rows[i].peer);
	compare->row_count = 0;
}

static int prepare_count(struct tune_compare *compare, uint64_t count)
{
	const struct srt_device *device = &compare->gpu->device;
	size_t element = srt_type_size(compare->problem.input_type);
	struct tune_problem_request request = { .problem = compare->problem, .seed = compare->options->seed,
						.workspace_bytes = 4096 };
	struct tune_class classes[TUNE_CLASS_MAX];

	tune_classes(classes, device, element, &count, 1, tune_compare_is_modelled(compare) ? 1e5 : 0);
	compare->klass = classes[0];
	request.base_count = count < BASE_BYTES / element ? count : BASE_BYTES / element;
	request.arena_bytes = tune_classes_bytes(&compare->klass, 1, element);
	return tune_gpu_prepare(compare->gpu, &request, NULL);
}

static int run_count(struct tune_compare *compare, uint64_t count)
{
	int status = prepare_count(compare, count);

	if (!status)
		status = tune_compare_rows(compare);
	if (!status)
		status = check_rows(compare);
	if (!status)
		status = time_rows(compare);
	if (!status)
		tune_compare_print(compare);
	close_rows(compare);
	return status;
}

/* ---- All counts ---- */

static size_t list_counts(uint64_t counts[COUNTS_MAX], const struct tune_compare *compare)
{
	const struct tune_options *options = compare->options;
	bool is_modelled = tune_compare_is_modelled(compare);
	uint64_t last = options->count_count ? options->counts[options->count_count - 1] :
			       is_modelled		      ? MODEL_SWEEP_LAST :
								SWEEP_LAST;
	size_t used = 0;

	if (options->is_sweeping) {
		for (uint64_t at = SWEEP_FIRST; at < last && used + 1 < COUNTS_MAX; at *= SWEEP_STEP)
			counts[used++] = at;
		counts[used++] = last;
		return used;
	}
	for (size_t i = 0; i < options->count_count; i++)
		counts[used++] = options->counts[i];
	if (used == 0)
		counts[used++] = is_modelled ? MODEL_COUNT : COUNT;
	return used;
}

static int run_problem(struct tune_compare *compare, const struct tune_target *target, int mode)
{
	uint64_t counts[COUNTS_MAX];
	size_t used = list_counts(counts, compare);
	struct srt_strbuf name = {0};
	int status = srt_problem_init_simple(&compare->problem, target->type, target->op);

	if (status)
		return status;
	compare->problem.is_exclusive = mode == SCANRT_EXCLUSIVE;
	srt_problem_format(&name, &compare->problem, false);
	snprintf(compare->problem_name, sizeof compare->problem_name, "%s", srt_strbuf_text(&name));
	srt_strbuf_free(&name);
	compare->largest = 0;
	for (size_t i = 0; i < used; i++)
		compare->largest = counts[i] > compare->largest ? counts[i] : compare->largest;
	for (size_t i = 0; !status && i < used; i++)
		status = run_count(compare, counts[i]);
	while (compare->plan_count > 0)
		scanrt_plan_destroy(compare->plans[--compare->plan_count].plan);
	return status;
}

/* ---- The device and what goes with it ---- */

/* Without a database, what the strategies can do is found out here. */
static void name_database(struct tune_compare *compare)
{
	const char *named = compare->options->database ? compare->options->database : getenv("SCANRT_DB");

	if ((named == NULL || strcmp(named, "off") != 0) &&
		!tune_database_path(&compare->database, compare->options, false))
		srt_strbuf_clear(&compare->database);
}

/* Where there is no compiler, the driver's copy is the ceiling. */
static void load_copy(struct tune_compare *compare)
{
	const struct srt_driver *driver = compare->gpu->driver;
	bool is_ptx = tune_compare_is_modelled(compare) || compare->options->codegen == SRT_CODEGEN_PTX;
	int status = tune_compile_copy(&compare->copy_image, compare->gpu->device.capability, is_ptx);

	if (!status && is_ptx)
		status = srt_image_link(&compare->copy_image, driver, NULL);
	if (!status)
		status = SRT_CALL(driver, cuModuleLoadData, (&compare->copy_module, compare->copy_image.bytes));
	if (!status)
		status = SRT_CALL(driver, cuModuleGetFunction,
			(&compare->copy_kernel, compare->copy_module, compare->copy_image.entry));
	if (status)
		compare->copy_kernel = NULL;
	srt_error_clear();
}

static int open_device(struct tune_compare *compare)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct srt_strbuf fingerprint = {0};
	int status = tune_gpu_open(compare->gpu, compare->options->device);

	options.device = compare->options->device;
	options.database = compare->options->database;
	if (!status)
		status = scanrt_context_create(&compare->context, &options);
	if (status)
		return status;
	srt_device_fingerprint(&fingerprint, &compare->gpu->device);
	snprintf(compare->fingerprint, sizeof compare->fingerprint, "%s", srt_strbuf_text(&fingerprint));
	srt_strbuf_free(&fingerprint);
	compare->contest = (struct tune_contest){ compare->gpu->driver, compare->gpu->stream, compare->gpu->before,
						  compare->gpu->after, tune_compare_is_modelled(compare) };
	name_database(compare);
	load_copy(compare);
	compare->no_peers = "they run on GPUs only";
	if (!tune_compare_is_modelled(compare))
		compare->peers = tune_peers_open(&compare->no_peers);
	return SCANRT_OK;
}

static void close_device(struct tune_compare *compare)
{
	scanrt_context_destroy(compare->context);
	srt_strbuf_free(&compare->database);
	if (compare->copy_module)
		compare->gpu->driver->cuModuleUnload(compare->copy_module);
	srt_image_free(&compare->copy_image);
	tune_gpu_close(compare->gpu);
}

/* The lines of an earlier run, of this program or of bench/table, as a table for a README. */
static int make_markdown(const struct tune_options *options)
{
	FILE *file = strcmp(options->file, "-") == 0 ? stdin : fopen(options->file, "r");
	struct tune_line *lines;
	size_t count;

	if (file == NULL) {
		fprintf(stderr, "scantune: %s: %s\n", options->file, strerror(errno));
		return TUNE_EXIT_USAGE;
	}
	lines = tune_lines_read(&count, file);
	if (lines)
		tune_lines_print_markdown(lines, count);
	if (count == 0)
		fprintf(stderr, "scantune: there is no result line in %s\n", options->file);
	free(lines);
	if (file != stdin)
		fclose(file);
	return count ? TUNE_EXIT_COMPLETE : TUNE_EXIT_USAGE;
}

static int measure(const struct tune_options *options)
{
	struct tune_compare *compare = calloc(1, sizeof *compare);
	struct tune_gpu *gpu = calloc(1, sizeof *gpu);
	int status = SCANRT_ERROR_OUT_OF_MEMORY;

	if (compare && gpu) {
		compare->options = options;
		compare->gpu = gpu;
		status = open_device(compare);
		if (!status)
			tune_compare_print_head(compare);
		for (size_t i = 0; !status && i < options->target_count * options->mode_count; i++)
			status = run_problem(compare, &options->targets[i / options->mode_count],
				options->modes[i % options->mode_count]);
		if (status)
			fprintf(stderr, "scantune: %s\n", srt_error_last()->text);
		close_device(compare);
	}
	free(gpu);
	free(compare);
	return tune_exit_of(status);
}

int tune_command_compare(const struct tune_options *options)
{
	return options->file ? make_markdown(options) : measure(options);
}
