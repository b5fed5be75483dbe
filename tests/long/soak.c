/* SPDX-License-Identifier: MIT
 *
 * Random variants of random problems at random counts and places, for as long as SCANRT_SOAK_SECONDS says (60): any
 * strategy with any knobs, built-in types, elements of any size, and operators that want neighbours.  On the emulated
 * device each launch has a schedule of its own, with few blocks resident at times.
 *
 * Each kernel follows from one seed, which a failure prints: SCANRT_TEST_SEED=SEED begins with that kernel.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../shape_scan.h"
#include "../span.h"
#include "../../lib/status.h"
#include "draw.h"

#define ROUNDS 12          /* scans of a kernel */
#define MOST_BYTES 4000000 /* of an array of user types; a tenth of it on a small device */

struct soak {
	struct test_device device;
	struct srt_workspace workspace;
	struct test_random random;
	struct srt_workspace initial; /* where plans would put an initial value that is large */
	uint64_t largest;
	unsigned kernels;
	unsigned scans;
};

/* Where a fault of the device ends the program, this tells in which kernel. */
static struct srt_strbuf current_kernel;
static uint64_t current_seed;
static uint64_t current_count; /* of elements of the caller's */

static void tell_kernel(void)
{
	if (!srt_strbuf_text(&current_kernel)[0])
		return;
	printf("# the program ended in seed %" PRIu64 ": %s\n", current_seed, srt_strbuf_text(&current_kernel));
	printf("# user elements %" PRIu64 ", schedule %s, blocks resident at most %s (0: all)\n", current_count,
		getenv("SCANRT_EMU_SEED"), getenv("SCANRT_EMU_RESIDENT"));
}

static void enter_kernel(const struct srt_problem *problem, const struct srt_variant *variant)
{
	srt_strbuf_free(&current_kernel);
	srt_problem_format(&current_kernel, problem, true);
	srt_strbuf_printf(&current_kernel, " (%zu bytes, aligned to %zu); variant ",
		srt_problem_size(problem, SRT_INPUT), srt_problem_alignment(problem, SRT_INPUT));
	srt_variant_format(&current_kernel, variant);
	tap_case("seed %" PRIu64 ": %s", current_seed, srt_strbuf_text(&current_kernel));
}

static void set_number(const char *name, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	setenv(name, text, 1);
}

/* What only the emulated device reads. */
static void next_schedule(struct soak *soak)
{
	set_number("SCANRT_EMU_SEED", test_draw(&soak->random, 4) ? 1 + test_draw(&soak->random, 1000000) : 0);
	set_number("SCANRT_EMU_RESIDENT", test_draw(&soak->random, 2) ? 0 : 1 + test_draw(&soak->random, 4));
	soak->scans++;
}

static bool kernel_passes(struct soak *soak, const struct srt_kernel *kernel)
{
	const struct srt_problem *problem = &kernel->problem;
	bool is_one_size = srt_problem_size(problem, SRT_INPUT) == srt_problem_size(problem, SRT_OUTPUT);
	struct reference reference;
	bool passes = true;

	reference_create(&reference, problem, REFERENCE_EXACT, soak->random.drawn,
		draw_count(&soak->random, &kernel->variant, soak->largest));
	for (unsigned i = 0; i < ROUNDS && passes; i++) {
		struct test_scan scan = { &reference, kernel, &soak->workspace,
			i ? draw_count(&soak->random, &kernel->variant, reference.count) : reference.count,
			test_draw(&soak->random, 32), test_draw(&soak->random, 32),
			is_one_size && test_draw(&soak->random, 4) == 0, (uint32_t)test_draw(&soak->random, 3) };

		next_schedule(soak);
		passes = test_scan_passes(&soak->device, &scan);
	}
	reference_destroy(&reference);
	return passes;
}

static uint64_t count_of_bytes(const struct soak *soak, size_t size)
{
	uint64_t most = MOST_BYTES / (test_is_small(&soak->device) ? 10 : 1) / size;

	return most < soak->largest ? most : soak->largest;
}

static bool shape_passes(struct soak *soak, const struct srt_kernel *kernel, const struct shape *shape)
{
	uint64_t most = draw_count(&soak->random, &kernel->variant, count_of_bytes(soak, shape->size));
	unsigned char *input = malloc(most * shape->size);
	unsigned char *expected = malloc(most * shape->size);
	bool passes = true;

	if (!input || !expected)
		abort();
	shape_fill(input, shape, soak->random.drawn, most);
	shape_scan(expected, &kernel->problem, shape, input, most);
	for (unsigned i = 0; i < ROUNDS && passes; i++) {
		struct shape_scan scan = { shape, kernel, &soak->workspace, input, expected,
			i ? draw_count(&soak->random, &kernel->variant, most) : most, test_draw(&soak->random, 64),
			test_draw(&soak->random, 4) == 0, (uint32_t)test_draw(&soak->random, 3) };

		next_schedule(soak);
		current_count = scan.count;
		passes = shape_scan_passes(&soak->device, &scan);
	}
	free(input);
	free(expected);
	return passes;
}

