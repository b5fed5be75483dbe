/* SPDX-License-Identifier: MIT */
/* A reader goes through pages, a writer asks SQL: in files of chance, with relatives of all degrees, both answer the
 * same.  An argument sets the seed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "tests/tap.h"

#define FILES   25
#define LOOKUPS 60

static const char *const fingerprints[] = { "cc90 a b=1", "cc90 a b=2", "cc90 a b=3", "cc80 c b=1", "cc80 c b=2" };
static const char *const ops[] = { "sum", "prod", "max", "min" };
static const char *const types[] = { "i32", "f32", "u32", "i64", "f64" };
static const char *const sources[] = { FIXTURE_SOURCE, "ffffffffffffffffffffffffffffffff" };
static const char *const klasses[] = { "tile", "few", "small", "wave" };
static uint64_t state;

#define COUNT(list)  (sizeof(list) / sizeof((list)[0]))
#define ANY_OF(list) ((list)[draw(COUNT(list))])

/* xorshift64 */
static size_t draw(size_t count)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)(state % count);
}

static const char *class_of(const char *op)
{
	return strchr("sp", op[0]) ? "arithmetic" : "order";
}

static int bytes_of(const char *type)
{
	return strcmp(type + 1, "64") == 0 ? 8 : 4;
}

static int64_t put_device(struct srt_db *db, const char *fingerprint, bool is_modelled)
{
	char family[8];
	int64_t id;
	struct srt_db_device device = { .fingerprint = fingerprint, .family = family, .name = "some", .uuid = "",
		.capability = 90, .is_modelled = is_modelled };

	snprintf(family, sizeof(family), "%.6s", fingerprint);
	fixture_must(srt_db_put_device(&id, db, &device), "put a device");
	return id;
}

static void put_choices(struct srt_db *db, int64_t device)
{
	const char *op = ANY_OF(ops);
	const char *type = ANY_OF(types);
	int64_t problem = fixture_problem(db, op, class_of(op), type, bytes_of(type));
	size_t classes = 1 + draw(COUNT(klasses));

	for (size_t i = 0; i < classes; i++) {
		struct srt_db_choice choice = { .low_count = 1000 * i, .high_count = 1000 * i + 999,
			.count = 1000 * i + 500, .us = (double)(1 + draw(1000)) };
		int64_t id;

		strcpy(choice.klass, klasses[i]);
		snprintf(choice.variant, sizeof(choice.variant), "lookback,items=%zu", 1 + draw(20));
		strcpy(choice.source_hash, ANY_OF(sources));
		fixture_must(srt_db_put_choice(&id, db, 0, device, problem, &choice), "put a choice");
	}
}

static void fill(struct srt_db *db)
{
	size_t devices = 1 + draw(COUNT(fingerprints));

	fixture_must(srt_db_begin(db), "begin");
	for (size_t i = 0; i < devices; i++) {
		int64_t device = put_device(db, ANY_OF(fingerprints), draw(4) == 0);

		for (size_t k = draw(12); k > 0; k--)
			put_choices(db, device);
	}
	fixture_must(srt_db_commit(db), "commit");
}

/* Devices differ in when they were seen last; the shell says so, where there is one. */
static void scatter_times(const char *path)
{
	char command[512];

	snprintf(command, sizeof(command),
		"sqlite3 '%s' \"UPDATE device SET seen_at = '2026-01-0' || (1 + (id * %zu) %% 3) || 'T00:00:00Z'\" "
		">/dev/null 2>&1", path, 1 + draw(7));
	if (system(command) != 0)
		tap_diag("no sqlite3 shell: all devices are seen at once");
}

struct tally {
	int different;
	int answers[3]; /* none, exact, similar */
};

static void look_up(struct tally *tally, struct srt_db *writer, struct srt_db *reader)
{
	const char *fingerprint = ANY_OF(fingerprints);
	const char *op = ANY_OF(ops);
	const char *type = ANY_OF(types);
	char name[32], family[8];
	struct srt_db_choice rows[2][8];
	struct srt_db_lookup lookup = { .fingerprint = fingerprint, .family = draw(4) ? family : NULL,
		.source_hash = ANY_OF(sources), .problem = name, .op_class = class_of(op),
		.type_bytes = bytes_of(type), .moved_bytes = bytes_of(type) * (draw(4) ? 2 : 1) };
	size_t counts[2];

	snprintf(name, sizeof(name), "%s %s", op, type);
	snprintf(family, sizeof(family), "%.6s", fingerprint);
	memset(rows, 0, sizeof(rows));
	fixture_must(srt_db_find_choices(writer, &lookup, rows[0], 8, &counts[0]), "ask the writer");
	fixture_must(srt_db_find_choices(reader, &lookup, rows[1], 8, &counts[1]), "ask the reader");
	tally->answers[counts[0] == 0 ? 0 : rows[0][0].is_similar ? 2 : 1]++;
	if (counts[0] == counts[1] && memcmp(rows[0], rows[1], sizeof(rows[0])) == 0)
		return;
	tally->different++;
	tap_diag("%s for %s: the writer finds %zu (%s of %s), the reader %zu (%s of %s)", name, fingerprint, counts[0],
		rows[0][0].problem, rows[0][0].fingerprint, counts[1], rows[1][0].problem, rows[1][0].fingerprint);
}

int main(int argument_count, char **arguments)
{
	struct tally tally = { 0 };

	state = argument_count > 1 ? strtoull(arguments[1], NULL, 0) : 0x51b1;
	tap_diag("seed %" PRIu64, state);
	tap_plan(2);
	for (int i = 0; i < FILES; i++) {
		char name[32];
		const char *path;
		struct srt_db *writer, *reader;

		snprintf(name, sizeof(name), "similar-%d.db", i);
		path = fixture_path(name);
		fixture_must(srt_db_open(&writer, path, SRT_DB_WRITE), "open");
		fill(writer);
		scatter_times(path);
		fixture_must(srt_db_open(&reader, path, SRT_DB_READ), "open");
		for (int k = 0; k < LOOKUPS; k++)
			look_up(&tally, writer, reader);
		srt_db_close(reader);
		srt_db_close(writer);
	}
	tap_is_int(tally.different, 0, "pages and SQL give the same answers to %d questions", FILES * LOOKUPS);
	tap_ok(tally.answers[0] > 50 && tally.answers[1] > 50 && tally.answers[2] > 50,
		"of which %d are none, %d exact and %d similar", tally.answers[0], tally.answers[1], tally.answers[2]);
	return tap_done();
}
