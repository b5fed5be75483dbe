/* SPDX-License-Identifier: MIT
 *
 * Plans from databases: what is found, in which file, how it is called, and what is refused.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../db/db.h"
#include "fake.h"
#include "look.h"
#include "plan.h"
#include "tests/folder.h"
#include "tests/tap.h"

#define SMALL "lookback,block=128,items=8"
#define LARGE "lookahead,block=128,items=8"

static struct fake_driver *fake;
static struct fake_compiler *compiler;
static char path[4200], second_path[4200];

/* A database as scantune leaves it: one problem's two classes on one device, with images or without. */
struct content {
	const char *fingerprint;
	const char *uuid;
	const char *family;
	const char *problem;
	const char *op;
	const char *type;
	const char *source_hash;
	const char *small;
	const char *large;
	uint64_t small_low, large_low;
	bool has_images;
	bool is_modelled;
};

static struct content content;

static void must(int status, const char *what)
{
	if (status)
		tap_bail_out("%s: %s", what, scanrt_last_error());
}

/* The bytes are what the fake driver takes for machine code of this recipe. */
static void put_image(struct srt_db *db, int64_t run, const char *text, const char *codegen)
{
	struct srt_db_image image = { .registers = 40, .toolchain = "nvrtc 13.0 build fake", .arch = "sm_90" };
	struct srt_problem problem;
	struct srt_variant variant;
	char code[64];

	must(srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM), "problem");
	must(srt_variant_parse(&variant, text), "variant");
	must(srt_image_recipe(image.recipe, image.entry, &problem, &variant, 90), "recipe");
	snprintf(image.key, sizeof(image.key), "%.16s%016x", image.recipe, codegen[0]);
	snprintf(image.codegen, sizeof(image.codegen), "%s", codegen);
	snprintf(image.problem, sizeof(image.problem), "sum i32");
	snprintf(image.variant, sizeof(image.variant), "%s", text);
	snprintf(code, sizeof(code), "%s %s", strcmp(codegen, "ptx") == 0 ? "LINKED" : "SASS", image.entry);
	image.bytes = code;
	image.size = strlen(code) + 1;
	must(srt_db_put_image(db, run, &image), "image");
}

static void put_choice(struct srt_db *db, int64_t run, int64_t device, int64_t problem, const char *class, uint64_t low,
	uint64_t high, const char *variant)
{
	struct srt_db_choice choice = { .low_count = low, .high_count = high, .count = low + 1, .us = 2, .low_us = 1.9,
		.high_us = 2.1, .default_us = 3, .copy_us = 1 };
	int64_t id;

	snprintf(choice.klass, sizeof(choice.klass), "%s", class);
	snprintf(choice.variant, sizeof(choice.variant), "%s", variant);
	snprintf(choice.reason, sizeof(choice.reason), "faster");
	must(srt_db_put_choice(&id, db, run, device, problem, &choice), "choice");
}

static void fill(struct srt_db *db)
{
	struct srt_db_device device = { content.fingerprint, content.family, "Fake H200", content.uuid, 90, 132,
		60 << 20, 1 << 30, content.is_modelled };
	struct srt_db_problem problem = { content.problem, content.op, "arithmetic", content.type, content.type,
		content.type, 4, 0 };
	struct srt_db_run run = { .source_hash = content.source_hash, .effort = "quick", .arguments = "",
		.version = "0.1.0", .boot_id = "boot", .pid = 1, .start_ticks = 1 };
	int64_t problem_id;

	must(srt_db_put_device(&run.device, db, &device), "device");
	must(srt_db_put_board(db, run.device, "c0"), "the same machine's other board");
	must(srt_db_put_toolchain(&run.toolchain, db, "nvrtc 13.0 build fake", 13000), "toolchain");
	must(srt_db_put_problem(&problem_id, db, &problem), "problem");
	must(srt_db_begin_run(db, &run), "run");
	put_choice(db, run.id, run.device, problem_id, "small", content.small_low, 1000000, content.small);
	put_choice(db, run.id, run.device, problem_id, "large", content.large_low,
		content.large_low == 20000000 ? UINT64_C(1) << 40 : 4000000, content.large);
	if (content.has_images) {
		put_image(db, run.id, content.small, "sass");
		put_image(db, run.id, content.large, "sass");
	}
	must(srt_db_finish_run(db, run.id, "complete"), "finish");
}

static void write_database(void)
{
	struct srt_db *db = NULL;

	unlink(path);
	must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fill(db);
	srt_db_close(db);
}