static bool spans_pass(struct soak *soak, const struct srt_kernel *kernel)
{
	size_t size = srt_problem_size(&kernel->problem, SRT_ACCUMULATOR);
	bool passes = true;

	for (unsigned i = 0; i < ROUNDS && passes; i++) {
		next_schedule(soak);
		uint64_t count = draw_count(&soak->random, &kernel->variant, count_of_bytes(soak, size));

		current_count = count;
		passes = span_passes(&soak->device, kernel, &soak->workspace, count);
	}
	return passes;
}

static void place_initial(struct soak *soak, struct srt_problem *problem, const void *bytes, size_t size)
{
	if (!problem->has_initial || size <= sizeof(problem->initial))
		return;
	test_upload(&soak->device, soak->initial.address, bytes, size);
	problem->initial_on_device = (const void *)(uintptr_t)soak->initial.address;
}

/* Which check a problem is for. */
enum kind { NUMBERS, SHAPES, SPANS };

static enum kind draw_kind(struct soak *soak, struct srt_problem *problem, struct shape *shape)
{
	static const uint32_t start[SCANRT_USER_BYTES_MAX / 4] = { SPAN_MAGIC, 0, 0 };
	enum kind kind = (enum kind)test_draw(&soak->random, 3);
	size_t size = 16 * (1 + test_draw(&soak->random, test_draw(&soak->random, 4) ? 6 : 40));

	if (kind == NUMBERS) {
		draw_problem(problem, &soak->random);
	} else if (kind == SHAPES) {
		draw_shape(shape, &soak->random);
		shape_problem(problem, shape, test_draw(&soak->random, 2), test_draw(&soak->random, 2));
		place_initial(soak, problem, problem->user->initial, shape->size);
	} else {
		span_problem(problem, size, test_draw(&soak->random, 2), test_draw(&soak->random, 2) ? start : NULL);
		place_initial(soak, problem, start, size);
	}
	return kind;
}

/* What only the loaded kernel shows, such as no room for its cluster, is refused, which is right too. */
static bool variant_passes(struct soak *soak, enum kind kind, const struct shape *shape,
	const struct srt_problem *problem, const struct srt_variant *variant)
{
	struct srt_kernel kernel;
	bool passes;
	int status = test_kernel_try(&kernel, &soak->device, problem, variant, SRT_CODEGEN_AUTO);

	if (status == SCANRT_ERROR_VARIANT)
		return true;
	test_need(status);
	soak->kernels++;
	passes = kind == NUMBERS ? kernel_passes(soak, &kernel) :
		kind == SHAPES   ? shape_passes(soak, &kernel, shape) :
				   spans_pass(soak, &kernel);
	test_kernel_destroy(&kernel, &soak->device);
	return passes;
}

static bool one_kernel(struct soak *soak)
{
	struct srt_problem problem;
	struct srt_variant variant;
	struct shape shape;
	enum kind kind = draw_kind(soak, &problem, &shape);
	bool passes = true;

	if (draw_variant(&variant, &soak->random, &problem, &soak->device)) {
		enter_kernel(&problem, &variant);
		passes = variant_passes(soak, kind, &shape, &problem, &variant);
	}
	srt_problem_free(&problem);
	return passes;
}

static void open_soak(struct soak *soak)
{
	test_device_open(&soak->device);
	soak->largest = test_cap(&soak->device, 2000000);
	test_workspace_create(&soak->workspace, &soak->device, soak->largest + (1 << 20));
	test_need(srt_workspace_create(&soak->initial, soak->device.driver, SCANRT_USER_BYTES_MAX));
	current_seed = getenv("SCANRT_TEST_SEED") ? soak->device.seed : (uint64_t)time(NULL) * 100000;
	tap_diag("soak seed %" PRIu64, current_seed);
	atexit(tell_kernel);
}

int main(void)
{
	const char *wanted = getenv("SCANRT_LONG");
	const char *seconds = getenv("SCANRT_SOAK_SECONDS");
	time_t end = time(NULL) + (seconds ? atol(seconds) : 60);
	struct soak soak = { 0 };
	bool passes = true;

	if (!wanted || strcmp(wanted, "1") != 0)
		tap_skip_all("the soak takes minutes: SCANRT_LONG=1 or make check-long runs it");
	open_soak(&soak);
	alarm((unsigned)(end - time(NULL)) + 300);
	tap_plan(0);
	for (; passes && time(NULL) < end; current_seed++) {
		soak.random = (struct test_random){ current_seed, 0 };
		passes = one_kernel(&soak);
	}
	srt_strbuf_free(&current_kernel);
	tap_ok(passes, "B073 B093: %u scans by %u random kernels are right", soak.scans, soak.kernels);
	srt_workspace_destroy(&soak.workspace, soak.device.driver);
	srt_workspace_destroy(&soak.initial, soak.device.driver);
	test_device_close(&soak.device);
	return tap_done();
}
