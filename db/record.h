/* SPDX-License-Identifier: MIT
 *
 * One page and one cell of an SQLite file.
 */
#ifndef SRT_RECORD_H
#define SRT_RECORD_H

#include "pages.h"

enum srt_node_kind { SRT_NODE_INDEX = 2, SRT_NODE_TABLE = 5, SRT_NODE_INDEX_LEAF = 10, SRT_NODE_TABLE_LEAF = 13 };

/* A page of a tree. */
struct srt_node {
	const unsigned char *page;
	size_t usable;   /* bytes of the page that are the tree's */
	size_t pointers; /* where the cells' offsets begin */
	int kind;        /* enum srt_node_kind */
	int count;       /* of cells */
	uint32_t right;  /* the last child; 0 in a leaf */
};

/* False where the page is no page of a tree.  Page 1 begins with the file's header. */
bool srt_node_init(struct srt_node *node, const unsigned char *page, size_t usable, uint32_t number);

/* The number of cell `index` of a table's node and its child (0 in a leaf); false where it cannot be read. */
bool srt_node_rowid(int64_t *rowid, uint32_t *child, const struct srt_node *node, int index);
/* The record of a cell in a table's leaf or in any node of an index. */
bool srt_node_record(struct srt_row *row, uint32_t *child, const struct srt_node *node, int index);

/* As SQLite orders them: NULL, numbers, texts, blobs.  Neither is split. */
int srt_cell_compare(const struct srt_cell *left, const struct srt_cell *right);

uint32_t srt_big_endian(const unsigned char *bytes, int count); /* of up to four bytes */

#endif
