/* SPDX-License-Identifier: MIT
 *
 * Images on the device: both ways to make them, names that tell them apart, facts read from the machine code itself.
 */
#include <stdlib.h>
#include <string.h>

#include "../device.h"

struct images {
	struct test_device device;
	struct srt_workspace workspace;
	uint64_t largest;
};

static const char *const variants[] = { "block,block=128,items=8", "lookback,block=64,items=8,residency=1",
	"lookahead,block=64,items=8,stages=3,ahead=2" };
#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

static void parse(struct srt_variant *variant, const char *text)
{
	test_need(srt_variant_parse(variant, text));
}

static bool is_right(struct images *images, const struct srt_kernel *kernel, const struct reference *reference)
{
	uint64_t limit = srt_variant_max_count(&kernel->variant);
	struct test_scan scan = { reference, kernel, &images->workspace, reference->count, 1, 3, false, 0 };

	if (scan.count > limit)
		scan.count = limit;
	return test_scan_passes(&images->device, &scan);
}

/* PTX goes through the driver's linker: other code of the same source, and the same results. */
static void by_way_of_ptx(struct images *images)
{
	struct srt_problem problem;
	struct reference reference;

	test_problem(&problem, SRT_OP_AFFINE, SCANRT_U64, SCANRT_U64, SCANRT_U64, true);
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, images->largest);
	for (unsigned i = 0; i < VARIANTS; i++) {
		struct srt_variant variant;
		struct srt_kernel kernel;

		parse(&variant, variants[i]);
		test_need(test_kernel_try(&kernel, &images->device, &problem, &variant, SRT_CODEGEN_PTX));
		tap_ok(is_right(images, &kernel, &reference), "%s is right as PTX that the driver compiles",
			variants[i]);
		tap_ok(kernel.registers > 0 && kernel.max_threads >= (int)srt_variant_threads(&variant) &&
				kernel.blocks_per_sm >= 1,
			"B129: the facts of %s come from its machine code", variants[i]);
		test_kernel_destroy(&kernel, &images->device);
	}
	reference_destroy(&reference);
}

static void public_flag(struct images *images)
{
	struct scanrt_context *context = test_context_create(&images->device);
	struct scanrt_plan_options options = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_problem published;
	struct srt_problem problem;
	struct reference reference;
	struct scanrt_plan *plan = NULL;

	test_problem(&problem, SCANRT_SUM, SCANRT_I32, SCANRT_I32, SCANRT_I32, false);
	test_problem_publish(&published, &problem, images->largest);
	options.flags = SCANRT_CODEGEN_PTX;
	test_need(scanrt_plan_create(&plan, context, &published, &options));
	reference_create(&reference, &problem, REFERENCE_EXACT, 1, images->largest);
	tap_ok(test_plan_passes(&images->device, plan, &reference, images->largest, NULL),
		"a plan with SCANRT_CODEGEN_PTX is right");
	scanrt_plan_destroy(plan);
	reference_destroy(&reference);
	scanrt_context_destroy(context);
}

/* Two images loaded side by side, alike but for one attribute, run in turn. */
static void side_by_side(struct images *images)
{
	static const int ops[] = { SCANRT_SUM, SCANRT_MAX, SRT_OP_LAST };
	struct srt_kernel kernels[6];
	struct reference references[6];
	char entries[6][40];
	unsigned distinct = 0;
	bool passes = true;

	for (unsigned i = 0; i < 6; i++) {
		struct srt_problem problem;
		struct srt_variant variant;
		char recipe[SRT_HASH_TEXT];

		test_problem(&problem, ops[i % 3], SCANRT_I32, SCANRT_I32, SCANRT_I32, i >= 3);
		parse(&variant, variants[1]);
		test_need(srt_image_recipe(recipe, entries[i], &problem, &variant, images->device.facts.capability));
		test_kernel_create(&kernels[i], &images->device, &problem, variants[1]);
		reference_create(&references[i], &problem, REFERENCE_EXACT, 2, images->largest);
	}
	for (unsigned i = 0; i < 6; i++) {
		for (unsigned k = 0; k < i; k++)
			distinct += strcmp(entries[i], entries[k]) != 0;
	}
	tap_is_uint(distinct, 15, "B127: six kernels have six names");
	for (unsigned i = 0; i < 12; i++)
		passes = is_right(images, &kernels[i * 5 % 6], &references[i * 5 % 6]) && passes;
	tap_ok(passes, "B05B B127: six kernels alike but for operator or mode, loaded together, are each itself");
	for (unsigned i = 0; i < 6; i++) {
		test_kernel_destroy(&kernels[i], &images->device);
		reference_destroy(&references[i]);
	}
}

/* What is not an image, and what is a damaged one. */
static void damaged(struct images *images)
{
	struct srt_problem problem;
	struct srt_variant variant;
	struct srt_image image;
	struct srt_kernel kernel;

	test_problem(&problem, SCANRT_SUM, SCANRT_I32, SCANRT_I32, SCANRT_I32, false);
	parse(&variant, variants[0]);
	test_need(srt_image_build(&image, images->device.rtc, images->device.driver, &problem, &variant,
		images->device.facts.capability, SRT_CODEGEN_AUTO, NULL));
	memset(image.bytes, 0, image.size < 64 ? image.size : 64);
	tap_is_int(srt_kernel_load(&kernel, images->device.driver, &images->device.facts, &problem, &variant, &image),
		SCANRT_ERROR_IMAGE, "an image without its head does not load, and the status says so");
	srt_image_free(&image);
}

int main(void)
{
	struct images images = { 0 };

	test_device_open(&images.device);
	images.largest = test_cap(&images.device, 200003);
	test_workspace_create(&images.workspace, &images.device, images.largest);
	tap_plan(0);
	by_way_of_ptx(&images);
	public_flag(&images);
	side_by_side(&images);
	damaged(&images);
	srt_workspace_destroy(&images.workspace, images.device.driver);
	test_device_close(&images.device);
	return tap_done();
}
