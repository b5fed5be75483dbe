/* SPDX-License-Identifier: MIT
 *
 * Programs beside what can happen to a database: damage at any position, and a tuner that writes while they look.  A
 * plan is made in any case; what is loaded is what was stored, or fresh from the compiler; and the account tells what
 * was skipped.  An argument sets the seed.
 */
#define _GNU_SOURCE /* F_OFD_SETLK */

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../db/db.h"
#include "driver.h"
#include "fake.h"
#include "plan.h"
#include "tests/folder.h"
#include "tests/tap.h"

#define SMALL "lookback,block=128,items=8"
#define LARGE "lookahead,block=128,items=8"
#define POSITIONS 500
#define CUTS      100
#define READERS   32
#define LOOKS     12 /* of each reader */

static struct fake_driver *fake;
static struct fake_compiler *compiler;
static char path[4200];
static char keys[2][33]; /* of the images that are stored */
static uint64_t state;

/* xorshift64 */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void must(int status, const char *what)
{
	if (status)
		tap_bail_out("%s: %s", what, scanrt_last_error());
}

/* ---- A tuned database ---- */

static void put_image(struct srt_db *db, int64_t run, const char *text, char key[33])
{
	struct srt_db_image image = { .registers = 40, .toolchain = "nvrtc 13.0 build fake", .arch = "sm_90",
		.codegen = "sass", .problem = "sum i32" };
	struct srt_problem problem;
	struct srt_variant variant;
	char code[4096] = "";

	must(srt_problem_init_simple(&problem, SCANRT_I32, SCANRT_SUM), "problem");
	must(srt_variant_parse(&variant, text), "variant");
	must(srt_image_recipe(image.recipe, image.entry, &problem, &variant, 90), "recipe");
	snprintf(image.key, sizeof(image.key), "%.16s%016x", image.recipe, 's');
	snprintf(image.variant, sizeof(image.variant), "%s", text);
	memcpy(key, image.key, sizeof(image.key));
	/* What follows the text is as long as machine code is. */
	snprintf(code, sizeof(code), "SASS %s", image.entry);
	image.bytes = code;
	image.size = sizeof(code);
	must(srt_db_put_image(db, run, &image), "image");
}

static void put_choice(struct srt_db *db, const struct srt_db_run *run, int64_t problem, const char *class,
	uint64_t low, uint64_t high, const char *variant)
{
	struct srt_db_choice choice = { .low_count = low, .high_count = high, .count = low, .us = 2, .low_us = 1.9,
		.high_us = 2.1, .default_us = 3, .copy_us = 1, .reason = "faster" };
	int64_t id;

	snprintf(choice.klass, sizeof(choice.klass), "%s", class);
	snprintf(choice.variant, sizeof(choice.variant), "%s", variant);
	must(srt_db_put_choice(&id, db, run->id, run->device, problem, &choice), "choice");
}

static void fill(struct srt_db *db)
{
	struct srt_db_problem problem = { "sum i32", "sum", "arithmetic", "i32", "i32", "i32", 4, 0 };
	struct srt_db_device device = { .name = "Fake H200", .uuid = "a0", .capability = 90, .sm_count = 132 };
	struct srt_db_run run = { .source_hash = srt_source_hash(), .effort = "quick", .arguments = "", .version = "0",
		.boot_id = "boot", .pid = 1, .start_ticks = 1 };
	struct srt_strbuf fingerprint = { 0 };
	struct srt_strbuf family = { 0 };
	struct srt_device facts;
	const struct srt_driver *driver;
	int64_t problem_id;
	int ordinal;

	must(srt_driver_open(&driver, &ordinal, "0"), "driver");
	must(srt_device_query(&facts, driver, 0), "device");
	srt_device_fingerprint(&fingerprint, &facts);
	srt_device_family(&family, &facts);
	device.fingerprint = srt_strbuf_text(&fingerprint);
	device.family = srt_strbuf_text(&family);
	must(srt_db_put_device(&run.device, db, &device), "device");
	must(srt_db_put_toolchain(&run.toolchain, db, "nvrtc 13.0 build fake", 13000), "toolchain");
	must(srt_db_put_problem(&problem_id, db, &problem), "problem");
	must(srt_db_begin_run(db, &run), "run");
	put_choice(db, &run, problem_id, "small", 1, 1000000, SMALL);
	put_choice(db, &run, problem_id, "large", 1000001, INT64_MAX, LARGE);
	put_image(db, run.id, SMALL, keys[0]);
	put_image(db, run.id, LARGE, keys[1]);
	must(srt_db_finish_run(db, run.id, "complete"), "finish");
	srt_strbuf_free(&fingerprint);
	srt_strbuf_free(&family);
}

