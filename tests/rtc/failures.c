/* SPDX-License-Identifier: MIT
 *
 * What goes wrong with a compiler, and what the images of one that works are called.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "cubin.h"
#include "status.h"
#include "tests/tap.h"

static int compile_text(void **bytes, const struct srt_rtc *rtc, const char *text, const char *option,
	struct srt_strbuf *log)
{
	const struct srt_source sources[] = {
		{ "part.cuh", "__device__ int part() { return 1; }\n", 36 },
		{ "scan.cu", text, strlen(text) },
		{ NULL, NULL, 0 },
	};
	const char *const options[] = { "--gpu-architecture=sm_90", option };
	struct srt_rtc_job job = { .sources = sources, .entry = "scan.cu", .options = options,
		.option_count = option ? 2 : 1 };
	size_t size;

	srt_strbuf_clear(log);
	return srt_rtc_compile(bytes, &size, rtc, &job, log);
}

static void test_sources(const struct srt_rtc *rtc)
{
	static const char good[] =
		"#include \"part.cuh\"\nextern \"C\" __global__ void scan_x(int *p) { *p = part(); }\n";
	struct srt_strbuf log = { 0 };
	void *bytes = NULL;

	tap_is_int(compile_text(&bytes, rtc, good, NULL, &log), SCANRT_OK,
		"a source that includes another one compiles");
	tap_is_uint(log.length, 0, "and the compiler says nothing");
	free(bytes);
	bytes = NULL;

	tap_is_int(compile_text(&bytes, rtc, "\n\n__global__ void k() { nonsense; }\n", NULL, &log),
		SCANRT_ERROR_COMPILE,
		"B135: an error in a source is its own status");
	tap_contains(srt_strbuf_text(&log), "scan.cu(3): error", "the log has the file and the line");
	tap_contains(srt_error_last()->text, "nonsense", "the sentence has the first error");
	tap_is_int(srt_error_last()->nvrtc_result, 6, "the record has NVRTC's result");
	tap_ok(bytes == NULL, "there is no machine code then");

	tap_is_int(compile_text(&bytes, rtc, "#include \"missing.cuh\"\n", NULL, &log), SCANRT_ERROR_COMPILE,
		"a header that is not in memory does not come from a disk");
	tap_is_int(compile_text(&bytes, rtc, good, "--no-such-option", &log), SCANRT_ERROR_COMPILER,
		"an unknown option is not the source's fault");
	tap_is_int(compile_text(&bytes, rtc, "__global__ void k() { int unused; }\n", NULL, &log), SCANRT_OK,
		"a warning is no error");
	tap_contains(srt_strbuf_text(&log), "warning", "and is in the log, so an empty log means that there was none");
	free(bytes);
	srt_strbuf_free(&log);
}

static void test_images(const struct srt_rtc *rtc)
{
	struct srt_image first = { 0 };
	struct srt_image second = { 0 };
	struct srt_problem problem;
	struct srt_variant variant;
	char recipe[SRT_HASH_TEXT];
	char entry[40];

	srt_problem_init_simple(&problem, SCANRT_U32, SCANRT_SUM);
	srt_variant_init(&variant, SRT_BLOCK);
	srt_image_recipe(recipe, entry, &problem, &variant, 90);
	tap_is_int(srt_image_build(&first, rtc, NULL, &problem, &variant, 90, SRT_CODEGEN_AUTO, NULL), SCANRT_OK,
		"an image is built without a driver where NVRTC knows the architecture");
	tap_is_string(first.recipe, recipe, "its recipe is the one that a program without a compiler computes");
	tap_is_string(first.entry, entry, "so is its entry's name");
	tap_ok(first.bytes && cubin_has_kernel(first.bytes, first.size, entry), "B127: its kernel has that name");
	tap_is_string(first.codegen, "sass", "it remembers how it was made");
	tap_is_string(first.arch, "sm_90", "and for which architecture");
	tap_is_string(first.toolchain, srt_rtc_toolchain(rtc), "and by whom");
	tap_lacks(first.toolchain, "unknown", "down to the compiler's build");
	srt_image_build(&second, rtc, NULL, &problem, &variant, 90, SRT_CODEGEN_SASS, NULL);
	tap_is_string(second.key, first.key, "B123: a second build has the same key");
	srt_image_free(&second);
	tap_ok(second.bytes == NULL && second.key[0] == '\0', "a freed image is empty");
	problem.is_exclusive = true;
	srt_image_build(&second, rtc, NULL, &problem, &variant, 90, SRT_CODEGEN_SASS, NULL);
	tap_ok(strcmp(second.entry, first.entry) != 0 && strcmp(second.key, first.key) != 0,
		"B127: another problem has another key and another entry");
	srt_image_free(&second);
	srt_image_free(&first);
}

static void test_refused_images(const struct srt_rtc *rtc)
{
	struct srt_image image = { 0 };
	struct srt_problem problem;
	struct srt_variant variant;

	srt_problem_init_simple(&problem, SCANRT_U32, SCANRT_SUM);
	srt_variant_init(&variant, SRT_BLOCK);
	tap_is_int(srt_image_build(&image, rtc, NULL, &problem, &variant, 35, SRT_CODEGEN_AUTO, NULL),
		SCANRT_ERROR_COMPILER,
		"a device older than all that NVRTC knows has no image");
	tap_is_int(srt_image_build(&image, rtc, NULL, &problem, &variant, 999, SRT_CODEGEN_SASS, NULL),
		SCANRT_ERROR_COMPILER, "a device that NVRTC does not know has no machine code of NVRTC's");
	tap_is_int(srt_image_build(&image, rtc, NULL, &problem, &variant, 999, SRT_CODEGEN_AUTO, NULL),
		SCANRT_ERROR_COMPILER, "for such a device the way leads through PTX, which needs a driver");
	tap_is_int(srt_image_build(&image, rtc, NULL, &problem, &variant, 90, SRT_CODEGEN_PTX, NULL),
		SCANRT_ERROR_COMPILER,
		"PTX can be asked for, and needs a driver too");
	variant.items = 3; /* neither vectors nor a power of two below one */
	tap_is_int(srt_image_build(&image, rtc, NULL, &problem, &variant, 90, SRT_CODEGEN_AUTO, NULL),
		SCANRT_ERROR_VARIANT,
		"a variant that cannot run is not compiled");
	tap_ok(image.bytes == NULL && image.key[0] == '\0', "a refused image is left alone");
}

