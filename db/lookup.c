/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "pages.h"
#include "status.h"

/* Positions of the columns that are read, as in schema.sql. */
enum { DEVICE_FINGERPRINT = 1, DEVICE_IS_MODELLED = 9, DEVICE_CELLS };
enum { PROBLEM_NAME = 1, PROBLEM_CELLS };
enum { VARIANT_TEXT = 1, VARIANT_CELLS };
enum {
	CHOICE_SOURCE_HASH = 2,
	CHOICE_CLASS = 4,
	CHOICE_LOW_COUNT,
	CHOICE_HIGH_COUNT,
	CHOICE_COUNT,
	CHOICE_VARIANT,
	CHOICE_US,
	CHOICE_LOW_US,
	CHOICE_HIGH_US,
	CHOICE_DEFAULT_US,
	CHOICE_COPY_US,
	CHOICE_REASON,
	CHOICE_TUNED_AT = 16,
	CHOICE_SEAL,
	CHOICE_CELLS
};
enum {
	KERNEL_KEY = 1,
	KERNEL_RECIPE,
	KERNEL_ENTRY,
	KERNEL_CODEGEN,
	KERNEL_ARCH,
	KERNEL_TOOLCHAIN,
	KERNEL_PROBLEM,
	KERNEL_VARIANT,
	KERNEL_REGISTERS,
	KERNEL_SHARED_BYTES,
	KERNEL_LOCAL_BYTES,
	KERNEL_IMAGE,
	KERNEL_SEAL = 15,
	KERNEL_CELLS,
	KERNEL_VERIFIED = KERNEL_CELLS /* which older formats lack */
};
enum { IMAGE_SIZE = 1, IMAGE_BYTES, IMAGE_CELLS };

/* A problem has four classes; a recipe has an image for each compiler that was ever used. */
#define MOST_CLASSES 8
#define MOST_KERNELS 64

static struct srt_cell text_key(const char *text)
{
	struct srt_cell cell = { .kind = SRT_CELL_TEXT, .bytes = (const unsigned char *)text, .size = strlen(text) };

	return cell;
}

static struct srt_cell integer_key(int64_t integer)
{
	struct srt_cell cell = { .kind = SRT_CELL_INTEGER, .integer = integer, .real = (double)integer };

	return cell;
}

/* A row that another one refers to, and so must be there. */
static int seek(struct srt_row *row, const struct srt_db *db, enum srt_tree table, int64_t rowid, int cells)
{
	bool found;
	int status = srt_pages_seek(row, &found, db, table, rowid);

	if (status == SCANRT_OK && (!found || row->count < cells))
		status = srt_pages_corrupt(db, "a row that is referred to is missing");
	return status;
}

/* The number of the row with a unique text. */
static int find_text(int64_t *rowid, bool *found, const struct srt_db *db, enum srt_tree index, const char *text)
{
	struct srt_cell key = text_key(text);
	size_t count;
	int status = srt_pages_match(rowid, 1, &count, db, index, &key, 1);

	*found = count == 1;
	return status;
}

static int read_choice(struct srt_db_choice *choice, const struct srt_db *db, const struct srt_row *device,
	const struct srt_row *problem, int64_t rowid)
{
	struct srt_cell cells[SRT_CHOICE_CELLS];
	struct srt_row variant;
	struct srt_row row;
	int status = seek(&row, db, SRT_TREE_CHOICE, rowid, CHOICE_CELLS);

	if (status == SCANRT_OK)
		status = seek(&variant, db, SRT_TREE_VARIANT, row.cells[CHOICE_VARIANT].integer, VARIANT_CELLS);
	if (status != SCANRT_OK)
		return status;
	cells[0] = integer_key(rowid);
	cells[1] = problem->cells[PROBLEM_NAME];
	cells[2] = row.cells[CHOICE_CLASS];
	cells[3] = row.cells[CHOICE_LOW_COUNT];
	cells[4] = row.cells[CHOICE_HIGH_COUNT];
	cells[5] = row.cells[CHOICE_COUNT];
	cells[6] = variant.cells[VARIANT_TEXT];
	cells[7] = row.cells[CHOICE_US];
	cells[8] = row.cells[CHOICE_LOW_US];
	cells[9] = row.cells[CHOICE_HIGH_US];
	cells[10] = row.cells[CHOICE_DEFAULT_US];
	cells[11] = row.cells[CHOICE_COPY_US];
	cells[12] = device->cells[DEVICE_FINGERPRINT];
	cells[13] = row.cells[CHOICE_SOURCE_HASH];
	cells[14] = row.cells[CHOICE_REASON];
	cells[15] = row.cells[CHOICE_TUNED_AT];
	cells[16] = device->cells[DEVICE_IS_MODELLED];
	cells[17] = row.cells[CHOICE_SEAL];
	return srt_db_read_choice(db, choice, cells);
}

static int by_low_count(const void *left, const void *right)
{
	const struct srt_db_choice *a = left;
	const struct srt_db_choice *b = right;

	return (a->low_count > b->low_count) - (a->low_count < b->low_count);
}

