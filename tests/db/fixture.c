/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "status.h"
#include "tests/folder.h"
#include "tests/tap.h"

/* A path that was handed out. */
struct path {
	struct path *next;
	char text[];
};

static struct path *paths;

static const struct {
	const char *klass;
	const char *variant;
	uint64_t low;
	uint64_t high;
	uint64_t count;
	double us;
} classes[] = {
	{ "tile", "block,block=512", 0, 8192, 8192, 1.5 },
	{ "small", "lookback,block=128,items=8", 8193, 1u << 18, 1u << 16, 3.25 },
	{ "medium", "lookback,block=256,items=24", (1u << 18) + 1, 1u << 24, 1u << 23, 19.5 },
	{ "large", "lookahead,block=384,items=24,stages=6,ahead=4", (1u << 24) + 1, UINT64_MAX, 1u << 28, 514.25 },
};

static void clean_up(void)
{
	while (paths) {
		struct path *path = paths;

		paths = path->next;
		free(path);
	}
}

const char *fixture_directory(void)
{
	if (!paths)
		atexit(clean_up);
	return folder("db");
}

const char *fixture_path(const char *name)
{
	size_t size = strlen(fixture_directory()) + strlen(name) + 2;
	struct path *path = malloc(sizeof(*path) + size);

	if (!path)
		tap_bail_out("out of memory");
	snprintf(path->text, size, "%s/%s", fixture_directory(), name);
	path->next = paths;
	paths = path;
	return path->text;
}

void fixture_must(int status, const char *doing)
{
	if (status != SCANRT_OK)
		tap_bail_out("cannot %s: %s", doing, srt_error_last()->text);
}

int64_t fixture_problem(struct srt_db *db, const char *op, const char *op_class, const char *type, int bytes)
{
	char name[96];
	int64_t id;
	struct srt_db_problem problem = { .name = name,
		.op = op,
		.op_class = op_class,
		.input_type = type,
		.accumulator_type = type,
		.output_type = type,
		.type_bytes = bytes };

	snprintf(name, sizeof(name), "%s %s", op, type);
	fixture_must(srt_db_put_problem(&id, db, &problem), "put a problem");
	return id;
}

void fixture_begin(struct fixture *fixture, struct srt_db *db)
{
	struct srt_db_device device = { .fingerprint = FIXTURE_FINGERPRINT,
		.family = FIXTURE_FAMILY,
		.name = "NVIDIA H200",
		.uuid = "00112233445566778899aabbccddeeff",
		.capability = 90,
		.sm_count = 132,
		.l2_bytes = 62914560,
		.memory_bytes = INT64_C(150754820096) };
	struct srt_db_run run = { .source_hash = FIXTURE_SOURCE,
		.effort = "quick",
		.arguments = "--device 0 --quick",
		.version = "0.1.0",
		.boot_id = "6b1d6f0c-2d3c-4a39-a2f5-2b7a6a4a2b1e",
		.pid = 4242,
		.start_ticks = 777 };

	memset(fixture, 0, sizeof(*fixture));
	fixture_must(srt_db_put_device(&fixture->device, db, &device), "put a device");
	fixture_must(srt_db_put_toolchain(&fixture->toolchain, db, "nvrtc 13.0 build 1", 13000), "put a toolchain");
	fixture->problem = fixture_problem(db, "sum", "arithmetic", "i32", 4);
	run.device = fixture->device;
	run.toolchain = fixture->toolchain;
	fixture_must(srt_db_begin_run(db, &run), "begin a run");
	fixture->run = run.id;
}

void fixture_recipe(char recipe[33], int number)
{
	snprintf(recipe, 33, "%032x", (unsigned)number + 0x1000);
}

size_t fixture_image_size(int number)
{
	return 20000 + 977 * (size_t)(number % 32);
}

/* Like machine code: instructions of 16 bytes, each like one of 64 in all but three
 * bytes.  Every fourth image is noise, which cannot. */
static void make_code(unsigned char *bytes, size_t size, int number)
{
	uint32_t random = (uint32_t)number;
	uint32_t kind = 0;

	for (size_t i = 0; i < size; i++) {
		random = random * 1664525 + 1013904223;
		if (i % 16 == 0)
			kind = random >> 26;
		if (number % 4 == 3 || i % 16 == 2 || i % 16 == 3 || i % 16 == 13)
			bytes[i] = (unsigned char)(random >> 24);
		else
			bytes[i] = (unsigned char)(kind * 2654435761u >> (i % 16));
	}
}

