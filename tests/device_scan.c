/* SPDX-License-Identifier: MIT
 *
 * Kernels straight from a problem and a variant, and one scan checked from all sides.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/abi.h"
#include "../lib/status.h"
#include "../lib/strategy.h"
#include "device.h"

/* Images of this process.  Tests come back to the same kernel with other data, and compiling takes longest of all. */
#define KEPT_IMAGES 256
static struct kept_image {
	struct srt_image image;
	int codegen;
} kept_images[KEPT_IMAGES];
static unsigned kept_count;

static const struct srt_image *find_image(const struct test_device *device, const struct srt_problem *problem,
	const struct srt_variant *variant, int codegen)
{
	char recipe[SRT_HASH_TEXT];
	char entry[40];

	test_need(srt_image_recipe(recipe, entry, problem, variant, device->facts.capability));
	for (unsigned i = 0; i < kept_count; i++) {
		if (kept_images[i].codegen == codegen && strcmp(kept_images[i].image.recipe, recipe) == 0)
			return &kept_images[i].image;
	}
	return NULL;
}

/* Where there is no more room, the last image makes some. */
static int build_image(const struct srt_image **image, const struct test_device *device,
	const struct srt_problem *problem, const struct srt_variant *variant, int codegen)
{
	unsigned place = kept_count < KEPT_IMAGES ? kept_count : KEPT_IMAGES - 1;
	struct kept_image *kept = &kept_images[place];
	struct srt_strbuf log = { 0 };
	int status;

	*image = find_image(device, problem, variant, codegen);
	if (*image)
		return SCANRT_OK;
	if (place < kept_count)
		srt_image_free(&kept->image);
	status = srt_image_build(
		&kept->image, device->rtc, device->driver, problem, variant, device->facts.capability, codegen, &log);
	if (status == SCANRT_ERROR_COMPILE)
		tap_diag("%s", srt_strbuf_text(&log));
	srt_strbuf_free(&log);
	kept->codegen = codegen;
	kept_count = status == SCANRT_OK ? place + 1 : place;
	*image = &kept->image;
	return status;
}

static int build_and_load(struct srt_kernel *kernel, const struct test_device *device,
	const struct srt_problem *problem, const struct srt_variant *variant, int codegen)
{
	const struct srt_image *image;
	int status = srt_variant_check(variant, problem, &device->facts);

	if (status == SCANRT_OK)
		status = build_image(&image, device, problem, variant, codegen);
	if (status == SCANRT_OK)
		status = srt_kernel_load(kernel, device->driver, &device->facts, problem, variant, image);
	return status;
}

int test_kernel_try(struct srt_kernel *kernel, struct test_device *device, const struct srt_problem *problem,
	const struct srt_variant *variant, int codegen)
{
	int wanted = codegen == SRT_CODEGEN_AUTO ? device->codegen : codegen;
	int status = build_and_load(kernel, device, problem, variant, wanted);

	/* A device that takes no machine code says so once. */
	if (status == SCANRT_ERROR_IMAGE && wanted == SRT_CODEGEN_AUTO) {
		status = build_and_load(kernel, device, problem, variant, SRT_CODEGEN_PTX);
		if (status == SCANRT_OK)
			device->codegen = SRT_CODEGEN_PTX;
	}
	return status;
}

void test_kernel_create(
	struct srt_kernel *kernel, struct test_device *device, const struct srt_problem *problem, const char *variant)
{
	struct srt_variant parsed;

	test_need(srt_variant_parse(&parsed, variant));
	test_need(test_kernel_try(kernel, device, problem, &parsed, SRT_CODEGEN_AUTO));
}

void test_kernel_destroy(struct srt_kernel *kernel, const struct test_device *device)
{
	srt_kernel_unload(kernel, device->driver);
}

/* More than any variant of the tests asks for: two words a tile of 32 elements; and for scratch, an element each, the
 * partials of such tiles and of chunks, and what aligns them. */
void test_workspace_create(struct srt_workspace *workspace, const struct test_device *device, uint64_t count)
{
	size_t state = SCAN_CONTROL_BYTES + (count / 32 + 1) * 16;
	size_t scratch = (count + count / 31 + 4096 + 64) * 8 + SRT_MOST_LEVELS * SRT_SCRATCH_ALIGNMENT;

	test_need(srt_workspace_create(workspace, device->driver, state + scratch));
}

uint32_t test_resident(const struct srt_kernel *kernel)
{
	return (uint32_t)kernel->blocks_per_sm * (uint32_t)kernel->sm_count;
}

void test_problem(struct srt_problem *problem, int op, int input, int accumulator, int output, bool is_exclusive)
{
	test_need(srt_problem_init_simple(problem, accumulator, op));
	problem->input_type = input;
	problem->accumulator_type = accumulator;
	problem->output_type = output;
	problem->is_exclusive = is_exclusive;
	problem->max_count = UINT64_C(1) << 34;
}

/* An initial value that leaves its mark and does not drown the data: a start on the ramp of exact data for minima and
 * maxima, one bit for and/or, an invertible factor for products and maps. */
