/* SPDX-License-Identifier: MIT
 *
 * The vendor's database as it is installed: a plan on a machine with an H200's facts, and no other database, runs what
 * the vendor measured; whatever is wrong with the file, a plan is made all the same.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../db/db.h"
#include "fake.h"
#include "look.h"
#include "plan.h"
#include "status.h"
#include "tests/folder.h"
#include "tests/tap.h"

#define VENDOR "share/scanrt/defaults.db"
#define SYSTEM "var/lib/scanrt/tune.db"
#define USER   "home/.cache/scanrt/tune.db"

static struct fake_driver *fake;
static struct fake_compiler *compiler;
static unsigned char good[4 << 20];
static size_t good_size;

/* As cuDeviceGetAttribute tells them. */
static void be_an_h200(void)
{
	fake_driver_reset(fake);
	fake_compiler_reset(compiler);
	fake->capability = 90;
	fake->sm_count = 132;
	fake->l2_bytes = 62914560;
	fake->bus_bits = 6016;
	fake->memory_clock_khz = 3201000;
	fake->clock_khz = 1980000;
}

/* No file is named: the standard places are looked at. */
static void look_on(struct seen *seen, uint64_t count)
{
	look_at(seen, NULL, NULL, count, 0);
	tap_is_int(seen->status, SCANRT_OK, "a plan is made");
}

static void look(struct seen *seen, uint64_t count)
{
	be_an_h200();
	look_on(seen, count);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (file < 0 || write(file, bytes, size) != (ssize_t)size || fchmod(file, 0644) != 0 || close(file) != 0)
		tap_bail_out("cannot write %s", path);
}

static void make_folders(void)
{
	static const char *const folders[] = { "share", "share/scanrt", "var", "var/lib", "var/lib/scanrt", "home",
		"home/.cache", "home/.cache/scanrt" };
	char home[PATH_MAX];

	if (chdir(folder("vendor")) != 0)
		tap_bail_out("no temporary folder");
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (mkdir(folders[i], 0700) != 0)
			tap_bail_out("cannot make %s", folders[i]);
	snprintf(home, sizeof(home), "%s/home", folder("vendor"));
	setenv("HOME", home, 1);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("SCANRT_DB");
	unsetenv("SCANRT_VARIANT");
	unsetenv("SCANRT_WRITE_CACHE");
}

/* What the build made. */
static void read_good(void)
{
	const char *built = getenv("top_builddir");
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/tuner/defaults.db", built ? built : ".");
	file = fopen(path, "rb");
	if (!file)
		tap_skip_all("this build makes no vendor's database");
	good_size = fread(good, 1, sizeof(good), file);
	fclose(file);
}

/* ---- As it is ---- */

static void test_whole(void)
{
	struct seen seen;

	write_file(VENDOR, good, good_size);
	look(&seen, 1 << 26);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_TUNED, "what the vendor tuned for an H200 is tuned");
	tap_is_string(seen.description.database, VENDOR, "in the vendor's file");
	tap_contains(seen.text, ": vendor", "and the account tells that it is a vendor's choice");
	tap_contains(seen.text, "tune.db: no such file", "after the user's and the system's files");
	tap_is_int(seen.description.is_compiled, 1, "there is no machine code in it");
	look(&seen, 200000);
	tap_is_string(seen.description.database, VENDOR, "and for other counts, too");
	be_an_h200();
	fake->clock_khz = 1755000;
	look_on(&seen, 1 << 26);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_SIMILAR, "for an H200 of other clocks it is similar");
	be_an_h200();
	fake->sm_count = 114;
	look_on(&seen, 1 << 26);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "and nothing for another device");
	tap_contains(seen.text, "no choice for relatives of the device", "as the account tells");
}

/* ---- What is wrong with a file ---- */

/* Numbers of a file that anybody may write are range-checked, its machine code is not even looked at. */
static void test_writable(void)
{
	struct seen seen;

	write_file(VENDOR, good, good_size);
	chmod(VENDOR, 0666);
	look(&seen, 1 << 26);
	tap_is_string(seen.description.database, VENDOR, "of a file that others may write to the numbers are used");
	tap_contains(seen.text, "machine code refused", "and no machine code would be");
	tap_is_int(seen.description.is_compiled, 1, "what runs is compiled from our own text");
	chmod(VENDOR, 0644);
	chmod("share/scanrt", 0777);
	look(&seen, 1 << 26);
	tap_contains(seen.text, "machine code refused", "the same with a folder that others may write to");
	chmod("share/scanrt", 0700);
}

