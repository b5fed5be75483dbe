/* SPDX-License-Identifier: MIT
 *
 * How a mutant is made and tried: in a process of its own, because a fault takes the context with it and a kernel that
 * waits for ever must be ended.
 */
#include "mutant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../kernels/abi.h"
#include "../../lib/recipe.h"
#include "../../lib/status.h"
#include "emulated.h"
#include "../span.h"
#include "tests/folder.h"

#define LAUNCHES 60
#define EXCUSED_LAUNCHES 20
#define CYCLE 5        /* launches from one last epoch but one to the next */
#define MANY_TILES 70  /* more than two windows or batches of 32 */
#define FEW_TILES 9
#define LEAST_TILE 32  /* elements: scans of such tiles are short, and have more than three batches */
#define TILES_OF_LEAST 100
#define SPAN_BYTES 16
#define SPAN_LAUNCHES 16
#define SOURCES_MAX 64

/* How a child ends, beside what tap_bail_out and a watchdog exit with. */
enum { SURVIVED = 0, WRONG = 1, MISPLACED = 40, UNCOMPILED = 41, ODD = 42 };

static struct srt_source sources[SOURCES_MAX + 1];

/* ---- The text ---- */

static const char *find_nth(const char *text, const char *part, int nth)
{
	const char *found = strstr(text, part);

	while (found && --nth > 0)
		found = strstr(found + 1, part);
	return found;
}

static bool replace(struct srt_source *source, const struct mutant *mutant)
{
	const char *at = find_nth(source->text, mutant->from, mutant->occurrence);
	size_t before, room = source->length + strlen(mutant->to) + 1;
	char *text;

	if (!at || (mutant->occurrence == 0 && strstr(at + 1, mutant->from)))
		return false;
	text = malloc(room);
	if (!text)
		abort();
	before = (size_t)(at - source->text);
	memcpy(text, source->text, before);
	snprintf(text + before, room - before, "%s%s", mutant->to, at + strlen(mutant->from));
	source->text = text;
	source->length = strlen(text);
	return true;
}

/* NULL: the kernels as they are. */
static bool make_sources(const struct mutant *mutant)
{
	bool is_placed = mutant == NULL;

	for (size_t i = 0; i < SOURCES_MAX && srt_sources[i].name; i++) {
		sources[i] = srt_sources[i];
		if (mutant && strcmp(sources[i].name, mutant->file) == 0)
			is_placed = replace(&sources[i], mutant);
	}
	return is_placed;
}

/* What a problem brings takes the place of the text that has nothing. */
static void bring_text(const struct srt_problem *problem)
{
	for (struct srt_source *source = sources; problem->user && source->name; source++) {
		if (strcmp(source->name, "user_text.cuh") == 0) {
			source->text = problem->user->text;
			source->length = strlen(source->text);
		}
	}
}

/* ---- The kernel ---- */

static int compile(struct srt_image *image, const struct test_device *device, const struct srt_problem *problem,
	const struct srt_variant *variant)
{
	struct srt_options options;
	struct srt_rtc_job job = { .sources = sources, .entry = "scan.cu", .is_ptx = true };
	char arch[24];
	int status = srt_image_recipe(image->recipe, image->entry, problem, variant, device->facts.capability);

	if (status)
		return status;
	bring_text(problem);
	snprintf(arch, sizeof(arch), "compute_%d", device->facts.capability);
	snprintf(image->arch, sizeof(image->arch), "sm_%d", device->facts.capability);
	snprintf(image->codegen, sizeof(image->codegen), "ptx");
	srt_options_make(&options, problem, variant, arch, image->entry);
	job.options = options.list;
	job.option_count = options.count;
	return srt_rtc_compile(&image->bytes, &image->size, device->rtc, &job, NULL);
}

static void make_kernel(struct srt_kernel *kernel, const struct test_device *device, const struct srt_problem *problem,
	const char *text)
{
	struct srt_image image = { 0 };
	struct srt_variant variant;

	test_need(srt_variant_parse(&variant, text));
	if (compile(&image, device, problem, &variant) != SCANRT_OK)
		_exit(UNCOMPILED);
	test_need(srt_image_link(&image, device->driver, NULL));
	test_need(srt_kernel_load(kernel, device->driver, &device->facts, problem, &variant, &image));
	srt_image_free(&image);
}