int srt_lookup_pair(struct srt_db *db, const char *source_hash, int64_t device, int64_t problem,
	struct srt_db_choice *rows, size_t capacity, size_t *count)
{
	struct srt_cell keys[3] = { integer_key(device), text_key(source_hash), integer_key(problem) };
	struct srt_db_choice choices[MOST_CLASSES];
	int64_t rowids[MOST_CLASSES];
	struct srt_row device_row;
	struct srt_row problem_row;
	size_t found;
	size_t i;
	int status = srt_pages_match(rowids, MOST_CLASSES, &found, db, SRT_TREE_CHOICE_BY_SUBJECT, keys, 3);

	*count = 0;
	if (status != SCANRT_OK || found == 0)
		return status;
	status = seek(&device_row, db, SRT_TREE_DEVICE, device, DEVICE_CELLS);
	if (status == SCANRT_OK)
		status = seek(&problem_row, db, SRT_TREE_PROBLEM, problem, PROBLEM_CELLS);
	for (i = 0; i < found && status == SCANRT_OK; i++)
		status = read_choice(&choices[i], db, &device_row, &problem_row, rowids[i]);
	if (status != SCANRT_OK)
		return status;
	qsort(choices, found, sizeof(choices[0]), by_low_count);
	*count = found < capacity ? found : capacity;
	memcpy(rows, choices, *count * sizeof(rows[0]));
	return SCANRT_OK;
}

int srt_lookup_choices(struct srt_db *db, const struct srt_db_lookup *lookup, struct srt_db_choice *rows,
	size_t capacity, size_t *count)
{
	int64_t device;
	int64_t problem;
	bool found;
	int status = find_text(&device, &found, db, SRT_TREE_DEVICE_BY_FINGERPRINT, lookup->fingerprint);

	*count = 0;
	if (status == SCANRT_OK && found)
		status = find_text(&problem, &found, db, SRT_TREE_PROBLEM_BY_NAME, lookup->problem);
	if (status != SCANRT_OK || !found)
		return status;
	return srt_lookup_pair(db, lookup->source_hash, device, problem, rows, capacity, count);
}

/* ---- images ---- */

/* Found stays false where the machine code of this kernel was not kept. */
static int read_image(struct srt_db_image *image, bool *found, const struct srt_db *db, const struct srt_row *kernel,
	const char *recipe)
{
	static const int columns[SRT_IMAGE_CELLS - 1] = { KERNEL_RECIPE, KERNEL_KEY, KERNEL_ENTRY, KERNEL_CODEGEN,
		KERNEL_ARCH, KERNEL_TOOLCHAIN, KERNEL_PROBLEM, KERNEL_VARIANT, KERNEL_REGISTERS, KERNEL_SHARED_BYTES,
		KERNEL_LOCAL_BYTES, KERNEL_IMAGE, KERNEL_SEAL, KERNEL_VERIFIED };
	static const struct srt_cell unknown = { .kind = SRT_CELL_NULL };
	const struct srt_cell *hash = &kernel->cells[KERNEL_IMAGE];
	struct srt_cell cells[SRT_IMAGE_CELLS];
	struct srt_row row;
	int64_t rowid;
	size_t count;
	int i;
	int status = srt_pages_match(&rowid, 1, &count, db, SRT_TREE_IMAGE_BY_HASH, hash, 1);

	if (status != SCANRT_OK || count == 0)
		return status;
	status = seek(&row, db, SRT_TREE_IMAGE, rowid, IMAGE_CELLS);
	if (status == SCANRT_OK)
		status = srt_pages_bytes(&image->bytes, db, &row, IMAGE_BYTES);
	if (status != SCANRT_OK)
		return status;
	image->size = row.cells[IMAGE_BYTES].size;
	cells[SRT_IMAGE_CELLS - 1] = row.cells[IMAGE_SIZE];
	for (i = 0; i < SRT_IMAGE_CELLS - 1; i++)
		cells[i] = columns[i] < kernel->count ? kernel->cells[columns[i]] : unknown;
	*found = true;
	return srt_db_read_image(db, image, recipe, cells);
}

int srt_lookup_image(
	struct srt_db *db, const char *recipe, const char *codegen, struct srt_db_image *image, bool *found)
{
	struct srt_cell key = text_key(recipe);
	int64_t rowids[MOST_KERNELS];
	size_t count;
	int status = srt_pages_match(rowids, MOST_KERNELS, &count, db, SRT_TREE_KERNEL_BY_RECIPE, &key, 1);

	/* The last one is the newest. */
	while (status == SCANRT_OK && !*found && count-- > 0) {
		struct srt_row kernel;

		status = seek(&kernel, db, SRT_TREE_KERNEL, rowids[count], KERNEL_CELLS);
		if (status == SCANRT_OK && kernel.cells[KERNEL_IMAGE].kind == SRT_CELL_TEXT &&
			(!codegen || srt_db_is_text(&kernel.cells[KERNEL_CODEGEN], codegen)))
			status = read_image(image, found, db, &kernel, recipe);
	}
	return status;
}