static void test_damaged(void)
{
	struct seen seen;

	unlink(VENDOR);
	look(&seen, 1 << 26);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "without the file the defaults serve");
	for (size_t size = 0; size < good_size; size += good_size / 7) {
		tap_case("cut to %zu bytes", size);
		write_file(VENDOR, good, size);
		look(&seen, 1 << 26);
		tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "and so they do if it was cut short");
		tap_contains(seen.text, VENDOR, "which the account tells");
	}
	tap_case(NULL);
}

/* A bit anywhere: what is used is either what the vendor chose, or a default. */
static void test_flipped(void)
{
	struct seen whole, seen;
	uint64_t random = 0x5ca9;
	int tuned = 0, wrong = 0;

	write_file(VENDOR, good, good_size);
	look(&whole, 1 << 26);
	for (int i = 0; i < 60; i++) {
		size_t at;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		at = (size_t)(random >> 33) % good_size;
		good[at] ^= (unsigned char)(1 << (i % 8));
		write_file(VENDOR, good, good_size);
		good[at] ^= (unsigned char)(1 << (i % 8));
		be_an_h200();
		look_on(&seen, 1 << 26);
		tuned += seen.description.origin == SCANRT_ORIGIN_TUNED;
		wrong += seen.description.origin == SCANRT_ORIGIN_TUNED &&
			strcmp(seen.description.variant, whole.description.variant) != 0;
	}
	tap_is_int(wrong, 0, "no flipped bit makes another choice of a choice");
	tap_ok(tuned > 0, "and most leave what is asked for as it was (%d of 60)", tuned);
}

/* ---- The order ---- */

static void put(struct srt_db *db, const char *variant)
{
	const struct srt_db_device device = { .fingerprint = "cc90 sm132 l2=62914560 bus=6016 memclock=3201000 "
		"smclock=1980000 shared=233472 optin=232448 registers=65536 ecc=1", .family = "cc90 sm132 l2=62914560 "
		"bus=6016", .name = "Fake H200", .uuid = "", .capability = 90, .sm_count = 132 };
	const struct srt_db_problem problem = { "sum i32", "sum", "arithmetic", "i32", "i32", "i32", 4, 8 };
	struct srt_db_run run = { .source_hash = srt_source_hash(), .effort = "quick", .arguments = "",
		.version = "0", .boot_id = "" };
	struct srt_db_choice choice = { .klass = "large", .low_count = 1 << 20, .high_count = INT64_MAX,
		.count = 1 << 26, .us = 100, .reason = "faster" };
	int64_t id, problem_id;

	snprintf(choice.variant, sizeof(choice.variant), "%s", variant);
	if (srt_db_put_device(&run.device, db, &device) || srt_db_put_toolchain(&run.toolchain, db, "x", 13000) ||
		srt_db_put_problem(&problem_id, db, &problem) || srt_db_begin_run(db, &run) ||
		srt_db_put_choice(&id, db, run.id, run.device, problem_id, &choice) ||
		srt_db_finish_run(db, run.id, "complete"))
		tap_bail_out("%s", srt_error_last()->text);
}

static void make_database(const char *path, const char *variant)
{
	struct srt_db *db;

	if (srt_db_open(&db, path, SRT_DB_WRITE))
		tap_bail_out("%s", srt_error_last()->text);
	put(db, variant);
	srt_db_close(db);
}

static void test_order(void)
{
	struct seen seen;

	write_file(VENDOR, good, good_size);
	make_database(SYSTEM, "lookback,block=512,items=8");
	look(&seen, 1 << 26);
	tap_is_string(seen.description.database, SYSTEM, "what the administrator tuned goes before the vendor's");
	tap_is_string(seen.description.variant, "lookback,block=512,items=8", "and is what runs");
	make_database(USER, "lookback,block=128,items=8");
	look(&seen, 1 << 26);
	tap_contains(seen.description.database, USER, "and what the user tuned before both");
	tap_is_string(seen.description.variant, "lookback,block=128,items=8", "and is what runs");
	look(&seen, 1000);
	tap_is_int(seen.description.origin, SCANRT_ORIGIN_DEFAULT, "one tile is one block's, whoever measured");
}

int main(void)
{
	read_good();
	tap_plan(0);
	fake = fake_driver();
	compiler = fake_compiler();
	make_folders();
	test_whole();
	test_writable();
	test_damaged();
	test_flipped();
	test_order();
	return tap_done();
}