/* ---- The scans ---- */

static void enter_late_epoch(const struct test_device *device, const struct srt_workspace *workspace)
{
	uint64_t word = (uint64_t)(SCAN_EPOCH_LIMIT - 2) << 32;

	test_upload(device, workspace->address, &word, sizeof(word));
}

/* Few tiles mostly, of any count; other places in memory, other schedules; the epochs wrap again and again, and the
 * same epoch comes back with other data, so that a word which should have been cleared gives a wrong result.  Some
 * arrays end in the middle of a tile, where a warp's slice does. */
static void choose(struct test_scan *scan, uint64_t i)
{
	static const unsigned residents[] = { 0, 0, 3, 1 };
	uint64_t tile = (uint64_t)srt_variant_tile(&scan->kernel->variant);
	uint64_t bound = (i % 5 == 4 ? MANY_TILES : FEW_TILES) * tile;
	size_t in_size = srt_type_size(scan->kernel->problem.input_type);

	if (bound > srt_variant_max_count(&scan->kernel->variant))
		bound = srt_variant_max_count(&scan->kernel->variant);
	scan->count = i % 5 == 4 ? bound : reference_random(i, 1) % bound + 1;
	if (i % 8 == 2)
		scan->count -= scan->count > tile / 2 ? scan->count % (tile / 2) : 0;
	scan->is_in_place = i % 3 == 0 && in_size == srt_type_size(scan->kernel->problem.output_type);
	scan->skip_out = i % 4 == 1 ? reference_random(i, 2) % 4 + i % 16 / 4 * 28 : 0;
	scan->skip_in = i % 4 == 2 ? reference_random(i, 3) % 4 + i % 16 / 4 * 44 : 0;
	emulated_schedule(i + 1, residents[i % (sizeof(residents) / sizeof(residents[0]))]);
}

static bool try_spans(struct test_device *device, const struct mutant_trial *trial)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct srt_workspace workspace;
	bool passes = true;

	span_problem(&problem, SPAN_BYTES, true, NULL);
	make_kernel(&kernel, device, &problem, trial->variant);
	test_need(srt_workspace_create(&workspace, device->driver, 1 << 20));
	for (uint64_t i = 0; i < SPAN_LAUNCHES && passes; i++) {
		uint64_t tile = (uint64_t)srt_variant_tile(&kernel.variant);
		uint64_t bound = (tile == LEAST_TILE ? TILES_OF_LEAST : FEW_TILES) * tile;
		uint64_t most = srt_variant_max_count(&kernel.variant);

		emulated_schedule(i + 1, 0);
		passes = span_passes(
			device, &kernel, &workspace, reference_random(i, 1) % (bound < most ? bound : most) + 1);
	}
	srt_workspace_destroy(&workspace, device->driver);
	test_kernel_destroy(&kernel, device);
	srt_problem_free(&problem);
	return passes;
}

static bool try_trial(struct test_device *device, const struct mutant_trial *trial, uint64_t launches)
{
	struct srt_problem problem;
	struct srt_kernel kernel;
	struct reference references[2];
	struct srt_workspace workspace;
	struct test_scan scan = { NULL, &kernel, &workspace, 0, 0, 0, false, 0 };
	int result_type = trial->result_type ? trial->result_type : trial->type;
	bool passes = true;

	test_problem(&problem, trial->op, trial->type, result_type, result_type, false);
	make_kernel(&kernel, device, &problem, trial->variant);
	for (uint64_t i = 0; i < 2; i++)
		reference_create(&references[i], &problem, REFERENCE_EXACT, i,
			MANY_TILES * (uint64_t)srt_variant_tile(&kernel.variant));
	test_workspace_create(&workspace, device, references[0].count);
	for (uint64_t i = 0; i < launches && passes; i++) {
		if (i % CYCLE == 0)
			enter_late_epoch(device, &workspace);
		scan.reference = &references[i / CYCLE % 2];
		choose(&scan, i);
		passes = test_scan_passes(device, &scan);
	}
	srt_workspace_destroy(&workspace, device->driver);
	test_kernel_destroy(&kernel, device);
	reference_destroy(&references[0]);
	reference_destroy(&references[1]);
	return passes;
}

