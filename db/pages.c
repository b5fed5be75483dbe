/* SPDX-License-Identifier: MIT */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#include "status.h"
#include "tree.h"

int srt_pages_corrupt(const struct srt_db *db, const char *what)
{
	return srt_fail_database(SCANRT_ERROR_DATABASE_CORRUPT, SQLITE_CORRUPT, "%s: is damaged: %s", db->path, what);
}

static int no_memory(const struct srt_db *db)
{
	return srt_fail(SCANRT_ERROR_OUT_OF_MEMORY, "%s: no memory to read it", db->path);
}

static int read_geometry(struct srt_pages *pages, const struct srt_db *db)
{
	unsigned char header[100];
	sqlite3_int64 size = 0;
	int code = srt_db_file_size(db, &size);

	if (code == SQLITE_OK)
		code = srt_db_read_at(db, header, sizeof(header), 0);
	if (code != SQLITE_OK)
		return srt_fail_database(SCANRT_ERROR_DATABASE, code, "%s: cannot read its header", db->path);
	pages->page_size = srt_big_endian(header + 16, 2);
	if (pages->page_size == 1) /* so the format writes 65536 */
		pages->page_size = 65536;
	if (pages->page_size < 512 || (pages->page_size & (pages->page_size - 1)) != 0 || header[20] > 32)
		return srt_pages_corrupt(db, "its page size is none");
	pages->usable = pages->page_size - header[20];
	pages->page_count = srt_big_endian(header + 28, 4);
	if (pages->page_count == 0 || pages->page_count > (uint64_t)size / pages->page_size)
		return srt_pages_corrupt(db, "it has been cut short");
	if (srt_big_endian(header + 56, 4) != 1)
		return srt_pages_corrupt(db, "its texts are not UTF-8");
	return SCANRT_OK;
}

void srt_pages_close(struct srt_pages *pages)
{
	size_t i;

	if (!pages)
		return;
	for (i = 0; i < pages->count; i++)
		free(pages->loaded[i].bytes);
	free(pages->loaded);
	free(pages);
}

static int read_pages(unsigned char *bytes, const struct srt_db *db, uint32_t number, uint32_t count)
{
	const struct srt_pages *pages = db->pages;
	int code;

	if (number == 0 || number > pages->page_count)
		return srt_pages_corrupt(db, "it refers to a page that it does not have");
	code = srt_db_read_at(db, bytes, count * pages->page_size,
		(sqlite3_int64)(number - 1) * (sqlite3_int64)pages->page_size);
	if (code != SQLITE_OK)
		return srt_fail_database(SCANRT_ERROR_DATABASE, code, "%s: cannot read page %u", db->path, number);
	return SCANRT_OK;
}

static bool grow(struct srt_pages *pages)
{
	size_t capacity = pages->capacity ? 2 * pages->capacity : 32;
	struct srt_page *loaded = realloc(pages->loaded, capacity * sizeof(*loaded));

	if (!loaded)
		return false;
	pages->loaded = loaded;
	pages->capacity = capacity;
	return true;
}

static int load_page(const unsigned char **bytes, const struct srt_db *db, uint32_t number)
{
	struct srt_pages *pages = db->pages;
	struct srt_page *page;
	size_t i;
	int status;

	for (i = 0; i < pages->count; i++)
		if (pages->loaded[i].number == number) {
			*bytes = pages->loaded[i].bytes;
			return SCANRT_OK;
		}
	if (pages->count == pages->capacity && !grow(pages))
		return no_memory(db);
	page = &pages->loaded[pages->count];
	page->number = number;
	page->bytes = malloc(pages->page_size);
	if (!page->bytes)
		return no_memory(db);
	status = read_pages(page->bytes, db, number, 1);
	if (status != SCANRT_OK) {
		free(page->bytes);
		return status;
	}
	pages->count++;
	*bytes = page->bytes;
	return SCANRT_OK;
}

int srt_pages_node(struct srt_node *node, const struct srt_db *db, uint32_t number, bool is_table)
{
	const unsigned char *bytes = NULL;
	int status = load_page(&bytes, db, number);

	if (status != SCANRT_OK)
		return status;
	if (!srt_node_init(node, bytes, db->pages->usable, number) ||
		is_table != (node->kind == SRT_NODE_TABLE || node->kind == SRT_NODE_TABLE_LEAF))
		return srt_pages_corrupt(db, "a page is not what its tree says");
	return SCANRT_OK;
}

/* ---- the schema ---- */