void fixture_image(struct srt_db_image *image, int number, const char *problem, const char *variant)
{

	memset(image, 0, sizeof(*image));
	fixture_recipe(image->recipe, number);
	snprintf(image->key, sizeof(image->key), "%032x", (unsigned)number + 0x2000);
	snprintf(image->entry, sizeof(image->entry), "scan_%.16s", image->recipe);
	strcpy(image->codegen, "sass");
	strcpy(image->arch, "sm_90");
	strcpy(image->toolchain, "nvrtc 13.0 build 1");
	snprintf(image->problem, sizeof(image->problem), "%s", problem);
	snprintf(image->variant, sizeof(image->variant), "%s", variant);
	image->registers = 40;
	image->shared_bytes = 8192;
	image->size = fixture_image_size(number);
	image->bytes = malloc(image->size);
	if (!image->bytes)
		tap_bail_out("out of memory");
	make_code(image->bytes, image->size, number);
}

void fixture_choose(struct srt_db *db, const struct fixture *fixture, int64_t problem, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		struct srt_db_choice choice = { .low_count = classes[i].low,
			.high_count = classes[i].high,
			.count = classes[i].count,
			.us = classes[i].us,
			.low_us = classes[i].us * 0.998,
			.high_us = classes[i].us * 1.002,
			.default_us = classes[i].us * 1.25,
			.copy_us = classes[i].us * 0.975 };
		struct srt_db_image image;
		int64_t id;

		strcpy(choice.klass, classes[i].klass);
		strcpy(choice.variant, classes[i].variant);
		strcpy(choice.reason, "20.0 % faster than the default");
		fixture_must(
			srt_db_put_choice(&id, db, fixture->run, fixture->device, problem, &choice), "put a choice");
		if (!name)
			continue;
		fixture_image(&image, (int)problem * 4 + (int)i, name, classes[i].variant);
		fixture_must(srt_db_put_image(db, fixture->run, &image), "put an image");
		free(image.bytes);
	}
}

void fixture_trial(struct srt_db *db, const struct fixture *fixture, const char *variant, const char *klass,
	const char *status, double us)
{
	struct srt_db_trial trial = { .run = fixture->run,
		.problem = fixture->problem,
		.variant = variant,
		.klass = klass,
		.count = us > 0 ? 65536 : 0,
		.status = status,
		.samples = us > 0 ? 15 : 0,
		.us = us,
		.low_us = us * 0.99,
		.high_us = us * 1.01,
		.clock_mhz = 1980,
		.registers = 40,
		.note = strcmp(status, "ok") == 0 ? "" : "as the test says" };

	fixture_must(srt_db_put_trial(db, &trial), "put a trial");
}

void fixture_fill(const char *path)
{
	struct fixture fixture;
	struct srt_db *db;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "make the fixture");
	fixture_must(srt_db_begin(db), "begin");
	fixture_begin(&fixture, db);
	fixture_must(srt_db_put_roofline(db, fixture.run, UINT64_C(1) << 30, 501.5, "vector copy"), "put a roofline");
	fixture_trial(db, &fixture, "lookback,block=128,items=8", "small", "ok", 3.25);
	fixture_trial(db, &fixture, "lookback", "", "ok", 0);
	fixture_trial(db, &fixture, "lookback", "small", "ok", 4.0625);
	fixture_trial(db, &fixture, "lookback,items=64", "", "pruned", 0);
	fixture_trial(db, &fixture, "lookahead,items=32", "large", "wrong", 0);
	fixture_choose(db, &fixture, fixture.problem, "sum i32");
	fixture_choose(db, &fixture, fixture_problem(db, "sum", "arithmetic", "f32", 4), "sum f32");
	fixture_choose(db, &fixture, fixture_problem(db, "max", "order", "f32", 4), "max f32");
	fixture_must(srt_db_finish_run(db, fixture.run, "complete"), "finish the run");
	fixture_must(srt_db_commit(db), "commit");
	srt_db_close(db);
}

void fixture_lookup(struct srt_db_lookup *lookup)
{
	memset(lookup, 0, sizeof(*lookup));
	lookup->fingerprint = FIXTURE_FINGERPRINT;
	lookup->family = FIXTURE_FAMILY;
	lookup->source_hash = FIXTURE_SOURCE;
	lookup->problem = "sum i32";
	lookup->op_class = "arithmetic";
	lookup->type_bytes = 4;
	lookup->moved_bytes = 8;
}

void *fixture_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes;

	if (!file || fseek(file, 0, SEEK_END) != 0)
		tap_bail_out("cannot read %s", path);
	*size = (size_t)ftell(file);
	rewind(file);
	bytes = malloc(*size + 1);
	if (!bytes || fread(bytes, 1, *size, file) != *size)
		tap_bail_out("cannot read %s", path);
	bytes[*size] = '\0';
	fclose(file);
	return bytes;
}

void fixture_write(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		tap_bail_out("cannot write %s", path);
}
