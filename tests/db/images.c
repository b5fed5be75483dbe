/* SPDX-License-Identifier: MIT */
/* Images that are put are found again, whole or not at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "status.h"
#include "tests/tap.h"

/* As a writer or a reader; the bytes are compared and freed. */
static void wants(const char *path, enum srt_db_access access, const char *recipe, const char *codegen,
	const struct srt_db_image *wanted, const char *sentence)
{
	struct srt_db_image image;
	struct srt_db *db;
	bool found;

	fixture_must(srt_db_open(&db, path, access), "open");
	tap_is_int(srt_db_find_image(db, recipe, codegen, &image, &found), SCANRT_OK, "%s: it can be looked for",
		sentence);
	srt_db_close(db);
	tap_is_int(found, wanted != NULL, "%s", sentence);
	if (found && wanted) {
		tap_is_uint(image.size, wanted->size, "%s: its size", sentence);
		tap_is_bytes(image.bytes, wanted->bytes, wanted->size, "%s: its bytes", sentence);
		free(image.bytes);
		image.bytes = wanted->bytes;
		tap_is_bytes(&image, wanted, sizeof(image), "%s: what is said of it", sentence);
	}
}

static void wants_both(const char *path, const char *recipe, const char *codegen, const struct srt_db_image *wanted,
	const char *sentence)
{
	tap_case("as a reader");
	wants(path, SRT_DB_READ, recipe, codegen, wanted, sentence);
	tap_case("as a writer");
	wants(path, SRT_DB_WRITE, recipe, codegen, wanted, sentence);
	tap_case("%s", "");
}

static void put(const char *path, int64_t run, const struct srt_db_image *image)
{
	struct srt_db *db;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_must(srt_db_put_image(db, run, image), "put an image");
	srt_db_close(db);
}

static void test_find(const char *path)
{
	struct srt_db_image sass;
	struct srt_db_image ptx;
	struct srt_db *db;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "make the file");
	srt_db_close(db);
	fixture_image(&sass, 1, "sum i32", "lookback");
	fixture_image(&ptx, 2, "sum i32", "lookback");
	strcpy(ptx.recipe, sass.recipe);
	strcpy(ptx.codegen, "ptx");
	wants_both(path, sass.recipe, NULL, NULL, "an image that was not put is not found");
	put(path, 0, &sass);
	wants_both(path, sass.recipe, NULL, &sass, "an image is found by its recipe");
	wants_both(path, sass.recipe, "ptx", NULL, "an image that was made another way is not taken");
	put(path, 0, &ptx);
	wants_both(path, sass.recipe, "ptx", &ptx, "an image is found by its recipe and the way it was made");
	wants_both(path, sass.recipe, "sass", &sass, "an older image is found by the way it was made");
	wants_both(path, sass.recipe, NULL, &ptx, "of the images of a recipe the newest is found");
	put(path, 0, &sass);
	wants_both(path, sass.recipe, NULL, &sass, "an image that is put again is the newest again");
	free(sass.bytes);
	free(ptx.bytes);
}

/* All sizes around the places where SQLite moves a part of a record of pages of 4096 bytes to other pages, and some
 * small and large ones. */
static size_t size_at(int index)
{
	static const size_t others[] = { 1, 2, 100, 500, 1000, 12250, 12300, 16384, 65536, 100003, 1048576, 3000000 };

	if (index < 250)
		return 3900 + (size_t)index;
	if (index < 400)
		return 8000 + (size_t)(index - 250);
	return others[index - 400];
}
#define SIZES 412

static void put_sizes(const char *path)
{
	struct srt_db *db;
	int i;

	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_must(srt_db_begin(db), "begin");
	for (i = 0; i < SIZES; i++) {
		struct srt_db_image image;

		fixture_image(&image, 100 + i, "sum i32", "lookback");
		free(image.bytes);
		image.size = size_at(i);
		image.bytes = calloc(1, image.size);
		if (!image.bytes)
			tap_bail_out("out of memory");
		memset(image.bytes, i % 255 + 1, image.size);
		fixture_must(srt_db_put_image(db, 0, &image), "put an image");
		free(image.bytes);
	}
	fixture_must(srt_db_commit(db), "commit");
	srt_db_close(db);
}