static void make_database(void)
{
	struct srt_db *db = NULL;

	unlink(path);
	must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	must(srt_db_begin(db), "begin");
	fill(db);
	must(srt_db_commit(db), "commit");
	srt_db_close(db);
}

/* ---- What a program makes of it ---- */

struct seen {
	int status;
	int tuned;    /* classes, of two */
	int strange;  /* images that are neither stored nor compiled */
	int untold;   /* classes that are not tuned, for which the account has no reason */
	int waited;   /* for locks, in milliseconds */
};

static void judge(struct seen *seen, const struct scanrt_plan *plan, uint64_t count)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	char text[16384] = "";

	must(scanrt_plan_describe(plan, count, &description, text, sizeof(text)), "describe");
	seen->tuned += description.origin == SCANRT_ORIGIN_TUNED;
	seen->strange += !description.is_compiled && strcmp(description.image_key, keys[0]) != 0 &&
		strcmp(description.image_key, keys[1]) != 0;
	/* The driver has the last word on what it is given: a damaged image would not load. */
	seen->strange += strstr(text, "cuModuleLoadData") != NULL;
	if (strstr(text, "waited "))
		seen->waited = atoi(strstr(text, "waited ") + strlen("waited "));
	seen->untold += description.origin != SCANRT_ORIGIN_TUNED && !strstr(text, path);
}

static void look(struct seen *seen)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_context *context = NULL;
	struct scanrt_plan *plan = NULL;

	memset(seen, 0, sizeof(*seen));
	fake_driver_reset(fake);
	fake_compiler_reset(compiler);
	options.device = "0";
	options.database = path;
	problem.input_type = SCANRT_I32;
	problem.op = SCANRT_SUM;
	must(scanrt_context_create(&context, &options), "context");
	seen->status = scanrt_plan_create(&plan, context, &problem, NULL);
	if (!seen->status) {
		judge(seen, plan, 100000);
		judge(seen, plan, UINT64_C(1) << 32);
	}
	scanrt_plan_destroy(plan);
	scanrt_context_destroy(context);
}

/* ---- Damage ---- */

static size_t read_file(unsigned char *bytes, size_t capacity)
{
	FILE *file = fopen(path, "rb");
	size_t size = file ? fread(bytes, 1, capacity, file) : 0;

	if (!file || fclose(file) != 0)
		tap_bail_out("cannot read %s", path);
	return size;
}

static void write_file(const unsigned char *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		tap_bail_out("cannot write %s", path);
}

struct total {
	int failed;
	int tuned;
	int strange;
	int untold;
	int longest_wait;
};

static void add(struct total *total, const struct seen *seen)
{
	total->failed += seen->status != SCANRT_OK;
	total->tuned += seen->tuned;
	total->strange += seen->strange;
	total->untold += seen->untold;
	total->longest_wait = seen->waited > total->longest_wait ? seen->waited : total->longest_wait;
}

static void report(const struct total *total, int files, const char *sentence)
{
	tap_is_int(total->failed, 0, "%s: each of %d files leaves a plan that works", sentence, files);
	tap_is_int(total->strange, 0, "%s: nothing is loaded that was not stored or compiled", sentence);
	tap_is_int(total->untold, 0, "%s: the account names the file that was of no use", sentence);
	tap_diag("%s: %d of %d classes were tuned all the same", sentence, total->tuned, 2 * files);
}

static void test_damage(const unsigned char *good, size_t size, const char *sentence)
{
	unsigned char *bytes = malloc(size);
	struct total flips = { 0 };
	struct total cuts = { 0 };
	struct seen seen;
	int i;

	if (!bytes)
		tap_bail_out("no memory");
	for (i = 0; i < POSITIONS; i++) {
		memcpy(bytes, good, size);
		bytes[next_random() % size] ^= (unsigned char)(1 << next_random() % 8);
		write_file(bytes, size);
		look(&seen);
		add(&flips, &seen);
	}
	for (i = 0; i < CUTS; i++) {
		write_file(good, next_random() % size);
		look(&seen);
		add(&cuts, &seen);
	}
	free(bytes);
	tap_case("%s", sentence);
	report(&flips, POSITIONS, "a flipped bit");
	report(&cuts, CUTS, "a file that is cut short");
	tap_case("%s", "");
}