static void reset(void)
{
	static char fingerprint[256];
	static char family[256];
	struct scanrt_context *context = NULL;
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;

	fake_driver_reset(fake);
	fake_compiler_reset(compiler);
	options.device = "0";
	options.database = "off";
	must(scanrt_context_create(&context, &options), "context");
	snprintf(fingerprint, sizeof(fingerprint), "%s", srt_context_fingerprint(context));
	snprintf(family, sizeof(family), "%s", srt_strbuf_text(&context->family));
	scanrt_context_destroy(context);
	content = (struct content){
		.fingerprint = fingerprint, .uuid = "b0", .family = family, .problem = "sum i32", .op = "sum",
		.type = "i32", .source_hash = srt_source_hash(), .small = SMALL, .large = LARGE, .small_low = 5000,
		.large_low = 20000000, .has_images = true,
	};
}

static void look(struct seen *seen, uint64_t count, uint32_t flags)
{
	look_at(seen, path, second_path[0] ? second_path : NULL, count, flags);
	tap_is_int(fake_held(fake), 0, "nothing is held");
}

static void test_tuned(void)
{
	struct seen seen;

	write_database();
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_TUNED, "a choice for this device and problem is tuned");
	tap_is_string(seen.description.variant, SMALL, "it is the variant of the row");
	tap_is_int(seen.description.is_compiled, 0, "its machine code comes from the file");
	tap_is_string(seen.description.database, path, "the file is named");
	tap_ok(seen.description.choice > 0, "the row is named");
	look(&seen, UINT64_C(1) << 30, 0);
	tap_is_string(seen.description.variant, LARGE, "the large class has its own");
	look(&seen, 100, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "one tile is left to one block");
	/* The cache of 60 MiB holds 7.8 million elements in and out: the gap between the rows divides there. */
	look(&seen, 7800000, 0);
	tap_is_string(seen.description.variant, SMALL, "below the cache's size the small class reaches up");
	look(&seen, 8000000, 0);
	tap_is_string(seen.description.variant, LARGE, "beyond it the large class reaches down");
	look(&seen, 100000, SCANRT_REPRODUCIBLE);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_TUNED, "a reproducible plan of what is exact is tuned");
	reset();
}

/* What the first file leaves open on both sides, the second one is asked for twice. */
static void test_two_files(void)
{
	struct seen seen;
	char first[sizeof(path)];

	snprintf(first, sizeof(first), "%s", path);
	snprintf(path, sizeof(path), "%s/second.db", folder("tuned"));
	content.small_low = 1;
	content.small = "lookback,block=64,items=8";
	write_database();
	snprintf(second_path, sizeof(second_path), "%s", path);
	snprintf(path, sizeof(path), "%s", first);
	reset();
	content.large = "lookback,block=512,items=8";
	content.large_low = 2000000;
	write_database();
	look(&seen, 100, 0);
	tap_is_string(seen.description.database, second_path, "below the first file's rows the second one is asked");
	look(&seen, 100000, 0);
	tap_is_string(seen.description.database, path, "the first file's rows go before the second's");
	look(&seen, UINT64_C(1) << 30, 0);
	tap_is_string(seen.description.database, second_path, "above them the second one is asked, too");
	tap_is_string(seen.description.variant, LARGE, "and answers");
	unlink(second_path);
	second_path[0] = '\0';
	reset();
}

static void test_without_compiler(void)
{
	struct seen seen;

	write_database();
	setenv("SCANRT_LIBNVRTC", "/nowhere", 1);
	look(&seen, 100000, 0);
	tap_is_int(seen.status, SCANRT_OK, "B121: with images in the file a plan needs no compiler");
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_TUNED, "and what it runs is tuned");
	look(&seen, 10, 0);
	tap_is_string(seen.description.variant, SMALL, "the others go to a kernel that is there");
	content.has_images = false;
	write_database();
	look(&seen, 10, 0);
	tap_is_int(seen.status, SCANRT_ERROR_NO_COMPILER, "without images it does need one");
	setenv("SCANRT_LIBNVRTC", fake_compiler_path(), 1);
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_TUNED, "with a compiler the numbers are used");
	tap_is_int(seen.description.is_compiled, 1, "and compiled");
	reset();
}

