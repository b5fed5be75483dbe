/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <assert.h>
#include <string.h>

uint32_t srt_big_endian(const unsigned char *bytes, int count)
{
	uint32_t value = 0;

	while (count-- > 0)
		value = value << 8 | *bytes++;
	return value;
}

bool srt_node_init(struct srt_node *node, const unsigned char *page, size_t usable, uint32_t number)
{
	const unsigned char *header = page + (number == 1 ? 100 : 0);
	bool is_leaf;

	memset(node, 0, sizeof(*node));
	node->page = page;
	node->usable = usable;
	node->kind = header[0];
	if (node->kind != SRT_NODE_INDEX && node->kind != SRT_NODE_TABLE && node->kind != SRT_NODE_INDEX_LEAF &&
		node->kind != SRT_NODE_TABLE_LEAF)
		return false;
	is_leaf = node->kind == SRT_NODE_INDEX_LEAF || node->kind == SRT_NODE_TABLE_LEAF;
	node->count = (int)srt_big_endian(header + 3, 2);
	node->right = is_leaf ? 0 : srt_big_endian(header + 8, 4);
	node->pointers = (size_t)(header - page) + (is_leaf ? 8 : 12);
	return node->pointers + 2 * (size_t)node->count <= usable;
}

/* Seven bits a byte, high first, and all eight of the ninth; false where it runs over the end. */
static bool read_varint(uint64_t *value, const unsigned char **at, const unsigned char *end)
{
	int i;

	*value = 0;
	for (i = 0; i < 9; i++) {
		unsigned char byte;

		if (*at >= end)
			return false;
		byte = *(*at)++;
		if (i == 8) {
			*value = *value << 8 | byte;
			return true;
		}
		*value = *value << 7 | (byte & 0x7f);
		if (!(byte & 0x80))
			return true;
	}
	return true;
}

static int64_t read_signed(const unsigned char *bytes, size_t size)
{
	uint64_t value = bytes[0] & 0x80 ? UINT64_MAX : 0;
	size_t i;

	for (i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return (int64_t)value;
}

/* How many bytes of the body a serial type takes; false for the two that are reserved. */
static bool size_of_type(uint64_t *size, uint64_t type)
{
	static const unsigned char sizes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };

	if (type == 10 || type == 11)
		return false;
	*size = type < 10 ? sizes[type] : (type - 12) / 2;
	return true;
}

/* `bytes` are there in full for numbers. */
static void read_number(struct srt_cell *cell, uint64_t type, const unsigned char *bytes, size_t size)
{
	if (type == 0)
		return;
	cell->kind = SRT_CELL_INTEGER;
	cell->integer = type == 8 || type == 9 ? (int64_t)type - 8 : read_signed(bytes, size);
	cell->real = (double)cell->integer;
	if (type == 7) {
		cell->kind = SRT_CELL_REAL;
		memcpy(&cell->real, &cell->integer, sizeof(cell->real));
	}
}

static bool read_value(struct srt_cell *cell, const struct srt_row *row, uint64_t type, uint64_t offset, uint64_t size)
{
	memset(cell, 0, sizeof(*cell));
	cell->is_split = size > row->local_size - offset;
	if (type < 12) {
		if (!cell->is_split)
			read_number(cell, type, row->local + offset, (size_t)size);
		return !cell->is_split;
	}
	cell->kind = type % 2 ? SRT_CELL_TEXT : SRT_CELL_BLOB;
	cell->size = (size_t)size;
	cell->bytes = row->local + offset;
	return true;
}

/* A record is a header, with its own size and a type for each column, and then the values.  Columns that begin in the
 * rest of a long record are left out: the tables are laid out so that nobody needs them. */
