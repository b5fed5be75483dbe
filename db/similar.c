/* SPDX-License-Identifier: MIT */
/*
 * Choices that were made for something else and may do: find_by_statement() in choice.c says the same in SQL, which a
 * reader would pay three times as much for.  Devices and problems are few, so all are looked at, and then the index of
 * choices is asked for one pair after another, the nearest first.
 */
#include <string.h>

#include "internal.h"
#include "record.h"
#include "status.h"

/* What is beyond these has been seen least recently (devices), or is the newest (problems). */
#define MOST_DEVICES  32
#define MOST_PROBLEMS 256

/* Positions of the columns, as in schema.sql. */
enum { FINGERPRINT = 1, FAMILY, IS_MODELLED = 9, SEEN_AT };
enum { NAME = 1, OP, OP_CLASS, TYPE_BYTES = 7, MOVED_BYTES };

struct relative {
	int64_t rowid;
	bool is_other;    /* not the device or problem that was asked for */
	bool is_other_op; /* of a problem */
	struct srt_cell seen_at;
};

struct search {
	struct srt_db *db;
	const struct srt_db_lookup *lookup;
	struct relative devices[MOST_DEVICES]; /* the one that was seen last comes first */
	size_t device_count;
	struct relative problems[MOST_PROBLEMS];
	size_t problem_count;
};

static void insert_device(struct search *search, const struct relative *device)
{
	size_t at = search->device_count;

	while (at > 0 && srt_cell_compare(&device->seen_at, &search->devices[at - 1].seen_at) > 0)
		at--;
	if (at == MOST_DEVICES)
		return;
	search->device_count += search->device_count < MOST_DEVICES;
	memmove(&search->devices[at + 1], &search->devices[at],
		(search->device_count - at - 1) * sizeof(search->devices[0]));
	search->devices[at] = *device;
}

/* A modelled device has no relatives: its times say nothing about a real one. */
static int note_device(void *user, const struct srt_row *row)
{
	struct search *search = user;
	const struct srt_db_lookup *lookup = search->lookup;
	struct relative device = { .rowid = row->rowid };

	if (row->count <= SEEN_AT)
		return srt_pages_corrupt(search->db, "a device lacks a column");
	device.is_other = !srt_db_is_text(&row->cells[FINGERPRINT], lookup->fingerprint);
	device.seen_at = row->cells[SEEN_AT];
	if (!device.is_other || (lookup->family && srt_db_is_text(&row->cells[FAMILY], lookup->family) &&
		row->cells[IS_MODELLED].integer == 0))
		insert_device(search, &device);
	return SCANRT_OK;
}

/* "sum i32" begins with its operator and a blank. */
static bool begins_with_op(const char *name, const struct srt_cell *op)
{
	return strlen(name) > op->size && memcmp(name, op->bytes, op->size) == 0 && name[op->size] == ' ';
}

static int note_problem(void *user, const struct srt_row *row)
{
	struct search *search = user;
	const struct srt_db_lookup *lookup = search->lookup;
	struct relative problem = { .rowid = row->rowid };

	if (row->count <= MOVED_BYTES || row->cells[OP].kind != SRT_CELL_TEXT)
		return srt_pages_corrupt(search->db, "a problem lacks a column");
	problem.is_other = !srt_db_is_text(&row->cells[NAME], lookup->problem);
	problem.is_other_op = !begins_with_op(lookup->problem, &row->cells[OP]);
	if (problem.is_other && (!srt_db_is_text(&row->cells[OP_CLASS], lookup->op_class) ||
		row->cells[TYPE_BYTES].integer != lookup->type_bytes ||
		row->cells[MOVED_BYTES].integer != lookup->moved_bytes))
		return SCANRT_OK;
	if (search->problem_count < MOST_PROBLEMS)
		search->problems[search->problem_count++] = problem;
	return SCANRT_OK;
}

struct step {
	bool is_other_device;
	bool is_other_problem;
	bool is_other_op;
};

static int take_step(const struct search *search, const struct step *step, struct srt_db_choice *rows,
	size_t capacity, size_t *count)
{
	int status = SCANRT_OK;

	for (size_t i = 0; i < search->device_count; i++)
		for (size_t k = 0; k < search->problem_count && status == SCANRT_OK && *count == 0; k++) {
			const struct relative *device = &search->devices[i];
			const struct relative *problem = &search->problems[k];

			if (device->is_other == step->is_other_device && problem->is_other == step->is_other_problem &&
				problem->is_other_op == step->is_other_op)
				status = srt_lookup_pair(search->db, search->lookup->source_hash, device->rowid,
					problem->rowid, rows, capacity, count);
		}
	return status;
}

/* Another problem is nearer than another device; of other problems, one with the same operator is. */
int srt_lookup_similar(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count)
{
	static const struct step steps[] = { { false, true, false }, { false, true, true }, { true, false, false },
		{ true, true, false }, { true, true, true } };
	struct search search = { .db = db, .lookup = lookup };
	int status = srt_pages_each(db, SRT_TREE_DEVICE, note_device, &search);

	if (status == SCANRT_OK && search.device_count > 0)
		status = srt_pages_each(db, SRT_TREE_PROBLEM, note_problem, &search);
	*count = 0;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && status == SCANRT_OK && *count == 0; i++)
		status = take_step(&search, &steps[i], rows, capacity, count);
	for (size_t i = 0; i < *count; i++)
		rows[i].is_similar = true;
	return status;
}