static void test_files(void)
{
	static unsigned char good[1 << 20], bytes[1 << 20];
	struct total total = { 0 };
	struct seen seen;
	size_t size;

	make_database();
	size = read_file(good, sizeof(good));
	look(&seen);
	tap_is_int(seen.tuned, 2, "the whole file serves both classes");
	test_damage(good, size, "a tuned database");
	memcpy(bytes, good, size);
	bytes[68] = 'X';
	test_damage(bytes, size, "another program's database");
	memcpy(bytes, good, size);
	bytes[63] = 77;
	test_damage(bytes, size, "a newer format");
	memset(bytes, 0xa5, size);
	test_damage(bytes, size, "noise");
	write_file(good, 0);
	look(&seen);
	add(&total, &seen);
	write_file(good, 1);
	look(&seen);
	add(&total, &seen);
	report(&total, 2, "a file of no byte, and of one");
}

/* ---- Readers beside a writer ---- */

/* As scantune does: batches, choices that are put again, images. */
static void write_on(int ready)
{
	struct srt_db *db = NULL;

	must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	(void)!write(ready, "x", 1);
	for (;;) {
		must(srt_db_begin(db), "begin");
		fill(db);
		must(srt_db_commit(db), "commit");
	}
}

static void read_on(int result)
{
	struct total total = { 0 };
	struct seen seen;
	int i;

	for (i = 0; i < LOOKS; i++) {
		look(&seen);
		add(&total, &seen);
	}
	(void)!write(result, &total, sizeof(total));
}

/* A tuner that has stopped in the middle of its commit: all that may be waited is waited, and no more. */
static void test_held(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512 };
	int file = open(path, O_RDWR | O_CLOEXEC);
	struct seen seen;

	/* Of the open file and not of this process, whose readers are to meet it. */
	if (file < 0 || fcntl(file, F_OFD_SETLK, &lock) != 0)
		tap_bail_out("cannot lock %s", path);
	look(&seen);
	close(file);
	tap_is_int(seen.status, SCANRT_OK, "a file that stays locked breaks nothing");
	tap_ok(seen.waited > 0 && seen.waited <= 50, "and is waited for, but for no more than 50 ms: %d", seen.waited);
	tap_is_int(seen.untold, 0, "which the account tells");
}

static void test_crowd(void)
{
	int pipes[READERS][2], ready[2], i;
	pid_t writer, readers[READERS];
	struct total all = { 0 };
	char byte;

	make_database();
	if (pipe(ready) != 0 || (writer = fork()) < 0)
		tap_bail_out("no processes");
	if (writer == 0)
		write_on(ready[1]);
	(void)!read(ready[0], &byte, 1);
	for (i = 0; i < READERS; i++) {
		if (pipe(pipes[i]) != 0)
			tap_bail_out("no pipes");
		readers[i] = fork();
		if (readers[i] == 0) {
			read_on(pipes[i][1]);
			_exit(0);
		}
	}
	for (i = 0; i < READERS; i++) {
		struct total one = { .failed = 1 };

		(void)!read(pipes[i][0], &one, sizeof(one));
		waitpid(readers[i], NULL, 0);
		all.failed += one.failed;
		all.tuned += one.tuned;
		all.strange += one.strange;
		all.untold += one.untold;
		all.longest_wait = one.longest_wait > all.longest_wait ? one.longest_wait : all.longest_wait;
	}
	kill(writer, SIGKILL);
	waitpid(writer, NULL, 0);
	report(&all, READERS * LOOKS, "beside a tuner that writes");
	/* Waits as asked for: how late a busy machine wakes a process is no matter of locks. */
	tap_ok(all.longest_wait <= 50, "no plan waits for more than 50 ms");
	tap_diag("the longest wait took %d ms", all.longest_wait);
	test_held();
}

int main(int argument_count, char **arguments)
{
	state = argument_count > 1 ? strtoull(arguments[1], NULL, 0) : 0x5ca9;
	tap_diag("seed %" PRIu64, state);
	fake = fake_driver();
	compiler = fake_compiler();
	snprintf(path, sizeof(path), "%s/tune.db", folder("adversity"));
	tap_plan(0);
	test_files();
	test_crowd();
	return tap_done();
}
