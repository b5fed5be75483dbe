/* SPDX-License-Identifier: MIT
 *
 * Scans of programs whose database is damaged, or carries somebody else's machine code: run, and not only planned
 * (tests/fake/adversity has more positions, and runs nothing).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../db/compress.h"
#include "../../db/db.h"
#include "../device.h"

#define VARIANT "lookback,block=64,items=4"
#define COUNT   3000

struct damaged {
	struct test_device device;
	struct reference reference; /* of the sums */
	struct test_random random;
	unsigned char *good;
	size_t size;
	size_t image_at; /* where its machine code lies in the file, compressed */
	size_t image_size;
	char path[64];
};

struct outcome {
	bool is_right;
	bool is_compiled;
	bool is_told; /* the account names the file */
};

static struct outcome scan(const struct damaged *state, const struct srt_problem *problem)
{
	struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
	struct scanrt_context_options where = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_plan_options how = SCANRT_PLAN_OPTIONS_INIT;
	struct scanrt_context *context = NULL;
	struct scanrt_plan *plan = NULL;
	struct scanrt_problem published;
	struct outcome outcome;
	char ordinal[16], text[8192] = "";

	snprintf(ordinal, sizeof(ordinal), "%d", state->device.ordinal);
	where.device = ordinal;
	where.database = state->path;
	how.variant = VARIANT;
	/* Where machine code is refused anyway, trying it first would double each compilation. */
	how.flags = state->device.codegen == SRT_CODEGEN_PTX ? SCANRT_CODEGEN_PTX : 0;
	test_need(scanrt_context_create(&context, &where));
	test_problem_publish(&published, problem, COUNT);
	test_need(scanrt_plan_create(&plan, context, &published, &how));
	test_need(scanrt_plan_describe(plan, COUNT, &description, text, sizeof(text)));
	outcome.is_compiled = description.is_compiled == 1;
	outcome.is_told = strstr(text, state->path) != NULL;
	outcome.is_right = problem->op != state->reference.problem.op ||
		test_plan_passes(&state->device, plan, &state->reference, COUNT, NULL);
	scanrt_plan_destroy(plan);
	scanrt_context_destroy(context);
	return outcome;
}

/* SCANRT_OK, and found false: the file has no such recipe. */
static int look_for_image(struct srt_db_image *image, bool *found, const struct damaged *state,
	const struct srt_problem *problem, char entry[40])
{
	char recipe[SRT_HASH_TEXT];
	struct srt_variant variant;
	struct srt_db *db;
	int status;

	test_need(srt_variant_parse(&variant, VARIANT));
	test_need(srt_image_recipe(recipe, entry, problem, &variant, state->device.facts.capability));
	status = srt_db_open(&db, state->path, SRT_DB_READ);
	if (!status)
		status = srt_db_find_image(db, recipe, NULL, image, found);
	srt_db_close(db);
	return status;
}

static void find_image(struct srt_db_image *image, const struct damaged *state, const struct srt_problem *problem,
	char entry[40])
{
	bool found = false;

	test_need(look_for_image(image, &found, state, problem, entry));
	if (!found)
		tap_bail_out("the image is not in %s", state->path);
}

/* A bit of the key that it is found by: then there is nothing to refuse, and nothing to tell. */
static bool has_lost_its_key(const struct damaged *state)
{
	struct srt_db_image image = { 0 };
	bool found = false;
	char entry[40];
	int status = look_for_image(&image, &found, state, &state->reference.problem, entry);

	free(image.bytes);
	return !status && !found;
}

/* ---- Damage ---- */

static void read_file(struct damaged *state)
{
	FILE *file = fopen(state->path, "rb");

	if (!file || fseek(file, 0, SEEK_END) != 0)
		tap_bail_out("cannot read %s", state->path);
	state->size = (size_t)ftell(file);
	rewind(file);
	state->good = malloc(state->size);
	if (!state->good || fread(state->good, 1, state->size, file) != state->size)
		tap_bail_out("cannot read %s", state->path);
	fclose(file);
}

static void write_file(const struct damaged *state, const unsigned char *bytes, size_t size)
{
	FILE *file = fopen(state->path, "wb");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		tap_bail_out("cannot write %s", state->path);
}

/* The image is cut over pages, but its beginning is in one piece. */
static void locate_image(struct damaged *state, const struct srt_problem *problem)
{
	struct srt_db_image image;
	unsigned char *packed, *at;
	char entry[40];

	find_image(&image, state, problem, entry);
	packed = malloc(image.size);
	if (!packed)
		abort();
	state->image_size = srt_compress(packed, image.bytes, image.size);
	at = memmem(state->good, state->size, packed, 64);
	if (!at || state->image_size < 64)
		tap_bail_out("the image is not where it should be in %s", state->path);
	state->image_at = (size_t)(at - state->good);
	free(packed);
	free(image.bytes);
}

