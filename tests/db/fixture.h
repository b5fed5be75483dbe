/* SPDX-License-Identifier: MIT
 *
 * What the database tests share: a directory of their own, and a small tuned database.
 */
#ifndef DB_FIXTURE_H
#define DB_FIXTURE_H

#include "db.h"

/* The names in the fixture.  Recipe n and its image are those of fixture_recipe(n) and fixture_bytes(n). */
#define FIXTURE_FINGERPRINT "cc90 sm132 l2=62914560 bus=6144 mem=3201000 sm=1980000"
#define FIXTURE_FAMILY      "cc90 sm132 l2=62914560 bus=6144"
#define FIXTURE_SOURCE      "0123456789abcdef0123456789abcdef"

struct fixture {
	int64_t device;
	int64_t toolchain;
	int64_t problem; /* sum i32 */
	int64_t run;
};

/* A directory that is removed, with all in it, when the program ends.  Absolute. */
const char *fixture_directory(void);
/* "DIRECTORY/name"; the text lives as long as the program. */
const char *fixture_path(const char *name);

/* Ends the program where the database cannot do it. */
void fixture_must(int status, const char *doing);

/* Device, toolchain, problem and run. */
void fixture_begin(struct fixture *fixture, struct srt_db *db);
int64_t fixture_problem(struct srt_db *db, const char *op, const char *op_class, const char *type, int bytes);
/* A choice of all four classes for a problem; and their images, for the exact problem `name`, unless that is NULL. */
void fixture_choose(struct srt_db *db, const struct fixture *fixture, int64_t problem, const char *name);
void fixture_trial(struct srt_db *db, const struct fixture *fixture, const char *variant, const char *klass,
	const char *status, double us);
/* The whole: sum i32, sum f32 and max f32. */
void fixture_fill(const char *path);

void fixture_lookup(struct srt_db_lookup *lookup); /* of sum i32 */
void fixture_recipe(char recipe[33], int number);
void fixture_image(struct srt_db_image *image, int number, const char *problem, const char *variant);
size_t fixture_image_size(int number);

/* Files as bytes. */
void *fixture_read(const char *path, size_t *size);
void fixture_write(const char *path, const void *bytes, size_t size);

#endif