static void test_sizes(const char *path)
{
	struct srt_db_image image;
	struct srt_db *db;
	int failures = 0;
	int i;

	put_sizes(path);
	fixture_must(srt_db_open(&db, path, SRT_DB_READ), "open");
	for (i = 0; i < SIZES; i++) {
		const unsigned char *bytes;
		char recipe[33];
		bool found;

		fixture_recipe(recipe, 100 + i);
		fixture_must(srt_db_find_image(db, recipe, NULL, &image, &found), "find an image");
		bytes = image.bytes;
		if (!found || image.size != size_at(i) || bytes[0] != i % 255 + 1 ||
			bytes[image.size - 1] != i % 255 + 1)
			failures++;
		free(image.bytes);
	}
	srt_db_close(db);
	tap_is_int(failures, 0, "images of %d sizes, from 1 byte to 3 MB, are found whole", SIZES);
}

/* The fixture has three problems with an image for each of four choices. */
static void test_prune(const char *path)
{
	struct srt_db_image loser;
	struct fixture fixture;
	struct srt_db *db;
	int64_t dropped;

	fixture_fill(path);
	fixture_image(&loser, 900, "sum i32 exclusive", "lookback,items=3");
	put(path, 1, &loser);
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_must(srt_db_prune_images(db, &dropped), "prune");
	tap_is_int(dropped, 0, "images of the last run are kept");
	fixture_begin(&fixture, db);
	fixture_must(srt_db_prune_images(db, &dropped), "prune");
	tap_is_int(dropped, 1, "an image that no choice needs is dropped");
	fixture_must(srt_db_prune_images(db, &dropped), "prune again");
	tap_is_int(dropped, 0, "images of choices are kept");
	srt_db_close(db);
	wants_both(path, loser.recipe, NULL, NULL, "a dropped image is not found");
	free(loser.bytes);
	fixture_image(&loser, 901, "sum i32 exclusive", "block,block=512");
	put(path, 1, &loser);
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_must(srt_db_prune_images(db, &dropped), "prune");
	tap_is_int(dropped, 0, "an image of a choice's variant is kept for the exclusive scan too");
	srt_db_close(db);
	free(loser.bytes);
}

/* What programs keep is of no run. */
static void test_keep(const char *path)
{
	struct srt_db_image image;
	struct srt_db *db;
	int64_t dropped;
	int i;

	fixture_fill(path);
	fixture_must(srt_db_open(&db, path, SRT_DB_KEEP), "open");
	for (i = 0; i < 300; i++) {
		fixture_image(&image, 10000 + i, "sum i32", "lookback,items=3");
		fixture_must(srt_db_keep_image(db, &image), "keep an image");
		free(image.bytes);
	}
	srt_db_close(db);
	fixture_must(srt_db_open(&db, path, SRT_DB_WRITE), "open");
	fixture_must(srt_db_prune_images(db, &dropped), "prune");
	tap_is_int(dropped, 0, "what programs keep is not pruned for want of a choice");
	srt_db_close(db);
	fixture_image(&image, 10000 + 299, "sum i32", "lookback,items=3");
	image.is_unverified = true; /* nobody has compared what it gives */
	wants_both(path, image.recipe, NULL, &image, "the latest of 300 is there");
	free(image.bytes);
	fixture_image(&image, 10000 + 300 - 256, "sum i32", "lookback,items=3");
	image.is_unverified = true;
	wants_both(path, image.recipe, NULL, &image, "so is the 256th before the last");
	free(image.bytes);
	fixture_image(&image, 10000 + 300 - 257, "sum i32", "lookback,items=3");
	wants_both(path, image.recipe, NULL, NULL, "the one before it made room");
	free(image.bytes);
	fixture_image(&image, 4, "sum i32", "block,block=512");
	wants_both(path, image.recipe, NULL, &image, "and the tuner's are untouched");
	free(image.bytes);
}

int main(void)
{
	tap_plan(0);
	test_find(fixture_path("find.db"));
	test_sizes(fixture_path("sizes.db"));
	test_prune(fixture_path("prune.db"));
	test_keep(fixture_path("keep.db"));
	return tap_done();
}