static size_t damage(struct damaged *state, unsigned char *bytes, unsigned round)
{
	size_t at = test_draw(&state->random, state->size);

	memcpy(bytes, state->good, state->size);
	if (round % 3 == 0)
		return at;
	/* Every third one into the machine code, of which there is little beside the rest. */
	if (round % 3 == 1 && state->image_at + state->image_size <= state->size)
		at = state->image_at + test_draw(&state->random, state->image_size);
	bytes[at] ^= (unsigned char)(1 << test_draw(&state->random, 8));
	return state->size;
}

static void test_damage(struct damaged *state, unsigned rounds)
{
	unsigned char *bytes = malloc(state->size);
	int wrong = 0, untold = 0, compiled = 0;

	if (!bytes)
		abort();
	for (unsigned i = 0; i < rounds; i++) {
		struct outcome outcome;

		write_file(state, bytes, damage(state, bytes, i));
		outcome = scan(state, &state->reference.problem);
		wrong += !outcome.is_right;
		compiled += outcome.is_compiled;
		untold += outcome.is_compiled && !outcome.is_told && !has_lost_its_key(state);
	}
	free(bytes);
	tap_is_int(wrong, 0, "beside each of %u damaged databases the scan runs, and is right", rounds);
	tap_is_int(untold, 0, "where its machine code is refused, the account names the file");
	tap_ok(compiled > 0 && compiled < (int)rounds, "which %d of them had to", compiled);
}

/* ---- Somebody else's machine code ---- */

/* Another kernel under this one's name: all hashes and seals fit, as they would from whoever can write the file. */
static void plant(const struct damaged *state, const struct srt_problem *other)
{
	const struct srt_problem *own = &state->reference.problem;
	char entries[2][40];
	struct srt_db_image images[2];
	struct srt_db *db;
	size_t length;

	find_image(&images[0], state, own, entries[0]);
	find_image(&images[1], state, other, entries[1]);
	length = strlen(entries[0]);
	for (size_t i = 0; strlen(entries[1]) == length && i + length <= images[1].size; i++)
		if (memcmp((char *)images[1].bytes + i, entries[1], length) == 0)
			memcpy((char *)images[1].bytes + i, entries[0], length);
	free(images[0].bytes);
	images[0].bytes = images[1].bytes;
	images[0].size = images[1].size;
	test_need(srt_db_open(&db, state->path, SRT_DB_WRITE));
	test_need(srt_db_keep_image(db, &images[0]));
	srt_db_close(db);
	free(images[1].bytes);
}

static void test_hostile(struct damaged *state, const struct srt_problem *other)
{
	struct outcome outcome;

	write_file(state, state->good, state->size);
	plant(state, other);
	chmod(state->path, 0666);
	outcome = scan(state, &state->reference.problem);
	tap_ok(outcome.is_compiled && outcome.is_right,
		"a hostile image in a file that others may write to is not run, and the scan is right");
	tap_ok(outcome.is_told, "and the account names the file");
	chmod(state->path, 0600);
	tap_diag("the same image from a trusted file is run; the mistake that follows is wanted:");
	outcome = scan(state, &state->reference.problem);
	tap_ok(!outcome.is_compiled && !outcome.is_right, "it would have been run from one that only its owner can");
}

int main(void)
{
	struct damaged state = { 0 };
	struct srt_problem sum, max;
	struct outcome first, second;

	test_device_open(&state.device);
	tap_plan(0);
	state.random.seed = state.device.seed;
	test_problem(&sum, SCANRT_SUM, SCANRT_I32, SCANRT_I32, SCANRT_I32, false);
	test_problem(&max, SCANRT_MAX, SCANRT_I32, SCANRT_I32, SCANRT_I32, false);
	reference_create(&state.reference, &sum, REFERENCE_EXACT, state.device.seed, COUNT);
	snprintf(state.path, sizeof(state.path), "/tmp/scanrt-damaged-%ld.db", (long)getpid());
	setenv("SCANRT_WRITE_CACHE", "1", 1);
	first = scan(&state, &max);
	scan(&state, &sum);
	unsetenv("SCANRT_WRITE_CACHE");
	second = scan(&state, &sum);
	tap_ok(first.is_compiled && !second.is_compiled && second.is_right, "a whole database serves its image");
	read_file(&state);
	locate_image(&state, &sum);
	test_damage(&state, test_rounds(&state.device, 240, 60));
	test_hostile(&state, &max);
	unlink(state.path);
	free(state.good);
	reference_destroy(&state.reference);
	test_device_close(&state.device);
	return tap_done();
}
