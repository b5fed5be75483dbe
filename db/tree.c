/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <string.h>

#include "status.h"

/* Deeper than any tree whose pages hold two cells or more: a damaged file must not lead in circles for ever. */
#define MOST_LEVELS 20

/* The first cell of a table's node whose number is not below `rowid`. */
static bool find_rowid(int *index, int64_t *seen, uint32_t *child, const struct srt_node *node, int64_t rowid)
{
	int low = 0;
	int high = node->count;

	while (low < high) {
		int middle = (low + high) / 2;

		if (!srt_node_rowid(seen, child, node, middle))
			return false;
		if (*seen < rowid)
			low = middle + 1;
		else
			high = middle;
	}
	*index = low;
	return low == node->count || srt_node_rowid(seen, child, node, low);
}

int srt_pages_seek(struct srt_row *row, bool *found, const struct srt_db *db, enum srt_tree table, int64_t rowid)
{
	uint32_t number = db->pages->roots[table];
	int level;

	*found = false;
	for (level = 0; level < MOST_LEVELS; level++) {
		struct srt_node node;
		uint32_t child;
		int64_t seen;
		int index;
		int status = srt_pages_node(&node, db, number, true);

		if (status != SCANRT_OK)
			return status;
		if (!find_rowid(&index, &seen, &child, &node, rowid))
			return srt_pages_corrupt(db, "a row cannot be read");
		if (node.right == 0) {
			*found = index < node.count && seen == rowid;
			if (*found && !srt_node_record(row, &child, &node, index))
				return srt_pages_corrupt(db, "a row cannot be read");
			return SCANRT_OK;
		}
		number = index < node.count ? child : node.right;
	}
	return srt_pages_corrupt(db, "a tree has no end");
}

struct visit {
	const struct srt_db *db;
	srt_row_function *each;
	void *user;
	uint32_t budget; /* no tree has more nodes than the file has pages */
};

static int visit_node(struct visit *visit, uint32_t number, int level)
{
	struct srt_node node;
	int status;
	int i;

	if (level == MOST_LEVELS || visit->budget-- == 0)
		return srt_pages_corrupt(visit->db, "a tree has no end");
	status = srt_pages_node(&node, visit->db, number, true);
	for (i = 0; status == SCANRT_OK && i < node.count; i++) {
		struct srt_row row;
		uint32_t child;
		int64_t rowid;

		if (node.right == 0 && srt_node_record(&row, &child, &node, i))
			status = visit->each(visit->user, &row);
		else if (node.right != 0 && srt_node_rowid(&rowid, &child, &node, i))
			status = visit_node(visit, child, level + 1);
		else
			status = srt_pages_corrupt(visit->db, "a row cannot be read");
	}
	return status == SCANRT_OK && node.right != 0 ? visit_node(visit, node.right, level + 1) : status;
}

int srt_pages_each(const struct srt_db *db, enum srt_tree table, srt_row_function *each, void *user)
{
	struct visit visit = { .db = db, .each = each, .user = user, .budget = db->pages->page_count };

	return visit_node(&visit, db->pages->roots[table], 0);
}

/* ---- indexes ---- */

struct match {
	const struct srt_db *db;
	const struct srt_cell *keys;
	int key_count;
	int64_t *rowids;
	size_t capacity;
	size_t count;
	bool is_past;    /* an entry beyond the keys was seen */
	uint32_t budget; /* no tree has more nodes than the file has pages */
};

/* Reads an entry and compares its first cells with the keys.  The number of the row is its last cell. */
static bool read_entry(
	int *order, int64_t *rowid, uint32_t *child, const struct match *match, const struct srt_node *node, int index)
{
	struct srt_row row;
	int i;

	if (!srt_node_record(&row, child, node, index) || row.count <= match->key_count ||
		row.local_size != row.total_size || row.cells[row.count - 1].kind != SRT_CELL_INTEGER)
		return false;
	*rowid = row.cells[row.count - 1].integer;
	*order = 0;
	for (i = 0; i < match->key_count && *order == 0; i++)
		*order = srt_cell_compare(&row.cells[i], &match->keys[i]);
	return true;
}

static void take(struct match *match, int64_t rowid)
{
	if (match->count == match->capacity) {
		memmove(match->rowids, match->rowids + 1, (match->capacity - 1) * sizeof(*match->rowids));
		match->count--;
	}
	match->rowids[match->count++] = rowid;
}

/* The first entry of a node that is not before the keys. */
static int find_entry(int *index, const struct match *match, const struct srt_node *node)
{
	int low = 0;
	int high = node->count;

	while (low < high) {
		int middle = (low + high) / 2;
		int64_t rowid;
		uint32_t child;
		int order;

		if (!read_entry(&order, &rowid, &child, match, node, middle))
			return srt_pages_corrupt(match->db, "an index entry cannot be read");
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*index = low;
	return SCANRT_OK;
}

/* Entries of an index lie in its inner nodes too, each between two children. */
static int match_node(struct match *match, uint32_t number, int level)
{
	struct srt_node node;
	int status;
	int i = 0;

	if (level == MOST_LEVELS || match->budget-- == 0)
		return srt_pages_corrupt(match->db, "a tree has no end");
	status = srt_pages_node(&node, match->db, number, false);
	if (status == SCANRT_OK)
		status = find_entry(&i, match, &node);
	for (; status == SCANRT_OK && i < node.count && !match->is_past; i++) {
		int64_t rowid;
		uint32_t child;
		int order;

		if (!read_entry(&order, &rowid, &child, match, &node, i))
			return srt_pages_corrupt(match->db, "an index entry cannot be read");
		if (child != 0)
			status = match_node(match, child, level + 1);
		if (status == SCANRT_OK && order == 0 && !match->is_past)
			take(match, rowid);
		match->is_past = match->is_past || order > 0;
	}
	if (status == SCANRT_OK && node.right != 0 && !match->is_past)
		status = match_node(match, node.right, level + 1);
	return status;
}

int srt_pages_match(int64_t *rowids, size_t capacity, size_t *count, const struct srt_db *db, enum srt_tree index,
	const struct srt_cell *keys, int key_count)
{
	struct match match = { .db = db,
		.keys = keys,
		.key_count = key_count,
		.rowids = rowids,
		.capacity = capacity,
		.budget = db->pages->page_count };
	int status = match_node(&match, db->pages->roots[index], 0);

	*count = status == SCANRT_OK ? match.count : 0;
	return status;
}