static uint64_t integer_initial(int op, int type, uint64_t random)
{
	int bits = 8 * (int)srt_type_size(type);
	uint64_t quarter = UINT64_C(1) << ((bits < 32 ? bits : 32) - 3);
	uint64_t on_ramp = srt_type_is_signed(type) ? 0 - quarter : quarter;

	switch (op) {
	case SCANRT_MAX:
		return on_ramp;
	case SCANRT_MIN:
		return ~on_ramp;
	case SCANRT_AND:
		return ~(UINT64_C(1) << random % (uint64_t)bits);
	case SCANRT_OR:
		return UINT64_C(1) << random % (uint64_t)bits;
	case SRT_OP_AFFINE:
		return random | UINT64_C(1) << (bits / 2);
	default:
		return random | 1;
	}
}

void test_problem_set_initial(struct srt_problem *problem, uint64_t seed)
{
	int type = problem->accumulator_type;
	uint64_t random = reference_random(seed, 0);
	struct element value = { integer_initial(problem->op, type, random), 0, 0 };

	/* A power of two for products, and a small integer elsewhere, keep exact data exact. */
	value.high = problem->op == SCANRT_PROD ? ldexp(1.0, (int)(random % 5) - 2) : (double)(random % 31) - 15;
	memset(problem->initial, 0, sizeof(problem->initial));
	element_store(type, problem->initial, 0, value);
	problem->has_initial = true;
}

/* ---- One checked scan ---- */

static void say_where(const struct test_scan *scan, const char *what)
{
	struct srt_strbuf text = { 0 };

	srt_problem_format(&text, &scan->reference->problem, true);
	srt_strbuf_append(&text, "; variant ");
	srt_variant_format(&text, &scan->kernel->variant);
	tap_diag("%s: problem %s; count %" PRIu64 "; in +%" PRIu64 " out +%" PRIu64 "%s; grid limit %u; seed %" PRIu64,
		what, srt_strbuf_text(&text), scan->count, scan->skip_in, scan->skip_out,
		scan->is_in_place ? " in place" : "", scan->grid_limit, scan->reference->seed);
	srt_strbuf_free(&text);
}

bool test_results_pass(const struct test_scan *scan, const void *seen)
{
	const struct reference *reference = scan->reference;
	int type = reference->problem.output_type;
	double depth = reference_depth(&scan->kernel->variant, scan->count);
	uint64_t index = 0;
	uint64_t wrong = 0;
	char texts[2][64];

	if (reference_check(reference, seen, scan->count, depth, &index, &wrong))
		return true;
	say_where(scan, "wrong result");
	tap_diag("%" PRIu64 " of %" PRIu64 " are wrong; first at %" PRIu64 " (tile %" PRIu64 " + %" PRIu64 "): "
		 "wanted %s, saw %s",
		wrong, scan->count, index, index / srt_variant_tile(&scan->kernel->variant),
		index % srt_variant_tile(&scan->kernel->variant),
		element_text(texts[0], type, reference->expected, index), element_text(texts[1], type, seen, index));
	return false;
}

static void place(
	struct test_buffer *in, struct test_buffer *out, const struct test_device *device, const struct test_scan *scan)
{
	const struct srt_problem *problem = &scan->reference->problem;
	size_t in_size = srt_type_size(problem->input_type);
	size_t out_size = srt_type_size(problem->output_type);

	test_buffer_create(out, device, scan->count * out_size, scan->skip_out * out_size);
	if (scan->is_in_place)
		*in = *out;
	else
		test_buffer_create(in, device, scan->count * in_size, scan->skip_in * in_size);
	test_upload(device, in->address, scan->reference->input, scan->count * in_size);
}

/* The input is read back: a scan that changes it has harmed its caller, however right the output. */
static bool input_is_unchanged(
	const struct test_device *device, const struct test_scan *scan, const struct test_buffer *in, void *scratch)
{
	if (scan->is_in_place)
		return true;
	test_download(device, scratch, in->address, in->size);
	if (memcmp(scratch, scan->reference->input, in->size) != 0) {
		say_where(scan, "the input was changed");
		return false;
	}
	if (test_guards_intact(in, device))
		return true;
	say_where(scan, "written around the input");
	return false;
}

static bool output_is_right(
	const struct test_device *device, const struct test_scan *scan, const struct test_buffer *out, void *scratch)
{
	bool is_right;

	test_download(device, scratch, out->address, out->size);
	is_right = test_results_pass(scan, scratch);
	if (test_guards_intact(out, device))
		return is_right;
	say_where(scan, "written outside the output");
	return false;
}

static const struct test_scan *current_scan;

void test_say_current_scan(void)
{
	if (current_scan)
		say_where(current_scan, "at this scan");
}

bool test_scan_passes(const struct test_device *device, const struct test_scan *scan)
{
	struct test_buffer in = { 0 };
	struct test_buffer out = { 0 };
	void *scratch = malloc(scan->count * 8 + 1);
	bool passes;

	if (!scratch || scan->count > scan->reference->count)
		abort();
	current_scan = scan;
	place(&in, &out, device, scan);
	test_need(srt_kernel_launch(scan->kernel, device->driver, scan->workspace, out.address, in.address, scan->count,
		scan->grid_limit, NULL));
	test_synchronize(device);
	passes = output_is_right(device, scan, &out, scratch);
	passes = input_is_unchanged(device, scan, &in, scratch) && passes;
	test_buffer_destroy(&out, device);
	if (!scan->is_in_place)
		test_buffer_destroy(&in, device);
	free(scratch);
	current_scan = NULL;
	return passes;
}