/* As schema.sql names them; SQLite numbers the indexes of a table's UNIQUE and PRIMARY KEY clauses. */
static const char *const tree_names[SRT_TREE_COUNT] = {
	NULL,
	"device",
	"sqlite_autoindex_device_1",
	"problem",
	"sqlite_autoindex_problem_1",
	"variant",
	"choice",
	"sqlite_autoindex_choice_1",
	"image",
	"sqlite_autoindex_image_1",
	"kernel",
	"kernel_by_recipe",
	"board",
};

bool srt_pages_has(const struct srt_db *db, enum srt_tree tree)
{
	return db->pages->roots[tree] >= 2; /* the first page is the schema's own */
}

/* The columns of the schema table: type, name, table, root page, text.  Only the text may be split. */
static int take_root(void *user, const struct srt_row *row)
{
	struct srt_pages *pages = user;
	int i;

	for (i = 0; row->count > 3 && i < SRT_TREE_COUNT; i++)
		if (tree_names[i] && srt_db_is_text(&row->cells[1], tree_names[i]))
			pages->roots[i] = (uint32_t)row->cells[3].integer;
	return SCANRT_OK;
}

int srt_pages_open(struct srt_db *db)
{
	int status;
	int i;

	db->pages = calloc(1, sizeof(*db->pages));
	if (!db->pages)
		return no_memory(db);
	status = read_geometry(db->pages, db);
	if (status != SCANRT_OK)
		return status;
	db->pages->roots[SRT_TREE_SCHEMA] = 1;
	status = srt_pages_each(db, SRT_TREE_SCHEMA, take_root, db->pages);
	for (i = 0; status == SCANRT_OK && i < SRT_TREE_COUNT; i++)
		if (tree_names[i] && !srt_pages_has(db, (enum srt_tree)i) && i != SRT_TREE_BOARD)
			status = srt_pages_corrupt(db, "a table is missing");
	return status;
}

/* ---- long values ---- */

/* How many pages from `next` on are worth one read: what is wanted, of what there is. */
static uint32_t run_of(const struct srt_pages *pages, uint32_t next, size_t wanted)
{
	size_t run = wanted < SRT_PAGE_RUN ? wanted : SRT_PAGE_RUN;

	if (next > 0 && next <= pages->page_count && run > pages->page_count - next + 1)
		run = pages->page_count - next + 1;
	return (uint32_t)run;
}

/* Room for a value, and for the pages that its last run is read in. */
static size_t room_for(const struct srt_pages *pages, size_t size)
{
	const size_t step = pages->usable - 4;

	return size + (size / step + 1) * (pages->page_size - step) + pages->page_size;
}

/* Each page of the rest begins with the number of the next, which mostly follows it in the file: reading a run of pages
 * at once saves most of the calls, and where the chain leaves the run it is read anew from there.  A run is read to
 * where it belongs and moved together there: a process touches few fresh pages of memory, each of which costs it a
 * microsecond. */
static int copy_rest(unsigned char *to, const struct srt_db *db, uint32_t next, size_t left)
{
	const struct srt_pages *pages = db->pages;
	const size_t step = pages->usable - 4;

	while (left > 0) {
		uint32_t run = run_of(pages, next, (left - 1) / step + 1);
		uint32_t first = next;
		int status = read_pages(to, db, first, run);
		unsigned char *page = to;

		if (status != SCANRT_OK)
			return status;
		for (uint32_t i = 0; i < run && next == first + i && left > 0; i++) {
			size_t here = left < step ? left : step;

			next = srt_big_endian(page, 4);
			memmove(to, page + 4, here);
			to += here;
			left -= here;
			page += pages->page_size;
		}
	}
	return SCANRT_OK;
}

int srt_pages_bytes(void **bytes, const struct srt_db *db, const struct srt_row *row, int cell)
{
	const struct srt_cell *value = &row->cells[cell];
	size_t here = row->local_size - (size_t)(value->bytes - row->local);
	int status = SCANRT_OK;

	*bytes = NULL;
	if (value->size == 0 || value->size / db->pages->page_size > db->pages->page_count)
		return srt_pages_corrupt(db, "an image is larger than the file");
	*bytes = malloc(room_for(db->pages, value->size));
	if (!*bytes)
		return no_memory(db);
	if (here > value->size)
		here = value->size;
	memcpy(*bytes, value->bytes, here);
	if (here < value->size)
		status = copy_rest((unsigned char *)*bytes + here, db, row->overflow, value->size - here);
	if (status != SCANRT_OK) {
		free(*bytes);
		*bytes = NULL;
	}
	return status;
}