/* The environment decides at each opening, so that each of these is another library. */
static void opens(int wanted, const char *path, const char *part, const char *name)
{
	const struct srt_rtc *rtc = NULL;

	if (setenv("SCANRT_LIBNVRTC", path, 1) != 0)
		tap_bail_out("no room for SCANRT_LIBNVRTC");
	srt_error_clear();
	tap_is_int(srt_rtc_open(&rtc), wanted, "%s", name);
	if (wanted)
		tap_contains(srt_error_last()->text, part, "the sentence has the reason: %s", srt_error_last()->text);
}

static void test_loading(const struct srt_rtc *rtc)
{
	const struct srt_rtc *again = NULL;
	const char *set = getenv("SCANRT_LIBNVRTC");
	char *before = set ? strdup(set) : NULL;

	opens(SCANRT_ERROR_NO_COMPILER, "/nonexistent/libnvrtc.so", "/nonexistent/libnvrtc.so",
		"SCANRT_LIBNVRTC names the only file that is tried");
	opens(SCANRT_ERROR_NO_COMPILER, "/dev/null", "no regular file", "a device is no NVRTC, nor is a FIFO");
	opens(SCANRT_ERROR_NO_COMPILER, "", "SCANRT_LIBNVRTC", "SCANRT_LIBNVRTC set to nothing means no compiler");
	opens(SCANRT_ERROR_COMPILER_TOO_OLD, "libm.so.6", "nvrtc",
		"a library without NVRTC's functions is too old");
	opens(SCANRT_OK, srt_rtc_path(rtc), "", "a path to NVRTC is taken");
	if (before)
		setenv("SCANRT_LIBNVRTC", before, 1);
	else
		unsetenv("SCANRT_LIBNVRTC");
	free(before);
	tap_is_int(srt_rtc_open(&again), SCANRT_OK, "a failure is not remembered");
	tap_ok(again == rtc, "a library is loaded once");
}

int main(void)
{
	const struct srt_rtc *rtc = batch_compiler();

	tap_plan(0);
	test_sources(rtc);
	test_images(rtc);
	test_refused_images(rtc);
	test_loading(rtc);
	return tap_done();
}