static void test_similar(void)
{
	struct seen seen;

	content.problem = "sum f32";
	content.type = "f32";
	content.has_images = false;
	write_database();
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_SIMILAR, "a choice for another problem is similar");
	reset();
	content.fingerprint = "cc90 sm132 other clocks";
	content.has_images = false;
	write_database();
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_SIMILAR, "a choice for a relative of the device is similar");
	content.family = "cc90 sm78";
	write_database();
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "a choice for a stranger is none");
	reset();
	content.source_hash = "00112233445566778899aabbccddeeff";
	write_database();
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "a choice for other kernels is none");
	reset();
}

/* The driver takes its time to tell the clocks: it is asked where nothing else tells two boards apart. */
static void test_boards(void)
{
	struct seen seen;

	content.uuid = "a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0";
	write_database();
	fake->clocks_asked = 0;
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_TUNED, "a choice for a machine with this board is tuned");
	tap_is_int(fake->clocks_asked, 0, "the driver is not asked for the clocks of a board that is known");
	fake->clock_khz = 1700000;
	content.uuid = "b0";
	write_database();
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_SIMILAR, "a choice for other clocks is similar");
	tap_is_int(fake->clocks_asked, 2, "the clocks of an unknown board are asked for once");
	fake->sm_count--;
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "another device's choice is none");
	tap_is_int(fake->clocks_asked, 2, "and no clocks are needed to see that");
	reset();
}

static void test_bad_rows(void)
{
	struct seen seen;

	content.small = "lookback,items=3";
	content.has_images = false;
	write_database();
	look(&seen, 100000, 0);
	tap_is_int(seen.status, SCANRT_OK, "a row that the problem excludes breaks nothing");
	tap_ok(strcmp(seen.description.variant, "lookback,items=3") != 0, "it is not used");
	tap_contains(seen.text, "refused", "the account tells that it was refused");
	content.small = "sideways,items=4";
	write_database();
	look(&seen, 100000, 0);
	tap_is_int(seen.status, SCANRT_OK, "a row of an unknown strategy breaks nothing");
	look(&seen, UINT64_C(1) << 30, 0);
	tap_is_string(seen.description.variant, LARGE, "the other row is still good");
	reset();
}

static void test_bad_files(void)
{
	struct seen seen;
	FILE *file;

	unlink(path);
	look(&seen, 100000, 0);
	tap_is_int(seen.status, SCANRT_OK, "a missing file breaks nothing");
	tap_contains(seen.text, "no such file", "the account tells that it is missing");
	file = fopen(path, "w");
	look(&seen, 100000, 0);
	tap_is_int(seen.status, SCANRT_OK, "an empty file breaks nothing");
	fprintf(file, "This is no database, but long enough to look at as if it were one: %0100d", 7);
	fclose(file);
	look(&seen, 100000, 0);
	tap_is_int(seen.status, SCANRT_OK, "a file of another kind breaks nothing");
	tap_contains(seen.text, path, "the account names it");
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "the defaults serve");
	reset();
}

/* Loading machine code is running it: who could write the file could run it. */
static void test_trust(void)
{
	struct seen seen;

	write_database();
	chmod(path, 0666);
	look(&seen, 100000, 0);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_TUNED, "the numbers of such a file are used");
	tap_is_int(seen.description.is_compiled, 1, "its machine code is not");
	tap_contains(seen.text, "machine code refused", "the account tells why");
	reset();
}

static void test_refused_images(void)
{
	struct srt_db *db = NULL;
	struct seen seen;

	write_database();
	fake->refuses_sass = true;
	look(&seen, 100000, 0);
	tap_is_int(seen.status, SCANRT_OK, "images that the device refuses break nothing");
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_TUNED, "the choice stands");
	tap_ok(seen.description.is_compiled == 1 && strstr(seen.text, "gets PTX from now on"),
		"and is compiled, by way of PTX, as the account tells");
	must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	must(srt_db_begin(db), "begin");
	put_image(db, 1, SMALL, "ptx");
	must(srt_db_commit(db), "commit");
	srt_db_close(db);
	look(&seen, 100000, SCANRT_CODEGEN_PTX);
	tap_is_int(seen.description.is_compiled, 0, "one made by way of PTX serves");
	reset();
}

int main(void)
{
	tap_plan(0);
	fake = fake_driver();
	compiler = fake_compiler();
	unsetenv("SCANRT_VARIANT");
	snprintf(path, sizeof(path), "%s/tune.db", folder("tuned"));
	reset();
	test_tuned();
	test_two_files();
	test_without_compiler();
	test_similar();
	test_boards();
	test_bad_rows();
	test_bad_files();
	test_trust();
	test_refused_images();
	return tap_done();
}