static bool read_record(struct srt_row *row)
{
	const unsigned char *at = row->local;
	const unsigned char *end = row->local + row->local_size;
	const int capacity = (int)(sizeof(row->cells) / sizeof(row->cells[0]));
	uint64_t header_size;
	uint64_t offset;

	row->count = 0;
	if (!read_varint(&header_size, &at, end) || header_size > row->local_size)
		return false;
	end = row->local + header_size;
	for (offset = header_size; at < end && row->count < capacity && offset <= row->local_size; row->count++) {
		uint64_t type;
		uint64_t size;

		if (!read_varint(&type, &at, end) || !size_of_type(&size, type) || size > row->total_size - offset ||
			!read_value(&row->cells[row->count], row, type, offset, size))
			return false;
		offset += size;
	}
	return true;
}

/* How much of a record stays in the tree: the file format's own formula, with its own constants. */
static size_t local_size(uint64_t total, size_t usable, bool is_table)
{
	uint64_t most = is_table ? usable - 35 : (usable - 12) * 64 / 255 - 23;
	uint64_t least = (usable - 12) * 32 / 255 - 23;
	uint64_t fitting;

	if (total <= most)
		return (size_t)total;
	fitting = least + (total - least) % (usable - 4);
	return (size_t)(fitting <= most ? fitting : least);
}

static bool read_payload(
	struct srt_row *row, const unsigned char *at, const unsigned char *end, size_t usable, bool is_table)
{
	row->local = at;
	row->local_size = local_size(row->total_size, usable, is_table);
	row->overflow = 0;
	if (row->local_size > (size_t)(end - at))
		return false;
	if (row->local_size < row->total_size) {
		if ((size_t)(end - at) < row->local_size + 4)
			return false;
		row->overflow = srt_big_endian(at + row->local_size, 4);
	}
	return read_record(row);
}

/* Where the content of a cell begins; NULL where that is not in the page. */
static const unsigned char *find_cell(uint32_t *child, const struct srt_node *node, int index)
{
	size_t offset = srt_big_endian(node->page + node->pointers + 2 * (size_t)index, 2);

	*child = 0;
	if (offset < node->pointers || offset + 4 > node->usable)
		return NULL;
	if (node->right == 0)
		return node->page + offset;
	*child = srt_big_endian(node->page + offset, 4);
	return node->page + offset + 4;
}

bool srt_node_rowid(int64_t *rowid, uint32_t *child, const struct srt_node *node, int index)
{
	const unsigned char *end = node->page + node->usable;
	const unsigned char *at = find_cell(child, node, index);
	uint64_t value;

	if (!at || (node->kind == SRT_NODE_TABLE_LEAF && !read_varint(&value, &at, end)))
		return false;
	if (!read_varint(&value, &at, end))
		return false;
	*rowid = (int64_t)value;
	return true;
}

bool srt_node_record(struct srt_row *row, uint32_t *child, const struct srt_node *node, int index)
{
	const unsigned char *end = node->page + node->usable;
	const unsigned char *at = find_cell(child, node, index);
	bool is_table = node->kind == SRT_NODE_TABLE_LEAF;
	uint64_t rowid = 0;

	assert(node->kind != SRT_NODE_TABLE);
	if (!at || !read_varint(&row->total_size, &at, end) || (is_table && !read_varint(&rowid, &at, end)))
		return false;
	row->rowid = (int64_t)rowid;
	return read_payload(row, at, end, node->usable, is_table);
}

static int order_of(const struct srt_cell *cell)
{
	return cell->kind == SRT_CELL_REAL ? SRT_CELL_INTEGER : (int)cell->kind;
}

int srt_cell_compare(const struct srt_cell *left, const struct srt_cell *right)
{
	size_t shorter = left->size < right->size ? left->size : right->size;
	int order;

	if (order_of(left) != order_of(right))
		return order_of(left) < order_of(right) ? -1 : 1;
	if (left->kind == SRT_CELL_INTEGER && right->kind == SRT_CELL_INTEGER)
		return (left->integer > right->integer) - (left->integer < right->integer);
	if (order_of(left) == SRT_CELL_INTEGER)
		return (left->real > right->real) - (left->real < right->real);
	order = shorter > 0 ? memcmp(left->bytes, right->bytes, shorter) : 0;
	return order != 0 ? order : (left->size > right->size) - (left->size < right->size);
}