/* Of an excused mutant the first trial, a part of it: it shows that the text stands where it stood, and compiles. */
static int try_all(const struct mutant *mutant, const struct mutant_trial *trials)
{
	bool is_excused = mutant && mutant->excuse;
	struct test_device device;
	bool passes = true;

	if (!make_sources(mutant))
		return MISPLACED;
	emulated_open(&device);
	for (; trials->variant && passes; trials++) {
		passes = trials->op == MUTANT_SPANS ? try_spans(&device, trials) :
			try_trial(&device, trials, is_excused ? EXCUSED_LAUNCHES : LAUNCHES);
		if (is_excused)
			break;
	}
	return passes ? SURVIVED : WRONG;
}

/* ---- The processes ---- */

static void be_child(const struct mutant *mutant, const struct mutant_trial *trials, const char *log)
{
	if (!getenv("SCANRT_TEST_VERBOSE") && !freopen("/dev/null", "w", stdout))
		_exit(ODD);
	setenv("SCANRT_EMU_LOG", log, 1);
	setenv("SCANRT_TEST_TIGHT", "1", 1);
	setenv("SCANRT_TEST_TIMEOUT", "60", 1);
	_exit(try_all(mutant, trials));
}

static int run_child(const struct mutant *mutant, const struct mutant_trial *trials, const char *log)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		be_child(mutant, trials, log);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return ODD;
	return WIFEXITED(status) ? WEXITSTATUS(status) : ODD;
}

/* Passes on what the device said of a fault, and empties the file. */
static void tell_log(const char *log)
{
	char line[1024];
	FILE *file = fopen(log, "r+");

	if (!file)
		return;
	if (fgets(line, sizeof(line), file))
		tap_diag("%.300s", line);
	if (ftruncate(fileno(file), 0) != 0)
		tap_diag("the log could not be emptied");
	fclose(file);
}

static void check_mutant(const struct mutant *mutant, const char *log)
{
	int end = run_child(mutant, mutant->trials, log);

	if (end == MISPLACED || end == UNCOMPILED || end == ODD)
		tap_ok(false, "%s: %s", mutant->what, end == MISPLACED ? "its text is in the kernels, once" :
			end == UNCOMPILED ? "it compiles without that" : "its process runs");
	else if (mutant->excuse)
		tap_ok(end == SURVIVED, "without %s nothing is noticed: %s", mutant->what, mutant->excuse);
	else
		tap_ok(end != SURVIVED, "without %s a scan fails: %s", mutant->what,
			end == WRONG ? "a wrong result" : "a fault");
	tell_log(log);
}

/* The same trials with nothing taken out: the checks find fault with the mutants only. */
static void check_twins(const struct mutant *mutants, const char *log)
{
	for (const struct mutant *mutant = mutants; mutant->what; mutant++) {
		const struct mutant *first = mutants;

		while (first->trials != mutant->trials)
			first++;
		if (first != mutant)
			continue;
		tap_is_int(run_child(NULL, mutant->trials, log), SURVIVED,
			"the kernels as they are pass the trials of %s", mutant->trials->variant);
		tell_log(log);
	}
}

void mutant_check_all(const struct mutant *mutants, const char *model)
{
	char log[4200];
	const char *only = getenv("SCANRT_TEST_MUTANT"); /* a part of its description */

	snprintf(log, sizeof(log), "%s/log", folder("mutants"));
	if (model)
		setenv("SCANRT_EMU_MODEL", model, 1);
	if (!only)
		check_twins(mutants, log);
	for (const struct mutant *mutant = mutants; mutant->what; mutant++) {
		if (!only || strstr(mutant->what, only))
			check_mutant(mutant, log);
	}
}
